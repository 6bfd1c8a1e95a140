//! Kubernetes' protobuf bodies become the same trees as JSON does.
//!
//! A body is four bytes and an envelope that names the kind; the message inside has numbers for
//! names, so it can only be read with the [`crate::schema`] of that kind. What Go would leave out
//! of JSON is left out of the tree, so that nobody further on can tell how an object was sent.

mod leaf;
mod list;
mod more;
mod read;
mod table;
mod time;
mod v1_36;
mod wire;
mod write;

pub use list::ListEncoder;
pub(crate) use time::Moment;

use crate::decode::readable;
use crate::{Entry, Limits, Node, Value};
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use core::fmt;

/// What every body begins with.
const MAGIC: [u8; 4] = [b'k', b'8', b's', 0];

/// Why a body cannot be read, or a tree not be written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProtoError {
    /// Where, such as `spec.ports[0].port`; empty for the whole body.
    pub path: String,
    /// What is wrong there.
    pub message: String,
}

impl ProtoError {
    fn new(message: impl Into<String>) -> Self {
        Self { path: String::new(), message: message.into() }
    }

    /// The same, seen from one level further up: below a member,
    fn below(self, name: &str) -> Self {
        self.at(name.into())
    }

    /// below an item,
    fn item(self, index: usize) -> Self {
        self.at(format!("[{index}]"))
    }

    /// below a key.
    fn key(self, key: &str) -> Self {
        self.at(format!("[{key}]"))
    }

    fn at(self, mut before: String) -> Self {
        if !self.path.is_empty() && !self.path.starts_with('[') {
            before.push('.');
        }
        Self { path: readable(before + &self.path), ..self }
    }
}

impl fmt::Display for ProtoError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let colon = if self.path.is_empty() { "" } else { ": " };
        write!(f, "protobuf: {}{colon}{}", self.path, self.message)
    }
}

impl core::error::Error for ProtoError {}

/// Whether a body says of itself that it is Kubernetes' protobuf.
#[must_use]
pub fn is_enveloped(bytes: &[u8]) -> bool {
    bytes.starts_with(&MAGIC)
}

/// Whether a field of a type of [`crate::schema::TYPES`] is a pointer in Go, so that zero, false
/// and an empty text said on purpose differ from nothing said.
#[must_use]
pub fn is_pointer(type_place: u16, field: &str) -> bool {
    let message = table::message(type_place);
    let place = message.row.fields.binary_search_by(|row| row.name.cmp(field));
    let tag = place.ok().and_then(|place| message.tags.get(place));
    use table::Presence::{NullPointer, Pointer};
    tag.is_some_and(|tag| matches!(tag.presence, Pointer | NullPointer))
}

/// What JSON does with a member that is empty.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Emptiness {
    /// It was said on purpose and stays.
    Said,
    /// The same, and where nobody said it JSON has `null`.
    Null,
    /// It is always told.
    Told,
    /// It is left out, unless it is an object.
    Omitted,
    /// It is left out.
    OmittedWhole,
}

/// What JSON does with a field of a type of [`crate::schema::TYPES`] that is empty.
#[must_use]
pub fn emptiness(type_place: u16, field: &str) -> Emptiness {
    let message = table::message(type_place);
    let place = message.row.fields.binary_search_by(|row| row.name.cmp(field));
    let tag = place.ok().and_then(|place| message.tags.get(place));
    tag.map_or(Emptiness::Said, |tag| Emptiness::of(tag.presence))
}

/// All fields of a type of [`crate::schema::TYPES`], and what JSON does with each when it is empty.
pub(crate) fn presences(
    type_place: u16,
) -> impl Iterator<Item = (&'static crate::schema::FieldRow, Emptiness)> {
    let table::Message { row, tags } = table::message(type_place);
    row.fields.iter().zip(tags).map(|(field, tag)| (field, Emptiness::of(tag.presence)))
}

impl Emptiness {
    const fn of(presence: table::Presence) -> Self {
        match presence {
            table::Presence::UnlessEmpty => Self::Omitted,
            table::Presence::UnlessZero => Self::OmittedWhole,
            table::Presence::Always => Self::Told,
            table::Presence::Pointer => Self::Said,
            table::Presence::NullPointer => Self::Null,
        }
    }
}

