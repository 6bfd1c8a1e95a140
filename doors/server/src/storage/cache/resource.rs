//! `ResourceCache`: the watch cache of one resource, a snapshot and its recent changes.

use super::change::Change;
use super::item::Item;
use super::object_state::{ObjectChange, ObjectState};
use super::recent::{MAX_BYTES, MAX_CHANGES, Recent, TooOld};
use super::scope::Scope;
use super::signals::{Signals, Subscription};
use super::snapshot::Snapshot;
use super::unreadable::Unreadable;
use arc_swap::ArcSwap;
use ratchet_store::Line;
use std::collections::VecDeque;
use std::sync::{Arc, Mutex, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};
use tokio::sync::watch;

/// The most snapshots that are kept for lists that continue. However many there are, they hold no more old nodes of the
/// tree than the recent changes made.
const MAX_KEPT: usize = 256;

/// The cache of one resource: one writer, any number of readers.
#[derive(Debug, Default)]
pub struct ResourceCache {
    /// Whose revisions its objects have.
    line: Line,
    now: ArcSwap<Snapshot>,
    recent: RwLock<Recent>,
    /// The snapshots of lists that continue, with the last revision at which each was asked for. What they keep in
    /// memory is among the recent changes: when those are dropped, they are dropped, too.
    kept: Mutex<VecDeque<(u64, Arc<Snapshot>)>>,
    changed: watch::Sender<()>,
    signals: Arc<Signals>,
    /// Held by the one who reads older changes from the store, so that the others find them here.
    pub(super) reading: tokio::sync::Mutex<()>,
}

impl ResourceCache {
    /// An empty cache of objects that have revisions of this line.
    pub(super) fn of(line: Line) -> Self {
        Self { line, ..Self::default() }
    }

    /// Whose revisions its objects have.
    pub(super) fn line(&self) -> Line {
        self.line
    }

    /// The current snapshot.
    pub fn now(&self) -> Arc<Snapshot> {
        self.now.load_full()
    }

    /// The revision of the last change.
    pub(crate) fn revision(&self) -> u64 {
        self.now.load().revision
    }

    /// The snapshot of a revision that is reached, if it is current or kept.
    pub(crate) fn at(&self, revision: u64) -> Option<Arc<Snapshot>> {
        let now = self.now();
        if now.revision <= revision {
            return Some(now);
        }
        let kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        let is_valid = |upto: u64, from: u64| (from..=upto).contains(&revision);
        kept.iter().find(|(upto, own)| is_valid(*upto, own.revision)).map(|(_, own)| own.clone())
    }

    /// Keeps a snapshot, which is the state at this revision, for a list that will continue at it.
    pub(crate) fn keep(&self, revision: u64, snapshot: &Arc<Snapshot>) {
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((upto, _)) = kept.iter_mut().find(|(_, own)| own.revision == snapshot.revision)
        {
            *upto = revision.max(*upto);
            return;
        }
        if kept.len() == MAX_KEPT {
            kept.pop_front();
        }
        kept.push_back((revision, snapshot.clone()));
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

    /// Notifies of changes in a scope that are applied after this call.
    pub(crate) fn subscribe(&self, scope: Scope) -> Subscription {
        self.signals.subscribe(scope)
    }

    /// The number of objects.
    pub fn len(&self) -> usize {
        self.now.load().items.len()
    }

    /// The bytes that all objects have together.
    pub fn bytes(&self) -> usize {
        self.now.load().items.bytes()
    }

    /// The number of watches that a write may concern: of a namespace (with its slash; nothing if there is none), and of an
    /// object by its name, which is empty if it is not known.
    pub(crate) fn watches(&self, prefix: &str, name: &str) -> usize {
        self.signals.concerned(prefix, name)
    }

    /// Whether there are no objects.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The changes after `revision`, oldest first, in batches: the caller may be slow, and what it holds cannot be
    /// dropped. One revision is never split. Empty when there are no more.
    pub fn since(&self, revision: u64) -> Result<Vec<Arc<Change>>, TooOld> {
        self.recent().since(revision)
    }

    /// Sets the initial snapshot; there are no changes before it.
    pub(super) fn fill(&self, found: Snapshot) {
        let revision = found.revision;
        self.now.store(Arc::new(found));
        *self.recent_mut() = Recent::after(revision);
    }

    /// The recent changes.
    pub(super) fn recent(&self) -> RwLockReadGuard<'_, Recent> {
        self.recent.read().unwrap_or_else(PoisonError::into_inner)
    }

