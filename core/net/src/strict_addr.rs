//! The strict reading of an address, which can say where it failed.

use core::{
    fmt,
    net::{IpAddr, Ipv4Addr, Ipv6Addr},
};

use crate::{AddrError, AddrReason};

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
/// # Errors
///
/// An [`AddrError`] with the first thing wrong.
pub fn strict_addr(text: &str) -> Result<StrictAddr<'_>, AddrError<'_>> {
    let refuse = |(reason, at)| AddrError { input: text, reason, at };
    let read = match text.bytes().find(|byte| matches!(byte, b'.' | b':' | b'%')) {
        Some(b'.') => octets(text)
            .map(|bits| StrictAddr { addr: IpAddr::V4(Ipv4Addr::from_bits(bits)), zone: None }),
        Some(b':') => zoned(text),
        Some(_) => Err((AddrReason::MissingAddress, "")),
        None => Err((AddrReason::Unrecognized, "")),
    };
    read.map_err(refuse)
}

/// The reason, and the rest of the text if the place is told.
type Failure<'a> = (AddrReason, &'a str);

fn zoned(text: &str) -> Result<StrictAddr<'_>, Failure<'_>> {
    let (addr, zone) = match text.split_once('%') {
        Some((_, "")) => return Err((AddrReason::EmptyZone, "")),
        Some((addr, zone)) => (addr, Some(zone)),
        None => (text, None),
    };
    Ok(StrictAddr { addr: IpAddr::V6(Ipv6Addr::from_bits(groups(addr)?)), zone })
}

fn octets(text: &str) -> Result<u32, Failure<'_>> {
    let mut bits = 0;
    let mut octet = 0_u32;
    let mut digits = 0_u8;
    let mut dots = 0_u8;
    for (i, byte) in text.bytes().enumerate() {
        match byte {
            b'0'..=b'9' => {
                if digits == 1 && octet == 0 {
                    return Err((AddrReason::LeadingZero, ""));
                }
                octet = octet * 10 + u32::from(byte - b'0');
                digits += 1;
                if octet > 255 {
                    return Err((AddrReason::OctetTooBig, ""));
                }
            }
            b'.' if digits == 0 || i + 1 == text.len() => {
                return Err((AddrReason::EmptyOctet, from(text, i)));
            }
            b'.' if dots == 3 => return Err((AddrReason::TooManyOctets, "")),
            b'.' => {
                bits = bits << 8 | octet;
                octet = 0;
                digits = 0;
                dots += 1;
            }
            _ => return Err((AddrReason::UnexpectedInOctets, from(text, i))),
        }
    }
    if dots == 3 { Ok(bits << 8 | octet) } else { Err((AddrReason::TooFewOctets, "")) }
}

fn groups(text: &str) -> Result<u128, Failure<'_>> {
    let mut bits = 0_u128;
    let mut len = 0_u32;
    let mut ellipsis = None; // how many groups stand before `::`
    let mut rest = text;
    if let Some(after) = rest.strip_prefix("::") {
        if after.is_empty() {
            return Ok(0);
        }
        ellipsis = Some(0);
        rest = after;
    }
    while len < 8 {
        let (group, after) = group(rest)?;
        if after.starts_with('.') {
            if ellipsis.is_none() && len != 6 {
                return Err((AddrReason::OctetsTooEarly, rest));
            }
            if len > 6 {
                return Err((AddrReason::OctetsTooLate, rest));
            }
            bits = bits << 32 | u128::from(octets(rest)?);
            len += 2;
            rest = "";
            break;
        }
        bits = bits << 16 | u128::from(group);
        len += 1;
        rest = after;
        if rest.is_empty() {
            break;
        }
        rest = match rest.strip_prefix(':') {
            None => return Err((AddrReason::ColonWanted, rest)),
            Some("") => return Err((AddrReason::ColonAtEnd, rest)),
            Some(after) => after,
        };
        if let Some(after) = rest.strip_prefix(':') {
            if ellipsis.is_some() {
                return Err((AddrReason::SecondEllipsis, rest));
            }
            ellipsis = Some(len);
            rest = after;
            if rest.is_empty() {
                break;
            }
        }
    }
    if !rest.is_empty() {
        return Err((AddrReason::TooManyGroups, rest));
    }
    match ellipsis {
        None if len < 8 => Err((AddrReason::TooFewGroups, "")),
        None => Ok(bits),
        Some(_) if len == 8 => Err((AddrReason::EmptyEllipsis, "")),
        Some(before) => {
            let tail = 16 * (len - before);
            let behind = bits & ((1 << tail) - 1);
            let front = (bits >> tail).checked_shl(16 * (8 - before)).unwrap_or(0);
            Ok(front | behind)
        }
    }
}

/// One group and the text behind it.
fn group(text: &str) -> Result<(u16, &str), Failure<'_>> {
    let is_hex = |c: char| c.is_ascii_hexdigit();
    let after = text.trim_start_matches(is_hex);
    match text.len() - after.len() {
        0 => Err((AddrReason::EmptyGroup, text)),
        5.. => Err((AddrReason::GroupTooLong, text)),
        digits => {
            let digits = text.get(..digits).unwrap_or_default();
            Ok((u16::from_str_radix(digits, 16).unwrap_or_default(), after))
        }
    }
}

/// Everything before `start` was ASCII, so it lies between two characters.
fn from(text: &str, start: usize) -> &str {
    text.get(start..).unwrap_or_default()
}
