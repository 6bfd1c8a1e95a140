//! The watch cache: all stored objects in memory, at least as fresh as the last acknowledged write.

mod change;
mod commits;
mod conversions;
mod delta;
mod field_values;
mod history;
mod item;
mod items;
mod line;
mod missed;
mod object_state;
mod packed;
mod recent;
mod resource;
mod scope;
mod signals;
mod snapshot;
mod text;
mod underway;
mod unreadable;

pub(crate) use change::{Change, EventType, event_line};
pub(crate) use field_values::FieldValues;
pub(crate) use history::Past;
pub(crate) use item::{Item, Stored, storable, storable_as};
pub(crate) use items::Items;
pub(crate) use line::{RevisionLine, WAIT_LIMIT};
pub(crate) use object_state::{ObjectChange, ObjectState};
pub(crate) use resource::ResourceCache;
pub(crate) use scope::{IndexedField, Scope, index_of};
pub(crate) use signals::Subscription;
pub(crate) use snapshot::Snapshot;
pub(crate) use unreadable::Unreadable;

use self::underway::Underway;
use arc_swap::ArcSwap;
use imbl::OrdMap;
use ratchet_apply::FieldsPool;
use ratchet_store::{
    Batch, EventKind, Line, Query, Record, Revision, Split, Store, StoreError, each_record,
};
use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use tokio::sync::Semaphore;

/// The key prefix of all API objects.
pub(crate) const ROOT: &str = "/registry/";

/// The maximum memory of the recent changes of all resources together: there are many resources, and each would fill its
/// own share in time.
const MAX_RECENT_BYTES: usize = 64 << 20;

/// The storage name of node port allocations, which no API exposes.
pub(crate) const NODE_PORTS: &str = "nodeports";

/// The time that a start waits for one: nobody but the start can try again, and on a starved machine what a request would
/// give up on comes late.
pub(crate) const START_LIMIT: Duration = Duration::from_secs(60);

/// The pause before a store that does not answer is read again.
const RETRY: Duration = Duration::from_secs(1);

/// An index that is updated together with the cache.
pub(crate) trait Index: Send + Sync {
    /// Called when an object was added or changed (`Some`), or was removed or cannot be decoded (`None`).
    fn update(&self, resource: &str, key: &str, item: Option<&Item>);
}

/// The caches of resources by storage name: `pods`, `deployments.apps`. A copy with one more shares all others.
pub(crate) type ResourceCaches = OrdMap<Arc<str>, Arc<ResourceCache>>;

/// The caches of all resources.
pub struct Cache {
    split: Split,
    /// All stores as one.
    store: Arc<dyn Store>,
    /// The main store.
    main: RevisionLine,
    /// Those that have the objects of some resources.
    others: Vec<RevisionLine>,
    /// Grows by the resources that are defined at run time, which is seldom.
    resource_caches: ArcSwap<ResourceCaches>,
    indexes: Vec<Arc<dyn Index>>,
    /// What the `managedFields` of objects have in common.
    pool: Mutex<FieldsPool>,
    /// What this process is writing.
    underway: Underway,
    /// The memory that the recent changes of all resources take together.
    recent_bytes: Mutex<usize>,
    /// Permits of watches that read changes from the store for themselves.
    history_readers: Arc<Semaphore>,
}

impl Cache {
    /// Loads all stored objects.
    pub(crate) async fn fill(
        split: impl Into<Split>,
        indexes: Vec<Arc<dyn Index>>,
    ) -> Result<Self, StoreError> {
        let split = split.into();
        let (pool, mut filled, mut lines) = (Mutex::default(), ResourceCaches::new(), Vec::new());
        for (number, store) in split.parts().into_iter().enumerate() {
            let mut found = HashMap::new();
            let take = |record| put(&mut found, &record, &pool, &indexes);
            let revision = each_record(&*store, ROOT, take).await?.0;
            for (name, snapshot) in found {
                let resource_cache = ResourceCache::of(Line(number));
                resource_cache.fill(Snapshot { revision, ..snapshot });
                filled.insert(name.into(), Arc::new(resource_cache));
            }
            lines.push(RevisionLine::new(store, revision));
        }
        let store = split.clone().into_store();
        let main = match lines.is_empty() {
            true => RevisionLine::new(store.clone(), 0),
            false => lines.remove(0),
        };
        Ok(Self {
            split,
            store,
            main,
            others: lines,
            resource_caches: ArcSwap::from_pointee(filled),
            indexes,
            pool,
            underway: Underway::default(),
            recent_bytes: Mutex::new(0),
            history_readers: Arc::new(Semaphore::new(history::MAX_READERS)),
        })
    }

