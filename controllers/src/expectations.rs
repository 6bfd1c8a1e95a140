//! Own writes that the informer has not delivered yet: planning without them would repeat them.

use crate::{Change, Client, Failure, Key, Shared};
use ratchet_object::{Node, percent_encode};
use std::collections::{BTreeMap, HashMap};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use tokio::time::Instant;

/// Age after which a write is checked with the API: its event may never come, if somebody undid the
/// write.
const LOOKUP_AGE: Duration = Duration::from_secs(5);

/// The first delay before the informer is checked again; it grows with the age of the write.
const FIRST_DELAY: Duration = Duration::from_millis(20);

/// Pending writes by key and object name.
#[derive(Default)]
pub(crate) struct Expectations {
    by_key: Mutex<HashMap<Key, BTreeMap<String, PendingWrite>>>,
}

#[derive(Clone, Debug)]
struct PendingWrite {
    uid: String,
    /// The resource version after the write; `None` for a deletion.
    version: Option<u64>,
    at: Instant,
}

impl Expectations {
    /// Records a write by the object in its response.
    pub(crate) fn record_write(&self, key: &str, response: &Node<'_>) {
        let version = Some(version(response));
        self.record(key, response, version);
    }

    /// Records a deletion of the object.
    pub(crate) fn record_deletion(&self, key: &str, object: &Node<'_>) {
        self.record(key, object, None);
    }

    fn record(&self, key: &str, object: &Node<'_>, version: Option<u64>) {
        let name = object.metadata().name().to_owned();
        let uid = object.metadata().uid().to_owned();
        let pending = PendingWrite { uid, version, at: Instant::now() };
        self.lock().entry(Key::from(key)).or_default().insert(name, pending);
    }

    /// The delay until the next check, if a write for the key is not visible in `objects` yet. An
    /// overdue write is looked up in the API: either it was undone and there is nothing to wait
    /// for, or its event is late, and planning without it would be wrong.
    pub(crate) async fn pending_delay(
        &self,
        client: &Client,
        key: &str,
        collection: &str,
        objects: &[Shared],
    ) -> Result<Option<Duration>, Failure> {
        let Some(age) = self.oldest_pending(key, objects) else { return Ok(None) };
        if age >= LOOKUP_AGE {
            for name in self.overdue(key) {
                let current = client.get(&format!("{collection}/{}", percent_encode(&name))).await;
                match current {
                    Ok(object) => self.verify(key, &name, Some(&object)),
                    Err(failure) if failure.is_not_found() => self.verify(key, &name, None),
                    Err(failure) => return Err(failure),
                }
            }
        }
        Ok(self.oldest_pending(key, objects).map(|age| FIRST_DELAY.max(age / 2)))
    }

    /// The age of the oldest write that is not visible yet.
    fn oldest_pending(&self, key: &str, objects: &[Shared]) -> Option<Duration> {
        let mut by_key = self.lock();
        let pending = by_key.get_mut(key)?;
        pending.retain(|name, pending| {
            let current = objects.iter().find(|object| object.metadata().name() == name);
            !pending.is_visible_in(current)
        });
        let age = pending.values().map(|pending| pending.at.elapsed()).max();
        if age.is_none() {
            by_key.remove(key);
        }
        age
    }

    fn overdue(&self, key: &str) -> Vec<String> {
        let by_key = self.lock();
        let pending = by_key.get(key).into_iter().flatten();
        let overdue = pending.filter(|(_, pending)| pending.at.elapsed() >= LOOKUP_AGE);
        overdue.map(|(name, _)| name.clone()).collect()
    }

    /// Compares a pending write with the object in the API.
    fn verify(&self, key: &str, name: &str, object: Option<&Node<'_>>) {
        let mut by_key = self.lock();
        let Some(pending) = by_key.get_mut(key) else { return };
        let Some(write) = pending.get_mut(name) else { return };
        let exists = object.is_some_and(|object| object.metadata().uid() == write.uid);
        // As written: only its event is late.
        if exists == write.version.is_some() {
            write.at = Instant::now();
        } else {
            pending.remove(name);
        }
    }

    /// Whether a change is an own write for the key, or older, and needs no reconciliation.
    pub(crate) fn explains(&self, key: &str, change: &Change) -> bool {
        let Some(object) = change.new.as_ref().or(change.old.as_ref()) else { return false };
        let mut by_key = self.lock();
        let Some(pending) = by_key.get_mut(key) else { return false };
        let name = object.metadata().name();
        let Some(write) = pending.get(name) else { return false };
        if write.uid != object.metadata().uid() {
            return false;
        }
        match &change.new {
            Some(new) => {
                let (written_version, observed_version) = (write.version, version(new));
                if written_version
                    .is_some_and(|written_version| observed_version >= written_version)
                {
                    pending.remove(name);
                }
                written_version.is_some_and(|written_version| observed_version <= written_version)
            }
            None => {
                let was_own_deletion = write.version.is_none();
                pending.remove(name);
                was_own_deletion
            }
        }
    }

