//! Options of a validation: what a stored definition violates already is not refused in an update.

use super::internal::InternalSpec;
use super::{list_keys, pruning, webhook};
use crate::path::Path;
use crate::rules::{Environments, ExistingExpressions};
use crate::schema::{JsonSchemaProps, structural_error, validate_structural};
use crate::structural::{SchemaType, Structural};
use alloc::collections::BTreeSet;
use alloc::string::{String, ToString};
use core::cell::OnceCell;
use ratchet_object::Node;

/// What is required of a definition (`validationOptions`).
pub(super) struct Options {
    pub(super) recognized_review_version: bool,
    pub(super) immutable_names: bool,
    pub(super) schema: bool,
    pub(super) valid_types: bool,
    pub(super) structural: bool,
    pub(super) pruned_defaults: bool,
    pub(super) atomic_sets: bool,
    pub(super) list_keys: bool,
    pub(super) valid_ca_bundle: bool,
    pub(super) existing: ExistingExpressions,
    /// Versions whose schema did not change: the costs of their rules are not checked one by one.
    pub(super) unchanged: BTreeSet<String>,
    /// Versions whose selectable fields did not change, and are too many; empty for those of all versions.
    pub(super) many_fields: BTreeSet<String>,
    minor: u32,
    environments: OnceCell<Environments>,
}

/// The most selectable fields.
pub(super) const MAX_SELECTABLE_FIELDS: usize = 8;

impl Options {
    pub(super) fn for_create(minor: u32) -> Self {
        Self {
            recognized_review_version: true,
            immutable_names: false,
            schema: true,
            valid_types: true,
            structural: true,
            pruned_defaults: true,
            atomic_sets: true,
            list_keys: true,
            // Before it is established, a definition may have an invalid bundle.
            valid_ca_bundle: false,
            existing: ExistingExpressions::default(),
            unchanged: BTreeSet::new(),
            many_fields: BTreeSet::new(),
            minor,
            environments: OnceCell::new(),
        }
    }

    pub(super) fn for_update(
        spec: &InternalSpec<'_>,
        old: &Node<'_>,
        old_spec: &InternalSpec<'_>,
        minor: u32,
    ) -> Self {
        let view = crate::definition::CustomResourceDefinition::from_node(old);
        let has = |is_such: fn(&JsonSchemaProps) -> bool| {
            old_spec.schemas().any(|schema| schema.any(is_such))
        };
        let mut existing = ExistingExpressions::default();
        old_spec.schemas().for_each(|schema| existing.collect(schema));
        Self {
            recognized_review_version: webhook::has_recognized_version(old_spec),
            immutable_names: view.is_established(),
            schema: has_all_schemas(old_spec),
            valid_types: !has(|schema| {
                !schema.schema_type.is_empty() && SchemaType::parse(&schema.schema_type).is_none()
            }),
            structural: !old_spec.schemas().any(is_not_structural),
            pruned_defaults: !old_spec.schemas().any(has_unpruned_defaults),
            atomic_sets: !has(has_mutable_items),
            list_keys: !has(list_keys::is_invalid),
            valid_ca_bundle: view.is_established() && !webhook::has_invalid_bundle(old_spec),
            existing,
            unchanged: unchanged_versions(spec, old_spec),
            many_fields: many_fields(spec, old_spec),
            minor,
            environments: OnceCell::new(),
        }
    }

    /// The environments of rules, made when the first rule is met.
    pub(super) fn environments(&self) -> &Environments {
        self.environments.get_or_init(|| Environments::of_release(self.minor))
    }
}

fn has_all_schemas(spec: &InternalSpec<'_>) -> bool {
    let has = |validation: &Option<super::internal::Validation>| {
        validation.as_ref().is_some_and(|validation| validation.schema.is_some())
    };
    has(&spec.validation) || spec.versions.iter().all(|version| has(&version.validation))
}

fn is_not_structural(schema: &JsonSchemaProps) -> bool {
    structural_error(schema).is_some() || !validate_structural(&Path::NIL, schema).is_empty()
}

fn has_unpruned_defaults(schema: &JsonSchemaProps) -> bool {
    if !schema.any(|schema| schema.default.is_some()) || is_not_structural(schema) {
        return false;
    }
    pruning::has_unpruned(&Structural::compile(schema))
}

/// Whether the items of a set could change without the set noticing.
pub(super) fn has_mutable_items(schema: &JsonSchemaProps) -> bool {
    let Some(items) = schema.item_schema().filter(|_| schema.list_type.as_deref() == Some("set"))
    else {
        return false;
    };
    match items.schema_type.as_str() {
        "array" => items.list_type.as_deref().is_some_and(|list_type| list_type != "atomic"),
        "object" => items.map_type.as_deref() != Some("atomic"),
        _ => false,
    }
}

fn unchanged_versions(spec: &InternalSpec<'_>, old: &InternalSpec<'_>) -> BTreeSet<String> {
    let is_unchanged = |name: &str| match (spec.schema_of(name), old.schema_of(name)) {
        (Some(new), Some(old)) => new == old,
        _ => false,
    };
    let names = spec.versions.iter().map(|version| version.name);
    names.filter(|name| is_unchanged(name)).map(ToString::to_string).collect()
}

fn many_fields(spec: &InternalSpec<'_>, old: &InternalSpec<'_>) -> BTreeSet<String> {
    let mut many = BTreeSet::new();
    let is_many = |fields: &[String]| fields.len() > MAX_SELECTABLE_FIELDS;
    if is_many(&old.selectable_fields) && old.selectable_fields == spec.selectable_fields {
        many.insert(String::new());
    }
    for version in &spec.versions {
        let before = old.versions.iter().find(|old| old.name == version.name);
        if before.is_some_and(|old| {
            is_many(&old.selectable_fields) && old.selectable_fields == version.selectable_fields
        }) {
            many.insert(version.name.to_string());
        }
    }
    many
}
