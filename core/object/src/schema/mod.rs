//! The schemas of the kinds built into Kubernetes: their fields and the shapes of their values.
//!
//! A lookup starts at a [`kind`] and goes from [`type_of`] to [`TypeRow::field`] and on, as deep as
//! the [`Shape`]s lead. The tables are static, so nothing here allocates; `tools/schemagen` writes
//! them.

mod index;
pub mod topology;
mod v1_36;

use crate::Value;
pub use v1_36::{KINDS, TYPES};

/// An object type, such as ServiceSpec.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TypeRow {
    /// Its name in Go. Types of different API versions share names.
    pub name: &'static str,
    /// The full and unique name, such as `io.k8s.api.core.v1.ServiceSpec`.
    pub id: &'static str,
    /// Its fields, sorted by name.
    pub fields: &'static [FieldRow],
}

/// A field of an object type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FieldRow {
    /// The name in JSON.
    pub name: &'static str,
    /// The shape of its values.
    pub shape: Shape,
    /// Whether the schema requires it.
    ///
    /// Never true for the `metadata` of a kind, and never a promise: much that the API server
    /// requires, such as a name, is optional in its schema.
    pub required: bool,
}

impl FieldRow {
    /// A row for an optional field.
    pub(crate) const fn optional(name: &'static str, shape: Shape) -> Self {
        Self { name, shape, required: false }
    }
}

/// The first eight bytes of a text as a number in the order of texts; a shorter one ends with zeros.
const fn head(text: &str) -> u64 {
    let mut rest = text.as_bytes();
    if let Some(first) = rest.first_chunk() {
        return u64::from_be_bytes(*first);
    }
    let (mut head, mut shift) = (0, u64::BITS);
    while let Some((first, others)) = rest.split_first() {
        shift -= u8::BITS;
        head |= (*first as u64) << shift;
        rest = others;
    }
    head
}

/// The shape of a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shape {
    /// A string that is not otherwise constrained.
    String,
    /// A base64 string.
    Bytes,
    /// A 32-bit integer.
    Int32,
    /// A 64-bit integer.
    Int64,
    /// A floating-point number.
    Float,
    /// A boolean.
    Bool,
    /// An RFC 3339 string with seconds.
    Time,
    /// An RFC 3339 string with microseconds.
    MicroTime,
    /// A quantity such as `500m` or `1Gi`: a string or a number.
    Quantity,
    /// A 32-bit integer or a string, such as a port by number or name.
    IntOrString,
    /// Any value: the table does not constrain it.
    ///
    /// RawExtension, JSON and FieldsV1.
    Any,
    /// An object of the type at this index of [`TYPES`]; see [`type_of`].
    Object(u16),
    /// A list whose items all have one shape.
    List(&'static Self),
    /// An object with free keys whose values all have one shape.
    Map(&'static Self),
    /// The first of these shapes that has the value's JSON type; see [`Shape::resolve`].
    ///
    /// The fields of a CustomResourceDefinition that hold either a schema or something else.
    OneOf(&'static [Self]),
}

impl Shape {
    /// The shape of a value: one of the alternatives of a [`Shape::OneOf`], or the shape itself.
    ///
    /// None if the value has the JSON type of no alternative.
    #[must_use]
    pub fn resolve(&'static self, value: &Value<'_>) -> Option<&'static Self> {
        match self {
            Self::OneOf(shapes) => Self::alternative(shapes, value),
            shape => Some(shape),
        }
    }

    /// The first shape that has the JSON type of a value.
    pub(crate) fn alternative(shapes: &'static [Self], value: &Value<'_>) -> Option<&'static Self> {
        shapes.iter().find(|shape| match value {
            Value::Map(_) => matches!(shape, Self::Object(_) | Self::Map(_)),
            Value::List(_) => matches!(shape, Self::List(_)),
            Value::Bool(_) => matches!(shape, Self::Bool),
            _ => false,
        })
    }
}

/// A kind, identified by `apiVersion` and `kind`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct KindRow {
    /// The API group, empty for core.
    pub group: &'static str,
    /// The version within the group.
    pub version: &'static str,
    /// The kind, such as `Service`.
    pub kind: &'static str,
    /// The index of its type in [`TYPES`]; see [`type_of`].
    pub ty: u16,
    /// Whether its objects are namespaced; a subresource has the scope of its parent.
    pub namespaced: bool,
    /// Whether it is only ever sent to a subresource, as Eviction is to Pods.
    pub subresource: bool,
    /// The plural name in URLs, such as `services`; the subresource's name if it is one.
    pub plural: &'static str,
}

