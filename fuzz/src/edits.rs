//! Texts made from seeds by small edits, or from the words that a target thinks are of interest.

use crate::{Choices, tree};
use std::ops::Range;

/// What stands for a value of another type, an end, or something that few readers expect.
const ODD: &[&str] = &[
    "null",
    "true",
    "0",
    "-1",
    "1.5",
    "1e3",
    "08",
    "0x1f",
    "9223372036854775808",
    "[]",
    "{}",
    "\"\"",
    "''",
    "~",
    "yes",
    "[1, a]",
    "{a: 1}",
    "&x",
    "*x",
    "<<",
    "!!str",
    "|",
    ">-",
    "- ",
    ": ",
    ", ",
    "#",
    "\n",
    "\n---\n",
    "\r\n",
    "\t",
    "\\",
    "\"",
    "'",
    "é",
    "\u{feff}",
    "\u{0}",
    "\u{85}",
    "\u{2028}",
    "😀",
    "\u{fffd}",
];

/// No text grows beyond this many bytes.
const LONGEST: usize = 1 << 15;

/// A text of any of the sorts that are made here.
pub(crate) fn made(
    choices: &mut Choices<'_>,
    seeds: &[(String, String)],
    words: &[&str],
) -> String {
    match choices.below(8) {
        0 => soup(choices, words),
        1 => tree::made(choices, words),
        2 => {
            let mut text = soup(choices, words);
            edit(&mut text, choices, seeds, words);
            text
        }
        _ => {
            let mut text = choices.pick(seeds).map(|(_, text)| text.clone()).unwrap_or_default();
            for _ in 0..=choices.below(6) {
                edit(&mut text, choices, seeds, words);
            }
            text
        }
    }
}

/// Words, one after another.
fn soup(choices: &mut Choices<'_>, words: &[&str]) -> String {
    let mut text = String::new();
    for _ in 0..=choices.below(12) {
        text.push_str(word(choices, words));
    }
    text
}

fn word<'w>(choices: &mut Choices<'_>, words: &[&'w str]) -> &'w str {
    let all = if choices.one_in(4) { ODD } else { words };
    choices.pick(all).copied().unwrap_or_default()
}

fn edit(text: &mut String, choices: &mut Choices<'_>, seeds: &[(String, String)], words: &[&str]) {
    match choices.below(12) {
        0 => text.replace_range(span(text, choices), ""),
        1 => {
            let span = span(text, choices);
            let again = text.get(span.clone()).unwrap_or_default().to_owned();
            text.insert_str(span.end, &again);
        }
        2 => {
            let at = boundary(text, choices);
            text.insert_str(at, word(choices, words));
        }
        3 => {
            let letter = char::from(u8::try_from(choices.below(128)).unwrap_or_default());
            let at = boundary(text, choices);
            text.insert(at, letter);
        }
        4 => {
            let at = boundary(text, choices);
            if let Some(letter) = text.get(at..).and_then(|rest| rest.chars().next()) {
                text.replace_range(at..at + letter.len_utf8(), word(choices, words));
            }
        }
        5 => lines(text, choices),
        6 => {
            let other = choices.pick(seeds).map(|(_, text)| text.as_str()).unwrap_or_default();
            let (at, from) = (boundary(text, choices), boundary(other, choices));
            text.truncate(at);
            text.push_str(other.get(from..).unwrap_or_default());
        }
        7 => {
            let other = choices.pick(seeds).map(|(_, text)| text.as_str()).unwrap_or_default();
            let with = token(other, choices).and_then(|span| other.get(span)).unwrap_or_default();
            if let Some(span) = token(text, choices) {
                text.replace_range(span, with);
            }
        }
        _ => {
            if let Some(span) = token(text, choices) {
                text.replace_range(span, word(choices, words));
            }
        }
    }
    text.truncate(text.floor_char_boundary(LONGEST));
}

/// Drops, repeats or moves one line.
fn lines(text: &mut String, choices: &mut Choices<'_>) {
    let mut lines: Vec<&str> = text.split_inclusive('\n').collect();
    let line = lines.get(choices.below(lines.len())).copied().unwrap_or_default();
    let (kind, to) = (choices.below(3), choices.below(lines.len() + 1));
    if kind != 1
        && let Some(from) = lines.iter().position(|other| *other == line)
    {
        lines.remove(from);
    }
    if kind != 0 {
        lines.insert(to.min(lines.len()), line);
    }
    *text = lines.concat();
}

/// A run of letters that belong together; what belongs together is drawn as well.
fn token(text: &str, choices: &mut Choices<'_>) -> Option<Range<usize>> {
    let inside: &[char] = match choices.below(3) {
        0 => &[],
        1 => &['.', ':', '/', '-', '_', '%'],
        _ => &['.', '/', '-', '_'],
    };
    let is_inside = |letter: char| letter.is_alphanumeric() || inside.contains(&letter);
    let mut tokens: Vec<Range<usize>> = Vec::new();
    for (at, letter) in text.char_indices().filter(|(_, letter)| is_inside(*letter)) {
        match tokens.last_mut() {
            Some(last) if last.end == at => last.end += letter.len_utf8(),
            _ => tokens.push(at..at + letter.len_utf8()),
        }
    }
    choices.pick(&tokens).cloned()
}

fn span(text: &str, choices: &mut Choices<'_>) -> Range<usize> {
    let start = boundary(text, choices);
    let end = text.floor_char_boundary(start + choices.below(24));
    start..end.max(start)
}

fn boundary(text: &str, choices: &mut Choices<'_>) -> usize {
    text.floor_char_boundary(choices.below(text.len() + 1))
}
