//! Informer: a local copy of a collection, listed once and then updated by a watch.

use crate::reflector::{Follower, Reflector};
use crate::retained::Retained;
use crate::store::{Change, Shared, Store, key_of};
use crate::trim::{Trimmed, is_left_out, trim_object};
use crate::{Client, Key, Metrics};
use ratchet_object::Node;
use std::collections::HashSet;
use std::sync::Arc;
use tokio::sync::watch;

/// Called for every change, after the store has it.
pub(crate) type Listener = Box<dyn Fn(&Change) + Send + Sync>;

/// A collection that several controllers may share.
pub(crate) struct Informer {
    path: &'static str,
    reflector: Reflector,
    store: Arc<Store>,
    listeners: Vec<Listener>,
    synced: watch::Sender<bool>,
}

impl Informer {
    /// An informer of the collection at `path`, with an empty store.
    pub(crate) fn new(path: &'static str, client: Client, metrics: Arc<dyn Metrics>) -> Self {
        let reflector = Reflector::new(path, path, client, metrics);
        let (store, listeners) = (Arc::default(), Vec::new());
        Self { path, reflector, store, listeners, synced: watch::Sender::new(false) }
    }

    /// The local copy.
    pub(crate) fn store(&self) -> Arc<Store> {
        self.store.clone()
    }

    /// Adds a listener; at first every object is a change.
    pub(crate) fn listen(&mut self, listener: Listener) {
        self.listeners.push(listener);
    }

    /// Waits until the collection was listed once.
    pub(crate) async fn synced(&self) {
        // The sender lives as long as this informer, so that the wait cannot fail.
        let _ = self.synced.subscribe().wait_for(|synced| *synced).await;
    }

    /// Keeps the copy up to date, for ever.
    pub(crate) async fn run(&self) {
        self.reflector.run(self).await;
    }

    /// The part of an object that the store retains, and the same as it is read.
    fn retained(&self, node: Node<'_>) -> Option<(Retained, Shared)> {
        match trim_object(self.path, node) {
            Trimmed::Whole(node) => {
                let node = Shared::new(node.into_interned());
                Some((node.clone().into(), node))
            }
            Trimmed::Part(node) => Some((Retained::text(&node), Shared::new(node.into_interned()))),
            Trimmed::Nothing => None,
        }
    }

    fn put(&self, key: &Key, object: Option<(Retained, Shared)>) {
        if let Some(change) = self.store.set(key.clone(), object) {
            self.listeners.iter().for_each(|listener| listener(&change));
        }
    }
}

impl Follower for Informer {
    type Key = Key;

    fn keys(&self) -> HashSet<Key> {
        self.store.keys()
    }

    fn is_left_out(&self, event: &str) -> bool {
        is_left_out(self.path, event)
    }

    fn key_of(&self, node: &Node<'_>) -> Key {
        key_of(node)
    }

    fn set(&self, node: Node<'_>) {
        let key = key_of(&node);
        self.put(&key, self.retained(node));
    }

    fn remove(&self, key: &Key) {
        self.put(key, None);
    }

    fn synced(&self) {
        self.synced.send_replace(true);
    }
}
