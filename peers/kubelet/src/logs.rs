//! `/containerLogs`: what a container has said, as much of it as was asked for.

use bytes::{Bytes, BytesMut};
use http::{Response, StatusCode};
use jiff::{SignedDuration, Timestamp};
use tokio::sync::mpsc;

use crate::log::{Entry, Log, Source};
use crate::query::Query;
use crate::respond::{self, Body};
use crate::state::State;

/// How much is sent at once, at most.
const CHUNK: usize = 64 * 1024;
/// How many entries are taken out of the log at once.
const BATCH: usize = 1024;

/// What of a log is wanted.
#[derive(Debug, Default, PartialEq)]
pub(crate) struct Wanted {
    follow: bool,
    previous: bool,
    timestamps: bool,
    since: Option<Timestamp>,
    tail: Option<u64>,
    limit: Option<u64>,
    /// Only this stream, as kubelets give it that have the gate PodLogsQuerySplitStreams.
    only: Option<Source>,
}

/// Why a query is refused: it cannot be read, or it makes no sense.
#[derive(Debug, PartialEq)]
pub(crate) enum Fault {
    Unreadable,
    Invalid,
}

impl Fault {
    fn response(&self) -> Response<Body> {
        match self {
            Self::Unreadable => {
                respond::text(StatusCode::BAD_REQUEST, r#"{"message": "Unable to decode query."}"#)
            }
            Self::Invalid => respond::text(
                StatusCode::UNPROCESSABLE_ENTITY,
                r#"{"message": "Invalid request."}"#,
            ),
        }
    }
}

impl Wanted {
    /// Reads the options; `now` is what `sinceSeconds` counts back from.
    pub(crate) fn read(query: &Query, now: Timestamp) -> Result<Self, Fault> {
        let number = |name: &str, least: i64| -> Result<Option<i64>, Fault> {
            let Some(text) = query.first(name) else { return Ok(None) };
            let value = text.parse::<i64>().map_err(|_| Fault::Unreadable)?;
            if value < least { Err(Fault::Invalid) } else { Ok(Some(value)) }
        };
        let tail = match query.first("tail").filter(|tail| !tail.is_empty()) {
            Some("all") => None, // an old spelling
            Some(_) => number("tail", 0)?,
            None => number("tailLines", 0)?,
        };
        let limit = number("limitBytes", 1)?;
        let seconds = number("sinceSeconds", 1)?;
        let moment = match query.first("sinceTime") {
            Some(text) => Some(text.parse::<Timestamp>().map_err(|_| Fault::Unreadable)?),
            None => None,
        };
        if seconds.is_some() && moment.is_some() {
            return Err(Fault::Invalid);
        }
        let only = match query.first("stream") {
            None | Some("All") => None,
            Some("Stdout") => Some(Source::Stdout),
            Some("Stderr") => Some(Source::Stderr),
            Some(_) => return Err(Fault::Invalid),
        };
        if only.is_some() && tail.is_some() {
            return Err(Fault::Invalid);
        }
        let back =
            |seconds| now.checked_sub(SignedDuration::from_secs(seconds)).unwrap_or(Timestamp::MIN);
        Ok(Self {
            follow: query.flag("follow"),
            previous: query.flag("previous"),
            timestamps: query.flag("timestamps"),
            since: moment.or_else(|| seconds.map(back)),
            tail: tail.and_then(|tail| u64::try_from(tail).ok()),
            limit: limit.and_then(|limit| u64::try_from(limit).ok()),
            only,
        })
    }
}

/// Answers for one container.
pub(crate) fn serve(
    state: &State,
    [namespace, pod, container]: [&str; 3],
    query: &Query,
) -> Response<Body> {
    let wanted = match Wanted::read(query, Timestamp::now()) {
        Ok(wanted) => wanted,
        Err(fault) => return fault.response(),
    };
    let Some(containers) = state.pod(namespace, pod) else {
        return respond::text(StatusCode::NOT_FOUND, format!("pod {pod:?} does not exist"));
    };
    let Some(found) = containers.get(container) else {
        let words = format!("container {container:?} not found in pod {pod:?}");
        return respond::text(StatusCode::NOT_FOUND, words);
    };
    let log = if wanted.previous {
        found.container.previous.clone()
    } else {
        Some(found.container.log.clone())
    };
    let Some(log) = log else {
        let words = format!(
            "previous terminated container {container:?} in pod {:?} not found",
            format!("{pod}_{namespace}")
        );
        return respond::text(StatusCode::BAD_REQUEST, words);
    };
    if let Some(total) = log.flooded() {
        let total = wanted.limit.map_or(total, |limit| limit.min(total));
        return respond::streamed(Body::flood(total));
    }
    let (sender, body) = Body::flow();
    state.spawn(send(log, wanted, sender));
    respond::streamed(body)
}

async fn send(log: Log, wanted: Wanted, sender: mpsc::Sender<Bytes>) {
    let mut changes = log.changes();
    let mut next = log.start(wanted.tail);
    let mut writer = Writer::new(&wanted);
    loop {
        changes.mark_unchanged();
        let (entries, ended) = log.take(next, BATCH);
        if entries.is_empty() {
            if ended || !wanted.follow {
                return;
            }
            tokio::select! {
                changed = changes.changed() => if changed.is_err() { return },
                () = sender.closed() => return,
            }
            continue;
        }
        next += entries.len();
        for entry in &entries {
            let full = writer.write(entry);
            if (full || writer.ready.len() >= CHUNK) && !writer.hand_over(&sender).await {
                return;
            }
            if full {
                return;
            }
        }
        if !writer.hand_over(&sender).await {
            return;
        }
    }
}

/// Turns entries into bytes, and counts them.
struct Writer<'a> {
    wanted: &'a Wanted,
    left: u64,
    line_begins: bool,
    ready: BytesMut,
}

