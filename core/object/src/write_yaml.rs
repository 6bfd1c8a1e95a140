//! Encoding of trees as block-style YAML, with the order of keys that the API server's encoder has.

use crate::yaml_key::compare_yaml_keys;
use crate::yaml_style::{Style, key_style, literal_header, style, write_quoted};
use crate::{Entry, Node, Value};
use alloc::string::String;
use alloc::vec::Vec;

/// Encodes a tree as a YAML document.
pub fn to_yaml(node: &Node<'_>) -> String {
    let mut out = String::new();
    block(&mut out, node, 0, true);
    out
}

fn sorted<'e, 'n>(entries: &'e [Entry<'n>]) -> Vec<&'e Entry<'n>> {
    let mut entries: Vec<&Entry<'_>> = entries.iter().collect();
    entries.sort_by(|one, other| compare_yaml_keys(&one.key, &other.key));
    entries
}

fn block(out: &mut String, node: &Node<'_>, depth: usize, starts_line: bool) {
    match &node.value {
        Value::Map(entries) if !entries.is_empty() => {
            for (index, entry) in sorted(entries).into_iter().enumerate() {
                begin(out, depth, starts_line || index > 0);
                scalar(out, &entry.key, key_style(&entry.key), depth);
                out.push(':');
                match is_leaf(&entry.node) {
                    true => {
                        out.push(' ');
                        leaf(out, &entry.node, depth);
                    }
                    // A list below a key has no indentation of its own.
                    false => {
                        out.push('\n');
                        let is_list = matches!(entry.node.value, Value::List(_));
                        block(out, &entry.node, if is_list { depth } else { depth + 1 }, true);
                    }
                }
            }
        }
        Value::List(items) if !items.is_empty() => {
            for (index, item) in items.iter().enumerate() {
                begin(out, depth, starts_line || index > 0);
                out.push_str("- ");
                match is_leaf(item) {
                    true => leaf(out, item, depth),
                    false => block(out, item, depth + 1, false),
                }
            }
        }
        _ => {
            begin(out, depth, starts_line);
            leaf(out, node, depth);
        }
    }
}

fn begin(out: &mut String, depth: usize, starts_line: bool) {
    if starts_line {
        out.extend(core::iter::repeat_n("  ", depth));
    }
}

fn is_leaf(node: &Node<'_>) -> bool {
    node.entries().is_empty() && node.items().is_empty()
}

fn leaf(out: &mut String, node: &Node<'_>, depth: usize) {
    match &node.value {
        Value::Text(text) => scalar(out, text, style(text), depth),
        _ => node.write_json(out),
    }
    if !out.ends_with('\n') {
        out.push('\n');
    }
}

fn scalar(out: &mut String, text: &str, style: Style, depth: usize) {
    match style {
        Style::Plain => out.push_str(text),
        Style::SingleQuoted => {
            out.push('\'');
            out.push_str(&text.replace('\'', "''"));
            out.push('\'');
        }
        Style::DoubleQuoted => write_quoted(out, text),
        Style::Literal => {
            out.push_str(&literal_header(text));
            for line in text.split_inclusive('\n') {
                if line != "\n" {
                    begin(out, depth + 1, true);
                }
                out.push_str(line);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Limits, decode};
    use proptest::prelude::*;

    fn read(yaml: &str) -> Node<'static> {
        decode(yaml, Limits::DEFAULT).unwrap().documents.remove(0).into_owned()
    }

    #[test]
    fn letters_that_yaml_does_not_print_are_escaped() {
        let unprintable =
            "p\u{7f}\u{80}\u{85}\u{9f}\u{a0}\u{feff}\u{fffe}\u{ffff}\u{2028}\u{0}\u{10ffff}é";
        let node = Node::map([(unprintable, Node::string(unprintable))]);
        let yaml = to_yaml(&node);
        assert_eq!(read(&yaml), node, "{yaml:?}");
    }

    #[test]
    fn keys_are_sorted_and_texts_written_as_plainly_as_they_can_be() {
        let json = r##"{"kind":"A","apiVersion":"v1","f:b":{".":{},"f:a":"x: y"},"n10":"1","n9":"","l":[["a"],{"b":"it's","a":"# no"}],"m":"one\n\n two\n","e":["x\ny"],"t":"2026-01-02T03:04:05Z"}"##;
        let yaml = [
            "apiVersion: v1",
            "e:",
            "- |-",
            "  x",
            "  y",
            "f:b:",
            "  .: {}",
            "  f:a: 'x: y'",
            "kind: A",
            "l:",
            "- - a",
            "- a: '# no'",
            "  b: it's",
            "m: |",
            "  one",
            "",
            "   two",
            "n9: \"\"",
            "n10: \"1\"",
            "t: \"2026-01-02T03:04:05Z\"",
            "",
        ];
        assert_eq!(to_yaml(&read(json)), yaml.join("\n"));
    }

    #[test]
    fn what_is_written_is_read_again() {
        let json = r#"{"a":{"b":[1,"x",{"c":"true","d":[]},[2,3]],"e":{}},"f":"1","g":"a: b","h":null,"yes":"\n"}"#;
        let node = read(json);
        let yaml = to_yaml(&node);
        assert_eq!(read(&yaml), node, "{yaml}");
        assert!(yaml.starts_with("a:\n  b:\n  - 1\n  - x\n  - c: \"true\"\n    d: []\n"), "{yaml}");
    }

    proptest! {
        #[test]
        fn any_text_is_read_again(text in "[ -~\\n\\t\u{e9}\u{2028}:#'\"|>.0-9]{0,12}", key in "[ -~]{1,8}") {
            let node = Node::map([(key.as_str(), Node::list(alloc::vec![
                Node::string(text.clone()),
                Node::map([("x", Node::string(text.clone()))]),
            ]))]);
            let yaml = to_yaml(&node);
            prop_assert_eq!(read(&yaml), node, "{:?}", yaml);
        }
    }
}
