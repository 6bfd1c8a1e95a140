//! `Client`: calls to whichever member answers, with attempts at the others and a backoff between rounds.

use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use tokio::time::{Instant, timeout, timeout_at};

use crate::config::{ConnectError, EtcdConfig};
use crate::grpc::{Answers, RpcError};
use crate::members::Members;
use crate::messages::method;
use crate::protobuf::Message;

/// The waits between attempts, doubled from the first to the last, with up to half of it by chance.
const FIRST_WAIT: Duration = Duration::from_millis(20);
const LAST_WAIT: Duration = Duration::from_secs(1);

/// Whether a call may be sent again when it is unknown whether it happened.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Repeat {
    /// It reads, or happens once however often it is sent.
    Safe,
    /// It writes: only a call that was certainly not sent is tried again.
    Unsafe,
}

/// A stream of answers, and the index of the member that they come from.
pub(crate) struct Stream {
    pub(crate) answers: Answers,
    pub(crate) member: usize,
}

/// Calls to the members of etcd.
pub(crate) struct Client {
    pub(crate) members: Arc<Members>,
    timeout: Duration,
}

impl Client {
    pub(crate) fn new(config: &EtcdConfig) -> Result<Self, ConnectError> {
        Ok(Self { members: Arc::new(Members::new(config)?), timeout: config.timeout })
    }

    /// The time for what can be repeated, with all attempts at all members.
    pub(crate) fn patience(&self) -> Duration {
        self.timeout / 2
    }

    /// The time for one attempt at what can be repeated: it does not wait long for one member.
    fn patience_with_one(&self) -> Duration {
        self.timeout / 4
    }

    /// A call with one answer. `message` makes the message anew for each attempt.
    pub(crate) async fn call(
        &self,
        method: &'static str,
        repeat: Repeat,
        message: impl Fn() -> Message,
    ) -> Result<Bytes, RpcError> {
        let (all, each) = match repeat {
            Repeat::Safe => (self.patience(), self.patience_with_one()),
            Repeat::Unsafe => (self.timeout, self.timeout),
        };
        let deadline = Instant::now() + all;
        let mut backoff = Backoff::default();
        loop {
            let error = match timeout_at(deadline, self.members.connection()).await {
                Ok(Ok(open)) => {
                    let left = deadline.saturating_duration_since(Instant::now());
                    match open.connection.unary(method, message(), each.min(left)).await {
                        Ok(answer) => return Ok(answer),
                        Err(error) if !error.is_unavailable() => return Err(error),
                        Err(error) => {
                            self.members.leave(&open);
                            error
                        }
                    }
                }
                Ok(Err(error)) => error,
                Err(_) => RpcError::NotSent("no member accepts a connection in time".to_owned()),
            };
            let repeatable = repeat == Repeat::Safe || matches!(error, RpcError::NotSent(_));
            let wait = backoff.next_wait();
            if !repeatable || Instant::now() + wait >= deadline {
                return Err(error);
            }
            tokio::time::sleep(wait).await;
            // It may be the certificates that no member accepts.
            self.members.reload_tls().await;
        }
    }

    /// A watch on a connection of its own: a reader that is slow must not hold up the calls of others.
    pub(crate) async fn watch(&self, message: Message) -> Result<Stream, RpcError> {
        let dialed = self.members.dial_next().await?;
        let member = dialed.member;
        // etcd says at once that a watch is there, whatever it has to tell.
        let opened = dialed.connection.stream(method::WATCH, message);
        let result = match timeout(self.patience_with_one(), opened).await {
            Ok(result) => result,
            Err(_) => Err(RpcError::Lost("no answer to a watch in time".to_owned())),
        };
        let result = result.map(|answers| Stream { answers, member });
        result.inspect_err(|_| self.members.turn_from(member))
    }
}

/// Waits that grow from attempt to attempt.
#[derive(Debug)]
pub(crate) struct Backoff(Duration);

impl Default for Backoff {
    fn default() -> Self {
        Self(FIRST_WAIT)
    }
}

impl Backoff {
    pub(crate) fn next_wait(&mut self) -> Duration {
        let wait = self.0;
        self.0 = (wait * 2).min(LAST_WAIT);
        wait.mul_f64(1.0 + fastrand::f64() / 2.0)
    }
}
