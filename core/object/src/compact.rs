//! `CompactJson`: a JSON value without spaces, read where it stands instead of as a tree.
//!
//! A store holds thousands of objects of which only a few members are looked at, and writes each of them without spaces.

use crate::depth;
use crate::json::{is_kept_number, plain_len};
use core::ops::Range;

/// A JSON value in a text, with no spaces between its parts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CompactJson<'t> {
    text: &'t str,
    start: usize,
    end: usize,
}

impl<'t> CompactJson<'t> {
    /// The one object of a text. None if there is no object, if there is more, if it has spaces, or if
    /// [`decode_stored`](crate::decode_stored) would refuse it.
    #[must_use]
    pub fn object(text: &'t str) -> Option<Self> {
        let end = text.starts_with('{').then(|| value_end(text, 0, 0)).flatten()?;
        (end == text.len()).then_some(Self { text, start: 0, end })
    }

    /// The first object of a text, of which no more is read.
    #[must_use]
    pub fn first_object(text: &'t str, start: usize) -> Option<Self> {
        let is_object = text.as_bytes().get(start) == Some(&b'{');
        let end = is_object.then(|| value_end(text, start, 0)).flatten()?;
        Some(Self { text, start, end })
    }

    /// The object with which a text begins, of which nothing is read before it is looked for.
    #[must_use]
    pub const fn unread(text: &'t str) -> Self {
        Self { text, start: 0, end: text.len() }
    }

    /// A value that is known to stand at a place.
    #[must_use]
    pub const fn known(text: &'t str, place: &Range<usize>) -> Self {
        Self { text, start: place.start, end: place.end }
    }

    /// The value as it is written.
    #[must_use]
    pub fn as_str(self) -> &'t str {
        self.text.get(self.start..self.end).unwrap_or_default()
    }

    /// Where in the text the value begins.
    #[must_use]
    pub const fn start(self) -> usize {
        self.start
    }

    /// Where in the text the value ends.
    #[must_use]
    pub const fn end(self) -> usize {
        self.end
    }

    /// The member `name`; the first one, if there are several.
    #[must_use]
    pub fn member(self, name: &str) -> Option<Self> {
        self.find(&[name])
    }

    /// The member at the path `names`. What stands behind it is not read.
    #[must_use]
    pub fn find(self, names: &[&str]) -> Option<Self> {
        let mut start = self.start;
        for name in names {
            start = member_start(self.text, start, name)?;
        }
        Some(Self { start, end: value_end(self.text, start, 0)?, ..self })
    }

    /// Passes the items of a list to `take`; none if this is no list.
    pub fn each_item(self, take: impl FnMut(Self)) -> Option<()> {
        self.each_item_at(&[], take).map(drop)
    }

    /// Passes the items of the list at the path `names` to `take`, and returns the list, which is read once. None if
    /// there is no list.
    pub fn each_item_at(self, names: &[&str], mut take: impl FnMut(Self)) -> Option<Self> {
        let mut start = self.start;
        for name in names {
            start = member_start(self.text, start, name)?;
        }
        let bytes = self.text.as_bytes();
        if bytes.get(start) != Some(&b'[') {
            return None;
        }
        let mut at = start;
        if bytes.get(start + 1) == Some(&b']') {
            at += 1;
        }
        while bytes.get(at) != Some(&b']') {
            // Behind the bracket or a comma.
            let item = Self { start: at + 1, end: value_end(self.text, at + 1, 0)?, ..self };
            take(item);
            at = item.end;
        }
        Some(Self { start, end: at + 1, ..self })
    }

    /// The text of a string that has no escapes.
    #[must_use]
    pub fn plain_text(self) -> Option<&'t str> {
        let text = self.as_str().strip_prefix('"')?.strip_suffix('"')?;
        (!text.contains('\\')).then_some(text)
    }
}

