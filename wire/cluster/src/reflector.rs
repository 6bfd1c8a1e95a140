//! `Reflector`: follows the objects of a resource by a list and a watch that goes on after every break.

use crate::watch::{Watch, WatchEvent};
use crate::{Cluster, ClusterError};
use ratchet_object::Node;
use std::time::Duration;

/// The status for a resource version that the server has forgotten.
const GONE: u16 = 410;
/// The pause after the first failure; each further one doubles it.
const FIRST_PAUSE: Duration = Duration::from_millis(500);
/// The longest pause.
const LONGEST_PAUSE: Duration = Duration::from_secs(30);
/// A watch without any event, not even a bookmark, is opened anew after this time; so is one of a server that vanished.
const QUIET: Duration = Duration::from_secs(400);
/// The time after which the server ends a watch.
const WATCH_SECONDS: &str = "300";

/// What a reflector saw.
#[derive(Debug)]
pub enum ReflectorEvent {
    /// A list begins: what it does not name by `Synced` no longer exists.
    Listing,
    /// An object as it is now.
    Applied(Node<'static>),
    /// An object that no longer exists.
    Deleted(Node<'static>),
    /// The list is complete.
    Synced,
    /// The watch is open.
    Connected,
    /// The list or the watch failed; it is tried again after a pause.
    Failed(ClusterError),
}

/// Follows the objects at one path.
pub struct Reflector {
    cluster: Cluster,
    path: String,
}

/// How a watch ended.
enum End {
    /// To be resumed at this version.
    Resume,
    /// The version is too old: everything is listed again.
    Expired,
}

impl Reflector {
    /// A reflector of the collection at this path.
    pub fn new(cluster: Cluster, path: impl Into<String>) -> Self {
        Self { cluster, path: path.into() }
    }

    /// Follows the objects for ever.
    pub async fn run(&self, mut handle: impl FnMut(ReflectorEvent)) {
        let mut pause = Pause::default();
        let mut version: Option<String> = None;
        loop {
            let followed = match version.take() {
                None => self.list(&mut handle).await.map(Some),
                Some(from) => self.watch(from, &mut pause, &mut handle).await,
            };
            match followed {
                Ok(next) => version = next,
                Err((error, resume)) => {
                    handle(ReflectorEvent::Failed(error));
                    version = resume;
                    pause.wait().await;
                }
            }
        }
    }

    /// Lists everything; returns the version to watch from.
    async fn list(
        &self,
        handle: &mut impl FnMut(ReflectorEvent),
    ) -> Result<String, (ClusterError, Option<String>)> {
        handle(ReflectorEvent::Listing);
        let mut pages = self.cluster.list(&self.path, &[]);
        let mut version = String::new();
        while let Some(page) = pages.next().await.map_err(|error| (error, None))? {
            let list = page.decode();
            let list =
                list.map_err(|why| (self.cluster.unreadable_error(&self.path, &why), None))?;
            list.text_at(&["metadata", "resourceVersion"]).clone_into(&mut version);
            for item in list.get("items").map(Node::items).unwrap_or_default() {
                handle(ReflectorEvent::Applied(item.clone().into_owned()));
            }
        }
        handle(ReflectorEvent::Synced);
        Ok(version)
    }

    /// Watches from a version; returns the one to go on from, `None` if everything is to be listed again.
    async fn watch(
        &self,
        mut version: String,
        pause: &mut Pause,
        handle: &mut impl FnMut(ReflectorEvent),
    ) -> Result<Option<String>, (ClusterError, Option<String>)> {
        let path = format!(
            "{}?watch=true&allowWatchBookmarks=true&timeoutSeconds={WATCH_SECONDS}&resourceVersion={version}",
            self.path
        );
        let mut watch = match self.cluster.download(&path).await {
            Ok(download) => Watch::new(download),
            Err(ClusterError::Refused { code: GONE, .. }) => return Ok(None),
            Err(error) => return Err((error, Some(version))),
        };
        handle(ReflectorEvent::Connected);
        match self.follow(&mut watch, &mut version, pause, handle).await {
            Ok(End::Resume) => Ok(Some(version)),
            Ok(End::Expired) => Ok(None),
            Err(error) => Err((error, Some(version))),
        }
    }

    async fn follow(
        &self,
        watch: &mut Watch,
        version: &mut String,
        pause: &mut Pause,
        handle: &mut impl FnMut(ReflectorEvent),
    ) -> Result<End, ClusterError> {
        loop {
            let quiet = |_| ClusterError::Unreachable {
                server: self.cluster.server().to_owned(),
                why: format!("the watch of {} was quiet for {QUIET:?}", self.path),
            };
            let event = tokio::time::timeout(QUIET, watch.next()).await.map_err(quiet)??;
            let Some(event) = event else { return Ok(End::Resume) };
            pause.reset();
            match event {
                WatchEvent::Applied(object) => {
                    object.text_at(&["metadata", "resourceVersion"]).clone_into(version);
                    handle(ReflectorEvent::Applied(object));
                }
                WatchEvent::Deleted(object) => {
                    object.text_at(&["metadata", "resourceVersion"]).clone_into(version);
                    handle(ReflectorEvent::Deleted(object));
                }
                WatchEvent::Bookmark(at) => *version = at,
                WatchEvent::Error(code, _) if code == i64::from(GONE) => return Ok(End::Expired),
                WatchEvent::Error(code, message) => {
                    return Err(ClusterError::Refused {
                        server: self.cluster.server().to_owned(),
                        path: self.path.clone(),
                        code: u16::try_from(code).unwrap_or_default(),
                        message,
                        retry_after: None,
                    });
                }
            }
        }
    }
}

/// The pause between attempts, which grows with failures.
#[derive(Default)]
struct Pause(Duration);

impl Pause {
    async fn wait(&mut self) {
        self.0 = (self.0 * 2).clamp(FIRST_PAUSE, LONGEST_PAUSE);
        tokio::time::sleep(self.0).await;
    }

    fn reset(&mut self) {
        self.0 = Duration::ZERO;
    }
}
