//! What a controller wrote and its informer has not seen yet: planning without it would do it again.

use crate::{Change, Key, Shared};
use ratchet_object::Node;
use std::collections::{BTreeMap, HashMap};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use tokio::time::Instant;

/// News that did not come after so long will not come: somebody undid the write meanwhile.
const PATIENCE: Duration = Duration::from_secs(10);

/// What was written for each key, by the name of the object.
#[derive(Default)]
pub(crate) struct Expected {
    by_key: Mutex<HashMap<Key, BTreeMap<String, Written>>>,
}

#[derive(Clone, Debug)]
struct Written {
    uid: String,
    /// The version that the write made; none if it was a deletion.
    version: Option<u64>,
    at: Instant,
}

impl Expected {
    /// The object as the answer to a write shows it.
    pub(crate) fn wrote(&self, key: &str, answer: &Node<'_>) {
        let version = Some(version(answer));
        self.note(key, answer, version);
    }

    /// The object is being deleted.
    pub(crate) fn deleted(&self, key: &str, object: &Node<'_>) {
        self.note(key, object, None);
    }

    fn note(&self, key: &str, object: &Node<'_>, version: Option<u64>) {
        let name = object.text_at(&["metadata", "name"]).to_owned();
        let uid = object.text_at(&["metadata", "uid"]).to_owned();
        let written = Written { uid, version, at: Instant::now() };
        self.lock().entry(Key::from(key)).or_default().insert(name, written);
    }

    /// Whether something that was written for the key is not among `objects` yet.
    pub(crate) fn misses(&self, key: &str, objects: &[Shared]) -> bool {
        let mut all = self.lock();
        let Some(written) = all.get_mut(key) else { return false };
        written.retain(|name, written| {
            let there = objects.iter().find(|object| object.text_at(&["metadata", "name"]) == name);
            written.at.elapsed() < PATIENCE && !written.is_seen(there)
        });
        let misses = !written.is_empty();
        if !misses {
            all.remove(key);
        }
        misses
    }

    /// Whether a change is one that was written for the key, or older, and needs no look.
    pub(crate) fn explains(&self, key: &str, change: &Change) -> bool {
        let Some(object) = change.new.as_ref().or(change.old.as_ref()) else { return false };
        let mut all = self.lock();
        let Some(written) = all.get_mut(key) else { return false };
        let name = object.text_at(&["metadata", "name"]);
        let Some(note) = written.get(name) else { return false };
        if note.uid != object.text_at(&["metadata", "uid"]) {
            return false;
        }
        match &change.new {
            Some(new) => {
                let (own, now) = (note.version, version(new));
                if own.is_some_and(|own| now >= own) {
                    written.remove(name);
                }
                own.is_some_and(|own| now <= own)
            }
            None => {
                let was_ours = note.version.is_none();
                written.remove(name);
                was_ours
            }
        }
    }

    /// Nothing is remembered of the key any more.
    pub(crate) fn forget(&self, key: &str) {
        self.lock().remove(key);
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<Key, BTreeMap<String, Written>>> {
        self.by_key.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Written {
    fn is_seen(&self, there: Option<&Shared>) -> bool {
        let same = there.filter(|object| object.text_at(&["metadata", "uid"]) == self.uid);
        match (self.version, same) {
            (Some(own), Some(object)) => version(object) >= own,
            (Some(_), None) => false,
            (None, same) => same.is_none(),
        }
    }
}

/// The resource version; the counter of one store, so that a greater one is newer.
fn version(object: &Node<'_>) -> u64 {
    object.text_at(&["metadata", "resourceVersion"]).parse().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::client::read;

    fn object(version: u64) -> Shared {
        let text =
            format!(r#"{{"metadata":{{"name":"x","uid":"u","resourceVersion":"{version}"}}}}"#);
        Shared::new(read(text.as_bytes()).expect("reads").into_owned())
    }

    fn change(old: Option<u64>, new: Option<u64>) -> Change {
        Change { key: "n/x".into(), old: old.map(object), new: new.map(object) }
    }

    #[tokio::test(start_paused = true)]
    async fn what_was_written_is_awaited_until_it_is_seen() {
        let expected = Expected::default();
        assert!(!expected.misses("n/s", &[]));
        expected.wrote("n/s", &object(5));
        assert!(expected.misses("n/s", &[]));
        assert!(expected.misses("n/s", &[object(4)]));
        assert!(!expected.misses("n/other", &[]));
        assert!(!expected.misses("n/s", &[object(5)]));
        assert!(!expected.misses("n/s", &[]), "seen is seen");
        expected.deleted("n/s", &object(5));
        assert!(expected.misses("n/s", &[object(5)]));
        assert!(!expected.misses("n/s", &[]));
    }

    #[tokio::test(start_paused = true)]
    async fn news_that_never_comes_is_not_awaited_for_ever() {
        let expected = Expected::default();
        expected.wrote("n/s", &object(5));
        tokio::time::sleep(PATIENCE).await;
        assert!(!expected.misses("n/s", &[]));
        expected.wrote("n/s", &object(5));
        expected.forget("n/s");
        assert!(!expected.misses("n/s", &[]));
    }

    #[tokio::test(start_paused = true)]
    async fn own_writes_explain_changes_and_those_of_others_do_not() {
        let expected = Expected::default();
        assert!(!expected.explains("n/s", &change(None, Some(5))));
        expected.wrote("n/s", &object(5));
        assert!(expected.explains("n/s", &change(None, Some(4))), "older than ours");
        assert!(expected.explains("n/s", &change(Some(4), Some(5))));
        assert!(!expected.explains("n/s", &change(Some(5), Some(6))));
        expected.wrote("n/s", &object(7));
        assert!(!expected.explains("n/s", &change(Some(6), None)), "others deleted it");
        assert!(!expected.misses("n/s", &[]), "then it is not awaited");
        expected.deleted("n/s", &object(6));
        assert!(expected.explains("n/s", &change(Some(6), None)));
    }
}
