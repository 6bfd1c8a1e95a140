//! Types of custom kinds: the structural schema of a definition, through a trait.

use super::{
    Atom, BuiltInType, Fields, Keys, ListType, MapType, Relation, Scalar, TypeRef, object_meta,
};
use core::fmt;
use ratchet_object::{Node, Value};

/// A structural schema of a custom resource definition, or a part of it.
///
/// Implemented for the JSON of a schema; a definition that is kept in another form implements it itself.
pub trait StructuralSchema: fmt::Debug {
    /// `type`, and the format of texts.
    fn value_type(&self) -> ValueType;
    /// The schema of a property.
    fn property(&self, name: &str) -> Option<&dyn StructuralSchema>;
    /// Whether there are properties at all.
    fn has_properties(&self) -> bool;
    /// `additionalProperties`.
    fn additional_properties(&self) -> Additional<'_>;
    /// The schema of `items`; none if the list has no typed items.
    fn items(&self) -> Option<&dyn StructuralSchema>;
    /// `x-kubernetes-list-type`; empty if it is not set.
    fn list_type(&self) -> &str;
    /// One of `x-kubernetes-list-map-keys`.
    fn list_map_key(&self, index: usize) -> Option<&str>;
    /// `x-kubernetes-map-type`; empty if it is not set.
    fn map_type(&self) -> &str;
    /// `x-kubernetes-preserve-unknown-fields`.
    fn preserves_unknown_fields(&self) -> bool;
    /// `x-kubernetes-embedded-resource`.
    fn is_embedded_resource(&self) -> bool;
    /// `default`.
    fn default_value(&self) -> Option<&Node<'_>>;
}

/// The type that a schema demands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ValueType {
    /// No type: anything, such as an integer or a text.
    Any,
    /// `object`.
    Object,
    /// `array`.
    Array,
    /// `integer` or `number`.
    Number,
    /// `boolean`.
    Boolean,
    /// `string` without a format, or with the format `byte`.
    String,
    /// `string` with any other format.
    FormattedString,
}

/// What a schema says about members that are no properties.
#[derive(Clone, Copy, Debug)]
pub enum Additional<'s> {
    /// Nothing.
    Unset,
    /// `true`.
    Allowed,
    /// `false`.
    Forbidden,
    /// They have this schema.
    Schema(&'s dyn StructuralSchema),
}

/// A reference to a schema, with what it inherits.
#[derive(Clone, Copy, Debug)]
pub struct Structural<'s> {
    schema: &'s dyn StructuralSchema,
    /// Whether a schema around it preserves unknown fields.
    preserves: bool,
    is_root: bool,
}

impl<'s> Structural<'s> {
    pub(super) const fn root(schema: &'s dyn StructuralSchema) -> Self {
        Self { schema, preserves: false, is_root: true }
    }

    pub(super) fn atom(self) -> Atom<'s> {
        match self.schema.value_type() {
            ValueType::Any => Atom {
                scalar: Some(Scalar::Untyped),
                list: Some(self.list()),
                map: Some(self.map()),
            },
            ValueType::Object => Atom::of_map(self.map()),
            ValueType::Array => Atom::of_list(self.list()),
            ValueType::Number => Atom::of_scalar(Scalar::Numeric),
            ValueType::Boolean => Atom::of_scalar(Scalar::Boolean),
            ValueType::String => Atom::of_scalar(Scalar::String),
            ValueType::FormattedString => Atom::of_scalar(Scalar::Untyped),
        }
    }

    fn list(self) -> ListType<'s> {
        ListType {
            items: self.schema.items().map_or(TypeRef::Untyped, |items| self.below(items)),
            relation: match self.schema.list_type() {
                "set" => Relation::Set,
                "map" => Relation::Map(Keys::Structural(self.schema)),
                _ => Relation::Atomic,
            },
        }
    }

    fn map(self) -> MapType<'s> {
        let has_fields = self.schema.has_properties() || self.has_type_meta();
        let element = match self.schema.additional_properties() {
            Additional::Unset => (self.preserves() || !has_fields).then_some(TypeRef::Deduced),
            Additional::Allowed => Some(TypeRef::Deduced),
            Additional::Forbidden => None,
            Additional::Schema(schema) => Some(self.below(schema)),
        };
        MapType {
            fields: if has_fields { Fields::Structural(self) } else { Fields::None },
            element,
            is_atomic: self.schema.map_type() == "atomic",
        }
    }

    pub(super) fn field(self, name: &str) -> Option<TypeRef<'s>> {
        match name {
            "apiVersion" | "kind" if self.has_type_meta() => {
                Some(TypeRef::BuiltIn(BuiltInType::STRING))
            }
            "metadata" if self.has_type_meta() => Some(object_meta()),
            _ => self.schema.property(name).map(|property| self.below(property)),
        }
    }

    fn has_type_meta(self) -> bool {
        self.is_root || self.schema.is_embedded_resource()
    }

    fn preserves(self) -> bool {
        self.preserves || self.schema.preserves_unknown_fields()
    }

    fn below(self, schema: &'s dyn StructuralSchema) -> TypeRef<'s> {
        TypeRef::Structural(Self { schema, preserves: self.preserves(), is_root: false })
    }
}

/// The JSON of a schema, as a definition has it in `openAPIV3Schema`.
impl StructuralSchema for Node<'_> {
    fn value_type(&self) -> ValueType {
        match (self.text_at(&["type"]), self.text_at(&["format"])) {
            ("object", _) => ValueType::Object,
            ("array", _) => ValueType::Array,
            ("integer" | "number", _) => ValueType::Number,
            ("boolean", _) => ValueType::Boolean,
            ("string", "" | "byte") => ValueType::String,
            ("string", _) => ValueType::FormattedString,
            _ => ValueType::Any,
        }
    }

    fn property(&self, name: &str) -> Option<&dyn StructuralSchema> {
        let property = self.get("properties")?.get(name)?;
        Some(property)
    }

    fn has_properties(&self) -> bool {
        self.get("properties").is_some_and(|properties| !properties.entries().is_empty())
    }

    fn additional_properties(&self) -> Additional<'_> {
        match self.get("additionalProperties") {
            None => Additional::Unset,
            Some(node) => match node.value {
                Value::Null => Additional::Unset,
                Value::Bool(true) => Additional::Allowed,
                Value::Bool(false) => Additional::Forbidden,
                _ => Additional::Schema(node),
            },
        }
    }

    fn items(&self) -> Option<&dyn StructuralSchema> {
        let items = self.get("items")?;
        Some(items)
    }

    fn list_type(&self) -> &str {
        self.text_at(&["x-kubernetes-list-type"])
    }

    fn list_map_key(&self, index: usize) -> Option<&str> {
        let keys = self.get("x-kubernetes-list-map-keys")?.items();
        keys.get(index)?.text()
    }

    fn map_type(&self) -> &str {
        self.text_at(&["x-kubernetes-map-type"])
    }

    fn preserves_unknown_fields(&self) -> bool {
        let flag = self.get("x-kubernetes-preserve-unknown-fields");
        flag.and_then(Node::as_bool).unwrap_or_default()
    }

    fn is_embedded_resource(&self) -> bool {
        let flag = self.get("x-kubernetes-embedded-resource");
        flag.and_then(Node::as_bool).unwrap_or_default()
    }

    fn default_value(&self) -> Option<&Node<'_>> {
        self.get("default")
    }
}
