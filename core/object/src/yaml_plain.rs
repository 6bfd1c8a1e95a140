//! A single-pass parser for plain YAML, the subset that nearly all manifests use.
//!
//! Whatever this parser accepts, it parses exactly as [`crate::yaml`] does: the same values, spans and
//! duplicate members. Everything else, errors included, it leaves to that parser by returning
//! none, so it need not be complete, only right.

mod block;
mod flow;
mod source;

use crate::decoded::{Decoded, MAX_REPEATED, Repeated};
use crate::limits::Limits;
use crate::members::dedup_members;
use crate::path::readable;
use crate::yaml_scalar::{key_name, plain};
use crate::{Entry, Node, Path, Span, Value};
use alloc::borrow::Cow;
use alloc::string::String;
use alloc::vec::Vec;
use alloc::{format, vec};
use source::{Source, ends_word};

/// The full parser refuses deeper nesting.
const MAX_DEPTH: usize = 250;

/// The full parser refuses keys of more than 1024 characters.
const MAX_KEY_LEN: usize = 1000;

/// Parses the one document of `text` if every construct in it is plain.
pub(crate) fn parse(text: &str, limits: Limits) -> Option<Decoded<'_>> {
    u32::try_from(text.len()).ok()?;
    let mut parser = Parser {
        source: Source::new(text)?,
        depth: limits.depth.min(MAX_DEPTH),
        nodes_left: limits.nodes,
        open: Vec::with_capacity(16),
        entries: Vec::with_capacity(32),
        items: Vec::with_capacity(16),
        root: None,
        repeated: Vec::new(),
    };
    let mut next = 0;
    loop {
        let (line, at) = parser.source.content(next);
        if at >= text.len() {
            break;
        }
        next = parser.line(at - line, at)?;
    }
    while !parser.open.is_empty() {
        parser.end_collection()?;
    }
    // A text without content has no document; the full parser decides how many it has.
    Some(Decoded { documents: vec![parser.root?], repeated: parser.repeated })
}

struct Parser<'t> {
    source: Source<'t>,
    depth: usize,
    nodes_left: usize,
    open: Vec<Open>,
    /// The members of all open maps, the innermost last: each map is allocated once, when its size
    /// is known. A member is null until its value has been parsed.
    entries: Vec<Entry<'t>>,
    /// The items of all open lists, likewise.
    items: Vec<Node<'t>>,
    root: Option<Node<'t>>,
    repeated: Vec<Repeated>,
}

/// A list or map that is still being parsed.
#[derive(Clone, Copy)]
struct Open {
    is_map: bool,
    /// The column of its keys or dashes; flow collections have none.
    column: usize,
    start: usize,
    /// The number of members or items that belong to enclosing collections.
    base: usize,
    /// The offset of a key or dash whose value may follow on a later line; if none does, it is null.
    pending: Option<usize>,
}

impl<'t> Parser<'t> {
    /// Parses one line whose content begins at `at`, with its continuation on following lines;
    /// returns the start of the next line.
    fn line(&mut self, column: usize, at: usize) -> Option<usize> {
        if column == 0 && self.is_marker(at) {
            return None;
        }
        let is_dash = self.source.is_dash(at);
        loop {
            let Some(open) = self.open.last() else {
                if self.root.is_some() {
                    return None;
                }
                break;
            };
            if open.column < column {
                // Deeper than the open collection: only a pending value can be here.
                open.pending?;
                break;
            }
            if open.column == column && open.is_map != is_dash {
                self.fill_pending()?;
                return if is_dash { self.item(column, at, None) } else { self.member(at) };
            }
            if open.column == column && is_dash {
                // A list may be at the column of its key; the span of such a list begins at its first item.
                open.pending?;
                let first = self.source.blanks(at + 1);
                let start = match self.source.byte(first) {
                    b'#' => self.source.line_end(first),
                    _ => first,
                };
                return self.item(column, at, Some(start));
            }
            self.end_collection()?;
        }
        if is_dash { self.item(column, at, Some(at)) } else { self.first_member(column, at, false) }
    }

    /// Whether a line begins like a document separator.
    fn is_marker(&self, at: usize) -> bool {
        match self.source.byte(at) {
            b'-' => self.source.starts_with(at, b"---"),
            b'.' => self.source.starts_with(at, b"..."),
            _ => false,
        }
    }

