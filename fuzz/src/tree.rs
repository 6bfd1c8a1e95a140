//! Random trees: generated, written as JSON, grafted, and checked against their spans.

use crate::Choices;
use ratchet_object::{DecodeError, Entry, Node, Span, Value};
use std::fmt::Write;

/// A tree as JSON that reads back as the same tree: a whole float keeps its point.
pub fn json(node: &Node<'_>) -> String {
    let mut out = String::new();
    write(node, &mut out);
    out
}

fn write(node: &Node<'_>, out: &mut String) {
    match &node.value {
        Value::Null => out.push_str("null"),
        Value::Bool(truth) => out.push_str(if *truth { "true" } else { "false" }),
        Value::Int(number) => out.push_str(&number.to_string()),
        Value::Float(number) => out.push_str(&format!("{number:?}")),
        Value::Text(text) => quote(text, out),
        Value::List(items) => {
            write_all(['[', ']'], items, out, |item, out| write(item, out));
        }
        Value::Map(entries) => write_all(['{', '}'], entries, out, |entry, out| {
            quote(&entry.key, out);
            out.push_str(": ");
            write(&entry.node, out);
        }),
    }
}

fn write_all<T>(
    [open, close]: [char; 2],
    all: &[T],
    out: &mut String,
    write: impl Fn(&T, &mut String),
) {
    out.push(open);
    for (index, one) in all.iter().enumerate() {
        if index > 0 {
            out.push_str(", ");
        }
        write(one, out);
    }
    out.push(close);
}

/// A text as JSON, with everything escaped that YAML would not let stand as it is.
fn quote(text: &str, out: &mut String) {
    out.push('"');
    for letter in text.chars() {
        match letter {
            '"' | '\\' => out.extend(['\\', letter]),
            '\0'..='\u{1f}'
            | '\u{7f}'..='\u{9f}'
            | '\u{2028}'
            | '\u{2029}'
            | '\u{feff}'
            | '\u{fffe}'
            | '\u{ffff}' => {
                // Writing to a text cannot fail.
                let _ = write!(out, "\\u{:04x}", u32::from(letter));
            }
            plain => out.push(plain),
        }
    }
    out.push('"');
}

const DEEPEST: usize = 6;
const NUMBERS: [&str; 12] = [
    "0",
    "-1",
    "1.0",
    "0.5",
    "-0.0",
    "1e3",
    "2E-5",
    "2147483648",
    "9223372036854775807",
    "-9223372036854775808",
    "18446744073709551616",
    "0.1e+1",
];

/// A JSON document of any shape, whose names and texts are `words`.
pub fn made(choices: &mut Choices<'_>, words: &[&str]) -> String {
    let mut out = String::new();
    grow(choices, words, 0, &mut out);
    out
}

fn grow(choices: &mut Choices<'_>, words: &[&str], depth: usize, out: &mut String) {
    let word = |choices: &mut Choices<'_>| choices.pick(words).copied().unwrap_or_default();
    let sort = match depth {
        0 => choices.below(2),
        DEEPEST.. => 2 + choices.below(4),
        _ => choices.below(6),
    };
    match sort {
        0 => {
            let members: Vec<&str> = (0..choices.below(6)).map(|_| word(choices)).collect();
            write_members(choices, &members, words, depth, out);
        }
        1 => {
            out.push('[');
            for index in 0..choices.below(5) {
                out.push_str(if index > 0 { "," } else { "" });
                grow(choices, words, depth + 1, out);
            }
            out.push(']');
        }
        2 => out.push_str(choices.pick(&["null", "true", "false"]).copied().unwrap_or_default()),
        3 => out.push_str(choices.pick(&NUMBERS).copied().unwrap_or_default()),
        _ => quote(word(choices), out),
    }
}

