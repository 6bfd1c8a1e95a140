//! Sloppy CIDR parsing, with the reasons why a strict parser refuses the text.

use core::{error, fmt, net::IpAddr, str::FromStr};

use crate::{AddrWithLength, Family, IpText, mask};

/// A parsed CIDR text: a network, or an interface address.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CidrText {
    ip: IpText,
    len: u8,
    len_padded: bool,
}

/// The text is not CIDR, not even to the sloppy parser.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NotACidr;

/// Why a text that the sloppy parser accepts should not be used for a network.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum CidrFault {
    /// Zeros, in the address or in the length, that a strict parser refuses.
    LeadingZeros,
    /// An IPv4-mapped IPv6 address.
    Mapped,
    /// The address has bits beyond the prefix, so that it is unclear whether the network or the address is meant.
    HostBits,
}

/// The prefix length of the IPv4-mapped network `::ffff:0:0/96`.
const MAPPED_PREFIX: u8 = 96;

impl CidrText {
    /// Parses the text sloppily: leading zeros are ignored, in the length as well.
    ///
    /// # Errors
    ///
    /// [`NotACidr`] if it cannot be parsed.
    pub fn parse(text: &str) -> Result<Self, NotACidr> {
        let (addr, len) = text.split_once('/').ok_or(NotACidr)?;
        let ip = IpText::parse(addr).map_err(|_| NotACidr)?;
        let (len, len_padded) = parse_length(len).ok_or(NotACidr)?;
        let fits = |len: &u8| *len <= width_of(&ip);
        let len = u8::try_from(len).ok().filter(fits).ok_or(NotACidr)?;
        Ok(Self { ip, len, len_padded })
    }

    /// The address before the slash.
    #[must_use]
    pub const fn ip(&self) -> &IpText {
        &self.ip
    }

    /// The address as written, with its host bits; a mapped one as IPv4.
    #[must_use]
    pub const fn addr(&self) -> IpAddr {
        self.ip.addr()
    }

    /// The bits of the written form: 32 or 128, the latter also for a mapped address.
    #[must_use]
    pub const fn width(&self) -> u8 {
        width_of(&self.ip)
    }

    /// The prefix length as written.
    #[must_use]
    pub const fn prefix_len(&self) -> u8 {
        self.len
    }

    /// The address without its host bits; as IPv4 if it is still a mapped one.
    #[must_use]
    pub fn network_addr(&self) -> IpAddr {
        mask::network(self.ip.unfolded(), self.len).to_canonical()
    }

    /// The gravest fault of the text as a network. A canonical network
    /// has no fault, but an IPv6 network without fault need not be canonical.
    #[must_use]
    pub fn fault(&self) -> Option<CidrFault> {
        if self.has_leading_zeros() {
            Some(CidrFault::LeadingZeros)
        } else if self.ip.is_mapped() {
            Some(CidrFault::Mapped)
        } else if self.is_ambiguous() {
            Some(CidrFault::HostBits)
        } else {
            None
        }
    }

    /// Whether a strict parser refuses the text because of zeros.
    #[must_use]
    pub const fn has_leading_zeros(&self) -> bool {
        self.len_padded || self.ip.has_leading_zeros()
    }

    /// Whether the address has host bits, whatever other faults there are.
    #[must_use]
    pub fn is_ambiguous(&self) -> bool {
        self.addr() != self.network_addr()
    }

    /// Whether a strict parser refuses the text, or it has a mapped address.
    #[must_use]
    pub const fn is_nonstandard(&self) -> bool {
        self.has_leading_zeros() || self.ip.is_mapped()
    }

    /// Whether the text is the one that [`Self::network`] would write.
    #[must_use]
    pub fn is_canonical_network(&self) -> bool {
        self.is_canonical_interface() && !self.is_ambiguous()
    }

    /// Whether the text is the one that [`Self::prefix`] would write.
    #[must_use]
    pub const fn is_canonical_prefix(&self) -> bool {
        !self.len_padded && self.ip.is_canonical_unfolded()
    }

