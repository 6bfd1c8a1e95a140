//! The watch cache: everything that is stored, in memory, as fresh as the last write that was answered.

mod item;
mod shelf;
mod unreadable;

pub(crate) use item::{Item, Stored, storable};
pub(crate) use shelf::{Change, EventType, Items, Shelf, Snapshot, TooOld, line};
pub(crate) use unreadable::Unreadable;

use crate::refusal::Refusal;
use ratchet_store::{Batch, Happened, Query, Revision, Store, StoreError};
use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::watch;

/// All keys of API objects begin with this.
pub(crate) const ROOT: &str = "/registry/";

/// The recent changes of all resources hold no more than this together: there are many resources, and each alone would
/// fill its own share in time.
const MOST_RECENT_BYTES: usize = 64 << 20;

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
    shelves: HashMap<String, Arc<Shelf>>,
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
        let shelves: HashMap<String, Arc<Shelf>> =
            resources.map(|name| (name, Arc::new(Shelf::default()))).collect();
        let query = Query { prefix: ROOT.into(), after: None, limit: 0, at: None };
        let page = store.list(query).await?;
        let mut found: HashMap<&str, Snapshot> = HashMap::new();
        // Each value is let go of as soon as its item is made: everything twice would be much.
        for record in page.records {
            let Some((name, key)) = split(&record.key) else { continue };
            let Some((name, _)) = shelves.get_key_value(name) else { continue };
            let key: Arc<str> = key.into();
            let now = Now::of(&record.key, &key, record.modified.0, &record.value);
            followers.iter().for_each(|follower| follower.took(name, &key, now.item()));
            found.entry(name.as_str()).or_default().put(key, now);
        }
        for (name, shelf) in &shelves {
            let found = found.remove(name.as_str()).unwrap_or_default();
            shelf.fill(Snapshot { revision: page.revision.0, ..found });
        }
        let (reached, _) = watch::channel(page.revision.0);
        Ok(Self { store, shelves, followers, reached })
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
        let mut by_shelf: Vec<(&Arc<Shelf>, Vec<Seen>)> = Vec::new();
        for event in batch.events {
            let Some((name, key)) = split(&event.key) else { continue };
            let Some(shelf) = self.shelves.get(name) else { continue };
            let (revision, key): (u64, Arc<str>) = (event.revision.0, key.into());
            let now = match event.act {
                Happened::Put { value, .. } => Now::of(&event.key, &key, revision, &value),
                Happened::Deleted => Now::Gone,
            };
            // Before the shelf: who watches it may ask the next moment.
            self.followers.iter().for_each(|follower| follower.took(name, &key, now.item()));
            match by_shelf.iter_mut().find(|(other, _)| Arc::ptr_eq(other, shelf)) {
                Some((_, events)) => events.push((revision, key, now)),
                None => by_shelf.push((shelf, vec![(revision, key, now)])),
            }
        }
        for (shelf, events) in by_shelf {
            shelf.apply(events);
        }
        forget(&self.shelves, MOST_RECENT_BYTES);
        self.reached.send_replace(batch.upto.0);
    }

    /// The shelf of a resource.
    pub fn shelf(&self, name: &str) -> Option<Arc<Shelf>> {
        self.shelves.get(name).cloned()
    }

    /// All shelves.
    pub fn shelves(&self) -> impl Iterator<Item = (&str, &Arc<Shelf>)> {
        self.shelves.iter().map(|(name, shelf)| (name.as_str(), shelf))
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
    pub async fn fresh(&self) -> Result<u64, Refusal> {
        let latest = self.store.latest().await?.0;
        self.wait_for(latest).await?;
        Ok(latest)
    }

    /// Waits until `revision` has been reached, but not forever.
    pub async fn wait_for(&self, revision: u64) -> Result<(), Refusal> {
        if self.reached() >= revision {
            return Ok(());
        }
        let mut progress = self.reached.subscribe();
        let reached = progress.wait_for(|reached| *reached >= revision);
        match tokio::time::timeout(PATIENCE, reached).await {
            Ok(Ok(_)) => Ok(()),
            _ => Err(Refusal::too_large_version(revision, self.reached())),
        }
    }
}

/// A key as resource and the rest.
fn split(key: &str) -> Option<(&str, &str)> {
    key.strip_prefix(ROOT)?.split_once('/')
}

/// Halves the memory of the resource that remembers most, again and again, until all together hold no more than this;
/// what is left. There are some sixty resources: looking at all of them costs a microsecond.
fn forget(shelves: &HashMap<String, Arc<Shelf>>, most: usize) -> usize {
    loop {
        let held = || shelves.values().map(|shelf| (shelf.recent_bytes(), shelf));
        let total = held().map(|(bytes, _)| bytes).sum();
        match held().max_by_key(|(bytes, _)| *bytes) {
            Some((bytes, shelf)) if total > most && bytes > 0 => shelf.forget_down_to(bytes / 2),
            _ => return total,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn who_remembers_most_forgets_first() {
        let shelves: HashMap<String, Arc<Shelf>> = ["large", "small", "none"]
            .map(|name| (name.to_owned(), Arc::new(Shelf::default())))
            .into();
        let item = |size: usize, revision| {
            let body = format!(r#"{{"metadata":{{"name":"{}"}}}}"#, "x".repeat(size));
            Now::Item(Item::stored("a".into(), revision, body.as_bytes()).unwrap())
        };
        for revision in 1..=20 {
            shelves["large"].apply(vec![(revision, "a".into(), item(10_000, revision))]);
            shelves["small"].apply(vec![(revision, "a".into(), item(10, revision))]);
        }
        let small = shelves["small"].recent_bytes();
        let before = forget(&shelves, usize::MAX);
        assert_eq!(before, shelves["large"].recent_bytes() + small);
        let left = forget(&shelves, before / 3);
        assert!(left <= before / 3 && left > before / 8, "{left} of {before}");
        assert_eq!(shelves["small"].recent_bytes(), small, "it was not the one to blame");
        assert!(shelves["large"].since(1).is_err() && shelves["large"].since(20).is_ok());
        assert_eq!(shelves["small"].since(0).map(|changes| changes.len()), Ok(20));
        assert_eq!(forget(&shelves, 0), 0);
    }
}
