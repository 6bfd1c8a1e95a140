//! `Strategy`: what requests of one version do with objects.

use super::columns::Columns;
use super::finalizers;
use crate::definition::{CustomResourceDefinition, DefinitionVersion, Scale, Scope};
use crate::errors::{ErrorList, quoted};
use crate::json_path::JsonPath;
use crate::path::Path;
use crate::rules::{Environments, Evaluation, RuleTree};
use crate::schema::JsonSchemaProps;
use crate::structural::{CoerceError, Coerced, Structural, prune_nulls};
use crate::value::{self, Correlation, Origin, deep_equal};
use alloc::string::{String, ToString};
use alloc::sync::Arc;
use alloc::vec::Vec;
use ratchet_engine::{Cause, Verdict};
use ratchet_object::{Kind, Node};

/// How objects of one version are decoded, completed and validated (`customResourceStrategy`).
#[derive(Debug)]
pub struct Strategy {
    /// `spec.group` of the definition.
    pub group: String,
    /// The name of the version.
    pub version: String,
    /// `spec.names.kind` of the definition.
    pub kind: String,
    /// The name of the resource.
    pub plural: String,
    /// Whether objects belong to namespaces.
    pub namespaced: bool,
    /// Whether the status is a subresource.
    pub has_status: bool,
    /// The paths of the scale, if it is a subresource.
    pub scale: Option<Scale>,
    pub(super) preserve_unknown_fields: bool,
    pub(super) schema: Option<Structural>,
    pub(super) rules: Option<RuleTree>,
    pub(super) columns: Columns,
    /// Names and paths.
    selectable_fields: Vec<(String, Option<JsonPath>)>,
}

impl Strategy {
    pub(super) fn compile(
        definition: &CustomResourceDefinition,
        version: &DefinitionVersion,
        node: &Node<'_>,
        environments: &Environments,
    ) -> Self {
        let schema = node.find(&["schema", "openAPIV3Schema"]).filter(|schema| !schema.is_null());
        let props = schema.map(JsonSchemaProps::decode);
        let structural = props.as_ref().map(Structural::compile);
        let rules = props.as_ref().zip(structural.as_ref()).and_then(|(props, structural)| {
            if !props.any(|schema| !schema.validations.is_empty()) {
                return None;
            }
            let decl = Arc::new(structural.declare(true));
            RuleTree::compile(props, structural, &decl, environments)
        });
        Self {
            group: definition.group.clone(),
            version: version.name.clone(),
            kind: definition.names.kind.clone(),
            plural: definition.names.plural.clone(),
            namespaced: definition.scope == Scope::Namespaced,
            has_status: version.has_status,
            scale: version.scale.clone(),
            preserve_unknown_fields: definition.preserve_unknown_fields,
            schema: structural,
            rules,
            columns: Columns::compile(&version.columns),
            selectable_fields: version
                .selectable_fields
                .iter()
                .map(|path| {
                    let name = path.strip_prefix('.').unwrap_or(path).to_string();
                    (name, JsonPath::parse(path))
                })
                .collect(),
        }
    }

    /// The schema of objects, for server-side apply and the like.
    pub fn schema(&self) -> Option<&Structural> {
        self.schema.as_ref()
    }