/// Stands in for an index that is out of range; no row of the tables leads to it.
static NO_TYPE: TypeRow = TypeRow { name: "", id: "", fields: &[] };

/// Finds a built-in kind; the group is empty for core.
#[must_use]
pub fn kind(group: &str, version: &str, kind: &str) -> Option<&'static KindRow> {
    index::find(group, version, kind)
}

/// The type at an index from the tables; any other index gives a type without fields.
#[must_use]
pub fn type_of(type_index: u16) -> &'static TypeRow {
    TYPES.get(usize::from(type_index)).unwrap_or(&NO_TYPE)
}

/// The index of the type of a full name, such as `io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta`.
#[must_use]
pub fn type_index(id: &str) -> Option<u16> {
    let index = TYPES.binary_search_by(|row| row.id.cmp(id)).ok()?;
    u16::try_from(index).ok()
}

impl TypeRow {
    /// Finds a field by its exact name; as in the API server, case matters.
    #[must_use]
    pub fn field(&self, name: &str) -> Option<&'static FieldRow> {
        self.fields.get(self.position(name)?)
    }

    /// Where among the fields one is.
    pub(crate) fn position(&self, name: &str) -> Option<usize> {
        let is_it = |index: &usize| self.fields.get(*index).is_some_and(|row| row.name == name);
        match TYPES.element_offset(self) {
            Some(type_index) => index::fields(type_index, name).find(is_it),
            // The types beside the table are few and small.
            None => (0..self.fields.len()).find(is_it),
        }
    }
}

/// A row for an optional field, short because the table has thousands.
const fn opt(name: &'static str, shape: Shape) -> FieldRow {
    FieldRow::optional(name, shape)
}