    /// Drops all pending writes of the key.
    pub(crate) fn forget(&self, key: &str) {
        self.lock().remove(key);
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<Key, BTreeMap<String, PendingWrite>>> {
        self.by_key.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl PendingWrite {
    fn is_visible_in(&self, current: Option<&Shared>) -> bool {
        let same = current.filter(|object| object.metadata().uid() == self.uid);
        match (self.version, same) {
            (Some(written_version), Some(object)) => version(object) >= written_version,
            (Some(_), None) => false,
            (None, same) => same.is_none(),
        }
    }
}

/// The resource version; within one store, a greater number is newer.
fn version(object: &Node<'_>) -> u64 {
    object.metadata().resource_version().parse().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::client::parse_json;
    use crate::{Api, ApiRequest, ApiResponse, BoxFuture, Lines, Representation};
    use std::sync::Arc;

    fn object(version: u64) -> Shared {
        let text =
            format!(r#"{{"metadata":{{"name":"x","uid":"u","resourceVersion":"{version}"}}}}"#);
        Shared::new(parse_json(text.as_bytes()).expect("reads").into_owned())
    }

    fn change(old: Option<u64>, new: Option<u64>) -> Change {
        Change { key: "n/x".into(), old: old.map(object), new: new.map(object) }
    }

    /// Answers every GET with this object.
    struct FixedObject(Option<Shared>);

    impl Api for FixedObject {
        fn send(&self, _: ApiRequest) -> BoxFuture<'_, ApiResponse> {
            let body = self.0.as_ref().map(|object| object.to_json());
            let status = if body.is_some() { 200 } else { 404 };
            let body = body.unwrap_or_default().into();
            Box::pin(std::future::ready(ApiResponse { status, body }))
        }

        fn watch(&self, _: &str, _: Representation) -> BoxFuture<'_, Result<Box<dyn Lines>, u16>> {
            Box::pin(std::future::ready(Err(404)))
        }
    }

    async fn waits(expectations: &Expectations, current: Option<u64>, seen: &[Shared]) -> bool {
        let client = Client::new(Arc::new(FixedObject(current.map(object))), "test");
        expectations.pending_delay(&client, "n/s", "/x", seen).await.expect("answers").is_some()
    }

    #[tokio::test(start_paused = true)]
    async fn what_was_written_is_awaited_until_it_is_seen() {
        let expectations = Expectations::default();
        assert!(!waits(&expectations, None, &[]).await);
        expectations.record_write("n/s", &object(5));
        assert!(waits(&expectations, None, &[]).await);
        assert!(waits(&expectations, None, &[object(4)]).await);
        assert!(!waits(&expectations, None, &[object(5)]).await);
        assert!(!waits(&expectations, None, &[]).await, "seen is seen");
        expectations.record_deletion("n/s", &object(5));
        assert!(waits(&expectations, None, &[object(5)]).await);
        assert!(!waits(&expectations, None, &[]).await);
        expectations.record_write("n/s", &object(6));
        expectations.forget("n/s");
        assert!(!waits(&expectations, None, &[]).await);
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
            let expectations = Expectations::default();
            match deleted {
                true => expectations.record_deletion("n/s", &object(5)),
                false => expectations.record_write("n/s", &object(5)),
            }
            let seen: Vec<_> = seen.map(object).into_iter().collect();
            for _ in 0..3 {
                tokio::time::sleep(LOOKUP_AGE).await;
                assert_eq!(waits(&expectations, there, &seen).await, still, "{deleted} {there:?}");
            }
        }
    }

    #[tokio::test(start_paused = true)]
    async fn own_writes_explain_changes_and_those_of_others_do_not() {
        let expectations = Expectations::default();
        assert!(!expectations.explains("n/s", &change(None, Some(5))));
        expectations.record_write("n/s", &object(5));
        assert!(expectations.explains("n/s", &change(None, Some(4))), "older than ours");
        assert!(expectations.explains("n/s", &change(Some(4), Some(5))));
        assert!(!expectations.explains("n/s", &change(Some(5), Some(6))));
        expectations.record_write("n/s", &object(7));
        assert!(!expectations.explains("n/s", &change(Some(6), None)), "others deleted it");
        assert!(!waits(&expectations, None, &[]).await, "then it is not awaited");
        expectations.record_deletion("n/s", &object(6));
        assert!(expectations.explains("n/s", &change(Some(6), None)));
    }
}
