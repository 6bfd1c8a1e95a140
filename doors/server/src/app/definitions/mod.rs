//! `Definitions`: the CustomResourceDefinitions of the cluster, from their writes to the resources that they define.
//!
//! One task follows them. It reviews names and writes conditions, as the controllers of the reference do, replaces the
//! resources of the registry, and deletes the objects of definitions that are being deleted. A write of a definition is
//! answered when that is done: the API is there, or gone. All of it depends on nothing but what is stored, so that a
//! server that was killed goes on where it stopped.

mod cleanup;
mod commit;
mod conditions;
mod establish;
pub(crate) mod follow;
mod group_locks;
mod install;
mod known;

use self::group_locks::GroupLocks;
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
    /// Who gives names away in a group does so alone.
    naming: GroupLocks,
    /// The revisions of definitions that were stored with their status, as long as nobody has seen them.
    established: Mutex<BTreeSet<u64>>,
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
            naming: GroupLocks::default(),
            established: Mutex::default(),
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
        let mut known = Known::clone(&self.known.load());
        let changes = self.catch_up(&mut known, snapshot);
        let mut installed = lock(&self.installed);
        installed.note(changes.names.iter().chain(&changes.gone));
        self.known.store(Arc::new(known));
        changes
    }

    /// Brings what is known up to a snapshot of the cache, reading only what changed.
    fn catch_up(&self, known: &mut Known, snapshot: &Snapshot) -> Changes {
        let mut changes = Changes::default();
        let recent = known.revision.and_then(|from| recent(&self.cache, from, snapshot.revision));
        let names = recent.unwrap_or_else(|| {
            let before = known.all().map(|(name, _)| name);
            snapshot.items.keys().chain(before).cloned().collect()
        });
        for name in names {
            let before = known.get(&name);
            let Some(item) = snapshot.items.get(&name) else {
                if let Some(gone) = known.remove(&name) {
                    changes.groups.insert(gone.view.group.clone());
                    changes.gone.insert(name);
                }
                continue;
            };
            if before.is_some_and(|before| before.revision() == item.revision) {
                continue;
            }
            // A group cannot change, but a name may come back with another definition.
            changes.groups.extend(before.map(|before| before.view.group.clone()));
            let definition = Definition::read(item, &self.environments);
            let definition = definition.with_webhooks(&self.webhooks);
            changes.groups.insert(definition.view.group.clone());
            known.insert(&name, Arc::new(definition));
            changes.names.insert(name);
        }
        known.revision = Some(snapshot.revision);
        changes
    }

    fn install(&self, registry: &Registry, cache: &Cache) {
        let known = self.known.load_full();
        let mut installed = lock(&self.installed);
        let exchange = installed.update(&known, cache);
        if exchange.is_empty() {
            return;
        }
        registry.replace_custom(&exchange.removed, &exchange.added);
        for defined in exchange.removed.iter().filter_map(|resource| resource.defined()) {
            defined.set_replaced();
        }
    }
}

/// Locks what no panic leaves half done.
fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The keys that changed after one revision and up to another; none if nobody remembers all of them.
fn recent(cache: &ResourceCache, from: u64, until: u64) -> Option<BTreeSet<Arc<str>>> {
    let (mut at, mut keys) = (from, BTreeSet::new());
    while at < until {
        let changes = cache.since(at).ok()?;
        let Some(last) = changes.last() else { break };
        at = last.revision;
        let seen = changes.iter().filter(|change| change.revision <= until);
        keys.extend(seen.map(|change| change.item.key.clone()));
    }
    Some(keys)
}

/// What changed since the last look at the cache.
#[derive(Default)]
struct Changes {
    /// The definitions that are new or changed.
    names: BTreeSet<Arc<str>>,
    /// The definitions that are not there any more.
    gone: BTreeSet<Arc<str>>,
    /// The groups of both.
    groups: BTreeSet<String>,
}

impl Changes {
    /// The definitions whose conditions may have to change: those that changed, and those that wait for a name which
    /// may be free now.
    fn unsettled<'c>(&'c self, known: &'c Known) -> impl Iterator<Item = Arc<str>> + 'c {
        let waiting = self.groups.iter().flat_map(|group| known.waiting(group));
        self.names.iter().cloned().chain(waiting)
    }
}
