//! A JSON parser that keeps spans and duplicate members, which `serde_json` drops.

use crate::Span;
use crate::decoded::{DecodeError, Decoded, MAX_REPEATED, Repeated};
use crate::limits::Limits;
use crate::members::dedup_members;
use crate::path::{Step, Trail, readable};
use crate::tree::{Entry, Node, Value};
use alloc::borrow::Cow;
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

/// Parses every value of `text`, one after another.
pub(crate) fn parse(text: &str, limits: Limits) -> Result<Decoded<'_>, DecodeError> {
    let start = text.len() - text.trim_start_matches('\u{feff}').len();
    let mut parser = Parser { text, at: start, limits, nodes: 0, repeated: Vec::new() };
    let mut documents = Vec::new();
    loop {
        parser.skip_space();
        if parser.peek().is_none() {
            return Ok(Decoded { documents, repeated: parser.repeated });
        }
        documents.push(parser.value(0, None)?);
    }
}

struct Parser<'t> {
    text: &'t str,
    at: usize,
    limits: Limits,
    nodes: usize,
    repeated: Vec<Repeated>,
}

impl<'t> Parser<'t> {
    fn value(&mut self, depth: usize, path: Option<&Trail<'_>>) -> Result<Node<'t>, DecodeError> {
        if depth > self.limits.depth {
            return Err(self.error(format!("nested deeper than {} levels", self.limits.depth)));
        }
        self.nodes += 1;
        if self.nodes > self.limits.nodes {
            return Err(self.error(format!("more than {} values", self.limits.nodes)));
        }
        self.skip_space();
        let start = self.at;
        let value = match self.peek() {
            Some(b'{') => self.map(depth, path)?,
            Some(b'[') => self.list(depth, path)?,
            Some(b'"') => Value::Text(self.string()?),
            Some(b'-' | b'0'..=b'9') => self.number()?,
            Some(_) => self.literal()?,
            None => return Err(self.error("unexpected end of JSON input")),
        };
        Ok(Node { value, span: Span::new(start, self.at) })
    }

    fn map(&mut self, depth: usize, path: Option<&Trail<'_>>) -> Result<Value<'t>, DecodeError> {
        self.at += 1;
        let mut entries = Vec::new();
        self.skip_space();
        if self.eat(b'}') {
            return Ok(Value::Map(entries));
        }
        loop {
            self.skip_space();
            let start = self.at;
            if self.peek() != Some(b'"') {
                return Err(self.unexpected("a member's name in double quotes"));
            }
            let key = self.string()?;
            let key_span = Span::new(start, self.at);
            self.skip_space();
            if !self.eat(b':') {
                return Err(self.unexpected("':' after the member's name"));
            }
            let field = Trail { parent: path, step: Step::Field(&key) };
            let node = self.value(depth + 1, Some(&field))?;
            entries.push(Entry { key, key_span, node });
            self.skip_space();
            if self.eat(b'}') {
                break;
            }
            if !self.eat(b',') {
                return Err(self.unexpected("',' or '}' after a member"));
            }
        }
        dedup_members(&mut entries, |key, span| {
            if self.repeated.len() < MAX_REPEATED {
                let field = Trail { parent: path, step: Step::Field(key) };
                self.repeated.push(Repeated { path: readable(format!("{field}")), span });
            }
        });
        Ok(Value::Map(entries))
    }

    fn list(&mut self, depth: usize, path: Option<&Trail<'_>>) -> Result<Value<'t>, DecodeError> {
        self.at += 1;
        let mut items = Vec::new();
        self.skip_space();
        if self.eat(b']') {
            return Ok(Value::List(items));
        }
        loop {
            let index = Trail { parent: path, step: Step::Index(items.len()) };
            let item = self.value(depth + 1, Some(&index))?;
            items.push(item);
            self.skip_space();
            if self.eat(b']') {
                return Ok(Value::List(items));
            }
            if !self.eat(b',') {
                return Err(self.unexpected("',' or ']' after an item"));
            }
        }
    }

    fn string(&mut self) -> Result<Cow<'t, str>, DecodeError> {
        self.at += 1;
        let start = self.at;
        let rest = self.text.as_bytes().get(start..).unwrap_or_default();
        self.at += plain_len(rest);
        match self.peek() {
            Some(b'"') => {
                let text = self.text.get(start..self.at).unwrap_or_default();
                self.at += 1;
                Ok(Cow::Borrowed(text))
            }
            Some(b'\\') => self.escaped(start).map(Cow::Owned),
            Some(_) => Err(self.error("a control character inside a string must be escaped")),
            None => Err(self.error("unexpected end of JSON input inside a string")),
        }
    }

    fn escaped(&mut self, start: usize) -> Result<String, DecodeError> {
        let mut out = String::from(self.text.get(start..self.at).unwrap_or_default());
        loop {
            let rest = self.text.get(self.at..).unwrap_or_default();
            let Some(next) = rest.chars().next() else {
                return Err(self.error("unexpected end of JSON input inside a string"));
            };
            self.at += next.len_utf8();
            match next {
                '"' => return Ok(out),
                '\\' => out.push(self.escape()?),
                control if u32::from(control) < 0x20 => {
                    return Err(self.error("a control character inside a string must be escaped"));
                }
                plain => out.push(plain),
            }
        }
    }

    fn escape(&mut self) -> Result<char, DecodeError> {
        let code = self.peek();
        let letter = match code {
            Some(b'"') => '"',
            Some(b'\\') => '\\',
            Some(b'/') => '/',
            Some(b'b') => '\u{8}',
            Some(b'f') => '\u{c}',
            Some(b'n') => '\n',
            Some(b'r') => '\r',
            Some(b't') => '\t',
            Some(b'u') => {
                self.at += 1;
                return self.unicode();
            }
            _ => return Err(self.error("no such escape in a string")),
        };
        self.at += 1;
        Ok(letter)
    }

    /// `\uXXXX`, with surrogate pairs; a lone surrogate becomes U+FFFD, as in Go.
    fn unicode(&mut self) -> Result<char, DecodeError> {
        let unit = self.hex4()?;
        if let Some(plain) = char::from_u32(unit) {
            return Ok(plain);
        }
        let resume = self.at;
        if unit < 0xdc00 && self.eat(b'\\') && self.eat(b'u') {
            let low = self.hex4()?;
            if (0xdc00..0xe000).contains(&low) {
                let pair = 0x10000 + ((unit - 0xd800) << 10) + (low - 0xdc00);
                return Ok(char::from_u32(pair).unwrap_or(char::REPLACEMENT_CHARACTER));
            }
        }
        self.at = resume;
        Ok(char::REPLACEMENT_CHARACTER)
    }

    fn hex4(&mut self) -> Result<u32, DecodeError> {
        let digits = self.text.get(self.at..self.at + 4).unwrap_or_default();
        if digits.len() != 4 || !digits.bytes().all(|byte| byte.is_ascii_hexdigit()) {
            return Err(self.error("\\u needs four hexadecimal digits"));
        }
        self.at += 4;
        u32::from_str_radix(digits, 16).map_err(|_| self.error("\\u needs four hexadecimal digits"))
    }

    fn number(&mut self) -> Result<Value<'t>, DecodeError> {
        let start = self.at;
        let rest = self.text.as_bytes().get(start..).unwrap_or_default();
        let is_part = |byte: &&u8| matches!(byte, b'0'..=b'9' | b'-' | b'+' | b'.' | b'e' | b'E');
        self.at += rest.iter().take_while(is_part).count();
        let text = self.text.get(start..self.at).unwrap_or_default();
        if !is_json_number(text) {
            self.at = start;
            return Err(self.error(format!("{text:?} is not a number")));
        }
        if let Ok(whole) = text.parse::<i64>() {
            return Ok(Value::Int(whole));
        }
        match text.parse::<f64>() {
            Ok(number) if number.is_finite() => Ok(Value::Float(number)),
            _ => Err(DecodeError::new(format!("{text:?} is not a number that can be kept"), start)),
        }
    }

    fn literal(&mut self) -> Result<Value<'t>, DecodeError> {
        let rest = self.text.get(self.at..).unwrap_or_default();
        for (literal, value) in
            [("true", Value::Bool(true)), ("false", Value::Bool(false)), ("null", Value::Null)]
        {
            if rest.starts_with(literal) {
                self.at += literal.len();
                return Ok(value);
            }
        }
        Err(self.unexpected("a value"))
    }

