//! Drain signal that ends a server: sent once, and received by the listener and every long stream.

use std::sync::Arc;

use tokio::sync::watch;

/// A cloneable signal that goes from serving to draining and never back.
#[derive(Debug, Clone)]
pub struct Drain(Arc<watch::Sender<bool>>);

impl Drain {
    /// A signal that has not been sent.
    pub fn new() -> Self {
        Self(Arc::new(watch::Sender::new(false)))
    }

    /// Starts draining: no new connections, running requests finish, streams are notified.
    pub fn begin(&self) {
        self.0.send_replace(true);
    }

    /// Whether draining has started.
    pub fn is_draining(&self) -> bool {
        *self.0.borrow()
    }

    /// Completes when draining starts, or at once when it has; a watch selects on it to end
    /// cleanly.
    pub async fn wait(&self) {
        // The sender lives in `self`, so waiting cannot fail.
        let _ = self.0.subscribe().wait_for(|draining| *draining).await;
    }
}

impl Default for Drain {
    fn default() -> Self {
        Self::new()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn everyone_hears_the_word_also_those_who_come_late() {
        let drain = Drain::new();
        let early = tokio::spawn({
            let drain = drain.clone();
            async move { drain.wait().await }
        });
        tokio::task::yield_now().await;
        assert!(!drain.is_draining() && !early.is_finished());
        drain.begin();
        drain.begin();
        early.await.unwrap();
        drain.clone().wait().await;
        assert!(drain.is_draining());
    }
}