    /// Applies the watch of a store until it closes.
    pub(crate) async fn follow(&self, line: Line) -> Result<(), StoreError> {
        loop {
            match self.apply_watch(line).await {
                StoreError::Closed => return Ok(()),
                StoreError::Compacted { .. } => {
                    tracing::warn!(
                        "the store has forgotten changes that were not seen: it is read anew"
                    );
                    self.catch_up(line).await?;
                }
                error => return Err(error),
            }
        }
    }

    /// Applies a watch until it fails.
    async fn apply_watch(&self, line: Line) -> StoreError {
        let followed = self.line(line);
        let watch = followed.store().watch(ROOT, Revision(followed.reached())).await;
        let mut events = match watch {
            Ok(events) => events,
            Err(error) => return error,
        };
        loop {
            match events.next().await {
                Ok(batch) => self.apply_batch(line, batch, ResourceCache::apply),
                Err(error) => return error,
            }
        }
    }

    /// Reads all objects again, as after a break that was longer than the store's memory, and applies the differences.
    /// Watches of resources that have any are told to list again, for nobody knows what happened in between.
    async fn catch_up(&self, line: Line) -> Result<(), StoreError> {
        let page = loop {
            match self.line(line).store().list(Query::under(ROOT)).await {
                Ok(page) => break page,
                // A store that is away may come back.
                Err(StoreError::Broken(_)) => tokio::time::sleep(RETRY).await,
                Err(error) => return Err(error),
            }
        };
        let differences = missed::differences(&self.resource_caches(), line, page);
        self.apply_batch(line, differences, ResourceCache::apply_differences);
        Ok(())
    }

    fn apply_batch(&self, line: Line, batch: Batch, apply: fn(&ResourceCache, Vec<ObjectChange>)) {
        let mut by_cache: Vec<(Arc<ResourceCache>, Vec<ObjectChange>)> = Vec::new();
        for event in batch.events {
            let Some((name, key)) = split(&event.key) else { continue };
            let resource_cache = self.resource_cache(name);
            let (revision, key): (u64, Arc<str>) = (event.revision.0, key.into());
            let state = match event.act {
                EventKind::Put { value, .. } => {
                    let (known, index) = (self.underway.take(&value), index_of(name));
                    let value = (value.as_ref(), known.as_ref());
                    ObjectState::of(&self.pool, &event.key, &key, revision, value, index)
                }
                EventKind::Deleted => ObjectState::Deleted,
            };
            // Before the cache itself: a watcher of the cache may query the index at once.
            self.indexes.iter().for_each(|index| index.update(name, &key, state.item()));
            match by_cache.iter_mut().find(|(other, _)| Arc::ptr_eq(other, &resource_cache)) {
                Some((_, events)) => events.push((revision, key, state)),
                None => by_cache.push((resource_cache, vec![(revision, key, state)])),
            }
        }
        for (resource_cache, events) in by_cache {
            self.account(&resource_cache, || apply(&resource_cache, events));
        }
        self.line(line).reach(batch.upto.0);
    }

    /// Runs what changes the recent changes of a resource, and keeps those of all resources within their limit. They are
    /// not summed up again for each change.
    fn account(&self, resource_cache: &ResourceCache, run: impl FnOnce()) {
        let mut all = self.recent_bytes();
        let before = resource_cache.recent().bytes();
        run();
        *all = all.saturating_sub(before) + resource_cache.recent().bytes();
        if *all > MAX_RECENT_BYTES {
            *all = trim(&self.resource_caches.load(), MAX_RECENT_BYTES);
        }
    }

