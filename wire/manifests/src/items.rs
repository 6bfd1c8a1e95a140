//! A splitter that cuts a list too large for memory into its items, in YAML as `kubectl get` writes it and in any JSON.

use crate::lists::ListHead;
use ratchet_object::{Limits, Node, decode};
use std::sync::Arc;

/// An incremental splitter for the items of one list.
pub(crate) struct Splitter {
    syntax: Syntax,
    begun: bool,
    /// Kind and apiVersion of the list, as far as they stand before the items.
    pub(crate) head: Arc<ListHead>,
    kind_before_items: bool,
}

#[derive(Clone, Copy)]
enum Syntax {
    /// Items begin with `- ` at this column.
    Yaml { indent: usize },
    /// Items stand between the brackets.
    Json,
}

/// The members of a list besides `items`.
const MEMBERS: [&str; 3] = ["apiVersion", "kind", "metadata"];

/// The result of a search for the next item.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Next {
    /// An item, and the offset of the text after it.
    Item { start: usize, end: usize, rest: usize },
    /// More input is needed.
    NeedMore,
    /// No more items; the rest of the list begins at `rest`.
    End { rest: usize },
}

/// What to replace by spaces in an item's text, so that it is a document of its own with unchanged columns.
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
    /// A splitter for the document that begins with `bytes`, if that is a list.
    pub(crate) fn find(bytes: &[u8]) -> Option<Self> {
        let (syntax, before) = match bytes.trim_ascii_start().first() {
            Some(b'{') => {
                let start = json_items(bytes)?;
                let before = std::str::from_utf8(bytes.get(..start)?).ok()?;
                let members = before.rsplit_once("\"items\"")?.0.trim_end().trim_end_matches(',');
                (Syntax::Json, format!("{members}}}"))
            }
            _ => {
                let (start, indent) = yaml_items(bytes)?;
                let before = std::str::from_utf8(bytes.get(..start)?).ok()?;
                let members = before.rsplit_once("items:")?.0;
                (Syntax::Yaml { indent }, members.to_owned())
            }
        };
        let (kind, api_version) = members_of_list(&before)?;
        let head = match kind.as_str() {
            "" => ListHead::default(),
            kind => ListHead::new(kind, &api_version)?,
        };
        Some(Self {
            syntax,
            begun: false,
            head: Arc::new(head),
            kind_before_items: !kind.is_empty(),
        })
    }

    pub(crate) fn blanks(&self) -> Blanks {
        match self.syntax {
            Syntax::Yaml { indent } => Blanks::Dash(indent),
            Syntax::Json => Blanks::Nothing,
        }
    }

    /// The next item in `bytes`.
    pub(crate) fn next(&mut self, bytes: &[u8], eof: bool) -> Next {
        let next = match self.syntax {
            Syntax::Yaml { indent } => {
                let start =
                    if self.begun { 0 } else { yaml_items(bytes).map_or(0, |(start, _)| start) };
                next_yaml(bytes, start, indent, eof)
            }
            Syntax::Json => {
                let start = if self.begun { 0 } else { json_items(bytes).unwrap_or(0) };
                next_json(bytes, start, eof)
            }
        };
        self.begun |= !matches!(next, Next::NeedMore);
        next
    }

    /// The end of the list in the bytes after its items: in JSON its closing brace, in YAML the end of the document,
    /// which the caller knows.
    pub(crate) fn end(&self, bytes: &[u8], document_end: Option<usize>) -> Option<usize> {
        match self.syntax {
            Syntax::Yaml { .. } => document_end,
            Syntax::Json => {
                let mut scanner = JsonScanner { depth: 2, ..JsonScanner::default() };
                let closes = |&byte: &u8| {
                    scanner.advance(byte);
                    scanner.depth == 0
                };
                bytes.iter().position(closes).map(|at| at + 1)
            }
        }
    }

    /// Whether the members after the items are those of a list.
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
            "" => self.kind_before_items,
            kind => kind.ends_with("List"),
        })
    }
}

