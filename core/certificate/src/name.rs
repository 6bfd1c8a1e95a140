//! Whether a certificate bears the name of a node, and no other.

use alloc::borrow::ToOwned;
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use core::error::Error;
use core::fmt;

use ratchet_net::Quoted;

use crate::subject::{CommonName, common_names};

/// The name of a Node object: who a connection is meant for.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct NodeName(String);

impl NodeName {
    /// None for the empty name, which is no node's.
    pub fn new(name: &str) -> Option<Self> {
        (!name.is_empty()).then(|| Self(name.to_owned()))
    }

    /// The name of the object.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The one common name that its kubelet's certificate may have.
    pub fn common_name(&self) -> String {
        format!("system:node:{}", self.0)
    }

    /// Whether this certificate (DER, the leaf alone) bears the node's name as its only common name, byte for byte.
    ///
    /// Nothing else of the certificate is asked: neither organizations nor alternative names can make up for it.
    pub fn is_borne_by(&self, leaf: &[u8]) -> Result<(), NameFault> {
        let expected = self.common_name();
        match common_names(leaf).as_deref() {
            Some([Ok(name)]) if *name == expected && !name.contains('\0') => Ok(()),
            names => Err(NameFault { presented: Presented::of(names), expected }),
        }
    }
}

impl fmt::Display for NodeName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// A certificate that bears another name than the expected one, several, or none.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NameFault {
    /// The one common name that would have done.
    pub expected: String,
    /// What the certificate has instead.
    pub presented: Presented,
}

impl NameFault {
    /// What was presented, in quotes and escaped, never longer than a line of a log may be.
    pub fn presented(&self) -> String {
        self.presented.to_string()
    }
}

/// What a certificate presents in place of the expected name. Every text is quoted, escaped and cut, because whoever
/// made the certificate chose it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Presented {
    /// One other common name, which may be empty: in quotes.
    Other(String),
    /// No common name at all.
    Nothing,
    /// Several common names, the right one among them or not: the first of them in quotes, and how many there are.
    Several(String, usize),
    /// One common name of a type that is not read, as a BMPString.
    Unread(&'static str),
    /// One common name that does not hold what its type allows.
    Broken(&'static str),
    /// The certificate cannot be read.
    Unreadable,
}

/// How many characters of a name are shown.
const SHOWN: usize = 256;
/// How many of several names are shown.
const SHOWN_NAMES: usize = 3;

impl Presented {
    fn of(names: Option<&[CommonName]>) -> Self {
        match names {
            None => Self::Unreadable,
            Some([]) => Self::Nothing,
            Some([Ok(name)]) => Self::Other(quoted(name, SHOWN)),
            Some([Err(odd)]) if odd.known => Self::Broken(odd.kind),
            Some([Err(odd)]) => Self::Unread(odd.kind),
            Some(several) => Self::Several(listed(several), several.len()),
        }
    }
}

impl fmt::Display for Presented {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Other(name) => f.write_str(name),
            Self::Nothing => f.write_str("no common name"),
            Self::Several(names, count) => write!(f, "{count} common names ({names})"),
            Self::Unread(kind) => write!(f, "a common name that is a {kind}"),
            Self::Broken(kind) => write!(f, "a common name that is no valid {kind}"),
            Self::Unreadable => f.write_str("an unreadable certificate"),
        }
    }
}

impl fmt::Display for NameFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("x509: kubelet serving certificate ")?;
        let expected = Quoted(&self.expected);
        match &self.presented {
            Presented::Other(name) => {
                write!(f, "common name {name} does not match expected {expected}")
            }
            Presented::Nothing => write!(f, "has no common name, expected {expected}"),
            Presented::Several(names, count) => {
                write!(f, "has {count} common names ({names}), expected only {expected}")
            }
            Presented::Unread(kind) => {
                write!(f, "has a common name that is a {kind}, expected {expected}")
            }
            Presented::Broken(kind) => {
                write!(f, "has a common name that is no valid {kind}, expected {expected}")
            }
            Presented::Unreadable => write!(f, "cannot be read, expected {expected}"),
        }
    }
}

impl Error for NameFault {}

fn listed(names: &[CommonName]) -> String {
    let each = |name: &CommonName| match name {
        Ok(name) => quoted(name, SHOWN / SHOWN_NAMES),
        Err(odd) => format!("a {}", odd.kind),
    };
    let mut shown: Vec<String> = names.iter().take(SHOWN_NAMES).map(each).collect();
    if names.len() > SHOWN_NAMES {
        shown.push("…".to_owned());
    }
    shown.join(", ")
}

/// The text in quotes, in at most so many characters between them; what is cut is told by an ellipsis.
fn quoted(text: &str, most: usize) -> String {
    let whole = Quoted(text).to_string();
    if whole.chars().count() <= most + 2 {
        return whole;
    }
    // Cut before quoting, by what quoting makes of each character, so that no escape is cut in two.
    let mut room = most;
    let end = text.char_indices().find_map(|(at, c)| {
        let width = Quoted(c.encode_utf8(&mut [0; 4])).to_string().chars().count() - 2;
        let fits = width < room;
        room = room.saturating_sub(width);
        (!fits).then_some(at)
    });
    let cut = end.and_then(|end| text.get(..end)).unwrap_or_default();
    Quoted(&format!("{cut}…")).to_string()
}

#[cfg(test)]
mod tests;
