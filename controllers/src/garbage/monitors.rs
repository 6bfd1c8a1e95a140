//! One reflector for every resource that can be collected, as discovery names them.

use super::collector::Shelf;
use super::identity::Seen;
use crate::discovery::{Discovered, Resource};
use crate::reflector::{Follower, Reflector};
use crate::{Client, Metrics};
use ratchet_object::Node;
use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::watch;
use tokio::task::{AbortHandle, JoinSet};
use tokio::time::{sleep, timeout};

/// How often discovery is asked.
const PERIOD: Duration = Duration::from_secs(30);

/// How often it is asked while it says nothing.
const SOON: Duration = Duration::from_secs(1);

/// So long work waits for the first lists.
const FIRST: Duration = Duration::from_secs(30);

/// What needs no collecting: they end by themselves, and there are many.
const IGNORED: [(&str, &str); 2] = [("", "events"), ("events.k8s.io", "events")];

/// Follows one resource.
struct Monitor {
    shelf: Arc<Shelf>,
    api_version: Arc<str>,
    kind: Arc<str>,
    synced: watch::Sender<bool>,
}

impl Follower for Monitor {
    type Kept = Seen;

    fn keep(&self, node: Node<'_>) -> Seen {
        self.shelf.read(&node, &self.api_version, &self.kind)
    }

    fn replace(&self, all: Vec<Seen>) {
        self.shelf.change(|graph| graph.replace(&self.api_version, &self.kind, &all));
        self.synced.send_replace(true);
    }

    fn set(&self, node: Node<'_>) {
        let seen = self.keep(node);
        self.shelf.change(|graph| graph.see(&seen));
    }

    fn remove(&self, node: Node<'_>) {
        let uid = node.text_at(&["metadata", "uid"]);
        self.shelf.change(|graph| graph.lose(uid));
    }
}

/// All that run.
struct Monitors {
    client: Client,
    meter: Arc<dyn Metrics>,
    shelf: Arc<Shelf>,
    running: BTreeMap<String, AbortHandle>,
    tasks: JoinSet<()>,
}

/// Keeps a reflector for every resource that can be deleted, listed and watched, for ever.
pub(super) async fn run(client: Client, meter: Arc<dyn Metrics>, shelf: Arc<Shelf>) {
    let (running, tasks) = (BTreeMap::new(), JoinSet::new());
    let mut monitors = Monitors { client, meter, shelf, running, tasks };
    loop {
        let found = Discovered::read(&monitors.client).await;
        if found.resources.is_empty() {
            sleep(SOON).await;
            continue;
        }
        let new = monitors.follow(&found);
        monitors.shelf.learn(found);
        // Whoever cannot be listed must not keep the others from being collected.
        let synced = async {
            for mut one in new {
                // The sender lives as long as its task.
                let _ = one.wait_for(|synced| *synced).await;
            }
        };
        if timeout(FIRST, synced).await.is_err() {
            tracing::warn!("garbage collection begins though not everything could be listed");
        }
        monitors.shelf.begin();
        sleep(PERIOD).await;
    }
}

impl Monitors {
    /// Begins to follow what is new, and ends following what is offered no more. A group that
    /// could not be asked keeps what it has.
    fn follow(&mut self, found: &Discovered) -> Vec<watch::Receiver<bool>> {
        let wanted: BTreeMap<String, &Resource> = found
            .resources
            .iter()
            .filter(|resource| is_collected(resource))
            .map(|resource| (resource.path(""), resource))
            .collect();
        if found.failure.is_none() {
            self.running.retain(|path, task| {
                let stays = wanted.contains_key(path);
                if !stays {
                    task.abort();
                }
                stays
            });
        }
        let new: Vec<_> =
            wanted.into_iter().filter(|(path, _)| !self.running.contains_key(path)).collect();
        new.into_iter().map(|(path, resource)| self.begin(path, resource)).collect()
    }

    fn begin(&mut self, path: String, resource: &Resource) -> watch::Receiver<bool> {
        let (synced, receiver) = watch::channel(false);
        let monitor = Monitor {
            shelf: self.shelf.clone(),
            api_version: resource.api_version().into(),
            kind: resource.kind.as_str().into(),
            synced,
        };
        let client = self.client.metadata_only();
        let reflector = Reflector::new(path.clone(), super::ROW.name, client, self.meter.clone());
        let task = self.tasks.spawn(async move { reflector.run(&monitor).await });
        self.running.insert(path, task);
        receiver
    }
}

fn is_collected(resource: &Resource) -> bool {
    let is_ignored = IGNORED.contains(&(&*resource.group, &*resource.name));
    !is_ignored && ["delete", "list", "watch"].iter().all(|verb| resource.offers(verb))
}
