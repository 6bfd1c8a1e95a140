//! Escapes that make identifiers of property names.

use crate::syntax::RESERVED;
use alloc::borrow::Cow;
use alloc::string::String;

/// Characters that an identifier cannot have, and what stands for them.
const ESCAPES: &[(&str, &str)] =
    &[("__", "__underscores__"), (".", "__dot__"), ("-", "__dash__"), ("/", "__slash__")];

/// Whether a word is reserved.
pub(super) fn is_reserved(word: &str) -> bool {
    RESERVED.contains(&word)
}

/// The identifier of a property; `None` if its name has a character without an escape, or begins with a digit.
pub fn escape(name: &str) -> Option<Cow<'_, str>> {
    if name.is_empty() || name.starts_with(|first: char| first.is_ascii_digit()) {
        return None;
    }
    if is_reserved(name) {
        return Some(Cow::Owned(alloc::format!("__{name}__")));
    }
    let is_plain = |letter: char| letter.is_ascii_alphanumeric() || letter == '_';
    if name.chars().all(is_plain) && !name.contains("__") {
        return Some(Cow::Borrowed(name));
    }
    let mut escaped = String::with_capacity(name.len() + 8);
    let mut rest = name;
    while let Some(letter) = rest.chars().next() {
        if let Some((symbol, escape)) = ESCAPES.iter().find(|(symbol, _)| rest.starts_with(symbol))
        {
            escaped.push_str(escape);
            rest = rest.get(symbol.len()..)?;
        } else if is_plain(letter) {
            escaped.push(letter);
            rest = rest.get(1..)?;
        } else {
            return None;
        }
    }
    Some(Cow::Owned(escaped))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_become_identifiers() {
        let cases = [
            ("a", Some("a")),
            ("a_b", Some("a_b")),
            ("a-b", Some("a__dash__b")),
            ("a.b/c", Some("a__dot__b__slash__c")),
            ("a__b", Some("a__underscores__b")),
            ("___", Some("__underscores___")),
            ("if", Some("__if__")),
            ("namespace", Some("__namespace__")),
            ("_0", Some("_0")),
            ("0a", None),
            ("", None),
            ("a b", None),
            ("é", None),
            ("$ref", None),
        ];
        for (name, identifier) in cases {
            assert_eq!(escape(name).as_deref(), identifier, "{name}");
        }
    }
}
