//! `ResourceCache`: the watch cache of one resource, a snapshot and its recent changes.

use super::conversions::Conversions;
use super::item::Item;
use super::unreadable::Unreadable;
use super::{ObjectChange, ObjectState};
use arc_swap::ArcSwap;
use bytes::Bytes;
use imbl::OrdMap;
use std::collections::VecDeque;
use std::sync::{Arc, OnceLock, PoisonError, RwLock};
use tokio::sync::watch;

/// The objects of one resource by cache key.
pub(crate) type Items = OrdMap<Arc<str>, Arc<Item>>;

/// All objects of one resource at a revision; cheap to clone and to hold.
#[derive(Clone, Debug, Default)]
pub struct Snapshot {
    /// The objects in key order.
    pub items: Items,
    /// Stored values that cannot be decoded; normally none.
    pub unreadable: OrdMap<Arc<str>, Arc<Unreadable>>,
    /// The revision of the last change.
    pub revision: u64,
}

impl Snapshot {
    /// The first value with this key prefix that cannot be decoded; a complete list is impossible then.
    pub fn unreadable_within(&self, prefix: &str) -> Option<&Arc<Unreadable>> {
        if self.unreadable.is_empty() {
            return None;
        }
        let (key, found) = self.unreadable.range(Arc::<str>::from(prefix)..).next()?;
        key.starts_with(prefix).then_some(found)
    }

    /// Sets the state of a key and returns the previous object.
    pub(super) fn put(&mut self, key: Arc<str>, state: ObjectState) -> Option<Arc<Item>> {
        match state {
            ObjectState::Item(item) => {
                self.unreadable.remove(&key);
                self.items.insert(key, Arc::new(item))
            }
            ObjectState::Unreadable(found) => {
                let old = self.items.remove(&key);
                self.unreadable.insert(key, found);
                old
            }
            ObjectState::Deleted => {
                self.unreadable.remove(&key);
                self.items.remove(&key)
            }
        }
    }

    /// The objects with this key prefix, in key order.
    pub fn within<'a>(&'a self, prefix: &'a str) -> impl Iterator<Item = &'a Arc<Item>> {
        let from = self.items.range(Arc::<str>::from(prefix)..);
        from.take_while(move |(key, _)| key.starts_with(prefix)).map(|(_, item)| item)
    }
}

/// A change of one object.
#[derive(Debug)]
pub struct Change {
    /// The revision of the change.
    pub revision: u64,
    /// The object after the change; for a deletion its last state with the revision of the deletion.
    pub item: Arc<Item>,
    /// The object before the change; none for a creation.
    pub before: Option<Arc<Item>>,
    /// Whether the object was deleted.
    pub is_deletion: bool,
    encoded: [OnceLock<Bytes>; 3],
    /// The object as versions serve it in which it is not stored.
    pub(crate) conversions: Conversions,
}

/// The type of a watch event.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EventType {
    /// The object was created, or entered the selection.
    Added,
    /// The object changed.
    Modified,
    /// The object was deleted, or left the selection.
    Deleted,
}

impl EventType {
    /// The `type` of the event.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Added => "ADDED",
            Self::Modified => "MODIFIED",
            Self::Deleted => "DELETED",
        }
    }
}

impl Change {
    /// The memory that the change takes: the object, and the encoded event for watchers; a custom object may have been
    /// converted for them, too.
    fn weight(&self) -> usize {
        let copies = if self.item.version().is_some() { 3 } else { 2 };
        copies * self.item.size() + 256
    }

    /// The event type for a watch without selectors.
    pub fn event_type(&self) -> EventType {
        match (&self.before, self.is_deletion) {
            (_, true) => EventType::Deleted,
            (None, false) => EventType::Added,
            (Some(_), false) => EventType::Modified,
        }
    }

