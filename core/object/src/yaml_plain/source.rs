//! The bytes of a plain document and scans over them: blanks, line ends, the ends of scalars.

use alloc::borrow::Cow;
use alloc::string::String;
use memchr::{memchr, memchr2, memchr3};

/// The byte behind the end; the text itself never holds it, for it is not printable.
pub(super) const END: u8 = 0;

/// A text whose characters have been checked.
#[derive(Clone, Copy)]
pub(super) struct Source<'t> {
    text: &'t str,
    bytes: &'t [u8],
}

impl<'t> Source<'t> {
    /// Accepts a text whose characters need no further checks: all are printable, none is a byte order
    /// mark, and a carriage return only ends a line.
    pub(super) fn new(text: &'t str) -> Option<Self> {
        let bytes = text.as_bytes();
        // Branch-free, so that the compiler vectorizes it.
        let unusual =
            |unusual: bool, &byte: &u8| unusual | ((byte < b' ') & (byte != b'\n')) | (byte > b'~');
        if bytes.iter().fold(false, unusual) && !is_readable(text) {
            return None;
        }
        Some(Self { text, bytes })
    }

    #[inline]
    pub(super) fn byte(self, at: usize) -> u8 {
        self.bytes.get(at).copied().unwrap_or(END)
    }

    #[inline]
    pub(super) fn slice(self, from: usize, to: usize) -> Option<&'t str> {
        self.text.get(from..to)
    }

    pub(super) fn starts_with(self, at: usize, prefix: &[u8]) -> bool {
        self.bytes.get(at..).is_some_and(|rest| rest.starts_with(prefix))
    }

    /// The first byte from `at` on that is not a space.
    #[inline]
    pub(super) fn blanks(self, at: usize) -> usize {
        let rest = self.bytes.get(at..).unwrap_or_default();
        at + rest.iter().position(|&byte| byte != b' ').unwrap_or(rest.len())
    }

    /// The end of the line, without its break.
    pub(super) fn line_end(self, at: usize) -> usize {
        let rest = self.bytes.get(at..).unwrap_or_default();
        match memchr(b'\n', rest) {
            None => self.bytes.len(),
            Some(length) if length > 0 && self.byte(at + length - 1) == b'\r' => at + length - 1,
            Some(length) => at + length,
        }
    }

    /// The start of the next line, if `at` is a break, the end or a comment.
    #[inline]
    pub(super) fn next_line(self, at: usize) -> Option<usize> {
        match self.byte(at) {
            b'\n' => Some(at + 1),
            b'\r' => Some(at + 2),
            END => Some(at),
            b'#' => Some(self.after_comment(at)),
            _ => None,
        }
    }

    fn after_comment(self, at: usize) -> usize {
        let rest = self.bytes.get(at..).unwrap_or_default();
        memchr(b'\n', rest).map_or(self.bytes.len(), |length| at + length + 1)
    }

    /// The start of the next line if nothing but blanks and a comment follows on this one.
    #[inline]
    pub(super) fn rest_is_empty(self, at: usize) -> Option<usize> {
        let end = self.blanks(at);
        if end == at && self.byte(end) == b'#' { None } else { self.next_line(end) }
    }

    /// The start of the first line after `line` that has content, and the start of its content.
    #[inline]
    pub(super) fn content(self, mut line: usize) -> (usize, usize) {
        loop {
            let at = self.blanks(line);
            match self.byte(at) {
                b'\n' | b'\r' | b'#' => line = self.next_line(at).unwrap_or(at),
                _ => return (line, at),
            }
        }
    }

    /// Whether an item of a list begins here.
    #[inline]
    pub(super) fn is_dash(self, at: usize) -> bool {
        self.byte(at) == b'-' && ends_word(self.byte(at + 1))
    }

    /// Whether a plain scalar can begin here, outside brackets.
    #[inline]
    pub(super) fn is_plain(self, at: usize) -> bool {
        match self.byte(at) {
            b'-' | b'?' | b':' => !ends_word(self.byte(at + 1)),
            first => !is_indicator(first),
        }
    }

    /// The end of the plain scalar at `at`, and the offset of what ends it: a colon, a comment, the line.
    #[inline]
    pub(super) fn plain(self, at: usize) -> Option<(usize, usize)> {
        let mut stop = at;
        loop {
            let rest = self.bytes.get(stop..)?;
            let is_stop = |byte: &u8| matches!(byte, b'\t' | b'\n' | b'\r' | b'#' | b':');
            stop += rest.iter().position(is_stop).unwrap_or(rest.len());
            match self.byte(stop) {
                b'\t' => return None,
                b':' if !ends_word(self.byte(stop + 1)) => stop += 1,
                b'#' if self.byte(stop - 1) != b' ' => stop += 1,
                _ => return Some((self.trimmed(at, stop), stop)),
            }
        }
    }

    /// The end of the plain scalar at `at` in a flow collection, and the offset of what ends it.
    pub(super) fn plain_in_flow(self, at: usize) -> Option<(usize, usize)> {
        let can_begin = match self.byte(at) {
            b'-' => !ends_word(self.byte(at + 1)) && !is_bracket(self.byte(at + 1)),
            b'?' | b':' => false,
            first => !is_indicator(first),
        };
        if !can_begin {
            return None;
        }
        let mut stop = at;
        loop {
            let rest = self.bytes.get(stop..)?;
            let is_stop = |&byte: &u8| {
                matches!(byte, b'\t' | b'\n' | b'\r' | b'#' | b':') || is_bracket(byte)
            };
            stop += rest.iter().position(is_stop)?;
            let next = self.byte(stop + 1);
            match self.byte(stop) {
                b'\t' | b'\n' | b'\r' => return None,
                b':' if !ends_word(next) && !is_bracket(next) => stop += 1,
                b'#' if self.byte(stop - 1) != b' ' => stop += 1,
                b'#' => return None,
                _ => return Some((self.trimmed(at, stop), stop)),
            }
        }
    }

    fn trimmed(self, from: usize, to: usize) -> usize {
        let scalar = self.bytes.get(from..to).unwrap_or_default();
        from + scalar.iter().rposition(|&byte| byte != b' ').map_or(0, |last| last + 1)
    }

    /// The text of the quoted scalar at `at`, and the offset behind its quote; none if the line ends
    /// first.
    pub(super) fn quoted(self, at: usize) -> Option<(Cow<'t, str>, usize)> {
        let is_single = self.byte(at) == b'\'';
        let mut from = at + 1;
        let mut owned: Option<String> = None;
        loop {
            let rest = self.bytes.get(from..)?;
            let stop = from
                + if is_single {
                    memchr2(b'\'', b'\n', rest)?
                } else {
                    memchr3(b'"', b'\\', b'\n', rest)?
                };
            let text = self.slice(from, stop)?;
            let unescaped = match (self.byte(stop), self.byte(stop + 1)) {
                (b'\n', _) => return None,
                (b'\'', b'\'') => '\'',
                (b'\\', b'n') => '\n',
                (b'\\', b't') => '\t',
                (b'\\', b'r') => '\r',
                (b'\\', letter @ (b'"' | b'\\' | b'/' | b' ')) => char::from(letter),
                // Rare enough to be left to the full parser.
                (b'\\', _) => return None,
                _ => {
                    let text = match owned {
                        None => Cow::Borrowed(text),
                        Some(before) => Cow::Owned(before + text),
                    };
                    return Some((text, stop + 1));
                }
            };
            let before = owned.get_or_insert_default();
            before.push_str(text);
            before.push(unescaped);
            from = stop + 2;
        }
    }
}

