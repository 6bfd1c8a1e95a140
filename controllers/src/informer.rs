//! A local copy of a collection: listed once, then kept up by a watch.

use crate::reflector::{Follower, Reflector};
use crate::store::{Change, Shared, Store, key_of};
use crate::trim::trimmed;
use crate::{Client, Key, Metrics};
use ratchet_object::Node;
use std::sync::Arc;
use tokio::sync::watch;

/// Hears of every change, after the store has it.
pub(crate) type Listener = Box<dyn Fn(&Change) + Send + Sync>;

/// A collection that many controllers may look at.
pub(crate) struct Informer {
    path: &'static str,
    reflector: Reflector,
    store: Arc<Store>,
    listeners: Vec<Listener>,
    synced: watch::Sender<bool>,
}

impl Informer {
    /// An informer of the collection at `path`, which knows nothing yet.
    pub(crate) fn new(path: &'static str, client: Client, meter: Arc<dyn Metrics>) -> Self {
        let reflector = Reflector::new(path, path, client, meter);
        let (store, listeners) = (Arc::default(), Vec::new());
        Self { path, reflector, store, listeners, synced: watch::Sender::new(false) }
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
        self.reflector.run(self).await;
    }

    /// What is kept of an object.
    fn kept(&self, node: Node<'_>) -> Shared {
        Shared::new(trimmed(self.path, node).into_owned())
    }

    fn tell(&self, change: &Change) {
        self.listeners.iter().for_each(|listener| listener(change));
    }
}

impl Follower for Informer {
    type Kept = (Key, Shared);

    fn keep(&self, node: Node<'_>) -> Self::Kept {
        (key_of(&node), self.kept(node))
    }

    fn replace(&self, all: Vec<Self::Kept>) {
        let changes = self.store.replace(all.into_iter().collect());
        changes.iter().for_each(|change| self.tell(change));
        self.synced.send_replace(true);
    }

    fn set(&self, node: Node<'_>) {
        let key = key_of(&node);
        self.tell(&self.store.set(key, Some(self.kept(node))));
    }

    fn remove(&self, node: Node<'_>) {
        self.tell(&self.store.set(key_of(&node), None));
    }
}
