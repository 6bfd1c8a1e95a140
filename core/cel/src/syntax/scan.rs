//! The tokenizer: from the text of an expression to tokens.

use super::SourceError;
use super::token::{KEYWORDS, SIGNS, TokenKind};
use alloc::format;
use alloc::vec::Vec;

/// A token and its position.
#[derive(Clone, Copy, Debug)]
pub(super) struct Token<'s> {
    pub(super) kind: TokenKind,
    pub(super) text: &'s str,
    /// Its offset, in code points.
    pub(super) at: u32,
}

/// Splits a text into tokens, the last of which is the end; characters that form no token are reported and skipped.
pub(super) fn scan(text: &str) -> (Vec<Token<'_>>, Vec<SourceError>) {
    let mut scanner = Scanner { rest: text, at: 0, tokens: Vec::new(), errors: Vec::new() };
    while !scanner.rest.is_empty() {
        scanner.next();
    }
    scanner.tokens.push(Token { kind: TokenKind::End, text: "<EOF>", at: scanner.at });
    (scanner.tokens, scanner.errors)
}

struct Scanner<'s> {
    rest: &'s str,
    at: u32,
    tokens: Vec<Token<'s>>,
    errors: Vec<SourceError>,
}

impl<'s> Scanner<'s> {
    fn next(&mut self) {
        if let Some(length) = blank(self.rest) {
            self.take(length);
            return;
        }
        match scan_token(self.rest) {
            Ok((kind, length)) => {
                let at = self.at;
                let text = self.take(length);
                self.tokens.push(Token { kind, text, at });
            }
            Err(length) => {
                let at = self.at;
                let text = self.take(length.max(first(self.rest)));
                let message = format!("Syntax error: token recognition error at: '{text}'");
                self.errors.push(SourceError { at: Some(at), message });
            }
        }
    }

    fn take(&mut self, length: usize) -> &'s str {
        let (prefix, rest) = self.rest.split_at_checked(length).unwrap_or((self.rest, ""));
        self.rest = rest;
        self.at = self.at.saturating_add(u32::try_from(prefix.chars().count()).unwrap_or(u32::MAX));
        prefix
    }
}

/// The length of the first character.
fn first(text: &str) -> usize {
    text.chars().next().map_or(0, char::len_utf8)
}

/// The length of white space or a comment, if it begins here.
fn blank(text: &str) -> Option<usize> {
    let white = text.find(|c| !matches!(c, '\t' | ' ' | '\r' | '\n' | '\u{c}'));
    match white.unwrap_or(text.len()) {
        0 if text.starts_with("//") => Some(text.find('\n').unwrap_or(text.len())),
        0 => None,
        length => Some(length),
    }
}

/// The token here and its length, or how much of it is read before it fails.
fn scan_token(text: &str) -> Result<(TokenKind, usize), usize> {
    let bytes = text.as_bytes();
    let letter = bytes.first().copied().unwrap_or_default();
    let second = bytes.get(1).copied().unwrap_or_default();
    if letter.is_ascii_digit() || (letter == b'.' && second.is_ascii_digit()) {
        return Ok(number(text));
    }
    if let Some(literal) = quoted(text) {
        return literal;
    }
    if letter.is_ascii_alphabetic() || letter == b'_' {
        let length = text.find(|c: char| !c.is_ascii_alphanumeric() && c != '_');
        let name = text.get(..length.unwrap_or(text.len())).unwrap_or_default();
        let keyword = KEYWORDS.iter().find(|(keyword, _)| *keyword == name);
        return Ok((keyword.map_or(TokenKind::Ident, |(_, kind)| *kind), name.len()));
    }
    if letter == b'`' {
        return escaped_name(text);
    }
    match SIGNS.iter().find(|(sign, _)| text.starts_with(sign)) {
        Some((sign, kind)) => Ok((*kind, sign.len())),
        // `&`, `|` and `=` expect a second character and fail on any other.
        None if matches!(letter, b'&' | b'|' | b'=') => {
            Err(1 + first(text.get(1..).unwrap_or_default()))
        }
        None => Err(first(text)),
    }
}

fn escaped_name(text: &str) -> Result<(TokenKind, usize), usize> {
    let inner = text.get(1..).unwrap_or_default();
    let allowed = |c: char| c.is_ascii_alphanumeric() || "_.-/ ".contains(c);
    let length = inner.find(|c| !allowed(c)).unwrap_or(inner.len());
    let after = inner.get(length..).unwrap_or_default();
    if length > 0 && after.starts_with('`') {
        Ok((TokenKind::EscapedIdent, length + 2))
    } else {
        Err(1 + length + first(after))
    }
}

fn digits(text: &str, from: usize) -> usize {
    let tail = text.get(from..).unwrap_or_default();
    tail.find(|c: char| !c.is_ascii_digit()).unwrap_or(tail.len())
}

fn byte(text: &str, at: usize) -> u8 {
    text.as_bytes().get(at).copied().unwrap_or_default()
}

