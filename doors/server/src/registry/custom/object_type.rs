//! `DefinedType`: the type of a custom resource in one version, compiled when an object is first seen.

use super::definition::Definition;
use ratchet_apply::{ConvertObject, Converter, ResetFields};
use ratchet_crd::Strategy;
use ratchet_crd::definition::Scope;
use ratchet_engine::{ApiConfig, Change, Facts, Part, Verdict};
use ratchet_object::schema::TypeRow;
use ratchet_object::{GroupVersionKind, Kind, Node, Object, Repeated, Value};
use ratchet_pipeline::{CustomType, FieldReport, ObjectType, ReplicasField, TypeMetaError};
use std::sync::{Arc, OnceLock};

/// A version of a definition as the type of its objects. Names are known at once; a thousand definitions that nobody uses
/// cost no compilation.
#[derive(Debug)]
pub(super) struct DefinedType {
    definition: Arc<Definition>,
    version: String,
    compiled: OnceLock<CustomType>,
}

impl DefinedType {
    /// The type of a version that the definition has.
    pub(super) fn new(definition: Arc<Definition>, version: &str) -> Self {
        Self { definition, version: version.to_owned(), compiled: OnceLock::new() }
    }

    /// What the definition says about objects of the version.
    pub(super) fn strategy(&self) -> &Strategy {
        self.get().strategy()
    }

    fn get(&self) -> &CustomType {
        self.compiled.get_or_init(|| {
            let compiled = CustomType::new(self.definition.compiled().clone(), &self.version);
            compiled.unwrap_or_else(|| unreachable!("a version that is not in its definition"))
        })
    }
}

impl ObjectType for DefinedType {
    fn gvk(&self) -> GroupVersionKind<'_> {
        let view = &self.definition.view;
        GroupVersionKind { group: &view.group, version: &self.version, kind: &view.names.kind }
    }

    fn kind(&self) -> Option<Kind<'_>> {
        let view = &self.definition.view;
        Some(Kind {
            group: &view.group,
            versions: &[],
            name: &view.names.kind,
            plural: &view.names.plural,
            scope: match view.scope {
                Scope::Namespaced => ratchet_object::Scope::Namespaced,
                Scope::Cluster => ratchet_object::Scope::Cluster,
            },
            pod: None,
            subresources: &[],
        })
    }

    fn kind_of<'a>(&'a self, object: &'a Object<'_>) -> Option<Kind<'a>> {
        self.get().kind_of(object)
    }

    fn check_type_meta(&self, object: &mut Node<'_>) -> Result<bool, TypeMetaError> {
        self.get().check_type_meta(object)
    }

    fn decode(&self, object: &mut Node<'_>, repeated: &[Repeated]) -> FieldReport {
        self.get().decode(object, repeated)
    }

    fn decode_applied(&self, object: &mut Node<'_>) {
        self.get().decode_applied(object);
    }

    fn reports_positions(&self) -> bool {
        self.get().reports_positions()
    }

    /// The patch of a map is a map.
    fn normalize_patched(&self, object: &mut Node<'static>) {
        canonicalize(object);
    }

    fn apply_defaults(&self, object: &mut Node<'_>) {
        self.get().apply_defaults(object);
    }

    fn decode_stored(&self, object: &mut Node<'_>) -> bool {
        self.get().decode_stored(object)
    }

    fn complete(&self, _: &mut Node<'static>) {}

    /// The API server keeps custom objects as Go maps: members are sorted, and whole numbers are integers.
    fn canonicalize(&self, object: &mut Node<'static>) {
        canonicalize(object);
    }

    fn prepare_for_create(&self, new: &mut Node<'_>) {
        self.get().prepare_for_create(new);
    }

    fn prepare_for_update(&self, new: &mut Node<'_>, old: &Node<'_>, part: Part) {
        self.get().prepare_for_update(new, old, part);
    }

    fn validate(&self, change: &Change<'_>, facts: &Facts<'_>, config: &ApiConfig) -> Verdict {
        self.get().validate(change, facts, config)
    }

    fn merge_type(&self) -> Option<&'static TypeRow> {
        None
    }

    fn converter<'a>(&'a self, convert: &'a ConvertObject<'a>) -> Box<dyn Converter + 'a> {
        self.get().converter(convert)
    }

    fn reset_fields<'a>(&self, subresource: &str, api_version: &'a str) -> Option<ResetFields<'a>> {
        self.get().reset_fields(subresource, api_version)
    }

    fn replicas_fields(&self) -> Vec<ReplicasField> {
        self.get().replicas_fields()
    }
}

/// The depth is bounded where trees are made.
fn canonicalize(node: &mut Node<'static>) {
    match &mut node.value {
        Value::Map(entries) => {
            entries.sort_by(|one, other| one.key.cmp(&other.key));
            entries.iter_mut().for_each(|entry| canonicalize(&mut entry.node));
        }
        Value::List(items) => items.iter_mut().for_each(canonicalize),
        Value::Float(number) => {
            // Larger ones are written with an exponent, and read back as they are.
            const EXACT: f64 = 9_007_199_254_740_992.0;
            let number = *number;
            if number.trunc() == number && number.abs() < EXACT {
                #[expect(clippy::cast_possible_truncation, reason = "whole and small enough")]
                let whole = number as i64;
                node.value = Value::Int(whole);
            }
        }
        Value::Null | Value::Bool(_) | Value::Int(_) | Value::Text(_) => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ratchet_object::{Limits, decode_json};

    #[test]
    fn equal_objects_have_equal_texts() {
        let canonical = |text: &str| {
            let mut node =
                decode_json(text, Limits::DEFAULT).unwrap().documents.remove(0).into_owned();
            canonicalize(&mut node);
            node.to_json()
        };
        let text = r#"{"b":[{"y":1.0,"x":1.5}],"a":{"d":1e3,"c":null}}"#;
        let sorted = r#"{"a":{"c":null,"d":1000},"b":[{"x":1.5,"y":1}]}"#;
        assert_eq!(canonical(text), sorted);
        assert_eq!(canonical(sorted), sorted);
    }
}