/// Where the value of a member begins, of the object that begins at `at`.
fn member_start(text: &str, at: usize, name: &str) -> Option<usize> {
    let bytes = text.as_bytes();
    let mut before = at;
    if bytes.get(at) != Some(&b'{') {
        return None;
    }
    loop {
        let key = before + 1;
        let end = string_end(text, key)?;
        if text.get(key + 1..end - 1)? == name {
            return Some(end + 1);
        }
        before = value_end(text, end + 1, 0)?;
        if bytes.get(before) != Some(&b',') {
            return None;
        }
    }
}

/// Where the value that begins at `at` ends; none if it is not compact JSON.
fn value_end(text: &str, at: usize, depth: usize) -> Option<usize> {
    if depth > depth::MAX_STORED_DEPTH {
        return None;
    }
    let bytes = text.as_bytes();
    match bytes.get(at)? {
        b'"' => string_end(text, at),
        b'{' => {
            let mut at = at + 1;
            if bytes.get(at) == Some(&b'}') {
                return Some(at + 1);
            }
            loop {
                at = string_end(text, at)?;
                if bytes.get(at) != Some(&b':') {
                    return None;
                }
                at = value_end(text, at + 1, depth + 1)? + 1;
                match bytes.get(at - 1)? {
                    b',' => {}
                    b'}' => return Some(at),
                    _ => return None,
                }
            }
        }
        b'[' => {
            let mut at = at + 1;
            if bytes.get(at) == Some(&b']') {
                return Some(at + 1);
            }
            loop {
                at = value_end(text, at, depth + 1)? + 1;
                match bytes.get(at - 1)? {
                    b',' => {}
                    b']' => return Some(at),
                    _ => return None,
                }
            }
        }
        b'-' | b'0'..=b'9' => {
            let is_part =
                |byte: &&u8| matches!(byte, b'0'..=b'9' | b'-' | b'+' | b'.' | b'e' | b'E');
            let end = at + bytes.get(at..)?.iter().take_while(is_part).count();
            is_kept_number(text.get(at..end)?).then_some(end)
        }
        _ => {
            let rest = text.get(at..)?;
            let literal = ["true", "false", "null"].iter().find(|word| rest.starts_with(**word))?;
            Some(at + literal.len())
        }
    }
}