    /// The event as one line of JSON, encoded once for all watchers of the storage version.
    pub fn encoded(&self, event: EventType, api_version: &str, kind: &str) -> Bytes {
        let slot = self.encoded.get(event as usize);
        let write = || event_line(event, &self.item.whole(api_version, kind));
        slot.map_or_else(write, |slot| slot.get_or_init(write).clone())
    }
}

/// Encodes a watch event as one line of JSON.
pub(crate) fn event_line(event: EventType, object: &[Bytes]) -> Bytes {
    let length: usize = object.iter().map(Bytes::len).sum();
    let mut out = Vec::with_capacity(length + 40);
    out.extend_from_slice(br#"{"type":""#);
    out.extend_from_slice(event.as_str().as_bytes());
    out.extend_from_slice(br#"","object":"#);
    for part in object {
        out.extend_from_slice(part);
    }
    out.extend_from_slice(b"}\n");
    out.into()
}

/// The recent changes, limited by count and bytes.
#[derive(Debug, Default)]
struct Recent {
    changes: VecDeque<Arc<Change>>,
    bytes: usize,
    /// Changes up to this revision are dropped.
    dropped_until: u64,
}

const MAX_CHANGES: usize = 4096;
const MAX_BYTES: usize = 16 << 20;
const BATCH: usize = 64;
const BATCH_BYTES: usize = 1 << 20;

/// The cache of one resource: one writer, any number of readers.
#[derive(Debug, Default)]
pub struct ResourceCache {
    now: ArcSwap<Snapshot>,
    recent: RwLock<Recent>,
    changed: watch::Sender<()>,
}

/// The requested revision is older than the recent changes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TooOld {
    /// The oldest revision from which a watch can start.
    pub oldest: u64,
}

impl Recent {
    fn push(&mut self, change: Arc<Change>) {
        self.bytes += change.weight();
        self.changes.push_back(change);
    }

    /// Drops the oldest changes until at most so many, and so many bytes, are left.
    fn trim(&mut self, count: usize, bytes: usize) {
        while self.changes.len() > count || self.bytes > bytes {
            let Some(oldest) = self.changes.pop_front() else { break };
            self.bytes -= oldest.weight();
            self.dropped_until = oldest.revision;
        }
    }
}

impl ResourceCache {
    /// The current snapshot.
    pub fn now(&self) -> Arc<Snapshot> {
        self.now.load_full()
    }

    /// Looks an object up; one that cannot be decoded counts as missing.
    pub fn get(&self, key: &str) -> Option<Arc<Item>> {
        self.now.load().items.get(key).cloned()
    }

    /// Looks an object up; fails if it exists and cannot be decoded.
    pub fn find(&self, key: &str) -> Result<Option<Arc<Item>>, Unreadable> {
        let now = self.now.load();
        match now.unreadable.get(key) {
            Some(found) => Err(found.as_ref().clone()),
            None => Ok(now.items.get(key).cloned()),
        }
    }

    /// Notifies of changes.
    pub fn changes(&self) -> watch::Receiver<()> {
        self.changed.subscribe()
    }

    /// The number of objects.
    pub fn len(&self) -> usize {
        self.now.load().items.len()
    }

    /// Whether there are no objects.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The changes after `revision`, oldest first, in batches: the caller may be slow, and what it holds cannot be
    /// dropped. One revision is never split. Empty when there are no more.
    pub fn since(&self, revision: u64) -> Result<Vec<Arc<Change>>, TooOld> {
        let recent = self.recent.read().unwrap_or_else(PoisonError::into_inner);
        if revision < recent.dropped_until {
            return Err(TooOld { oldest: recent.dropped_until });
        }
        let from = recent.changes.partition_point(|change| change.revision <= revision);
        let (mut batch, mut bytes): (Vec<Arc<Change>>, usize) = (Vec::new(), 0);
        for change in recent.changes.range(from..) {
            let is_same_revision =
                batch.last().is_some_and(|last| last.revision == change.revision);
            if (batch.len() >= BATCH || bytes >= BATCH_BYTES) && !is_same_revision {
                break;
            }
            bytes += change.weight();
            batch.push(change.clone());
        }
        Ok(batch)
    }

    /// Sets the initial snapshot; there are no changes before it.
    pub(super) fn fill(&self, found: Snapshot) {
        let revision = found.revision;
        self.now.store(Arc::new(found));
        let mut recent = self.recent.write().unwrap_or_else(PoisonError::into_inner);
        *recent = Recent { dropped_until: revision, ..Recent::default() };
    }

    /// The memory that recent changes take.
    pub(super) fn recent_bytes(&self) -> usize {
        self.recent.read().unwrap_or_else(PoisonError::into_inner).bytes
    }

    /// Drops the oldest changes until the rest takes no more than `bytes`.
    pub(super) fn trim_recent(&self, bytes: usize) {
        self.recent.write().unwrap_or_else(PoisonError::into_inner).trim(MAX_CHANGES, bytes);
    }

    /// Applies changes of one or more revisions, in order.
    pub(crate) fn apply(&self, events: Vec<ObjectChange>) {
        let mut now = Snapshot::clone(&self.now.load());
        let mut changes = Vec::with_capacity(events.len());
        let mut unreadable_at = None;
        for (at, key, state) in events {
            now.revision = at;
            let (is_deletion, is_unreadable) = (
                matches!(state, ObjectState::Deleted),
                matches!(state, ObjectState::Unreadable(_)),
            );
            let before = now.put(key.clone(), state);
            if is_unreadable {
                // There is no event for it: watchers must start again, and get the decode error then.
                unreadable_at = Some(at);
                continue;
            }
            let item = match (now.items.get(&key), &before) {
                (Some(item), _) => item.clone(),
                (None, Some(old)) => Arc::new(old.as_of(at)),
                (None, None) => continue,
            };
            let encoded = std::array::from_fn(|_| OnceLock::new());
            let conversions = Conversions::default();
            let change = Change { revision: at, item, before, is_deletion, encoded, conversions };
            changes.push(Arc::new(change));
        }
        let mut recent = self.recent.write().unwrap_or_else(PoisonError::into_inner);
        changes.into_iter().for_each(|change| recent.push(change));
        recent.trim(MAX_CHANGES, MAX_BYTES);
        if let Some(unreadable_at) = unreadable_at {
            recent.changes.retain(|change| change.revision > unreadable_at);
            recent.bytes = recent.changes.iter().map(|change| change.weight()).sum();
            recent.dropped_until = recent.dropped_until.max(unreadable_at);
        }
        // Changes are published before the snapshot, so that a watch can start from any visible snapshot.
        self.now.store(Arc::new(now));
        drop(recent);
        self.changed.send_replace(());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn item(key: &str, revision: u64) -> ObjectState {
        let item = Item::stored(key.into(), revision, br#"{"metadata":{"name":"x"}}"#);
        ObjectState::Item(item.unwrap())
    }

    fn unreadable() -> ObjectState {
        ObjectState::Unreadable(Arc::new(Unreadable {
            key: "/registry/pods/n/a".into(),
            why: "x".into(),
        }))
    }

    #[test]
    fn changes_are_told_in_order_with_what_was_before() {
        let cache = ResourceCache::default();
        cache.fill(Snapshot { revision: 5, ..Snapshot::default() });
        cache.apply(vec![(6, "a".into(), item("a", 6))]);
        cache.apply(vec![(7, "a".into(), item("a", 7)), (8, "a".into(), ObjectState::Deleted)]);
        let all = cache.since(5).unwrap();
        let types: Vec<&str> = all.iter().map(|change| change.event_type().as_str()).collect();
        assert_eq!(types, ["ADDED", "MODIFIED", "DELETED"]);
        assert_eq!(all.last().map(|change| change.item.revision), Some(8));
        assert_eq!(cache.since(7).unwrap().len(), 1);
        assert_eq!(cache.since(4).unwrap_err(), TooOld { oldest: 5 });
        assert!(cache.is_empty());
    }

    #[test]
    fn what_cannot_be_read_is_neither_there_nor_absent() {
        let cache = ResourceCache::default();
        cache.apply(vec![(6, "n/a".into(), item("n/a", 6)), (7, "n/b".into(), item("n/b", 7))]);
        cache.apply(vec![(8, "n/a".into(), unreadable())]);
        assert!(cache.get("n/a").is_none());
        assert!(cache.find("n/a").is_err() && cache.find("n/b").is_ok_and(|item| item.is_some()));
        assert!(cache.find("n/c").is_ok_and(|item| item.is_none()));
        let now = cache.now();
        assert!(now.unreadable_within("").is_some() && now.unreadable_within("n/").is_some());
        assert!(now.unreadable_within("m/").is_none() && now.unreadable_within("o/").is_none());
        assert_eq!(cache.since(7).unwrap_err(), TooOld { oldest: 8 }, "a watch begins again");
        cache.apply(vec![(9, "n/a".into(), item("n/a", 9))]);
        assert!(cache.find("n/a").is_ok_and(|item| item.is_some()));
        assert!(cache.now().unreadable_within("").is_none());
        assert_eq!(cache.since(8).map(|changes| changes.len()), Ok(1));
        cache.apply(vec![
            (10, "n/a".into(), unreadable()),
            (11, "n/a".into(), ObjectState::Deleted),
        ]);
        assert!(cache.now().unreadable.is_empty());
    }

    #[test]
    fn old_changes_are_forgotten() {
        let cache = ResourceCache::default();
        for revision in 1..=(MAX_CHANGES as u64 + 10) {
            cache.apply(vec![(revision, "a".into(), item("a", revision))]);
        }
        assert!(cache.since(3).is_err());
        let mut at = 10;
        let mut count = 0;
        loop {
            let changes = cache.since(at).unwrap();
            assert!(changes.len() <= BATCH);
            let Some(last) = changes.last() else { break };
            at = last.revision;
            count += changes.len();
        }
        assert_eq!(count, MAX_CHANGES);
    }

    #[test]
    fn who_is_slow_holds_few_large_changes() {
        let cache = ResourceCache::default();
        let body = format!(r#"{{"metadata":{{"name":"{}"}}}}"#, "x".repeat(BATCH_BYTES / 4));
        for revision in 1..=20 {
            let item = Item::stored("a".into(), revision, body.as_bytes()).unwrap();
            cache.apply(vec![(revision, "a".into(), ObjectState::Item(item))]);
        }
        assert_eq!(cache.since(0).map(|changes| changes.len()), Ok(2));
        assert_eq!(cache.since(19).map(|changes| changes.len()), Ok(1), "the last one comes, too");
    }

    #[test]
    fn one_revision_is_told_at_once() {
        let cache = ResourceCache::default();
        let key = |number: usize| Arc::<str>::from(format!("k{number}"));
        let one = (0..100).map(|number| (7, key(number), item("a", 7))).collect();
        cache.apply(one);
        cache.apply(vec![(8, key(0), item("a", 8))]);
        assert_eq!(cache.since(0).map(|changes| changes.len()), Ok(100));
        assert_eq!(cache.since(7).map(|changes| changes.len()), Ok(1));
    }

    #[test]
    fn an_event_is_written_once() {
        let cache = ResourceCache::default();
        cache.apply(vec![(6, "a".into(), item("a", 6))]);
        let change = cache.since(0).unwrap().remove(0);
        let one = change.encoded(EventType::Added, "v1", "Pod");
        assert_eq!(one.as_ptr(), change.encoded(EventType::Added, "v1", "Pod").as_ptr());
        assert_eq!(
            one,
            "{\"type\":\"ADDED\",\"object\":{\"kind\":\"Pod\",\"apiVersion\":\"v1\",\"metadata\":{\"resourceVersion\":\"6\",\"name\":\"x\"}}}\n"
        );
    }
}
