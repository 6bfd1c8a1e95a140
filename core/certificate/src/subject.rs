//! Common names of a certificate's subject, parsed strictly: anything but plain DER is refused.

use alloc::string::String;
use alloc::vec::Vec;

use x509_parser::prelude::{FromDer, X509Certificate};

use crate::der::{OBJECT_IDENTIFIER, SEQUENCE, SET, next, next_of, only};

/// All common names of the subject, in order, also several in one set; `None` if the certificate is
/// invalid.
pub(crate) fn common_names(certificate: &[u8]) -> Option<Vec<CommonName>> {
    let (rest, parsed) = X509Certificate::from_der(certificate).ok()?;
    if !rest.is_empty() {
        return None;
    }
    // The library accepts trailing bytes after a value; a name that is compared byte for byte must
    // not have them.
    names_of(parsed.subject().as_raw())
}

/// One common name: its text, or why it has none.
pub(crate) type CommonName = Result<String, InvalidString>;

/// A value that is not a supported string.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct InvalidString {
    /// The claimed type.
    pub(crate) kind: &'static str,
    /// Whether that type is supported.
    pub(crate) is_supported: bool,
}

/// 2.5.4.3
const COMMON_NAME: &[u8] = &[0x55, 0x04, 0x03];

fn names_of(subject: &[u8]) -> Option<Vec<CommonName>> {
    let mut names = Vec::new();
    let mut sets = only(subject, SEQUENCE)?;
    while !sets.is_empty() {
        let mut attributes = next_of(&mut sets, SET)?;
        while !attributes.is_empty() {
            let mut attribute = next_of(&mut attributes, SEQUENCE)?;
            let kind = next_of(&mut attribute, OBJECT_IDENTIFIER)?;
            let (tag, value) = next(&mut attribute)?;
            if !attribute.is_empty() {
                return None;
            }
            if kind == COMMON_NAME {
                names.push(text(tag, value));
            }
        }
    }
    Some(names)
}

/// A string type: its tag, its name, and its validation if it is supported.
struct StringType {
    tag: u8,
    name: &'static str,
    is_valid: Option<fn(&[u8]) -> bool>,
}

static STRING_TYPES: [StringType; 8] = [
    StringType {
        tag: 0x0c,
        name: "UTF8String",
        is_valid: Some(|value| str::from_utf8(value).is_ok()),
    },
    StringType {
        tag: 0x13,
        name: "PrintableString",
        is_valid: Some(|value| value.iter().all(is_printable)),
    },
    StringType { tag: 0x16, name: "IA5String", is_valid: Some(<[u8]>::is_ascii) },
    StringType { tag: 0x12, name: "NumericString", is_valid: None },
    StringType { tag: 0x14, name: "TeletexString", is_valid: None },
    StringType { tag: 0x1a, name: "VisibleString", is_valid: None },
    StringType { tag: 0x1c, name: "UniversalString", is_valid: None },
    StringType { tag: 0x1e, name: "BMPString", is_valid: None },
];

/// The text of a value, if it is of a supported type.
pub(crate) fn text(tag: u8, value: &[u8]) -> CommonName {
    let row = STRING_TYPES.iter().find(|row| row.tag == tag);
    let Some(StringType { name: kind, is_valid, .. }) = row else {
        return Err(InvalidString { kind: "value of no string type", is_supported: false });
    };
    let invalid = InvalidString { kind, is_supported: is_valid.is_some() };
    if !is_valid.is_some_and(|is_valid| is_valid(value)) {
        return Err(invalid);
    }
    str::from_utf8(value).map(String::from).map_err(|_| invalid)
}

/// X.680 §41.4
fn is_printable(byte: &u8) -> bool {
    byte.is_ascii_alphanumeric() || b" '()+,-./:=?".contains(byte)
}
