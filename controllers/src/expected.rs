//! What a controller wrote and its informer has not seen yet: planning without it would do it again.

use crate::client::escaped;
use crate::{Change, Client, Failure, Key, Shared};
use ratchet_object::Node;
use std::collections::{BTreeMap, HashMap};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use tokio::time::Instant;

/// News that did not come after so long may never come, if somebody undid the write meanwhile.
const PATIENCE: Duration = Duration::from_secs(5);

/// News of an own write comes soon; if it does not, it is looked for less and less often.
const SOON: Duration = Duration::from_millis(20);

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

    /// When to look again, if something that was written for the key is not among `objects` yet.
    /// News that is overdue is asked for: either the write was undone and there is nothing to
    /// wait for, or it is the news that are late, and to plan without them would be wrong.
    pub(crate) async fn awaited(
        &self,
        client: &Client,
        key: &str,
        collection: &str,
        objects: &[Shared],
    ) -> Result<Option<Duration>, Failure> {
        let Some(age) = self.missing(key, objects) else { return Ok(None) };
        if age >= PATIENCE {
            for name in self.overdue(key) {
                let there = client.get(&format!("{collection}/{}", escaped(&name))).await;
                match there {
                    Ok(object) => self.told(key, &name, Some(&object)),
                    Err(failure) if failure.is_not_found() => self.told(key, &name, None),
                    Err(failure) => return Err(failure),
                }
            }
        }
        Ok(self.missing(key, objects).map(|age| SOON.max(age / 2)))
    }

    /// How long what is missing has been missing.
    fn missing(&self, key: &str, objects: &[Shared]) -> Option<Duration> {
        let mut all = self.lock();
        let written = all.get_mut(key)?;
        written.retain(|name, written| {
            let there = objects.iter().find(|object| object.text_at(&["metadata", "name"]) == name);
            !written.is_seen(there)
        });
        let age = written.values().map(|written| written.at.elapsed()).max();
        if age.is_none() {
            all.remove(key);
        }
        age
    }

    fn overdue(&self, key: &str) -> Vec<String> {
        let all = self.lock();
        let written = all.get(key).into_iter().flatten();
        let late = written.filter(|(_, written)| written.at.elapsed() >= PATIENCE);
        late.map(|(name, _)| name.clone()).collect()
    }

    /// What the API itself says of the object.
    fn told(&self, key: &str, name: &str, object: Option<&Node<'_>>) {
        let mut all = self.lock();
        let Some(written) = all.get_mut(key) else { return };
        let Some(note) = written.get_mut(name) else { return };
        let is_there =
            object.is_some_and(|object| object.text_at(&["metadata", "uid"]) == note.uid);
        // As it was written: it is the news that are late.
        if is_there == note.version.is_some() {
            note.at = Instant::now();
        } else {
            written.remove(name);
        }
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
    use crate::{Api, ApiAnswer, ApiRequest, Lines, Shown, Waiting};
    use std::sync::Arc;

    fn object(version: u64) -> Shared {
        let text =
            format!(r#"{{"metadata":{{"name":"x","uid":"u","resourceVersion":"{version}"}}}}"#);
        Shared::new(read(text.as_bytes()).expect("reads").into_owned())
    }

    fn change(old: Option<u64>, new: Option<u64>) -> Change {
        Change { key: "n/x".into(), old: old.map(object), new: new.map(object) }
    }

    /// Answers every GET with this object.
    struct There(Option<Shared>);

    impl Api for There {
        fn send(&self, _: ApiRequest) -> Waiting<'_, ApiAnswer> {
            let body = self.0.as_ref().map(|object| object.to_json());
            let status = if body.is_some() { 200 } else { 404 };
            let body = body.unwrap_or_default().into();
            Box::pin(std::future::ready(ApiAnswer { status, body }))
        }

        fn watch(&self, _: &str, _: Shown) -> Waiting<'_, Result<Box<dyn Lines>, u16>> {
            Box::pin(std::future::ready(Err(404)))
        }
    }

    async fn waits(expected: &Expected, there: Option<u64>, seen: &[Shared]) -> bool {
        let client = Client::new(Arc::new(There(there.map(object))), "test");
        expected.awaited(&client, "n/s", "/x", seen).await.expect("answers").is_some()
    }

    #[tokio::test(start_paused = true)]
    async fn what_was_written_is_awaited_until_it_is_seen() {
        let expected = Expected::default();
        assert!(!waits(&expected, None, &[]).await);
        expected.wrote("n/s", &object(5));
        assert!(waits(&expected, None, &[]).await);
        assert!(waits(&expected, None, &[object(4)]).await);
        assert!(!waits(&expected, None, &[object(5)]).await);
        assert!(!waits(&expected, None, &[]).await, "seen is seen");
        expected.deleted("n/s", &object(5));
        assert!(waits(&expected, None, &[object(5)]).await);
        assert!(!waits(&expected, None, &[]).await);
        expected.wrote("n/s", &object(6));
        expected.forget("n/s");
        assert!(!waits(&expected, None, &[]).await);
    }

    #[tokio::test(start_paused = true)]
    async fn news_that_is_overdue_is_asked_for() {
        for (deleted, there, seen, still) in [
            (false, Some(5), None, true),
            (false, Some(9), Some(4), true),
            (false, None, None, false),
            (true, None, Some(5), true),
            (true, Some(5), Some(5), false),
        ] {
            let expected = Expected::default();
            match deleted {
                true => expected.deleted("n/s", &object(5)),
                false => expected.wrote("n/s", &object(5)),
            }
            let seen: Vec<_> = seen.map(object).into_iter().collect();
            for _ in 0..3 {
                tokio::time::sleep(PATIENCE).await;
                assert_eq!(waits(&expected, there, &seen).await, still, "{deleted} {there:?}");
            }
        }
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
        assert!(!waits(&expected, None, &[]).await, "then it is not awaited");
        expected.deleted("n/s", &object(6));
        assert!(expected.explains("n/s", &change(Some(6), None)));
    }
}
