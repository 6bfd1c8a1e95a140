//! Registry: group, version and plural of a path enter; the served resource leaves, with its kind, strategy and watch
//! cache.
//!
//! What strategies do on create and update is here too.

mod app_armor;
mod claim_status;
pub(crate) mod clock;
mod columns;
pub(crate) mod custom;
mod device_taints;
mod fields;
mod kinds;
mod locations;
pub(crate) mod metadata;
mod object_form;
pub(crate) mod own_webhook;
pub(crate) mod partial;
mod patched;
mod prepare;
mod resources;
mod row;
mod scale;
pub(crate) mod services;
mod signing_request;
mod strategies;
mod strategy;

pub(crate) use columns::{ColumnDefinition, printer_columns};
pub(crate) use kinds::local_api_service_condition;
pub use locations::key_prefixes;
pub(crate) use object_form::Routes;
pub(crate) use resources::Resources;
pub(crate) use row::CustomRow;
pub(crate) use strategies::{custom_strategy, strategy};
pub(crate) use strategy::{CreateContext, Deletion, Dependents, Strategy};

use self::custom::Defined;
use self::object_form::{ListForm, ObjectForm, ServedMediaTypes, TYPED, UNSTRUCTURED};
use self::row::{Row, storage_name};
use crate::status::About;
use crate::storage::cache::{Cache, Item, ROOT, ResourceCache};
use crate::storage::convert;
use arc_swap::ArcSwap;
use ratchet_catalog::{Resource, Servable};
use ratchet_engine::ApiConfig;
use ratchet_object::{GroupVersionKind, Kind, Node};
use ratchet_pipeline::{BuiltInType, ObjectType};
use std::sync::Arc;

/// One resource in one API version.
pub struct ServedResource {
    row: Row,
    object_type: Arc<dyn ObjectType>,
    form: &'static ObjectForm,
    strategy: &'static Strategy,
    /// The watch cache of its objects; always empty for reviews.
    pub cache: Arc<ResourceCache>,
    /// The name in storage keys: `pods`, `deployments.apps`.
    storage: String,
    /// The warning with which every request is answered, if the kind or version is deprecated.
    deprecation: Option<String>,
    /// What it has only if it is defined at run time.
    defined: Option<Defined>,
}

impl ServedResource {
    /// A resource of the catalog.
    fn built_in(row: &'static Resource<'static>, cache: &Cache, config: &ApiConfig) -> Self {
        let stored = storage(row);
        let storage = storage_name(stored.group, stored.plural);
        Self {
            row: Row::BuiltIn { row, stored },
            object_type: Arc::new(BuiltInType::new(row.gvk())),
            form: &TYPED,
            strategy: strategy(stored.group, stored.kind),
            cache: cache.resource_cache(&storage),
            storage,
            deprecation: ratchet_engine::deprecation(row.gvk(), config),
            defined: None,
        }
    }

    /// A resource that is defined at run time, in one version.
    fn custom(
        row: CustomRow,
        deprecation: Option<String>,
        defined: Defined,
        cache: &Cache,
    ) -> Self {
        let storage = storage_name(&row.group, &row.plural);
        Self {
            object_type: defined.object_type(),
            form: &UNSTRUCTURED,
            strategy: custom_strategy(),
            cache: cache.resource_cache(&storage),
            row: Row::Custom(Box::new(row)),
            storage,
            deprecation,
            defined: Some(defined),
        }
    }

