//! A watcher: follows one watch, over its ends, and keeps the ledger of what it sees.

use crate::connection::{ApiRequest, Connection, message};
use crate::endpoint::Endpoint;
use crate::errors::{ErrorCounts, RequestFailure};
use crate::events::EventLedger;
use crate::resource::SEQUENCE;
use crate::worker::TextMember;
use crate::write_log::WriteLog;
use http_body_util::BodyExt;
use hyper::Method;
use hyper::body::Incoming;
use std::sync::{Arc, LazyLock};
use std::time::Duration;
use tokio::sync::watch;

/// The pause before a watch that failed is started again.
const PAUSE: Duration = Duration::from_millis(100);

/// A watch of a collection and the version from which it goes on.
pub(crate) struct Watch {
    connection: Connection,
    collection: String,
    version: u64,
}

/// What a watcher has in the end.
pub(crate) struct WatchOutcome {
    pub(crate) ledger: EventLedger,
    pub(crate) errors: ErrorCounts,
    pub(crate) bytes: u64,
    /// How often the watch ended and went on.
    pub(crate) resumed: u64,
}

/// An event, as far as it matters here.
#[derive(Debug, PartialEq, Eq)]
enum WatchEvent {
    /// The version of its object, and the number of the write, if it has one.
    Object { version: Option<u64>, sequence: Option<usize> },
    /// What the server reports instead.
    Error(String),
}

impl Watch {
    pub(crate) fn new(endpoint: Arc<Endpoint>, collection: String, version: u64) -> Self {
        Self { connection: Connection::new(endpoint), collection, version }
    }

    /// Starts the watch, or goes on after its end; returns when the answer begins.
    pub(crate) async fn start(&mut self) -> Result<Incoming, RequestFailure> {
        let (collection, version) = (&self.collection, self.version);
        let path = format!("{collection}?watch=1&resourceVersion={version}&timeoutSeconds=3600");
        let answer = self.connection.send(ApiRequest::plain(Method::GET, path)).await?;
        let code = answer.status().as_u16();
        if code == 200 {
            return Ok(answer.into_body());
        }
        let body = answer.into_body().collect().await;
        let body = body.map_err(|error| RequestFailure::Http(error.to_string()))?.to_bytes();
        Err(RequestFailure::Status(code, message(&body)))
    }
}

/// Follows a watch that has started until it is told to stop.
pub(crate) async fn follow(
    mut watch: Watch,
    body: Incoming,
    ledger: EventLedger,
    log: Arc<WriteLog>,
    mut stopped: watch::Receiver<bool>,
) -> WatchOutcome {
    let errors = ErrorCounts::default();
    let mut outcome = WatchOutcome { ledger, errors, bytes: 0, resumed: 0 };
    // The end of the channel stops the watch as well.
    let mut stop = std::pin::pin!(stopped.wait_for(|is_stopped| *is_stopped));
    let mut body = Some(body);
    loop {
        let Some(open) = body.as_mut() else {
            let started = tokio::select! {
                started = watch.start() => started,
                _ = &mut stop => return outcome,
            };
            match started {
                Ok(started) => {
                    outcome.resumed += 1;
                    body = Some(started);
                }
                Err(failure) => {
                    outcome.errors.add(&failure);
                    tokio::time::sleep(PAUSE).await;
                }
            }
            continue;
        };
        let ended = tokio::select! {
            ended = read(open, &mut watch.version, &mut outcome, &log) => ended,
            _ = &mut stop => return outcome,
        };
        if let Err(failure) = ended {
            outcome.errors.add(&failure);
            tokio::time::sleep(PAUSE).await;
        }
        body = None;
    }
}

/// Reads events until the answer ends.
async fn read(
    body: &mut Incoming,
    version: &mut u64,
    outcome: &mut WatchOutcome,
    log: &WriteLog,
) -> Result<(), RequestFailure> {
    let mut rest: Vec<u8> = Vec::new();
    while let Some(frame) = body.frame().await {
        let frame = frame.map_err(|error| RequestFailure::Http(error.to_string()))?;
        let Ok(data) = frame.into_data() else { continue };
        outcome.bytes += data.len() as u64;
        let mut lines = data.split(|byte| *byte == b'\n');
        // Every piece but the last one ends a line; the first one may end a line of an earlier frame.
        let last = lines.next_back().unwrap_or_default();
        for line in lines {
            let event = if rest.is_empty() {
                parse(line)
            } else {
                rest.extend_from_slice(line);
                let event = parse(&rest);
                rest.clear();
                event
            };
            match event {
                WatchEvent::Object { version: seen, sequence } => {
                    *version = seen.unwrap_or(*version);
                    let Some(sequence) = sequence else { continue };
                    // A write that did not begin in this run has no lag; the ledger counts it as stray.
                    let (sequence, lag) = match log.lag(sequence) {
                        Some(lag) => (sequence, lag),
                        None => (usize::MAX, Duration::ZERO),
                    };
                    if outcome.ledger.record(sequence, lag) {
                        log.count_received();
                    }
                }
                WatchEvent::Error(message) => return Err(RequestFailure::Watch(message)),
            }
        }
        rest.extend_from_slice(last);
    }
    Ok(())
}

static TYPE: LazyLock<TextMember> = LazyLock::new(|| TextMember::new("type"));
static MESSAGE: LazyLock<TextMember> = LazyLock::new(|| TextMember::new("message"));
static VERSION: LazyLock<TextMember> = LazyLock::new(|| TextMember::new("resourceVersion"));
static NUMBER: LazyLock<TextMember> = LazyLock::new(|| TextMember::new(SEQUENCE));

fn parse(line: &[u8]) -> WatchEvent {
    if TYPE.find(line) == Some("ERROR") {
        let message = MESSAGE.find(line).map(str::to_owned);
        return WatchEvent::Error(
            message.unwrap_or_else(|| String::from_utf8_lossy(line).into_owned()),
        );
    }
    WatchEvent::Object {
        version: VERSION.find(line).and_then(|version| version.parse().ok()),
        sequence: NUMBER.find(line).and_then(|sequence| sequence.parse().ok()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_event_has_a_version_and_the_number_of_its_write() {
        let line = br#"{"type":"MODIFIED","object":{"kind":"ConfigMap","metadata":{"name":"a","resourceVersion":"17","annotations":{"api-load/sequence":"000000042"},"managedFields":[{"fieldsV1":{"f:metadata":{"f:annotations":{"f:api-load/sequence":{}}}}}]}}}"#;
        assert_eq!(parse(line), WatchEvent::Object { version: Some(17), sequence: Some(42) });
    }

    #[test]
    fn an_object_of_others_has_no_number() {
        let line = br#"{"type":"ADDED","object":{"metadata":{"resourceVersion":"3"}}}"#;
        assert_eq!(parse(line), WatchEvent::Object { version: Some(3), sequence: None });
    }

    #[test]
    fn an_error_is_told_with_its_message() {
        let line = br#"{"type":"ERROR","object":{"kind":"Status","message":"too old","code":410}}"#;
        assert_eq!(parse(line), WatchEvent::Error("too old".to_owned()));
    }
}
