//! Property tests: random trees of random kinds survive encoding and decoding.

use super::table::{self, Presence, Tag, Union};
use super::time::Timestamp;
use super::v1_36::SCHEMA;
use super::{decode, encode};
use crate::schema::{KINDS, Shape};
use crate::xorshift::Xorshift;
use crate::{Entry, Limits, Node, Value};
use alloc::borrow::Cow;
use alloc::format;
use alloc::string::String;
use alloc::vec;
use alloc::vec::Vec;
use proptest::prelude::*;

/// The deepest message that is generated. A field adds at most two levels of the tree to it, so
/// what grows from here is within [`Limits::DEFAULT`].
const MAX_MESSAGES: usize = 100;

/// Generates trees that JSON and protobuf can both hold: nothing in them that JSON would omit.
struct Generator {
    random: Xorshift,
    left: usize,
    depth: usize,
}

impl Generator {
    fn object(&mut self, type_index: u16) -> Node<'static> {
        let message = table::message(type_index);
        let mut entries = Vec::new();
        if self.depth == MAX_MESSAGES {
            return Node::new(Value::Map(entries));
        }
        self.depth += 1;
        for (field, tag) in message.row.fields.iter().zip(message.tags) {
            if self.left > 0 && tag.number > 0 && self.random.below(3) == 0 {
                self.left -= 1;
                entries.push(Entry::new(field.name, self.member(&field.shape, tag)));
            }
        }
        self.depth -= 1;
        Node::new(Value::Map(entries))
    }

    fn member(&mut self, shape: &Shape, tag: &Tag) -> Node<'static> {
        let keeps_zero =
            matches!(tag.presence, Presence::Pointer | Presence::NullPointer | Presence::Always);
        let count = 1 + self.random.below(3);
        match shape {
            Shape::List(inner) => {
                Node::list((0..count).map(|_| self.value(inner, tag.union, true)).collect())
            }
            Shape::Map(inner) => {
                let key = |at| Cow::Owned(format!("k{at}"));
                let entry = |at| Entry::new(key(at), self.value(inner, tag.union, true));
                Node::new(Value::Map((0..count).map(entry).collect()))
            }
            shape => self.value(shape, tag.union, keeps_zero),
        }
    }

    fn value(&mut self, shape: &Shape, union: Union, keeps_zero: bool) -> Node<'static> {
        let is_zero = keeps_zero && self.random.below(4) == 0;
        let number = 1 + self.random.below(1 << 30).cast_signed();
        match shape {
            Shape::Int32 | Shape::Int64 | Shape::Float | Shape::Bool if is_zero => match shape {
                Shape::Bool => Node::bool(false),
                _ => Node::int(0),
            },
            Shape::String | Shape::Bytes if is_zero => Node::string(""),
            Shape::String => Node::string(format!("é{number}")),
            Shape::Bytes => {
                Node::string(super::leaf::base64(&number.to_le_bytes()[..1 + number as usize % 8]))
            }
            Shape::Int32 => Node::int(-number),
            Shape::Int64 => Node::int(i64::MIN + number),
            Shape::Float => Node::new(Value::Float(number as f64 + 0.5)),
            Shape::Bool => Node::bool(true),
            Shape::Time => Node::string(timestamp(number).to_rfc3339().unwrap()),
            Shape::MicroTime => Node::string(timestamp(number).to_rfc3339_micros().unwrap()),
            Shape::Quantity => Node::string(format!("{number}m")),
            Shape::IntOrString if is_zero => Node::string("http"),
            Shape::IntOrString => Node::int(number),
            Shape::Any | Shape::OneOf(_) => self.any(union),
            Shape::Object(type_index) => self.object(*type_index),
            Shape::List(inner) => Node::list(vec![self.value(inner, Union::No, true)]),
            Shape::Map(_) => unreachable!("no map stands in another"),
        }
    }

    fn any(&mut self, union: Union) -> Node<'static> {
        let is_first = self.random.below(2) == 0;
        match union {
            Union::No => Node::map([("a", Node::list(vec![Node::int(1), Node::new(Value::Null)]))]),
            Union::BoolOrSchema if is_first => Node::bool(self.random.below(2) == 0),
            Union::SchemaOrSchemas if is_first => Node::list(vec![self.object(SCHEMA)]),
            Union::SchemaOrTexts if is_first => Node::list(vec![Node::string("a")]),
            _ => self.object(SCHEMA),
        }
    }
}

fn timestamp(number: i64) -> Timestamp {
    Timestamp { seconds: number, nanos: 123_456_000 }
}

proptest! {
    #[test]
    fn trees_survive(kind in 0..KINDS.len(), seed in 1u64..) {
        let row = KINDS[kind];
        let mut node = Generator { random: Xorshift(seed), left: 500, depth: 0 }.object(row.ty);
        let slash = if row.group.is_empty() { "" } else { "/" };
        node.set("apiVersion", Node::string(format!("{}{slash}{}", row.group, row.version)));
        node.set("kind", Node::string(String::from(row.kind)));
        let bytes = encode(&node).unwrap();
        let again = decode(&bytes, Limits::DEFAULT).unwrap();
        prop_assert_eq!(&again, &node, "{} is not {}", again, node);
    }

    #[test]
    fn any_bytes_are_read_or_refused(kind in 0..KINDS.len(), raw: Vec<u8>) {
        let row = KINDS[kind];
        let slash = if row.group.is_empty() { "" } else { "/" };
        let mut type_meta = Vec::new();
        let version = format!("{}{slash}{}", row.group, row.version);
        super::wire::put_bytes(&mut type_meta, 1, version.as_bytes());
        super::wire::put_bytes(&mut type_meta, 2, row.kind.as_bytes());
        let mut bytes = super::MAGIC.to_vec();
        super::wire::put_bytes(&mut bytes, 1, &type_meta);
        super::wire::put_bytes(&mut bytes, 2, &raw);
        let _ = (decode(&bytes, Limits::DEFAULT), decode(&raw, Limits::DEFAULT));
    }
}