    /// The memory that the recent changes of all resources take together.
    fn recent_bytes(&self) -> MutexGuard<'_, usize> {
        self.recent_bytes.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The cache of a resource; an empty one if nothing of it was ever stored.
    pub fn resource_cache(&self, name: &str) -> Arc<ResourceCache> {
        if let Some(found) = self.resource_caches.load().get(name) {
            return found.clone();
        }
        let line = self.split.line_of(&format!("{ROOT}{name}/"));
        let empty = Arc::new(ResourceCache::of(line));
        empty.fill(Snapshot { revision: self.line(line).reached(), ..Snapshot::default() });
        // Another thread may create the same: the first one counts.
        self.resource_caches.rcu(|caches| {
            let mut caches = ResourceCaches::clone(caches);
            if !caches.contains_key(name) {
                caches.insert(name.into(), empty.clone());
            }
            caches
        });
        self.resource_caches.load().get(name).cloned().unwrap_or(empty)
    }

    /// All resource caches by their names.
    pub(crate) fn resource_caches(&self) -> Arc<ResourceCaches> {
        self.resource_caches.load_full()
    }

    /// All stores as one: it reads what is in one of them, and writes across them.
    pub fn store(&self) -> &Arc<dyn Store> {
        &self.store
    }

    /// The main store: without it nothing works.
    pub(crate) fn main_store(&self) -> &Arc<dyn Store> {
        self.main.store()
    }

    /// The store of a resource, and how far the cache is behind it.
    pub(crate) fn line_of(&self, cache: &ResourceCache) -> &RevisionLine {
        self.line(cache.line())
    }

    /// All stores, the main one first.
    pub(crate) fn lines(&self) -> impl Iterator<Item = (Line, &RevisionLine)> {
        let lines = std::iter::once(&self.main).chain(&self.others).enumerate();
        lines.map(|(number, line)| (Line(number), line))
    }

    fn line(&self, line: Line) -> &RevisionLine {
        let other = line.0.checked_sub(1).and_then(|index| self.others.get(index));
        other.unwrap_or(&self.main)
    }
}

/// Adds a stored object to the snapshot of its resource.
fn put(
    found: &mut HashMap<String, Snapshot>,
    record: &Record,
    pool: &Mutex<FieldsPool>,
    indexes: &[Arc<dyn Index>],
) {
    let Some((name, key)) = split(&record.key) else { return };
    let key: Arc<str> = key.into();
    let (revision, index) = (record.modified.0, index_of(name));
    let state = ObjectState::of(pool, &record.key, &key, revision, (&record.value, None), index);
    indexes.iter().for_each(|index| index.update(name, &key, state.item()));
    match found.get_mut(name) {
        Some(snapshot) => drop(snapshot.put(&key, state)),
        None => {
            let mut snapshot = Snapshot::default();
            snapshot.put(&key, state);
            found.insert(name.to_owned(), snapshot);
        }
    }
}

/// Splits a store key into storage name and cache key.
fn split(key: &str) -> Option<(&str, &str)> {
    key.strip_prefix(ROOT)?.split_once('/')
}

