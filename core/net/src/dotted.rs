//! Sloppy parsing of dotted IPv4 text; what a strict parser refuses is reported on the way.

use crate::AddrReason;
use crate::faults::Faults;

/// Four octets, and whether one of them was padded with zeros.
#[derive(Clone, Copy)]
pub(crate) struct Dotted {
    pub(crate) bits: u32,
    pub(crate) padded: bool,
}

/// Parses the whole text. Padding is ignored whatever its length, and never means octal.
#[inline]
pub(crate) fn parse<'a>(text: &'a [u8], faults: &mut impl Faults<'a>) -> Option<Dotted> {
    let mut bits = 0_u32;
    let mut octet = 0_u32;
    let mut begun = false;
    let mut dots = 0_u8;
    let mut padded = false;
    let mut rest = text;
    while let [byte, after @ ..] = rest {
        let digit = byte.wrapping_sub(b'0');
        if digit <= 9 {
            if begun & (octet == 0) {
                padded = true;
                faults.note(AddrReason::LeadingZero);
            }
            begun = true;
            octet = octet * 10 + u32::from(digit);
            if octet > 255 {
                return faults.refuse(AddrReason::OctetTooBig);
            }
        } else if *byte != b'.' {
            return faults.refuse_at(AddrReason::UnexpectedInOctets, rest);
        } else if !begun || after.is_empty() {
            return faults.refuse_at(AddrReason::EmptyOctet, rest);
        } else if dots == 3 {
            return faults.refuse(AddrReason::TooManyOctets);
        } else {
            bits = bits << 8 | octet;
            octet = 0;
            begun = false;
            dots += 1;
        }
        rest = after;
    }
    // A final dot was refused, so that the last octet has begun.
    if dots < 3 {
        return faults.refuse(AddrReason::TooFewOctets);
    }
    Some(Dotted { bits: bits << 8 | octet, padded })
}
