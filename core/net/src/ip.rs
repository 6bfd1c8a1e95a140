//! Sloppy IP address parsing, with the reasons why a strict parser refuses the text.

use core::{
    error, fmt,
    net::{IpAddr, Ipv4Addr, Ipv6Addr},
    str::FromStr,
};

use crate::faults::{Faults, IgnoreFaults};
use crate::{AddrReason, Canonical, Family, colons, dotted};

/// A parsed IP address text.
///
/// One pass over the text computes everything that the methods return.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct IpText {
    addr: IpAddr,
    colons: bool,
    excess: bool,
    canonical: bool,
    canonical_unfolded: bool,
}

/// The text is not an IP address, not even to the sloppy parser.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NotAnIp;

/// Why a text that the sloppy parser accepts should not be used.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum IpFault {
    /// Zeros that some parsers take for octal, or that a strict parser refuses.
    LeadingZeros,
    /// An IPv4-mapped IPv6 address.
    Mapped,
}

impl IpText {
    /// Parses the text sloppily: leading zeros are ignored, zones and brackets are refused.
    ///
    /// # Errors
    ///
    /// [`NotAnIp`] if it cannot be parsed.
    #[inline]
    pub fn parse(text: &str) -> Result<Self, NotAnIp> {
        Self::parse_reporting(text.as_bytes(), &mut IgnoreFaults).ok_or(NotAnIp)
    }

    /// The one parser of addresses: it returns the sloppy result, and reports to `faults` why a strict parser refuses
    /// the text. The first dot or colon decides the format.
    #[inline]
    pub(crate) fn parse_reporting<'a>(
        text: &'a [u8],
        faults: &mut impl Faults<'a>,
    ) -> Option<Self> {
        match text.iter().find(|byte| matches!(byte, b'.' | b':')) {
            Some(b'.') => dotted::parse(text, faults).map(Self::from_dotted),
            Some(_) => colons::parse(text, faults).map(Self::from_colons),
            None => faults.refuse(AddrReason::Unrecognized),
        }
    }

    #[inline]
    fn from_dotted(parsed: dotted::Dotted) -> Self {
        // Four octets have one spelling without padding, so strict means canonical.
        Self {
            addr: IpAddr::V4(Ipv4Addr::from_bits(parsed.bits)),
            colons: false,
            excess: parsed.padded,
            canonical: !parsed.padded,
            canonical_unfolded: !parsed.padded,
        }
    }

    #[inline]
    fn from_colons(parsed: colons::Colons) -> Self {
        let mapped = parsed.bits >> 32 == 0xffff;
        Self {
            addr: if mapped {
                #[allow(clippy::cast_possible_truncation, reason = "the low 32 bits are meant")]
                IpAddr::V4(Ipv4Addr::from_bits(parsed.bits as u32))
            } else {
                IpAddr::V6(Ipv6Addr::from_bits(parsed.bits))
            },
            colons: true,
            excess: parsed.excess,
            canonical: parsed.tidy && !parsed.tail && !mapped,
            // Mapped addresses are the only ones that are written with octets at the end.
            canonical_unfolded: parsed.tidy && parsed.tail == mapped,
        }
    }

    /// The address; a mapped one as its IPv4 address.
    #[must_use]
    pub const fn addr(&self) -> IpAddr {
        self.addr
    }

    /// The address as written: a mapped one stays IPv6.
    #[must_use]
    pub const fn unfolded(&self) -> IpAddr {
        match self.addr {
            IpAddr::V4(v4) if self.colons => IpAddr::V6(v4.to_ipv6_mapped()),
            addr => addr,
        }
    }

    /// The family; a mapped address counts as IPv4.
    #[must_use]
    pub const fn family(&self) -> Family {
        Family::of(self.addr)
    }

    /// Whether it was written with colons, as a mapped address is.
    #[must_use]
    pub const fn written_as_v6(&self) -> bool {
        self.colons
    }

    /// Whether it is an IPv4-mapped IPv6 address, however spelled.
    #[must_use]
    pub const fn is_mapped(&self) -> bool {
        self.colons && self.addr.is_ipv4()
    }

    /// Whether a strict parser refuses the text because of zeros.
    #[must_use]
    pub const fn has_leading_zeros(&self) -> bool {
        self.excess
    }

    /// The gravest fault of the text. A canonical text has no fault, but
    /// an IPv6 text without fault need not be canonical.
    #[must_use]
    pub const fn fault(&self) -> Option<IpFault> {
        if self.excess {
            Some(IpFault::LeadingZeros)
        } else if self.is_mapped() {
            Some(IpFault::Mapped)
        } else {
            None
        }
    }

    /// Whether the text is the one that [`Self::canonical`] would write.
    #[must_use]
    pub const fn is_canonical(&self) -> bool {
        self.canonical
    }

    /// Whether the text is the one that a strict parse of it would write, where a mapped address
    /// stays one (`::ffff:1.2.3.4`).
    #[must_use]
    pub const fn is_canonical_unfolded(&self) -> bool {
        self.canonical_unfolded
    }

    /// The canonical text of [`Self::addr`].
    #[must_use]
    pub const fn canonical(&self) -> Canonical {
        Canonical::of(self.addr)
    }
}

impl FromStr for IpText {
    type Err = NotAnIp;

    fn from_str(text: &str) -> Result<Self, NotAnIp> {
        Self::parse(text)
    }
}

impl fmt::Display for NotAnIp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("not an IP address")
    }
}

impl error::Error for NotAnIp {}
