//! Validation of printer columns and of the paths of subresources.

use super::internal::Subresources;
use crate::definition::Column;
use crate::errors::{ErrorList, json, quoted};
use crate::path::Path;
use ratchet_object::Span;

const TYPES: &str = "must be one of boolean,date,integer,number,string";
const FORMATS: &str = "must be one of byte,date,date-time,double,float,int32,int64,password";

/// Whether a word is one of those that a text lists.
fn is_listed(list: &str, word: &str) -> bool {
    let words = list.strip_prefix("must be one of ").unwrap_or(list);
    words.split(',').any(|listed| listed == word)
}

pub(super) fn validate_columns(
    columns: &[Column],
    path: &Path<'_>,
    span: Span,
    errors: &mut ErrorList,
) {
    let path = path.child("additionalPrinterColumns");
    for (index, column) in columns.iter().enumerate() {
        let path = path.index(index);
        if column.name.is_empty() {
            errors.required(&path.child("name"), span, "");
        }
        if column.column_type.is_empty() {
            errors.required(&path.child("type"), span, TYPES);
        } else if !is_listed(TYPES, &column.column_type) {
            errors.invalid(&path.child("type"), span, quoted(&column.column_type), TYPES);
        }
        if !column.format.is_empty() && !is_listed(FORMATS, &column.format) {
            errors.invalid(&path.child("format"), span, quoted(&column.format), FORMATS);
        }
        if column.json_path.is_empty() {
            errors.required(&path.child("JSONPath"), span, "");
        } else {
            simple_path(&column.json_path, &path.child("JSONPath"), span, errors);
        }
    }
}

/// Checks that a path begins with a dot; returns whether it does.
fn simple_path(text: &str, path: &Path<'_>, span: Span, errors: &mut ErrorList) -> bool {
    let is_simple = text.starts_with('.');
    if !is_simple {
        errors.invalid(path, span, quoted(text), "must be a simple json path starting with .");
    }
    is_simple
}

pub(super) fn validate_subresources(
    subresources: Option<&Subresources>,
    path: &Path<'_>,
    span: Span,
    errors: &mut ErrorList,
) {
    let Some(scale) = subresources.and_then(|subresources| subresources.scale.as_ref()) else {
        return;
    };
    let subresources = path.child("subresources");
    let replicas = [
        (
            "scale.specReplicasPath",
            &scale.spec_replicas_path,
            ".spec.",
            "should be a json path under .spec",
        ),
        (
            "scale.statusReplicasPath",
            &scale.status_replicas_path,
            ".status.",
            "should be a json path under .status",
        ),
    ];
    for (name, text, prefix, detail) in replicas {
        let path = subresources.child(name);
        if text.is_empty() {
            errors.required(&path, span, "");
        } else if simple_path(text, &path, span, errors) && !text.starts_with(prefix) {
            errors.invalid(&path, span, quoted(text), detail);
        }
    }
    if let Some(text) = scale.label_selector_path.as_deref().filter(|text| !text.is_empty()) {
        let path = subresources.child("scale.labelSelectorPath");
        let is_below = text.starts_with(".spec.") || text.starts_with(".status.");
        if simple_path(text, &path, span, errors) && !is_below {
            let detail = "should be a json path under either .spec or .status";
            errors.invalid(&path, span, json(text), detail);
        }
    }
}
