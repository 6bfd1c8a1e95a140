//! Strict parsing of addresses, as Go's `netip.ParseAddr`.

use core::{fmt, net::IpAddr};

use crate::faults::FirstFault;
use crate::{AddrError, AddrReason, IpText};

/// An address that the strict parser accepts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StrictAddr<'a> {
    /// The address as written: a mapped one is IPv6.
    pub addr: IpAddr,
    /// The zone behind `%`; only IPv6 can have one, and it is never empty.
    pub zone: Option<&'a str>,
}

impl StrictAddr<'_> {
    /// Whether it is an IPv4-mapped IPv6 address.
    #[must_use]
    pub const fn is_mapped(&self) -> bool {
        matches!(self.addr, IpAddr::V6(v6) if v6.to_ipv4_mapped().is_some())
    }
}

impl fmt::Display for StrictAddr<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.zone {
            Some(zone) => write!(f, "{}%{zone}", self.addr),
            None => self.addr.fmt(f),
        }
    }
}

/// Parses an address strictly. Zones are accepted, for callers to refuse.
///
/// The text is parsed by [`IpText`]: strict is what reports no fault, so that the two parsers cannot disagree.
///
/// # Errors
///
/// An [`AddrError`] with the first fault.
pub fn strict_addr(text: &str) -> Result<StrictAddr<'_>, AddrError<'_>> {
    let refuse = |reason, at| Err(AddrError { input: text, reason, at });
    let (addr, zone) = match text.bytes().find(|byte| matches!(byte, b'.' | b':' | b'%')) {
        Some(b'%') => return refuse(AddrReason::MissingAddress, ""),
        Some(b':') => match text.split_once('%') {
            Some((_, "")) => return refuse(AddrReason::EmptyZone, ""),
            Some((addr, zone)) => (addr, Some(zone)),
            None => (text, None),
        },
        _ => (text, None),
    };
    let mut first = FirstFault::default();
    let parsed = IpText::parse_reporting(addr.as_bytes(), &mut first);
    match (parsed, first.0) {
        (Some(ip), None) => Ok(StrictAddr { addr: ip.unfolded(), zone }),
        (_, Some((reason, rest))) => {
            // Everything before the rest is ASCII, so it begins at a character boundary.
            let at = addr.get(addr.len().saturating_sub(rest.len())..).unwrap_or_default();
            refuse(reason, at)
        }
        (None, None) => refuse(AddrReason::Unrecognized, ""),
    }
}
