//! Messages become trees: what JSON would show stays, what it would leave out does not appear.

use super::ProtoError;
use super::leaf;
use super::more::LIST_META;
use super::table::{Body, Message, Presence, Tag, Union, message};
use super::v1_36::SCHEMA;
use super::wire::{Fields, Wire};
use crate::schema::{FieldRow, Shape};
use crate::{Entry, Limits, Node, Value, json};
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec;
use alloc::vec::Vec;

type Tree = Node<'static>;
type Outcome<T> = Result<T, ProtoError>;

/// A message being read, and how much it may still ask of us.
pub(super) struct Reader {
    depth: usize,
    limits: Limits,
    nodes: usize,
}

impl Reader {
    pub(super) fn new(limits: Limits) -> Self {
        Self { depth: 0, limits, nodes: 0 }
    }

    /// Reads the message of a whole body.
    pub(super) fn body(&mut self, bytes: &[u8], body: Body) -> Outcome<Tree> {
        match body {
            Body::One(place) => self.deeper(|reader| reader.object(bytes, place)),
            Body::Many(place) => self.deeper(|reader| reader.objects(bytes, place)),
        }
    }

    /// Reads a list of objects: its metadata, and its items.
    fn objects(&mut self, bytes: &[u8], place: u16) -> Outcome<Tree> {
        let mut metadata = Node::empty_map();
        let mut items = Vec::new();
        each(bytes, |number, wire| {
            let bytes = match number {
                1 | 2 => wire.bytes()?,
                _ => return Ok(()),
            };
            let node = match number {
                1 => self.deeper(|reader| reader.object(bytes, LIST_META)),
                _ => self.inside(|reader| reader.deeper(|reader| reader.object(bytes, place))),
            };
            match number {
                1 => metadata = node.map_err(|error| error.below("metadata"))?,
                _ => items.push(node.map_err(|error| error.item(items.len()).below("items"))?),
            }
            Ok(())
        })?;
        Ok(Node::map([("metadata", metadata), ("items", Node::list(items))]))
    }

    fn object(&mut self, bytes: &[u8], place: u16) -> Outcome<Tree> {
        let message = message(place);
        let mut slots = vec![None; message.tags.len()];
        self.members(bytes, message, &[], &mut slots)?;
        let named = message.row.fields.iter().zip(slots);
        let entries =
            named.filter_map(|(field, node)| Some(Entry::new(field.name, settled(node?))));
        Ok(Node::new(Value::Map(entries.collect())))
    }

