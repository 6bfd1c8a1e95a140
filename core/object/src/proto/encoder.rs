//! Encoding of trees as protobuf messages, by the schema of their kind; unknown fields are dropped.

use super::decoder::inner;
use super::error::{ProtoError, ProtoResult};
use super::leaf;
use super::response_types::LIST_META;
use super::table::{Body, Message, Presence, Tag, Union, message};
use super::time::Timestamp;
use super::v1_36::SCHEMA;
use super::wire::{put_bytes, put_double, put_int};
use crate::schema::Shape;
use crate::{Node, Value};
use alloc::format;
use alloc::string::ToString;
use alloc::vec::Vec;

/// The message of a whole body.
pub(super) fn body(node: &Node<'_>, body: Body) -> ProtoResult<Vec<u8>> {
    match body {
        Body::One(type_index) => object(node, type_index),
        Body::Many(type_index) | Body::ItemsFirst(type_index) => {
            objects(node, type_index, body.list_numbers())
        }
    }
}

fn objects(
    node: &Node<'_>,
    type_index: u16,
    (metadata_number, items_number): (u8, u8),
) -> ProtoResult<Vec<u8>> {
    let mut out = Vec::new();
    if let Some(metadata) = node.get("metadata") {
        let metadata = object(metadata, LIST_META).map_err(|error| error.below("metadata"))?;
        put_bytes(&mut out, metadata_number, &metadata);
    }
    for (at, item) in node.get("items").map(Node::items).unwrap_or_default().iter().enumerate() {
        let item = object(item, type_index).map_err(|error| error.item(at).below("items"))?;
        put_bytes(&mut out, items_number, &item);
    }
    Ok(out)
}

/// The message of one object.
pub(super) fn object(node: &Node<'_>, type_index: u16) -> ProtoResult<Vec<u8>> {
    match node.value {
        Value::Map(_) => members(node, message(type_index), &[]),
        Value::Null => Ok(Vec::new()),
        _ => Err(type_mismatch(node, "an object")),
    }
}

/// The members of the inlined message `under`, and those of the messages inside it.
fn members(node: &Node<'_>, message: Message, under: &[u8]) -> ProtoResult<Vec<u8>> {
    let mut out = Vec::new();
    let rows = message.row.fields.iter().zip(message.tags);
    for (field, tag) in rows.filter(|(_, tag)| tag.under == under && tag.number > 0) {
        let is_encoded = |value: &&Node<'_>| !value.is_null() || keeps_null(&field.shape, tag);
        if let Some(value) = node.get(field.name).filter(is_encoded) {
            member(&mut out, tag.number, &field.shape, tag.union, value)
                .map_err(|error| error.below(field.name))?;
        }
    }
    let mut encoded = Vec::new();
    for tag in message.tags {
        let next = tag.under.strip_prefix(under).and_then(<[u8]>::first);
        let Some(next) = next.filter(|next| !encoded.contains(*next)) else { continue };
        encoded.push(*next);
        if let Some(under) = inner(message.tags, under, *next) {
            let inside = members(node, message, under)?;
            if !inside.is_empty() {
                put_bytes(&mut out, *next, &inside);
            }
        }
    }
    Ok(out)
}

/// Whether an empty message decodes to null: JSON always has such a time.
fn keeps_null(shape: &Shape, tag: &Tag) -> bool {
    let is_leaf = matches!(shape, Shape::Time | Shape::MicroTime | Shape::Any | Shape::OneOf(_));
    is_leaf && tag.presence == Presence::Always
}

fn member(
    out: &mut Vec<u8>,
    number: u8,
    shape: &Shape,
    union: Union,
    node: &Node<'_>,
) -> ProtoResult<()> {
    match (shape, &node.value) {
        (Shape::List(inner), Value::List(items)) => {
            for (at, item) in items.iter().enumerate() {
                value(out, number, inner, union, item).map_err(|error| error.item(at))?;
            }
            Ok(())
        }
        (Shape::Map(inner), Value::Map(entries)) => {
            for entry in entries {
                let mut both = Vec::new();
                put_bytes(&mut both, 1, entry.key.as_bytes());
                value(&mut both, 2, inner, union, &entry.node)
                    .map_err(|error| error.key(&entry.key))?;
                put_bytes(out, number, &both);
            }
            Ok(())
        }
        (Shape::List(_), _) => Err(type_mismatch(node, "a list")),
        (Shape::Map(_), _) => Err(type_mismatch(node, "an object")),
        _ => value(out, number, shape, union, node),
    }
}

