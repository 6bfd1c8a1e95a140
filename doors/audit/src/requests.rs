//! Requests to the cluster: within the limits of load, and sent again where a busy server or a broken connection may recover.

use crate::config::Live;
use crate::pace::Pace;
use ratchet_cluster::{Cluster, ClusterError, Page, Pages};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;
use tokio::sync::{Semaphore, SemaphorePermit};

/// How often a request is sent again: half a minute altogether, in which an API server restarts.
const TRIES: u32 = 6;
/// The pause before the first repetition; each further one doubles it.
const FIRST_PAUSE: Duration = Duration::from_millis(500);
/// A server that wants to be left alone for longer is asked again nevertheless.
const LONGEST_PAUSE: Duration = Duration::from_secs(60);

/// A cluster, and the limits of what is asked of it.
pub(crate) struct Requests {
    cluster: Cluster,
    pace: Pace,
    /// Requests that may be under way, and pages that may be in memory.
    slots: Semaphore,
    chunk_size: u32,
    /// Whether the server has answered before: a wrong address never does, and is not tried again.
    is_reached: AtomicBool,
}

impl Requests {
    pub(crate) async fn connect(live: &Live) -> Result<Self, ClusterError> {
        Ok(Self {
            cluster: Cluster::connect(&live.connection).await?,
            pace: Pace::new(live.qps),
            slots: Semaphore::new(live.parallel.get()),
            chunk_size: live.chunk_size.get(),
            is_reached: AtomicBool::new(false),
        })
    }

    /// The server's URL.
    pub(crate) fn server(&self) -> &str {
        self.cluster.server()
    }

    /// A place among the requests that may be under way; held as long as the answer is in memory.
    pub(crate) async fn slot(&self) -> Option<SemaphorePermit<'_>> {
        self.slots.acquire().await.ok()
    }

    /// The document at a path.
    pub(crate) async fn get(&self, path: &str) -> Result<String, ClusterError> {
        let mut tries = 0;
        loop {
            self.pace.wait().await;
            match self.again(self.cluster.get(path).await, &mut tries).await {
                Some(result) => return result,
                None => continue,
            }
        }
    }

    /// The list at a path, in pages.
    pub(crate) fn list(&self, path: &str) -> Pages<'_> {
        self.cluster.list(path, &[]).with_limit(self.chunk_size)
    }

    /// The next page of a list.
    pub(crate) async fn next_page(
        &self,
        pages: &mut Pages<'_>,
    ) -> Result<Option<Page>, ClusterError> {
        let mut tries = 0;
        loop {
            self.pace.wait().await;
            match self.again(pages.next().await, &mut tries).await {
                Some(result) => return result,
                None => continue,
            }
        }
    }

    /// The result of a request; `None` after the pause if it is to be sent again.
    async fn again<T>(
        &self,
        result: Result<T, ClusterError>,
        tries: &mut u32,
    ) -> Option<Result<T, ClusterError>> {
        let error = match result {
            Err(error) if error.is_transient() && *tries < TRIES => error,
            result => {
                self.is_reached.store(true, Ordering::Relaxed);
                return Some(result);
            }
        };
        let usual = FIRST_PAUSE * 2u32.saturating_pow(*tries);
        *tries += 1;
        match error {
            ClusterError::Unreachable { .. } if !self.is_reached.load(Ordering::Relaxed) => {
                return Some(Err(error));
            }
            // What the server asks of one request it asks of all.
            ClusterError::Refused { retry_after: Some(time), .. } => {
                self.pace.hold(time.min(LONGEST_PAUSE)).await;
            }
            _ => tokio::time::sleep(usual).await,
        }
        None
    }
}
