//! Fuzz target `stream`: the documents of a stream and its separators are the whole text, with the right positions.

#![allow(clippy::unwrap_used, reason = "a helper of a test may fail like a test")]

use ratchet_object::{LineColumn, LineIndex, YamlDocument, split_documents};

const WORDS: &[&str] = &[
    "---",
    "--- ",
    "---\n",
    "--- # c\n",
    "---#\n",
    "----\n",
    "---\r\n",
    "--- |\n",
    "---\t\n",
    "\n",
    "\r",
    "\r\n",
    " ",
    "#",
    "a: 1",
    "- ",
    "é",
    "\u{85}",
    "\u{a0}",
    "\u{2028}",
    "...\n",
    "  ---\n",
    "\n---",
    "\u{b}",
    "\u{c}",
    "-",
    "--",
];

#[test]
fn stream() {
    ratchet_fuzz::fuzz!("stream", WORDS, check);
}

fn check(text: &str) {
    let found: Vec<YamlDocument<'_>> = split_documents(text).collect();
    assert_eq!(found, by_lines(text));
    let mut covered = 0;
    for piece in &found {
        let gap = &text[covered..piece.offset];
        assert!(
            covered == 0 && gap.is_empty() || gap.starts_with("---"),
            "{gap:?} is no separator"
        );
        assert!(gap.find('\n').is_none_or(|at| at + 1 == gap.len()), "{gap:?} is more than a line");
        assert_eq!(text.get(piece.offset..piece.offset + piece.text.len()), Some(piece.text));
        assert_eq!(split_documents(piece.text).count(), 1, "{:?} holds a separator", piece.text);
        covered = piece.offset + piece.text.len();
    }
    assert_eq!(covered, text.len());
    check_places(text);
}

/// The same line by line, as a person would do it.
fn by_lines(text: &str) -> Vec<YamlDocument<'_>> {
    let mut found = Vec::new();
    let (mut start, mut start_line, mut offset) = (0, 0, 0);
    for (line, number) in text.split_inclusive('\n').zip(1..) {
        if is_separator(line) {
            found.push(YamlDocument {
                text: &text[start..offset],
                offset: start,
                line: start_line,
            });
            start = offset + line.len();
            start_line = if line.ends_with('\n') { number } else { number - 1 };
        }
        offset += line.len();
    }
    found.push(YamlDocument { text: &text[start..], offset: start, line: start_line });
    found
}

fn is_separator(line: &str) -> bool {
    line.strip_prefix("---").is_some_and(|tail| {
        let blanks = tail.len() - tail.trim_start_matches([' ', '\t', '\r', '\n', '\u{c}']).len();
        let rest = &tail[blanks..];
        rest.is_empty() || (blanks > 0 && rest.starts_with('#'))
    })
}

fn check_places(text: &str) {
    let index = LineIndex::new(text);
    let (mut line, mut column) = (1, 1);
    for (offset, letter) in text.char_indices() {
        assert_eq!(index.line_column(u32::try_from(offset).unwrap()), LineColumn { line, column });
        (line, column) = if letter == '\n' { (line + 1, 1) } else { (line, column + 1) };
    }
    let end = u32::try_from(text.len()).unwrap();
    assert_eq!(index.line_column(end), LineColumn { line, column });
    // Whoever asks for a place that does not exist gets one nevertheless.
    for beyond in (0..end).chain([end + 1, u32::MAX]) {
        assert!(index.line_column(beyond).line <= line);
    }
}
