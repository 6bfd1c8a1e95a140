//! Streaming indentation of compact JSON by two spaces, without decoding it.

/// Indents JSON that arrives in arbitrary pieces.
#[derive(Debug, Default)]
pub(crate) struct Indenter {
    depth: usize,
    /// Whether the last token opened a bracket: an empty object or list stays on its line.
    opened: bool,
    text: Text,
}

/// Whether the next byte is part of a string.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Text {
    #[default]
    Outside,
    Inside,
    Escaped,
}

impl Indenter {
    /// Appends the next piece to `out`.
    pub(crate) fn push(&mut self, piece: &[u8], out: &mut Vec<u8>) {
        let mut rest = piece;
        while let Some((&byte, after)) = rest.split_first() {
            if self.text != Text::Outside {
                rest = self.text(rest, out);
                continue;
            }
            rest = after;
            match byte {
                b' ' | b'\n' | b'\r' | b'\t' => {}
                b'{' | b'[' => {
                    self.value(out);
                    out.push(byte);
                    self.depth += 1;
                    self.opened = true;
                }
                b'}' | b']' => {
                    self.depth = self.depth.saturating_sub(1);
                    if !std::mem::take(&mut self.opened) {
                        self.newline(out);
                    }
                    out.push(byte);
                }
                b',' => {
                    out.push(byte);
                    self.newline(out);
                }
                b':' => out.extend_from_slice(b": "),
                b'"' => {
                    self.value(out);
                    out.push(byte);
                    self.text = Text::Inside;
                }
                _ => {
                    self.value(out);
                    out.push(byte);
                }
            }
        }
    }

    /// Copies a string up to its end, or to the end of the piece.
    fn text<'p>(&mut self, piece: &'p [u8], out: &mut Vec<u8>) -> &'p [u8] {
        let end = piece.iter().position(|byte| {
            self.text = match (self.text, byte) {
                (Text::Escaped, _) => Text::Inside,
                (_, b'\\') => Text::Escaped,
                (_, b'"') => Text::Outside,
                (text, _) => text,
            };
            self.text == Text::Outside
        });
        let (text, rest) = piece.split_at(end.map_or(piece.len(), |end| end + 1));
        out.extend_from_slice(text);
        rest
    }

    /// Starts a new line for the first value after a bracket.
    fn value(&mut self, out: &mut Vec<u8>) {
        if std::mem::take(&mut self.opened) {
            self.newline(out);
        }
    }

    fn newline(&self, out: &mut Vec<u8>) {
        out.push(b'\n');
        out.resize(out.len() + 2 * self.depth, b' ');
    }
}

/// Indents a whole document, without a trailing newline.
pub(crate) fn indented(text: &str) -> String {
    let mut out = Vec::with_capacity(text.len() * 2);
    Indenter::default().push(text.as_bytes(), &mut out);
    String::from_utf8_lossy(&out).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use ratchet_object::{Limits, Node, Value, decode_json};

    #[test]
    fn people_get_two_spaces() {
        let text = indented(r#"{"a":[1,{"b":"\u003c"}],"c":{},"d":[], "e":"{\"x\\:[],"}"#);
        let wanted = "{\n  \"a\": [\n    1,\n    {\n      \"b\": \"\\u003c\"\n    }\n  ],\n  \"c\": {},\n  \"d\": [],\n  \"e\": \"{\\\"x\\\\:[],\"\n}";
        assert_eq!(text, wanted);
        assert_eq!(indented("{}"), "{}");
        assert_eq!(indented("[[],{}]"), "[\n  [],\n  {}\n]");
    }

    fn tree() -> impl Strategy<Value = Node<'static>> {
        let leaf = prop_oneof![
            Just(Node::new(Value::Null)),
            any::<bool>().prop_map(Node::bool),
            any::<i64>().prop_map(Node::int),
            ".{0,8}".prop_map(Node::string),
        ];
        leaf.prop_recursive(4, 40, 5, |inner| {
            prop_oneof![
                prop::collection::vec(inner.clone(), 0..4).prop_map(Node::list),
                prop::collection::btree_map(".{0,5}", inner, 0..4).prop_map(|map| {
                    let mut node = Node::empty_map();
                    for (key, value) in map {
                        node.set(key, value);
                    }
                    node
                }),
            ]
        })
    }

    proptest! {
        #[test]
        fn the_same_is_read_again_wherever_it_is_torn(node in tree(), tear in 0..60_usize) {
            let text = node.to_json();
            let whole = indented(&text);
            let (one, two) = text.as_bytes().split_at(tear.min(text.len()));
            let (mut indenter, mut torn) = (Indenter::default(), Vec::new());
            indenter.push(one, &mut torn);
            indenter.push(two, &mut torn);
            prop_assert_eq!(&torn, whole.as_bytes());
            let again = decode_json(&whole, Limits::STORED).unwrap().documents.remove(0);
            prop_assert_eq!(again.to_json(), text);
            for line in whole.lines() {
                prop_assert!(!line.ends_with(' '));
            }
        }
    }
}
