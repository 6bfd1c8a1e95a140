//! Errors of the strict parsers, with the messages of Go's `net/netip`.

use core::{error, fmt};

use crate::Quoted;

/// A text that the strict parser refuses as an address.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AddrError<'a> {
    pub(crate) input: &'a str,
    pub(crate) reason: AddrReason,
    /// The rest of the text from the fault on; empty if the position does not matter.
    pub(crate) at: &'a str,
}

/// The faults of addresses.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum AddrReason {
    /// Neither dot nor colon.
    Unrecognized,
    /// A zone with nothing in front of it.
    MissingAddress,
    /// An octet such as `01`.
    LeadingZero,
    /// An octet over 255.
    OctetTooBig,
    /// A dot without a number beside it.
    EmptyOctet,
    /// More than four octets.
    TooManyOctets,
    /// Fewer than four octets.
    TooFewOctets,
    /// Neither digit nor dot among octets.
    UnexpectedInOctets,
    /// `%` at the end.
    EmptyZone,
    /// A group of five digits or more.
    GroupTooLong,
    /// No digit where a group must follow.
    EmptyGroup,
    /// Octets before the end of the address.
    OctetsTooEarly,
    /// Octets behind seven groups or more.
    OctetsTooLate,
    /// Something else than a colon behind a group.
    ColonWanted,
    /// A colon at the end.
    ColonAtEnd,
    /// A second `::`.
    SecondEllipsis,
    /// More than eight groups.
    TooManyGroups,
    /// Fewer than eight groups, and no `::`.
    TooFewGroups,
    /// Eight groups, and `::` between them.
    EmptyEllipsis,
}

impl<'a> AddrError<'a> {
    /// The refused text.
    #[must_use]
    pub const fn input(&self) -> &'a str {
        self.input
    }

    /// Why the text is refused.
    #[must_use]
    pub const fn reason(&self) -> AddrReason {
        self.reason
    }
}

impl AddrReason {
    const fn message(self) -> &'static str {
        match self {
            Self::Unrecognized => "unable to parse IP",
            Self::MissingAddress => "missing IPv6 address",
            Self::LeadingZero => "IPv4 field has octet with leading zero",
            Self::OctetTooBig => "IPv4 field has value >255",
            Self::EmptyOctet => "IPv4 field must have at least one digit",
            Self::TooManyOctets => "IPv4 address too long",
            Self::TooFewOctets => "IPv4 address too short",
            Self::UnexpectedInOctets => "unexpected character",
            Self::EmptyZone => "zone must be a non-empty string",
            Self::GroupTooLong => "each group must have 4 or less digits",
            Self::EmptyGroup => "each colon-separated field must have at least one digit",
            Self::OctetsTooEarly => {
                "embedded IPv4 address must replace the final 2 fields of the address"
            }
            Self::OctetsTooLate => {
                "too many hex fields to fit an embedded IPv4 at the end of the address"
            }
            Self::ColonWanted => "unexpected character, want colon",
            Self::ColonAtEnd => "colon must be followed by more characters",
            Self::SecondEllipsis => "multiple :: in address",
            Self::TooManyGroups => "trailing garbage after address",
            Self::TooFewGroups => "address string too short",
            Self::EmptyEllipsis => "the :: must expand to at least one field of zeros",
        }
    }
}

impl fmt::Display for AddrError<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "ParseAddr({}): {}", Quoted(self.input), self.reason.message())?;
        if self.at.is_empty() { Ok(()) } else { write!(f, " (at {})", Quoted(self.at)) }
    }
}

impl error::Error for AddrError<'_> {}

/// A text that the strict parser refuses as a prefix.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PrefixError<'a> {
    pub(crate) input: &'a str,
    pub(crate) reason: PrefixReason<'a>,
}

/// The faults of prefixes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PrefixReason<'a> {
    /// The text has no slash.
    NoSlash,
    /// The part before the last slash is not an address.
    Addr(AddrError<'a>),
    /// The address has a zone.
    Zone,
    /// The part behind the last slash is not a number, or has leading zeros.
    BadBits(&'a str),
    /// The length is longer than the address.
    OutOfRange,
}

impl<'a> PrefixError<'a> {
    /// The refused text.
    #[must_use]
    pub const fn input(&self) -> &'a str {
        self.input
    }

    /// Why the text is refused.
    #[must_use]
    pub const fn reason(&self) -> PrefixReason<'a> {
        self.reason
    }
}

impl fmt::Display for PrefixError<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "netip.ParsePrefix({}): ", Quoted(self.input))?;
        match self.reason {
            PrefixReason::NoSlash => f.write_str("no '/'"),
            PrefixReason::Addr(error) => error.fmt(f),
            PrefixReason::Zone => f.write_str("IPv6 zones cannot be present in a prefix"),
            PrefixReason::BadBits(bits) => write!(f, "bad bits after slash: {}", Quoted(bits)),
            PrefixReason::OutOfRange => f.write_str("prefix length out of range"),
        }
    }
}

impl error::Error for PrefixError<'_> {}
