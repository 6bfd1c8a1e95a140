//! A list too large to be held is taken apart item by item, in YAML as `kubectl get` writes it and
//! in any JSON.

use crate::lists::ListHead;
use ratchet_object::{Limits, Node, decode};
use std::sync::Arc;

/// Finds the items of one list, one after another.
pub(crate) struct Splitter {
    syntax: Syntax,
    begun: bool,
    /// What the list says of its items, as far as it says so before them.
    pub(crate) head: Arc<ListHead>,
    names_itself: bool,
}

#[derive(Clone, Copy)]
enum Syntax {
    /// Items begin with `- ` at this column.
    Yaml { indent: usize },
    /// Items stand between the brackets.
    Json,
}

/// The members that a list has beside its items.
const MEMBERS: [&str; 3] = ["apiVersion", "kind", "metadata"];

/// What was found.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Next {
    /// An item, and where the text behind it begins.
    Item { start: usize, end: usize, rest: usize },
    /// More text is needed to tell.
    More,
    /// There are no more items; the rest of the list begins here.
    Over { rest: usize },
}

/// What must be blanked out of an item's text so that it stands for itself at the same columns.
pub(crate) enum Blanks {
    Nothing,
    Dash(usize),
}

impl Blanks {
    pub(crate) fn apply(&self, text: &mut String) {
        if let Self::Dash(indent) = self
            && text.as_bytes().get(*indent) == Some(&b'-')
        {
            text.replace_range(*indent..indent + 1, " ");
        }
    }
}

impl Splitter {
    /// Whether the beginning of a document is the beginning of a list.
    pub(crate) fn find(held: &[u8]) -> Option<Self> {
        let (syntax, before) = match held.trim_ascii_start().first() {
            Some(b'{') => {
                let start = json_items(held)?;
                let before = std::str::from_utf8(held.get(..start)?).ok()?;
                let members = before.rsplit_once("\"items\"")?.0.trim_end().trim_end_matches(',');
                (Syntax::Json, format!("{members}}}"))
            }
            _ => {
                let (start, indent) = yaml_items(held)?;
                let before = std::str::from_utf8(held.get(..start)?).ok()?;
                let members = before.rsplit_once("items:")?.0;
                (Syntax::Yaml { indent }, members.to_owned())
            }
        };
        let (kind, api_version) = members_of_list(&before)?;
        let head = match kind.as_str() {
            "" => ListHead::default(),
            kind => ListHead::new(kind, &api_version)?,
        };
        Some(Self { syntax, begun: false, head: Arc::new(head), names_itself: !kind.is_empty() })
    }

    pub(crate) fn blanks(&self) -> Blanks {
        match self.syntax {
            Syntax::Yaml { indent } => Blanks::Dash(indent),
            Syntax::Json => Blanks::Nothing,
        }
    }

    /// The next item of what is held.
    pub(crate) fn next(&mut self, held: &[u8], ended: bool) -> Next {
        let next = match self.syntax {
            Syntax::Yaml { indent } => {
                let start =
                    if self.begun { 0 } else { yaml_items(held).map_or(0, |(start, _)| start) };
                next_yaml(held, start, indent, ended)
            }
            Syntax::Json => {
                let start = if self.begun { 0 } else { json_items(held).unwrap_or(0) };
                next_json(held, start, ended)
            }
        };
        self.begun |= !matches!(next, Next::More);
        next
    }

    /// Where the list ends, of what stands behind its items: in JSON at its closing brace, in YAML
    /// only at the end of the document, which the caller knows.
    pub(crate) fn end(&self, held: &[u8], document_end: Option<usize>) -> Option<usize> {
        match self.syntax {
            Syntax::Yaml { .. } => document_end,
            Syntax::Json => {
                let mut scan = Scan { depth: 2, ..Scan::default() };
                let closes = |&byte: &u8| {
                    scan.take(byte);
                    scan.depth == 0
                };
                held.iter().position(closes).map(|at| at + 1)
            }
        }
    }

    /// Whether what stands behind the items leaves it a list.
    pub(crate) fn is_list(&self, behind: &[u8]) -> bool {
        let Ok(text) = std::str::from_utf8(behind) else { return false };
        let members = match self.syntax {
            Syntax::Yaml { .. } => members_of_list(text),
            Syntax::Json => {
                let rest = text.trim_start().trim_start_matches(']').trim_start();
                members_of_list(&format!("{{{}", rest.trim_start_matches(',')))
            }
        };
        members.is_some_and(|(kind, _)| match kind.as_str() {
            "" => self.names_itself,
            kind => kind.ends_with("List"),
        })
    }
}

