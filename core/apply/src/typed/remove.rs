//! Removal of fields from a value.

use super::{Level, items};
use crate::field_set::FieldSet;
use crate::path_element::PathElement;
use crate::schema::{ListType, MapType, One, TypeRef};
use crate::value::owned;
use alloc::string::String;
use alloc::vec::Vec;
use ratchet_object::{Entry, Node, Value};

/// The object without the fields of a set. What loses all its parts is `null`, which is not the same as absent.
pub(crate) fn remove<'a>(
    object: &'a Node<'a>,
    fields: &FieldSet<'_>,
    ty: TypeRef<'a>,
) -> Node<'static> {
    value(object, fields, ty, Level::Object)
}

fn value<'a>(
    node: &'a Node<'a>,
    fields: &FieldSet<'_>,
    ty: TypeRef<'a>,
    level: Level,
) -> Node<'static> {
    let left = match ty.atom().deduce(Some(node)).first() {
        One::Scalar(_) => return owned(node),
        One::Map(map) if !map.is_atomic => members(node, fields, map, level),
        One::List(list) if !list.is_atomic() => list_items(node, fields, &list),
        // Parts of what is atomic cannot be removed alone.
        _ => None,
    };
    Node::new(left.unwrap_or(Value::Null))
}

fn members<'a>(
    node: &'a Node<'a>,
    fields: &FieldSet<'_>,
    map: MapType<'a>,
    level: Level,
) -> Option<Value<'static>> {
    let mut left = Vec::new();
    for entry in node.entries() {
        let Some(level) = level.member(&entry.key) else { continue };
        let (is_removed, below) = fields.below(&PathElement::Field(&entry.key));
        if is_removed {
            continue;
        }
        let member = match map.member(&entry.key) {
            Some(ty) if !below.is_empty() => value(&entry.node, below, ty, level),
            _ => owned(&entry.node),
        };
        left.push(Entry::new(String::from(entry.key.as_ref()), member));
    }
    (!left.is_empty()).then_some(Value::Map(left))
}

fn list_items<'a>(
    node: &'a Node<'a>,
    fields: &FieldSet<'_>,
    list: &ListType<'a>,
) -> Option<Value<'static>> {
    let mut left = Vec::new();
    for item in node.items() {
        let Ok(element) = items::element(list, item) else { continue };
        let (is_removed, below) = fields.below(&element);
        if is_removed {
            continue;
        }
        left.push(match below.is_empty() {
            true => owned(item),
            false => value(item, below, list.items, Level::Inside),
        });
    }
    (!left.is_empty()).then_some(Value::List(left))
}
