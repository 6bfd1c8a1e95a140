//! Node names in certificates.

use alloc::borrow::ToOwned;
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use core::error::Error;
use core::fmt;

use ratchet_net::Quoted;

use crate::subject::{CommonName, common_names};

/// The name of a Node object, which a connection is meant for.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct NodeName(String);

impl NodeName {
    /// `None` for the empty name, which no node has.
    pub fn new(name: &str) -> Option<Self> {
        (!name.is_empty()).then(|| Self(name.to_owned()))
    }

    /// The name as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The only common name that its kubelet's certificate may have.
    pub fn common_name(&self) -> String {
        format!("system:node:{}", self.0)
    }

    /// Whether this certificate (DER, the leaf alone) has the node's name as its only common name,
    /// byte for byte.
    ///
    /// Nothing else of the certificate counts: neither organizations nor alternative names can make
    /// up for it.
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

/// A certificate with another name than the expected one, several, or none.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NameFault {
    /// The expected common name.
    pub expected: String,
    /// What the certificate has instead.
    pub presented: Presented,
}

impl NameFault {
    /// The presented name, quoted and escaped, of limited length.
    pub fn presented(&self) -> String {
        self.presented.to_string()
    }
}

/// What a certificate presents instead of the expected name. Every text is quoted, escaped and
/// truncated, because the issuer of the certificate chose it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Presented {
    /// One other common name, which may be empty: in quotes.
    Other(String),
    /// No common name at all.
    Nothing,
    /// Several common names, the right one among them or not: the first of them in quotes, and
    /// their number.
    Several(String, usize),
    /// One common name of an unsupported type, such as BMPString.
    Unread(&'static str),
    /// One common name that is invalid for its type.
    Broken(&'static str),
    /// The certificate cannot be parsed.
    Unreadable,
}

/// The maximum number of characters of a name in messages.
const MAX_CHARS: usize = 256;
/// The maximum number of names in messages.
const MAX_NAMES: usize = 3;

impl Presented {
    fn of(names: Option<&[CommonName]>) -> Self {
        match names {
            None => Self::Unreadable,
            Some([]) => Self::Nothing,
            Some([Ok(name)]) => Self::Other(quote_truncated(name, MAX_CHARS)),
            Some([Err(invalid)]) if invalid.is_supported => Self::Broken(invalid.kind),
            Some([Err(invalid)]) => Self::Unread(invalid.kind),
            Some(several) => Self::Several(format_names(several), several.len()),
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

fn format_names(names: &[CommonName]) -> String {
    let each = |name: &CommonName| match name {
        Ok(name) => quote_truncated(name, MAX_CHARS / MAX_NAMES),
        Err(invalid) => format!("a {}", invalid.kind),
    };
    let mut formatted: Vec<String> = names.iter().take(MAX_NAMES).map(each).collect();
    if names.len() > MAX_NAMES {
        formatted.push("…".to_owned());
    }
    formatted.join(", ")
}

/// The text in quotes, with at most `max` characters between them; an ellipsis marks truncation.
fn quote_truncated(text: &str, max: usize) -> String {
    let complete = Quoted(text).to_string();
    if complete.chars().count() <= max + 2 {
        return complete;
    }
    // Truncated before quoting, by the quoted width of each character, so that no escape is split.
    let mut remaining = max;
    let end = text.char_indices().find_map(|(at, c)| {
        let width = Quoted(c.encode_utf8(&mut [0; 4])).to_string().chars().count() - 2;
        let fits = width < remaining;
        remaining = remaining.saturating_sub(width);
        (!fits).then_some(at)
    });
    let cut = end.and_then(|end| text.get(..end)).unwrap_or_default();
    Quoted(&format!("{cut}…")).to_string()
}

#[cfg(test)]
mod tests;