    /// Reads a message into the slots of a type; `under` says which of its inner messages it is.
    fn members(
        &mut self,
        bytes: &[u8],
        message: Message,
        under: &'static [u8],
        slots: &mut [Option<Tree>],
    ) -> Outcome<()> {
        each(bytes, |number, wire| {
            let Ok(number) = u8::try_from(number) else { return Ok(()) };
            let rows = message.row.fields.iter().zip(message.tags).zip(&mut *slots);
            let mut found = rows.filter(|((_, tag), _)| tag.number == number && tag.under == under);
            if let Some(((field, tag), slot)) = found.next() {
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
    ) -> Outcome<()> {
        match field.shape {
            Shape::List(inner) => self.inside(|reader| {
                let items = list_in(slot);
                match wire {
                    Wire::Bytes(bytes) if is_number(inner) => reader.packed(inner, bytes, items),
                    _ => {
                        let node = reader.value(inner, tag.union, wire);
                        items.push(node.map_err(|error| error.item(items.len()))?);
                        Ok(())
                    }
                }
            }),
            Shape::Map(inner) => self.inside(|reader| {
                let entry = reader.entry(inner, tag.union, wire.bytes()?)?;
                map_in(slot).push(entry);
                Ok(())
            }),
            ref shape => {
                let node = self.value(shape, tag.union, wire)?;
                *slot = (!is_left_out(&node, shape, tag.presence)).then_some(node);
                Ok(())
            }
        }
    }

    /// Reads an entry of a map: its key is field 1, its value field 2.
    fn entry(
        &mut self,
        inner: &'static Shape,
        union: Union,
        bytes: &[u8],
    ) -> Outcome<Entry<'static>> {
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
        let wire = value.unwrap_or_else(|| nothing(inner));
        let node = self.value(inner, union, wire).map_err(|error| error.key(&key))?;
        Ok(Entry::new(key, node))
    }

    /// Reads numbers that stand one after the other in one field.
    fn packed(
        &mut self,
        inner: &'static Shape,
        bytes: &[u8],
        items: &mut Vec<Tree>,
    ) -> Outcome<()> {
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

    fn value(&mut self, shape: &'static Shape, union: Union, wire: Wire<'_>) -> Outcome<Tree> {
        self.deeper(|reader| match shape {
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
            Shape::Any => reader.any(union, wire.bytes()?),
            Shape::Object(place) => reader.object(wire.bytes()?, *place),
            Shape::List(inner) => reader.wrapped(inner, wire.bytes()?),
            Shape::Map(_) => Err(ProtoError::new("a map where protobuf cannot have one")),
        })
    }

    /// Reads a list that is a message of its own, with its items in field 1.
    fn wrapped(&mut self, inner: &'static Shape, bytes: &[u8]) -> Outcome<Tree> {
        let mut items = Vec::new();
        each(bytes, |number, wire| {
            if number == 1 {
                items.push(self.value(inner, Union::No, wire)?);
            }
            Ok(())
        })?;
        // Go appends to nil: a list of none stays nil, and JSON says so.
        Ok(if items.is_empty() { Node::new(Value::Null) } else { Node::list(items) })
    }

    /// Reads what JSON shows without a schema of its own.
    fn any(&mut self, union: Union, bytes: &[u8]) -> Outcome<Tree> {
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
                Ok(Node::list(items.collect::<Outcome<_>>()?))
            }
            Union::SchemaOrSchemas | Union::SchemaOrTexts => match one {
                Some(wire) => self.object(wire.bytes()?, SCHEMA),
                None => Ok(null()),
            },
        }
    }

    /// Reads JSON that stands in a message as it is.
    fn json(&mut self, raw: &[u8]) -> Outcome<Tree> {
        if raw.is_empty() {
            return Ok(Node::new(Value::Null));
        }
        let text = Wire::Bytes(raw).text()?;
        let limits = Limits {
            // The value has been counted already.
            depth: (self.limits.depth + 1).saturating_sub(self.depth),
            nodes: self.limits.nodes.saturating_sub(self.nodes),
            ..self.limits
        };
        let refused = |why: &str| ProtoError::new(format!("JSON that cannot be read: {why}"));
        let mut documents =
            json::read(text, limits).map_err(|error| refused(&error.message))?.documents;
        let (Some(node), true) = (documents.pop(), documents.is_empty()) else {
            return Err(refused("not one value"));
        };
        let node = leaf::without_spans(node);
        self.nodes += leaf::count(&node);
        Ok(node)
    }

    /// Whether a value may stand where the reader is.
    fn reach(&self) -> Outcome<()> {
        let deepest = self.limits.depth;
        if self.depth > deepest {
            return Err(ProtoError::new(format!("nested deeper than {deepest} levels")));
        }
        Ok(())
    }

    /// Reads what stands in a list or a map that no message is.
    fn inside<T>(&mut self, read: impl FnOnce(&mut Self) -> Outcome<T>) -> Outcome<T> {
        self.reach()?;
        self.depth += 1;
        let outcome = read(self);
        self.depth -= 1;
        outcome
    }

    /// Counts one value, and reads what is in it.
    fn deeper<T>(&mut self, read: impl FnOnce(&mut Self) -> Outcome<T>) -> Outcome<T> {
        self.reach()?;
        let nodes = self.limits.nodes;
        self.nodes += 1;
        if self.nodes > nodes {
            return Err(ProtoError::new(format!("more than {nodes} values")));
        }
        self.depth += 1;
        let outcome = read(self);
        self.depth -= 1;
        outcome
    }
}

/// Goes through the fields of a message.
pub(super) fn each<'b>(
    bytes: &'b [u8],
    mut see: impl FnMut(u32, Wire<'b>) -> Outcome<()>,
) -> Outcome<()> {
    let mut fields = Fields::new(bytes);
    while let Some((number, wire)) = fields.next()? {
        see(number, wire)?;
    }
    Ok(())
}

/// The way to the inner message `number` of the inner message `under`, if fields stand in it.
pub(super) fn inner(tags: &'static [Tag], under: &[u8], number: u8) -> Option<&'static [u8]> {
    let leads = |tag: &&Tag| {
        tag.under.strip_prefix(under).is_some_and(|rest| rest.first() == Some(&number))
    };
    tags.iter().find(leads)?.under.get(..=under.len())
}

/// Whether JSON would leave out a member that the wire has.
fn is_left_out(node: &Tree, shape: &Shape, presence: Presence) -> bool {
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

/// What stands for a value that an entry of a map does not have.
fn nothing(shape: &Shape) -> Wire<'static> {
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

/// A member as JSON has it: the keys of a map in order, and of those that repeat the last.
fn settled(mut node: Tree) -> Tree {
    if let Value::Map(entries) = &mut node.value
        && !entries.is_sorted_by(|a, b| a.key < b.key)
    {
        entries.reverse();
        entries.sort_by(|a, b| a.key.cmp(&b.key));
        entries.dedup_by(|a, b| a.key == b.key);
    }
    node
}
