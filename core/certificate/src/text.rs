//! Names of certificates as text, whatever their encoding.

use alloc::borrow::ToOwned;
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use x509_parser::oid_registry::Oid;
use x509_parser::x509::{AttributeTypeAndValue, X509Name};

/// The attributes with short names.
const SHORT: &[(&str, &str)] = &[
    ("2.5.4.3", "CN"),
    ("2.5.4.5", "SERIALNUMBER"),
    ("2.5.4.6", "C"),
    ("2.5.4.7", "L"),
    ("2.5.4.8", "ST"),
    ("2.5.4.9", "STREET"),
    ("2.5.4.10", "O"),
    ("2.5.4.11", "OU"),
    ("0.9.2342.19200300.100.1.1", "UID"),
    ("0.9.2342.19200300.100.1.25", "DC"),
];

/// The universal tag of BMPString: two bytes per character.
const BMP: u32 = 30;

/// The texts of attributes, in order.
pub(crate) fn values<'a, 'b: 'a>(
    attributes: impl Iterator<Item = &'a AttributeTypeAndValue<'b>>,
) -> Vec<String> {
    attributes.map(value).collect()
}

/// The value of an attribute; invalid bytes become replacement characters.
fn value(attribute: &AttributeTypeAndValue<'_>) -> String {
    let bytes = attribute.as_slice();
    if attribute.attr_value().tag().0 == BMP {
        let units: Vec<u16> = bytes
            .chunks(2)
            .map(|pair| pair.iter().fold(0, |unit, &byte| unit << 8 | u16::from(byte)))
            .collect();
        return String::from_utf16_lossy(&units);
    }
    String::from_utf8_lossy(bytes).into_owned()
}

/// `O=system:nodes,CN=system:node:a`: parts in the order of the certificate, those of one set
/// joined by `+`.
pub(crate) fn distinguished(name: &X509Name<'_>) -> String {
    let part = |attribute: &AttributeTypeAndValue<'_>| {
        format!("{}={}", short(attribute.attr_type()), escape(&value(attribute)))
    };
    let sets = name.iter().map(|set| set.iter().map(part).collect::<Vec<_>>().join("+"));
    sets.collect::<Vec<_>>().join(",")
}

fn short(id: &Oid<'_>) -> String {
    let id = id.to_id_string();
    SHORT.iter().find(|row| row.0 == id).map_or(id, |row| row.1.to_owned())
}

/// A value with its special characters escaped.
fn escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for letter in text.chars() {
        if matches!(letter, ',' | '+' | '=' | '"' | '\\' | '<' | '>' | ';') {
            out.push('\\');
        }
        out.push(letter);
    }
    out
}

/// For example `0A:FF`.
pub(crate) fn hexadecimal(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02X}")).collect::<Vec<_>>().join(":")
}

/// A message of another library, on one line.
pub(crate) fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}
