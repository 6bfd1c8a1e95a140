//! Percent-encoding in URLs, as in Go's net/url.

use alloc::string::String;
use alloc::vec::Vec;
use core::fmt::Write;

/// A part of a URL, each with its own rules.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Part {
    Path,
    Host,
    Zone,
    User,
    Query,
    Fragment,
}

impl Part {
    /// The bytes that need no escape besides letters, digits and `-._~`.
    const fn plain(self) -> &'static [u8] {
        match self {
            Self::Path => b"$&+,/:;=@",
            Self::Host | Self::Zone => b"!\"$&'()*+,:;<=>[]",
            Self::User => b"$&+,;=",
            Self::Query => b"",
            Self::Fragment => b"!$&()*+,/:;=?@",
        }
    }

    pub(super) fn is_plain(self, byte: u8) -> bool {
        byte.is_ascii_alphanumeric() || b"-._~".contains(&byte) || self.plain().contains(&byte)
    }
}

fn hex(byte: Option<&u8>) -> Option<u8> {
    char::from(*byte?).to_digit(16).and_then(|digit| u8::try_from(digit).ok())
}

/// Decodes escapes; the error is Go's.
pub(super) fn unescape(text: &str, part: Part) -> Result<Vec<u8>, String> {
    let mut out = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let Some((&byte, after)) = rest.split_first() {
        if byte == b'%' {
            let escape = rest.get(..3).unwrap_or(rest);
            let (Some(high), Some(low)) = (hex(after.first()), hex(after.get(1))) else {
                return Err(bad_escape(escape));
            };
            let value = high << 4 | low;
            if !may_be_escaped(value, escape, part) {
                return Err(bad_escape(escape));
            }
            out.push(value);
            rest = after.get(2..).unwrap_or_default();
            continue;
        }
        if matches!(part, Part::Host | Part::Zone) && byte.is_ascii() && !part.is_plain(byte) {
            return Err(alloc::format!("invalid character {} in host name", quoted(&[byte])));
        }
        out.push(if byte == b'+' && part == Part::Query { b' ' } else { byte });
        rest = after;
    }
    Ok(out)
}

/// In hosts only non-ASCII bytes may be escaped, in zones only bytes that need it.
fn may_be_escaped(value: u8, escape: &[u8], part: Part) -> bool {
    match part {
        Part::Host => !value.is_ascii() || escape == b"%25",
        Part::Zone => escape == b"%25" || value == b' ' || Part::Host.is_plain(value),
        _ => true,
    }
}

fn bad_escape(escape: &[u8]) -> String {
    alloc::format!("invalid URL escape {}", quoted(escape))
}

/// Bytes in quotes as Go formats them, also where they are not UTF-8.
fn quoted(bytes: &[u8]) -> String {
    let mut out = String::from("\"");
    for chunk in bytes.utf8_chunks() {
        let text = alloc::format!("{}", ratchet_net::Quoted(chunk.valid()));
        out.push_str(text.trim_start_matches('"').strip_suffix('"').unwrap_or_default());
        for byte in chunk.invalid() {
            let _ = write!(out, "\\x{byte:02x}");
        }
    }
    out.push('"');
    out
}

/// Encodes bytes with escapes where they are needed.
pub(super) fn escape(bytes: &[u8], part: Part) -> String {
    let mut out = String::with_capacity(bytes.len());
    for &byte in bytes {
        if part.is_plain(byte) {
            out.push(char::from(byte));
        } else {
            let _ = write!(out, "%{byte:02X}");
        }
    }
    out
}

/// Whether an escaped text is valid as it is.
pub(super) fn is_well_escaped(text: &str, part: Part) -> bool {
    text.bytes().all(|byte| b"!$&'()*+,;=:@[]%".contains(&byte) || part.is_plain(byte))
}
