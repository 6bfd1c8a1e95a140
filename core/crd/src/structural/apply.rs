//! Structural schemas as server-side apply sees them.

use super::{Additional, ListType, MapType, SchemaType, Structural};
use ratchet_apply::{self as apply, StructuralSchema, ValueType};
use ratchet_object::Node;

impl StructuralSchema for Structural {
    fn value_type(&self) -> ValueType {
        let format = self.checks.as_ref().map_or("", |checks| &checks.format_name);
        match self.schema_type {
            None => ValueType::Any,
            Some(SchemaType::Object) => ValueType::Object,
            Some(SchemaType::Array) => ValueType::Array,
            Some(SchemaType::Integer | SchemaType::Number) => ValueType::Number,
            Some(SchemaType::Boolean) => ValueType::Boolean,
            Some(SchemaType::String) if matches!(format, "" | "byte") => ValueType::String,
            Some(SchemaType::String) => ValueType::FormattedString,
        }
    }

    fn property(&self, name: &str) -> Option<&dyn StructuralSchema> {
        let property = self.properties.get(name)?;
        Some(property)
    }

    fn has_properties(&self) -> bool {
        !self.properties.is_empty()
    }

    fn additional_properties(&self) -> apply::Additional<'_> {
        match &self.additional {
            Additional::Unset => apply::Additional::Unset,
            Additional::Allows(true) => apply::Additional::Allowed,
            Additional::Allows(false) => apply::Additional::Forbidden,
            Additional::Schema(schema) => apply::Additional::Schema(&**schema),
        }
    }

    fn items(&self) -> Option<&dyn StructuralSchema> {
        let items = self.items.as_deref()?;
        Some(items)
    }

    fn list_type(&self) -> &str {
        match self.list_type {
            ListType::Atomic => "atomic",
            ListType::Set => "set",
            ListType::Map => "map",
        }
    }

    fn list_map_key(&self, index: usize) -> Option<&str> {
        self.list_map_keys.get(index).map(|key| &**key)
    }

    fn map_type(&self) -> &str {
        match self.map_type {
            MapType::Granular => "granular",
            MapType::Atomic => "atomic",
        }
    }

    fn preserves_unknown_fields(&self) -> bool {
        self.preserve_unknown_fields
    }

    fn is_embedded_resource(&self) -> bool {
        self.embedded_resource
    }

    fn default_value(&self) -> Option<&Node<'_>> {
        self.default.as_deref()
    }
}
