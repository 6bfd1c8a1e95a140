//! `ObjectType`: one kind in one version, built in or defined at run time, as every step of the pipeline sees it.

use crate::field_owners::{CustomVersions, ReplicasField, path_names};
use crate::fields::{FieldReport, TypeMismatch};
use crate::type_meta::{self, TypeMetaError};
use crate::validate::validate;
use crate::{claim_source, dropped_fields, job_labels};
use alloc::boxed::Box;
use alloc::format;
use alloc::string::{String, ToString};
use alloc::sync::Arc;
use alloc::vec::Vec;
use core::fmt::Debug;
use ratchet_apply::{BuiltInKind, ConvertObject, Converter, ResetFields, api_version};
use ratchet_crd::definition::Conversion;
use ratchet_crd::{CustomResource, Strategy};
use ratchet_engine::{ApiConfig, Change, Facts, Part, Verdict};
use ratchet_object::defaults::Defaults;
use ratchet_object::schema::{self, KindRow, TypeRow};
use ratchet_object::{
    GroupVersionKind, Kind, Node, Object, Repeated, Span, TypeReport, Value, canonicalize,
    compare_with_type, complete, prune,
};

/// How objects of one kind in one version are decoded, completed and validated.
///
/// Whoever holds one need not know whether the kind is built in.
pub trait ObjectType: Debug + Send + Sync {
    /// The group, version and kind of its objects.
    fn gvk(&self) -> GroupVersionKind<'_>;

    /// The kind as the engine knows it; `None` if objects of the kind are not validated at all.
    fn kind(&self) -> Option<Kind<'_>>;

