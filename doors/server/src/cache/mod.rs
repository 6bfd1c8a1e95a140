//! The watch cache: everything that is stored, in memory, as fresh as the last write that was answered.

mod item;
mod resource;
mod unreadable;

pub(crate) use item::{Item, Stored, storable};
pub(crate) use resource::{Change, EventType, Items, ResourceCache, Snapshot, TooOld, line};
pub(crate) use unreadable::Unreadable;

use crate::status::StatusError;
use ratchet_store::{Batch, Happened, Query, Revision, Store, StoreError};
use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::watch;

/// All keys of API objects begin with this.
pub(crate) const ROOT: &str = "/registry/";

/// How long a reader waits for a revision that has not been reached yet.
const PATIENCE: Duration = Duration::from_secs(3);

/// What happened to one object: when, its key, and what it is now.
pub(crate) type Seen = (u64, Arc<str>, Now);

/// What an object is now.
#[derive(Debug)]
pub(crate) enum Now {
    /// This.
    Item(Item),
    /// There, but nobody can say what it is.
    Unreadable(Arc<Unreadable>),
    /// Gone.
    Gone,
}

impl Now {
    /// The object, if it can be read.
    fn item(&self) -> Option<&Item> {
        match self {
            Self::Item(item) => Some(item),
            Self::Unreadable(_) | Self::Gone => None,
        }
    }

    /// What a value of the store is; one that cannot be read is told in the log.
    fn of(store_key: &str, key: &Arc<str>, revision: u64, value: &[u8]) -> Self {
        match Item::stored(key.clone(), revision, value) {
            Ok(item) => Self::Item(item),
            Err(why) => {
                let unreadable = Unreadable { key: store_key.to_owned(), why };
                unreadable.report();
                Self::Unreadable(Arc::new(unreadable))
            }
        }
    }
}

/// What is kept beside the cache about its objects, as fresh as they are.
pub(crate) trait Follower: Send + Sync {
    /// An object of a resource has entered the cache or changed in it, or has left it.
    fn took(&self, resource: &str, key: &str, item: Option<&Item>);
}

/// The shelves of all resources, by the name in the keys: `pods`, `deployments.apps`.
pub struct Cache {
    store: Arc<dyn Store>,
    resource_caches: HashMap<String, Arc<ResourceCache>>,
    followers: Vec<Arc<dyn Follower>>,
    /// Everything up to this revision is on the shelves.
    reached: watch::Sender<u64>,
}

impl Cache {
    /// Reads everything that is stored for these resources.
    pub(crate) async fn fill(
        store: Arc<dyn Store>,
        resources: impl Iterator<Item = String>,
        followers: Vec<Arc<dyn Follower>>,
    ) -> Result<Self, StoreError> {
        let resource_caches: HashMap<String, Arc<ResourceCache>> =
            resources.map(|name| (name, Arc::new(ResourceCache::default()))).collect();
        let query = Query { prefix: ROOT.into(), after: None, limit: 0, at: None };
        let page = store.list(query).await?;
        let mut found: HashMap<&str, Snapshot> = HashMap::new();
        // Each value is let go of as soon as its item is made: everything twice would be much.
        for record in page.records {
            let Some((name, key)) = split(&record.key) else { continue };
            let Some((name, _)) = resource_caches.get_key_value(name) else { continue };
            let key: Arc<str> = key.into();
            let now = Now::of(&record.key, &key, record.modified.0, &record.value);
            followers.iter().for_each(|follower| follower.took(name, &key, now.item()));
            found.entry(name.as_str()).or_default().put(key, now);
        }
        for (name, resource_cache) in &resource_caches {
            let found = found.remove(name.as_str()).unwrap_or_default();
            resource_cache.fill(Snapshot { revision: page.revision.0, ..found });
        }
        let (reached, _) = watch::channel(page.revision.0);
        Ok(Self { store, resource_caches, followers, reached })
    }

    /// Follows the store until it closes.
    pub async fn follow(&self) -> Result<(), StoreError> {
        let from = Revision(*self.reached.borrow());
        let mut events = self.store.watch(ROOT, from).await?;
        loop {
            match events.next().await {
                Ok(batch) => self.take(batch),
                Err(StoreError::Closed) => return Ok(()),
                Err(error) => return Err(error),
            }
        }
    }

    fn take(&self, batch: Batch) {
        let mut by_cache: Vec<(&Arc<ResourceCache>, Vec<Seen>)> = Vec::new();
        for event in batch.events {
            let Some((name, key)) = split(&event.key) else { continue };
            let Some(resource_cache) = self.resource_caches.get(name) else { continue };
            let (revision, key): (u64, Arc<str>) = (event.revision.0, key.into());
            let now = match event.act {
                Happened::Put { value, .. } => Now::of(&event.key, &key, revision, &value),
                Happened::Deleted => Now::Gone,
            };
            // Before the shelf: who watches it may ask the next moment.
            self.followers.iter().for_each(|follower| follower.took(name, &key, now.item()));
            match by_cache.iter_mut().find(|(other, _)| Arc::ptr_eq(other, resource_cache)) {
                Some((_, events)) => events.push((revision, key, now)),
                None => by_cache.push((resource_cache, vec![(revision, key, now)])),
            }
        }
        for (resource_cache, events) in by_cache {
            resource_cache.apply(events);
        }
        self.reached.send_replace(batch.upto.0);
    }

    /// The shelf of a resource.
    pub fn resource_cache(&self, name: &str) -> Option<Arc<ResourceCache>> {
        self.resource_caches.get(name).cloned()
    }

    /// All shelves.
    pub fn resource_caches(&self) -> impl Iterator<Item = (&str, &Arc<ResourceCache>)> {
        self.resource_caches.iter().map(|(name, cache)| (name.as_str(), cache))
    }

    /// The store behind.
    pub fn store(&self) -> &Arc<dyn Store> {
        &self.store
    }

    /// The revision that all shelves have reached.
    pub fn reached(&self) -> u64 {
        *self.reached.borrow()
    }

    /// Tells when more has been reached.
    pub fn progress(&self) -> watch::Receiver<u64> {
        self.reached.subscribe()
    }

    /// Waits until everything that was acknowledged before this call is on the shelves.
    pub async fn fresh(&self) -> Result<u64, StatusError> {
        let latest = self.store.latest().await?.0;
        self.wait_for(latest).await?;
        Ok(latest)
    }

    /// Waits until `revision` has been reached, but not forever.
    pub async fn wait_for(&self, revision: u64) -> Result<(), StatusError> {
        if self.reached() >= revision {
            return Ok(());
        }
        let mut progress = self.reached.subscribe();
        let reached = progress.wait_for(|reached| *reached >= revision);
        match tokio::time::timeout(PATIENCE, reached).await {
            Ok(Ok(_)) => Ok(()),
            _ => Err(StatusError::too_large_version(revision, self.reached())),
        }
    }
}

/// A key as resource and the rest.
fn split(key: &str) -> Option<(&str, &str)> {
    key.strip_prefix(ROOT)?.split_once('/')
}