    /// Parses a list item from its dash on; `start` opens a new list.
    fn item(&mut self, mut column: usize, mut at: usize, start: Option<usize>) -> Option<usize> {
        let mut start = start;
        loop {
            if let Some(start) = start {
                self.open(false, column, start)?;
            }
            let content = self.source.blanks(at + 1);
            if let Some(next) = self.source.next_line(content) {
                let end = match self.source.byte(content) {
                    b'#' => self.source.line_end(content),
                    _ => content,
                };
                self.open.last_mut()?.pending = Some(end);
                return Some(next);
            }
            if !self.source.is_dash(content) {
                return self.first_member(column + content - at, content, true);
            }
            column += content - at;
            at = content;
            start = Some(at);
        }
    }

    /// Parses a pending value: the first member of a map or, behind a dash, also a scalar.
    fn first_member(&mut self, column: usize, at: usize, may_be_scalar: bool) -> Option<usize> {
        match self.source.byte(at) {
            b'"' | b'\'' => {
                let (text, end) = self.source.quoted(at)?;
                let colon = self.source.blanks(end);
                if self.source.byte(colon) == b':' {
                    self.open(true, column, at)?;
                    self.key(text, at, end, colon)?;
                    return self.after_colon(column, colon);
                }
                if !may_be_scalar {
                    return None;
                }
                self.scalar(Node { value: Value::Text(text), span: Span::new(at, end) })?;
                self.source.rest_is_empty(end)
            }
            _ if self.source.is_plain(at) => {
                let (end, stop) = self.source.plain(at)?;
                if self.source.byte(stop) == b':' {
                    self.open(true, column, at)?;
                    self.plain_key(at, end, stop)?;
                    return self.after_colon(column, stop);
                }
                if !may_be_scalar {
                    return None;
                }
                self.plain_value(at, end)?;
                self.source.next_line(stop)
            }
            _ if may_be_scalar => {
                let column = self.open.last()?.column;
                self.value(column, at)
            }
            _ => None,
        }
    }

    /// Parses another member of the innermost map.
    fn member(&mut self, at: usize) -> Option<usize> {
        let colon = if matches!(self.source.byte(at), b'"' | b'\'') {
            let (name, end) = self.source.quoted(at)?;
            let colon = self.source.blanks(end);
            self.key(name, at, end, colon)?;
            colon
        } else if self.source.is_plain(at) {
            let (end, colon) = self.source.plain(at)?;
            self.plain_key(at, end, colon)?;
            colon
        } else {
            return None;
        };
        let column = self.open.last()?.column;
        self.after_colon(column, colon)
    }

    /// Parses the value of a member, or marks it as pending.
    fn after_colon(&mut self, column: usize, colon: usize) -> Option<usize> {
        if self.source.byte(colon) != b':' || !ends_word(self.source.byte(colon + 1)) {
            return None;
        }
        let content = self.source.blanks(colon + 1);
        if let Some(next) = self.source.next_line(content) {
            self.open.last_mut()?.pending = Some(colon);
            return Some(next);
        }
        self.value(column, content)
    }

    /// Parses a value that begins on the line of its key or dash, and the rest of its line.
    fn value(&mut self, column: usize, at: usize) -> Option<usize> {
        match self.source.byte(at) {
            b'"' | b'\'' => {
                let end = self.quoted_value(at)?;
                self.source.rest_is_empty(end)
            }
            b'[' | b'{' => {
                let end = self.flow(at)?;
                self.source.rest_is_empty(end)
            }
            b'|' | b'>' => self.block(at, column),
            _ if self.source.is_plain(at) => {
                let (end, stop) = self.source.plain(at)?;
                self.plain_value(at, end)?;
                self.source.next_line(stop)
            }
            _ => None,
        }
    }

    fn quoted_value(&mut self, at: usize) -> Option<usize> {
        let (text, end) = self.source.quoted(at)?;
        self.scalar(Node { value: Value::Text(text), span: Span::new(at, end) })?;
        Some(end)
    }

    fn plain_value(&mut self, at: usize, end: usize) -> Option<()> {
        let value = plain(Cow::Borrowed(self.source.slice(at, end)?));
        // Infinity is an error, and the full parser reports errors.
        if matches!(value, Value::Float(number) if !number.is_finite()) {
            return None;
        }
        self.scalar(Node { value, span: Span::new(at, end) })
    }