    /// The kind by which errors name an object.
    fn kind_of<'a>(&'a self, object: &'a Object<'_>) -> Option<Kind<'a>> {
        let _ = object;
        self.kind()
    }

    /// Checks `apiVersion` and `kind` of an object that was sent as one of this type, and completes them where the
    /// reference does. `false` if it is of another type, which nothing but validation will refuse.
    fn check_type_meta(&self, object: &mut Node<'_>) -> Result<bool, TypeMetaError>;

    /// Reports unknown, duplicate and mistyped fields, and prunes what the schema does not know.
    fn decode(&self, object: &mut Node<'_>, repeated: &[Repeated]) -> FieldReport;

    /// Drops from an object what the reference drops when it makes one of this type of an applied configuration: what
    /// the type does not have, and `null`.
    fn decode_applied(&self, object: &mut Node<'_>) {
        self.decode(object, &[]);
    }

    /// Whether the report of [`decode`](Self::decode) says where fields are; it has only their paths otherwise.
    fn reports_positions(&self) -> bool {
        true
    }

    /// Rewrites what a patch left of an object as the reference's patch writes it.
    fn normalize_patched(&self, object: &mut Node<'static>) {
        let _ = object;
    }

    /// Adds the defaults.
    fn apply_defaults(&self, object: &mut Node<'_>);

    /// Brings a stored object into the shape and version of this type; `false` if nothing here can convert it.
    fn decode_stored(&self, object: &mut Node<'_>) -> bool {
        self.apply_defaults(object);
        true
    }

    /// Adds the fields that the API always writes.
    fn complete(&self, object: &mut Node<'static>);

    /// Rewrites an object into its canonical form: spelling of values, fields that are always written.
    fn canonicalize(&self, object: &mut Node<'static>);

    /// What the schema prescribes for a new object beyond its strategy.
    fn prepare_for_create(&self, new: &mut Node<'_>) {
        let _ = new;
    }

    /// What the schema prescribes for an update beyond its strategy.
    fn prepare_for_update(&self, new: &mut Node<'_>, old: &Node<'_>, part: Part) {
        let _ = (new, old, part);
    }

    /// Validates a change of an object that has its defaults.
    fn validate(&self, change: &Change<'_>, facts: &Facts<'_>, config: &ApiConfig) -> Verdict;

    /// The type for strategic merge patches; `None` if the kind has no such patches.
    fn merge_type(&self) -> Option<&'static TypeRow>;

    /// The versions of the kind, as owners of fields know them. `convert` makes an object of another version of a
    /// built-in kind.
    fn converter<'a>(&'a self, convert: &'a ConvertObject<'a>) -> Box<dyn Converter + 'a>;

    /// The fields that an endpoint ignores; `api_version` is that of the kind.
    fn reset_fields<'a>(&self, subresource: &str, api_version: &'a str) -> Option<ResetFields<'a>>;

    /// Where objects have their replicas, version by version.
    fn replicas_fields(&self) -> Vec<ReplicasField>;
}

/// A built-in kind.
#[derive(Clone, Copy, Debug)]
pub struct BuiltInType {
    gvk: GroupVersionKind<'static>,
    kind: Option<Kind<'static>>,
    schema: Option<&'static KindRow>,
    defaults: Defaults,
    /// What the endpoint of the object itself ignores.
    reset_fields: Option<ResetFields<'static>>,
}

impl BuiltInType {
    /// The type of a built-in kind; `None` if there is no such kind.
    pub fn of(gvk: GroupVersionKind<'_>) -> Option<Self> {
        let row = schema::kind(gvk.group, gvk.version, gvk.kind)?;
        let KindRow { group, version, kind, .. } = *row;
        Some(Self::new(GroupVersionKind { group, version, kind }))
    }

    /// The type of a kind of the tables.
    pub fn new(gvk: GroupVersionKind<'static>) -> Self {
        let GroupVersionKind { group, version, kind } = gvk;
        let api_version = match group {
            "" => version.to_string(),
            group => format!("{group}/{version}"),
        };
        let schema = schema::kind(group, version, kind);
        Self::with_schema(gvk, ratchet_object::find(&api_version, kind), schema)
    }

    fn with_schema(
        gvk: GroupVersionKind<'static>,
        kind: Option<Kind<'static>>,
        schema: Option<&'static KindRow>,
    ) -> Self {
        let defaults = Defaults::of(gvk.group, gvk.version, gvk.kind);
        let reset_fields = schema.and_then(|row| ResetFields::of(gvk.group, row.plural, ""));
        Self { gvk, kind, schema, defaults, reset_fields }
    }

    /// The type of the kind that an object names; `None` if it is not built in.
    pub fn find(api_version: &str, kind: &str) -> Option<Self> {
        let (group, version) = api_version.rsplit_once('/').unwrap_or(("", api_version));
        let row = schema::kind(group, version, kind)?;
        let gvk = GroupVersionKind { group: row.group, version: row.version, kind: row.kind };
        Some(Self::with_schema(gvk, ratchet_object::find(api_version, kind), Some(row)))
    }
}

impl BuiltInType {
    /// What a kind prescribes for a write of the object itself.
    fn prepare(&self, new: &mut Node<'_>, old: Option<&Node<'_>>) {
        match (self.gvk.group, self.gvk.kind) {
            ("", "PersistentVolumeClaim") => claim_source::prepare(new, old),
            ("", "Node") => dropped_fields::from_node(new, old),
            ("discovery.k8s.io", "EndpointSlice") => dropped_fields::from_endpoint_slice(new, old),
            ("batch", "Job") if old.is_none() => job_labels::prepare(new),
            _ => {}
        }
    }
}

impl ObjectType for BuiltInType {
    fn gvk(&self) -> GroupVersionKind<'_> {
        self.gvk
    }

    fn kind(&self) -> Option<Kind<'_>> {
        self.kind
    }

    fn check_type_meta(&self, object: &mut Node<'_>) -> Result<bool, TypeMetaError> {
        type_meta::complete(object, self.gvk).map(|()| true)
    }

    fn decode(&self, object: &mut Node<'_>, repeated: &[Repeated]) -> FieldReport {
        let mut report = FieldReport::default();
        if let Some(row) = self.schema {
            let TypeReport { violations, is_pruned } = compare_with_type(object, row.ty);
            report.add_violations(violations);
            if !is_pruned {
                prune(object, row.ty);
            }
        }
        report.add_repeated(repeated);
        report.sort();
        report
    }

    fn apply_defaults(&self, object: &mut Node<'_>) {
        self.defaults.apply(object);
    }

    fn complete(&self, object: &mut Node<'static>) {
        if let Some(row) = self.schema {
            complete(object, row.ty);
        }
    }

    fn canonicalize(&self, object: &mut Node<'static>) {
        if let Some(row) = self.schema {
            canonicalize(object, row.ty);
        }
    }

    fn prepare_for_create(&self, new: &mut Node<'_>) {
        self.prepare(new, None);
    }

    fn prepare_for_update(&self, new: &mut Node<'_>, old: &Node<'_>, part: Part) {
        if part == Part::Main {
            self.prepare(new, Some(old));
        }
    }

    fn validate(&self, change: &Change<'_>, facts: &Facts<'_>, config: &ApiConfig) -> Verdict {
        validate(change, facts, config)
    }

    fn merge_type(&self) -> Option<&'static TypeRow> {
        self.schema.map(|row| schema::type_of(row.ty))
    }

    fn converter<'a>(&'a self, convert: &'a ConvertObject<'a>) -> Box<dyn Converter + 'a> {
        Box::new(BuiltInKind { group: self.gvk.group, kind: self.gvk.kind, convert })
    }

    fn reset_fields<'a>(&self, subresource: &str, _: &'a str) -> Option<ResetFields<'a>> {
        match subresource {
            "" => self.reset_fields,
            subresource => ResetFields::of(self.gvk.group, self.schema?.plural, subresource),
        }
    }

    fn replicas_fields(&self) -> Vec<ReplicasField> {
        Vec::from([(api_version(self.gvk), Some(path_names(".spec.replicas")))])
    }
}

/// A kind that a CustomResourceDefinition defines, in one of its versions.
#[derive(Clone, Debug)]
pub struct CustomType {
    resource: Arc<CustomResource>,
    strategy: Arc<Strategy>,
}

