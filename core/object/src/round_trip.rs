//! Property tests of storage: random objects of every kind are stored as Go's types decode them, and only equal
//! objects are stored as the same text.

use crate::proto::{decode, encode};
use crate::schema::{KINDS, KindRow, Shape, type_of};
use crate::xorshift::Xorshift;
use crate::{Entry, Equality, Limits, Node, Value, canonicalize, complete, equal_at, prune};
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use proptest::prelude::*;

/// Generates objects that fit their schema; half of their values are empty.
struct Generator {
    random: Xorshift,
    left: usize,
}

impl Generator {
    fn whole(&mut self, row: &KindRow) -> Node<'static> {
        let mut node = self.object(row.ty);
        let slash = if row.group.is_empty() { "" } else { "/" };
        node.set("apiVersion", Node::string(format!("{}{slash}{}", row.group, row.version)));
        node.set("kind", Node::string(String::from(row.kind)));
        node
    }

    fn object(&mut self, type_index: u16) -> Node<'static> {
        let mut entries = Vec::new();
        for field in type_of(type_index).fields {
            // JSON of any type is compared by value, not by whether it is empty.
            let is_generated =
                self.left > 0 && self.random.below(3) == 0 && !holds_any(&field.shape);
            if is_generated && !matches!(field.name, "apiVersion" | "kind") {
                self.left -= 1;
                entries.push(Entry::new(field.name, self.value(&field.shape)));
            }
        }
        Node::new(Value::Map(entries))
    }

    fn value(&mut self, shape: &Shape) -> Node<'static> {
        if self.random.below(8) == 0 {
            return Node::new(Value::Null);
        }
        let is_empty = self.random.below(2) == 0;
        match shape {
            Shape::Object(_) | Shape::Map(_) if is_empty => Node::empty_map(),
            Shape::List(_) if is_empty => Node::list(Vec::new()),
            Shape::Object(type_index) => self.object(*type_index),
            Shape::List(inner) => {
                let count = self.random.below(3);
                Node::list((0..count).map(|_| self.value(inner)).collect())
            }
            Shape::Map(inner) => {
                let count = self.random.below(3);
                let entry = |at| Entry::new(format!("k{at}"), self.value(inner));
                Node::new(Value::Map((0..count).map(entry).collect()))
            }
            Shape::String | Shape::Bytes if is_empty => Node::string(""),
            Shape::String | Shape::Bytes => Node::string("YWJj"),
            Shape::Bool => Node::bool(!is_empty),
            Shape::Int32 | Shape::Int64 | Shape::Float => Node::int(i64::from(!is_empty)),
            Shape::IntOrString if self.random.below(3) == 0 => Node::string("http"),
            Shape::IntOrString => Node::int(i64::from(!is_empty)),
            Shape::Quantity if is_empty => Node::string("0"),
            Shape::Quantity => Node::string("500m"),
            Shape::Time => Node::string("2026-01-02T03:04:05Z"),
            Shape::MicroTime => Node::string("2026-01-02T03:04:05.000006Z"),
            Shape::Any | Shape::OneOf(_) => Node::empty_map(),
        }
    }

    /// Empties, fills, adds or removes one random value.
    fn edit(&mut self, node: &mut Node<'static>, type_index: u16) {
        let fields = type_of(type_index).fields;
        let at = usize::try_from(self.random.below(u64::try_from(fields.len().max(1)).unwrap()))
            .unwrap();
        let Some(field) = fields.get(at) else { return };
        if holds_any(&field.shape) || matches!(field.name, "apiVersion" | "kind") {
            return;
        }
        let goes_down = self.random.below(4) != 0;
        if let (true, Shape::Object(inner), Some(member)) =
            (goes_down, field.shape, node.get_mut(field.name))
            && !member.is_null()
        {
            return self.edit(member, inner);
        }
        if self.random.below(3) == 0 {
            node.remove(field.name);
        } else {
            let value = self.value(&field.shape);
            node.set(field.name, value);
        }
    }
}

fn holds_any(shape: &Shape) -> bool {
    match shape {
        Shape::Any | Shape::OneOf(_) => true,
        Shape::List(inner) | Shape::Map(inner) => holds_any(inner),
        _ => false,
    }
}

/// The object in the form in which it is stored.
fn stored(node: &Node<'static>, row: &KindRow) -> Node<'static> {
    let mut node = node.clone();
    prune(&mut node, row.ty);
    canonicalize(&mut node, row.ty);
    node
}

/// Sets absent bytes to the empty text. Go compares nil and empty bytes as equal, but in fields that are always
/// encoded it writes `null` for the one and `""` for the other.
fn fill_bytes(mut node: Node<'static>, type_index: u16) -> Node<'static> {
    for field in type_of(type_index).fields {
        let Some(member) = node.get_mut(field.name) else { continue };
        match field.shape {
            Shape::Bytes if member.is_null() => *member = Node::string(""),
            Shape::Object(inner) => *member = fill_bytes(member.clone(), inner),
            _ => {}
        }
    }
    node
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1500))]

    #[test]
    fn what_is_stored_is_what_protobuf_leaves_of_it(kind in 0..KINDS.len(), seed in 1u64..) {
        let row = &KINDS[kind];
        let node = Generator { random: Xorshift(seed), left: 300 }.whole(row);
        let mut pruned_node = node.clone();
        prune(&mut pruned_node, row.ty);
        let mut again = decode(&encode(&pruned_node).unwrap(), Limits::DEFAULT).unwrap();
        complete(&mut again, row.ty);
        let stored = stored(&node, row);
        prop_assert_eq!(&stored, &again, "of {}: {} is not {}", node, stored, again);
    }

    #[test]
    fn to_store_again_changes_nothing(kind in 0..KINDS.len(), seed in 1u64..) {
        let row = &KINDS[kind];
        let once = stored(&Generator { random: Xorshift(seed), left: 300 }.whole(row), row);
        prop_assert_eq!(&stored(&once, row), &once);
    }

    #[test]
    fn two_objects_are_stored_as_one_if_and_only_if_they_are_equal(
        kind in 0..KINDS.len(),
        seed in 1u64..,
        edits in 1..4usize,
    ) {
        let row = &KINDS[kind];
        let mut generator = Generator { random: Xorshift(seed), left: 60 };
        let one = generator.whole(row);
        let mut other = one.clone();
        generator.left = 20;
        for _ in 0..edits {
            generator.edit(&mut other, row.ty);
        }
        let is_equal = equal_at(&one, &other, &[], Equality::Semantic);
        let stored = |node| fill_bytes(stored(node, row), row.ty);
        let is_one = stored(&one) == stored(&other);
        prop_assert_eq!(is_equal, is_one, "{} and {}", one, other);
        prop_assert_eq!(is_equal, equal_at(&other, &one, &[], Equality::Semantic));
        if equal_at(&one, &other, &[], Equality::Reflect) {
            prop_assert!(is_equal, "{} and {}", one, other);
        }
    }
}
