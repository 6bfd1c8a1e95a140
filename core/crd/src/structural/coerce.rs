//! Coercion of metadata: types of embedded resources are checked, and unknown fields of their metadata pruned.

use super::Structural;
use crate::errors::bad_value;
use crate::path::Path;
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use core::fmt;
use ratchet_object::{Node, Value, ViolationKind, canonicalize, prune, schema, type_violations};

/// The type of metadata.
const OBJECT_META: &str = "io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta";

/// A field of an embedded resource that has another type than every object's.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CoerceError {
    /// The path of the field; empty for the metadata of the object itself.
    pub field: String,
    /// The bad value, as Go writes it.
    pub value: String,
    /// What is wrong.
    pub detail: String,
}

impl fmt::Display for CoerceError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { field, value, detail } = self;
        if field.is_empty() {
            return f.write_str(detail);
        }
        write!(f, "{field}: Invalid value: {value}: {detail}")
    }
}

impl core::error::Error for CoerceError {}

/// What coercion does, and what it found.
#[derive(Debug, Default)]
pub(crate) struct Coerced {
    /// Whether values of a wrong type are removed instead of refused, as when old objects are read.
    pub(crate) drop_invalid: bool,
    /// The paths of unknown fields.
    pub(crate) unknown: Vec<String>,
}

impl Structural {
    /// Coerces the embedded resources in a value.
    pub(crate) fn coerce(
        &self,
        value: &mut Node<'_>,
        path: &Path<'_>,
        is_resource_root: bool,
        coerced: &mut Coerced,
    ) -> Result<(), CoerceError> {
        if !self.has_resources && !is_resource_root {
            return Ok(());
        }
        if (self.embedded_resource || is_resource_root) && matches!(value.value, Value::Map(_)) {
            coerced.type_meta(value, path)?;
            if let Some(metadata) = value.get_mut("metadata") {
                let at = path.child("metadata");
                coerced.object_meta(metadata, &at)?;
            }
        }
        match &mut value.value {
            Value::Map(entries) => {
                for entry in entries {
                    if let Some(schema) = self.property(&entry.key) {
                        let path = path.child(&entry.key);
                        schema.coerce(&mut entry.node, &path, false, coerced)?;
                    } else if let Some(schema) = self.additional_properties() {
                        let path = path.key(&entry.key);
                        schema.coerce(&mut entry.node, &path, false, coerced)?;
                    }
                }
            }
            Value::List(items) => {
                if let Some(schema) = self.items() {
                    for (index, item) in items.iter_mut().enumerate() {
                        schema.coerce(item, &path.index(index), false, coerced)?;
                    }
                }
            }
            _ => {}
        }
        Ok(())
    }
}

impl Coerced {
    fn type_meta(&self, value: &mut Node<'_>, path: &Path<'_>) -> Result<(), CoerceError> {
        for name in ["apiVersion", "kind"] {
            let Some(member) = value.get(name).filter(|member| member.text().is_none()) else {
                continue;
            };
            if !self.drop_invalid {
                let (field, value) = (path.child(name).to_string(), bad_value(Some(member)));
                return Err(CoerceError { field, value, detail: "must be a string".into() });
            }
            value.remove(name);
        }
        Ok(())
    }

    /// Coerces metadata at a path: values of a wrong type are refused or removed, unknown fields are removed.
    pub(crate) fn object_meta(
        &mut self,
        metadata: &mut Node<'_>,
        path: &Path<'_>,
    ) -> Result<(), CoerceError> {
        let Some(type_index) = schema::type_index(OBJECT_META) else { return Ok(()) };
        if metadata.is_null() {
            *metadata = Node::empty_map();
        }
        if !matches!(metadata.value, Value::Map(_)) {
            if self.drop_invalid {
                return Ok(());
            }
            let detail = format!(
                "json: cannot unmarshal {} into Go value of type v1.ObjectMeta",
                metadata.type_name()
            );
            return Err(refusal(path, metadata, detail));
        }
        for violation in type_violations(metadata, type_index) {
            match violation.kind {
                ViolationKind::Unknown => self.unknown.push(format!("{path}.{}", violation.path)),
                ViolationKind::WrongType(detail) if !self.drop_invalid => {
                    return Err(refusal(path, metadata, detail));
                }
                ViolationKind::WrongType(_) => {
                    let end = violation.path.find(['.', '[']).unwrap_or(violation.path.len());
                    metadata.remove(violation.path.get(..end).unwrap_or_default());
                }
            }
        }
        prune(metadata, type_index);
        canonicalize(metadata, type_index);
        if metadata.get("creationTimestamp").is_some_and(Node::is_null) {
            metadata.remove("creationTimestamp");
        }
        Ok(())
    }
}

fn refusal(path: &Path<'_>, metadata: &Node<'_>, detail: String) -> CoerceError {
    let field = path.to_string();
    // The metadata of the object itself is decoded before it has a path.
    let field = if field == "metadata" { String::new() } else { field };
    CoerceError { field, value: bad_value(Some(metadata)), detail }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{schema, tree};

    const SPEC: &str = "{type: object, properties: {t: {type: object, x-kubernetes-embedded-resource: true, x-kubernetes-preserve-unknown-fields: true}}}";

    fn coerced(text: &str, drop_invalid: bool) -> Result<(String, Vec<String>), String> {
        let mut node = tree(text);
        let mut coerced = Coerced { drop_invalid, ..Coerced::default() };
        let result = schema(SPEC).coerce(&mut node, &Path::NIL, false, &mut coerced);
        result.map(|()| (node.to_json(), coerced.unknown)).map_err(|error| error.to_string())
    }

    #[test]
    fn unknown_metadata_goes() {
        let text = "{t: {apiVersion: v1, kind: K, metadata: {name: a, zz: 1, labels: {}, creationTimestamp: null}, x: 1}}";
        let (left, unknown) = coerced(text, false).unwrap();
        assert_eq!(left, r#"{"t":{"apiVersion":"v1","kind":"K","metadata":{"name":"a"},"x":1}}"#);
        assert_eq!(unknown, ["t.metadata.zz"]);
    }

    #[test]
    fn wrong_types_are_refused_or_dropped() {
        let labels = "{t: {metadata: {name: a, labels: {x: 1}}}}";
        assert_eq!(
            coerced(labels, false).unwrap_err(),
            r#"t.metadata: Invalid value: {"labels":{"x":1},"name":"a"}: json: cannot unmarshal number into Go struct field ObjectMeta.labels of type string"#
        );
        assert_eq!(coerced(labels, true).unwrap().0, r#"{"t":{"metadata":{"name":"a"}}}"#);
        let kind = "{t: {kind: 1}}";
        assert_eq!(coerced(kind, false).unwrap_err(), "t.kind: Invalid value: 1: must be a string");
        assert_eq!(coerced(kind, true).unwrap().0, r#"{"t":{}}"#);
    }
}
