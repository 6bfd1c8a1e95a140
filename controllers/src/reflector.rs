//! Follows a collection: lists it once, then keeps up by a watch, whatever happens to the watch.

use crate::backoff::Backoff;
use crate::client::{asking, escaped, read};
use crate::metrics::{LISTS, WATCHES};
use crate::{Client, Failure, Lines, Metrics};
use ratchet_object::Node;
use std::sync::Arc;
use std::time::Duration;
use tokio::time::{Instant, sleep, timeout_at};

/// A watch that lived so long was a good one: what ended it is no failure.
const GOOD: Duration = Duration::from_secs(5);

/// How long after its announced end a watch that says nothing is given up.
const PATIENCE: Duration = Duration::from_secs(30);

/// Refusals of a watch that have nothing to do with where it begins.
const PASSING: [u16; 6] = [0, 429, 500, 502, 503, 504];

/// Who is told what is in a collection.
pub(crate) trait Follower: Send + Sync {
    /// What is kept of a page's object until the list is complete.
    type Kept: Send;

    /// Keeps what is needed of a listed object.
    fn keep(&self, node: Node<'_>) -> Self::Kept;

    /// Everything that is there.
    fn replace(&self, all: Vec<Self::Kept>);

    /// An object is there, new or changed.
    fn set(&self, node: Node<'_>);

    /// An object is gone.
    fn remove(&self, node: Node<'_>);
}

/// Follows the collection at one path.
pub(crate) struct Reflector {
    path: String,
    /// Under what its measurements are told.
    name: &'static str,
    client: Client,
    meter: Arc<dyn Metrics>,
}

/// Why a watch ended.
enum End {
    /// It can go on where it was.
    Resume,
    /// What it would go on from is forgotten: everything must be listed again.
    Relist,
}

impl Reflector {
    /// Follows the collection at `path`.
    pub(crate) fn new(
        path: impl Into<String>,
        name: &'static str,
        client: Client,
        meter: Arc<dyn Metrics>,
    ) -> Self {
        Self { path: path.into(), name, client, meter }
    }

    /// Tells the follower, for ever.
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
            if started.elapsed() >= GOOD {
                backoff.reset();
            }
            sleep(backoff.next_delay()).await;
        }
    }

    /// Lists if that is needed, and watches until the watch ends.
    async fn step(
        &self,
        follower: &impl Follower,
        version: &mut Option<String>,
    ) -> Result<End, Failure> {
        let from = match version {
            Some(from) => from,
            None => version.insert(self.list(follower).await?),
        };
        let seconds = fastrand::u64(300..600);
        let query = format!(
            "watch=true&allowWatchBookmarks=true&timeoutSeconds={seconds}&resourceVersion={}",
            escaped(from)
        );
        let path = asking(&self.path, &query);
        self.meter.count(self.name, WATCHES, 1);
        let mut lines = match self.client.watch(&path).await {
            Ok(lines) => lines,
            Err(failure) if PASSING.contains(&failure.code) => return Err(failure),
            // 410: too old. Anything else says that the version means nothing to this server, as
            // after it was restored from a copy.
            Err(_) => return Ok(End::Relist),
        };
        let deadline = Instant::now() + Duration::from_secs(seconds) + PATIENCE;
        // Nothing for so long after the announced end: the connection is dead.
        let followed = self.follow(follower, &mut *lines, from);
        Ok(timeout_at(deadline, followed).await.unwrap_or(End::Resume))
    }

    async fn list(&self, follower: &impl Follower) -> Result<String, Failure> {
        self.meter.count(self.name, LISTS, 1);
        let mut all = Vec::new();
        let version = self.client.list(&self.path, |node| all.push(follower.keep(node))).await?;
        follower.replace(all);
        Ok(version)
    }

    async fn follow(
        &self,
        follower: &impl Follower,
        lines: &mut dyn Lines,
        from: &mut String,
    ) -> End {
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
                "ADDED" | "MODIFIED" => follower.set(object),
                "DELETED" => follower.remove(object),
                "BOOKMARK" => {}
                // The server cannot go on; whatever it says, a new list is right.
                _ => return End::Relist,
            }
            if !version.is_empty() {
                *from = version;
            }
        }
        End::Resume
    }
}