    fn peek(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    fn eat(&mut self, byte: u8) -> bool {
        let matched = self.peek() == Some(byte);
        self.at += usize::from(matched);
        matched
    }

    fn skip_space(&mut self) {
        while matches!(self.peek(), Some(b' ' | b'\t' | b'\n' | b'\r')) {
            self.at += 1;
        }
    }

    fn unexpected(&self, expected: &str) -> DecodeError {
        let rest = self.text.get(self.at..).unwrap_or_default();
        match rest.chars().next() {
            Some(found) => self.error(format!("invalid character {found:?}, expected {expected}")),
            None => self.error(format!("unexpected end of JSON input, expected {expected}")),
        }
    }

    fn error(&self, message: impl Into<String>) -> DecodeError {
        DecodeError::new(message, self.at)
    }
}

/// How many bytes stand before the first that is not plain text of a string: a quote, a backslash, a control character.
/// Eight are looked at together, because most of a document is strings.
pub(crate) fn plain_len(bytes: &[u8]) -> usize {
    const ONES: u64 = u64::MAX / 0xff;
    /// The high bit of the lowest byte below `bound` is set, and none below it.
    const fn below(word: u64, bound: u64) -> u64 {
        word.wrapping_sub(ONES * bound) & !word & (ONES << 7)
    }
    let (words, rest) = bytes.as_chunks::<8>();
    for (index, word) in words.iter().enumerate() {
        let word = u64::from_le_bytes(*word);
        let quote = below(word ^ (ONES * b'"' as u64), 1);
        let backslash = below(word ^ (ONES * b'\\' as u64), 1);
        let ends = quote | backslash | below(word, 0x20);
        if ends != 0 {
            return index * 8 + ends.trailing_zeros() as usize / 8;
        }
    }
    let is_plain = |byte: &&u8| !matches!(byte, b'"' | b'\\' | ..0x20);
    words.len() * 8 + rest.iter().take_while(is_plain).count()
}

/// Whether the parser accepts a text as a number.
pub(crate) fn is_kept_number(text: &str) -> bool {
    // Most are short and whole.
    let is_short = text.len() < 16 && text.bytes().all(|byte| byte.is_ascii_digit());
    match is_short {
        true => text == "0" || !text.starts_with('0'),
        false => is_json_number(text) && text.parse::<f64>().is_ok_and(f64::is_finite),
    }
}

/// Whether a text matches JSON's grammar of numbers; Rust's parser accepts more.
fn is_json_number(text: &str) -> bool {
    let digits = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    let bare = text.strip_prefix('-').unwrap_or(text);
    let (mantissa, exponent) = match bare.find(['e', 'E']) {
        Some(at) => (bare.get(..at).unwrap_or_default(), bare.get(at + 1..)),
        None => (bare, None),
    };
    let (whole, fraction) = match mantissa.split_once('.') {
        Some((whole, fraction)) => (whole, Some(fraction)),
        None => (mantissa, None),
    };
    let exponent_is_fine =
        exponent.is_none_or(|text| digits(text.strip_prefix(['+', '-']).unwrap_or(text)));
    digits(whole)
        && (whole == "0" || !whole.starts_with('0'))
        && fraction.is_none_or(digits)
        && exponent_is_fine
}

#[cfg(test)]
mod tests {
    use super::*;