    /// The recent changes, to drop some or to add older ones.
    pub(super) fn recent_mut(&self) -> RwLockWriteGuard<'_, Recent> {
        self.recent.write().unwrap_or_else(PoisonError::into_inner)
    }

    /// Drops the oldest changes until the rest takes no more than `bytes`.
    pub(super) fn trim_recent(&self, bytes: usize) {
        let mut recent = self.recent_mut();
        recent.trim(MAX_CHANGES, bytes);
        self.trim_kept(&recent);
    }

    /// Drops the snapshots that would keep more in memory than the recent changes do.
    fn trim_kept(&self, recent: &Recent) {
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        kept.retain(|(upto, _)| *upto >= recent.dropped_until());
    }

    /// Applies changes of one or more revisions, in order.
    pub(crate) fn apply(&self, events: Vec<ObjectChange>) {
        self.apply_after(events, None);
    }

    /// Applies what a state differs in from the one before, as far as is known: watches must start again from it.
    pub(super) fn apply_differences(&self, events: Vec<ObjectChange>) {
        let reached = events.iter().map(|(at, ..)| *at).max();
        self.apply_after(events, reached);
    }

    /// Applies changes; no watch goes on across those up to `gap`.
    fn apply_after(&self, events: Vec<ObjectChange>, mut gap: Option<u64>) {
        let mut now = Snapshot::clone(&self.now.load());
        let mut changes = Vec::with_capacity(events.len());
        for (at, key, state) in events {
            now.revision = at;
            if matches!(state, ObjectState::Unreadable(_)) {
                // There is no event for it: watchers must start again, and get the decode error then.
                gap = gap.max(Some(at));
                now.put(&key, state);
                continue;
            }
            let before = now.put(&key, state);
            changes.extend(Change::new(at, now.items.get(&key).cloned(), before));
        }
        let mut recent = self.recent_mut();
        changes.iter().for_each(|change| recent.push(change.clone()));
        recent.trim(MAX_CHANGES, MAX_BYTES);
        if let Some(gap) = gap {
            recent.drop_until(gap);
        }
        self.trim_kept(&recent);
        // Changes are published before the snapshot, so that a watch can start from any visible snapshot.
        self.now.store(Arc::new(now));
        drop(recent);
        self.signals.tell(&changes);
        if let Some(gap) = gap {
            self.signals.tell_all(gap);
        }
        self.changed.send_replace(());
    }

    /// The number of watches that the last change woke.
    #[cfg(test)]
    pub(super) fn woken(&self) -> usize {
        let last = self.now().revision;
        let changes = self.since(last.saturating_sub(1)).unwrap_or_default();
        changes.last().map_or(0, |change| self.signals.count(change))
    }
}

