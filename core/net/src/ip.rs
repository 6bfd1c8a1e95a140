//! A text that claims to be an IP address.

use core::{
    error, fmt,
    net::{IpAddr, Ipv4Addr, Ipv6Addr},
    str::FromStr,
};

use crate::faults::{Faults, Unasked};
use crate::{AddrReason, Canonical, Family, colons, dotted};

/// The reading of a text that claims to be an IP address.
///
/// One pass over the text computes everything that can be asked here.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct IpText {
    addr: IpAddr,
    colons: bool,
    excess: bool,
    canonical: bool,
    canonical_unfolded: bool,
}

/// The text is not an IP address, not even sloppily.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NotAnIp;

/// Why a text that can be read sloppily should not be.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum IpFault {
    /// Zeros that some readers take for octal, or that a strict reader refuses.
    LeadingZeros,
    /// An IPv4 address in IPv6 clothes.
    Mapped,
}

impl IpText {
    /// Reads the text sloppily: leading zeros are ignored, zones and brackets are refused.
    ///
    /// # Errors
    ///
    /// [`NotAnIp`] if it cannot be read.
    #[inline]
    pub fn read(text: &str) -> Result<Self, NotAnIp> {
        Self::read_noting(text.as_bytes(), &mut Unasked).ok_or(NotAnIp)
    }

    /// The one reader of addresses: what it returns is the sloppy reading, and what it notes is why a strict one
    /// refuses the text. The first dot or colon decides how the rest is read.
    #[inline]
    pub(crate) fn read_noting<'a>(text: &'a [u8], faults: &mut impl Faults<'a>) -> Option<Self> {
        match text.iter().find(|byte| matches!(byte, b'.' | b':')) {
            Some(b'.') => dotted::read(text, faults).map(Self::from_dotted),
            Some(_) => colons::read(text, faults).map(Self::from_colons),
            None => faults.refuse(AddrReason::Unrecognized),
        }
    }

    #[inline]
    fn from_dotted(read: dotted::Dotted) -> Self {
        // Four octets have one spelling without padding, so strict means canonical.
        Self {
            addr: IpAddr::V4(Ipv4Addr::from_bits(read.bits)),
            colons: false,
            excess: read.padded,
            canonical: !read.padded,
            canonical_unfolded: !read.padded,
        }
    }

    #[inline]
    fn from_colons(read: colons::Colons) -> Self {
        let mapped = read.bits >> 32 == 0xffff;
        Self {
            addr: if mapped {
                #[allow(clippy::cast_possible_truncation, reason = "the low 32 bits are meant")]
                IpAddr::V4(Ipv4Addr::from_bits(read.bits as u32))
            } else {
                IpAddr::V6(Ipv6Addr::from_bits(read.bits))
            },
            colons: true,
            excess: read.excess,
            canonical: read.tidy && !read.tail && !mapped,
            // Mapped addresses are the only ones that are written with octets at the end.
            canonical_unfolded: read.tidy && read.tail == mapped,
        }
    }

    /// The address; a mapped one as the IPv4 address that it stands for.
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

    /// Written with colons; so is a mapped address.
    #[must_use]
    pub const fn written_as_v6(&self) -> bool {
        self.colons
    }

    /// An IPv4 address in IPv6 clothes, however spelled.
    #[must_use]
    pub const fn is_mapped(&self) -> bool {
        self.colons && self.addr.is_ipv4()
    }

    /// A strict reader refuses the text because of zeros.
    #[must_use]
    pub const fn has_leading_zeros(&self) -> bool {
        self.excess
    }

    /// What is wrong with the text, the gravest reason only. A canonical text has no fault, but
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

    /// The text is the one that [`Self::canonical`] would write.
    #[must_use]
    pub const fn is_canonical(&self) -> bool {
        self.canonical
    }

    /// The text is the one that a strict reading of it would write, where a mapped address
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
        Self::read(text)
    }
}

impl fmt::Display for NotAnIp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("not an IP address")
    }
}

impl error::Error for NotAnIp {}