    /// The catalog row.
    pub fn row(&self) -> Resource<'_> {
        self.row.resource()
    }

    /// The definition, if it is defined at run time. Only the registry and those who look after definitions ask:
    /// requests ask what they want to know.
    pub(crate) fn defined(&self) -> Option<&Defined> {
        self.defined.as_ref()
    }

    /// The kind of its lists.
    pub fn list_kind(&self) -> String {
        self.row.list_kind()
    }

    /// The group, version and kind in which its objects are stored.
    pub fn stored(&self) -> GroupVersionKind<'_> {
        self.row.stored()
    }

    /// How its objects are decoded, completed and validated.
    pub fn object_type(&self) -> &Arc<dyn ObjectType> {
        &self.object_type
    }

    /// The engine's kind; none for resources without storage.
    pub fn kind(&self) -> Option<Kind<'_>> {
        self.object_type.kind()
    }

    /// What its kind does on create, update and delete.
    pub fn strategy(&self) -> &'static Strategy {
        self.strategy
    }

    /// The `apiVersion` of its objects.
    pub fn api_version(&self) -> String {
        let row = self.row();
        ratchet_catalog::discovery::group_version(row.group, row.version)
    }

    /// The key of an object in the store.
    pub fn key(&self, namespace: &str, name: &str) -> Arc<str> {
        match self.row().namespaced {
            true => [ROOT, &self.storage, "/", namespace, "/", name].concat().into(),
            false => [ROOT, &self.storage, "/", name].concat().into(),
        }
    }

    /// The key of an object in the watch cache.
    pub fn cache_key(&self, namespace: &str, name: &str) -> String {
        if self.row().namespaced { [namespace, "/", name].concat() } else { name.to_owned() }
    }

    /// The prefix of the store keys of a collection.
    pub fn prefix(&self, namespace: &str) -> String {
        match namespace {
            "" => format!("{ROOT}{}/", self.storage),
            namespace => format!("{ROOT}{}/{namespace}/", self.storage),
        }
    }

    /// Names one of its objects in a `StatusError`.
    pub fn about<'a>(&'a self, name: &'a str) -> About<'a> {
        let row = self.row();
        About { group: row.group, resource: row.plural, name }
    }

    /// Rewrites an object into the canonical form of this version: spelling of values, fields that are always written.
    pub fn canonicalize(&self, node: &mut Node<'static>) {
        self.object_type.canonicalize(node);
    }

    /// Adds the fields that the API always writes, so that the object can be compared with a stored one.
    pub fn complete(&self, node: &mut Node<'static>) {
        self.object_type.complete(node);
    }

    /// The media types in which its objects are sent and received.
    pub(crate) fn media_types(&self) -> &'static ServedMediaTypes {
        &self.form.media_types
    }

    /// What lists of its objects look like.
    pub(crate) fn list_form(&self) -> &'static ListForm {
        &self.form.list_form
    }

    /// How paths and methods lead to operations.
    pub(crate) fn routes(&self) -> Routes {
        self.form.routes
    }

    /// Whether its objects have a Go type of their own in the reference; the others are maps there.
    pub(crate) fn has_go_type(&self) -> bool {
        self.form.go_types.is_none()
    }

    /// The Go type by which messages name an object or a list; `None` if its kind has one of its own.
    pub(crate) fn go_type(&self, is_list: bool) -> Option<&'static str> {
        let [object, list] = self.form.go_types?;
        Some(if is_list { list } else { object })
    }

    /// Whether an object that equals the served one equals the stored one, too.
    pub(crate) fn stores_what_it_serves(&self) -> bool {
        self.form.stores_what_it_serves
    }

    /// Whether an object that a policy patched in another version is brought back to that of its request.
    pub(crate) fn converts_patched(&self) -> bool {
        self.form.converts_patched
    }

    /// Adds the defaults of this version.
    pub fn apply_defaults(&self, node: &mut Node<'_>) {
        self.object_type.apply_defaults(node);
    }

    /// Converts an object of this version to the storage version.
    pub fn to_stored(&self, node: &mut Node<'static>) {
        convert::to_stored(node, &self.api_version(), self.row().kind);
    }

    /// Converts a stored object to this version.
    pub fn convert_stored(&self, node: &mut Node<'static>) {
        convert::from_stored(node, &self.api_version(), self.row().kind);
    }

    /// A stored object in this version, with `apiVersion` and `kind`; a custom object as it is served.
    pub fn read(&self, item: &Item) -> Node<'static> {
        let mut node = item.node();
        self.convert_stored(&mut node);
        node.set("apiVersion", Node::string(self.api_version()));
        node.set("kind", Node::string(self.row().kind.to_owned()));
        node
    }

    /// The etcd key under which kube-apiserver stores an object, which some error messages contain.
    pub fn etcd_key(&self, namespace: &str, name: &str) -> String {
        format!("{ROOT}{}/{}", self.row.etcd_prefix(), self.cache_key(namespace, name))
    }

    /// Whether its objects are stored in another version than this one. Custom objects are converted before they leave a
    /// verb.
    pub fn is_converted(&self) -> bool {
        let (row, stored) = (self.row(), self.stored());
        self.defined.is_none() && (row.group, row.version) != (stored.group, stored.version)
    }

    /// Whether objects are stored in this version, and without being brought into another shape.
    pub(crate) fn is_stored_as_served(&self) -> bool {
        self.defined.is_none() && !self.is_converted()
    }

    /// The warning with which every request is answered, if the kind or version is deprecated.
    pub(crate) fn deprecation(&self) -> Option<&str> {
        self.deprecation.as_deref()
    }

    /// Whether its objects can be decoded at once: a schema is compiled when it is first needed.
    pub(crate) fn is_compiled(&self) -> bool {
        self.defined().is_none_or(|defined| defined.definition.is_compiled())
    }

    /// Compiles the schema of its objects, which may take a while.
    pub(crate) fn compile(&self) {
        if let Some(defined) = self.defined() {
            defined.definition.compiled();
        }
    }

    /// Whether two resources serve the same stored objects.
    pub fn shares_storage(&self, other: &Self) -> bool {
        self.storage == other.storage
    }
}

