//! State shared by the store, its watches and its writer.

use std::future::Future;
use std::sync::{Arc, mpsc};

use ratchet_store::{Commit, StoreError, Write};
use redb::ReadTransaction;
use tokio::sync::{Semaphore, oneshot, watch};

use crate::engine::Engine;
use crate::error::EngineError;
use crate::recent::Recent;
use crate::writer::{Job, Reply, WaitingCommit, bytes_of};

/// How often a read is retried after the engine was renewed.
const MAX_TRIES: usize = 3;

/// The kilobytes of writes that wait for the disk; others wait before they are handed over, where they end with their
/// requests.
const ROOM_KB: u32 = 64 << 10;

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
    /// The kilobytes that are left of [`ROOM_KB`].
    room: Arc<Semaphore>,
}

impl Shared {
    pub(crate) fn new(
        engine: Engine,
        recent: Recent,
        latest: u64,
        jobs: mpsc::Sender<Job>,
    ) -> Self {
        let published = watch::Sender::new(Published { latest, closed: false });
        let room = Arc::new(Semaphore::new(ROOM_KB as usize));
        Self { engine, recent, published, jobs, room }
    }

    /// Commits writes, once there is room for them among those that wait.
    pub(crate) async fn commit(&self, writes: Vec<Write>) -> Result<Commit, StoreError> {
        let kilobytes = writes.iter().map(bytes_of).sum::<usize>() / 1024 + 1;
        // What is larger than all that may wait goes alone.
        let kilobytes = u32::try_from(kilobytes).unwrap_or(ROOM_KB).min(ROOM_KB);
        let room = Arc::clone(&self.room).acquire_many_owned(kilobytes).await;
        let _room = room.map_err(|_| StoreError::Closed)?;
        self.submit(|reply| Job::Commit(WaitingCommit { writes, reply, _room })).await
    }

    /// The kilobytes of writes that wait.
    #[cfg(test)]
    pub(crate) fn waiting_kb(&self) -> usize {
        (ROOM_KB as usize).saturating_sub(self.room.available_permits())
    }

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
