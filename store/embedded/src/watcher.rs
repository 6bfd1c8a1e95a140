//! A watch: a cursor that follows the writer, through memory if it keeps up and through the log on
//! disk if not.

use std::future::ready;
use std::sync::Arc;

use ratchet_store::{Answer, Batch, Revision, StoreError, Watch};
use tokio::sync::watch;

use crate::reads;
use crate::recent::Since;
use crate::shared::{Published, Shared};

/// A watch, which costs the writer nothing but a wakeup, however slow it is.
pub(crate) struct Watcher {
    shared: Arc<Shared>,
    published: watch::Receiver<Published>,
    prefix: Arc<str>,
    cursor: u64,
}

impl Watcher {
    pub(crate) fn new(shared: &Arc<Shared>, prefix: Arc<str>, after: Revision) -> Self {
        let published = shared.published.subscribe();
        Self { shared: Arc::clone(shared), published, prefix, cursor: after.0 }
    }

    async fn next_batch(&mut self) -> Result<Batch, StoreError> {
        loop {
            if self.published.borrow().closed {
                return Err(StoreError::Closed);
            }
            let batch = match self.shared.recent.since(self.cursor, &self.prefix) {
                Since::Events(batch) => batch,
                Since::TooOld => self.replay().await?,
                Since::UpToDate => {
                    let cursor = self.cursor;
                    let news =
                        |published: &Published| published.closed || published.latest > cursor;
                    self.published.wait_for(news).await.map_err(|_| StoreError::Closed)?;
                    continue;
                }
            };
            self.cursor = batch.upto.0;
            return Ok(batch);
        }
    }

    async fn replay(&self) -> Result<Batch, StoreError> {
        let (prefix, cursor) = (&*self.prefix, self.cursor);
        self.shared.read(|snapshot| ready(reads::replay(&snapshot, prefix, cursor))).await
    }
}

impl Watch for Watcher {
    fn next(&mut self) -> Answer<'_, Batch> {
        Box::pin(self.next_batch())
    }
}
