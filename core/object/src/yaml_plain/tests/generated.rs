//! Random trees in random plain styles, all of which the fast path accepts.

use super::accepts;
use super::mutated::{apply_damage, config, damage};
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use proptest::prelude::*;
use proptest::sample::select;

const KEYS: &[&str] = &[
    "a",
    "b",
    "name",
    "app.kubernetes.io/name",
    "x y",
    "'q'",
    "\"d\\n\"",
    "'it''s'",
    "1",
    "yes",
    "k:v",
    "ключ",
    "-k",
];

const SCALARS: &[&str] = &[
    "",
    "x",
    "1",
    "-1",
    "0777",
    "1.5",
    "yes",
    "~",
    "text with words",
    "a:b",
    "http://x/y#z",
    "10.0.0.1",
    "::1",
    "'single'",
    "''",
    "'it''s # x: y'",
    "\"double\"",
    "\"a\\n\\\"b\\\\\"",
    "\"\"",
    "[]",
    "{}",
    "[a, 'b', \"c\", 1]",
    "{a: 1, b: [x, {c: d}]}",
    "{\"a\":1}",
    "100m",
    "--flag=x",
    "é",
    "2001-01-01",
];

/// What follows a value on its line, perhaps a comment.
const GAPS: &[&str] = &["", "", "", "", " ", "   ", " # comment", "  # a: b"];

/// Lines between others, at any depth.
const BETWEEN: &[&str] = &["", "", "", "", "", "", "\n", "   \n", "# c\n", "      # c\n", "\n\n"];

#[derive(Clone, Debug)]
enum Tree {
    Scalar(&'static str, &'static str),
    Text(&'static str, Vec<&'static str>),
    List(usize, Vec<(Self, &'static str)>),
    Map(usize, Vec<(&'static str, Self, &'static str)>),
}

fn tree() -> impl Strategy<Value = Tree> {
    let scalar = (select(SCALARS), select(GAPS)).prop_map(|(text, gap)| Tree::Scalar(text, gap));
    let line = select(&["x", "y: z", "", "  deeper", "# c", "\ttab", "- a", "---"][..]);
    let text = (select(&["|", "|-", "|+", ">", ">-", ">+"][..]), prop::collection::vec(line, 0..5))
        .prop_map(|(style, lines)| Tree::Text(style, lines));
    let leaf = prop_oneof![5 => scalar, 1 => text];
    leaf.prop_recursive(5, 40, 5, |inner| {
        let item = (inner.clone(), select(BETWEEN));
        let member = (select(KEYS), inner, select(BETWEEN));
        prop_oneof![
            (0..4usize, prop::collection::vec(item, 1..5))
                .prop_map(|(by, items)| Tree::List(by, items)),
            (1..5usize, prop::collection::vec(member, 1..5))
                .prop_map(|(by, rows)| Tree::Map(by, rows)),
        ]
    })
}

/// Writes the value behind a key or a dash at `column`.
fn write(tree: &Tree, column: usize, behind_dash: bool, out: &mut String) {
    match tree {
        Tree::Scalar(text, gap) => {
            let blank = if text.is_empty() { "" } else { " " };
            out.push_str(&format!("{blank}{text}{gap}\n"));
        }
        Tree::Text(style, lines) => {
            // The first line sets the indentation, so it must have content.
            out.push_str(&format!(" {style}\n{}first\n", " ".repeat(column + 2)));
            for line in lines {
                out.push_str(&format!("{}{line}\n", " ".repeat(column + 2)));
            }
        }
        // Behind a dash, a list or map may begin on the dash's line.
        Tree::List(by, items) if behind_dash && *by == 0 => {
            write_items(items, column + 2, true, out);
        }
        Tree::Map(by, rows) if behind_dash && *by <= 2 => {
            write_rows(rows, column + 1 + by, Some(*by), out);
        }
        Tree::List(by, items) => {
            out.push('\n');
            let by = if behind_dash { (*by).max(1) } else { *by };
            write_items(items, column + by, false, out);
        }
        Tree::Map(by, rows) => {
            out.push('\n');
            write_rows(rows, column + by, None, out);
        }
    }
}

fn write_items(items: &[(Tree, &str)], column: usize, is_compact: bool, out: &mut String) {
    for (index, (item, between)) in items.iter().enumerate() {
        let lead = if index == 0 && is_compact {
            " ".to_string()
        } else {
            format!("{between}{}", " ".repeat(column))
        };
        out.push_str(&format!("{lead}-"));
        write(item, column, true, out);
    }
}

fn write_rows(rows: &[(&str, Tree, &str)], column: usize, lead: Option<usize>, out: &mut String) {
    for (index, (key, value, between)) in rows.iter().enumerate() {
        let lead = match lead {
            Some(by) if index == 0 => " ".repeat(by),
            _ => format!("{between}{}", " ".repeat(column)),
        };
        out.push_str(&format!("{lead}{key}:"));
        write(value, column, false, out);
    }
}

type Row = (&'static str, Tree, &'static str);

fn manifest() -> impl Strategy<Value = Vec<Row>> {
    prop::collection::vec((select(KEYS), tree(), select(BETWEEN)), 1..5)
}

fn to_text(rows: &[Row]) -> String {
    let mut text = String::new();
    write_rows(rows, 0, None, &mut text);
    text
}

proptest! {
    #![proptest_config(config())]

    #[test]
    fn a_generated_manifest_takes_the_shortcut(rows in manifest()) {
        let text = to_text(&rows);
        match accepts(&text) {
            Ok(true) => {}
            Ok(false) => return Err(TestCaseError::fail(format!("left: {text:?}\n{text}"))),
            Err(difference) => return Err(TestCaseError::fail(format!("{text:?}\n{difference}"))),
        }
    }

    #[test]
    fn a_damaged_generated_manifest_reads_the_same(
        rows in manifest(),
        damages in prop::collection::vec(damage(), 1..4),
    ) {
        let text = damages.iter().fold(to_text(&rows), |text, damage| apply_damage(&text, damage));
        if let Err(difference) = accepts(&text) {
            return Err(TestCaseError::fail(format!("{text:?}\n{difference}")));
        }
    }
}
