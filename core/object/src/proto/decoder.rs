//! Decoding of protobuf messages into trees with the members that Go's JSON encoding would have.

use super::error::{ProtoError, ProtoResult};
use super::leaf;
use super::response_types::LIST_META;
use super::table::{Body, Message, Presence, Tag, Union, message};
use super::v1_36::SCHEMA;
use super::wire::{Fields, Wire, each};
use crate::schema::{FieldRow, Shape};
use crate::{Entry, Limits, Node, Value, json};
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec;
use alloc::vec::Vec;

type Tree = Node<'static>;

/// A decoder with its remaining limits.
pub(super) struct Decoder {
    depth: usize,
    limits: Limits,
    nodes: usize,
}

impl Decoder {
    pub(super) fn new(limits: Limits) -> Self {
        Self { depth: 0, limits, nodes: 0 }
    }

    /// Decodes the message of a whole body.
    pub(super) fn body(&mut self, bytes: &[u8], body: Body) -> ProtoResult<Tree> {
        match body {
            Body::One(type_index) => self.nested(|decoder| decoder.object(bytes, type_index)),
            Body::Many(type_index) | Body::ItemsFirst(type_index) => {
                let numbers = body.list_numbers();
                self.nested(|decoder| decoder.objects(bytes, type_index, numbers))
            }
        }
    }

    /// Decodes a list of objects: its metadata, and its items.
    fn objects(
        &mut self,
        bytes: &[u8],
        type_index: u16,
        (metadata_number, items_number): (u8, u8),
    ) -> ProtoResult<Tree> {
        let mut metadata = Node::empty_map();
        let mut items = Vec::new();
        each(bytes, |number, wire| {
            let is_metadata = number == u32::from(metadata_number);
            let bytes = match is_metadata || number == u32::from(items_number) {
                true => wire.bytes()?,
                false => return Ok(()),
            };
            let node = match is_metadata {
                true => self.nested(|decoder| decoder.object(bytes, LIST_META)),
                false => self.in_collection(|decoder| {
                    decoder.nested(|decoder| decoder.object(bytes, type_index))
                }),
            };
            match is_metadata {
                true => metadata = node.map_err(|error| error.below("metadata"))?,
                false => items.push(node.map_err(|error| error.item(items.len()).below("items"))?),
            }
            Ok(())
        })?;
        Ok(Node::map([("metadata", metadata), ("items", Node::list(items))]))
    }

    fn object(&mut self, bytes: &[u8], type_index: u16) -> ProtoResult<Tree> {
        let message = message(type_index);
        let mut slots = vec![None; message.tags.len()];
        self.members(bytes, message, &[], &mut slots)?;
        let fields_with_slots = message.row.fields.iter().zip(slots);
        let entries = fields_with_slots
            .filter_map(|(field, node)| Some(Entry::new(field.name, sorted_map(node?))));
        Ok(Node::new(Value::Map(entries.collect())))
    }

    /// Decodes a message into the slots of a type; `under` is the path of the inlined message it belongs to.
    fn members(
        &mut self,
        bytes: &[u8],
        message: Message,
        under: &'static [u8],
        slots: &mut [Option<Tree>],
    ) -> ProtoResult<()> {
        each(bytes, |number, wire| {
            let Ok(number) = u8::try_from(number) else { return Ok(()) };
            let rows = message.row.fields.iter().zip(message.tags).zip(&mut *slots);
            let mut matching =
                rows.filter(|((_, tag), _)| tag.number == number && tag.under == under);
            if let Some(((field, tag), slot)) = matching.next() {
                return self
                    .member(field, tag, wire, slot)
                    .map_err(|error| error.below(field.name));
            }
            match inner(message.tags, under, number) {
                Some(inner) => self.members(wire.bytes()?, message, inner, slots),
                None => Ok(()),
            }
        })
    }

    fn member(
        &mut self,
        field: &'static FieldRow,
        tag: &Tag,
        wire: Wire<'_>,
        slot: &mut Option<Tree>,
    ) -> ProtoResult<()> {
        match field.shape {
            Shape::List(inner) => self.in_collection(|decoder| {
                let items = list_in(slot);
                match wire {
                    Wire::Bytes(bytes) if is_number(inner) => decoder.packed(inner, bytes, items),
                    _ => {
                        let node = decoder.value(inner, tag.union, wire);
                        items.push(node.map_err(|error| error.item(items.len()))?);
                        Ok(())
                    }
                }
            }),
            Shape::Map(inner) => self.in_collection(|decoder| {
                let entry = decoder.entry(inner, tag.union, wire.bytes()?)?;
                map_in(slot).push(entry);
                Ok(())
            }),
            ref shape => {
                let node = self.value(shape, tag.union, wire)?;
                *slot = (!is_omitted(&node, shape, tag.presence)).then_some(node);
                Ok(())
            }
        }
    }

