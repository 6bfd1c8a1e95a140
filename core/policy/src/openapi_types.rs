//! Types from OpenAPI v3 documents, as the reference declares them for expressions (`SchemaDeclType`).

use crate::GroupVersionKind;
use alloc::sync::Arc;
use alloc::vec::Vec;
use ratchet_cel::decl::{DeclField, DeclKind, DeclType, Fields, Topology};
use ratchet_object::Node;

/// Where documents keep their schemas.
const REFERENCE: &str = "#/components/schemas/";

/// The most schemas that one kind is made of. References may repeat each other without end; a document comes from
/// whoever may define resources, or runs an extension server.
const MAX_SCHEMAS: usize = 50_000;

/// The deepest schema, which is more than an object may have.
const MAX_DEPTH: usize = 128;

/// The type of a kind's objects; none if the document does not describe it, or if it is too large.
pub(crate) fn declare(document: &Node<'_>, kind: GroupVersionKind<'_>) -> Option<DeclType> {
    let schemas = document.find(&["components", "schemas"])?;
    let is_kind = |schema: &Node<'_>| {
        let kinds = schema.get("x-kubernetes-group-version-kind").map(Node::items);
        kinds.unwrap_or_default().iter().any(|of| {
            let of = ["group", "version", "kind"].map(|name| of.text_at(&[name]));
            of == [kind.group, kind.version, kind.kind]
        })
    };
    let root = schemas.entries().iter().find(|entry| is_kind(&entry.node))?;
    let mut declaration = Declaration { schemas, within: Vec::new(), left: MAX_SCHEMAS };
    declaration.within.push(&root.key);
    let ty = declaration.declare(&root.node, true, 0)?;
    ty.is_exposed().then_some(ty)
}

/// A declaration in the making.
struct Declaration<'d, 't> {
    schemas: &'d Node<'t>,
    /// The schemas that the current one stands in.
    within: Vec<&'d str>,
    /// How many schemas may follow.
    left: usize,
}

impl<'d> Declaration<'d, '_> {
    /// The type of a schema; none if there is too much of it.
    fn declare(
        &mut self,
        schema: &'d Node<'_>,
        is_resource: bool,
        depth: usize,
    ) -> Option<DeclType> {
        self.left = self.left.checked_sub(1)?;
        if depth > MAX_DEPTH {
            return None;
        }
        let Some(name) = reference(schema) else {
            return self.of_schema(schema, is_resource, depth);
        };
        if self.within.contains(&name) {
            // Of what contains itself nothing more is known than that it is an object.
            return Some(object(Vec::new()));
        }
        let Some(target) = self.schemas.get(name) else { return Some(unknown()) };
        self.within.push(name);
        let ty = self.of_schema(target, is_resource, depth);
        self.within.pop();
        ty
    }

    fn of_schema(
        &mut self,
        schema: &'d Node<'_>,
        is_resource: bool,
        depth: usize,
    ) -> Option<DeclType> {
        let is = |name: &str| schema.get(name).and_then(Node::as_bool) == Some(true);
        let format = schema.text_at(&["format"]);
        if format == "int-or-string" || is("x-kubernetes-int-or-string") {
            return Some(scalar(DeclKind::IntOrString));
        }
        Some(match schema.text_at(&["type"]) {
            "array" => match schema.get("items") {
                Some(items) => {
                    let items = Arc::new(self.below(items, depth)?);
                    scalar(DeclKind::List { items, topology: Topology::Atomic })
                }
                None => unknown(),
            },
            "object" => {
                match schema.get("additionalProperties").filter(|of| of.as_bool().is_none()) {
                    Some(values) => {
                        let values = Arc::new(self.below(values, depth)?);
                        scalar(DeclKind::Map { values })
                    }
                    None => self.object(schema, is_resource, depth)?,
                }
            }
            "string" => scalar(match format {
                "byte" => DeclKind::Bytes,
                "duration" => DeclKind::Duration,
                "date" => DeclKind::Date,
                "date-time" => DeclKind::DateTime,
                _ => DeclKind::String,
            }),
            "boolean" => scalar(DeclKind::Bool),
            "number" => scalar(DeclKind::Double),
            "integer" => scalar(DeclKind::Int),
            _ => unknown(),
        })
    }

    fn below(&mut self, schema: &'d Node<'_>, depth: usize) -> Option<DeclType> {
        let is_embedded = schema.get("x-kubernetes-embedded-resource").and_then(Node::as_bool);
        self.declare(schema, is_embedded == Some(true), depth + 1)
    }

    fn object(
        &mut self,
        schema: &'d Node<'_>,
        is_resource: bool,
        depth: usize,
    ) -> Option<DeclType> {
        let properties = schema.get("properties").map(Node::entries).unwrap_or_default();
        let mut fields = Vec::with_capacity(properties.len() + 3);
        for entry in properties {
            let ty = self.below(&entry.node, depth)?;
            fields.push(DeclField::new(&entry.key, Arc::new(ty)));
        }
        if is_resource && !has_metadata(&fields) {
            let text = Arc::new(scalar(DeclKind::String));
            let field = |name: &str| DeclField::new(name, text.clone());
            let metadata = object([field("name"), field("generateName")].into());
            fields.extend([field("kind"), field("apiVersion")]);
            fields.push(DeclField::new("metadata", Arc::new(metadata)));
        }
        Some(object(fields))
    }
}

/// Whether a resource declares by itself what every resource has.
fn has_metadata(fields: &[DeclField]) -> bool {
    let kind = |name: &str| {
        fields.iter().rev().find(|field| &*field.name == name).map(|field| &field.ty.kind)
    };
    let is_text = |kind: Option<&DeclKind>| matches!(kind, Some(DeclKind::String));
    let Some(DeclKind::Object(metadata)) = kind("metadata") else { return false };
    let below = |name: &str| metadata.named(name).map(|field| &field.ty.kind);
    is_text(kind("kind"))
        && is_text(kind("apiVersion"))
        && is_text(below("name"))
        && is_text(below("generateName"))
}

/// The schema that another one names; it may be wrapped, so that it can have a description of its own.
fn reference<'d>(schema: &'d Node<'_>) -> Option<&'d str> {
    let named = |schema: &'d Node<'_>| schema.text_at(&["$ref"]).strip_prefix(REFERENCE);
    let wrapped = schema.get("allOf").map(Node::items).unwrap_or_default();
    named(schema).or_else(|| wrapped.iter().find_map(named))
}

fn object(fields: Vec<DeclField>) -> DeclType {
    scalar(DeclKind::Object(Fields::new(fields)))
}

/// A value that expressions cannot name.
fn unknown() -> DeclType {
    scalar(DeclKind::Preserved)
}

/// Sizes are for estimates of costs, which nobody makes of these types.
fn scalar(kind: DeclKind) -> DeclType {
    DeclType::scalar(kind, 0)
}
