//! Tests of the fast path against the full parser: whatever it accepts, it parses the same.

extern crate std;

mod corpus;
mod generated;
mod mutated;

use super::parse;
use crate::{Decoded, Limits, Node, Value, yaml};
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use alloc::{format, vec};

/// Whether the fast path accepts a text; fails if it then parses it differently.
fn accepts_with(text: &str, limits: Limits) -> Result<bool, String> {
    let Some(plain) = parse(text, limits) else { return Ok(false) };
    let full = yaml::parse(text, limits)
        .map_err(|error| format!("taken, but an error at {}: {error}", error.offset))?;
    compare(&plain, &full)?;
    Ok(true)
}

fn accepts(text: &str) -> Result<bool, String> {
    accepts_with(text, Limits::DEFAULT)
}

fn compare(plain: &Decoded<'_>, full: &Decoded<'_>) -> Result<(), String> {
    if plain.repeated != full.repeated {
        return Err(format!("repeated: {:?} instead of {:?}", plain.repeated, full.repeated));
    }
    if plain.documents.len() != full.documents.len() {
        return Err("another number of documents".into());
    }
    plain.documents.iter().zip(&full.documents).try_for_each(|(a, b)| compare_nodes(a, b))
}

/// Compares values, spans, names and the order of members.
fn compare_nodes(plain: &Node<'_>, full: &Node<'_>) -> Result<(), String> {
    let differ = || Err(format!("{plain:?}\ninstead of {full:?}"));
    if plain.span != full.span {
        return differ();
    }
    match (&plain.value, &full.value) {
        (Value::Map(a), Value::Map(b)) if a.len() == b.len() => {
            a.iter().zip(b).try_for_each(|(a, b)| {
                if a.key != b.key || a.key_span != b.key_span {
                    return differ();
                }
                compare_nodes(&a.node, &b.node)
            })
        }
        (Value::List(a), Value::List(b)) if a.len() == b.len() => {
            a.iter().zip(b).try_for_each(|(a, b)| compare_nodes(a, b))
        }
        (Value::Map(_) | Value::List(_), _) => differ(),
        (a, b) if a == b => Ok(()),
        _ => differ(),
    }
}

/// The values of a text, each with the source of its span.
fn spans(text: &str) -> Vec<(String, &str)> {
    fn walk<'t>(node: &Node<'_>, path: String, text: &'t str, out: &mut Vec<(String, &'t str)>) {
        out.push((path.clone(), &text[node.span.start as usize..node.span.end as usize]));
        for entry in node.entries() {
            walk(&entry.node, format!("{path}.{}", entry.key), text, out);
        }
        for (index, item) in node.items().iter().enumerate() {
            walk(item, format!("{path}.{index}"), text, out);
        }
    }
    let mut out = vec![];
    let decoded = parse(text, Limits::DEFAULT).expect("plain");
    walk(&decoded.documents[0], String::new(), text, &mut out);
    out
}

#[test]
fn plain_texts_take_the_shortcut_and_read_the_same() {
    for text in corpus::PLAIN {
        assert_eq!(accepts(text), Ok(true), "{text:?}");
        // CRLF line ends and a missing last line end change nothing.
        let windows = text.replace('\n', "\r\n");
        assert_eq!(accepts(&windows), Ok(true), "{windows:?}");
        let cut = text.trim_end_matches('\n');
        accepts(cut).unwrap_or_else(|difference| panic!("{cut:?}: {difference}"));
        let nested = format!("outer:\n{}after: 1\n", indented(text));
        accepts(&nested).unwrap_or_else(|difference| panic!("{nested:?}: {difference}"));
    }
}

fn indented(text: &str) -> String {
    text.lines().map(|line| format!("  {line}\n")).collect()
}

#[test]
fn other_texts_are_left_to_the_other_reader() {
    for text in corpus::LEFT {
        assert_eq!(accepts(text), Ok(false), "{text:?}");
    }
}

#[test]
fn there_are_enough_texts() {
    assert!(corpus::PLAIN.len() + corpus::LEFT.len() >= 120);
}