    /// Decodes an entry of a map: its key is field 1, its value field 2.
    fn entry(
        &mut self,
        inner: &'static Shape,
        union: Union,
        bytes: &[u8],
    ) -> ProtoResult<Entry<'static>> {
        let mut key = String::new();
        let mut value = None;
        each(bytes, |number, wire| {
            match number {
                1 => key = wire.text()?.to_string(),
                2 => value = Some(wire),
                _ => {}
            }
            Ok(())
        })?;
        let wire = value.unwrap_or_else(|| zero_wire(inner));
        let node = self.value(inner, union, wire).map_err(|error| error.key(&key))?;
        Ok(Entry::new(key, node))
    }

    /// Decodes packed repeated numbers.
    fn packed(
        &mut self,
        inner: &'static Shape,
        bytes: &[u8],
        items: &mut Vec<Tree>,
    ) -> ProtoResult<()> {
        let mut rest = Fields::new(bytes);
        while !rest.is_empty() {
            let wire = match inner {
                Shape::Float => Wire::Fixed64(rest.double()?.to_bits()),
                _ => Wire::Varint(rest.varint()?),
            };
            items.push(self.value(inner, Union::No, wire)?);
        }
        Ok(())
    }

    fn value(&mut self, shape: &'static Shape, union: Union, wire: Wire<'_>) -> ProtoResult<Tree> {
        self.nested(|decoder| match shape {
            Shape::String => Ok(Node::string(wire.text()?.to_string())),
            Shape::Bytes => Ok(Node::string(leaf::base64(wire.bytes()?))),
            Shape::Int32 => Ok(Node::int(leaf::int32(wire.varint()?))),
            Shape::Int64 => Ok(Node::int(wire.varint()?.cast_signed())),
            Shape::Bool => Ok(Node::bool(wire.varint()? != 0)),
            Shape::Float => leaf::float(wire.double()?),
            Shape::Time => leaf::time(wire.bytes()?),
            Shape::MicroTime => leaf::micro_time(wire.bytes()?),
            Shape::Quantity => leaf::quantity(wire.bytes()?),
            Shape::IntOrString => leaf::int_or_string(wire.bytes()?),
            Shape::Any | Shape::OneOf(_) => decoder.any(union, wire.bytes()?),
            Shape::Object(type_index) => decoder.object(wire.bytes()?, *type_index),
            Shape::List(inner) => decoder.wrapped(inner, wire.bytes()?),
            Shape::Map(_) => Err(ProtoError::new("a map where protobuf cannot have one")),
        })
    }

    /// Decodes a list that is a message of its own, with its items in field 1.
    fn wrapped(&mut self, inner: &'static Shape, bytes: &[u8]) -> ProtoResult<Tree> {
        let mut items = Vec::new();
        each(bytes, |number, wire| {
            if number == 1 {
                items.push(self.value(inner, Union::No, wire)?);
            }
            Ok(())
        })?;
        // Go appends to nil: an empty list stays nil, which JSON encodes as null.
        Ok(if items.is_empty() { Node::new(Value::Null) } else { Node::list(items) })
    }

    /// Decodes a value that JSON shows without a schema of its own.
    fn any(&mut self, union: Union, bytes: &[u8]) -> ProtoResult<Tree> {
        let (mut one, mut two) = (None, Vec::new());
        each(bytes, |number, wire| {
            match number {
                1 => one = Some(wire),
                2 => two.push(wire),
                _ => {}
            }
            Ok(())
        })?;
        let null = || Node::new(Value::Null);
        match union {
            Union::No => match one {
                Some(raw) => self.json(raw.bytes()?),
                None => Ok(null()),
            },
            Union::BoolOrSchema => match two.last() {
                Some(wire) => self.object(wire.bytes()?, SCHEMA),
                None => Ok(Node::bool(one.map_or(Ok(0), Wire::varint)? != 0)),
            },
            Union::SchemaOrSchemas | Union::SchemaOrTexts if !two.is_empty() => {
                let shape = match union {
                    Union::SchemaOrTexts => &Shape::String,
                    _ => &Shape::Object(SCHEMA),
                };
                let items = two.into_iter().map(|wire| self.value(shape, Union::No, wire));
                Ok(Node::list(items.collect::<ProtoResult<_>>()?))
            }
            Union::SchemaOrSchemas | Union::SchemaOrTexts => match one {
                Some(wire) => self.object(wire.bytes()?, SCHEMA),
                None => Ok(null()),
            },
        }
    }

    /// Decodes JSON that a message holds verbatim.
    fn json(&mut self, raw: &[u8]) -> ProtoResult<Tree> {
        if raw.is_empty() {
            return Ok(Node::new(Value::Null));
        }
        let text = Wire::Bytes(raw).text()?;
        let limits = Limits {
            // The value itself has been counted already.
            depth: (self.limits.depth + 1).saturating_sub(self.depth),
            nodes: self.limits.nodes.saturating_sub(self.nodes),
            ..self.limits
        };
        let refused = |reason: &str| ProtoError::new(format!("JSON that cannot be read: {reason}"));
        let mut documents =
            json::parse(text, limits).map_err(|error| refused(&error.message))?.documents;
        let (Some(node), true) = (documents.pop(), documents.is_empty()) else {
            return Err(refused("not one value"));
        };
        let node = leaf::without_spans(node);
        self.nodes += leaf::count(&node);
        Ok(node)
    }

    /// Checks the current depth against the limit.
    fn check_depth(&self) -> ProtoResult<()> {
        let deepest = self.limits.depth;
        if self.depth > deepest {
            return Err(ProtoError::new(format!("nested deeper than {deepest} levels")));
        }
        Ok(())
    }

    /// Decodes the elements of a list or a map, which are one level deeper though they are no message.
    fn in_collection<T>(
        &mut self,
        decode: impl FnOnce(&mut Self) -> ProtoResult<T>,
    ) -> ProtoResult<T> {
        self.check_depth()?;
        self.depth += 1;
        let result = decode(self);
        self.depth -= 1;
        result
    }

    /// Counts one value, and decodes what is in it one level deeper.
    fn nested<T>(&mut self, decode: impl FnOnce(&mut Self) -> ProtoResult<T>) -> ProtoResult<T> {
        self.check_depth()?;
        let nodes = self.limits.nodes;
        self.nodes += 1;
        if self.nodes > nodes {
            return Err(ProtoError::new(format!("more than {nodes} values")));
        }
        self.depth += 1;
        let result = decode(self);
        self.depth -= 1;
        result
    }
}