/// Halves the recent changes of the resource that has most, until all together take at most `limit`; returns the rest.
fn trim(caches: &ResourceCaches, limit: usize) -> usize {
    loop {
        let held = || caches.values().map(|cache| (cache.recent().bytes(), cache));
        let total = held().map(|(bytes, _)| bytes).sum();
        match held().max_by_key(|(bytes, _)| *bytes) {
            Some((bytes, cache)) if total > limit && bytes > 0 => cache.trim_recent(bytes / 2),
            _ => return total,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ratchet_store::{Answer, Commit, Health, Page, PastBatch, Watch, Write};
    use std::future::ready;
    use std::sync::atomic::{AtomicU64, Ordering};

    /// A store with a commit after the cache was filled, which nobody follows.
    #[derive(Default)]
    struct Ahead(AtomicU64);

    impl Store for Ahead {
        fn latest(&self) -> Answer<'_, Revision> {
            Box::pin(ready(Ok(Revision(self.0.fetch_add(1, Ordering::Relaxed).min(1)))))
        }
        fn get(&self, _: &str) -> Answer<'_, Option<Record>> {
            Box::pin(ready(Ok(None)))
        }
        fn list(&self, _: Query) -> Answer<'_, Page> {
            Box::pin(ready(Ok(Page::default())))
        }
        fn commit(&self, _: Vec<Write>) -> Answer<'_, Commit> {
            Box::pin(ready(Err(StoreError::Closed)))
        }
        fn watch(&self, _: &str, _: Revision) -> Answer<'_, Box<dyn Watch>> {
            Box::pin(ready(Err(StoreError::Closed)))
        }
        fn past(&self, _: &str, _: Revision) -> Answer<'_, PastBatch> {
            Box::pin(ready(Ok(PastBatch { events: Vec::new(), upto: Revision(5000) })))
        }
        fn compact(&self, _: Revision) -> Answer<'_, ()> {
            Box::pin(ready(Ok(())))
        }
        fn size(&self) -> Answer<'_, u64> {
            Box::pin(ready(Ok(0)))
        }
        fn health(&self) -> Health {
            Health::default()
        }
    }

    #[tokio::test(start_paused = true)]
    async fn a_start_waits_longer_for_its_cache_than_a_request() {
        let cache = Cache::fill(Arc::new(Ahead::default()), Vec::new()).await.unwrap();
        let main = &cache.main;
        assert!(cache.fresh().await.is_err(), "a request is told to come back");
        let late = async {
            tokio::time::sleep(WAIT_LIMIT * 10).await;
            main.reach(1);
        };
        let (fresh, ()) = tokio::join!(main.fresh_within(WAIT_LIMIT * 20), late);
        assert_eq!(fresh.ok(), Some(1));
    }

    #[tokio::test(start_paused = true)]
    async fn watches_that_are_far_behind_take_turns() {
        let cache = Cache::fill(Arc::new(Ahead::default()), Vec::new()).await.unwrap();
        let maps = cache.resource_cache("configmaps");
        for revision in 1..=5000 {
            let body = br#"{"metadata":{"name":"a"}}"#;
            let item = ObjectState::Item(Item::stored("a".into(), revision, body).unwrap());
            maps.apply(vec![(revision, "a".into(), item)]);
        }
        let too_old = maps.since(1).unwrap_err();
        let past = || cache.past(&maps, "/registry/configmaps/", 1, too_old);
        let mut readers = Vec::new();
        for _ in 0..history::MAX_READERS {
            readers.push(past().await.unwrap());
        }
        let one_ends = async {
            tokio::time::sleep(Duration::from_secs(20)).await;
            drop(readers.pop());
        };
        let (next, ()) = tokio::join!(past(), one_ends);
        assert!(matches!(next, Ok(Past::Read { .. })), "it waits until one has ended");
        assert_eq!(past().await.err(), Some(too_old), "but not for ever");
    }

    #[test]
    fn who_remembers_most_forgets_first() {
        let caches: ResourceCaches = ["large", "small", "none"]
            .map(|name| (Arc::<str>::from(name), Arc::new(ResourceCache::default())))
            .into_iter()
            .collect();
        let item = |size: usize, revision| {
            let body = format!(r#"{{"metadata":{{"name":"{}"}}}}"#, "x".repeat(size));
            ObjectState::Item(Item::stored("a".into(), revision, body.as_bytes()).unwrap())
        };
        for revision in 1..=20 {
            caches["large"].apply(vec![(revision, "a".into(), item(10_000, revision))]);
            caches["small"].apply(vec![(revision, "a".into(), item(10, revision))]);
        }
        let small = caches["small"].recent().bytes();
        let before = trim(&caches, usize::MAX);
        assert_eq!(before, caches["large"].recent().bytes() + small);
        let left = trim(&caches, before / 3);
        assert!(left <= before / 3 && left > before / 8, "{left} of {before}");
        assert_eq!(caches["small"].recent().bytes(), small, "it was not the one to blame");
        assert!(caches["large"].since(1).is_err() && caches["large"].since(20).is_ok());
        assert_eq!(caches["small"].since(0).map(|changes| changes.len()), Ok(20));
        assert_eq!(trim(&caches, 0), 0);
    }
}