/// `kind` and `apiVersion` of a part of a list; `None` if it has members that no list has.
fn members_of_list(text: &str) -> Option<(String, String)> {
    let decoded = decode(text, Limits::DEFAULT).ok()?;
    let Some(node) = decoded.documents.into_iter().next() else { return Some(Default::default()) };
    let known = node.entries().iter().all(|entry| MEMBERS.contains(&entry.key.as_ref()));
    let text = |name: &str| node.get(name).and_then(Node::text).unwrap_or_default().to_owned();
    known.then(|| (text("kind"), text("apiVersion")))
}

/// The offset of a YAML list's first item, and the column of its dash.
fn yaml_items(bytes: &[u8]) -> Option<(usize, usize)> {
    let key = if bytes.starts_with(b"items:") {
        0
    } else {
        memchr::memmem::find(bytes, b"\nitems:")? + 1
    };
    let line = key + memchr::memchr(b'\n', bytes.get(key..)?)? + 1;
    if !bytes.get(key + 6..line)?.trim_ascii().is_empty() {
        return None;
    }
    let indent = bytes.get(line..)?.iter().take_while(|&&byte| byte == b' ').count();
    bytes.get(line + indent..)?.starts_with(b"- ").then_some((line, indent))
}

fn next_yaml(bytes: &[u8], start: usize, indent: usize, eof: bool) -> Next {
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
        let Some(length) = memchr::memchr(b'\n', bytes.get(at..).unwrap_or_default()) else {
            return match (eof, begun) {
                (true, true) => Next::Item { start, end: bytes.len(), rest: bytes.len() },
                (true, false) => Next::End { rest: bytes.len() },
                (false, _) => Next::NeedMore,
            };
        };
        let line = bytes.get(at..=at + length).unwrap_or_default();
        if is_item(line) && !begun {
            begun = true;
        } else if is_item(line) || ends_list(line) {
            return if begun {
                Next::Item { start, end: at, rest: at }
            } else {
                Next::End { rest: at }
            };
        }
        at += length + 1;
    }
}

/// The offset of the text after `"items": [`.
fn json_items(bytes: &[u8]) -> Option<usize> {
    let mut scanner = JsonScanner::default();
    let mut name_start = None;
    for (at, &byte) in bytes.iter().enumerate() {
        let was_in_string = scanner.in_string;
        scanner.advance(byte);
        if scanner.depth == 1 && !was_in_string && scanner.in_string {
            name_start = Some(at + 1);
        }
        if scanner.depth == 2 && byte == b'[' && !was_in_string {
            let between = bytes.get(name_start?..at)?;
            if between.strip_prefix(b"items\"").is_some_and(|rest| rest.trim_ascii() == b":") {
                return Some(at + 1);
            }
        }
    }
    None
}

fn next_json(bytes: &[u8], from: usize, eof: bool) -> Next {
    let gap = bytes.get(from..).unwrap_or_default().iter();
    let start = from + gap.take_while(|byte| byte.is_ascii_whitespace() || **byte == b',').count();
    match bytes.get(start) {
        None if eof => return Next::End { rest: bytes.len() },
        None => return Next::NeedMore,
        Some(b'{') => {}
        Some(_) => return Next::End { rest: start },
    }
    let mut scanner = JsonScanner::default();
    for (index, &byte) in bytes.get(start..).unwrap_or_default().iter().enumerate() {
        scanner.advance(byte);
        if scanner.depth == 0 {
            let end = start + index + 1;
            return Next::Item { start, end, rest: end };
        }
    }
    if eof { Next::Item { start, end: bytes.len(), rest: bytes.len() } } else { Next::NeedMore }
}

/// The nesting depth of a JSON text at the current byte.
#[derive(Default)]
struct JsonScanner {
    depth: usize,
    in_string: bool,
    escaped: bool,
}

impl JsonScanner {
    fn advance(&mut self, byte: u8) {
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
