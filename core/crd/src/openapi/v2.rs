//! Conversion of schemas to OpenAPI v2, which lacks some of their members.

use super::unfold::each;
use crate::schema::JsonSchemaProps;

/// Converts a schema to OpenAPI v2 (`ToStructuralOpenAPIV2`).
pub(super) fn convert(schema: &mut JsonSchemaProps) {
    each(schema, &mut |schema| {
        schema.all_of.clear();
        schema.any_of.clear();
        schema.one_of.clear();
        schema.not = None;
        schema.default = None;
        // Properties and items without a type, or beside unknown fields, confuse kubectl.
        if schema.nullable {
            schema.schema_type.clear();
            schema.nullable = false;
            schema.items = None;
            schema.properties.clear();
        }
        let is_open = schema.preserve_unknown_fields == Some(true);
        if is_open {
            schema.items = None;
            schema.properties.clear();
        }
        let lacks_items = schema.items.is_none() && schema.schema_type == "array";
        if lacks_items || (is_open && schema.schema_type == "object") {
            schema.schema_type.clear();
        }
        // What is nullable may be missing, for all that version 2 can say.
        let nullable = |name: &str| {
            let index = schema.properties.binary_search_by(|(key, _)| key.as_str().cmp(name)).ok();
            let property = index.and_then(|index| schema.properties.get(index));
            property.is_some_and(|(_, property)| property.nullable)
        };
        schema.required.retain(|name| !nullable(name));
        if schema.additional_schema().is_some_and(|additional| additional.nullable) {
            schema.required.clear();
        }
    });
}
