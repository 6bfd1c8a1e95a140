//! Keys of keyed lists: they are always there, and never `null`.

use crate::errors::ErrorList;
use crate::path::Path;
use crate::schema::JsonSchemaProps;

/// Whether a schema violates these rules itself.
pub(super) fn is_invalid(schema: &JsonSchemaProps) -> bool {
    let mut errors = ErrorList::default();
    validate(schema, &Path::NIL, &mut errors);
    !errors.is_empty()
}

pub(super) fn validate(schema: &JsonSchemaProps, path: &Path<'_>, errors: &mut ErrorList) {
    let (Some(items), Some(list_type @ ("set" | "map"))) =
        (schema.item_schema(), schema.list_type.as_deref())
    else {
        return;
    };
    let items_path = path.child("items");
    if items.nullable {
        let detail =
            alloc::format!("cannot be nullable when x-kubernetes-list-type is {list_type}");
        errors.forbidden(&items_path.child("nullable"), items.span, detail);
    }
    if list_type != "map" {
        return;
    }
    let properties = items_path.child("properties");
    for key in &schema.list_map_keys {
        // That it exists is checked elsewhere.
        let Some(property) = items.property(key) else { continue };
        let path = properties.key(key);
        if !items.required.contains(key) && property.default.is_none() {
            errors.required(&path.child("default"), property.span, "this property is in x-kubernetes-list-map-keys, so it must have a default or be a required property");
        }
        if property.nullable {
            errors.forbidden(
                &path.child("nullable"),
                property.span,
                "this property is in x-kubernetes-list-map-keys, so it cannot be nullable",
            );
        }
    }
}