#[test]
fn values_have_the_spans_of_their_text() {
    let text = "a: 'x' # c\nb:\n- y\nc: {d: [1]}\ne: |\n  t\nf:\n";
    let values = spans(text);
    let want = [
        ("", &text[..text.len() - 2]),
        (".a", "'x'"),
        (".b", "y"),
        (".b.0", "y"),
        (".c", "{d: [1]}"),
        (".c.d", "[1]"),
        (".c.d.0", "1"),
        (".e", "t\n"),
        (".f", ""),
    ];
    assert_eq!(values, want.map(|(path, text)| (path.to_string(), text)));
}

#[test]
fn repeated_members_are_told_with_their_paths() {
    let text = "a:\n- - b: {c: 1, c: 2}\n    d: 1\n  - d: 1\n    d: 2\ne: 1\ne: 2\n";
    let decoded = parse(text, Limits::DEFAULT).expect("plain");
    let paths: Vec<&str> = decoded.repeated.iter().map(|row| row.path.as_str()).collect();
    assert_eq!(paths, ["a[0][0].b.c", "a[0][1].d", "e"]);
    assert_eq!(accepts(text), Ok(true));
}

#[test]
fn limits_hold() {
    let nodes = |nodes| Limits { nodes, ..Limits::DEFAULT };
    let text = "a: [1, {b: 2}]\nc:\n";
    // One map, two keys, a list, a number, a map, a key, a number and a null.
    for count in 0..12 {
        assert_eq!(accepts_with(text, nodes(count)), Ok(count >= 9), "{count} nodes");
        assert_eq!(yaml::parse(text, nodes(count)).is_ok(), count >= 9, "{count} nodes");
    }
    for depth in 0..6 {
        let limits = Limits { depth, ..Limits::DEFAULT };
        let accepted = accepts_with("a:\n- - [{b: 1}]\n", limits);
        assert_eq!(accepted, Ok(depth >= 5), "{depth} levels");
    }
    for deep in [200, 249, 250, 251, 252, 300] {
        let brackets = format!("a: {}{}\n", "[".repeat(deep), "]".repeat(deep));
        assert_eq!(accepts(&brackets), Ok(deep <= 250), "{deep} levels");
        let dashes = format!("{}a\n", "- ".repeat(deep));
        assert_eq!(accepts(&dashes), Ok(deep <= 250), "{deep} levels");
    }
    for long in [900, 1000, 1001, 1023, 1024, 1025, 5000] {
        let key = "k".repeat(long);
        for text in [format!("{key}: 1\n"), format!("a: {{{key}: 1}}\n"), format!("- '{key}'\n")] {
            accepts(&text).unwrap_or_else(|difference| panic!("{long}: {difference}"));
        }
    }
}

/// All documents of the YAML files below a folder, each with its file name.
fn documents(folder: &str) -> Vec<(String, String)> {
    let mut documents = vec![];
    let mut folders = vec![std::path::PathBuf::from(folder)];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).expect("a folder") {
            let path = entry.expect("an entry").path();
            let is_yaml = path.extension().is_some_and(|name| name == "yaml" || name == "yml");
            if path.is_dir() && !path.is_symlink() {
                folders.push(path);
            } else if is_yaml && let Ok(text) = std::fs::read_to_string(&path) {
                let pieces = crate::split_documents(&text).map(|piece| piece.text);
                let pieces = pieces.filter(|text| {
                    !yaml::parse(text, Limits::DEFAULT)
                        .is_ok_and(|decoded| decoded.documents.is_empty())
                });
                documents
                    .extend(pieces.map(|piece| (path.display().to_string(), piece.to_string())));
            }
        }
    }
    documents
}

#[test]
fn all_cases_without_anchors_take_the_shortcut() {
    let all = documents("../../cases");
    assert!(all.len() > 300);
    for (path, text) in all {
        let accepted = accepts(&text).unwrap_or_else(|difference| panic!("{path}: {difference}"));
        assert!(accepted || text.contains(": &"), "{path}");
    }
}
