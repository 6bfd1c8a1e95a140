//! Expansion of `x-kubernetes-int-or-string` into the alternatives that it stands for.

use crate::schema::structural::is_int_or_string;
use crate::schema::{JsonSchemaProps, SchemaOrArray, SchemaOrBool};
use alloc::vec::Vec;

/// Adds the alternatives of a number-or-string wherever they are not written already.
pub(super) fn unfold(schema: &mut JsonSchemaProps) {
    each(schema, &mut |schema| {
        let is_written = is_int_or_string(&schema.any_of)
            || schema.all_of.first().is_some_and(|first| is_int_or_string(&first.any_of));
        if !schema.int_or_string || is_written {
            return;
        }
        let typed = |schema_type: &str| JsonSchemaProps {
            schema_type: schema_type.into(),
            ..JsonSchemaProps::default()
        };
        let alternatives = Vec::from([typed("integer"), typed("string")]);
        if schema.any_of.is_empty() {
            schema.any_of = alternatives;
        } else {
            let all = JsonSchemaProps { any_of: alternatives, ..JsonSchemaProps::default() };
            schema.all_of.insert(0, all);
        }
    });
}

/// Visits a schema and those of its members and items, from the outside in.
pub(super) fn each(schema: &mut JsonSchemaProps, visit: &mut impl FnMut(&mut JsonSchemaProps)) {
    visit(schema);
    if let Some(SchemaOrArray::Schema(items)) = schema.items.as_deref_mut() {
        each(items, visit);
    }
    for (_, property) in &mut schema.properties {
        each(property, visit);
    }
    if let Some(SchemaOrBool::Schema(additional)) = schema.additional_properties.as_deref_mut() {
        each(additional, visit);
    }
}