impl<'a> Writer<'a> {
    fn new(wanted: &'a Wanted) -> Self {
        let left = wanted.limit.unwrap_or(u64::MAX);
        Self { wanted, left, line_begins: true, ready: BytesMut::new() }
    }

    /// Takes an entry; true if no more bytes are wanted.
    fn write(&mut self, entry: &Entry) -> bool {
        let begins = std::mem::replace(&mut self.line_begins, entry.whole());
        let older = self.wanted.since.is_some_and(|since| entry.at < since);
        if older || self.wanted.only.is_some_and(|only| entry.source != only) {
            return false;
        }
        let prefix = if self.wanted.timestamps && begins { stamp(entry.at) } else { String::new() };
        self.put(prefix.as_bytes());
        self.put(&entry.text);
        self.left == 0
    }

    fn put(&mut self, bytes: &[u8]) {
        let fits = usize::try_from(self.left).unwrap_or(usize::MAX).min(bytes.len());
        let piece = bytes.get(..fits).unwrap_or_default();
        self.ready.extend_from_slice(piece);
        self.left -= piece.len() as u64;
    }

    async fn hand_over(&mut self, sender: &mpsc::Sender<Bytes>) -> bool {
        let ready = self.ready.split().freeze();
        ready.is_empty() || sender.send(ready).await.is_ok()
    }
}

fn stamp(at: Timestamp) -> String {
    at.strftime("%Y-%m-%dT%H:%M:%S%.9fZ ").to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(query: &str) -> Result<Wanted, Fault> {
        Wanted::read(&Query::read(query), Timestamp::from_second(1000).unwrap())
    }

    #[test]
    fn options_are_read_as_kubelets_read_them() {
        let wanted = read("follow=true&limitBytes=9&previous=true&sinceSeconds=10&tailLines=5");
        let expected = Wanted {
            follow: true,
            previous: true,
            timestamps: false,
            since: Timestamp::from_second(990).ok(),
            tail: Some(5),
            limit: Some(9),
            only: None,
        };
        assert_eq!(wanted, Ok(expected));
        assert_eq!(read("sinceTime=1970-01-01T00:00:03Z").unwrap().since.unwrap().as_second(), 3);
        assert_eq!(read("tail=all&tailLines=2"), Ok(Wanted::default()));
    }

    #[test]
    fn bad_options_are_told_apart() {
        for query in ["tailLines=x", "limitBytes=", "sinceTime=yesterday"] {
            assert_eq!(read(query), Err(Fault::Unreadable), "{query}");
        }
        let both = "sinceSeconds=1&sinceTime=1970-01-01T00:00:03Z";
        for query in ["tailLines=-1", "limitBytes=0", "sinceSeconds=0", "stream=x", both] {
            assert_eq!(read(query), Err(Fault::Invalid), "{query}");
        }
    }

    #[test]
    fn times_have_nine_digits() {
        let at = Timestamp::new(0, 5_000_000).unwrap();
        assert_eq!(stamp(at), "1970-01-01T00:00:00.005000000Z ");
    }
}
