//! OpenAPI version 2 in protobuf: the messages of gnostic's `openapi.v2`, the only form kubectl
//! reads.
//!
//! Field numbers are next to their values, in the order of the messages' definition.

mod schema;

use alloc::string::String;
use alloc::vec::Vec;

use super::parameters::{self, Parameter};
use super::paths::{Operation, PathItem, RequestBody};
use super::types::{Body, Definition, Field, OwnedKind, Ty, reference, required};
use super::v2::{DEFINITIONS, PARAMETERS, body_of, definitions_of};
use super::{MergeRules, Published, patch_types, server_paths};
use crate::json::Json;

/// What some resources add to the document: entries of its messages of paths and of definitions.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct V2ProtoParts {
    /// Entries of `paths`.
    pub paths: Vec<u8>,
    /// Entries of `definitions`.
    pub definitions: Vec<u8>,
}

/// The frame of the response to `GET /openapi/v2` for clients that accept protobuf, as kubectl does: what stands before
/// the paths of these many bytes, before the definitions of these many, and after them.
#[must_use]
pub fn frame(paths: usize, definitions: usize) -> [Vec<u8>; 3] {
    let mut start = Message::default();
    start.text(1, "2.0"); // swagger
    start.message(2, |info| {
        info.text(1, "Kubernetes"); // title
        info.text(2, "unversioned"); // version
    });
    start.head(8, paths);
    let mut between = Message::default();
    between.head(9, definitions);
    let mut end = Message::default();
    end.message(10, |all| {
        for parameter in parameters::ALL {
            all.named(1, parameter.name, |value| write_parameter(value, parameter));
        }
    });
    write_security(&mut end);
    [start.bytes, between.bytes, end.bytes]
}

/// What these resources add: the same content as [`super::v2_parts`] in JSON.
#[must_use]
pub fn parts(published: &[Published<'_, '_>], rules: Option<MergeRules<'_>>) -> V2ProtoParts {
    let mut paths = Message::default();
    for item in server_paths(published) {
        paths.named(2, &item.path, |path| write_path(path, &item, rules.is_some()));
    }
    let mut definitions = Message::default();
    definitions_of(published).each(rules, |id, definition| {
        definitions.named(1, id, |schema| write_definition(schema, definition));
    });
    V2ProtoParts { paths: paths.bytes, definitions: definitions.bytes }
}

fn write_security(out: &mut Message) {
    out.message(12, |requirement| requirement.named(1, "BearerToken", |_| ()));
    out.message(13, |definitions| {
        definitions.named(1, "BearerToken", |item| {
            item.message(2, |key| {
                key.text(1, "apiKey"); // type
                key.text(2, "authorization"); // name
                key.text(3, "header"); // in
                key.text(4, "Bearer Token authentication"); // description
            });
        });
    });
}

/// A Parameter: not a body (2), then in the query (3) or in the path (4). The two number their
/// fields alike, but for one more in the query before the type.
fn write_parameter(out: &mut Message, parameter: &Parameter) {
    let (variant, ty, unique) = if parameter.in_path { (4, 5, 19) } else { (3, 6, 20) };
    out.message(2, |other| {
        other.message(variant, |schema| {
            schema.flag(1, parameter.in_path); // required
            schema.text(2, parameter.location()); // in
            schema.text(3, parameter.description);
            schema.text(4, parameter.name);
            schema.text(ty, parameter.ty);
            schema.flag(unique, true); // unique_items
        });
    });
}

/// ParametersItem: a JsonReference (2) with its target (1).
fn write_references(out: &mut Message, number: u32, parameters: &[&Parameter]) {
    for parameter in parameters {
        out.message(number, |item| {
            item.message(2, |to| to.text(1, &reference(PARAMETERS, parameter.name)));
        });
    }
}

fn write_path(out: &mut Message, item: &PathItem<'_>, strategic: bool) {
    for operation in &item.operations {
        let number = match operation.method {
            "get" => 2,
            "put" => 3,
            "post" => 4,
            "delete" => 5,
            "options" => 6,
            "head" => 7,
            _ => 8, // patch
        };
        out.message(number, |out| write_operation(out, operation, strategic));
    }
    write_references(out, 9, &item.parameters);
}

fn write_operation(out: &mut Message, operation: &Operation<'_>, strategic: bool) {
    out.text(1, &operation.tag);
    out.text(3, &operation.description);
    out.text(5, &operation.id);
    match operation.response_type {
        Some(_) => operation.media.produces.iter().for_each(|ty| out.text(6, ty)),
        None => out.text(6, "*/*"),
    }
    match operation.request_body {
        RequestBody::Patch { strategic: fitting } => {
            patch_types(strategic && fitting).iter().for_each(|ty| out.text(7, ty));
        }
        _ => operation.media.consumes.iter().for_each(|ty| out.text(7, ty)),
    }
    write_body(out, &operation.request_body);
    write_references(out, 8, operation.parameters);
    out.message(9, |responses| write_responses(responses, operation));
    out.text(10, "https"); // schemes
    if !operation.action.is_empty() {
        extension(out, 13, "x-kubernetes-action", operation.action);
        let kind: OwnedKind<'_> = operation.gvk.into();
        extension(out, 13, "x-kubernetes-group-version-kind", &kind_as_json(&kind));
    }
}