fn value(
    out: &mut Vec<u8>,
    number: u8,
    shape: &Shape,
    union: Union,
    node: &Node<'_>,
) -> ProtoResult<()> {
    // In a list or a map, null becomes the zero value of its Go type.
    let is_null = node.is_null();
    match shape {
        Shape::Int32 => put_int(out, number, if is_null { 0 } else { int32(node)? }),
        Shape::Int64 => put_int(out, number, if is_null { 0 } else { int(node)? }),
        Shape::Bool => put_int(out, number, if is_null { 0 } else { truth(node)? }),
        Shape::Float => put_double(out, number, if is_null { 0.0 } else { float(node)? }),
        _ if is_null && !matches!(shape, Shape::Any | Shape::OneOf(_)) => {
            put_bytes(out, number, &[]);
        }
        Shape::String => put_bytes(out, number, text(node)?.as_bytes()),
        Shape::Bytes => {
            let bytes =
                leaf::from_base64(text(node)?).ok_or_else(|| type_mismatch(node, "base64"))?;
            put_bytes(out, number, &bytes);
        }
        Shape::Time => put_bytes(out, number, &time(node, false)?),
        Shape::MicroTime => put_bytes(out, number, &time(node, true)?),
        Shape::Quantity => put_bytes(out, number, &quantity(node)?),
        Shape::IntOrString => put_bytes(out, number, &int_or_string(node)?),
        Shape::Any | Shape::OneOf(_) => put_bytes(out, number, &any(node, union)?),
        Shape::Object(type_index) => put_bytes(out, number, &object(node, *type_index)?),
        Shape::List(_) => {
            let mut items = Vec::new();
            member(&mut items, 1, shape, Union::No, node)?;
            put_bytes(out, number, &items);
        }
        Shape::Map(_) => return Err(ProtoError::new("a map where protobuf cannot have one")),
    }
    Ok(())
}

fn text<'n>(node: &'n Node<'_>) -> ProtoResult<&'n str> {
    node.text().ok_or_else(|| type_mismatch(node, "a string"))
}

fn int(node: &Node<'_>) -> ProtoResult<i64> {
    node.as_int().ok_or_else(|| type_mismatch(node, "a whole number"))
}

fn int32(node: &Node<'_>) -> ProtoResult<i64> {
    let fits = |number: &i64| i32::try_from(*number).is_ok();
    node.as_int().filter(fits).ok_or_else(|| type_mismatch(node, "a whole number of 32 bits"))
}

fn truth(node: &Node<'_>) -> ProtoResult<i64> {
    node.as_bool().map(i64::from).ok_or_else(|| type_mismatch(node, "true or false"))
}

fn float(node: &Node<'_>) -> ProtoResult<f64> {
    match node.value {
        Value::Float(number) => Ok(number),
        // Through the text, because no conversion trait rounds silently.
        Value::Int(number) => {
            number.to_string().parse().map_err(|_| type_mismatch(node, "a number"))
        }
        _ => Err(type_mismatch(node, "a number")),
    }
}

fn time(node: &Node<'_>, with_nanos: bool) -> ProtoResult<Vec<u8>> {
    let expected = || type_mismatch(node, "a time such as 2006-01-02T15:04:05Z");
    let timestamp = Timestamp::parse(text(node)?).ok_or_else(expected)?;
    let mut out = Vec::new();
    put_int(&mut out, 1, timestamp.seconds);
    put_int(&mut out, 2, if with_nanos { i64::from(timestamp.nanos) } else { 0 });
    Ok(out)
}

fn quantity(node: &Node<'_>) -> ProtoResult<Vec<u8>> {
    let mut out = Vec::new();
    match &node.value {
        Value::Text(text) => put_bytes(&mut out, 1, text.as_bytes()),
        Value::Int(_) | Value::Float(_) => put_bytes(&mut out, 1, node.to_json().as_bytes()),
        _ => return Err(type_mismatch(node, "a quantity")),
    }
    Ok(out)
}

fn int_or_string(node: &Node<'_>) -> ProtoResult<Vec<u8>> {
    let (kind, number, text) = match &node.value {
        Value::Text(text) => (1, 0, &**text),
        Value::Int(_) => (0, int32(node)?, ""),
        _ => return Err(type_mismatch(node, "a whole number or a string")),
    };
    let mut out = Vec::new();
    put_int(&mut out, 1, kind);
    put_int(&mut out, 2, number);
    put_bytes(&mut out, 3, text.as_bytes());
    Ok(out)
}

fn any(node: &Node<'_>, union: Union) -> ProtoResult<Vec<u8>> {
    let mut out = Vec::new();
    match (union, &node.value) {
        (Union::No, _) => put_bytes(&mut out, 1, node.to_json().as_bytes()),
        (_, Value::Null) => {}
        (Union::BoolOrSchema, Value::Bool(truth)) => put_int(&mut out, 1, i64::from(*truth)),
        (Union::BoolOrSchema, _) => {
            put_int(&mut out, 1, 1);
            put_bytes(&mut out, 2, &object(node, SCHEMA)?);
        }
        (Union::SchemaOrSchemas, Value::List(_)) => {
            let shape = Shape::List(&Shape::Object(SCHEMA));
            member(&mut out, 2, &shape, Union::No, node)?;
        }
        (Union::SchemaOrTexts, Value::List(_)) => {
            member(&mut out, 2, &Shape::List(&Shape::String), Union::No, node)?;
        }
        _ => put_bytes(&mut out, 1, &object(node, SCHEMA)?),
    }
    Ok(out)
}

fn type_mismatch(node: &Node<'_>, expected: &str) -> ProtoError {
    ProtoError::new(format!("{} where {expected} belongs", node.type_name()))
}