/// A number: the longest that can be read here.
fn number(text: &str) -> (TokenKind, usize) {
    if text.starts_with("0x") {
        let tail = text.get(2..).unwrap_or_default();
        let length = tail.find(|c: char| !c.is_ascii_hexdigit()).unwrap_or(tail.len());
        if length > 0 {
            return whole(text, 2 + length);
        }
    }
    let mut length = digits(text, 0);
    let mut float = false;
    if byte(text, length) == b'.' && digits(text, length + 1) > 0 {
        float = true;
        length += 1 + digits(text, length + 1);
    }
    if matches!(byte(text, length), b'e' | b'E') {
        let sign = usize::from(matches!(byte(text, length + 1), b'+' | b'-'));
        let power = digits(text, length + 1 + sign);
        if power > 0 {
            float = true;
            length += 1 + sign + power;
        }
    }
    if float { (TokenKind::Float, length) } else { whole(text, length) }
}

fn whole(text: &str, length: usize) -> (TokenKind, usize) {
    if matches!(byte(text, length), b'u' | b'U') {
        (TokenKind::Uint, length + 1)
    } else {
        (TokenKind::Int, length)
    }
}

/// A string or bytes literal, if one begins here.
fn quoted(text: &str) -> Option<Result<(TokenKind, usize), usize>> {
    let mut prefix = 0;
    let mut kind = TokenKind::Text;
    if matches!(byte(text, 0), b'b' | b'B') {
        prefix = 1;
        kind = TokenKind::Bytes;
    }
    let raw = matches!(byte(text, prefix), b'r' | b'R');
    prefix += usize::from(raw);
    let quote = byte(text, prefix);
    if !matches!(quote, b'"' | b'\'') {
        return None;
    }
    let body = text.get(prefix..)?;
    let triple = if quote == b'"' { "\"\"\"" } else { "'''" };
    let found = body
        .strip_prefix(triple)
        .and_then(|inner| through(inner, triple, raw, true).ok().map(|length| 3 + length));
    let found = match found {
        Some(length) => Ok(length),
        // A malformed literal in three quotes may still be the empty string, followed by a quote.
        None => {
            let single = if quote == b'"' { "\"" } else { "'" };
            through(body.get(1..)?, single, raw, false).map(|length| 1 + length).map_err(|l| 1 + l)
        }
    };
    Some(match found {
        Ok(length) => Ok((kind, prefix + length)),
        Err(length) => Err(prefix + length),
    })
}

/// The length up to and including the closing quotes, or how much is read before that fails.
fn through(text: &str, close: &str, raw: bool, lines: bool) -> Result<usize, usize> {
    let mut at = 0;
    while let Some(rest) = text.get(at..).filter(|rest| !rest.is_empty()) {
        if rest.starts_with(close) {
            return Ok(at + close.len());
        }
        let letter = rest.chars().next().unwrap_or_default();
        if letter == '\\' && !raw {
            at += escape(rest).map_err(|length| at + length)?;
        } else if !lines && matches!(letter, '\n' | '\r') {
            return Err(at + 1);
        } else {
            at += letter.len_utf8();
        }
    }
    Err(text.len())
}

/// The length of an escape sequence, or how much of it is read before it fails.
fn escape(text: &str) -> Result<usize, usize> {
    let kind = text.chars().nth(1).ok_or(text.len())?;
    let (from, needed, hex) = match kind {
        'a' | 'b' | 'f' | 'n' | 'r' | 't' | 'v' | '"' | '\'' | '\\' | '?' | '`' => return Ok(2),
        '0'..='3' => (2, 2, false),
        'x' | 'X' => (2, 2, true),
        'u' => (2, 4, true),
        'U' => (2, 8, true),
        other => return Err(1 + other.len_utf8()),
    };
    for (index, letter) in text.char_indices().skip(from).take(needed) {
        let fits = if hex { letter.is_ascii_hexdigit() } else { matches!(letter, '0'..='7') };
        if !fits {
            return Err(index + letter.len_utf8());
        }
    }
    if text.len() < from + needed { Err(text.len()) } else { Ok(from + needed) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_cut_as_the_reference_cuts_them() {
        use TokenKind::{Bytes, Dot, End, Float, Ident, Int, Text, Uint};
        let cases: &[(&str, &[TokenKind])] = &[
            ("1.5e3 .5 1.x 0x1Fu 7U", &[Float, Float, Int, Dot, Ident, Uint, Uint, End]),
            ("'a\\'b' \"\"\"x\ny\"\"\" r'\\' b'x' br\"\"", &[Text, Text, Text, Bytes, Bytes, End]),
            ("a // b\n c", &[Ident, Ident, End]),
            ("'''a'b'''", &[Text, End]),
            ("''", &[Text, End]),
        ];
        for (text, expected) in cases {
            let (tokens, errors) = scan(text);
            assert!(errors.is_empty(), "{text}: {errors:?}");
            let tokens: Vec<TokenKind> = tokens.iter().map(|token| token.kind).collect();
            assert_eq!(&tokens, expected, "{text}");
        }
    }

    #[test]
    fn what_is_no_word_is_reported() {
        let cases = [
            ("'abc", "''abc'", 0),
            ("a # b", "'#'", 2),
            ("a & b", "'& '", 2),
            ("\"\\q\"", "'\"\\q'", 0),
            ("\"\\u12\"", "'\"\\u12\"'", 0),
        ];
        for (text, quoted_text, at) in cases {
            let (_, errors) = scan(text);
            let message = format!("Syntax error: token recognition error at: {quoted_text}");
            assert_eq!(errors.first(), Some(&SourceError { at: Some(at), message }), "{text}");
        }
    }
}
