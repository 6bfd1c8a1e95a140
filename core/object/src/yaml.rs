//! Building a tree from the parser events of one YAML document, with aliases expanded and merge keys applied.

use crate::decoded::{DecodeError, Decoded, MAX_REPEATED, Repeated};
use crate::limits::Limits;
use crate::members::dedup_members;
use crate::path::readable;
use crate::tree::{Entry, Node, Value};
use crate::yaml_scalar::{key_name, plain};
use crate::{Path, Span};
use alloc::borrow::Cow;
use alloc::collections::BTreeMap;
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use granit_parser::{Event, Parser, ScalarStyle, Tag};

/// Parses the one document of `text`.
pub(crate) fn parse(text: &str, limits: Limits) -> Result<Decoded<'_>, DecodeError> {
    let mut builder = Builder { limits, ..Builder::default() };
    for event in Parser::new_from_str(text) {
        match event {
            Ok((event, span)) => {
                let at = span
                    .byte_range()
                    .map_or(Span::default(), |range| Span::new(range.start, range.end));
                builder.handle(event, at)?;
            }
            Err(error) => {
                let offset = error.marker().byte_offset().unwrap_or(0);
                return Err(DecodeError::new(error.info(), offset));
            }
        }
    }
    Ok(Decoded { documents: builder.documents, repeated: builder.repeated })
}

#[derive(Default)]
struct Builder<'t> {
    limits: Limits,
    documents: Vec<Node<'t>>,
    repeated: Vec<Repeated>,
    open: Vec<Open<'t>>,
    /// The anchored values, with what repeating each one costs.
    anchors: BTreeMap<usize, Anchored<'t>>,
    /// How many bytes of text anchors and aliases have repeated.
    repeated_text: usize,
    nodes: usize,
}

/// An anchored value: how many values and bytes of text it holds, and how deep it is.
struct Anchored<'t> {
    node: Node<'t>,
    size: usize,
    text: usize,
    depth: usize,
}

/// A list or map that is still being parsed.
struct Open<'t> {
    start: u32,
    anchor: usize,
    nodes_before: usize,
    collection: Collection<'t>,
}