/// The row of the storage version; two resources may share their stored objects.
fn storage(row: &'static Resource<'static>) -> &'static Resource<'static> {
    let storage = row.storage.unwrap_or(row.gvk());
    let is_stored =
        |other: &&Resource<'_>| (other.group, other.kind) == (storage.group, storage.kind);
    let prereleases = ratchet_catalog::PRERELEASES.iter().map(|row| &row.resource);
    // Discovery names the storage version first, or one with the same fields.
    ratchet_catalog::RESOURCES.iter().chain(prereleases).find(is_stored).unwrap_or(row)
}

/// All served resources. Those of the catalog are there from the start; those of definitions come and go.
pub struct Registry {
    now: ArcSwap<Resources>,
}

impl Registry {
    /// Builds the registry of the emulated release with its feature gates; `switched` is `--runtime-config`.
    pub fn new(cache: &Cache, config: &ApiConfig, switched: &[(String, bool)]) -> Self {
        let wanted = |servable: &Servable| is_served(servable, config, switched);
        let rows = ratchet_catalog::servable().into_iter().filter(wanted);
        let built_in: Vec<_> =
            rows.map(|row| Arc::new(ServedResource::built_in(row.row, cache, config))).collect();
        Self { now: ArcSwap::from_pointee(Resources::built_in(built_in)) }
    }

    /// Replaces resources that are defined at run time by others. One task does that.
    pub(crate) fn replace_custom(
        &self,
        removed: &[Arc<ServedResource>],
        added: &[Arc<ServedResource>],
    ) {
        let next = self.now.load().replacing(removed, added);
        self.now.store(Arc::new(next));
    }

    /// The resources that are served now.
    pub fn now(&self) -> Arc<Resources> {
        self.now.load_full()
    }

    /// Finds a resource by group, version and plural.
    pub fn find(&self, group: &str, version: &str, plural: &str) -> Option<Arc<ServedResource>> {
        let now = self.now.load();
        let mut versions = now.versions(group, plural).iter();
        versions.find(|resource| resource.row().version == version).cloned()
    }

    /// Finds a resource by group and plural, in the first version that discovery names.
    pub fn find_in_group(&self, group: &str, plural: &str) -> Option<Arc<ServedResource>> {
        self.now.load().versions(group, plural).first().cloned()
    }

    /// Finds a resource of the core group.
    pub fn core(&self, plural: &str) -> Option<Arc<ServedResource>> {
        self.find("", "v1", plural)
    }

    /// Whether the group has built-in resources.
    pub fn has_built_in_group(&self, group: &str) -> bool {
        self.now.load().of_catalog().iter().any(|resource| resource.row().group == group)
    }
}

/// Whether a resource is served: the emulated release has it, its gate is on, and it is served by default or asked for.
fn is_served(servable: &Servable, config: &ApiConfig, switched: &[(String, bool)]) -> bool {
    let row = servable.row;
    match servable.prerelease {
        // `resource.k8s.io/v1` came with 1.34.
        None => {
            (row.group != "resource.k8s.io" || config.emulated.since(34))
                && switch(row, switched) != Some(false)
        }
        Some(prerelease) => {
            config.emulated.since(prerelease.since)
                && prerelease.gate.is_none_or(|gate| config.gates.is_on(gate))
                && switch(row, switched) == Some(true)
        }
    }
}

