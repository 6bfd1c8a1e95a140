//! Monitors: one reflector for every collectable resource, as discovery lists them.

use super::collector::SharedState;
use super::definitions::{self, Definitions};
use super::identity::ObjectKind;
use super::uid::Uid;
use crate::discovery::{DiscoveredResources, Resource};
use crate::reflector::{Follower, Reflector};
use crate::{Client, Metrics};
use ratchet_object::Node;
use std::collections::{BTreeMap, HashSet};
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::watch;
use tokio::task::{AbortHandle, JoinSet};
use tokio::time::{sleep, timeout};

/// The longest interval between discoveries.
const INTERVAL: Duration = Duration::from_secs(30);

/// The interval while discovery finds nothing.
const RETRY_INTERVAL: Duration = Duration::from_secs(1);

/// How long collection waits for the first lists.
const SYNC_TIMEOUT: Duration = Duration::from_secs(30);

/// Resources that are not collected: events expire by themselves, and there are many.
const IGNORED: [(&str, &str); 2] = [("", "events"), ("events.k8s.io", "events")];

/// Feeds one resource into the graph.
struct Monitor {
    shared: Arc<SharedState>,
    kind: Arc<ObjectKind>,
    synced: watch::Sender<bool>,
}

impl Follower for Monitor {
    type Key = Uid;

    fn keys(&self) -> HashSet<Uid> {
        self.shared.uids(&self.kind)
    }

    fn key_of(&self, node: &Node<'_>) -> Uid {
        node.metadata().uid().into()
    }

    fn set(&self, node: Node<'_>) {
        let observed = self.shared.observe(&node, &self.kind);
        self.shared.change(|graph| graph.observe(observed));
    }

    fn remove(&self, uid: &Uid) {
        self.shared.change(|graph| graph.remove_uid(uid));
    }

    fn synced(&self) {
        self.synced.send_replace(true);
    }
}

/// All running monitors.
struct Monitors {
    client: Client,
    metrics: Arc<dyn Metrics>,
    shared: Arc<SharedState>,
    running: BTreeMap<String, AbortHandle>,
    tasks: JoinSet<()>,
}

/// Maintains a reflector for every resource that can be deleted, listed and watched, for ever.
pub(super) async fn run(client: Client, metrics: Arc<dyn Metrics>, shared: Arc<SharedState>) {
    let (running, tasks) = (BTreeMap::new(), JoinSet::new());
    let mut monitors = Monitors { client, metrics, shared, running, tasks };
    let definitions = Arc::new(Definitions::default());
    monitors.follow(definitions.clone());
    loop {
        let discovered = DiscoveredResources::fetch(&monitors.client).await;
        if discovered.resources.is_empty() {
            sleep(RETRY_INTERVAL).await;
            continue;
        }
        let new = monitors.update(&discovered);
        monitors.shared.update_kinds(discovered);
        // A resource that cannot be listed must not block the collection of others.
        let synced = async {
            for mut receiver in new {
                // The sender lives as long as its task.
                let _ = receiver.wait_for(|synced| *synced).await;
            }
        };
        if timeout(SYNC_TIMEOUT, synced).await.is_err() {
            tracing::warn!("garbage collection begins though not everything could be listed");
        }
        monitors.shared.start();
        definitions.wait(INTERVAL).await;
    }
}

impl Monitors {
    /// Follows the definitions of custom resources, which make new ones collectable.
    fn follow(&mut self, followed: Arc<Definitions>) {
        let client = self.client.metadata_only();
        let reflector =
            Reflector::new(definitions::PATH, super::ROW.name, client, self.metrics.clone());
        self.tasks.spawn(async move { reflector.run(&*followed).await });
    }

    /// Starts monitors of new resources and stops those of resources no longer served. After an
    /// incomplete discovery, existing monitors stay.
    fn update(&mut self, discovered: &DiscoveredResources) -> Vec<watch::Receiver<bool>> {
        let collectable: BTreeMap<String, &Resource> = discovered
            .resources
            .iter()
            .filter(|resource| is_collected(resource))
            .map(|resource| (resource.path(""), resource))
            .collect();
        if discovered.failure.is_none() {
            self.running.retain(|path, task| {
                let is_served = collectable.contains_key(path);
                if !is_served {
                    task.abort();
                }
                is_served
            });
        }
        let new: Vec<_> =
            collectable.into_iter().filter(|(path, _)| !self.running.contains_key(path)).collect();
        new.into_iter().map(|(path, resource)| self.begin(path, resource)).collect()
    }

    fn begin(&mut self, path: String, resource: &Resource) -> watch::Receiver<bool> {
        let (synced, receiver) = watch::channel(false);
        let monitor = Monitor {
            shared: self.shared.clone(),
            kind: self.shared.kind(&resource.api_version(), &resource.kind),
            synced,
        };
        let client = self.client.metadata_only();
        let reflector = Reflector::new(path.clone(), super::ROW.name, client, self.metrics.clone());
        let task = self.tasks.spawn(async move { reflector.run(&monitor).await });
        self.running.insert(path, task);
        receiver
    }
}

fn is_collected(resource: &Resource) -> bool {
    let is_ignored = IGNORED.contains(&(&*resource.group, &*resource.name));
    !is_ignored && ["delete", "list", "watch"].iter().all(|verb| resource.supports(verb))
}
