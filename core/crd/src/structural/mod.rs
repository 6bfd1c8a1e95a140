//! `Structural`: a structural schema compiled for use on objects.

mod apply;
mod coerce;
mod compile;
mod declare;
mod default;
mod embedded;
mod list_type;
mod properties;
mod prune;

pub use coerce::CoerceError;
pub(crate) use coerce::Coerced;
pub(crate) use default::prune_nulls;
pub(crate) use properties::{Properties, Property};

use crate::formats::Format;
use alloc::boxed::Box;
use ratchet_cel::Regex;
use ratchet_object::Node;

/// The names of the fields that every object has.
pub(crate) const META_FIELDS: [&str; 3] = ["apiVersion", "kind", "metadata"];

/// A structural schema (`schema.Structural`), with its patterns and formats compiled.
#[derive(Debug, Default)]
pub struct Structural {
    pub(crate) schema_type: Option<SchemaType>,
    pub(crate) nullable: bool,
    pub(crate) preserve_unknown_fields: bool,
    pub(crate) embedded_resource: bool,
    pub(crate) int_or_string: bool,
    pub(crate) list_type: ListType,
    pub(crate) map_type: MapType,
    /// Whether a schema in it has a default.
    pub(crate) has_defaults: bool,
    /// Whether a schema in it is that of an embedded resource.
    pub(crate) has_resources: bool,
    /// Whether a schema in it is that of a set or a keyed list.
    pub(crate) has_unique_lists: bool,
    pub(crate) list_map_keys: Box<[Box<str>]>,
    pub(crate) properties: Properties,
    pub(crate) additional: Additional,
    pub(crate) items: Option<Box<Self>>,
    pub(crate) default: Option<Box<Node<'static>>>,
    pub(crate) checks: Option<Box<Checks>>,
}

/// What properties without a name are.
#[derive(Debug, Default)]
pub(crate) enum Additional {
    /// Nothing is said of them.
    #[default]
    Unset,
    /// They may be anything, or may not be.
    Allows(bool),
    /// They have a schema.
    Schema(Box<Structural>),
}

/// The value of `type`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SchemaType {
    /// A list.
    Array,
    /// A boolean.
    Boolean,
    /// A whole number.
    Integer,
    /// Any number.
    Number,
    /// An object.
    Object,
    /// A string.
    String,
}

/// The value of `x-kubernetes-list-type`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ListType {
    /// The list is one value; the default.
    #[default]
    Atomic,
    /// Items are told apart by their values.
    Set,
    /// Items are told apart by their keys.
    Map,
}

/// The value of `x-kubernetes-map-type`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum MapType {
    /// Fields are independent of each other; the default.
    #[default]
    Granular,
    /// The object is one value.
    Atomic,
}

/// What a value must be beside its type (`ValueValidation`).
#[derive(Debug, Default)]
pub(crate) struct Checks {
    pub(crate) format: Option<&'static Format>,
    /// The format as it is written.
    pub(crate) format_name: Box<str>,
    pub(crate) maximum: Option<f64>,
    pub(crate) exclusive_maximum: bool,
    pub(crate) minimum: Option<f64>,
    pub(crate) exclusive_minimum: bool,
    pub(crate) multiple_of: Option<f64>,
    pub(crate) max_length: Option<i64>,
    pub(crate) min_length: Option<i64>,
    pub(crate) pattern: Option<(Box<str>, Regex)>,
    pub(crate) max_items: Option<i64>,
    pub(crate) min_items: Option<i64>,
    pub(crate) max_properties: Option<i64>,
    pub(crate) min_properties: Option<i64>,
    pub(crate) enumeration: Box<[Node<'static>]>,
    pub(crate) required: Box<[Box<str>]>,
    pub(crate) all_of: Box<[Structural]>,
    pub(crate) any_of: Box<[Structural]>,
    pub(crate) one_of: Box<[Structural]>,
    pub(crate) not: Option<Box<Structural>>,
}

impl SchemaType {
    /// Its name in schemas.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Array => "array",
            Self::Boolean => "boolean",
            Self::Integer => "integer",
            Self::Number => "number",
            Self::Object => "object",
            Self::String => "string",
        }
    }

    /// The type of a name.
    pub fn parse(name: &str) -> Option<Self> {
        const ALL: [SchemaType; 6] = [
            SchemaType::Array,
            SchemaType::Boolean,
            SchemaType::Integer,
            SchemaType::Number,
            SchemaType::Object,
            SchemaType::String,
        ];
        ALL.into_iter().find(|schema_type| schema_type.as_str() == name)
    }
}

/// What other rooms may know of a schema: how its values are merged, and what they are by default.
impl Structural {
    /// `type`; `None` where any value, or a number or a string, is allowed.
    pub fn schema_type(&self) -> Option<SchemaType> {
        self.schema_type
    }

    /// The schema of a named property.
    pub fn property(&self, name: &str) -> Option<&Self> {
        self.properties.get(name)
    }

    /// The named properties, sorted by name.
    pub fn properties(&self) -> impl ExactSizeIterator<Item = (&str, &Self)> {
        self.properties.iter().map(|property| (&*property.name, &property.schema))
    }

    /// The schema of all properties without a name.
    pub fn additional_properties(&self) -> Option<&Self> {
        match &self.additional {
            Additional::Schema(schema) => Some(schema),
            _ => None,
        }
    }

    /// Whether `additionalProperties` is `true`: any property, but nothing of what is below it.
    pub fn allows_additional_properties(&self) -> bool {
        matches!(self.additional, Additional::Allows(true))
    }

    /// The schema of a member, named or not.
    pub fn member(&self, name: &str) -> Option<&Self> {
        self.property(name).or_else(|| self.additional_properties())
    }

    /// The schema of the items of a list.
    pub fn items(&self) -> Option<&Self> {
        self.items.as_deref()
    }

    /// `x-kubernetes-list-type`
    pub fn list_type(&self) -> ListType {
        self.list_type
    }

    /// `x-kubernetes-list-map-keys`
    pub fn list_map_keys(&self) -> &[Box<str>] {
        &self.list_map_keys
    }

    /// `x-kubernetes-map-type`
    pub fn map_type(&self) -> MapType {
        self.map_type
    }

    /// `x-kubernetes-preserve-unknown-fields`
    pub fn preserves_unknown_fields(&self) -> bool {
        self.preserve_unknown_fields
    }

    /// `x-kubernetes-embedded-resource`
    pub fn is_embedded_resource(&self) -> bool {
        self.embedded_resource
    }

    /// `x-kubernetes-int-or-string`
    pub fn is_int_or_string(&self) -> bool {
        self.int_or_string
    }

    /// `nullable`
    pub fn is_nullable(&self) -> bool {
        self.nullable
    }

    /// `default`
    pub fn default_value(&self) -> Option<&Node<'static>> {
        self.default.as_deref()
    }
}
