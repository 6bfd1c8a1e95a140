//! Quoting of text as in Go.

use core::fmt::{self, Write};

/// Displays the text as Go's `%q` does: printable characters as they are, the rest escaped.
#[derive(Clone, Copy, Debug)]
pub struct Quoted<'a>(
    /// The text to quote.
    pub &'a str,
);

impl fmt::Display for Quoted<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_char('"')?;
        for c in self.0.chars() {
            match c {
                '"' | '\\' => write!(f, "\\{c}"),
                ' '..='~' => f.write_char(c),
                '\x07' => f.write_str("\\a"),
                '\x08' => f.write_str("\\b"),
                '\x0c' => f.write_str("\\f"),
                '\n' => f.write_str("\\n"),
                '\r' => f.write_str("\\r"),
                '\t' => f.write_str("\\t"),
                '\x0b' => f.write_str("\\v"),
                ..='\x7f' => write!(f, "\\x{:02x}", u32::from(c)),
                _ if is_printable(c) => f.write_char(c),
                ..='\u{ffff}' => write!(f, "\\u{:04x}", u32::from(c)),
                _ => write!(f, "\\U{:08x}", u32::from(c)),
            }?;
        }
        f.write_char('"')
    }
}

/// A letter, mark, number, punctuation or symbol of Unicode 15.0, the version that Go knows.
fn is_printable(c: char) -> bool {
    // The standard library's table of printable characters is private, but determines what its `Debug`
    // escapes. Behind a first character, marks are not escaped for being marks.
    let mut buf = [b'a', 0, 0, 0, 0];
    let [_, room @ ..] = &mut buf;
    let end = 1 + c.encode_utf8(room).len();
    let text = buf.get(..end).and_then(|bytes| str::from_utf8(bytes).ok()).unwrap_or_default();
    text.escape_debug().nth(1) == Some(c) && !is_newer(c)
}

/// A printable character that was added after Unicode 15.0.
fn is_newer(c: char) -> bool {
    let after = NEWER.partition_point(|&(first, _)| first <= c);
    NEWER.get(..after).and_then(<[_]>::last).is_some_and(|&(_, last)| c <= last)
}

/// What the standard library (Unicode 17) can print and Go (Unicode 15.0) cannot, in order.
/// A test counts the printable characters, and fails when the standard library adds new ones.
static NEWER: [(char, char); 53] = [
    ('\u{88f}', '\u{897}'),
    ('\u{c5c}', '\u{c5c}'),
    ('\u{cdc}', '\u{cdc}'),
    ('\u{1acf}', '\u{1aeb}'),
    ('\u{1b4e}', '\u{1b4f}'),
    ('\u{1b7f}', '\u{1b7f}'),
    ('\u{1c89}', '\u{1c8a}'),
    ('\u{20c1}', '\u{20c1}'),
    ('\u{2427}', '\u{2429}'),
    ('\u{2b96}', '\u{2b96}'),
    ('\u{2ffc}', '\u{2fff}'),
    ('\u{31e4}', '\u{31ef}'),
    ('\u{a7cb}', '\u{a7cf}'),
    ('\u{a7d2}', '\u{a7d2}'),
    ('\u{a7d4}', '\u{a7d4}'),
    ('\u{a7da}', '\u{a7f1}'),
    ('\u{fbc3}', '\u{fbd2}'),
    ('\u{fd90}', '\u{fd91}'),
    ('\u{fdc8}', '\u{fdce}'),
    ('\u{105c0}', '\u{105f3}'),
    ('\u{10940}', '\u{10959}'),
    ('\u{10d40}', '\u{10d8f}'),
    ('\u{10ec2}', '\u{10efc}'),
    ('\u{11380}', '\u{113e2}'),
    ('\u{116d0}', '\u{116e3}'),
    ('\u{11b60}', '\u{11bf9}'),
    ('\u{11db0}', '\u{11de9}'),
    ('\u{11f5a}', '\u{11f5a}'),
    ('\u{13460}', '\u{143fa}'),
    ('\u{16100}', '\u{16139}'),
    ('\u{16d40}', '\u{16d79}'),
    ('\u{16ea0}', '\u{16ed3}'),
    ('\u{16ff2}', '\u{16ff6}'),
    ('\u{187f8}', '\u{187ff}'),
    ('\u{18cff}', '\u{18cff}'),
    ('\u{18d09}', '\u{18df2}'),
    ('\u{1cc00}', '\u{1cef0}'),
    ('\u{1e5d0}', '\u{1e6ff}'),
    ('\u{1f6d8}', '\u{1f6d8}'),
    ('\u{1f777}', '\u{1f77a}'),
    ('\u{1f8b2}', '\u{1f8d8}'),
    ('\u{1fa54}', '\u{1fa57}'),
    ('\u{1fa89}', '\u{1fa8f}'),
    ('\u{1fabe}', '\u{1fabe}'),
    ('\u{1fac6}', '\u{1facd}'),
    ('\u{1fadc}', '\u{1fadf}'),
    ('\u{1fae9}', '\u{1faef}'),
    ('\u{1fbcb}', '\u{1fbef}'),
    ('\u{1fbfa}', '\u{1fbfa}'),
    ('\u{2b73a}', '\u{2b73f}'),
    ('\u{2cea2}', '\u{2cead}'),
    ('\u{2ebf0}', '\u{2ee5d}'),
    ('\u{323b0}', '\u{33479}'),
];
