//! The watch cache of one resource: the newest state as a snapshot, and what happened lately.

use super::item::Item;
use super::unreadable::Unreadable;
use super::{Now, Seen};
use arc_swap::ArcSwap;
use bytes::Bytes;
use imbl::OrdMap;
use std::collections::VecDeque;
use std::sync::{Arc, OnceLock, PoisonError, RwLock};
use tokio::sync::watch;

/// The objects of one resource.
pub(crate) type Items = OrdMap<Arc<str>, Arc<Item>>;

/// Everything of one resource as of a revision. Readers hold it as long as they like.
#[derive(Clone, Debug, Default)]
pub struct Snapshot {
    /// The objects, in the order of their keys.
    pub items: Items,
    /// What is stored and cannot be read; nothing as a rule.
    pub unreadable: OrdMap<Arc<str>, Arc<Unreadable>>,
    /// The revision of the newest change among them.
    pub revision: u64,
}

impl Snapshot {
    /// What cannot be read among the keys that begin with `prefix`: who needs all of them cannot have them.
    pub fn unreadable_within(&self, prefix: &str) -> Option<&Arc<Unreadable>> {
        if self.unreadable.is_empty() {
            return None;
        }
        let (key, found) = self.unreadable.range(Arc::<str>::from(prefix)..).next()?;
        key.starts_with(prefix).then_some(found)
    }

    /// Sets what is under a key; what was there before.
    pub(super) fn put(&mut self, key: Arc<str>, now: Now) -> Option<Arc<Item>> {
        match now {
            Now::Item(item) => {
                self.unreadable.remove(&key);
                self.items.insert(key, Arc::new(item))
            }
            Now::Unreadable(found) => {
                let old = self.items.remove(&key);
                self.unreadable.insert(key, found);
                old
            }
            Now::Gone => {
                self.unreadable.remove(&key);
                self.items.remove(&key)
            }
        }
    }

    /// The objects whose keys begin with `prefix`, in the order of their keys.
    pub fn within<'a>(&'a self, prefix: &'a str) -> impl Iterator<Item = &'a Arc<Item>> {
        let from = self.items.range(Arc::<str>::from(prefix)..);
        from.take_while(move |(key, _)| key.starts_with(prefix)).map(|(_, item)| item)
    }
}

/// What happened to one object.
#[derive(Debug)]
pub struct Change {
    /// When.
    pub revision: u64,
    /// The object afterwards; of a deletion, the last state with the revision of the deletion.
    pub item: Arc<Item>,
    /// The object before; none if it was made.
    pub before: Option<Arc<Item>>,
    /// Whether it was removed.
    pub is_deletion: bool,
    encoded: [OnceLock<Bytes>; 3],
}

/// How an event is called.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EventType {
    /// It is there now.
    Added,
    /// It is another now.
    Modified,
    /// It is gone.
    Deleted,
}

impl EventType {
    /// The word in the event.
    pub fn word(self) -> &'static str {
        match self {
            Self::Added => "ADDED",
            Self::Modified => "MODIFIED",
            Self::Deleted => "DELETED",
        }
    }
}

impl Change {
    /// What it holds in memory: the object, and the event that is written for those who watch.
    fn weight(&self) -> usize {
        2 * self.item.body.len() + 256
    }

    /// What to call it for somebody who asks for everything.
    pub fn event_type(&self) -> EventType {
        match (&self.before, self.is_deletion) {
            (_, true) => EventType::Deleted,
            (None, false) => EventType::Added,
            (Some(_), false) => EventType::Modified,
        }
    }

    /// The event as one line of JSON, written once for all who watch in the stored version.
    pub fn encoded(&self, event: EventType, api_version: &str, kind: &str) -> Bytes {
        let slot = self.encoded.get(event as usize);
        let write = || line(event, &self.item.whole(api_version, kind));
        slot.map_or_else(write, |slot| slot.get_or_init(write).clone())
    }
}