/// A row for a required field.
const fn req(name: &'static str, shape: Shape) -> FieldRow {
    FieldRow { required: true, ..FieldRow::optional(name, shape) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::format;

    /// The field a path leads to, through lists and maps.
    fn at(group: &str, version: &str, kind: &str, path: &str) -> FieldRow {
        let mut ty = type_of(super::kind(group, version, kind).expect(kind).ty);
        let mut found = None;
        for name in path.split('.') {
            let field = *ty.field(name).unwrap_or_else(|| panic!("{}.{name}", ty.name));
            found = Some(field);
            if let Some(type_index) = object_in(field.shape) {
                ty = type_of(type_index);
            }
        }
        found.expect(path)
    }

    fn object_in(shape: Shape) -> Option<u16> {
        match shape {
            Shape::Object(type_index) => Some(type_index),
            Shape::List(inner) | Shape::Map(inner) => object_in(*inner),
            _ => None,
        }
    }

    #[test]
    fn kinds_are_sorted_and_found() {
        let key = |row: &KindRow| (row.group, row.version, row.kind);
        assert!(KINDS.is_sorted_by(|a, b| key(a) < key(b)));
        for row in KINDS {
            assert_eq!(kind(row.group, row.version, row.kind), Some(row));
        }
        assert_eq!(kind("", "v1", "pod"), None);
        assert_eq!(kind("apps", "v1", "Pod"), None);
        assert_eq!(kind("extensions", "v1beta1", "Ingress"), None);
    }

    #[test]
    fn types_are_sorted_and_named_by_their_id() {
        assert!(TYPES.is_sorted_by(|a, b| a.id < b.id));
        for ty in TYPES {
            assert!(ty.id.ends_with(&format!(".{}", ty.name)), "{}", ty.id);
        }
    }

    #[test]
    fn fields_are_sorted_and_found() {
        for ty in TYPES {
            assert!(ty.fields.is_sorted_by(|a, b| a.name < b.name), "{}", ty.id);
            for field in ty.fields {
                assert_eq!(ty.field(field.name), Some(field), "{}", ty.id);
            }
            assert_eq!(ty.field(""), None);
        }
    }

    #[test]
    fn heads_have_the_order_of_texts() {
        let texts = ["", "a", "ab", "abcdefgh", "abcdefghi", "abcdefgz", "b", "é", "\u{10ffff}"];
        assert!(texts.is_sorted());
        assert!(texts.is_sorted_by_key(|text| head(text)));
        assert_eq!(head("ab"), 0x6162_0000_0000_0000);
        assert_eq!(head("abcdefgh"), head("abcdefghi"));
    }

    #[test]
    fn every_place_exists() {
        let fields = TYPES.iter().flat_map(|ty| ty.fields);
        let type_indices = fields.filter_map(|field| object_in(field.shape));
        for type_index in type_indices.chain(KINDS.iter().map(|row| row.ty)) {
            assert!(usize::from(type_index) < TYPES.len(), "{type_index}");
        }
        assert_eq!(type_of(u16::MAX), &NO_TYPE);
    }

    #[test]
    fn every_kind_is_an_object_with_a_version_and_a_kind() {
        for row in KINDS {
            let ty = type_of(row.ty);
            assert_eq!(ty.name, row.kind);
            for name in ["apiVersion", "kind"] {
                let shape = ty.field(name).map(|field| field.shape);
                assert_eq!(shape, Some(Shape::String), "{}.{name}", row.kind);
            }
            assert!(!at(row.group, row.version, row.kind, "metadata").required, "{}", row.kind);
        }
    }

    #[test]
    fn scopes() {
        let row = |kind| super::kind("", "v1", kind).expect("a core kind");
        assert!(row("Pod").namespaced);
        assert!(!row("Node").namespaced);
        assert!(!row("Pod").subresource);
        assert_eq!(row("Endpoints").plural, "endpoints");

        let eviction = kind("policy", "v1", "Eviction").expect("a subresource");
        assert!(eviction.namespaced && eviction.subresource);
        assert_eq!(eviction.plural, "eviction");
    }

    #[test]
    fn plain_shapes() {
        let service = |path| at("", "v1", "Service", path).shape;
        assert_eq!(service("spec.externalIPs"), Shape::List(&Shape::String));
        assert_eq!(service("spec.ports.targetPort"), Shape::IntOrString);
        assert_eq!(service("spec.ports.nodePort"), Shape::Int32);
        assert_eq!(service("metadata.generation"), Shape::Int64);
        assert_eq!(service("metadata.creationTimestamp"), Shape::Time);
        assert_eq!(service("metadata.managedFields.fieldsV1"), Shape::Any);
        assert!(at("", "v1", "Service", "spec.ports.port").required);
        assert!(!at("", "v1", "Service", "spec.ports.name").required);
    }

    #[test]
    fn shapes_recognised_by_name() {
        let pod = |path| at("", "v1", "Pod", path).shape;
        assert_eq!(pod("spec.containers.resources.requests"), Shape::Map(&Shape::Quantity));
        assert_eq!(pod("spec.volumes.emptyDir.sizeLimit"), Shape::Quantity);
        assert_eq!(at("", "v1", "ConfigMap", "data").shape, Shape::Map(&Shape::String));
        assert_eq!(at("", "v1", "ConfigMap", "binaryData").shape, Shape::Map(&Shape::Bytes));
        assert_eq!(at("", "v1", "Secret", "data").shape, Shape::Map(&Shape::Bytes));
        let lease = at("coordination.k8s.io", "v1", "Lease", "spec.renewTime");
        assert_eq!(lease.shape, Shape::MicroTime);
        assert_eq!(at("apps", "v1", "ControllerRevision", "data").shape, Shape::Any);
    }

    #[test]
    fn schemas_of_custom_resources() {
        let schema = |name: &str| {
            let path = format!("spec.versions.schema.openAPIV3Schema.{name}");
            at("apiextensions.k8s.io", "v1", "CustomResourceDefinition", &path).shape
        };
        assert_eq!(schema("maximum"), Shape::Float);
        assert_eq!(schema("uniqueItems"), Shape::Bool);
        assert_eq!(schema("default"), Shape::Any);
        let Shape::OneOf([item, Shape::List(items)]) = schema("items") else { panic!("items") };
        assert_eq!(item, *items);
        assert!(matches!(schema("additionalProperties"), Shape::OneOf([_, Shape::Bool])));
        // A schema holds schemas: the table leads back to the same type.
        assert_eq!(object_in(schema("properties")), object_in(schema("not")));
        assert_eq!(schema("properties.not.properties.format"), Shape::String);
    }
}
