//! Encoding of trees as JSON, byte for byte as Go's encoder: compact, with `<`, `>` and `&` escaped.

use crate::{Entry, Node, Value};
use alloc::string::String;
use core::fmt::{self, Write};

impl Node<'_> {
    /// Appends this tree to `out` as compact JSON.
    pub fn write_json(&self, out: &mut String) {
        write_value(out, &self.value);
    }

    /// Encodes this tree as compact JSON.
    pub fn to_json(&self) -> String {
        let mut out = String::new();
        self.write_json(&mut out);
        out
    }
}

impl fmt::Display for Node<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.to_json())
    }
}

/// Appends a value. Not by way of a formatter, which would be called for every comma.
pub(crate) fn write_value(out: &mut String, value: &Value<'_>) {
    // Writing to a String cannot fail.
    let _ = match value {
        Value::Null => out.write_str("null"),
        Value::Bool(truth) => out.write_str(if *truth { "true" } else { "false" }),
        Value::Int(number) => write!(out, "{number}"),
        Value::Float(number) => write_float(out, *number),
        Value::Text(text) => return push_text(out, text),
        Value::List(items) => {
            let mut before = '[';
            for item in items {
                out.push(before);
                write_value(out, &item.value);
                before = ',';
            }
            out.write_str(if items.is_empty() { "[]" } else { "]" })
        }
        Value::Map(entries) => {
            out.push('{');
            write_entries(out, entries.iter());
            out.write_str("}")
        }
    };
}

/// Appends members of an object that was just begun.
pub(crate) fn write_entries<'e, 't: 'e>(
    out: &mut String,
    entries: impl Iterator<Item = &'e Entry<'t>>,
) {
    let start = out.len();
    for entry in entries {
        push_key(out, start, &entry.key);
        write_value(out, &entry.node.value);
    }
}

/// Appends the key of a member, behind a comma unless it is the first of its object, whose members begin at `start`.
pub(crate) fn push_key(out: &mut String, start: usize, key: &str) {
    if out.len() > start {
        out.push(',');
    }
    push_text(out, key);
    out.push(':');
}

/// Appends a string: most need no escape, and are copied at once.
pub(crate) fn push_text(out: &mut String, text: &str) {
    if may_need_escape(text) {
        let _ = write_escaped(out, text);
        return;
    }
    out.reserve(text.len() + 2);
    out.push('"');
    out.push_str(text);
    out.push('"');
}

/// A number as Go formats it: plain between 1e-6 and 1e21, with an exponent beyond.
fn write_float(out: &mut impl Write, number: f64) -> fmt::Result {
    let size = number.abs();
    if size != 0.0 && !(1e-6..1e21).contains(&size) && size.is_finite() {
        let text = alloc::format!("{number:e}");
        return match text.split_once('e') {
            Some((digits, power)) if power.starts_with('-') => write!(out, "{digits}e{power}"),
            Some((digits, power)) => write!(out, "{digits}e+{power}"),
            None => out.write_str(&text),
        };
    }
    // JSON cannot express infinity; decoded trees never hold it.
    if size.is_finite() { write!(out, "{number}") } else { out.write_str("null") }
}

/// Writes a JSON string, escaped as Go's encoder does (it also escapes HTML).
pub fn write_text(out: &mut impl Write, text: &str) -> fmt::Result {
    if may_need_escape(text) {
        return write_escaped(out, text);
    }
    out.write_str("\"")?;
    out.write_str(text)?;
    out.write_str("\"")
}

/// Writes a string of which some letters may need an escape. Every letter is looked at once: a text of escapes alone
/// costs its length.
fn write_escaped(out: &mut impl Write, text: &str) -> fmt::Result {
    out.write_str("\"")?;
    let mut rest = text;
    while let Some(at) = rest.find(needs_escape) {
        let (plain, from) = rest.split_at(at);
        out.write_str(plain)?;
        let mut letters = from.chars();
        if let Some(letter) = letters.next() {
            write_escape(out, letter)?;
        }
        rest = letters.as_str();
    }
    out.write_str(rest)?;
    out.write_str("\"")
}

/// Texts up to this length, as most names are, are looked at byte by byte.
const SHORT: usize = 32;

/// Whether a byte is one that an escaped letter begins with; nearly all texts need no escape.
fn may_need_escape(text: &str) -> bool {
    if text.len() <= SHORT {
        let may_begin = |byte: u8| MAY_BEGIN_ESCAPE.get(usize::from(byte)).is_some_and(|it| *it);
        return text.bytes().fold(false, |found, byte| found | may_begin(byte));
    }
    // No branch depends on a byte, so that many are looked at together.
    text.bytes().fold(false, |found, byte| found | may_begin_escape(byte))
}

/// [`may_begin_escape`] of every byte: one look-up is shorter than six comparisons.
static MAY_BEGIN_ESCAPE: [bool; 256] = {
    let mut table = [false; 256];
    let (mut rest, mut byte) = (table.as_mut_slice(), 0);
    while let Some((first, others)) = rest.split_first_mut() {
        *first = may_begin_escape(byte);
        (rest, byte) = (others, byte.wrapping_add(1));
    }
    table
};

/// The first byte of the two separators is that of many other letters.
const fn may_begin_escape(byte: u8) -> bool {
    (byte < 0x20) | matches!(byte, b'"' | b'\\' | b'<' | b'>' | b'&' | 0xe2)
}

fn needs_escape(letter: char) -> bool {
    matches!(letter, '\0'..='\u{1f}' | '"' | '\\' | '<' | '>' | '&' | '\u{2028}' | '\u{2029}')
}

fn write_escape(out: &mut impl Write, letter: char) -> fmt::Result {
    match letter {
        '"' => out.write_str("\\\""),
        '\\' => out.write_str("\\\\"),
        '\n' => out.write_str("\\n"),
        '\r' => out.write_str("\\r"),
        '\t' => out.write_str("\\t"),
        '\u{8}' => out.write_str("\\b"),
        '\u{c}' => out.write_str("\\f"),
        other => write!(out, "\\u{:04x}", u32::from(other)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Limits, decode};
    use alloc::string::ToString;

    #[test]
    fn texts_are_escaped_as_go_does() {
        let text = Node::string("a<b>&\"\\\n\u{1}\u{2028}é");
        assert_eq!(text.to_string(), r#""a\u003cb\u003e\u0026\"\\\n\u0001\u2028é""#);
    }

    #[test]
    fn a_long_text_of_escapes_alone_is_written_in_time() {
        let lines = "\n\u{2028}é".repeat(256 * 1024);
        let mut written = String::new();
        push_text(&mut written, &lines);
        assert_eq!(written, alloc::format!("\"{}\"", "\\n\\u2028é".repeat(256 * 1024)));
    }

    #[test]
    fn numbers_are_spelled_as_go_does() {
        let format_float = |number| Node::new(Value::Float(number)).to_string();
        assert_eq!(format_float(1.5), "1.5");
        assert_eq!(format_float(1e21), "1e+21");
        assert_eq!(format_float(1e-7), "1e-7");
        assert_eq!(format_float(0.000_001), "0.000001");
        assert_eq!(format_float(100.0), "100");
    }

    #[test]
    fn what_was_read_is_written_alike() {
        let text = r#"{"a":[1,-2,1.25,true,null,"x"],"b":{},"c":[],"d":{"e":"\u003c"}}"#;
        let node = decode(text, Limits::DEFAULT).unwrap().documents.remove(0);
        assert_eq!(node.to_json(), text);
    }
}