/// Where the string that begins at `at` ends.
fn string_end(text: &str, at: usize) -> Option<usize> {
    let bytes = text.as_bytes();
    if bytes.get(at) != Some(&b'"') {
        return None;
    }
    let mut at = at + 1;
    loop {
        at += plain_len(bytes.get(at..)?);
        match (bytes.get(at)?, bytes.get(at + 1)) {
            (b'"', _) => return Some(at + 1),
            (b'\\', Some(b'"' | b'\\' | b'/' | b'b' | b'f' | b'n' | b'r' | b't')) => at += 2,
            (b'\\', Some(b'u')) => {
                let digits = bytes.get(at + 2..at + 6)?;
                if !digits.iter().all(u8::is_ascii_hexdigit) {
                    return None;
                }
                at += 6;
            }
            _ => return None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::decode_stored;
    use alloc::string::String;
    use alloc::vec::Vec;
    use proptest::prelude::*;

    #[test]
    fn members_and_items_are_found_where_they_stand() {
        let text = r#"{"metadata":{"name":"a\"b","list":[1,{"x":[]},"y"],"empty":{}},"n":-1.5e3,"z":null}"#;
        let object = CompactJson::object(text).unwrap();
        assert_eq!(object.find(&["metadata", "name"]).map(CompactJson::as_str), Some(r#""a\"b""#));
        let number = object.member("n").unwrap();
        assert_eq!((number.as_str(), &text[number.start()..number.end()]), ("-1.5e3", "-1.5e3"));
        assert_eq!(object.find(&["metadata", "empty", "x"]), None);
        let unread = CompactJson::unread(r#"{"a":{"b":"c"},nothing"#);
        assert_eq!(unread.find(&["a", "b"]).and_then(CompactJson::plain_text), Some("c"));
        assert_eq!((unread.member("d"), CompactJson::unread("").member("d")), (None, None));
        assert_eq!(object.find(&["n", "x"]), None);
        let mut items = Vec::new();
        object.find(&["metadata", "list"]).unwrap().each_item(|item| items.push(item.as_str()));
        assert_eq!(items, ["1", r#"{"x":[]}"#, r#""y""#]);
        assert_eq!(object.each_item(|_| ()), None);
        let list = object.each_item_at(&["metadata", "list"], |_| ());
        assert_eq!(list, object.find(&["metadata", "list"]));
        let nested = CompactJson::object(r#"{"a":[[],[1]],"b":[]}"#).unwrap();
        for name in ["a", "b"] {
            assert_eq!(nested.each_item_at(&[name], |_| ()), nested.member(name));
        }
        let first = CompactJson::first_object(text, text.find(":{").unwrap() + 1).unwrap();
        assert!(first.as_str().ends_with(r#""empty":{}}"#));
    }

    #[test]
    fn the_first_of_several_members_counts() {
        let object = CompactJson::object(r#"{"a":"1","b":"2","a":"3"}"#).unwrap();
        assert_eq!(object.member("a").and_then(CompactJson::plain_text), Some("1"));
        assert_eq!(object.member("c"), None);
    }

    #[test]
    fn texts_with_escapes_are_not_plain() {
        let object = CompactJson::object(r#"{"a":"x","b":"\n","c":1}"#).unwrap();
        let plain = |name| object.member(name).and_then(CompactJson::plain_text);
        assert_eq!((plain("a"), plain("b"), plain("c")), (Some("x"), None, None));
    }

    #[test]
    fn what_is_not_compact_is_left_to_the_decoder() {
        for text in ["", "1", "[]", "{", "{}{}", " {}", "{} ", r#"{"a": 1}"#, r#"{"a":1,}"#, "{,}"]
        {
            assert_eq!(CompactJson::object(text), None, "{text}");
        }
        let nested = |levels: usize| ["[".repeat(levels), "]".repeat(levels)].concat();
        let deep = |levels| alloc::format!(r#"{{"a":{}}}"#, nested(levels));
        assert!(CompactJson::object(&deep(depth::MAX_STORED_DEPTH)).is_some());
        assert!(CompactJson::object(&deep(depth::MAX_STORED_DEPTH + 1)).is_none());
    }

    /// Texts that are nearly JSON.
    fn nearly_json() -> impl Strategy<Value = String> {
        let part = prop::sample::select(
            &[
                "{", "}", "[", "]", ",", ":", "\"", "\"a\":", "\"b\"", "{\"a\":", "1", "-0", "01",
                "1e400", "1.5", "true", "null", "nul", "\\", "\\u00e9", "\\ud800", "\\x", "é",
                "\n", " ", "\u{feff}", "{}", "[]",
            ][..],
        );
        prop::collection::vec(part, 0..12).prop_map(|parts| parts.concat())
    }

    proptest! {
        #[test]
        fn only_what_can_be_decoded_is_read(text in nearly_json()) {
            for text in [alloc::format!("{{\"a\":{text}}}"), text] {
                let decoded = decode_stored(&text);
                match CompactJson::object(&text) {
                    Some(object) => {
                        let decoded = decoded.map_err(|error| TestCaseError::fail(error.message))?;
                        let is_unique = text.matches("\"a\":").count() == 1;
                        let span = decoded.get("a").map(|node| (node.span.start, node.span.end));
                        let range = |value: CompactJson<'_>| {
                            (value.start() as u32, value.end() as u32)
                        };
                        prop_assert!(!is_unique || object.member("a").map(range) == span);
                    }
                    // What remains has spaces.
                    None => prop_assert!(
                        decoded.is_err() || text.contains([' ', '\n', '\u{feff}']), "{}", text
                    ),
                }
            }
        }
    }
}
