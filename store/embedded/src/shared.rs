//! What the store, its watches and its writer share.

use std::future::Future;
use std::sync::mpsc;

use ratchet_store::StoreError;
use redb::ReadTransaction;
use tokio::sync::{oneshot, watch};

use crate::engine::Engine;
use crate::error::Trouble;
use crate::recent::Recent;
use crate::writer::{Job, Reply};

/// So often a question is asked again after the engine was renewed.
const TRIES: usize = 3;

/// What watches wait for.
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
    /// Hands a job to the writer and waits for its answer.
    pub(crate) async fn ask<T>(&self, job: impl FnOnce(Reply<T>) -> Job) -> Result<T, StoreError> {
        let (reply, answer) = oneshot::channel();
        self.jobs.send(job(reply)).map_err(|_| StoreError::Closed)?;
        answer.await.unwrap_or(Err(StoreError::Closed))
    }

    /// Reads a snapshot; if the disk failed meanwhile, for a writer perhaps, the engine is renewed and asked again,
    /// before anything else is written.
    pub(crate) async fn read<T, F>(
        &self,
        question: impl Fn(ReadTransaction) -> F,
    ) -> Result<T, StoreError>
    where
        F: Future<Output = Result<T, Trouble>>,
    {
        let (mut tries, mut hold) = (TRIES, None);
        loop {
            let (generation, snapshot) = self.engine.read();
            let result = match snapshot {
                Ok(snapshot) => question(snapshot).await,
                Err(trouble) => Err(trouble),
            };
            match result {
                Ok(answer) => return Ok(answer),
                Err(trouble) if trouble.needs_renewal() && tries > 0 => {
                    tries -= 1;
                    drop(hold.take());
                    hold = Some(self.ask(|reply| Job::Renew(generation, reply)).await?);
                }
                Err(trouble) => return Err(self.engine.explain(trouble)),
            }
        }
    }
}