/// ParametersItem, Parameter, BodyParameter.
fn write_body(out: &mut Message, request_body: &RequestBody) {
    let Some((id, required)) = body_of(request_body) else { return };
    out.message(8, |item| {
        item.message(1, |parameter| {
            parameter.message(1, |body| {
                body.text(2, "body"); // name
                body.text(3, "body"); // in
                body.flag(4, required);
                body.message(5, |schema| schema.text(1, &reference(DEFINITIONS, id)));
            });
        });
    });
}

fn write_responses(out: &mut Message, operation: &Operation<'_>) {
    for (code, name) in operation.codes {
        out.named(1, code, |value| {
            value.message(1, |response| {
                response.text(1, name); // description
                response.message(2, |item| {
                    item.message(1, |schema| match &operation.response_type {
                        Some(id) => schema.text(1, &reference(DEFINITIONS, id)),
                        None => schema.message(22, |ty| ty.text(1, "string")),
                    });
                });
            });
        });
    }
    out.named(1, "401", |value| value.message(1, |response| response.text(1, "Unauthorized")));
}

fn write_definition(out: &mut Message, definition: &Definition<'_>) {
    out.text(4, &definition.description);
    match &definition.body {
        Body::Object(fields) => write_fields(out, fields),
        Body::Open => write_plain(out, "object", ""),
        Body::Leaf(leaf) => write_plain(out, leaf.ty, leaf.format),
        Body::Schema(schema) => schema::write(out, schema),
    }
    if !definition.kinds.is_empty() {
        let kinds: Vec<_> = definition.kinds.iter().map(kind_as_json).collect();
        let list = alloc::format!("[{}]", kinds.join(","));
        extension(out, 31, "x-kubernetes-group-version-kind", &list);
    }
}

fn write_fields(out: &mut Message, fields: &[Field]) {
    required(fields).iter().for_each(|name| out.text(19, name));
    write_plain(out, "object", "");
    if fields.is_empty() {
        return;
    }
    out.message(25, |properties| {
        for field in fields {
            properties.named(1, field.name, |schema| {
                schema.text(4, &field.description);
                write_type(schema, &field.ty);
                let (strategy, key) = field.merge.unwrap_or_default();
                extension(schema, 31, "x-kubernetes-patch-merge-key", key);
                extension(schema, 31, "x-kubernetes-patch-strategy", strategy);
            });
        }
    });
}

/// A Schema that is a type and a format.
fn write_plain(out: &mut Message, ty: &str, format: &str) {
    out.text(2, format);
    if !ty.is_empty() {
        out.message(22, |item| item.text(1, ty));
    }
}

fn write_type(out: &mut Message, ty: &Ty) {
    match ty {
        Ty::Plain(ty, format) => write_plain(out, ty, format),
        Ty::Ref(id) => out.text(1, &reference(DEFINITIONS, id)),
        Ty::List(inner) => {
            write_plain(out, "array", "");
            out.message(23, |items| items.message(1, |schema| write_type(schema, inner)));
        }
        Ty::Map(inner) => {
            write_plain(out, "object", "");
            out.message(21, |values| values.message(1, |schema| write_type(schema, inner)));
        }
    }
}

/// JSON is YAML too, and gnostic stores unknown values as YAML.
fn kind_as_json(kind: &OwnedKind<'_>) -> String {
    Json::document(|json| {
        json.pair("group", kind.group);
        json.pair("version", kind.version);
        json.pair("kind", &kind.kind);
    })
}

/// A NamedAny whose value is YAML; omitted if that is empty.
fn extension(out: &mut Message, number: u32, name: &str, yaml: &str) {
    if !yaml.is_empty() {
        out.named(number, name, |any| any.text(2, yaml));
    }
}

/// A message under construction.
#[derive(Default)]
struct Message {
    bytes: Vec<u8>,
}

impl Message {
    fn varint(&mut self, mut number: u64) {
        while number >= 0x80 {
            self.bytes.push(0x80 | (number & 0x7f) as u8);
            number >>= 7;
        }
        self.bytes.push(number as u8);
    }

    /// The beginning of a field of so many bytes.
    fn head(&mut self, number: u32, size: usize) {
        self.varint(u64::from(number) << 3 | 2);
        self.varint(size as u64);
    }

    fn delimited(&mut self, number: u32, bytes: &[u8]) {
        self.head(number, bytes.len());
        self.bytes.extend_from_slice(bytes);
    }

    /// A 64-bit integer.
    fn integer(&mut self, number: u32, value: i64) {
        self.varint(u64::from(number) << 3);
        self.varint(value.cast_unsigned());
    }

    /// A double.
    fn double(&mut self, number: u32, value: f64) {
        self.varint(u64::from(number) << 3 | 1);
        self.bytes.extend_from_slice(&value.to_le_bytes());
    }

    /// A string; an empty one is omitted.
    fn text(&mut self, number: u32, text: &str) {
        if !text.is_empty() {
            self.delimited(number, text.as_bytes());
        }
    }

    /// A boolean; false is omitted.
    fn flag(&mut self, number: u32, truth: bool) {
        if truth {
            self.varint(u64::from(number) << 3);
            self.varint(1);
        }
    }

    fn message(&mut self, number: u32, inside: impl FnOnce(&mut Self)) {
        let mut message = Self::default();
        inside(&mut message);
        self.delimited(number, &message.bytes);
    }

    /// A message of a name (1) and a value (2), as gnostic encodes members of objects.
    fn named(&mut self, number: u32, name: &str, value: impl FnOnce(&mut Self)) {
        self.message(number, |pair| {
            pair.text(1, name);
            pair.message(2, value);
        });
    }
}

#[cfg(test)]
mod tests;
