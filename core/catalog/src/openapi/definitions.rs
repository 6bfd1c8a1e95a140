//! Definitions in JSON, which both versions write nearly alike.

use super::types::{Body, Definition, Field, Leaf, OwnedKind, Ty, reference, required};
use crate::json::Json;

/// The differences between the versions.
pub(super) struct Dialect {
    /// The prefix of references to definitions.
    pub(super) reference_prefix: &'static str,
    /// Whether a reference allows no siblings, so that one with a description is wrapped.
    pub(super) wraps_references: bool,
    /// Writes a type that is not a plain object.
    pub(super) write_leaf: fn(&mut Json, &Leaf),
}

impl Dialect {
    /// Writes the members of a definition.
    pub(super) fn write(&self, json: &mut Json, definition: &Definition<'_>) {
        json.pair_if_any("description", &definition.description);
        match &definition.body {
            Body::Object(fields) => self.write_fields(json, fields),
            Body::Open => {
                json.pair("type", "object");
                json.key("x-kubernetes-preserve-unknown-fields").flag(true);
            }
            Body::Leaf(leaf) => (self.write_leaf)(json, leaf),
            Body::Schema(schema) => {
                for entry in schema.entries() {
                    json.key(&entry.key).raw(&entry.node.to_json());
                }
            }
        }
        if !definition.kinds.is_empty() {
            json.key("x-kubernetes-group-version-kind")
                .list(|json| definition.kinds.iter().for_each(|kind| write_kind(json, kind)));
        }
    }

    fn write_fields(&self, json: &mut Json, fields: &[Field]) {
        json.pair("type", "object");
        json.texts_if_any("required", &required(fields));
        if fields.is_empty() {
            return;
        }
        json.key("properties").object(|json| {
            for field in fields {
                json.key(field.name).object(|json| self.write_field(json, field));
            }
        });
    }

    fn write_field(&self, json: &mut Json, field: &Field) {
        json.pair_if_any("description", &field.description);
        let has_neighbours = !field.description.is_empty() || field.merge.is_some();
        match &field.ty {
            Ty::Ref(_) if self.wraps_references && has_neighbours => {
                json.key("allOf").list(|json| json.object(|json| self.write_type(json, &field.ty)));
            }
            ty => self.write_type(json, ty),
        }
        if let Some((strategy, key)) = field.merge {
            json.pair_if_any("x-kubernetes-patch-merge-key", key);
            json.pair_if_any("x-kubernetes-patch-strategy", strategy);
        }
    }

    fn write_type(&self, json: &mut Json, ty: &Ty) {
        match ty {
            Ty::Plain(ty, format) => {
                json.pair("type", ty);
                json.pair_if_any("format", format);
            }
            Ty::Ref(id) => json.pair("$ref", &reference(self.reference_prefix, id)),
            Ty::List(inner) => {
                json.pair("type", "array");
                json.key("items").object(|json| self.write_type(json, inner));
            }
            Ty::Map(inner) => {
                json.pair("type", "object");
                json.key("additionalProperties").object(|json| self.write_type(json, inner));
            }
        }
    }
}

/// Writes the group, version and kind as an object.
pub(super) fn write_kind(json: &mut Json, kind: &OwnedKind<'_>) {
    json.object(|json| {
        json.pair("group", kind.group);
        json.pair("version", kind.version);
        json.pair("kind", &kind.kind);
    });
}
