//! `Definitions`: the CustomResourceDefinitions of the cluster, from their writes to the resources that they define.
//!
//! One task follows them. It reviews names and writes conditions, as the controllers of the reference do, replaces the
//! resources of the registry, and deletes the objects of definitions that are being deleted. A write of a definition is
//! answered when that is done: the API is there, or gone. All of it depends on nothing but what is stored, so that a
//! server that was killed goes on where it stopped.

mod cleanup;
mod commit;
mod conditions;
pub(crate) mod follow;
mod install;
mod known;

use self::install::Installed;
use self::known::{Known, STORAGE, key};
use crate::registry::custom::{ConversionClient, Definition, SharedEnvironments};
use crate::registry::{Registry, ServedResource};
use crate::status::StatusError;
use crate::storage::cache::{Cache, ResourceCache, Snapshot};
use arc_swap::ArcSwap;
use ratchet_crd::definition::CustomResourceDefinition;
use ratchet_store::{Guard, Revision, Write};
use std::collections::BTreeSet;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use tokio::sync::watch;

/// How long the answer to a write waits for its effect.
const SETTLE_LIMIT: Duration = Duration::from_secs(10);

/// The definitions of the cluster.
pub struct Definitions {
    cache: Arc<ResourceCache>,
    environments: Arc<SharedEnvironments>,
    /// Calls the webhooks that convert objects.
    webhooks: Arc<ConversionClient>,
    /// The definitions as of the last look at the cache.
    known: ArcSwap<Known>,
    installed: Mutex<Installed>,
    /// All definitions up to this revision are in force.
    settled: watch::Sender<u64>,
    /// Counts the changes of the served resources.
    replaced: watch::Sender<u64>,
}

impl Definitions {
    /// Uses the cache of definitions; `minor` is the release whose expressions are compiled.
    pub(crate) fn new(cache: &Cache, minor: u32, webhooks: Arc<ConversionClient>) -> Self {
        Self {
            cache: cache.resource_cache(STORAGE),
            environments: SharedEnvironments::of_release(minor),
            webhooks,
            known: ArcSwap::default(),
            installed: Mutex::default(),
            settled: watch::Sender::new(0),
            replaced: watch::Sender::new(0),
        }
    }

    /// Installs the resources of all stored definitions, when the server starts.
    pub(crate) fn start(&self, registry: &Registry, cache: &Cache) {
        self.refresh(&self.cache.now());
        self.install(registry, cache);
    }

    /// Waits until the definitions that are in the cache now are in force. If that takes too long, nothing is lost but
    /// the promise that the API is there when the write is answered.
    pub(crate) async fn settle(&self) {
        let revision = self.cache.now().revision;
        let mut settled = self.settled.subscribe();
        let reached = settled.wait_for(|settled| *settled >= revision);
        if tokio::time::timeout(SETTLE_LIMIT, reached).await.is_err() {
            tracing::warn!(revision, "a definition is not in force yet");
        }
    }

    /// Waits until a resource is not the one that is served any more: its definition changed or went.
    pub(crate) async fn replaced(&self, registry: &Registry, resource: &Arc<ServedResource>) {
        if resource.defined().is_none() {
            return std::future::pending().await;
        }
        let mut replaced = self.replaced.subscribe();
        loop {
            let row = resource.row();
            let current = registry.find(row.group, row.version, row.plural);
            if !current.is_some_and(|current| Arc::ptr_eq(&current, resource)) {
                return;
            }
            // The sender lives as long as the server.
            if replaced.changed().await.is_err() {
                return std::future::pending().await;
            }
        }
    }

    /// The guard for the commit of a new custom object: its definition must be as it was checked here. Check and guard
    /// are one step, so that nothing is created once a definition is terminating.
    pub(crate) fn creation_guard(
        &self,
        resource: &ServedResource,
        name: &str,
    ) -> Result<Option<Write>, StatusError> {
        let Some(defined) = resource.defined() else { return Ok(None) };
        let definition_name = defined.definition.view.name.as_str();
        let Some(item) = self.cache.find(definition_name)? else {
            return Err(StatusError::no_resource());
        };
        let known = self.known.load().get(definition_name).cloned();
        let is_terminating = match known.filter(|known| known.revision() == item.revision) {
            Some(known) => known.is_terminating(),
            None => {
                item.read(|node| CustomResourceDefinition::from_node(node).is_true("Terminating"))
            }
        };
        if is_terminating {
            let why = "create not allowed while custom resource definition is terminating";
            return Err(StatusError::forbidden(resource.about(name), why));
        }
        Ok(Some(Write::keep(&key(definition_name), Guard::At(Revision(item.revision)))))
    }

    /// Takes over what changed in the cache; returns the names and groups of definitions that changed or went.
    fn refresh(&self, snapshot: &Snapshot) -> Changes {
        let before = self.known.load_full();
        let mut known = Known::with_capacity(snapshot.items.len());
        let mut changes = Changes::default();
        for (name, item) in &snapshot.items {
            let same = before.get(name).filter(|known| known.revision() == item.revision);
            let definition = same.cloned().unwrap_or_else(|| {
                let definition = Definition::read(item, &self.environments);
                let definition = definition.with_webhooks(&self.webhooks);
                changes.groups.insert(definition.view.group.clone());
                changes.names.insert(name.clone());
                Arc::new(definition)
            });
            known.insert(name.clone(), definition);
        }
        let gone = before.iter().filter(|(name, _)| !known.contains_key(*name));
        changes.groups.extend(gone.map(|(_, definition)| definition.view.group.clone()));
        self.known.store(Arc::new(known));
        changes
    }

    fn install(&self, registry: &Registry, cache: &Cache) {
        let known = self.known.load_full();
        let mut installed = self.installed.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(resources) = installed.update(&known, cache) {
            registry.set_custom(resources);
            self.replaced.send_modify(|count| *count += 1);
        }
    }
}

/// What changed since the last look at the cache.
#[derive(Default)]
struct Changes {
    names: BTreeSet<Arc<str>>,
    /// The groups of changed definitions, and of those that are gone.
    groups: BTreeSet<String>,
}