/// Reads a body, whose envelope must name its kind.
pub fn decode(bytes: &[u8], limits: Limits) -> Result<Node<'static>, ProtoError> {
    decode_as(bytes, limits, "", "")
}

/// Reads a body; if its envelope names no kind, then as one of this `api_version` and `kind`.
///
/// The tree says what the envelope says, and nothing about its kind if that says nothing.
pub fn decode_as(
    bytes: &[u8],
    limits: Limits,
    api_version: &str,
    kind: &str,
) -> Result<Node<'static>, ProtoError> {
    let limits = limits.capped();
    if bytes.len() > limits.bytes {
        return Err(ProtoError::new(format!("the body is larger than {} bytes", limits.bytes)));
    }
    let envelope = Envelope::read(bytes)?;
    let or = |told, asked| if str::is_empty(told) { asked } else { told };
    let (api_version, kind) = (or(envelope.api_version, api_version), or(envelope.kind, kind));
    let body = table::body(api_version, kind).ok_or_else(|| unknown(api_version, kind))?;
    let mut node = read::Reader::new(limits).body(envelope.raw, body)?;
    if let Value::Map(entries) = &mut node.value {
        let told = [("apiVersion", envelope.api_version), ("kind", envelope.kind)];
        let told = told.into_iter().filter(|(_, text)| !text.is_empty());
        let told = told.map(|(name, text)| Entry::new(name, Node::string(String::from(text))));
        entries.splice(..0, told);
    }
    Ok(node)
}

/// Writes a tree as a body, by the schema of the kind that it names.
pub fn encode(node: &Node<'_>) -> Result<Vec<u8>, ProtoError> {
    let (api_version, kind) = (node.text_at(&["apiVersion"]), node.text_at(&["kind"]));
    let body = table::body(api_version, kind).ok_or_else(|| unknown(api_version, kind))?;
    let raw = write::body(node, body)?;
    let mut type_meta = Vec::new();
    wire::put_bytes(&mut type_meta, 1, api_version.as_bytes());
    wire::put_bytes(&mut type_meta, 2, kind.as_bytes());
    let mut out = MAGIC.to_vec();
    wire::put_bytes(&mut out, 1, &type_meta);
    wire::put_bytes(&mut out, 2, &raw);
    // Go writes these two even when they are empty, as they are for protobuf in protobuf.
    wire::put_bytes(&mut out, 3, &[]);
    wire::put_bytes(&mut out, 4, &[]);
    Ok(out)
}

fn unknown(api_version: &str, kind: &str) -> ProtoError {
    if kind.is_empty() {
        return ProtoError::new("the envelope does not name a kind");
    }
    let shown = readable(format!("{api_version}, Kind={kind}"));
    ProtoError::new(format!("{shown} has no protobuf form; send it as application/json"))
}

/// What stands around a message.
struct Envelope<'b> {
    api_version: &'b str,
    kind: &'b str,
    raw: &'b [u8],
}

impl<'b> Envelope<'b> {
    fn read(bytes: &'b [u8]) -> Result<Self, ProtoError> {
        let rest = bytes.strip_prefix(&MAGIC).ok_or_else(|| {
            ProtoError::new("the body does not begin with the bytes 6b 38 73 00 of its envelope")
        })?;
        let mut envelope = Self { api_version: "", kind: "", raw: &[] };
        read::each(rest, |number, wire| {
            match number {
                1 => envelope.read_type(wire.bytes()?)?,
                2 => envelope.raw = wire.bytes()?,
                _ => {}
            }
            Ok(())
        })
        .map_err(|error| error.below("the envelope"))?;
        Ok(envelope)
    }

    fn read_type(&mut self, bytes: &'b [u8]) -> Result<(), ProtoError> {
        read::each(bytes, |number, wire| {
            match number {
                1 => self.api_version = wire.text()?,
                2 => self.kind = wire.text()?,
                _ => {}
            }
            Ok(())
        })
    }
}

#[cfg(test)]
mod tests;
#[cfg(test)]
mod trees;
