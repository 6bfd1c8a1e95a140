//! The latest revision, asked for once on behalf of all that wait.

use std::sync::Arc;
use std::time::Duration;

use ratchet_store::{Revision, StoreError};
use tokio::sync::{mpsc, oneshot};

use crate::grpc::RpcError;
use crate::shared::{Shared, failure};

/// Where an answer is awaited.
type Waiter = oneshot::Sender<Result<Revision, StoreError>>;

/// Asks etcd for its revision. A question that comes while another is under way waits for the next one: the answer
/// to the earlier may be from before the question. Nobody waits longer for both than for one.
#[derive(Debug)]
pub(crate) struct Latest {
    waiters: mpsc::UnboundedSender<Waiter>,
    patience: Duration,
}

impl Latest {
    pub(crate) fn new(shared: Arc<Shared>) -> Self {
        let (waiters, inbox) = mpsc::unbounded_channel();
        let patience = shared.client.patience();
        tokio::spawn(answer(shared, inbox));
        Self { waiters, patience }
    }

    pub(crate) async fn get(&self) -> Result<Revision, StoreError> {
        let (waiter, answer) = oneshot::channel();
        self.waiters.send(waiter).map_err(|_| StoreError::Closed)?;
        match tokio::time::timeout(self.patience, answer).await {
            Ok(answer) => answer.map_err(|_| StoreError::Closed)?,
            Err(_) => Err(failure(&RpcError::Lost("no answer in time".to_owned()))),
        }
    }
}

/// Answers until the store is gone.
async fn answer(shared: Arc<Shared>, mut inbox: mpsc::UnboundedReceiver<Waiter>) {
    let mut waiters = Vec::new();
    while inbox.recv_many(&mut waiters, usize::MAX).await > 0 {
        let latest = shared.latest().await;
        for waiter in waiters.drain(..) {
            // Whoever has stopped waiting needs no answer.
            let _ = waiter.send(latest.clone());
        }
        if let Ok(latest) = latest
            && *shared.watched.borrow() < latest.0
        {
            let shared = Arc::clone(&shared);
            tokio::spawn(async move { shared.nudge(latest).await });
        }
    }
}