/// The path of the inlined message `number` inside the inlined message `under`, if fields are in it.
pub(super) fn inner(tags: &'static [Tag], under: &[u8], number: u8) -> Option<&'static [u8]> {
    let leads = |tag: &&Tag| {
        tag.under.strip_prefix(under).is_some_and(|rest| rest.first() == Some(&number))
    };
    tags.iter().find(leads)?.under.get(..=under.len())
}

/// Whether JSON omits a member that is present on the wire.
fn is_omitted(node: &Tree, shape: &Shape, presence: Presence) -> bool {
    let is_scalar = matches!(
        shape,
        Shape::String | Shape::Bytes | Shape::Int32 | Shape::Int64 | Shape::Float | Shape::Bool
    );
    match (&node.value, presence) {
        (_, Presence::Always) => false,
        (Value::Null, _) => true,
        (_, Presence::Pointer | Presence::NullPointer) => false,
        (Value::Text(text), _) => is_scalar && text.is_empty(),
        (Value::Int(number), _) => is_scalar && *number == 0,
        (Value::Bool(truth), _) => is_scalar && !truth,
        (Value::Map(entries), Presence::UnlessZero) => entries.is_empty(),
        _ => false,
    }
}

fn is_number(shape: &Shape) -> bool {
    matches!(shape, Shape::Int32 | Shape::Int64 | Shape::Bool | Shape::Float)
}

/// The wire value for a map entry that has no value field.
fn zero_wire(shape: &Shape) -> Wire<'static> {
    match shape {
        Shape::Float => Wire::Fixed64(0),
        shape if is_number(shape) => Wire::Varint(0),
        _ => Wire::Bytes(&[]),
    }
}

fn list_in(slot: &mut Option<Tree>) -> &mut Vec<Tree> {
    let node = slot.get_or_insert_with(|| Node::list(Vec::new()));
    match &mut node.value {
        Value::List(items) => items,
        _ => unreachable!("a list's slot holds a list"),
    }
}

fn map_in(slot: &mut Option<Tree>) -> &mut Vec<Entry<'static>> {
    let node = slot.get_or_insert_with(Node::empty_map);
    match &mut node.value {
        Value::Map(entries) => entries,
        _ => unreachable!("a map's slot holds a map"),
    }
}

/// A member as JSON has it: the keys of a map sorted, and of duplicates the last.
fn sorted_map(mut node: Tree) -> Tree {
    if let Value::Map(entries) = &mut node.value
        && !entries.is_sorted_by(|a, b| a.key < b.key)
    {
        entries.reverse();
        entries.sort_by(|a, b| a.key.cmp(&b.key));
        entries.dedup_by(|a, b| a.key == b.key);
    }
    node
}
