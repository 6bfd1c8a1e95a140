//! How deep a tree may be: one limit, held by everything that builds one.
//!
//! Trees are walked, compared, written and dropped by functions that call themselves, so their depth is what such a
//! walk needs of the stack. Readers and patches refuse what is deeper than [`SENT`]; what this program wraps around an
//! object (a list, a row of a table, an event) stays within [`DEEPEST`], which no reader goes beyond, whatever its
//! [`Limits`](crate::Limits) say.

use crate::{Node, Value};
use alloc::vec;

/// Values inside values in an object that somebody sent.
pub(crate) const SENT: usize = 250;

/// Values inside values in an object as it is stored: what the server adds to one is not deep.
pub(crate) const STORED: usize = SENT + 20;

/// Values inside values in any tree.
pub(crate) const DEEPEST: usize = 300;

impl Node<'_> {
    /// How many values stand inside one another below this one: none in a scalar or in an empty list, one in `[1]`.
    ///
    /// Takes no more stack for a deep tree than for a flat one.
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
        type Read = fn(&str) -> Option<usize>;
        let readers: [(&str, Read); 3] = [
            ("JSON", |text| Some(decode_json(text, Limits::DEFAULT).ok()?.documents[0].depth())),
            ("YAML", |text| Some(decode(text, Limits::DEFAULT).ok()?.documents[0].depth())),
            ("events", |text| {
                Some(decode_without_shortcut(text, Limits::DEFAULT).ok()?.documents[0].depth())
            }),
        ];
        let lists = |levels: usize| format!("{}1{}", "[".repeat(levels), "]".repeat(levels));
        let maps = |levels: usize| format!("{}1{}", r#"{"a":"#.repeat(levels), "}".repeat(levels));
        for (name, read) in readers {
            for text in [lists(SENT), maps(SENT)] {
                assert_eq!(read(&text), Some(SENT), "{name}");
            }
            for text in [lists(SENT + 1), maps(SENT + 1), lists(100_000)] {
                assert_eq!(read(&text), None, "{name}");
            }
        }
        let dashes = |levels: usize| format!("{}1\n", "- ".repeat(levels));
        for read in [decode, decode_without_shortcut] {
            assert!(read(&dashes(SENT), Limits::DEFAULT).is_ok());
            assert!(read(&dashes(SENT + 1), Limits::DEFAULT).is_err());
        }
    }

    #[test]
    fn no_limits_go_beyond_the_deepest() {
        let endless = Limits { depth: usize::MAX, ..Limits::STORED };
        let lists = |levels: usize| format!("{}1{}", "[".repeat(levels), "]".repeat(levels));
        assert!(decode_json(&lists(DEEPEST), endless).is_ok());
        assert!(decode_json(&lists(DEEPEST + 1), endless).is_err());
        assert!(decode(&lists(DEEPEST + 1), endless).is_err());
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
        let why = decode(&long, Limits::DEFAULT).unwrap_err();
        assert_eq!(why.message, "nested deeper than 250 levels");
        // Three times 83 levels, and the map around them.
        let fits = chained(83, 3);
        assert_eq!(decode(&fits, Limits::DEFAULT).unwrap().documents[0].depth(), SENT);
        assert!(decode(&chained(83, 4), Limits::DEFAULT).is_err());
        // A merge key lays members beside others: it makes nothing deeper.
        let mut merged = String::from("a: &a {x: 1}\n");
        merged += &"b: {<<: *a}\n".repeat(3);
        assert_eq!(decode(&merged, Limits::DEFAULT).unwrap().documents[0].depth(), 2);
    }
}
