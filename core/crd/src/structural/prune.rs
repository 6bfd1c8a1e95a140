//! Pruning: fields that a schema does not specify are removed, and their paths reported.

use super::{Additional, META_FIELDS, Structural};
use alloc::string::String;
use alloc::vec::Vec;
use core::fmt::Write as _;
use ratchet_object::{Node, Value};

impl Structural {
    /// Removes unspecified fields from the root of a resource; returns their paths, sorted. The fields that every
    /// object has stay.
    pub fn prune(&self, object: &mut Node<'_>) -> Vec<String> {
        self.prune_as(object, true)
    }

    /// The same for a value that is a resource if `is_resource_root`.
    pub(crate) fn prune_as(&self, value: &mut Node<'_>, is_resource_root: bool) -> Vec<String> {
        let mut walk = Walk { path: String::new(), unknown: Vec::new() };
        walk.value(value, Some(self), is_resource_root);
        walk.unknown.sort_unstable();
        walk.unknown
    }
}

struct Walk {
    /// The path of the current value.
    path: String,
    unknown: Vec<String>,
}

impl Walk {
    /// Prunes a value; without a schema nothing is specified.
    fn value(&mut self, node: &mut Node<'_>, schema: Option<&Structural>, is_resource: bool) {
        if let Some(schema) = schema.filter(|schema| schema.preserve_unknown_fields) {
            return self.preserved(node, schema, is_resource);
        }
        match &mut node.value {
            Value::Map(entries) => {
                let is_resource =
                    is_resource || schema.is_some_and(|schema| schema.embedded_resource);
                let root = self.path.is_empty();
                entries.retain_mut(|entry| {
                    let key = &*entry.key;
                    if is_resource && META_FIELDS.contains(&key) {
                        return true;
                    }
                    let length = self.path.len();
                    self.push_key(key);
                    let specified = match schema {
                        Some(schema) => specification(schema, key),
                        None => None,
                    };
                    let stays = match specified {
                        Some(schema) => {
                            self.value(&mut entry.node, schema, false);
                            true
                        }
                        None => {
                            // Metadata of an object without a kind is removed without a word.
                            if schema.is_none() || !root || !META_FIELDS.contains(&key) {
                                self.unknown.push(self.path.clone());
                            }
                            false
                        }
                    };
                    self.path.truncate(length);
                    stays
                });
            }
            Value::List(items) => {
                let schema = schema.and_then(Structural::items);
                self.items(items, |walk, item| walk.value(item, schema, false));
            }
            _ => {}
        }
    }

    /// Prunes only what is specified within a value whose unknown fields stay.
    fn preserved(&mut self, node: &mut Node<'_>, schema: &Structural, is_resource: bool) {
        match &mut node.value {
            Value::Map(entries) => {
                let is_resource = is_resource || schema.embedded_resource;
                for entry in entries {
                    let key = &*entry.key;
                    if is_resource && META_FIELDS.contains(&key) {
                        continue;
                    }
                    if let Some(specified) = specification(schema, key) {
                        let length = self.path.len();
                        self.push_key(key);
                        self.value(&mut entry.node, specified, false);
                        self.path.truncate(length);
                    }
                }
            }
            Value::List(items) => {
                if let Some(schema) = schema.items() {
                    self.items(items, |walk, item| walk.preserved(item, schema, false));
                }
            }
            _ => {}
        }
    }

    fn items<'t>(&mut self, items: &mut [Node<'t>], each: impl Fn(&mut Self, &mut Node<'t>)) {
        for (index, item) in items.iter_mut().enumerate() {
            let length = self.path.len();
            let _ = write!(self.path, "[{index}]");
            each(self, item);
            self.path.truncate(length);
        }
    }

    fn push_key(&mut self, key: &str) {
        if !self.path.is_empty() {
            self.path.push('.');
        }
        self.path.push_str(key);
    }
}

/// How a member is specified: not at all, without a schema, or with one.
fn specification<'s>(schema: &'s Structural, key: &str) -> Option<Option<&'s Structural>> {
    if let Some(property) = schema.property(key) {
        return Some(Some(property));
    }
    match &schema.additional {
        Additional::Unset => None,
        Additional::Allows(_) => Some(None),
        Additional::Schema(schema) => Some(Some(schema)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{schema, tree};

    fn pruned(spec: &str, object: &str) -> (String, Vec<String>) {
        let mut node = tree(object);
        let unknown = schema(spec).prune(&mut node);
        (node.to_json(), unknown)
    }

    #[test]
    fn unspecified_fields_go() {
        let spec = "{type: object, properties: {spec: {type: object, properties: {a: {type: string}, l: {type: array, items: {type: object, properties: {x: {type: integer}}}}}}}}";
        let object = "{apiVersion: v1, kind: K, metadata: {anything: 1}, spec: {a: 1, b: 2, A: 3, l: [{x: 1, w: 2}, 3]}, zz: {}}";
        let (left, unknown) = pruned(spec, object);
        assert_eq!(
            left,
            r#"{"apiVersion":"v1","kind":"K","metadata":{"anything":1},"spec":{"a":1,"l":[{"x":1},3]}}"#
        );
        assert_eq!(unknown, ["spec.A", "spec.b", "spec.l[0].w", "zz"]);
    }

    #[test]
    fn preserved_fields_stay_but_what_is_specified_in_them_is_pruned() {
        let spec = "{type: object, x-kubernetes-preserve-unknown-fields: true, properties: {a: {type: object, properties: {b: {type: string}}}}}";
        let (left, unknown) = pruned(spec, "{a: {b: 1, c: 2}, d: {e: 3}}");
        assert_eq!(left, r#"{"a":{"b":1},"d":{"e":3}}"#);
        assert_eq!(unknown, ["a.c"]);
    }

    #[test]
    fn additional_properties() {
        let spec = "{type: object, properties: {t: {type: object, additionalProperties: true}, m: {type: object, additionalProperties: {type: object, properties: {a: {type: string}}}}}}";
        let (left, unknown) = pruned(spec, "{t: {x: 1, w: {z: 2}}, m: {k: {a: 1, b: 2}}}");
        assert_eq!(left, r#"{"t":{"x":1,"w":{}},"m":{"k":{"a":1}}}"#);
        assert_eq!(unknown, ["m.k.b", "t.w.z"]);
    }

    #[test]
    fn embedded_resources_keep_their_metadata() {
        let spec = "{type: object, properties: {t: {type: object, x-kubernetes-embedded-resource: true, properties: {spec: {type: object}}}}}";
        let (left, unknown) =
            pruned(spec, "{t: {apiVersion: v1, kind: K, metadata: {a: b}, spec: {x: 1}, w: 2}}");
        assert_eq!(left, r#"{"t":{"apiVersion":"v1","kind":"K","metadata":{"a":"b"},"spec":{}}}"#);
        assert_eq!(unknown, ["t.spec.x", "t.w"]);
    }
}