impl CustomType {
    /// The type of one version; `None` if the definition has no such version.
    pub fn new(resource: Arc<CustomResource>, version: &str) -> Option<Self> {
        let strategy = resource.strategy(version)?.clone();
        Some(Self { resource, strategy })
    }

    /// The name of the version, such as `v1beta1`.
    pub fn version(&self) -> &str {
        &self.strategy.version
    }

    /// What the definition says about objects of the version.
    pub fn strategy(&self) -> &Strategy {
        &self.strategy
    }

    /// The warning with which every request of a deprecated version is answered.
    pub fn deprecation(&self) -> Option<String> {
        let version = self.resource.definition.version(&self.strategy.version)?;
        self.resource.definition.deprecation_warning(version)
    }
}

impl ObjectType for CustomType {
    fn gvk(&self) -> GroupVersionKind<'_> {
        let Strategy { group, version, kind, .. } = &*self.strategy;
        GroupVersionKind { group, version, kind }
    }

    fn kind(&self) -> Option<Kind<'_>> {
        Some(self.strategy.kind_row())
    }

    /// An object without a Go type is called what it says it is, even if that is wrong.
    fn kind_of<'a>(&'a self, object: &'a Object<'_>) -> Option<Kind<'a>> {
        Some(Kind { name: object.kind_name(), ..self.strategy.kind_row() })
    }

    fn check_type_meta(&self, object: &mut Node<'_>) -> Result<bool, TypeMetaError> {
        type_meta::is_stated(object, self.gvk())
    }

    fn decode(&self, object: &mut Node<'_>, repeated: &[Repeated]) -> FieldReport {
        let mut report = FieldReport::default();
        // The reference reports duplicate fields first, and unknown ones in the order of their paths.
        report.add_repeated(repeated);
        match self.strategy.decode(object) {
            Ok(unknown) => {
                unknown.into_iter().for_each(|path| report.add_unknown(path, Span::default()));
            }
            Err(error) => {
                let message = error.to_string();
                let path = match error.field.as_str() {
                    "" => "metadata".to_string(),
                    field => field.to_string(),
                };
                report.mismatches.push(TypeMismatch { message, path, span: Span::default() });
            }
        }
        report
    }

    /// An object without a Go type is not decoded again: null stays, and is refused where it may not be.
    fn decode_applied(&self, object: &mut Node<'_>) {
        if let Some(Node { value: Value::Map(members), .. }) = object.get_mut("metadata") {
            members.retain(|member| !member.node.is_null());
        }
    }

    fn reports_positions(&self) -> bool {
        false
    }

    fn apply_defaults(&self, object: &mut Node<'_>) {
        self.strategy.apply_defaults(object);
    }

    fn decode_stored(&self, object: &mut Node<'_>) -> bool {
        let stored = object.text_at(&["apiVersion"]).to_string();
        let is_by_webhook = matches!(self.resource.definition.conversion, Conversion::Webhook(_));
        let needs_webhook = is_by_webhook && stored != self.strategy.api_version();
        !needs_webhook && self.resource.from_storage(object, &self.strategy.version).is_ok()
    }

    fn complete(&self, _: &mut Node<'static>) {}

    fn canonicalize(&self, _: &mut Node<'static>) {}

    fn prepare_for_create(&self, new: &mut Node<'_>) {
        self.strategy.prepare_for_create(new);
    }

    fn prepare_for_update(&self, new: &mut Node<'_>, old: &Node<'_>, part: Part) {
        match part {
            Part::Sub("status") => self.strategy.prepare_for_status_update(new, old),
            Part::Main | Part::Sub(_) => self.strategy.prepare_for_update(new, old),
        }
    }

    fn validate(&self, change: &Change<'_>, facts: &Facts<'_>, config: &ApiConfig) -> Verdict {
        let mut verdict = validate(change, facts, config);
        let (strategy, new) = (&self.strategy, change.new_object().node());
        match (change.old_object(), change.part) {
            (None, _) => strategy.validate(new, &mut verdict),
            (Some(old), Part::Sub("status")) => {
                strategy.validate_status_update(new, old.node(), &mut verdict);
            }
            (Some(old), _) => strategy.validate_update(new, old.node(), &mut verdict),
        }
        verdict
    }

    fn merge_type(&self) -> Option<&'static TypeRow> {
        None
    }

    fn converter<'a>(&'a self, _: &'a ConvertObject<'a>) -> Box<dyn Converter + 'a> {
        Box::new(CustomVersions(&self.resource))
    }

    fn reset_fields<'a>(&self, subresource: &str, api_version: &'a str) -> Option<ResetFields<'a>> {
        match subresource {
            "" if self.strategy.has_status => Some(ResetFields::custom_resource(api_version)),
            "status" => Some(ResetFields::custom_resource_status()),
            _ => None,
        }
    }

    fn replicas_fields(&self) -> Vec<ReplicasField> {
        let field = |strategy: &Arc<Strategy>| {
            let scale = strategy.scale.as_ref();
            (strategy.api_version(), scale.map(|scale| path_names(&scale.spec_replicas_path)))
        };
        self.resource.strategies().iter().map(field).collect()
    }
}