    /// Whether the text is the one that [`Self::interface`] would write.
    #[must_use]
    pub const fn is_canonical_interface(&self) -> bool {
        !self.len_padded && self.ip.is_canonical()
    }

    /// The family of the network. A short prefix masks the mapping off: `::ffff:1.2.3.4/64`
    /// is IPv6.
    #[must_use]
    pub fn family(&self) -> Family {
        Family::of(self.network_addr())
    }

    /// The family of the address with its host bits.
    #[must_use]
    pub const fn address_family(&self) -> Family {
        self.ip.family()
    }

    /// The network. A mapped one is written as its IPv4 network.
    #[must_use]
    pub fn network(&self) -> AddrWithLength {
        AddrWithLength::new(self.network_addr(), self.network_len().into())
    }

    /// The text of a strict parse: host bits kept, a mapped address kept.
    #[must_use]
    pub const fn prefix(&self) -> AddrWithLength {
        AddrWithLength::new(self.ip.unfolded(), self.len as i16)
    }

    /// The network of this one address. The width is the written one, so a mapped address gives
    /// the odd `1.2.3.4/128`.
    #[must_use]
    pub const fn single(&self) -> AddrWithLength {
        AddrWithLength::new(self.addr(), self.width() as i16)
    }

    /// The text as the address of an interface in a network.
    ///
    /// A length over 32 behind an IPv4 address was meant for its mapped form. The 96 bits are
    /// subtracted even if there are fewer, which gives the odd `1.2.3.4/-32`.
    #[must_use]
    pub const fn interface(&self) -> AddrWithLength {
        let v4 = matches!(self.ip.family(), Family::V4);
        let len = self.len as i16;
        let len = if v4 && self.len > 32 { len - MAPPED_PREFIX as i16 } else { len };
        AddrWithLength::new(self.addr(), len)
    }

    /// Whether the address is in this network. A mapped address is IPv4, and so is a mapped network.
    #[must_use]
    pub fn contains(&self, addr: IpAddr) -> bool {
        let network = self.network_addr();
        let addr = addr.to_canonical();
        Family::of(network) == Family::of(addr)
            && mask::network(addr, self.network_len()) == network
    }

    /// Whether the first address of the other network is in this one. Lengths are not compared, so
    /// this alone does not make the other network a part of this one.
    #[must_use]
    pub fn contains_network(&self, other: &Self) -> bool {
        self.contains(other.network_addr())
    }

    /// The prefix length that goes with [`Self::network_addr`].
    fn network_len(&self) -> u8 {
        match self.network_addr() {
            // Still mapped, so all 96 leading bits are inside the prefix.
            IpAddr::V4(_) if self.ip.written_as_v6() => self.len.saturating_sub(MAPPED_PREFIX),
            _ => self.len,
        }
    }
}

/// The width of the written form, which limits the prefix length: a mapped address has 128 bits.
const fn width_of(ip: &IpText) -> u8 {
    if ip.written_as_v6() { Family::V6.width() } else { Family::V4.width() }
}

/// The number behind a slash, and whether it was padded with zeros, which a strict parser refuses. None if it does
/// not fit an `i64`.
pub(crate) fn parse_length(text: &str) -> Option<(i64, bool)> {
    let mut length = 0_i64;
    for byte in text.bytes() {
        let digit = byte.wrapping_sub(b'0');
        if digit > 9 {
            return None;
        }
        length = length.checked_mul(10)?.checked_add(digit.into())?;
    }
    let padded = text.len() > 1 && text.starts_with('0');
    (!text.is_empty()).then_some((length, padded))
}

impl FromStr for CidrText {
    type Err = NotACidr;

    fn from_str(text: &str) -> Result<Self, NotACidr> {
        Self::parse(text)
    }
}

impl fmt::Display for NotACidr {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("not an address with a prefix length")
    }
}

impl error::Error for NotACidr {}