fn write_members(
    choices: &mut Choices<'_>,
    members: &[&str],
    words: &[&str],
    depth: usize,
    out: &mut String,
) {
    out.push('{');
    for (index, name) in members.iter().enumerate() {
        out.push_str(if index > 0 { ", " } else { "" });
        quote(name, out);
        out.push_str(if choices.one_in(2) { ":" } else { ": " });
        grow(choices, words, depth + 1, out);
    }
    out.push('}');
}

/// Puts something else somewhere into a tree; every span stays one of its text.
pub fn graft<'t>(node: &mut Node<'t>, choices: &mut Choices<'_>) {
    let spare = node.clone();
    graft_below(node, &spare, choices);
}

fn graft_below<'t>(node: &mut Node<'t>, spare: &Node<'t>, choices: &mut Choices<'_>) {
    let stops = choices.one_in(6);
    match &mut node.value {
        Value::List(items) if !items.is_empty() && !stops => {
            let at = choices.below(items.len());
            if choices.one_in(8) {
                let again = items.get(at).cloned();
                items.extend(again);
            } else if let Some(item) = items.get_mut(at) {
                graft_below(item, spare, choices);
            }
        }
        Value::Map(entries) if !entries.is_empty() && !stops => {
            let at = choices.below(entries.len());
            if choices.one_in(12) {
                entries.remove(at);
            } else if let Some(entry) = entries.get_mut(at) {
                graft_below(&mut entry.node, spare, choices);
            }
        }
        value => *value = another(spare, choices),
    }
}

fn another<'t>(spare: &Node<'t>, choices: &mut Choices<'_>) -> Value<'t> {
    match choices.below(9) {
        0 => Value::Null,
        1 => Value::Bool(choices.one_in(2)),
        2 => Value::Int(choices.pick(&[0, 1, -1, i64::MAX, i64::MIN]).copied().unwrap_or_default()),
        3 => Value::Float(0.5),
        4 => Value::Text("".into()),
        5 => Value::List(Vec::new()),
        6 => Value::Map(Vec::new()),
        7 => Value::List([part(spare, choices).clone()].into()),
        _ => part(spare, choices).value.clone(),
    }
}

/// Some value of a tree.
fn part<'n, 't>(mut node: &'n Node<'t>, choices: &mut Choices<'_>) -> &'n Node<'t> {
    while !choices.one_in(5) {
        let next = match &node.value {
            Value::List(items) => choices.pick(items),
            Value::Map(entries) => choices.pick(entries).map(|entry| &entry.node),
            _ => None,
        };
        match next {
            Some(next) => node = next,
            None => break,
        }
    }
    node
}

/// How many values a tree has.
pub fn count(node: &Node<'_>) -> usize {
    let members = node.entries().iter().map(|entry| &entry.node);
    1 + node.items().iter().chain(members).map(count).sum::<usize>()
}

/// Asserts that a tree is no deeper than it may be.
///
/// # Panics
///
/// If it is.
pub fn assert_depth(node: &Node<'_>, deepest: usize) {
    let depth = node.depth();
    assert!(depth <= deepest, "{depth} levels, more than {deepest}");
}

/// Asserts that every span of a tree lies in its text, between letters.
///
/// # Panics
///
/// If one does not.
pub fn assert_spans(text: &str, node: &Node<'_>) {
    assert_span(text, node.span);
    node.items().iter().for_each(|item| assert_spans(text, item));
    for Entry { key_span, node, .. } in node.entries() {
        assert_span(text, *key_span);
        assert_spans(text, node);
    }
}

/// Asserts that a span lies in its text, between letters.
///
/// # Panics
///
/// If it does not.
pub fn assert_span(text: &str, span: Span) {
    let range = span.start as usize..span.end as usize;
    assert!(text.get(range).is_some(), "{span:?} is no part of {} bytes of text", text.len());
}

/// Asserts that an error has words, and points into its text, between letters.
///
/// # Panics
///
/// If it does not.
pub fn assert_error(text: &str, why: &DecodeError) {
    assert!(!why.message.is_empty());
    assert!(text.is_char_boundary(why.offset as usize), "{why:?}: {} bytes", text.len());
}
