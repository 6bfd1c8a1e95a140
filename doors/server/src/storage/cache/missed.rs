//! Changes that were missed: the differences between the caches and all records of the store.

use super::{ROOT, ResourceCaches, split};
use ratchet_store::{Batch, Event, EventKind, Line, Page};
use std::collections::HashSet;
use std::sync::Arc;

/// The events that lead from the cached state to that of the store of a line. What was in between is not known any more: an object
/// that was deleted and created again has changed.
pub(super) fn differences(caches: &ResourceCaches, line: Line, page: Page) -> Batch {
    let upto = page.revision;
    let mut stored: HashSet<Arc<str>> = HashSet::with_capacity(page.records.len());
    let mut events = Vec::new();
    for record in page.records {
        stored.insert(record.key.clone());
        let cached = split(&record.key).and_then(|(name, key)| caches.get(name)?.get(key));
        if cached.is_none_or(|item| item.revision != record.modified.0) {
            let act = EventKind::Put { value: record.value, created: record.created };
            events.push(Event { key: record.key, revision: record.modified, act });
        }
    }
    events.sort_by_key(|event| event.revision);
    for (name, cache) in caches.iter().filter(|(_, cache)| cache.line() == line) {
        let snapshot = cache.now();
        for key in snapshot.items.keys().chain(snapshot.unreadable.keys()) {
            let key: Arc<str> = format!("{ROOT}{name}/{key}").into();
            if !stored.contains(&key) {
                events.push(Event { key, revision: upto, act: EventKind::Deleted });
            }
        }
    }
    Batch { events, upto }
}

#[cfg(test)]
mod tests {
    use super::super::{ObjectState, ResourceCache};
    use super::*;
    use crate::storage::cache::Item;
    use ratchet_store::{Record, Revision};

    #[test]
    fn what_changed_and_what_went_is_told() {
        let body = br#"{"metadata":{"name":"x"}}"#;
        let cache = ResourceCache::default();
        for (revision, key) in [(1, "a"), (2, "b"), (3, "c")] {
            let item = Item::stored(key.into(), revision, body).unwrap();
            cache.apply(vec![(revision, key.into(), ObjectState::Item(item))]);
        }
        // What another store has is not looked for in this one.
        let other = ResourceCache::of(Line(1));
        let item = Item::stored("e".into(), 8, body).unwrap();
        other.apply(vec![(8, "e".into(), ObjectState::Item(item))]);
        let caches: ResourceCaches = [("pods", cache), ("events", other)]
            .map(|(name, cache)| (Arc::<str>::from(name), Arc::new(cache)))
            .into_iter()
            .collect();
        let record = |key: &str, modified| Record {
            key: format!("{ROOT}{key}").into(),
            value: body.to_vec().into(),
            created: Revision(1),
            modified: Revision(modified),
        };
        let records = vec![record("new/z", 7), record("pods/a", 1), record("pods/b", 6)];
        let page = Page { records, has_more: false, revision: Revision(9) };
        let batch = differences(&caches, Line(0), page);
        let found: Vec<_> = batch
            .events
            .iter()
            .map(|event| {
                (&event.key[ROOT.len()..], event.revision.0, event.act == EventKind::Deleted)
            })
            .collect();
        assert_eq!(found, [("pods/b", 6, false), ("new/z", 7, false), ("pods/c", 9, true)]);
        assert_eq!(batch.upto, Revision(9));
    }
}
