//! A local copy of a collection: listed once, then kept up by a watch.

use crate::reflector::{Follower, Reflector};
use crate::store::{Change, Shared, Store, key_of};
<<<<<<< HEAD
use crate::{Client, Key, Meter};
=======
use crate::trim::trimmed;
use crate::{Client, Failure, Lines, Meter};
>>>>>>> w-ends
use ratchet_object::Node;
use std::sync::Arc;
use tokio::sync::watch;

/// Hears of every change, after the store has it.
pub(crate) type Listener = Box<dyn Fn(&Change) + Send + Sync>;

/// A collection that many controllers may look at.
pub(crate) struct Informer {
    reflector: Reflector,
    store: Arc<Store>,
    listeners: Vec<Listener>,
    synced: watch::Sender<bool>,
}

impl Informer {
    /// An informer of the collection at `path`, which knows nothing yet.
    pub(crate) fn new(path: &'static str, client: Client, meter: Arc<dyn Meter>) -> Self {
        let reflector = Reflector::new(path, path, client, meter);
        let (store, listeners) = (Arc::default(), Vec::new());
        Self { reflector, store, listeners, synced: watch::Sender::new(false) }
    }

    /// What is known.
    pub(crate) fn store(&self) -> Arc<Store> {
        self.store.clone()
    }

    /// Adds somebody who hears of changes; everything that is there is a change at first.
    pub(crate) fn listen(&mut self, listener: Listener) {
        self.listeners.push(listener);
    }

    /// Waits until the collection was listed once.
    pub(crate) async fn synced(&self) {
        // The sender lives as long as this informer, so that the wait cannot fail.
        let _ = self.synced.subscribe().wait_for(|synced| *synced).await;
    }

    /// Keeps the copy up, for ever.
    pub(crate) async fn run(&self) {
<<<<<<< HEAD
        self.reflector.run(self).await;
=======
        let mut backoff = Backoff::new(Duration::from_millis(100), Duration::from_secs(30));
        let mut version = None;
        loop {
            let started = Instant::now();
            match self.step(&mut version).await {
                Ok(End::Resume) => {}
                Ok(End::Relist) => version = None,
                Err(failure) => {
                    tracing::warn!(path = self.path, code = failure.code, %failure, "cannot follow");
                }
            }
            if started.elapsed() >= GOOD {
                backoff.reset();
            }
            sleep(backoff.next_delay()).await;
        }
    }

    /// Lists if that is needed, and watches until the watch ends.
    async fn step(&self, version: &mut Option<String>) -> Result<End, Failure> {
        let from = match version {
            Some(from) => from,
            None => version.insert(self.list().await?),
        };
        let seconds = fastrand::u64(300..600);
        let path = format!(
            "{}?watch=true&allowWatchBookmarks=true&timeoutSeconds={seconds}&resourceVersion={}",
            self.path,
            escaped(from)
        );
        self.meter.count(self.path, WATCHES, 1);
        let mut lines = match self.client.watch(&path).await {
            Ok(lines) => lines,
            Err(failure) if PASSING.contains(&failure.code) => return Err(failure),
            // 410: too old. Anything else says that the version means nothing to this server, as
            // after it was restored from a copy.
            Err(_) => return Ok(End::Relist),
        };
        let deadline = Instant::now() + Duration::from_secs(seconds) + PATIENCE;
        // Nothing for so long after the announced end: the connection is dead.
        Ok(timeout_at(deadline, self.follow(&mut *lines, from)).await.unwrap_or(End::Resume))
    }

    async fn list(&self) -> Result<String, Failure> {
        self.meter.count(self.path, LISTS, 1);
        let mut objects = BTreeMap::new();
        let version = self.client.list(self.path, |node| {
            objects.insert(key_of(&node), Shared::new(trimmed(self.path, node).into_owned()));
        });
        let version = version.await?;
        let changes = self.store.replace(objects);
        changes.iter().for_each(|change| self.tell(change));
        self.synced.send_replace(true);
        Ok(version)
    }

    async fn follow(&self, lines: &mut dyn Lines, from: &mut String) -> End {
        while let Some(line) = lines.next().await {
            let mut event = match read(&line) {
                Ok(event) => event,
                Err(failure) => {
                    // It would come again and again; a list steps over it.
                    tracing::warn!(path = self.path, %failure, "an event cannot be read");
                    return End::Relist;
                }
            };
            let object = event.remove("object").unwrap_or_else(Node::empty_map);
            let version = object.text_at(&["metadata", "resourceVersion"]).to_owned();
            match event.text_at(&["type"]) {
                "ADDED" | "MODIFIED" => {
                    let key = key_of(&object);
                    let kept = Shared::new(trimmed(self.path, object).into_owned());
                    self.tell(&self.store.set(key, Some(kept)));
                }
                "DELETED" => self.tell(&self.store.set(key_of(&object), None)),
                "BOOKMARK" => {}
                // The server cannot go on; whatever it says, a new list is right.
                _ => return End::Relist,
            }
            if !version.is_empty() {
                *from = version;
            }
        }
        End::Resume
>>>>>>> w-ends
    }

    fn tell(&self, change: &Change) {
        self.listeners.iter().for_each(|listener| listener(change));
    }
}

impl Follower for Informer {
    type Kept = (Key, Shared);

    fn keep(&self, node: Node<'_>) -> Self::Kept {
        (key_of(&node), Shared::new(node.into_owned()))
    }

    fn replace(&self, all: Vec<Self::Kept>) {
        let changes = self.store.replace(all.into_iter().collect());
        changes.iter().for_each(|change| self.tell(change));
        self.synced.send_replace(true);
    }

    fn set(&self, node: Node<'_>) {
        let key = key_of(&node);
        self.tell(&self.store.set(key, Some(Shared::new(node.into_owned()))));
    }

    fn remove(&self, node: Node<'_>) {
        self.tell(&self.store.set(key_of(&node), None));
    }
}