enum Collection<'t> {
    List(Vec<Node<'t>>),
    Map { entries: Vec<Entry<'t>>, key: Option<Key<'t>>, merges: Vec<(usize, Node<'t>)> },
}

enum Key<'t> {
    Named(Cow<'t, str>, Span),
    Merge,
}

impl<'t> Builder<'t> {
    fn handle(&mut self, event: Event<'t>, span: Span) -> Result<(), DecodeError> {
        match event {
            Event::Scalar(text, style, anchor, tag) => {
                self.count_values(1, span)?;
                if style == ScalarStyle::Plain
                    && tag.is_none()
                    && text == "<<"
                    && self.expects_key()
                {
                    return self.merge_key();
                }
                let value = scalar(text, style, tag.as_deref(), span)?;
                self.check_depth(0, span)?;
                self.insert(Node { value, span }, anchor, 1)
            }
            Event::SequenceStart(_, anchor, _) => {
                self.open(Collection::List(Vec::new()), anchor, span)
            }
            Event::MappingStart(_, anchor, _) => {
                let collection =
                    Collection::Map { entries: Vec::new(), key: None, merges: Vec::new() };
                self.open(collection, anchor, span)
            }
            Event::SequenceEnd | Event::MappingEnd => self.close(span),
            Event::Alias(anchor) => {
                let Some(&Anchored { size, text, depth, .. }) = self.anchors.get(&anchor) else {
                    return Err(error("an alias inside the value that it repeats", span));
                };
                self.count_values(size, span)?;
                self.count_repeated_text(text, span)?;
                self.check_depth(depth, span)?;
                let node = self.anchors.get(&anchor).map(|anchored| anchored.node.clone());
                node.map_or(Ok(()), |node| self.insert(node, 0, size))
            }
            _ => Ok(()),
        }
    }

    fn expects_key(&self) -> bool {
        matches!(
            self.open.last().map(|open| &open.collection),
            Some(Collection::Map { key: None, .. })
        )
    }

    fn merge_key(&mut self) -> Result<(), DecodeError> {
        if let Some(Open { collection: Collection::Map { key, .. }, .. }) = self.open.last_mut() {
            *key = Some(Key::Merge);
        }
        Ok(())
    }

    fn open(
        &mut self,
        collection: Collection<'t>,
        anchor: usize,
        span: Span,
    ) -> Result<(), DecodeError> {
        if self.expects_key() {
            return Err(error("a member's name must be a scalar", span));
        }
        self.check_depth(0, span)?;
        let nodes_before = self.nodes;
        self.count_values(1, span)?;
        self.open.push(Open { start: span.start, anchor, nodes_before, collection });
        Ok(())
    }

    fn close(&mut self, end: Span) -> Result<(), DecodeError> {
        let Some(Open { start, anchor, nodes_before, collection }) = self.open.pop() else {
            return Err(error("an end without a beginning", end));
        };
        let value = match collection {
            Collection::List(items) => Value::List(items),
            Collection::Map { mut entries, merges, .. } => {
                let mut again: Vec<(Cow<'t, str>, Span)> = Vec::new();
                let mut report = |key: &Cow<'t, str>, span: Span| {
                    if again.len() < MAX_REPEATED {
                        again.push((key.clone(), span));
                    }
                };
                if merges.is_empty() {
                    dedup_members(&mut entries, report);
                } else {
                    entries = merge(entries, merges, end, &mut report)?;
                }
                for (key, span) in again {
                    if self.repeated.len() < MAX_REPEATED {
                        let path = readable(join(&self.path(), &key));
                        self.repeated.push(Repeated { path, span });
                    }
                }
                Value::Map(entries)
            }
        };
        // The end event of a block comes on the next line; its last value tells where the block ends.
        let last = match &value {
            Value::List(items) => items.last().map(|item| item.span.end),
            Value::Map(entries) => entries.last().map(|entry| entry.node.span.end),
            _ => None,
        };
        let end = if end.end > end.start { end.end } else { last.unwrap_or(end.end) };
        let node = Node { value, span: Span { start, end: end.max(start) } };
        let size = self.nodes - nodes_before;
        self.insert(node, anchor, size)
    }

    fn insert(&mut self, node: Node<'t>, anchor: usize, size: usize) -> Result<(), DecodeError> {
        if anchor != 0 {
            self.count_values(size, node.span)?;
            let (text, depth) = (text_len(&node), node.depth());
            self.count_repeated_text(text, node.span)?;
            self.anchors.insert(anchor, Anchored { node: node.clone(), size, text, depth });
        }
        match self.open.last_mut().map(|open| &mut open.collection) {
            None => self.documents.push(node),
            Some(Collection::List(items)) => items.push(node),
            Some(Collection::Map { entries, key, merges }) => match key.take() {
                None => *key = Some(name(node)?),
                Some(Key::Merge) => merges.push((entries.len(), node)),
                Some(Key::Named(name, key_span)) => {
                    entries.push(Entry { key: name, key_span, node });
                }
            },
        }
        Ok(())
    }

    fn count_values(&mut self, size: usize, span: Span) -> Result<(), DecodeError> {
        self.nodes = self.nodes.saturating_add(size);
        if self.nodes > self.limits.nodes {
            return Err(error(format!("more than {} values", self.limits.nodes), span));
        }
        Ok(())
    }

    /// Refuses a value of this depth if the tree would become too deep, whether the value was written here or comes
    /// from an alias.
    fn check_depth(&self, depth: usize, span: Span) -> Result<(), DecodeError> {
        let deepest = self.limits.depth;
        if self.open.len() + depth > deepest {
            return Err(error(format!("nested deeper than {deepest} levels"), span));
        }
        Ok(())
    }

    /// Limits repeated text: a few lines must not become gigabytes by aliasing a long text again and again.
    fn count_repeated_text(&mut self, text: usize, span: Span) -> Result<(), DecodeError> {
        self.repeated_text = self.repeated_text.saturating_add(text);
        if self.repeated_text > self.limits.bytes {
            return Err(error(
                format!("aliases repeat more than {} bytes", self.limits.bytes),
                span,
            ));
        }
        Ok(())
    }

    /// The path of the value that is being built, for reports.
    fn path(&self) -> String {
        let path = self.open.iter().fold(Path::default(), |path, open| match &open.collection {
            Collection::List(items) => path.index(items.len()),
            Collection::Map { key: Some(Key::Named(name, _)), .. } => path.field(name),
            Collection::Map { .. } => path,
        });
        format!("{path}")
    }
}

/// The number of bytes of text in a value.
fn text_len(node: &Node<'_>) -> usize {
    match &node.value {
        Value::Text(text) => text.len(),
        Value::List(items) => items.iter().map(text_len).sum(),
        Value::Map(entries) => {
            entries.iter().map(|entry| entry.key.len() + text_len(&entry.node)).sum()
        }
        Value::Null | Value::Bool(_) | Value::Int(_) | Value::Float(_) => 0,
    }
}

fn join(path: &str, key: &str) -> String {
    if path.is_empty() { key.into() } else { format!("{path}.{key}") }
}

fn name(node: Node<'_>) -> Result<Key<'_>, DecodeError> {
    let span = node.span;
    match node.value {
        Value::Text(text) => Ok(Key::Named(text, span)),
        other => match key_name(&other) {
            Some(name) => Ok(Key::Named(Cow::Owned(name), span)),
            None => Err(error("a member's name must be text, a number or a truth value", span)),
        },
    }
}

fn scalar<'t>(
    text: Cow<'t, str>,
    style: ScalarStyle,
    tag: Option<&Tag>,
    span: Span,
) -> Result<Value<'t>, DecodeError> {
    let meaning = tag.and_then(|tag| tag.suffix_in_namespace("tag:yaml.org,2002:"));
    let value = match meaning.as_deref() {
        None if style == ScalarStyle::Plain && tag.is_none() => plain(text),
        None | Some("str") => Value::Text(text),
        Some("binary") => Value::Text(Cow::Owned(binary(&text, span)?)),
        Some(expected @ ("null" | "bool" | "int" | "float")) => {
            let value = plain(text.clone());
            let fits = matches!(
                (expected, &value),
                ("null", Value::Null)
                    | ("bool", Value::Bool(_))
                    | ("int", Value::Int(_))
                    | ("float", Value::Int(_) | Value::Float(_))
            );
            if !fits {
                return Err(error(format!("cannot read {text:?} as a !!{expected}"), span));
            }
            value
        }
        Some(_) => plain(text),
    };
    match value {
        Value::Float(number) if !number.is_finite() => {
            Err(error("infinity and not-a-number have no place in JSON", span))
        }
        value => Ok(value),
    }
}

/// Decodes `!!binary`, which holds base64; Kubernetes reads it as the text that it encodes.
fn binary(text: &str, span: Span) -> Result<String, DecodeError> {
    let bad = || error("!!binary value contains invalid base64 data", span);
    let mut bytes = Vec::with_capacity(text.len() / 4 * 3);
    let (mut bits, mut pending, mut padded) = (0u32, 0u32, false);
    for letter in text.bytes().filter(|byte| !byte.is_ascii_whitespace()) {
        let digit = match letter {
            b'A'..=b'Z' => letter - b'A',
            b'a'..=b'z' => letter - b'a' + 26,
            b'0'..=b'9' => letter - b'0' + 52,
            b'+' => 62,
            b'/' => 63,
            b'=' => {
                padded = true;
                continue;
            }
            _ => return Err(bad()),
        };
        if padded {
            return Err(bad());
        }
        bits = bits << 6 | u32::from(digit);
        pending += 6;
        if pending >= 8 {
            pending -= 8;
            bytes.push((bits >> pending & 0xff) as u8);
        }
    }
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

/// Applies members and merges in source order, each overriding those before it.
fn merge<'t>(
    entries: Vec<Entry<'t>>,
    merges: Vec<(usize, Node<'t>)>,
    end: Span,
    report: &mut impl FnMut(&Cow<'t, str>, Span),
) -> Result<Vec<Entry<'t>>, DecodeError> {
    let mut out: Vec<(Entry<'t>, bool)> = Vec::new();
    let mut indices: BTreeMap<Cow<'t, str>, usize> = BTreeMap::new();
    let mut put = |entry: Entry<'t>, merged: bool| match indices
        .get(&entry.key)
        .and_then(|&index| out.get_mut(index))
    {
        Some(slot) => {
            if !merged && !slot.1 {
                report(&entry.key, entry.key_span);
            }
            *slot = (entry, merged);
        }
        None => {
            indices.insert(entry.key.clone(), out.len());
            out.push((entry, merged));
        }
    };
    let mut merges = merges.into_iter().peekable();
    let count = entries.len();
    let mut entries = entries.into_iter();
    for index in 0..=count {
        while let Some((_, node)) = merges.next_if(|(before, _)| *before == index) {
            for source in sources(node, end)? {
                for entry in source {
                    put(entry, true);
                }
            }
        }
        if let Some(entry) = entries.next() {
            put(entry, false);
        }
    }
    Ok(out.into_iter().map(|(entry, _)| entry).collect())
}

/// The maps that a merge key names, the weakest first.
fn sources<'t>(node: Node<'t>, end: Span) -> Result<Vec<Vec<Entry<'t>>>, DecodeError> {
    let wrong = || error("a merge key needs a map or a list of maps", end);
    match node.value {
        Value::Map(entries) => Ok(alloc::vec![entries]),
        Value::List(items) => items
            .into_iter()
            .rev()
            .map(|item| match item.value {
                Value::Map(entries) => Ok(entries),
                _ => Err(wrong()),
            })
            .collect(),
        _ => Err(wrong()),
    }
}

fn error(message: impl Into<String>, span: Span) -> DecodeError {
    DecodeError::new(message, span.start as usize)
}

#[cfg(test)]
mod tests;