#[cfg(test)]
mod tests {
    use super::super::change::EventType;
    use super::super::recent::{BATCH, BATCH_BYTES};
    use super::super::scope::index_of;
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
    fn no_watch_goes_on_across_what_nobody_saw() {
        let cache = ResourceCache::default();
        cache.apply(vec![(6, "a".into(), item("a", 6)), (7, "b".into(), item("b", 7))]);
        cache.apply_differences(vec![
            (20, "b".into(), item("b", 20)),
            (22, "a".into(), ObjectState::Deleted),
        ]);
        assert!(cache.get("a").is_none() && cache.get("b").is_some_and(|item| item.revision == 20));
        for before in [6, 7, 20, 21] {
            assert_eq!(cache.since(before).unwrap_err(), TooOld { oldest: 22 });
        }
        cache.apply(vec![(23, "c".into(), item("c", 23))]);
        assert_eq!(cache.since(22).map(|changes| changes.len()), Ok(1));
        cache.apply_differences(Vec::new());
        assert_eq!(cache.since(22).map(|changes| changes.len()), Ok(1), "nothing was missed");
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
        let one = (0..100).map(|number| (7, key(number), item(&key(number), 7))).collect();
        cache.apply(one);
        cache.apply(vec![(8, key(0), item(&key(0), 8))]);
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

    fn pod(key: &str, revision: u64, node: &str) -> ObjectState {
        let body = format!(r#"{{"metadata":{{"name":"x"}},"spec":{{"nodeName":"{node}"}}}}"#);
        let pool = Mutex::default();
        let item = Item::cached(key.into(), revision, body.as_bytes(), &pool, index_of("pods"));
        ObjectState::Item(item.unwrap())
    }

    #[test]
    fn a_change_wakes_those_whom_it_may_concern() {
        let cache = ResourceCache::default();
        let node = |value: &str| Scope::Index { value: value.into(), prefix: String::new() };
        let prefix = |prefix: &str| Scope::Prefix { prefix: prefix.into() };
        let scopes = [
            prefix(""),
            prefix("a/"),
            Scope::Object { key: "a/x".into() },
            Scope::Name { name: "x".into() },
            node("n1"),
            node("n2"),
        ];
        let watches = scopes.map(|scope| cache.subscribe(scope));
        let woken = || watches.each_ref().map(|watch| watch.take().unwrap_or_default());
        cache.apply(vec![(6, "a/x".into(), pod("a/x", 6, "n1"))]);
        assert_eq!(woken(), [6, 6, 6, 6, 6, 0]);
        cache.apply(vec![(7, "a/y".into(), pod("a/y", 7, "n3"))]);
        assert_eq!(woken(), [7, 7, 0, 0, 0, 0]);
        cache.apply(vec![(8, "b/x".into(), pod("b/x", 8, "n2"))]);
        cache.apply(vec![(9, "b/x".into(), pod("b/x", 9, "n2"))]);
        assert_eq!(woken(), [8, 0, 0, 8, 0, 8], "the first that was not seen counts");
        cache.apply(vec![(10, "b/x".into(), pod("b/x", 10, "n1"))]);
        assert_eq!(woken(), [10, 0, 0, 10, 10, 10], "it goes from one node to another");
        cache.apply(vec![(11, "b/x".into(), ObjectState::Deleted)]);
        assert_eq!(woken(), [11, 0, 0, 11, 11, 0]);
        cache.apply(vec![(12, "c/z".into(), unreadable())]);
        assert_eq!(woken(), [12; 6], "all must begin again");
        drop(watches);
        cache.apply(vec![(13, "a/x".into(), pod("a/x", 13, "n1"))]);
        assert_eq!(cache.woken(), 0, "nobody is registered any more");
    }

    #[test]
    fn a_watch_knows_how_many_are_told_with_it() {
        let cache = ResourceCache::default();
        let one = cache.subscribe(Scope::Prefix { prefix: "a/".into() });
        let other = cache.subscribe(Scope::Prefix { prefix: "b/".into() });
        let second = cache.subscribe(Scope::Prefix { prefix: "a/".into() });
        assert_eq!([&one, &other, &second].map(Subscription::group_size), [2, 1, 2]);
        drop(second);
        assert_eq!([&one, &other].map(Subscription::group_size), [1, 1]);
    }

    #[test]
    fn what_a_change_wakes_does_not_grow_with_other_watches() {
        let cache = ResourceCache::default();
        let count = |watches: usize| {
            let scope =
                |number| Scope::Index { value: format!("n{number}"), prefix: String::new() };
            let _watches: Vec<_> =
                (0..watches).map(|number| cache.subscribe(scope(number))).collect();
            cache.apply(vec![(cache.now().revision + 1, "a/x".into(), pod("a/x", 9, "n7"))]);
            cache.woken()
        };
        assert_eq!([10, 5000].map(count), [1, 1]);
    }

    #[tokio::test]
    async fn a_watch_that_looked_too_early_is_woken() {
        let cache = ResourceCache::default();
        let mut watch = cache.subscribe(Scope::Object { key: "a".into() });
        cache.apply(vec![(6, "a".into(), item("a", 6))]);
        watch.changed().await;
        assert_eq!((watch.take(), watch.take()), (Some(6), None));
    }

    #[test]
    fn a_snapshot_is_kept_as_long_as_its_changes() {
        let cache = ResourceCache::default();
        cache.apply(vec![(6, "a".into(), item("a", 6))]);
        let old = cache.now();
        assert!(cache.at(6).is_some() && cache.at(9).is_some(), "nothing changed since");
        cache.keep(9, &old);
        cache.apply(vec![(10, "b".into(), item("b", 10))]);
        assert_eq!([6, 8, 9].map(|at| cache.at(at).map_or(0, |state| state.items.len())), [1; 3]);
        assert_eq!(cache.at(10).map(|state| state.items.len()), Some(2));
        assert!(cache.at(5).is_none(), "nobody asked to keep it");
        let last = 11 + MAX_KEPT as u64;
        for revision in 11..=last {
            cache.apply(vec![(revision, "b".into(), item("b", revision))]);
            cache.keep(revision, &cache.now());
        }
        assert_eq!(cache.kept.lock().unwrap().len(), MAX_KEPT);
        assert!(cache.at(9).is_none() && cache.at(last - 1).is_some(), "the oldest went first");
        cache.trim_recent(0);
        assert!(
            cache.at(last - 1).is_none() && cache.at(last).is_some(),
            "what is current needs no keeping"
        );
    }
}
