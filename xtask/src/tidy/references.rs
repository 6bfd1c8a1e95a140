//! Checks that the files and items that the guides name exist: `path`, and `Item` in `path`.

use super::markdown::{Piece, blocks, code_spans, line_of, prose, section};
use crate::code;
use crate::violation::Violation;

/// The files whose code spans are checked.
pub(super) const GUIDES: [&str; 2] = ["ARCHITECTURE.md", "CONTRIBUTING.md"];

/// The file with the sections below.
pub(super) const CONTRIBUTING: &str = "CONTRIBUTING.md";

/// Its sections about one thing to add each; every one names at least one item.
const ADDING: [&str; 11] = [
    "Adding a rule",
    "Adding an address field",
    "Adding a kind",
    "Adding an admission plugin",
    "Adding a Pod Security check",
    "Adding a printer column",
    "Adding a controller",
    "Adding a store",
    "Adding a metric",
    "Adding a flag",
    "Adding a difference between a proposal and a release",
];

/// Its section of questions; every answer names at least one item.
const QUIZ: &str = "Quiz";

/// Words before the name of an item in its definition.
const KEYWORDS: [&str; 9] =
    ["const", "enum", "fn", "macro_rules", "mod", "static", "struct", "trait", "type"];

/// The files of the repository.
pub(super) struct Files<'a> {
    pub(super) paths: &'a [String],
    /// The text of a file.
    pub(super) read: &'a dyn Fn(&str) -> Option<String>,
}

impl Files<'_> {
    /// Whether a file or a folder exists.
    fn has(&self, path: &str) -> bool {
        let is_inside = |file: &String| {
            file.strip_prefix(path).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
        };
        self.paths.iter().any(is_inside)
    }

    /// Whether a code span begins with a folder of the root, or is a file of it.
    fn is_path(&self, span: &str) -> bool {
        match span.split_once('/') {
            Some((folder, _)) => !folder.is_empty() && !span.contains(' ') && self.has(folder),
            None => self.paths.iter().any(|path| path == span),
        }
    }
}

/// Checks a guide.
pub(super) fn check(path: &str, text: &str, files: &Files<'_>) -> Vec<Violation> {
    let prose = prose(text);
    let mut found = Vec::new();
    let mut refuse = |at: usize, what: String| {
        found.push(Violation::new(path, line_of(text, at), what));
    };
    for span in code_spans(&prose).iter().filter(|span| files.is_path(span.text)) {
        let name = without_placeholder(span.text);
        if !files.has(name) {
            refuse(span.start, format!("{name} does not exist; name the file or folder that does"));
        }
    }
    for Reference { item, file } in references(&prose, files) {
        if let Some(what) = missing(item.text, file, files) {
            refuse(item.start, what);
        }
    }
    if path == CONTRIBUTING {
        for heading in ADDING {
            let has_item = section(&prose, heading)
                .is_some_and(|section| !references(section.text, files).is_empty());
            if !has_item {
                refuse(0, format!("\"## {heading}\" is missing, or names no `Item` in `file`"));
            }
        }
        found.extend(check_quiz(path, text, &prose, files));
    }
    found
}

/// Checks that every answer of the quiz names an item and its file.
fn check_quiz(path: &str, text: &str, prose: &str, files: &Files<'_>) -> Vec<Violation> {
    let Some(quiz) = section(prose, QUIZ) else {
        return vec![Violation::new(path, 1, format!("\"## {QUIZ}\" is missing; add it"))];
    };
    let mut found = Vec::new();
    let mut at = quiz.start;
    for line in quiz.text.split_inclusive('\n') {
        if line.starts_with("| ") && line.contains('?') && references(line, files).is_empty() {
            let what = "the answer names no `Item` in `file`; name where it is";
            found.push(Violation::new(path, line_of(text, at), what));
        }
        at += line.len();
    }
    found
}

/// The diffs of a guide, each with its line, to be tried on the repository.
pub(super) fn diffs(text: &str) -> Vec<(usize, &str)> {
    blocks(text, &["diff"]).iter().map(|block| (line_of(text, block.start), block.text)).collect()
}

/// An item that a guide says is in a file.
pub(super) struct Reference<'t> {
    pub(super) item: Piece<'t>,
    pub(super) file: &'t str,
}

/// The items of "`A` in `file`", "`A` and `B` in `file`" and "`A`, `B` in `file`".
pub(super) fn references<'t>(prose: &'t str, files: &Files<'_>) -> Vec<Reference<'t>> {
    let spans = code_spans(prose);
    let between = |one: &Piece<'t>, next: &Piece<'t>| {
        let gap = prose.get(one.start + one.text.len() + 1..next.start.saturating_sub(1));
        gap.map(|gap| gap.split_whitespace().collect::<Vec<_>>().join(" ")).unwrap_or_default()
    };
    let mut found = Vec::new();
    for (index, file) in spans.iter().enumerate().filter(|(_, span)| files.is_path(span.text)) {
        let mut next = file;
        for (step, item) in spans.iter().take(index).rev().enumerate() {
            let words = between(item, next);
            let belongs = match step {
                0 => words == "in",
                _ => matches!(words.as_str(), "," | "and" | "or" | ", and"),
            };
            if !belongs || files.is_path(item.text) {
                break;
            }
            found.push(Reference { item: *item, file: file.text });
            next = item;
        }
    }
    found
}

/// What is wrong where a file does not define an item.
fn missing(item: &str, file: &str, files: &Files<'_>) -> Option<String> {
    let Some(text) = (files.read)(file) else {
        return Some(format!("{file} is no file, so `{item}` cannot be in it; name the file"));
    };
    let is_there = match file.ends_with(".rs") {
        true => defines(&code::of(&text), item),
        false => text.contains(item),
    };
    (!is_there).then(|| format!("{file} has no `{item}`; name the item, or the file, that it is"))
}

/// Whether Rust code defines an item: `name`, `name()`, `Type::name`, `Enum::Variant`.
fn defines(code: &str, item: &str) -> bool {
    let item = item.strip_suffix("()").unwrap_or(item);
    let is_part = |c: char| c.is_alphanumeric() || c == '_';
    let words: Vec<&str> =
        code.split(|c: char| !is_part(c)).filter(|word| !word.is_empty()).collect();
    let is_defined = |name: &str| {
        words.windows(2).any(
            |pair| matches!(pair, [keyword, word] if *word == name && KEYWORDS.contains(keyword)),
        )
    };
    match item.rsplit_once("::") {
        None => is_defined(item),
        Some((owner, name)) => {
            let owner = owner.rsplit("::").next().unwrap_or(owner);
            let is_variant = name.starts_with(char::is_uppercase) && words.contains(&name);
            words.contains(&owner) && (is_defined(name) || is_variant)
        }
    }
}

/// The part of a path before a placeholder: `cases` of `cases/<ID>/`.
fn without_placeholder(path: &str) -> &str {
    let end = path.find(['<', '*', '{', '…']);
    let prefix = end
        .and_then(|end| path.get(..end))
        .map_or(path, |prefix| prefix.rsplit_once('/').map_or(prefix, |(folder, _)| folder));
    prefix.trim_end_matches('/')
}

#[cfg(test)]
#[path = "references_tests.rs"]
mod tests;
