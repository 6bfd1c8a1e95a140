//! State shared by the store, its watches and its writer.

use std::future::Future;
use std::sync::mpsc;

use ratchet_store::StoreError;
use redb::ReadTransaction;
use tokio::sync::{oneshot, watch};

use crate::engine::Engine;
use crate::error::EngineError;
use crate::recent::Recent;
use crate::writer::{Job, Reply};

/// How often a read is retried after the engine was renewed.
const MAX_TRIES: usize = 3;

/// The revision that watches wait for.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Published {
    pub(crate) latest: u64,
    pub(crate) closed: bool,
}

pub(crate) struct Shared {
    pub(crate) engine: Engine,
    pub(crate) recent: Recent,
    pub(crate) published: watch::Sender<Published>,
    pub(crate) jobs: mpsc::Sender<Job>,
}

impl Shared {
    /// Submits a job to the writer and waits for its result.
    pub(crate) async fn submit<T>(
        &self,
        job: impl FnOnce(Reply<T>) -> Job,
    ) -> Result<T, StoreError> {
        let (reply, answer) = oneshot::channel();
        self.jobs.send(job(reply)).map_err(|_| StoreError::Closed)?;
        answer.await.unwrap_or(Err(StoreError::Closed))
    }

    /// Reads a snapshot; after a disk error, perhaps of a write, the engine is renewed and the read
    /// retried before anything else is written.
    pub(crate) async fn read<T, F>(
        &self,
        question: impl Fn(ReadTransaction) -> F,
    ) -> Result<T, StoreError>
    where
        F: Future<Output = Result<T, EngineError>>,
    {
        let (mut tries, mut hold) = (MAX_TRIES, None);
        loop {
            let (generation, snapshot) = self.engine.read();
            let result = match snapshot {
                Ok(snapshot) => question(snapshot).await,
                Err(error) => Err(error),
            };
            match result {
                Ok(answer) => return Ok(answer),
                Err(error) if error.needs_renewal() && tries > 0 => {
                    tries -= 1;
                    drop(hold.take());
                    hold = Some(self.submit(|reply| Job::Renew(generation, reply)).await?);
                }
                Err(error) => return Err(self.engine.explain(error)),
            }
        }
    }
}
