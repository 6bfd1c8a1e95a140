//! Resources that are defined at run time: a stored definition enters; the resources that it defines leave, one for each
//! served version.

mod converter;
mod definition;
mod object_type;
mod serve;
mod webhook;

pub(crate) use definition::{Definition, SharedEnvironments};
pub(crate) use webhook::ConversionClient;

use self::object_type::DefinedType;
use super::{CustomRow, ServedResource};
use crate::storage::cache::Cache;
use ratchet_crd::Strategy;
use ratchet_crd::definition::{DefinitionVersion, Scope};
use ratchet_pipeline::ObjectType;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use tokio::sync::watch;

/// What a resource has that is defined at run time.
pub(crate) struct Defined {
    /// The definition that serves it, with all its versions.
    pub(crate) definition: Arc<Definition>,
    object_type: Arc<DefinedType>,
    /// A number that no other type of objects has: items remember whether they look like this type.
    serial: u64,
    /// Whether another resource, or none, is served in its place.
    replaced: watch::Sender<bool>,
    /// Whether discovery names it, though no request finds it: its group is built in.
    pub(crate) is_only_listed: bool,
}

impl Defined {
    /// How its objects are decoded and validated.
    pub(super) fn object_type(&self) -> Arc<dyn ObjectType> {
        self.object_type.clone()
    }

    /// The number of the type of its objects, which no other type has.
    pub(super) fn serial(&self) -> u64 {
        self.serial
    }

    /// What the definition says about objects of the version.
    pub(super) fn strategy(&self) -> &Strategy {
        self.object_type.strategy()
    }

    /// Says that it is not served any more: its definition changed or went.
    pub(crate) fn set_replaced(&self) {
        self.replaced.send_replace(true);
    }

    /// Waits until it is not served any more. Each resource tells its own watchers: there may be thousands of others.
    pub(crate) async fn replaced(&self) {
        // The sender lives as long as the resource.
        let _ = self.replaced.subscribe().wait_for(|replaced| *replaced).await;
    }
}

/// The resources of a definition, one for each served version; none for a version that is built in.
pub(crate) fn resources_of(
    definition: &Arc<Definition>,
    cache: &Cache,
) -> Vec<Arc<ServedResource>> {
    if !definition.view.is_established() || definition.overlaps_built_in() {
        return Vec::new();
    }
    let served = definition.view.versions.iter();
    let served =
        served.filter(|version| version.served && !definition.has_built_in_version(&version.name));
    served.map(|version| Arc::new(resource_of(definition, version, cache))).collect()
}

fn resource_of(
    definition: &Arc<Definition>,
    version: &DefinitionVersion,
    cache: &Cache,
) -> ServedResource {
    static SERIAL: AtomicU64 = AtomicU64::new(1);
    let view = &definition.view;
    let names = &view.accepted_names;
    let row = CustomRow {
        group: view.group.clone(),
        version: version.name.clone(),
        kind: names.kind.clone(),
        list_kind: names.list_kind.clone(),
        plural: names.plural.clone(),
        singular: names.singular.clone(),
        namespaced: view.scope == Scope::Namespaced,
        short_names: names.short_names.clone(),
        categories: names.categories.clone(),
        has_status: version.has_status,
        has_scale: version.scale.is_some(),
        storage_version: view
            .storage_version()
            .map(|version| version.name.clone())
            .unwrap_or_default(),
    };
    let defined = Defined {
        definition: definition.clone(),
        object_type: Arc::new(DefinedType::new(definition.clone(), &version.name)),
        serial: SERIAL.fetch_add(1, Ordering::Relaxed),
        replaced: watch::Sender::new(false),
        is_only_listed: definition.has_built_in_group(),
    };
    ServedResource::custom(row, view.deprecation_warning(version), defined, cache)
}
