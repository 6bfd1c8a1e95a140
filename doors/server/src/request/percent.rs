//! Percent decoding as in Go's `net/url`.

use memchr::memchr2;
use std::borrow::Cow;

/// Decodes a path; none if an escape is invalid. An escaped slash becomes a slash, for authorization and routing alike.
pub(super) fn path(text: &str) -> Option<Cow<'_, str>> {
    decode(text, false)
}

/// Decodes a name or value of a query, where a plus is a space.
pub(super) fn query(text: &str) -> Option<String> {
    decode(text, true).map(Cow::into_owned)
}

/// Invalid UTF-8 becomes replacement characters, which no object name contains.
fn decode(text: &str, plus_is_space: bool) -> Option<Cow<'_, str>> {
    if memchr2(b'%', b'+', text.as_bytes()).is_none() {
        return Some(Cow::Borrowed(text));
    }
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let Some((&byte, more)) = rest.split_first() {
        rest = more;
        match byte {
            b'+' if plus_is_space => bytes.push(b' '),
            b'%' => {
                let [high, low, behind @ ..] = more else { return None };
                bytes.push(digit(*high)? << 4 | digit(*low)?);
                rest = behind;
            }
            _ => bytes.push(byte),
        }
    }
    let text = String::from_utf8(bytes);
    let text = text.unwrap_or_else(|bad| String::from_utf8_lossy(bad.as_bytes()).into_owned());
    Some(Cow::Owned(text))
}

/// A hexadecimal digit.
fn digit(byte: u8) -> Option<u8> {
    char::from(byte).to_digit(16).and_then(|digit| u8::try_from(digit).ok())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_escaped_is_read_and_what_is_broken_is_not() {
        for (text, whole, value) in [
            ("/api/v1", Some("/api/v1"), Some("/api/v1")),
            ("a%2Fb%2f", Some("a/b/"), Some("a/b/")),
            ("1+2", Some("1+2"), Some("1 2")),
            ("%41%e4%B8%ad", Some("A中"), Some("A中")),
            ("%ff", Some("\u{fffd}"), Some("\u{fffd}")),
            ("%", None, None),
            ("%4", None, None),
            ("%zz", None, None),
            ("%+1", None, None),
        ] {
            assert_eq!(path(text).as_deref(), whole, "{text}");
            assert_eq!(query(text).as_deref(), value, "{text}");
        }
    }
}