    /// The kind of an object, as the engine takes it for its metadata and for errors: what the object says itself, even
    /// if it is wrong. It has no versions and subresources.
    pub fn kind<'k>(&'k self, object: &'k Node<'_>) -> Kind<'k> {
        Kind { name: object.text_at(&["kind"]), ..self.kind_row() }
    }

    /// The kind as the engine takes it. It has no versions and subresources.
    pub fn kind_row(&self) -> Kind<'_> {
        Kind {
            group: &self.group,
            versions: &[],
            name: &self.kind,
            plural: &self.plural,
            scope: match self.namespaced {
                true => ratchet_object::Scope::Namespaced,
                false => ratchet_object::Scope::Cluster,
            },
            pod: None,
            subresources: &[],
        }
    }

    /// The `apiVersion` of objects.
    pub fn api_version(&self) -> String {
        alloc::format!("{}/{}", self.group, self.version)
    }

    /// Brings a decoded object into shape: metadata is checked and pruned, unspecified fields are pruned, and `null`
    /// where it may not be. Returns the paths of unknown fields, as field validation reports them.
    pub fn decode(&self, object: &mut Node<'_>) -> Result<Vec<String>, CoerceError> {
        self.coerce(object, false)
    }

    /// The same for an object that comes from the storage: what is wrong in its metadata is dropped.
    pub(super) fn decode_stored(&self, object: &mut Node<'_>) -> Result<(), CoerceError> {
        self.coerce(object, true)?;
        if object.metadata().generation().unwrap_or_default() == 0
            && object.get("metadata").is_some()
        {
            object.map_mut("metadata").set("generation", Node::int(1));
        }
        Ok(())
    }

    fn coerce(
        &self,
        object: &mut Node<'_>,
        drop_invalid: bool,
    ) -> Result<Vec<String>, CoerceError> {
        let mut coerced = Coerced { drop_invalid, ..Coerced::default() };
        if let Some(metadata) = object.get_mut("metadata") {
            coerced.object_meta(metadata, &Path::root("metadata"))?;
        }
        let mut unknown = core::mem::take(&mut coerced.unknown);
        let nothing = Structural::default();
        let schema = self.schema.as_ref().unwrap_or(&nothing);
        if !self.preserve_unknown_fields {
            unknown.extend(schema.prune(object));
            prune_nulls(object, self.schema.as_ref());
        }
        schema.coerce(object, &Path::NIL, false, &mut coerced)?;
        coerced.unknown.sort_unstable();
        unknown.extend(coerced.unknown);
        Ok(unknown)
    }

    /// Adds the defaults of the schema.
    pub fn apply_defaults(&self, object: &mut Node<'_>) {
        if let Some(schema) = &self.schema {
            schema.apply_defaults(object);
        }
    }

    /// Prepares a new object: the status is not the client's, and the generation is 1.
    pub fn prepare_for_create(&self, object: &mut Node<'_>) {
        if self.has_status {
            object.remove("status");
        }
        object.map_mut("metadata").set("generation", Node::int(1));
    }

    /// Prepares an update: the status stays, and the generation follows everything but metadata.
    pub fn prepare_for_update(&self, new: &mut Node<'_>, old: &Node<'_>) {
        if self.has_status {
            match old.get("status") {
                Some(status) => new.set("status", status.clone().into_owned()),
                None => {
                    new.remove("status");
                }
            }
        }
        let generation = old.metadata().generation().unwrap_or_default();
        let changed = i64::from(!equal_but_for_metadata(new, old));
        new.map_mut("metadata").set("generation", Node::int(generation.saturating_add(changed)));
    }

    /// Checks that an object is of this kind and version. Otherwise nothing else is reported about it.
    fn validate_type(&self, object: &Node<'_>, verdict: &mut Verdict) -> bool {
        let mut errors = ErrorList::default();
        let kind = object.text_at(&["kind"]);
        if kind != self.kind {
            let detail = alloc::format!("must be {}", self.kind);
            errors.invalid(&Path::root("kind"), object.span, quoted(kind), detail);
        }
        let (api_version, expected) = (object.text_at(&["apiVersion"]), self.api_version());
        if api_version != expected {
            let detail = alloc::format!("must be {expected}");
            errors.invalid(&Path::root("apiVersion"), object.span, quoted(api_version), detail);
        }
        let is_right = errors.is_empty();
        if !is_right {
            verdict.errors.clear();
        }
        errors.report(verdict);
        is_right
    }

    /// Validates a new object. The verdict has the errors of its metadata already, which come first.
    pub fn validate(&self, new: &Node<'_>, verdict: &mut Verdict) {
        let mut errors = ErrorList::default();
        if self.validate_type(new, verdict) {
            self.validate_schema(new, None, &mut errors);
            self.validate_scale_spec(new, &mut errors);
            self.validate_scale_status(new, &mut errors);
        }
        if let Some(schema) = &self.schema {
            schema.validate_embedded(new, &Path::NIL, false, &mut errors);
            schema.validate_lists(new, &Path::NIL, &mut errors);
        }
        self.finish(new, None, errors, verdict);
        finalizers::warn(new, None, verdict);
    }

    /// Validates an update. The verdict has the errors of its metadata already, which come first.
    pub fn validate_update(&self, new: &Node<'_>, old: &Node<'_>, verdict: &mut Verdict) {
        let mut errors = ErrorList::default();
        if self.validate_type(new, verdict) {
            self.validate_schema(new, Some(old), &mut errors);
            self.validate_scale_spec(new, &mut errors);
            self.validate_scale_status(new, &mut errors);
        }
        if let Some(schema) = &self.schema {
            schema.validate_embedded(new, &Path::NIL, false, &mut errors);
            errors.append(self.changed_lists(schema, new, old));
        }
        self.finish(new, Some(old), errors, verdict);
        finalizers::warn(new, Some(old), verdict);
    }

    /// Validates an update of the status alone.
    pub fn validate_status_update(&self, new: &Node<'_>, old: &Node<'_>, verdict: &mut Verdict) {
        let mut errors = ErrorList::default();
        if self.validate_type(new, verdict) {
            self.validate_status(new, old, &mut errors);
            self.validate_scale_status(new, &mut errors);
        }
        if let Some(schema) = &self.schema {
            errors.append(self.changed_lists(schema, new, old));
        }
        self.finish(new, Some(old), errors, verdict);
    }

    fn validate_schema(&self, new: &Node<'_>, old: Option<&Node<'_>>, errors: &mut ErrorList) {
        let Some(schema) = &self.schema else { return };
        let correlation = old.map(|old| Correlation { new, old, schema });
        value::validate(schema, new, &Path::NIL, Origin::Request, correlation, errors);
    }

    fn validate_status(&self, new: &Node<'_>, old: &Node<'_>, errors: &mut ErrorList) {
        let schema = self.schema.as_ref().and_then(|schema| schema.property("status"));
        let (Some(schema), Some(status)) = (schema, new.get("status")) else { return };
        let correlation = old.get("status").map(|old| Correlation { new: status, old, schema });
        let path = Path::root("status");
        value::validate(schema, status, &path, Origin::Request, correlation, errors);
    }

    /// The errors of sets and keyed lists, unless the old object had any.
    fn changed_lists(&self, schema: &Structural, new: &Node<'_>, old: &Node<'_>) -> ErrorList {
        let mut errors = ErrorList::default();
        schema.validate_lists(new, &Path::NIL, &mut errors);
        if !errors.is_empty() {
            let mut before = ErrorList::default();
            schema.validate_lists(old, &Path::NIL, &mut before);
            if !before.is_empty() {
                return ErrorList::default();
            }
        }
        errors
    }

    /// Reports errors, and evaluates rules if nothing makes that pointless.
    fn finish(
        &self,
        new: &Node<'_>,
        old: Option<&Node<'_>>,
        errors: ErrorList,
        verdict: &mut Verdict,
    ) {
        errors.report(verdict);
        let (Some(schema), Some(rules)) = (&self.schema, &self.rules) else { return };
        if verdict.errors.iter().any(|error| is_blocking(error.cause)) {
            let mut errors = ErrorList::default();
            errors.invalid(&Path::NIL, new.span, "null", "some validation rules were not checked because the object was invalid; correct the existing errors to complete validation");
            return errors.report(verdict);
        }
        let correlation = old.map(|old| Correlation { new, old, schema });
        let mut evaluation = Evaluation::default();
        evaluation.run(rules, schema, new, old, correlation, &Path::NIL);
        evaluation.errors.report(verdict);
        evaluation.warnings.into_iter().for_each(|warning| verdict.warn(warning));
    }

    /// The fields by which objects can be selected besides their names, with their values as text.
    pub fn selectable_fields<'s>(
        &'s self,
        object: &Node<'_>,
    ) -> impl Iterator<Item = (&'s str, String)> {
        self.selectable_fields.iter().map(|(name, path)| {
            let found = path.as_ref().and_then(|path| path.first(object));
            let text = found.map(|found| super::columns::plain_text(found.node()));
            (name.as_str(), text.unwrap_or_default())
        })
    }

    /// Whether objects can be selected by a field (`metadata.name` and `metadata.namespace` aside).
    pub fn is_selectable(&self, name: &str) -> bool {
        self.selectable_fields.iter().any(|(field, _)| field == name)
    }
}

/// Errors after which rules would only say what is known already.
fn is_blocking(cause: Cause) -> bool {
    matches!(
        cause,
        Cause::NotSupported
            | Cause::Required
            | Cause::TooLong
            | Cause::TooMany
            | Cause::TypeInvalid
    )
}

/// Whether two objects are equal in everything but metadata.
fn equal_but_for_metadata(new: &Node<'_>, old: &Node<'_>) -> bool {
    let others =
        |node: &Node<'_>| node.entries().iter().filter(|entry| entry.key != "metadata").count();
    let members = new.entries().iter().filter(|entry| entry.key != "metadata");
    let mut members = members.map(|entry| (&entry.key, &entry.node));
    others(new) == others(old)
        && members.all(|(key, node)| old.get(key).is_some_and(|old| deep_equal(node, old)))
}