    fn plain_key(&mut self, at: usize, end: usize, colon: usize) -> Option<()> {
        let name = match plain(Cow::Borrowed(self.source.slice(at, end)?)) {
            // A merge key.
            Value::Text(name) if name == "<<" => return None,
            Value::Text(name) => name,
            other => Cow::Owned(key_name(&other)?),
        };
        self.key(name, at, end, colon)
    }

    fn key(&mut self, name: Cow<'t, str>, at: usize, end: usize, colon: usize) -> Option<()> {
        if colon - at > MAX_KEY_LEN {
            return None;
        }
        self.count()?;
        let node = Node { value: Value::Null, span: Span::default() };
        self.entries.push(Entry { key: name, key_span: Span::new(at, end), node });
        Some(())
    }

    #[inline]
    fn scalar(&mut self, node: Node<'t>) -> Option<()> {
        if self.open.len() > self.depth {
            return None;
        }
        self.count()?;
        self.insert(node)
    }

    #[inline]
    fn count(&mut self) -> Option<()> {
        self.nodes_left = self.nodes_left.checked_sub(1)?;
        Some(())
    }

    #[inline]
    fn insert(&mut self, node: Node<'t>) -> Option<()> {
        match self.open.last_mut() {
            None => self.root = Some(node),
            Some(open) => {
                open.pending = None;
                if open.is_map {
                    self.entries.last_mut()?.node = node;
                } else {
                    self.items.push(node);
                }
            }
        }
        Some(())
    }

    fn open(&mut self, is_map: bool, column: usize, start: usize) -> Option<()> {
        if self.open.len() > self.depth {
            return None;
        }
        self.count()?;
        let base = if is_map { self.entries.len() } else { self.items.len() };
        self.open.push(Open { is_map, column, start, base, pending: None });
        Some(())
    }

    /// Inserts null if a value was pending and none came.
    fn fill_pending(&mut self) -> Option<()> {
        match self.open.last()?.pending {
            None => Some(()),
            Some(at) => self.scalar(Node { value: Value::Null, span: Span::new(at, at) }),
        }
    }

    /// Ends the innermost collection, whose last value may be missing.
    fn end_collection(&mut self) -> Option<()> {
        self.fill_pending()?;
        self.close(None)
    }

    /// Ends the innermost collection: at its bracket, or else where its last value ends.
    fn close(&mut self, bracket: Option<usize>) -> Option<()> {
        let open = self.open.pop()?;
        let (value, last) = if open.is_map {
            let mut entries = self.entries.split_off(open.base);
            let mut again: Vec<(Cow<'t, str>, Span)> = Vec::new();
            dedup_members(&mut entries, |key, span| again.push((key.clone(), span)));
            for (key, span) in again {
                let path = readable(self.path(&key));
                if self.repeated.len() < MAX_REPEATED {
                    self.repeated.push(Repeated { path, span });
                }
            }
            let last = entries.last().map(|entry| entry.node.span.end);
            (Value::Map(entries), last)
        } else {
            let items = self.items.split_off(open.base);
            let last = items.last().map(|item| item.span.end);
            (Value::List(items), last)
        };
        let mut span = Span::new(open.start, bracket.unwrap_or(open.start));
        if bracket.is_none() {
            span.end = span.end.max(last?);
        }
        self.insert(Node { value, span })
    }

    /// The path of the member `key` of the map that was closed last.
    #[cold]
    fn path(&self, key: &str) -> String {
        let mut path = Path::default();
        for (depth, open) in self.open.iter().enumerate() {
            // An open collection owns the members or items from its base to that of the next of its kind.
            let mut deeper = self.open.iter().skip(depth + 1);
            let next = deeper.find(|other| other.is_map == open.is_map).map(|other| other.base);
            if open.is_map {
                let end = next.unwrap_or(self.entries.len());
                let entry = end.checked_sub(1).and_then(|last| self.entries.get(last));
                path = entry.map_or(path, |entry| path.field(&entry.key));
            } else {
                path = path.index(next.unwrap_or(self.items.len()) - open.base);
            }
        }
        let parent = format!("{path}");
        if parent.is_empty() { key.into() } else { format!("{parent}.{key}") }
    }
}

#[cfg(test)]
mod tests;