/// `kind` and `apiVersion` of a part of a list; none if it has members that no list has.
fn members_of_list(text: &str) -> Option<(String, String)> {
    let decoded = decode(text, Limits::DEFAULT).ok()?;
    let Some(node) = decoded.documents.into_iter().next() else { return Some(Default::default()) };
    let known = node.entries().iter().all(|entry| MEMBERS.contains(&entry.key.as_ref()));
    let word = |name: &str| node.get(name).and_then(Node::text).unwrap_or_default().to_owned();
    known.then(|| (word("kind"), word("apiVersion")))
}

/// Where the first item of a YAML list begins, and at which column its dash stands.
fn yaml_items(held: &[u8]) -> Option<(usize, usize)> {
    let key =
        if held.starts_with(b"items:") { 0 } else { memchr::memmem::find(held, b"\nitems:")? + 1 };
    let line = key + memchr::memchr(b'\n', held.get(key..)?)? + 1;
    if !held.get(key + 6..line)?.trim_ascii().is_empty() {
        return None;
    }
    let indent = held.get(line..)?.iter().take_while(|&&byte| byte == b' ').count();
    held.get(line + indent..)?.starts_with(b"- ").then_some((line, indent))
}

fn next_yaml(held: &[u8], start: usize, indent: usize, ended: bool) -> Next {
    let is_item = |line: &[u8]| {
        line.len() > indent
            && line.iter().take(indent).all(|&byte| byte == b' ')
            && line
                .get(indent..)
                .is_some_and(|rest| rest.starts_with(b"- ") || rest.trim_ascii() == b"-")
    };
    // A line of another member, or of another document, ends the list.
    let ends_list = |line: &[u8]| match line.iter().position(|&byte| byte != b' ') {
        None => false,
        Some(column) => {
            column < indent.max(1)
                && !matches!(line.get(column), Some(b'#' | b'\r' | b'\n'))
                && !is_item(line)
        }
    };
    let mut at = start;
    let mut begun = false;
    loop {
        let Some(length) = memchr::memchr(b'\n', held.get(at..).unwrap_or_default()) else {
            return match (ended, begun) {
                (true, true) => Next::Item { start, end: held.len(), rest: held.len() },
                (true, false) => Next::Over { rest: held.len() },
                (false, _) => Next::More,
            };
        };
        let line = held.get(at..=at + length).unwrap_or_default();
        if is_item(line) && !begun {
            begun = true;
        } else if is_item(line) || ends_list(line) {
            return if begun {
                Next::Item { start, end: at, rest: at }
            } else {
                Next::Over { rest: at }
            };
        }
        at += length + 1;
    }
}

/// Where the text behind `"items": [` begins.
fn json_items(held: &[u8]) -> Option<usize> {
    let mut scan = Scan::default();
    let mut name_start = None;
    for (at, &byte) in held.iter().enumerate() {
        let was_in_string = scan.in_string;
        scan.take(byte);
        if scan.depth == 1 && !was_in_string && scan.in_string {
            name_start = Some(at + 1);
        }
        if scan.depth == 2 && byte == b'[' && !was_in_string {
            let between = held.get(name_start?..at)?;
            if between.strip_prefix(b"items\"").is_some_and(|rest| rest.trim_ascii() == b":") {
                return Some(at + 1);
            }
        }
    }
    None
}

fn next_json(held: &[u8], from: usize, ended: bool) -> Next {
    let gap = held.get(from..).unwrap_or_default().iter();
    let start = from + gap.take_while(|byte| byte.is_ascii_whitespace() || **byte == b',').count();
    match held.get(start) {
        None if ended => return Next::Over { rest: held.len() },
        None => return Next::More,
        Some(b'{') => {}
        Some(_) => return Next::Over { rest: start },
    }
    let mut scan = Scan::default();
    for (index, &byte) in held.get(start..).unwrap_or_default().iter().enumerate() {
        scan.take(byte);
        if scan.depth == 0 {
            let end = start + index + 1;
            return Next::Item { start, end, rest: end };
        }
    }
    if ended { Next::Item { start, end: held.len(), rest: held.len() } } else { Next::More }
}

/// How deep a JSON text is nested at some byte.
#[derive(Default)]
struct Scan {
    depth: usize,
    in_string: bool,
    escaped: bool,
}

impl Scan {
    fn take(&mut self, byte: u8) {
        match (self.in_string, byte) {
            (true, _) if self.escaped => self.escaped = false,
            (true, b'\\') => self.escaped = true,
            (_, b'"') => self.in_string = !self.in_string,
            (false, b'{' | b'[') => self.depth += 1,
            (false, b'}' | b']') => self.depth = self.depth.saturating_sub(1),
            _ => {}
        }
    }
}
