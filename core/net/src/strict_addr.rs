//! The strict reading of an address, which can say where it failed.

use core::{fmt, net::IpAddr};

use crate::faults::First;
use crate::{AddrError, AddrReason, IpText};

/// An address that a strict reader accepts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StrictAddr<'a> {
    /// The address as written: a mapped one is IPv6.
    pub addr: IpAddr,
    /// What stands behind `%`; only IPv6 can have it, and it is never empty.
    pub zone: Option<&'a str>,
}

impl StrictAddr<'_> {
    /// An IPv4 address in IPv6 clothes.
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

/// Reads an address strictly. Zones are accepted, for callers to refuse.
///
/// The text is read by [`IpText`]: strict is what has nothing to note, so that the two readings cannot disagree.
///
/// # Errors
///
/// An [`AddrError`] with the first thing wrong.
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
    let mut first = First::default();
    let read = IpText::read_noting(addr.as_bytes(), &mut first);
    match (read, first.0) {
        (Some(ip), None) => Ok(StrictAddr { addr: ip.unfolded(), zone }),
        (_, Some((reason, rest))) => {
            // Everything before the rest was ASCII, so it begins between two characters.
            let at = addr.get(addr.len().saturating_sub(rest.len())..).unwrap_or_default();
            refuse(reason, at)
        }
        (None, None) => refuse(AddrReason::Unrecognized, ""),
    }
}
