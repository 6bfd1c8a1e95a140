//! The field set of a value: every field that it sets.

use super::{Level, items};
use crate::field_set::{FieldSet, SetBuilder};
use crate::path_element::PathElement;
use crate::schema::{ListType, MapType, One, TypeRef};
use ratchet_object::{Node, Value};

/// The leaves of an object, items of lists, and what is empty.
pub(crate) fn to_field_set<'a>(object: &'a Node<'a>, ty: TypeRef<'a>) -> FieldSet<'a> {
    value(object, ty, Level::Object).1
}

/// Whether the value itself belongs to the set, and what is below it.
fn value<'a>(node: &'a Node<'a>, ty: TypeRef<'a>, level: Level) -> (bool, FieldSet<'a>) {
    match ty.atom().deduce(Some(node)).first() {
        One::Map(map) if map.is_atomic => (true, FieldSet::EMPTY),
        One::Map(map) => (false, members(node, map, level)),
        One::List(list) if list.is_atomic() => (true, FieldSet::EMPTY),
        One::List(list) => (false, list_items(node, &list)),
        One::Scalar(_) => (true, FieldSet::EMPTY),
        One::Nothing => (false, FieldSet::EMPTY),
    }
}

fn members<'a>(node: &'a Node<'a>, map: MapType<'a>, level: Level) -> FieldSet<'a> {
    let mut builder = SetBuilder::default();
    for entry in node.entries() {
        let Some(level) = level.member(&entry.key) else { continue };
        // A leaf whatever its type.
        if !matches!(entry.node.value, Value::List(_) | Value::Map(_)) {
            builder.push(PathElement::Field(&entry.key), true, FieldSet::EMPTY);
            continue;
        }
        let field = map.field(&entry.key);
        let Some(ty) = field.or(map.element) else { continue };
        let (is_member, children) = value(&entry.node, ty, level);
        let is_empty = matches!(&entry.node.value, Value::Map(entries) if entries.is_empty());
        let is_member = is_member || is_empty || field.is_none();
        builder.push(PathElement::Field(&entry.key), is_member, children);
    }
    builder.build()
}

fn list_items<'a>(node: &'a Node<'a>, list: &ListType<'a>) -> FieldSet<'a> {
    let nodes = node.items();
    let mut builder = SetBuilder::default();
    let mut sorted = items::sorted_items(list, nodes).into_iter().peekable();
    while let Some((element, index)) = sorted.next() {
        let mut is_repeated = false;
        while sorted.next_if(|(next, _)| *next == element).is_some() {
            is_repeated = true;
        }
        // Items with one key are owned as one, without anything below.
        let children = match nodes.get(index) {
            Some(item) if !is_repeated => value(item, list.items, Level::Inside).1,
            _ => FieldSet::EMPTY,
        };
        builder.push(element, true, children);
    }
    builder.build()
}
