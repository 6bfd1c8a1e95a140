//! Kubernetes' protobuf encoding, decoded to and encoded from the same trees as JSON.
//!
//! A body is four magic bytes and an envelope that names the kind; the message inside has field numbers
//! instead of names, so it can only be decoded with the [`crate::schema`] of that kind. Fields that Go
//! omits from JSON are omitted from the tree, so that later code cannot tell how an object was sent.

mod decoder;
mod encoder;
mod error;
mod leaf;
mod list;
mod response_types;
mod table;
mod time;
mod v1_36;
mod wire;

pub use error::ProtoError;
pub use list::ListEncoder;
pub(crate) use time::Timestamp;

use crate::path::readable;
use crate::{Entry, Limits, Node, Value};
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

/// The magic bytes at the start of every body.
const MAGIC: [u8; 4] = [b'k', b'8', b's', 0];

/// Whether a body begins with the magic bytes of Kubernetes' protobuf.
#[must_use]
pub fn is_enveloped(bytes: &[u8]) -> bool {
    bytes.starts_with(&MAGIC)
}

/// Whether a field of a type of [`crate::schema::TYPES`] is a pointer in Go, so that an explicit zero, false
/// or empty string differs from absence.
#[must_use]
pub fn is_pointer(type_index: u16, field: &str) -> bool {
    let presence = presence(type_index, field);
    presence.is_some_and(|(_, emptiness)| {
        matches!(emptiness, Emptiness::Pointer | Emptiness::NullPointer)
    })
}

/// How Go's JSON encoding treats a field that is empty.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Emptiness {
    /// A pointer with `omitempty`: an empty value was set explicitly and stays.
    Pointer,
    /// A pointer without `omitempty`: like `Pointer`, and nil is encoded as `null`.
    NullPointer,
    /// A value without `omitempty`: always encoded.
    Always,
    /// A value with `omitempty`: omitted when empty, unless it is a struct.
    OmitEmpty,
    /// A value with `omitzero`: omitted when zero, structs included.
    OmitZero,
}

/// How Go's JSON encoding treats an empty field of a type of [`crate::schema::TYPES`].
#[must_use]
pub fn emptiness(type_index: u16, field: &str) -> Emptiness {
    presence(type_index, field).map_or(Emptiness::Pointer, |(_, emptiness)| emptiness)
}

/// A field of a type of [`crate::schema::TYPES`], with its treatment by Go's JSON encoding.
pub(crate) fn presence(
    type_index: u16,
    field: &str,
) -> Option<(&'static crate::schema::FieldRow, Emptiness)> {
    let table::Message { row, tags } = table::message(type_index);
    let position = row.position(field)?;
    let emptiness =
        tags.get(position).map_or(Emptiness::Pointer, |tag| Emptiness::of(tag.presence));
    Some((row.fields.get(position)?, emptiness))
}

/// All fields of a type of [`crate::schema::TYPES`], each with its treatment by Go's JSON encoding.
pub(crate) fn presences(
    type_index: u16,
) -> impl Iterator<Item = (&'static crate::schema::FieldRow, Emptiness)> {
    let table::Message { row, tags } = table::message(type_index);
    row.fields.iter().zip(tags).map(|(field, tag)| (field, Emptiness::of(tag.presence)))
}

impl Emptiness {
    const fn of(presence: table::Presence) -> Self {
        match presence {
            table::Presence::UnlessEmpty => Self::OmitEmpty,
            table::Presence::UnlessZero => Self::OmitZero,
            table::Presence::Always => Self::Always,
            table::Presence::Pointer => Self::Pointer,
            table::Presence::NullPointer => Self::NullPointer,
        }
    }
}

/// Decodes a body whose envelope names its kind.
pub fn decode(bytes: &[u8], limits: Limits) -> Result<Node<'static>, ProtoError> {
    decode_as(bytes, limits, "", "")
}

/// Decodes a body; if its envelope names no kind, then as one of this `api_version` and `kind`.
///
/// The tree has the `apiVersion` and `kind` of the envelope, and neither if the envelope has none.
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
    let envelope = Envelope::decode(bytes)?;
    let or = |own, fallback| if str::is_empty(own) { fallback } else { own };
    let (api_version, kind) = (or(envelope.api_version, api_version), or(envelope.kind, kind));
    let body = table::body(api_version, kind).ok_or_else(|| unknown(api_version, kind))?;
    let mut node = decoder::Decoder::new(limits).body(envelope.raw, body)?;
    if let Value::Map(entries) = &mut node.value {
        let type_meta = [("apiVersion", envelope.api_version), ("kind", envelope.kind)];
        let type_meta = type_meta.into_iter().filter(|(_, text)| !text.is_empty());
        let type_meta =
            type_meta.map(|(name, text)| Entry::new(name, Node::string(String::from(text))));
        entries.splice(..0, type_meta);
    }
    Ok(node)
}

/// Encodes a tree as a body, by the schema of the kind that it names.
pub fn encode(node: &Node<'_>) -> Result<Vec<u8>, ProtoError> {
    let (api_version, kind) = (node.text_at(&["apiVersion"]), node.text_at(&["kind"]));
    let body = table::body(api_version, kind).ok_or_else(|| unknown(api_version, kind))?;
    let raw = encoder::body(node, body)?;
    let mut type_meta = Vec::new();
    wire::put_bytes(&mut type_meta, 1, api_version.as_bytes());
    wire::put_bytes(&mut type_meta, 2, kind.as_bytes());
    let mut out = MAGIC.to_vec();
    wire::put_bytes(&mut out, 1, &type_meta);
    wire::put_bytes(&mut out, 2, &raw);
    // Go writes these two fields even though they are empty.
    wire::put_bytes(&mut out, 3, &[]);
    wire::put_bytes(&mut out, 4, &[]);
    Ok(out)
}

fn unknown(api_version: &str, kind: &str) -> ProtoError {
    if kind.is_empty() {
        return ProtoError::new("the envelope does not name a kind");
    }
    let group_version_kind = readable(format!("{api_version}, Kind={kind}"));
    ProtoError::new(format!(
        "{group_version_kind} has no protobuf form; send it as application/json"
    ))
}

/// The envelope around a message (`runtime.Unknown`).
struct Envelope<'b> {
    api_version: &'b str,
    kind: &'b str,
    raw: &'b [u8],
}

impl<'b> Envelope<'b> {
    fn decode(bytes: &'b [u8]) -> Result<Self, ProtoError> {
        let rest = bytes.strip_prefix(&MAGIC).ok_or_else(|| {
            ProtoError::new("the body does not begin with the bytes 6b 38 73 00 of its envelope")
        })?;
        let mut envelope = Self { api_version: "", kind: "", raw: &[] };
        wire::each(rest, |number, wire| {
            match number {
                1 => envelope.decode_type(wire.bytes()?)?,
                2 => envelope.raw = wire.bytes()?,
                _ => {}
            }
            Ok(())
        })
        .map_err(|error| error.below("the envelope"))?;
        Ok(envelope)
    }

    fn decode_type(&mut self, bytes: &'b [u8]) -> Result<(), ProtoError> {
        wire::each(bytes, |number, wire| {
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