    fn one(text: &str) -> Result<Value<'_>, String> {
        let decoded = parse(text, Limits::DEFAULT).map_err(|error| error.message)?;
        decoded.documents.into_iter().next().map(|node| node.value).ok_or("nothing".into())
    }

    #[test]
    fn values_of_every_sort() {
        assert_eq!(one("null"), Ok(Value::Null));
        assert_eq!(one(" -12 "), Ok(Value::Int(-12)));
        assert_eq!(one("1.5e3"), Ok(Value::Float(1500.0)));
        assert_eq!(one(r#""a\u00e9\n\ud83d\ude00""#), Ok(Value::Text("aé\n😀".into())));
        assert_eq!(one(r#""\ud800x""#), Ok(Value::Text("\u{fffd}x".into())));
        assert_eq!(one("[]"), Ok(Value::List(Vec::new())));
    }

    #[test]
    fn spans_cover_what_was_written() {
        let text = r#"{"spec": {"ips": ["1.2.3.4", 5]}}"#;
        let decoded = parse(text, Limits::DEFAULT).unwrap();
        let ips = decoded.documents[0].get("spec").unwrap().get("ips").unwrap();
        let spans: Vec<&str> = ips
            .items()
            .iter()
            .map(|item| &text[item.span.start as usize..item.span.end as usize])
            .collect();
        assert_eq!(spans, ["\"1.2.3.4\"", "5"]);
    }

    #[test]
    fn a_repeated_member_is_reported_and_the_last_one_counts() {
        let decoded = parse(r#"{"a": {"b": 1, "c": 2, "b": 3}}"#, Limits::DEFAULT).unwrap();
        assert_eq!(decoded.repeated.len(), 1);
        assert_eq!(decoded.repeated[0].path, "a.b");
        let map = decoded.documents[0].get("a").unwrap();
        assert_eq!(map.get("b").unwrap().value, Value::Int(3));
        assert_eq!(map.entries().len(), 2);
    }

    #[test]
    fn several_values_stand_one_after_another() {
        assert_eq!(parse("{} {}\n[1]", Limits::DEFAULT).unwrap().documents.len(), 3);
        assert!(parse(" \n", Limits::DEFAULT).unwrap().documents.is_empty());
    }

    #[test]
    fn what_is_broken_says_where() {
        for (text, offset, phrase) in [
            ("{", 1, "end of JSON"),
            ("{a}", 1, "double quotes"),
            ("{\"a\" 1}", 5, "':'"),
            ("[1 2]", 3, "','"),
            ("{\"a\": tru}", 6, "a value"),
            ("[01]", 1, "not a number"),
            ("[1.]", 1, "not a number"),
            ("\"abc", 4, "inside a string"),
            ("\"\\x\"", 2, "escape"),
            ("[\"\\", 3, "escape"),
            ("[\"\\é\"]", 3, "escape"),
            ("\"\\u12\"", 3, "hexadecimal"),
            ("[1e999]", 1, "kept"),
        ] {
            let error = parse(text, Limits::DEFAULT).unwrap_err();
            assert!(error.message.contains(phrase), "{text}: {}", error.message);
            assert_eq!(error.offset, offset, "{text}: {}", error.message);
        }
    }

    proptest::proptest! {
        #[test]
        fn plain_text_ends_at_the_same_byte_as_one_by_one(bytes: Vec<u8>, plain in "[ -!#-Zé]{0,40}") {
            let bytes = [plain.as_bytes(), &bytes].concat();
            let ends = |byte: &u8| matches!(byte, b'"' | b'\\' | ..0x20);
            let end = bytes.iter().position(ends).unwrap_or(bytes.len());
            proptest::prop_assert_eq!(plain_len(&bytes), end);
        }
    }

    #[test]
    fn depth_and_number_of_values_are_limited() {
        let deep = "[".repeat(300) + &"]".repeat(300);
        assert!(parse(&deep, Limits::DEFAULT).unwrap_err().message.contains("deeper"));
        let few = Limits { nodes: 3, ..Limits::DEFAULT };
        assert!(parse("[1,2,3]", few).unwrap_err().message.contains("more than 3 values"));
    }
}
