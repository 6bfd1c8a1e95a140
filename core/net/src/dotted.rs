//! The sloppy reading of four decimal numbers with dots between them.

/// Four octets, and whether one of them was padded with zeros.
#[derive(Clone, Copy)]
pub(crate) struct Dotted {
    pub(crate) bits: u32,
    pub(crate) padded: bool,
}

/// Reads the whole text. Padding is ignored whatever its length, and never means octal.
#[inline]
pub(crate) fn read(text: &[u8]) -> Option<Dotted> {
    let mut bits = 0_u32;
    let mut octet = 0_u32;
    let mut begun = false;
    let mut dots = 0_u8;
    let mut padded = false;
    for &byte in text {
        let digit = byte.wrapping_sub(b'0');
        if digit <= 9 {
            padded |= begun & (octet == 0);
            begun = true;
            octet = octet * 10 + u32::from(digit);
            if octet > 255 {
                return None;
            }
        } else if byte == b'.' && begun && dots < 3 {
            bits = bits << 8 | octet;
            octet = 0;
            begun = false;
            dots += 1;
        } else {
            return None;
        }
    }
    (dots == 3 && begun).then_some(Dotted { bits: bits << 8 | octet, padded })
}