/// What `--runtime-config` says about a row, if anything; the most specific entry decides.
fn switch(row: &Resource<'_>, switched: &[(String, bool)]) -> Option<bool> {
    let version = match row.group {
        "" => row.version.to_owned(),
        group => format!("{group}/{}", row.version),
    };
    let resource = format!("{version}/{}", row.plural);
    let class = match row.version {
        version if version.contains("alpha") => "api/alpha",
        version if version.contains("beta") => "api/beta",
        _ => "api/ga",
    };
    // `api/all` does not disable the core API.
    let names = match row.group {
        "" => vec![resource],
        _ => vec![resource, version, class.to_owned(), "api/all".to_owned()],
    };
    let setting =
        |name: &String| switched.iter().rev().find(|(key, _)| key == name).map(|(_, on)| *on);
    names.iter().find_map(setting)
}

#[cfg(test)]
mod tests {
    use super::*;
    use ratchet_engine::{Behavior, Release};

    fn served(
        flags: &[(&str, bool)],
        gates: &str,
        group: &str,
        version: &str,
        plural: &str,
    ) -> bool {
        let flags: Vec<(String, bool)> =
            flags.iter().map(|(name, on)| ((*name).to_owned(), *on)).collect();
        let mut config = ApiConfig::of(Release::REFERENCE, Behavior::Released);
        config.gates.apply(&[gates]).unwrap();
        let all = ratchet_catalog::servable();
        let is_it = |one: &&Servable| {
            (one.row.group, one.row.version, one.row.plural) == (group, version, plural)
        };
        is_served(all.iter().find(is_it).unwrap(), &config, &flags)
    }

    #[test]
    fn apis_are_turned_off_as_the_flag_says() {
        let deployments = |flags: &[(&str, bool)]| served(flags, "", "apps", "v1", "deployments");
        assert!(deployments(&[]));
        assert!(!deployments(&[("apps/v1", false)]));
        assert!(!deployments(&[("api/all", false)]));
        assert!(!deployments(&[("api/ga", false)]));
        assert!(deployments(&[("api/beta", false)]));
        assert!(deployments(&[("api/all", false), ("apps/v1", true)]));
        assert!(!deployments(&[("apps/v1/deployments", false)]));
        assert!(served(&[("api/all", false)], "", "", "v1", "pods"));
    }

    #[test]
    fn alpha_and_beta_are_served_if_they_are_asked_for() {
        let claims = |flags: &[(&str, bool)]| {
            served(flags, "", "resource.k8s.io", "v1beta1", "resourceclaims")
        };
        assert!(!claims(&[]));
        assert!(claims(&[("api/beta", true)]));
        assert!(claims(&[("api/all", true)]));
        assert!(!claims(&[("api/all", true), ("api/beta", false)]));
        assert!(!claims(&[("api/alpha", true)]));
        assert!(claims(&[("resource.k8s.io/v1beta1", true)]));
        assert!(claims(&[("resource.k8s.io/v1beta1/resourceclaims", true)]));
        assert!(!claims(&[("resource.k8s.io/v1beta1/deviceclasses", true)]));
        let rules = |version| {
            let flags = &[("api/alpha", true)];
            served(flags, "", "resource.k8s.io", version, "devicetaintrules")
        };
        assert!(rules("v1alpha3") && !rules("v1beta2"));
    }

    #[test]
    fn some_need_their_gates_as_well() {
        let bundles = |flags: &[(&str, bool)], gates: &str| {
            served(flags, gates, "certificates.k8s.io", "v1beta1", "clustertrustbundles")
        };
        let requested: &[(&str, bool)] = &[("certificates.k8s.io/v1beta1", true)];
        assert!(!bundles(requested, "") && !bundles(&[], "ClusterTrustBundle=true"));
        assert!(bundles(requested, "ClusterTrustBundle=true"));
    }

    #[test]
    fn every_gate_of_an_api_decides() {
        let gates = ratchet_catalog::PRERELEASES.iter().filter_map(|row| row.gate);
        for gate in gates {
            assert!(ratchet_engine::gates::DECIDING.contains(&gate), "{gate}");
        }
    }
}
