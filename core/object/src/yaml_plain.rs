//! The plain YAML that nearly all manifests are written in, read in one pass over its lines.
//!
//! What this reader takes, it reads exactly as [`crate::yaml`] does: the same values, spans and
//! repeated members. All it is not sure of, errors included, it leaves to that reader by returning
//! nothing, so it need not be complete, only right.

mod block;
mod flow;
mod source;

use crate::decode::{Decoded, Limits, MOST_REPEATED, Repeated, readable};
use crate::yaml_scalar::{key_name, plain};
use crate::{Entry, Node, Path, Span, Value, yaml};
use alloc::borrow::Cow;
use alloc::string::String;
use alloc::vec::Vec;
use alloc::{format, vec};
use source::{Source, ends_word};

/// The other reader refuses what is nested deeper than it can count.
const DEEPEST: usize = 250;

/// The other reader refuses names of more than 1024 characters.
const LONGEST_KEY: usize = 1000;

/// Reads the one document of `text` if every construct in it is plain.
pub(crate) fn read(text: &str, limits: Limits) -> Option<Decoded<'_>> {
    u32::try_from(text.len()).ok()?;
    let mut reader = Reader {
        source: Source::new(text)?,
        depth: limits.depth.min(DEEPEST),
        nodes_left: limits.nodes,
        open: Vec::with_capacity(16),
        entries: Vec::with_capacity(32),
        items: Vec::with_capacity(16),
        root: None,
        repeated: Vec::new(),
    };
    let mut next = 0;
    loop {
        let (line, at) = reader.source.content(next);
        if at >= text.len() {
            break;
        }
        next = reader.line(at - line, at)?;
    }
    while !reader.open.is_empty() {
        reader.leave()?;
    }
    // A text without content has no document; how many it has is left to the other reader.
    Some(Decoded { documents: vec![reader.root?], repeated: reader.repeated })
}

struct Reader<'t> {
    source: Source<'t>,
    depth: usize,
    nodes_left: usize,
    open: Vec<Open>,
    /// The members of all open maps, the innermost last: each map is allocated once, when its size
    /// is known. A member is null until its value has been read.
    entries: Vec<Entry<'t>>,
    /// The items of all open lists, likewise.
    items: Vec<Node<'t>>,
    root: Option<Node<'t>>,
    repeated: Vec<Repeated>,
}

/// A list or map whose end has not been seen.
#[derive(Clone, Copy)]
struct Open {
    is_map: bool,
    /// The column of its names or dashes; brackets have none.
    column: usize,
    start: usize,
    /// How many members or items belong to those around it.
    base: usize,
    /// A value is due on a following line; if none comes, it is null and stands here.
    due: Option<usize>,
}

impl<'t> Reader<'t> {
    /// Reads one line whose content begins at `at`, and what belongs to it on the following ones;
    /// returns where the next line begins.
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
                // Deeper than what is open: only a value that is due can stand here.
                open.due?;
                break;
            }
            if open.column == column && open.is_map != is_dash {
                self.fill()?;
                return if is_dash { self.item(column, at, None) } else { self.member(at) };
            }
            if open.column == column && is_dash {
                // A list may stand at the column of the name that it belongs to; such a list is
                // said to begin at its first item.
                open.due?;
                let first = self.source.blanks(at + 1);
                let start = match self.source.byte(first) {
                    b'#' => self.source.line_end(first),
                    _ => first,
                };
                return self.item(column, at, Some(start));
            }
            self.leave()?;
        }
        if is_dash { self.item(column, at, Some(at)) } else { self.first_member(column, at, false) }
    }

    /// Whether a line begins like one that separates documents.
    fn is_marker(&self, at: usize) -> bool {
        match self.source.byte(at) {
            b'-' => self.source.starts_with(at, b"---"),
            b'.' => self.source.starts_with(at, b"..."),
            _ => false,
        }
    }

    /// Reads an item of a list from its dash on; a new list first gets its `start`.
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
                self.open.last_mut()?.due = Some(end);
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

    /// Reads what stands where a value is due: the first member of a map or, behind a dash, also a
    /// value without members.
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

    /// Reads another member of the innermost map.
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

    /// Reads the value of a member, or notes that it is due.
    fn after_colon(&mut self, column: usize, colon: usize) -> Option<usize> {
        if self.source.byte(colon) != b':' || !ends_word(self.source.byte(colon + 1)) {
            return None;
        }
        let content = self.source.blanks(colon + 1);
        if let Some(next) = self.source.next_line(content) {
            self.open.last_mut()?.due = Some(colon);
            return Some(next);
        }
        self.value(column, content)
    }

    /// Reads a value that begins on the line of its name or dash, and the rest of its line.
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
        // Infinity is an error, and errors are told by the other reader.
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
        if colon - at > LONGEST_KEY {
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
        self.place(node)
    }

    #[inline]
    fn count(&mut self) -> Option<()> {
        self.nodes_left = self.nodes_left.checked_sub(1)?;
        Some(())
    }

    #[inline]
    fn place(&mut self, node: Node<'t>) -> Option<()> {
        match self.open.last_mut() {
            None => self.root = Some(node),
            Some(open) => {
                open.due = None;
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
        self.open.push(Open { is_map, column, start, base, due: None });
        Some(())
    }

    /// Null, if a value was due and none came.
    fn fill(&mut self) -> Option<()> {
        match self.open.last()?.due {
            None => Some(()),
            Some(at) => self.scalar(Node { value: Value::Null, span: Span::new(at, at) }),
        }
    }

    /// Ends the innermost list or map, whose last value may be missing.
    fn leave(&mut self) -> Option<()> {
        self.fill()?;
        self.close(None)
    }

    /// Ends the innermost list or map: at its bracket, or else where its last value ends.
    fn close(&mut self, bracket: Option<usize>) -> Option<()> {
        let open = self.open.pop()?;
        let (value, last) = if open.is_map {
            let mut entries = self.entries.split_off(open.base);
            let mut again: Vec<(Cow<'t, str>, Span)> = Vec::new();
            yaml::settle(&mut entries, |key, span| again.push((key.clone(), span)));
            for (key, span) in again {
                let path = readable(self.path(&key));
                if self.repeated.len() < MOST_REPEATED {
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
        self.place(Node { value, span })
    }

    /// The path of the member `key` of the map that was closed last.
    #[cold]
    fn path(&self, key: &str) -> String {
        let mut path = Path::default();
        for (depth, open) in self.open.iter().enumerate() {
            // What is open has the members or items from its base to that of the next of its kind.
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
        let place = format!("{path}");
        if place.is_empty() { key.into() } else { format!("{place}.{key}") }
    }
}

#[cfg(test)]
mod tests;
