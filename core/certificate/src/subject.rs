//! The common names of a certificate's subject, read strictly: what is not plain DER is not read at all.

use alloc::string::String;
use alloc::vec::Vec;

use x509_parser::prelude::{FromDer, X509Certificate};

use crate::der::{OBJECT_IDENTIFIER, SEQUENCE, SET, next, next_of, only};

/// Every common name of the subject, in order, also several in one set; None if the certificate cannot be read whole.
pub(crate) fn common_names(certificate: &[u8]) -> Option<Vec<CommonName>> {
    let (rest, read) = X509Certificate::from_der(certificate).ok()?;
    if !rest.is_empty() {
        return None;
    }
    // The library forgives bytes behind a value; a name that is compared byte for byte must not.
    names_of(read.subject().as_raw())
}

/// One common name: its text, or why it has none.
pub(crate) type CommonName = Result<String, Odd>;

/// A value that is no text that we read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Odd {
    /// What type it claims to be.
    pub(crate) kind: &'static str,
    /// Whether that type is one that we read.
    pub(crate) known: bool,
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

/// A type of string: its tag, its name, and what it may hold if we read it.
struct StringType {
    tag: u8,
    name: &'static str,
    holds: Option<fn(&[u8]) -> bool>,
}

static STRING_TYPES: [StringType; 8] = [
    StringType {
        tag: 0x0c,
        name: "UTF8String",
        holds: Some(|value| str::from_utf8(value).is_ok()),
    },
    StringType {
        tag: 0x13,
        name: "PrintableString",
        holds: Some(|value| value.iter().all(is_printable)),
    },
    StringType { tag: 0x16, name: "IA5String", holds: Some(<[u8]>::is_ascii) },
    StringType { tag: 0x12, name: "NumericString", holds: None },
    StringType { tag: 0x14, name: "TeletexString", holds: None },
    StringType { tag: 0x1a, name: "VisibleString", holds: None },
    StringType { tag: 0x1c, name: "UniversalString", holds: None },
    StringType { tag: 0x1e, name: "BMPString", holds: None },
];

/// The text of a value, if it is of a type that has one reading.
pub(crate) fn text(tag: u8, value: &[u8]) -> CommonName {
    let row = STRING_TYPES.iter().find(|row| row.tag == tag);
    let Some(StringType { name: kind, holds, .. }) = row else {
        return Err(Odd { kind: "value of no string type", known: false });
    };
    let odd = Odd { kind, known: holds.is_some() };
    if !holds.is_some_and(|holds| holds(value)) {
        return Err(odd);
    }
    str::from_utf8(value).map(String::from).map_err(|_| odd)
}

/// X.680 §41.4
fn is_printable(byte: &u8) -> bool {
    byte.is_ascii_alphanumeric() || b" '()+,-./:=?".contains(byte)
}
