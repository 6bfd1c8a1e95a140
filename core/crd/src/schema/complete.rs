//! Completeness of structural schemas: what a junctor at the root mentions is specified outside of it too.

use super::props::JsonSchemaProps;
use crate::errors::ErrorList;
use crate::path::Path;

/// Checks the junctors of a schema. Those further down are not looked at.
pub(super) fn validate_completeness(
    schema: &JsonSchemaProps,
    path: &Path<'_>,
    errors: &mut ErrorList,
) {
    junctors(schema, Some(schema), path, path, errors);
}

/// Checks the junctors of `values` against what is specified at `specified_path`.
fn junctors(
    values: &JsonSchemaProps,
    specified: Option<&JsonSchemaProps>,
    specified_path: &Path<'_>,
    path: &Path<'_>,
    errors: &mut ErrorList,
) {
    if let Some(not) = values.not.as_deref() {
        nested(not, specified, specified_path, &path.child("not"), errors);
    }
    let all = [("allOf", &values.all_of), ("anyOf", &values.any_of), ("oneOf", &values.one_of)];
    for (keyword, schemas) in all {
        let path = path.child(keyword);
        for (index, schema) in schemas.iter().enumerate() {
            nested(schema, specified, specified_path, &path.index(index), errors);
        }
    }
}

fn nested(
    values: &JsonSchemaProps,
    specified: Option<&JsonSchemaProps>,
    specified_path: &Path<'_>,
    path: &Path<'_>,
    errors: &mut ErrorList,
) {
    let Some(specified) = specified else {
        let detail = alloc::format!("because it is defined in {path}");
        return errors.required(specified_path, values.span, detail);
    };
    junctors(values, Some(specified), specified_path, path, errors);
    if let Some(item) = values.item_schema() {
        let specified_path = specified_path.child("items");
        nested(item, specified.item_schema(), &specified_path, &path.child("items"), errors);
    }
    let (specified_properties, properties) =
        (specified_path.child("properties"), path.child("properties"));
    for (name, property) in &values.properties {
        let specified_path = specified_properties.key(name);
        nested(property, specified.property(name), &specified_path, &properties.key(name), errors);
    }
}
