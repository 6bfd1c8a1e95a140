//! OpenAPI schemas of a definition's kind and of its list, as they are published.

mod unfold;
mod v2;
mod write;

use crate::definition::CustomResourceDefinition;
use crate::schema::{JsonSchemaProps, structural_error, validate_structural};
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use ratchet_object::Node;

const API_VERSION: &str = "APIVersion defines the versioned schema of this representation of an object. Servers should convert recognized schemas to the latest internal value, and may reject unrecognized values. More info: https://git.k8s.io/community/contributors/devel/sig-architecture/api-conventions.md#resources";
const KIND: &str = "Kind is a string value representing the REST resource this object represents. Servers may infer this from the endpoint the client submits requests to. Cannot be updated. In CamelCase. More info: https://git.k8s.io/community/contributors/devel/sig-architecture/api-conventions.md#types-kinds";
const METADATA: &str = "Standard object's metadata. More info: https://git.k8s.io/community/contributors/devel/sig-architecture/api-conventions.md#metadata";
const LIST_METADATA: &str = "Standard list metadata. More info: https://git.k8s.io/community/contributors/devel/sig-architecture/api-conventions.md#types-kinds";
const EMBEDDED_API_VERSION: &str = "apiVersion defines the versioned schema of this representation of an object. More info: https://git.k8s.io/community/contributors/devel/sig-architecture/api-conventions.md#resources";
const EMBEDDED_KIND: &str = "kind is a string value representing the type of this object. In CamelCase. More info: https://git.k8s.io/community/contributors/devel/sig-architecture/api-conventions.md#types-kinds";
const OBJECT_META: &str = "io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta";
const LIST_META: &str = "io.k8s.apimachinery.pkg.apis.meta.v1.ListMeta";

/// The version of OpenAPI.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OpenApi {
    /// 2.0, which knows neither junctors nor `nullable`.
    V2,
    /// 3.0
    V3,
}

/// The published schemas of one version of a definition.
#[derive(Clone, Debug)]
pub struct PublishedSchemas {
    /// The name of the kind's model, such as `com.example.v1.Widget`.
    pub name: String,
    /// The schema of objects.
    pub object: Node<'static>,
    /// The name of the list's model.
    pub list_name: String,
    /// The schema of lists.
    pub list: Node<'static>,
}

/// The name of the model of a kind: the group in reverse, the version and the kind.
pub fn model_name(group: &str, version: &str, kind: &str) -> String {
    let group: Vec<&str> = group.rsplit('.').collect();
    format!("{}.{version}.{kind}", group.join("."))
}

impl PublishedSchemas {
    /// The schemas of a version of a definition; `None` if it has no such version.
    pub fn of(definition: &Node<'_>, version: &str, open_api: OpenApi) -> Option<Self> {
        let view = CustomResourceDefinition::from_node(definition);
        let versions = definition.find(&["spec", "versions"]).map(Node::items).unwrap_or_default();
        let node = versions.iter().find(|node| node.text_at(&["name"]) == version)?;
        let names = &view.names;
        let name = model_name(&view.group, version, &names.kind);
        let mut object = match usable_schema(node) {
            Some(schema) => object_schema(schema, view.preserve_unknown_fields, open_api),
            None => Node::map([("type", Node::string("object"))]),
        };
        let mut list = list_schema(&view, &name, open_api);
        for (schema, kind) in [(&mut object, &names.kind), (&mut list, &names.list_kind)] {
            let kind = Node::map([
                ("group", Node::string(view.group.clone())),
                ("version", Node::string(String::from(version))),
                ("kind", Node::string(kind.clone())),
            ]);
            schema.set("x-kubernetes-group-version-kind", Node::list(Vec::from([kind])));
            if let Some(fields) = selectable_fields(&view, version) {
                schema.set("x-kubernetes-selectable-fields", fields);
            }
        }
        let list_name = model_name(&view.group, version, &names.list_kind);
        Some(Self { name, object, list_name, list })
    }
}

/// The schema of a version, if it has one that is structural.
fn usable_schema(version: &Node<'_>) -> Option<JsonSchemaProps> {
    let node = version.find(&["schema", "openAPIV3Schema"]).filter(|node| !node.is_null())?;
    let schema = JsonSchemaProps::decode(node);
    let is_structural = structural_error(&schema).is_none()
        && validate_structural(&crate::path::Path::NIL, &schema).is_empty();
    is_structural.then_some(schema)
}

fn object_schema(
    mut schema: JsonSchemaProps,
    preserves_unknown_fields: bool,
    open_api: OpenApi,
) -> Node<'static> {
    let is_open = preserves_unknown_fields || schema.preserve_unknown_fields == Some(true);
    // kubectl would refuse unknown fields if any were named.
    if open_api == OpenApi::V2 && is_open {
        return Node::map([("type", Node::string("object"))]);
    }
    unfold::unfold(&mut schema);
    if open_api == OpenApi::V2 {
        v2::convert(&mut schema);
    }
    let mut node = write::schema(&schema, open_api);
    let metadata = [
        ("apiVersion", described(API_VERSION)),
        ("kind", described(KIND)),
        ("metadata", reference(OBJECT_META, METADATA, open_api)),
    ];
    write::set_properties(&mut node, metadata);
    node
}

fn list_schema(
    definition: &CustomResourceDefinition,
    model: &str,
    open_api: OpenApi,
) -> Node<'static> {
    let names = &definition.names;
    let about = format!(
        "List of {}. More info: https://git.k8s.io/community/contributors/devel/sig-architecture/api-conventions.md",
        names.plural
    );
    let item = Node::map([("$ref", Node::string(format!("{}{model}", prefix(open_api))))]);
    let items = Node::map([
        ("description", Node::string(about)),
        ("type", Node::string("array")),
        ("items", item),
    ]);
    let properties = Node::map([
        ("apiVersion", described(API_VERSION)),
        ("items", items),
        ("kind", described(KIND)),
        ("metadata", reference(LIST_META, LIST_METADATA, open_api)),
    ]);
    let about = format!("{} is a list of {}", names.list_kind, names.kind);
    Node::map([
        ("description", Node::string(about)),
        ("type", Node::string("object")),
        ("required", Node::list(Vec::from([Node::string("items")]))),
        ("properties", properties),
    ])
}

fn selectable_fields(
    definition: &CustomResourceDefinition,
    version: &str,
) -> Option<Node<'static>> {
    let fields = &definition.version(version)?.selectable_fields;
    let field = |path: &String| {
        let path = path.strip_prefix('.').unwrap_or(path);
        Node::map([("fieldPath", Node::string(String::from(path)))])
    };
    (!fields.is_empty()).then(|| Node::list(fields.iter().map(field).collect()))
}

fn prefix(open_api: OpenApi) -> &'static str {
    match open_api {
        OpenApi::V2 => "#/definitions/",
        OpenApi::V3 => "#/components/schemas/",
    }
}

/// A string with a description.
fn described(description: &'static str) -> Node<'static> {
    Node::map([("description", Node::string(description)), ("type", Node::string("string"))])
}

/// A reference with a description, which version 3 has to wrap.
fn reference(model: &str, description: &'static str, open_api: OpenApi) -> Node<'static> {
    let target = Node::string(format!("{}{model}", prefix(open_api)));
    let (name, value) = match open_api {
        OpenApi::V2 => ("$ref", target),
        OpenApi::V3 => ("allOf", Node::list(Vec::from([Node::map([("$ref", target)])]))),
    };
    Node::map([("description", Node::string(description)), (name, value)])
}

#[cfg(test)]
mod tests;
