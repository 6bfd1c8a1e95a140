//! `Reason`: why a value is not rewritten, in words that say what to do.

use alloc::string::String;
use core::fmt;

/// Why a value stays as it is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Reason {
    /// Leading zeros that programs read differently.
    LeadingZeros {
        /// The decimal reading, that of Kubernetes; none if it is no address by it.
        decimal: Option<String>,
        /// The octal reading.
        octal: String,
    },
    /// Numbers are to be read as octal, and this one cannot be.
    NotOctal,
    /// Bits beyond the prefix length.
    HostBits {
        /// The network.
        network: String,
        /// The one address.
        host: String,
    },
    /// No reading gives a value of the class that the field wants.
    Unreadable {
        /// That class.
        wanted: &'static str,
    },
    /// The value is written over several lines.
    SeveralLines,
    /// The value has an anchor, and is used where it is no address, too.
    Shared {
        /// The other place.
        field: String,
    },
    /// The list, in which every address stands once, has the canonical form already.
    Duplicate {
        /// The canonical form.
        canonical: String,
    },
    /// The proof failed: old and new text do not denote the same.
    NotEqual,
    /// The proof failed: the document would differ in more than this value.
    OtherChanges,
}

impl Reason {
    /// A permanent name, for programs.
    pub fn as_str(&self) -> &'static str {
        match self {
            Self::LeadingZeros { .. } => "leading-zeros",
            Self::NotOctal => "not-octal",
            Self::HostBits { .. } => "host-bits",
            Self::Unreadable { .. } => "unreadable",
            Self::SeveralLines => "several-lines",
            Self::Shared { .. } => "shared-anchor",
            Self::Duplicate { .. } => "duplicate",
            Self::NotEqual => "not-equal",
            Self::OtherChanges => "other-changes",
        }
    }

    /// The flag that decides, if one does.
    pub fn flag(&self) -> Option<&'static str> {
        match self {
            Self::LeadingZeros { decimal: Some(_), .. } => Some("--read-as decimal|octal"),
            Self::LeadingZeros { decimal: None, .. } => Some("--read-as octal"),
            Self::HostBits { .. } => Some("--host-bits network|host"),
            _ => None,
        }
    }
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::LeadingZeros { decimal: Some(decimal), octal } => write!(
                f,
                "leading zeros: {decimal} to Go, {octal} to programs that read octal numbers; \
                 find out which is meant, and choose with --read-as decimal|octal"
            ),
            Self::LeadingZeros { decimal: None, octal } => write!(
                f,
                "no address to Kubernetes, {octal} to programs that read octal numbers; \
                 if that is meant, choose it with --read-as octal"
            ),
            Self::NotOctal => f.write_str(
                "leading zeros, but no octal number: it cannot be read as --read-as octal says; \
                 write the address that is meant",
            ),
            Self::HostBits { network, host } => write!(
                f,
                "bits beyond the prefix length: the network {network} or the one address {host}; \
                 choose with --host-bits network|host"
            ),
            Self::Unreadable { wanted } => write!(f, "not {wanted}; write the one that is meant"),
            Self::SeveralLines => {
                f.write_str("written over several lines; write the value on one line")
            }
            Self::Shared { field } => write!(
                f,
                "its anchor also gives {field} its value, which is no address field; \
                 write the value without the anchor in one of the two places"
            ),
            Self::Duplicate { canonical } => {
                write!(f, "the list has {canonical} already; remove one of the two entries")
            }
            Self::NotEqual => f.write_str(
                "the canonical form does not denote the same address; write the one that is meant",
            ),
            Self::OtherChanges => {
                f.write_str("the document would change in more than this value; edit it by hand")
            }
        }
    }
}
