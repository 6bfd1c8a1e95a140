//! Strict parsing of prefixes, as Go's `netip.ParsePrefix`.

use core::{fmt, net::IpAddr};

use crate::{AddrWithLength, Family, PrefixError, PrefixReason, cidr, mask, strict_addr};

/// A prefix that the strict parser accepts; it may have host bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StrictPrefix {
    /// The address as written: host bits kept, a mapped one is IPv6.
    pub addr: IpAddr,
    /// The prefix length, not longer than the address.
    pub bits: u8,
}

impl StrictPrefix {
    /// The same prefix without host bits.
    #[must_use]
    pub fn masked(self) -> Self {
        Self { addr: mask::network(self.addr, self.bits), bits: self.bits }
    }

    /// Whether the address is in this prefix. A mapped address is not IPv4 here.
    #[must_use]
    pub fn contains(self, addr: IpAddr) -> bool {
        Family::of(self.addr) == Family::of(addr)
            && mask::network(addr, self.bits) == self.masked().addr
    }

    /// Whether every address of the other prefix is in this one.
    #[must_use]
    pub fn contains_prefix(self, other: Self) -> bool {
        self.bits <= other.bits && self.contains(other.addr)
    }

    /// Whether it is an IPv4-mapped IPv6 address.
    #[must_use]
    pub const fn is_mapped(self) -> bool {
        matches!(self.addr, IpAddr::V6(v6) if v6.to_ipv4_mapped().is_some())
    }
}

impl fmt::Display for StrictPrefix {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        AddrWithLength::new(self.addr, self.bits.into()).fmt(f)
    }
}

/// Parses a prefix strictly.
///
/// # Errors
///
/// A [`PrefixError`] with the first fault.
pub fn strict_prefix(text: &str) -> Result<StrictPrefix, PrefixError<'_>> {
    let refuse = |reason| PrefixError { input: text, reason };
    let (addr, bits) = text.rsplit_once('/').ok_or(refuse(PrefixReason::NoSlash))?;
    let parsed = strict_addr(addr).map_err(|error| refuse(PrefixReason::Addr(error)))?;
    if parsed.zone.is_some() {
        return Err(refuse(PrefixReason::Zone));
    }
    let number = cidr::parse_length(bits).filter(|(_, padded)| !padded);
    let (number, _) = number.ok_or(refuse(PrefixReason::BadBits(bits)))?;
    match u8::try_from(number) {
        Ok(bits) if bits <= Family::of(parsed.addr).width() => {
            Ok(StrictPrefix { addr: parsed.addr, bits })
        }
        _ => Err(refuse(PrefixReason::OutOfRange)),
    }
}