/// Whether a `-` or `:` before this byte is an indicator. (A tab would end a word too, but plain
/// scalars never contain one.)
#[inline]
pub(super) fn ends_word(byte: u8) -> bool {
    matches!(byte, b' ' | b'\n' | b'\r' | END)
}

#[inline]
fn is_bracket(byte: u8) -> bool {
    matches!(byte, b',' | b'[' | b']' | b'{' | b'}')
}

/// Bytes that no plain scalar begins with.
#[inline]
fn is_indicator(byte: u8) -> bool {
    byte <= b' '
        || is_bracket(byte)
        || matches!(
            byte,
            b'#' | b'&' | b'*' | b'!' | b'|' | b'>' | b'\'' | b'"' | b'%' | b'@' | b'`'
        )
}

/// The check of [`Source::new`] for a text that is not all ordinary ASCII.
#[cold]
fn is_readable(text: &str) -> bool {
    let mut characters = text.chars().peekable();
    while let Some(character) = characters.next() {
        let fits = match character {
            '\r' => characters.peek() == Some(&'\n'),
            '\u{feff}' => false,
            '\t' | '\n' | ' '..='~' | '\u{85}' | '\u{a0}'..='\u{fffd}' | '\u{10000}'.. => true,
            _ => false,
        };
        if !fits {
            return false;
        }
    }
    true
}
