//! A parser of JSON schemas into types, fields and shapes.

use k8s_openapi::serde_json::{Map, Value};

use crate::error::Error;

/// An object type and its fields, sorted by name.
pub struct Type {
    /// The full name of the definition, such as `io.k8s.api.core.v1.ServiceSpec`.
    pub id: String,
    pub fields: Vec<Field>,
}

/// A field of an object type.
pub struct Field {
    pub name: String,
    pub shape: Shape,
    pub required: bool,
}

/// The shape of a value.
pub enum Shape {
    /// The name of a variant of the table's own `Shape` without contents.
    Leaf(&'static str),
    /// An object of the type with this id.
    Object(String),
    List(Box<Shape>),
    Map(Box<Shape>),
    /// The first of these that has a value's JSON type.
    OneOf(Vec<Shape>),
}

/// All definitions that are not leaves, as types sorted by id.
pub fn types(definitions: &Map<String, Value>) -> Result<Vec<Type>, Error> {
    let mut types = Vec::new();
    for (id, schema) in definitions.iter().filter(|(id, _)| leaf(id).is_none() && alternatives(id).is_none()) {
        let fields = fields(schema).map_err(|error| format!("{id}: {error}"))?;
        types.push(Type { id: id.clone(), fields });
    }
    types.sort_by(|a, b| a.id.cmp(&b.id));
    Ok(types)
}

/// The leaf that a definition represents.
///
/// Names decide, because structure misleads: Quantity and IntOrString have the same schema, and
/// RawExtension, JSON and FieldsV1 look like objects without any fields.
fn leaf(id: &str) -> Option<&'static str> {
    const MACHINERY: &str = "io.k8s.apimachinery.pkg.";
    const EXTENSIONS: &str = "io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.";

    if let Some(name) = id.strip_prefix(MACHINERY) {
        return match name {
            "api.resource.Quantity" => Some("Quantity"),
            "apis.meta.v1.FieldsV1" => Some("Any"),
            "apis.meta.v1.MicroTime" => Some("MicroTime"),
            "apis.meta.v1.Time" => Some("Time"),
            "runtime.RawExtension" => Some("Any"),
            "util.intstr.IntOrString" => Some("IntOrString"),
            _ => None,
        };
    }
    match id.strip_prefix(EXTENSIONS)? {
        "JSON" => Some("Any"),
        _ => None,
    }
}

/// The shapes of a definition that represents a schema or something else.
fn alternatives(id: &str) -> Option<Shape> {
    let (package, name) = id.rsplit_once('.')?;
    let schema = || Shape::Object(format!("{package}.JSONSchemaProps"));
    let other = match name {
        "JSONSchemaPropsOrArray" => Shape::List(Box::new(schema())),
        "JSONSchemaPropsOrBool" => Shape::Leaf("Bool"),
        "JSONSchemaPropsOrStringArray" => Shape::List(Box::new(Shape::Leaf("String"))),
        _ => return None,
    };
    Some(Shape::OneOf(vec![schema(), other]))
}

/// The fields of an object schema, sorted by name.
fn fields(schema: &Value) -> Result<Vec<Field>, Error> {
    if schema["type"] != "object" || schema.get("additionalProperties").is_some() {
        return Err("not a plain object".into());
    }
    // No properties at all is an object without fields, such as StorageVersionSpec.
    let Some(properties) = schema.get("properties") else { return Ok(Vec::new()) };
    let properties = properties.as_object().ok_or("properties is not an object")?;

    let mut fields = Vec::new();
    for (name, property) in properties {
        let shape = shape(property).map_err(|error| format!("{name}: {error}"))?;
        let required = is_required(schema, name);
        fields.push(Field { name: name.clone(), shape, required });
    }
    fields.sort_by(|a, b| a.name.cmp(&b.name));
    Ok(fields)
}

/// Whether an object schema requires a field.
fn is_required(schema: &Value, name: &str) -> bool {
    // k8s-openapi marks `metadata` as required in every kind so that its structs need no Option; the API server does
    // not require it, and a TokenReview, for one, rarely has any.
    let is_kind = ["apiVersion", "kind"].iter().all(|key| !schema["properties"][key].is_null());
    let listed = schema["required"].as_array().is_some_and(|names| names.iter().any(|n| n == name));
    listed && !(is_kind && name == "metadata")
}

/// The shape of a schema that is not itself a definition.
fn shape(schema: &Value) -> Result<Shape, Error> {
    if let Some(reference) = schema.get("$ref") {
        let id = reference.as_str().and_then(|path| path.strip_prefix("#/$defs/"));
        let id = id.ok_or("a reference that leads elsewhere than to a definition")?;
        return Ok(match leaf(id) {
            Some(leaf) => Shape::Leaf(leaf),
            None => alternatives(id).unwrap_or_else(|| Shape::Object(id.to_owned())),
        });
    }
    Ok(match (schema["type"].as_str(), schema["format"].as_str()) {
        (Some("string"), None) => Shape::Leaf("String"),
        (Some("string"), Some("byte")) => Shape::Leaf("Bytes"), // ByteString is always inlined
        (Some("integer"), Some("int32")) => Shape::Leaf("Int32"),
        (Some("integer"), Some("int64")) => Shape::Leaf("Int64"),
        (Some("number"), Some("double")) => Shape::Leaf("Float"),
        (Some("boolean"), None) => Shape::Leaf("Bool"),
        (Some("array"), None) => Shape::List(Box::new(shape(&schema["items"])?)),
        (Some("object"), None) => Shape::Map(Box::new(shape(&schema["additionalProperties"])?)),
        // Stopping beats guessing: a wrong shape would reject good manifests.
        (ty, format) => return Err(format!("no shape for type {ty:?}, format {format:?}").into()),
    })
}
