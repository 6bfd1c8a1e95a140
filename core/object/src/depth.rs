//! The limit on the depth of trees, enforced by everything that builds one.
//!
//! Trees are walked, compared, encoded and dropped by recursive functions, so their depth is the stack that such a walk
//! needs. Decoders and patches refuse trees deeper than [`MAX_REQUEST_DEPTH`]; what this program wraps around an object
//! (a list, a table row, a watch event) stays within [`MAX_DEPTH`], which no decoder exceeds, whatever its
//! [`Limits`](crate::Limits) are.

use crate::{Node, Value};
use alloc::vec;

/// The depth limit of a request body.
pub(crate) const MAX_REQUEST_DEPTH: usize = 250;

/// The depth limit of a stored object: what the server adds to a request is not deep.
pub(crate) const MAX_STORED_DEPTH: usize = MAX_REQUEST_DEPTH + 20;

/// The depth limit of any tree.
pub(crate) const MAX_DEPTH: usize = 300;

impl Node<'_> {
    /// The depth of nesting below this value: zero for a scalar or an empty list, one for `[1]`.
    ///
    /// Iterative: a deep tree takes no more stack than a flat one.
    pub fn depth(&self) -> usize {
        let mut deepest = 0;
        let mut open = vec![(self, 0)];
        while let Some((node, at)) = open.pop() {
            deepest = deepest.max(at);
            match &node.value {
                Value::List(items) => open.extend(items.iter().map(|item| (item, at + 1))),
                Value::Map(entries) => {
                    open.extend(entries.iter().map(|entry| (&entry.node, at + 1)));
                }
                _ => {}
            }
        }
        deepest
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Limits, decode, decode_json, decode_without_shortcut};
    use alloc::format;
    use alloc::string::String;

    #[test]
    fn depth_is_counted_from_zero() {
        for (text, depth) in [("1", 0), ("[]", 0), ("{}", 0), ("[1]", 1), (r#"{"a":[[],2]}"#, 2)] {
            let decoded = decode_json(text, Limits::DEFAULT).unwrap();
            assert_eq!(decoded.documents[0].depth(), depth, "{text}");
        }
    }

    #[test]
    fn every_reader_takes_the_deepest_tree_and_none_that_is_deeper() {
        type Decode = fn(&str) -> Option<usize>;
        let readers: [(&str, Decode); 3] = [
            ("JSON", |text| Some(decode_json(text, Limits::DEFAULT).ok()?.documents[0].depth())),
            ("YAML", |text| Some(decode(text, Limits::DEFAULT).ok()?.documents[0].depth())),
            ("events", |text| {
                Some(decode_without_shortcut(text, Limits::DEFAULT).ok()?.documents[0].depth())
            }),
        ];
        let lists = |levels: usize| format!("{}1{}", "[".repeat(levels), "]".repeat(levels));
        let maps = |levels: usize| format!("{}1{}", r#"{"a":"#.repeat(levels), "}".repeat(levels));
        for (name, decode_with) in readers {
            for text in [lists(MAX_REQUEST_DEPTH), maps(MAX_REQUEST_DEPTH)] {
                assert_eq!(decode_with(&text), Some(MAX_REQUEST_DEPTH), "{name}");
            }
            for text in [lists(MAX_REQUEST_DEPTH + 1), maps(MAX_REQUEST_DEPTH + 1), lists(100_000)]
            {
                assert_eq!(decode_with(&text), None, "{name}");
            }
        }
        let dashes = |levels: usize| format!("{}1\n", "- ".repeat(levels));
        for decode_with in [decode, decode_without_shortcut] {
            assert!(decode_with(&dashes(MAX_REQUEST_DEPTH), Limits::DEFAULT).is_ok());
            assert!(decode_with(&dashes(MAX_REQUEST_DEPTH + 1), Limits::DEFAULT).is_err());
        }
    }

    #[test]
    fn no_limits_go_beyond_the_deepest() {
        let endless = Limits { depth: usize::MAX, ..Limits::STORED };
        let lists = |levels: usize| format!("{}1{}", "[".repeat(levels), "]".repeat(levels));
        assert!(decode_json(&lists(MAX_DEPTH), endless).is_ok());
        assert!(decode_json(&lists(MAX_DEPTH + 1), endless).is_err());
        assert!(decode(&lists(MAX_DEPTH + 1), endless).is_err());
    }

    #[test]
    fn anchors_cannot_make_a_tree_deeper_than_it_may_be_written() {
        let chained = |brackets: usize, anchors: usize| {
            let (open, close) = ("[".repeat(brackets), "]".repeat(brackets));
            let mut text = format!("a0: &a0 {open}x{close}\n");
            for level in 1..anchors {
                text += &format!("a{level}: &a{level} {open}*a{}{close}\n", level - 1);
            }
            text
        };
        let long = chained(240, 24);
        assert!(long.len() < 13_000);
        let error = decode(&long, Limits::DEFAULT).unwrap_err();
        assert_eq!(error.message, "nested deeper than 250 levels");
        // Three times 83 levels, and the map around them.
        let fits = chained(83, 3);
        assert_eq!(decode(&fits, Limits::DEFAULT).unwrap().documents[0].depth(), MAX_REQUEST_DEPTH);
        assert!(decode(&chained(83, 4), Limits::DEFAULT).is_err());
        // A merge key adds members beside others: it makes nothing deeper.
        let mut merged = String::from("a: &a {x: 1}\n");
        merged += &"b: {<<: *a}\n".repeat(3);
        assert_eq!(decode(&merged, Limits::DEFAULT).unwrap().documents[0].depth(), 2);
    }
}
