//! The text of an edit: a scalar as it is written, with another value in the same style.

use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use core::ops::Range;

/// A replacement of bytes in a document.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Replacement {
    /// The bytes that are replaced.
    pub(crate) range: Range<usize>,
    /// What they are replaced by.
    pub(crate) text: String,
}

/// The ways in which `new` can be written in place of `value`, the one in the same style first; none if the value is
/// written over several lines in a way that no other value can take over.
pub(crate) fn replacements(
    document: &str,
    span: Range<usize>,
    value: &str,
    new: &str,
) -> Vec<Replacement> {
    let Some(token) = document.get(span.clone()) else { return Vec::new() };
    let quote = token.chars().next().filter(|first| matches!(first, '"' | '\''));
    let mut occurrences = token.match_indices(value);
    if let (Some((at, _)), None) = (occurrences.next(), occurrences.next()) {
        let range = span.start + at..span.start + at + value.len();
        let same = Replacement { range: range.clone(), text: new.into() };
        // `2001:db8::` ends like a member's name, and needs quotes that another spelling did not.
        let quoted = Replacement { range, text: format!("\"{new}\"") };
        return match quote {
            Some(_) => Vec::from([same]),
            None => Vec::from([same, quoted]),
        };
    }
    // A quoted value with escapes: the canonical form needs none.
    match quote.filter(|_| !token.contains('\n')) {
        Some(quote) if token.len() >= 2 && token.ends_with(quote) => {
            Vec::from([Replacement { range: span.start + 1..span.end - 1, text: new.into() }])
        }
        _ => Vec::new(),
    }
}

/// The document with every replacement made; they are sorted and do not overlap.
pub(crate) fn apply(document: &str, replacements: &[Replacement]) -> String {
    let mut out = String::with_capacity(document.len());
    let mut from = 0;
    for replacement in replacements {
        out.push_str(document.get(from..replacement.range.start).unwrap_or_default());
        out.push_str(&replacement.text);
        from = replacement.range.end;
    }
    out.push_str(document.get(from..).unwrap_or_default());
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn first(document: &str, span: Range<usize>, value: &str) -> Option<String> {
        let ways = replacements(document, span, value, "NEW");
        ways.first().map(|way| apply(document, core::slice::from_ref(way)))
    }

    #[test]
    fn a_value_is_written_as_the_old_one_was() {
        assert_eq!(first("a: old # c", 3..6, "old").as_deref(), Some("a: NEW # c"));
        assert_eq!(first("a: 'old'", 3..8, "old").as_deref(), Some("a: 'NEW'"));
        assert_eq!(first("a: \"\\x6fld\"", 3..11, "old").as_deref(), Some("a: \"NEW\""));
        assert_eq!(first("a: >-\n  old\n", 3..11, "old").as_deref(), Some("a: >-\n  NEW\n"));
        assert_eq!(first("a: \"o\\\n  ld\"", 3..12, "old"), None);
    }
}
