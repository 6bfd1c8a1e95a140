//! A watch: a task that follows etcd from revision to revision, through broken connections and lost members.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use ratchet_store::{Answer, Batch, Event, EventKind, PastEvent, Revision, StoreError, Watch};
use tokio::sync::{mpsc, watch};

use crate::client::{Backoff, Stream};
use crate::grpc::{Answers, RpcError};
use crate::keys::KeyMap;
use crate::messages::{WatchEvent, WatchResponse, watch_create};
use crate::records::record;
use crate::shared::{Shared, from_etcd, to_etcd};

/// The batches that wait for a reader; etcd keeps the rest.
const WAITING: usize = 64;

/// The events of one message, those of other prefixes left out.
#[derive(Debug, Default)]
pub(crate) struct WatchBatch {
    pub(crate) events: Vec<PastEvent>,
    pub(crate) upto: Revision,
}

/// A watch of all keys of the store. Events of other prefixes tell it the progress.
pub(crate) struct Watcher(mpsc::Receiver<Result<WatchBatch, StoreError>>);

impl Watcher {
    /// Follows from the first event after `after`, with what each replaced if asked for.
    pub(crate) fn start(
        shared: &Arc<Shared>,
        prefix: &str,
        after: Revision,
        previous: bool,
    ) -> Self {
        let (batches, inbox) = mpsc::channel(WAITING);
        let follower = Follower {
            shared: Arc::clone(shared),
            progress: shared.watched.subscribe(),
            prefix: prefix.to_owned(),
            cursor: after,
            previous,
            batches,
        };
        tokio::spawn(follower.run());
        Self(inbox)
    }

    pub(crate) async fn next_batch(&mut self) -> Result<WatchBatch, StoreError> {
        self.0.recv().await.unwrap_or(Err(StoreError::Closed))
    }
}

impl Watch for Watcher {
    fn next(&mut self) -> Answer<'_, Batch> {
        Box::pin(async {
            let WatchBatch { events, upto } = self.next_batch().await?;
            Ok(Batch { events: events.into_iter().map(|past| past.event).collect(), upto })
        })
    }
}

/// The task behind a watch.
struct Follower {
    shared: Arc<Shared>,
    /// Counts this watch among those that hear of progress.
    #[allow(dead_code, reason = "it is counted, not read")]
    progress: watch::Receiver<u64>,
    prefix: String,
    cursor: Revision,
    previous: bool,
    batches: mpsc::Sender<Result<WatchBatch, StoreError>>,
}

/// Why a stream ended.
enum End {
    /// It broke: another may go on from the cursor.
    Broken(String),
    /// The events after the cursor are gone.
    Compacted(Revision),
    /// Nobody reads any more.
    Unread,
}

impl Follower {
    async fn run(mut self) {
        let mut backoff = Backoff::default();
        loop {
            let before = self.cursor;
            let unread = self.batches.clone();
            let end = tokio::select! {
                end = self.follow() => end,
                () = unread.closed() => End::Unread,
            };
            match end {
                End::Unread => return,
                End::Compacted(oldest) => {
                    let error = StoreError::Compacted { oldest };
                    let _ = self.batches.send(Err(error)).await;
                    return;
                }
                End::Broken(why) => {
                    tracing::debug!(
                        why,
                        cursor = self.cursor.0,
                        "a watch of etcd goes on elsewhere"
                    );
                    if self.cursor > before {
                        backoff = Backoff::default();
                    }
                    tokio::time::sleep(backoff.next_wait()).await;
                }
            }
        }
    }

    /// Follows one stream to its end.
    async fn follow(&mut self) -> End {
        let keys = self.shared.keys.everything();
        let message = watch_create(&keys, to_etcd(self.cursor) + 1, self.previous);
        let shared = Arc::clone(&self.shared);
        let Stream { mut answers, member } = match shared.client.watch(message).await {
            Ok(stream) => stream,
            Err(error) => return End::Broken(error.to_string()),
        };
        loop {
            let answer = tokio::select! {
                answer = next(&mut answers) => answer,
                () = shared.stalled.notified() => {
                    shared.client.members.turn_from(member);
                    return End::Broken("it tells nothing of what was written".to_owned());
                }
            };
            let answer = match answer {
                Ok(answer) => answer,
                Err(error) => return End::Broken(error.to_string()),
            };
            if answer.compact_revision > 0 {
                return End::Compacted(from_etcd(answer.compact_revision));
            }
            if answer.canceled {
                return End::Broken(String::from_utf8_lossy(&answer.cancel_reason).into_owned());
            }
            if answer.created {
                continue;
            }
            // The header of events may be ahead of them: more may follow from before it.
            let upto = answer.events.last().map_or(answer.revision, |event| event.kv.modified);
            let upto = from_etcd(upto);
            if upto <= self.cursor {
                continue;
            }
            let events = answer.events.into_iter();
            let events =
                events.filter_map(|event| past_event(&self.shared.keys, &self.prefix, event));
            let batch = WatchBatch { events: events.collect(), upto };
            if self.deliver(batch).await.is_err() {
                return End::Unread;
            }
            self.cursor = upto;
            self.shared.watched.send_if_modified(|watched| {
                let is_news = *watched < upto.0;
                *watched = upto.0.max(*watched);
                is_news
            });
        }
    }

    async fn deliver(&self, batch: WatchBatch) -> Result<(), ()> {
        match self.batches.try_send(Ok(batch)) {
            Ok(()) => Ok(()),
            Err(mpsc::error::TrySendError::Closed(_)) => Err(()),
            Err(mpsc::error::TrySendError::Full(batch)) => {
                self.shared.blocked.fetch_add(1, Ordering::Relaxed);
                let sent = self.batches.send(batch).await;
                self.shared.blocked.fetch_sub(1, Ordering::Relaxed);
                sent.map_err(drop)
            }
        }
    }
}

async fn next(answers: &mut Answers) -> Result<WatchResponse, RpcError> {
    match answers.next().await? {
        Some(answer) => WatchResponse::parse(answer)
            .map_err(|_| RpcError::Lost("a message that is not etcd's".to_owned())),
        None => Err(RpcError::Lost("the stream has ended".to_owned())),
    }
}

/// The event of the store; none if its key is of another prefix, or not among the store's.
fn past_event(keys: &KeyMap, prefix: &str, event: WatchEvent) -> Option<PastEvent> {
    let WatchEvent { is_delete, kv, previous } = event;
    let key = keys.to_store(&kv.key).filter(|key| key.starts_with(prefix))?;
    let act = match is_delete {
        true => EventKind::Deleted,
        false => EventKind::Put { value: kv.value, created: from_etcd(kv.created) },
    };
    let before = previous.and_then(|kv| record(keys, kv));
    Some(PastEvent { event: Event { key, revision: from_etcd(kv.modified), act }, before })
}
