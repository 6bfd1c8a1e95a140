//! Encoding of trees as block-style YAML; a text is quoted unless every parser takes it for text.

use crate::{Node, Value, write_text};
use alloc::string::String;
use core::fmt::Write;

/// Encodes a tree as a YAML document.
pub fn to_yaml(node: &Node<'_>) -> String {
    let mut out = String::new();
    block(&mut out, node, 0, true);
    out
}

fn block(out: &mut String, node: &Node<'_>, depth: usize, starts_line: bool) {
    match &node.value {
        Value::Map(entries) if !entries.is_empty() => {
            for (index, entry) in entries.iter().enumerate() {
                begin(out, depth, starts_line || index > 0);
                text(out, &entry.key);
                out.push(':');
                match is_leaf(&entry.node) {
                    true => {
                        out.push(' ');
                        leaf(out, &entry.node);
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
                    true => leaf(out, item),
                    false => block(out, item, depth + 1, false),
                }
            }
        }
        _ => {
            begin(out, depth, starts_line);
            leaf(out, node);
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

fn leaf(out: &mut String, node: &Node<'_>) {
    match &node.value {
        Value::Text(value) => text(out, value),
        _ => node.write_json(out),
    }
    out.push('\n');
}

/// Writes a text plain if it begins with a letter, holds only letters, digits and `-_./`, and is no YAML keyword.
fn text(out: &mut String, text: &str) {
    const KEYWORDS: &[&str] = &["y", "n", "yes", "no", "on", "off", "true", "false", "null"];
    let is_plain = text.starts_with(|letter: char| letter.is_ascii_alphabetic())
        && text.chars().all(|letter| letter.is_ascii_alphanumeric() || "-_./".contains(letter))
        && !KEYWORDS.iter().any(|keyword| text.eq_ignore_ascii_case(keyword));
    if is_plain {
        out.push_str(text);
        return;
    }
    let mut quoted = String::with_capacity(text.len() + 2);
    // Writing to a String cannot fail.
    let _ = write_text(&mut quoted, text);
    for letter in quoted.chars() {
        match letter {
            // Legal unescaped in JSON, not in YAML.
            '\u{7f}'..='\u{9f}' | '\u{feff}' | '\u{fffe}' | '\u{ffff}' => {
                let _ = write!(out, "\\u{:04x}", u32::from(letter));
            }
            plain => out.push(plain),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Limits, decode};

    #[test]
    fn letters_that_yaml_does_not_print_are_escaped() {
        let unprintable =
            "p\u{7f}\u{80}\u{85}\u{9f}\u{a0}\u{feff}\u{fffe}\u{ffff}\u{2028}\u{0}\u{10ffff}é";
        let node = Node::map([(unprintable, Node::string(unprintable))]);
        let yaml = to_yaml(&node);
        assert_eq!(decode(&yaml, Limits::DEFAULT).unwrap().documents.remove(0), node, "{yaml:?}");
    }

    #[test]
    fn what_is_written_is_read_again() {
        let json = r#"{"a":{"b":[1,"x",{"c":"true","d":[]},[2,3]],"e":{}},"f":"1","g":"a: b","h":null,"yes":"\n"}"#;
        let node = decode(json, Limits::DEFAULT).unwrap().documents.remove(0);
        let yaml = to_yaml(&node);
        let again = decode(&yaml, Limits::DEFAULT).unwrap().documents.remove(0);
        assert_eq!(again, node, "{yaml}");
        assert!(yaml.starts_with("a:\n  b:\n  - 1\n  - x\n  - c: \"true\"\n    d: []\n"), "{yaml}");
    }
}