/// One watch event around an object.
pub(crate) fn line(event: EventType, object: &[Bytes]) -> Bytes {
    let length: usize = object.iter().map(Bytes::len).sum();
    let mut out = Vec::with_capacity(length + 40);
    out.extend_from_slice(br#"{"type":""#);
    out.extend_from_slice(event.word().as_bytes());
    out.extend_from_slice(br#"","object":"#);
    for part in object {
        out.extend_from_slice(part);
    }
    out.extend_from_slice(b"}\n");
    out.into()
}

/// The recent changes; older ones are forgotten, by number and by weight.
#[derive(Debug, Default)]
struct Recent {
    changes: VecDeque<Arc<Change>>,
    bytes: usize,
    /// Everything up to this revision has been forgotten.
    forgotten: u64,
}

const MOST_RECENT: usize = 4096;
const MOST_BYTES: usize = 16 << 20;
const HANDFUL: usize = 64;
const HANDFUL_BYTES: usize = 1 << 20;

/// The cache of one resource. One task writes it, any number read it.
#[derive(Debug, Default)]
pub struct Shelf {
    now: ArcSwap<Snapshot>,
    recent: RwLock<Recent>,
    changed: watch::Sender<()>,
}

/// What was asked for is older than what is remembered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TooOld {
    /// The oldest revision from which a watch can go on.
    pub oldest: u64,
}

impl Recent {
    fn push(&mut self, change: Arc<Change>) {
        self.bytes += change.weight();
        self.changes.push_back(change);
    }

    /// Forgets the oldest changes until so many, with so many bytes, are left.
    fn trim(&mut self, count: usize, bytes: usize) {
        while self.changes.len() > count || self.bytes > bytes {
            let Some(oldest) = self.changes.pop_front() else { break };
            self.bytes -= oldest.weight();
            self.forgotten = oldest.revision;
        }
    }
}

impl Shelf {
    /// The newest state.
    pub fn now(&self) -> Arc<Snapshot> {
        self.now.load_full()
    }

    /// One object, for those to whom one that cannot be read is as good as none.
    pub fn get(&self, key: &str) -> Option<Arc<Item>> {
        self.now.load().items.get(key).cloned()
    }

    /// One object; fails if it is there and cannot be read.
    pub fn find(&self, key: &str) -> Result<Option<Arc<Item>>, Unreadable> {
        let now = self.now.load();
        match now.unreadable.get(key) {
            Some(found) => Err(found.as_ref().clone()),
            None => Ok(now.items.get(key).cloned()),
        }
    }

    /// Tells when something has happened.
    pub fn changes(&self) -> watch::Receiver<()> {
        self.changed.subscribe()
    }

    /// How many objects there are.
    pub fn len(&self) -> usize {
        self.now.load().items.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// What happened after `revision`, oldest first: a handful at a time, for who takes it may be slow, and what is in
    /// hand is not forgotten. One revision is never split. Empty when there is nothing more.
    pub fn since(&self, revision: u64) -> Result<Vec<Arc<Change>>, TooOld> {
        let recent = self.recent.read().unwrap_or_else(PoisonError::into_inner);
        if revision < recent.forgotten {
            return Err(TooOld { oldest: recent.forgotten });
        }
        let from = recent.changes.partition_point(|change| change.revision <= revision);
        let (mut handful, mut bytes): (Vec<Arc<Change>>, usize) = (Vec::new(), 0);
        for change in recent.changes.range(from..) {
            let goes_on = handful.last().is_some_and(|last| last.revision == change.revision);
            if (handful.len() >= HANDFUL || bytes >= HANDFUL_BYTES) && !goes_on {
                break;
            }
            bytes += change.weight();
            handful.push(change.clone());
        }
        Ok(handful)
    }

    /// Sets the state that was found at the start; nothing before it is remembered.
    pub(super) fn fill(&self, found: Snapshot) {
        let revision = found.revision;
        self.now.store(Arc::new(found));
        let mut recent = self.recent.write().unwrap_or_else(PoisonError::into_inner);
        *recent = Recent { forgotten: revision, ..Recent::default() };
    }

    /// How much the remembered changes hold in memory.
    pub(super) fn recent_bytes(&self) -> usize {
        self.recent.read().unwrap_or_else(PoisonError::into_inner).bytes
    }

    /// Forgets the oldest changes until what is left holds no more than this.
    pub(super) fn forget_down_to(&self, bytes: usize) {
        self.recent.write().unwrap_or_else(PoisonError::into_inner).trim(MOST_RECENT, bytes);
    }

    /// Takes in what happened at one revision or several, in order.
    pub(crate) fn apply(&self, events: Vec<Seen>) {
        let mut now = Snapshot::clone(&self.now.load());
        let mut changes = Vec::with_capacity(events.len());
        let mut lost = None;
        for (at, key, what) in events {
            now.revision = at;
            let (is_deletion, is_lost) =
                (matches!(what, Now::Gone), matches!(what, Now::Unreadable(_)));
            let before = now.put(key.clone(), what);
            if is_lost {
                // Nobody can be told what happened: who watches begins again, and hears then what cannot be read.
                lost = Some(at);
                continue;
            }
            let item = match (now.items.get(&key), &before) {
                (Some(item), _) => item.clone(),
                (None, Some(old)) => Arc::new(old.as_of(at)),
                (None, None) => continue,
            };
            let encoded = std::array::from_fn(|_| OnceLock::new());
            changes.push(Arc::new(Change { revision: at, item, before, is_deletion, encoded }));
        }
        let mut recent = self.recent.write().unwrap_or_else(PoisonError::into_inner);
        changes.into_iter().for_each(|change| recent.push(change));
        recent.trim(MOST_RECENT, MOST_BYTES);
        if let Some(lost) = lost {
            recent.changes.retain(|change| change.revision > lost);
            recent.bytes = recent.changes.iter().map(|change| change.weight()).sum();
            recent.forgotten = recent.forgotten.max(lost);
        }
        // Changes before the state: who sees the new state can also watch from it.
        self.now.store(Arc::new(now));
        drop(recent);
        self.changed.send_replace(());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn item(key: &str, revision: u64) -> Now {
        let item = Item::stored(key.into(), revision, br#"{"metadata":{"name":"x"}}"#);
        Now::Item(item.unwrap())
    }

    fn lost() -> Now {
        Now::Unreadable(Arc::new(Unreadable { key: "/registry/pods/n/a".into(), why: "x".into() }))
    }

    #[test]
    fn changes_are_told_in_order_with_what_was_before() {
        let shelf = Shelf::default();
        shelf.fill(Snapshot { revision: 5, ..Snapshot::default() });
        shelf.apply(vec![(6, "a".into(), item("a", 6))]);
        shelf.apply(vec![(7, "a".into(), item("a", 7)), (8, "a".into(), Now::Gone)]);
        let all = shelf.since(5).unwrap();
        let words: Vec<&str> = all.iter().map(|change| change.event_type().word()).collect();
        assert_eq!(words, ["ADDED", "MODIFIED", "DELETED"]);
        assert_eq!(all.last().map(|change| change.item.revision), Some(8));
        assert_eq!(shelf.since(7).unwrap().len(), 1);
        assert_eq!(shelf.since(4).unwrap_err(), TooOld { oldest: 5 });
        assert!(shelf.is_empty());
    }

    #[test]
    fn what_cannot_be_read_is_neither_there_nor_absent() {
        let shelf = Shelf::default();
        shelf.apply(vec![(6, "n/a".into(), item("n/a", 6)), (7, "n/b".into(), item("n/b", 7))]);
        shelf.apply(vec![(8, "n/a".into(), lost())]);
        assert!(shelf.get("n/a").is_none());
        assert!(shelf.find("n/a").is_err() && shelf.find("n/b").is_ok_and(|item| item.is_some()));
        assert!(shelf.find("n/c").is_ok_and(|item| item.is_none()));
        let now = shelf.now();
        assert!(now.unreadable_within("").is_some() && now.unreadable_within("n/").is_some());
        assert!(now.unreadable_within("m/").is_none() && now.unreadable_within("o/").is_none());
        assert_eq!(shelf.since(7).unwrap_err(), TooOld { oldest: 8 }, "a watch begins again");
        shelf.apply(vec![(9, "n/a".into(), item("n/a", 9))]);
        assert!(shelf.find("n/a").is_ok_and(|item| item.is_some()));
        assert!(shelf.now().unreadable_within("").is_none());
        assert_eq!(shelf.since(8).map(|changes| changes.len()), Ok(1));
        shelf.apply(vec![(10, "n/a".into(), lost()), (11, "n/a".into(), Now::Gone)]);
        assert!(shelf.now().unreadable.is_empty());
    }

    #[test]
    fn old_changes_are_forgotten() {
        let shelf = Shelf::default();
        for revision in 1..=(MOST_RECENT as u64 + 10) {
            shelf.apply(vec![(revision, "a".into(), item("a", revision))]);
        }
        assert!(shelf.since(3).is_err());
        let mut at = 10;
        let mut told = 0;
        loop {
            let changes = shelf.since(at).unwrap();
            assert!(changes.len() <= HANDFUL);
            let Some(last) = changes.last() else { break };
            at = last.revision;
            told += changes.len();
        }
        assert_eq!(told, MOST_RECENT);
    }

    #[test]
    fn who_is_slow_holds_few_large_changes() {
        let cache = Shelf::default();
        let body = format!(r#"{{"metadata":{{"name":"{}"}}}}"#, "x".repeat(HANDFUL_BYTES / 4));
        for revision in 1..=20 {
            let item = Item::stored("a".into(), revision, body.as_bytes()).unwrap();
            cache.apply(vec![(revision, "a".into(), Now::Item(item))]);
        }
        assert_eq!(cache.since(0).map(|changes| changes.len()), Ok(2));
        assert_eq!(cache.since(19).map(|changes| changes.len()), Ok(1), "the last one comes, too");
    }

    #[test]
    fn one_revision_is_told_at_once() {
        let shelf = Shelf::default();
        let key = |number: usize| Arc::<str>::from(format!("k{number}"));
        let one = (0..100).map(|number| (7, key(number), item("a", 7))).collect();
        shelf.apply(one);
        shelf.apply(vec![(8, key(0), item("a", 8))]);
        assert_eq!(shelf.since(0).map(|changes| changes.len()), Ok(100));
        assert_eq!(shelf.since(7).map(|changes| changes.len()), Ok(1));
    }

    #[test]
    fn an_event_is_written_once() {
        let shelf = Shelf::default();
        shelf.apply(vec![(6, "a".into(), item("a", 6))]);
        let change = shelf.since(0).unwrap().remove(0);
        let one = change.encoded(EventType::Added, "v1", "Pod");
        assert_eq!(one.as_ptr(), change.encoded(EventType::Added, "v1", "Pod").as_ptr());
        assert_eq!(
            one,
            "{\"type\":\"ADDED\",\"object\":{\"kind\":\"Pod\",\"apiVersion\":\"v1\",\"metadata\":{\"resourceVersion\":\"6\",\"name\":\"x\"}}}\n"
        );
    }
}
