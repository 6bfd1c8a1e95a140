//! Reflector: lists a collection once, then follows it by watches, whatever happens to a watch.

use crate::backoff::Backoff;
use crate::client::{parse_json, with_query};
use crate::metrics::{LISTS, WATCHES};
use crate::{Client, Failure, Lines, Metrics};
use ratchet_object::{CompactJson, Node, percent_encode};
use std::collections::HashSet;
use std::hash::Hash;
use std::sync::Arc;
use std::time::Duration;
use tokio::time::{Instant, sleep, timeout_at};

/// A watch that lasted this long was successful: its end is no failure.
const SUCCESS_DURATION: Duration = Duration::from_secs(5);

/// How long after its announced end a silent watch is given up.
const SILENCE_TIMEOUT: Duration = Duration::from_secs(30);

/// Status codes of transient failures, which do not concern the resource version of the watch.
const TRANSIENT: [u16; 6] = [0, 429, 500, 502, 503, 504];

/// The consumer of a reflector. It hears of every object of a list at once, so that nobody holds a second collection;
/// those that a complete list lacks are removed.
pub(crate) trait Follower: Send + Sync {
    /// What tells objects apart.
    type Key: Eq + Hash + Send;

    /// The objects that it has.
    fn keys(&self) -> HashSet<Self::Key>;

    /// Whether the text of an event tells that it takes nothing of the object.
    fn is_left_out(&self, _event: &str) -> bool {
        false
    }

    /// The key of an object.
    fn key_of(&self, node: &Node<'_>) -> Self::Key;

    /// Adds or updates an object.
    fn set(&self, node: Node<'_>);

    /// Removes a deleted object.
    fn remove(&self, key: &Self::Key);

    /// Called after every complete list.
    fn synced(&self);
}

/// Lists and watches the collection at one path.
pub(crate) struct Reflector {
    path: String,
    /// The name for metrics.
    name: &'static str,
    client: Client,
    metrics: Arc<dyn Metrics>,
}

/// Why a watch ended.
enum End {
    /// It can resume at the last version.
    Resume,
    /// The last version is too old: the collection must be listed again.
    Relist,
}

impl Reflector {
    pub(crate) fn new(
        path: impl Into<String>,
        name: &'static str,
        client: Client,
        metrics: Arc<dyn Metrics>,
    ) -> Self {
        Self { path: path.into(), name, client, metrics }
    }

    /// Feeds the follower, for ever.
    pub(crate) async fn run(&self, follower: &impl Follower) {
        let mut backoff = Backoff::new(Duration::from_millis(100), Duration::from_secs(30));
        let mut version = None;
        loop {
            let started = Instant::now();
            match self.step(follower, &mut version).await {
                Ok(End::Resume) => {}
                Ok(End::Relist) => version = None,
                Err(failure) => {
                    tracing::warn!(path = self.path, code = failure.code, %failure, "cannot follow");
                }
            }
            if started.elapsed() >= SUCCESS_DURATION {
                backoff.reset();
            }
            sleep(backoff.next_delay()).await;
        }
    }

    /// Lists if necessary, and watches until the watch ends.
    async fn step(
        &self,
        follower: &impl Follower,
        version: &mut Option<String>,
    ) -> Result<End, Failure> {
        let resource_version = match version {
            Some(resource_version) => resource_version,
            None => version.insert(self.list(follower).await?),
        };
        let seconds = fastrand::u64(300..600);
        let query = format!(
            "watch=true&allowWatchBookmarks=true&timeoutSeconds={seconds}&resourceVersion={}",
            percent_encode(resource_version)
        );
        let path = with_query(&self.path, &query);
        self.metrics.count(self.name, WATCHES, 1);
        let mut lines = match self.client.watch(&path).await {
            Ok(lines) => lines,
            Err(failure) if TRANSIENT.contains(&failure.code) => return Err(failure),
            // 410: too old. Any other code means that the server does not know the version, as
            // after a restore from a backup.
            Err(_) => return Ok(End::Relist),
        };
        let deadline = Instant::now() + Duration::from_secs(seconds) + SILENCE_TIMEOUT;
        // Silence this long after the announced end: the connection is dead.
        let following = self.follow(follower, &mut *lines, resource_version);
        Ok(timeout_at(deadline, following).await.unwrap_or(End::Resume))
    }

    async fn list(&self, follower: &impl Follower) -> Result<String, Failure> {
        self.metrics.count(self.name, LISTS, 1);
        let mut unseen = follower.keys();
        let set = |node: Node<'_>| {
            unseen.remove(&follower.key_of(&node));
            follower.set(node);
        };
        let version = self.client.list(&self.path, set).await?;
        unseen.iter().for_each(|key| follower.remove(key));
        follower.synced();
        Ok(version)
    }

    async fn follow(
        &self,
        follower: &impl Follower,
        lines: &mut dyn Lines,
        resource_version: &mut String,
    ) -> End {
        while let Some(line) = lines.next().await {
            if let Some(object) = left_out(follower, &line) {
                follower.remove(&follower.key_of(&object));
                object.metadata().resource_version().clone_into(resource_version);
                continue;
            }
            let mut event = match parse_json(&line) {
                Ok(event) => event,
                Err(failure) => {
                    // It would come again with every watch; a list skips it.
                    tracing::warn!(path = self.path, %failure, "an event cannot be read");
                    return End::Relist;
                }
            };
            let object = event.remove("object").unwrap_or_else(Node::empty_map);
            let version = object.metadata().resource_version().to_owned();
            match event.text_at(&["type"]) {
                "ADDED" | "MODIFIED" => follower.set(object),
                "DELETED" => follower.remove(&follower.key_of(&object)),
                "BOOKMARK" => {}
                // The server cannot continue; whatever the error is, a new list is right.
                _ => return End::Relist,
            }
            if !version.is_empty() {
                *resource_version = version;
            }
        }
        End::Resume
    }
}

/// The name and version of the object of an event that a follower takes nothing of, which is not read as a whole.
fn left_out<'l>(follower: &impl Follower, line: &'l [u8]) -> Option<Node<'l>> {
    let text = std::str::from_utf8(line).ok().filter(|text| follower.is_left_out(text))?;
    let event = CompactJson::unread(text);
    let plain = |path: &[&str]| event.find(path).and_then(CompactJson::plain_text);
    plain(&["type"]).filter(|kind| ["ADDED", "MODIFIED", "DELETED"].contains(kind))?;
    let metadata = ["name", "namespace", "resourceVersion"].map(|name| {
        let value = plain(&["object", "metadata", name])?;
        Some((name, Node::string(value)))
    });
    let [Some(name), Some(namespace), Some(version)] = metadata else { return None };
    Some(Node::map([("metadata", Node::map([name, namespace, version]))]))
}
