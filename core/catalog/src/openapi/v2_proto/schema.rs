//! Schemas of resources that are defined at run time, from their trees to gnostic's `Schema`.

use super::{Message, extension};
use ratchet_object::{Node, Value};

/// Writes the members of a schema, in any order.
pub(super) fn write(out: &mut Message, schema: &Node<'_>) {
    for entry in schema.entries() {
        member(out, &entry.key, &entry.node);
    }
}

/// The type of a member.
#[derive(Clone, Copy)]
enum Shape {
    Text,
    Texts,
    Double,
    Integer,
    Flag,
    /// Any value, which is stored as YAML.
    Any,
    Anys,
}

/// The number and the type of each member that is not made of other schemas.
static MEMBERS: &[(&str, u32, Shape)] = &[
    ("$ref", 1, Shape::Text),
    ("format", 2, Shape::Text),
    ("title", 3, Shape::Text),
    ("description", 4, Shape::Text),
    ("default", 5, Shape::Any),
    ("multipleOf", 6, Shape::Double),
    ("maximum", 7, Shape::Double),
    ("exclusiveMaximum", 8, Shape::Flag),
    ("minimum", 9, Shape::Double),
    ("exclusiveMinimum", 10, Shape::Flag),
    ("maxLength", 11, Shape::Integer),
    ("minLength", 12, Shape::Integer),
    ("pattern", 13, Shape::Text),
    ("maxItems", 14, Shape::Integer),
    ("minItems", 15, Shape::Integer),
    ("uniqueItems", 16, Shape::Flag),
    ("maxProperties", 17, Shape::Integer),
    ("minProperties", 18, Shape::Integer),
    ("required", 19, Shape::Texts),
    ("enum", 20, Shape::Anys),
    ("example", 30, Shape::Any),
];

fn member(out: &mut Message, name: &str, node: &Node<'_>) {
    if let Some((_, number, shape)) = MEMBERS.iter().find(|row| row.0 == name) {
        return scalar(out, *number, *shape, node);
    }
    match name {
        "additionalProperties" => out.message(21, |item| match node.as_bool() {
            Some(allows) => item.flag(2, allows),
            None => item.message(1, |schema| write(schema, node)),
        }),
        "type" => out.message(22, |item| item.text(1, node.text().unwrap_or_default())),
        "items" => out.message(23, |items| items.message(1, |schema| write(schema, node))),
        "properties" => out.message(25, |properties| {
            for entry in node.entries() {
                properties.named(1, &entry.key, |schema| write(schema, &entry.node));
            }
        }),
        "externalDocs" => out.message(29, |docs| {
            docs.text(1, node.text_at(&["description"]));
            docs.text(2, node.text_at(&["url"]));
        }),
        name if name.starts_with("x-") => extension(out, 31, name, &node.to_json()),
        // Version 2 has no other members.
        _ => {}
    }
}

fn scalar(out: &mut Message, number: u32, shape: Shape, node: &Node<'_>) {
    match (shape, &node.value) {
        (Shape::Text, Value::Text(text)) => out.text(number, text),
        (Shape::Texts, Value::List(texts)) => {
            texts.iter().for_each(|text| out.text(number, text.text().unwrap_or_default()));
        }
        (Shape::Double, Value::Float(value)) => out.double(number, *value),
        (Shape::Double, Value::Int(value)) => out.double(number, *value as f64),
        (Shape::Integer, Value::Int(value)) => out.integer(number, *value),
        (Shape::Flag, Value::Bool(truth)) => out.flag(number, *truth),
        (Shape::Any, _) => out.message(number, |any| any.text(2, &node.to_json())),
        (Shape::Anys, Value::List(values)) => {
            for value in values {
                out.message(number, |any| any.text(2, &value.to_json()));
            }
        }
        _ => {}
    }
}
