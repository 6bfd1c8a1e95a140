//! Handler of `/containerLogs`, with all options of kubelets.

use bytes::{Bytes, BytesMut};
use http::{Response, StatusCode};
use jiff::{SignedDuration, Timestamp};
use tokio::sync::mpsc;

use crate::log::{Entry, Log, Source};
use crate::query::Query;
use crate::respond::{self, Body};
use crate::state::State;

/// The maximum chunk size.
const CHUNK: usize = 64 * 1024;
/// Number of entries read from the log at once.
const BATCH: usize = 1024;

/// The options of a log request.
#[derive(Debug, Default, PartialEq)]
pub(crate) struct LogOptions {
    follow: bool,
    previous: bool,
    timestamps: bool,
    since: Option<Timestamp>,
    tail: Option<u64>,
    limit: Option<u64>,
    /// Only this stream, as in kubelets with the gate PodLogsQuerySplitStreams.
    only: Option<Source>,
}

/// Why a query is refused: it cannot be parsed, or its options are invalid.
#[derive(Debug, PartialEq)]
pub(crate) enum QueryError {
    Unreadable,
    Invalid,
}

impl QueryError {
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

impl LogOptions {
    /// Parses the options; `sinceSeconds` counts back from `now`.
    pub(crate) fn parse(query: &Query, now: Timestamp) -> Result<Self, QueryError> {
        let number = |name: &str, least: i64| -> Result<Option<i64>, QueryError> {
            let Some(text) = query.first(name) else { return Ok(None) };
            let value = text.parse::<i64>().map_err(|_| QueryError::Unreadable)?;
            if value < least { Err(QueryError::Invalid) } else { Ok(Some(value)) }
        };
        let tail = match query.first("tail").filter(|tail| !tail.is_empty()) {
            Some("all") => None, // an old spelling
            Some(_) => number("tail", 0)?,
            None => number("tailLines", 0)?,
        };
        let limit = number("limitBytes", 1)?;
        let seconds = number("sinceSeconds", 1)?;
        let since_time = match query.first("sinceTime") {
            Some(text) => Some(text.parse::<Timestamp>().map_err(|_| QueryError::Unreadable)?),
            None => None,
        };
        if seconds.is_some() && since_time.is_some() {
            return Err(QueryError::Invalid);
        }
        let only = match query.first("stream") {
            None | Some("All") => None,
            Some("Stdout") => Some(Source::Stdout),
            Some("Stderr") => Some(Source::Stderr),
            Some(_) => return Err(QueryError::Invalid),
        };
        if only.is_some() && tail.is_some() {
            return Err(QueryError::Invalid);
        }
        let back =
            |seconds| now.checked_sub(SignedDuration::from_secs(seconds)).unwrap_or(Timestamp::MIN);
        Ok(Self {
            follow: query.flag("follow"),
            previous: query.flag("previous"),
            timestamps: query.flag("timestamps"),
            since: since_time.or_else(|| seconds.map(back)),
            tail: tail.and_then(|tail| u64::try_from(tail).ok()),
            limit: limit.and_then(|limit| u64::try_from(limit).ok()),
            only,
        })
    }
}

/// Handles a request for one container.
pub(crate) fn serve(
    state: &State,
    [namespace, pod, container]: [&str; 3],
    query: &Query,
) -> Response<Body> {
    let options = match LogOptions::parse(query, Timestamp::now()) {
        Ok(options) => options,
        Err(error) => return error.response(),
    };
    let Some(containers) = state.pod(namespace, pod) else {
        return respond::text(StatusCode::NOT_FOUND, format!("pod {pod:?} does not exist"));
    };
    let Some(found) = containers.get(container) else {
        let message = format!("container {container:?} not found in pod {pod:?}");
        return respond::text(StatusCode::NOT_FOUND, message);
    };
    let log = if options.previous {
        found.container.previous.clone()
    } else {
        Some(found.container.log.clone())
    };
    let Some(log) = log else {
        let message = format!(
            "previous terminated container {container:?} in pod {:?} not found",
            format!("{pod}_{namespace}")
        );
        return respond::text(StatusCode::BAD_REQUEST, message);
    };
    if let Some(total) = log.flooded() {
        let total = options.limit.map_or(total, |limit| limit.min(total));
        return respond::stream(Body::flood(total));
    }
    let (sender, body) = Body::flow();
    state.spawn(send(log, options, sender));
    respond::stream(body)
}

async fn send(log: Log, options: LogOptions, sender: mpsc::Sender<Bytes>) {
    let mut changes = log.changes();
    let mut next = log.start(options.tail);
    let mut writer = Writer::new(&options);
    loop {
        changes.mark_unchanged();
        let (entries, ended) = log.take(next, BATCH);
        if entries.is_empty() {
            if ended || !options.follow {
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
            if (full || writer.ready.len() >= CHUNK) && !writer.flush(&sender).await {
                return;
            }
            if full {
                return;
            }
        }
        if !writer.flush(&sender).await {
            return;
        }
    }
}

/// Encodes entries, up to the byte limit.
struct Writer<'a> {
    options: &'a LogOptions,
    left: u64,
    line_begins: bool,
    ready: BytesMut,
}

impl<'a> Writer<'a> {
    fn new(options: &'a LogOptions) -> Self {
        let left = options.limit.unwrap_or(u64::MAX);
        Self { options, left, line_begins: true, ready: BytesMut::new() }
    }

    /// Writes an entry; returns whether the byte limit is reached.
    fn write(&mut self, entry: &Entry) -> bool {
        let begins = std::mem::replace(&mut self.line_begins, entry.whole());
        let older = self.options.since.is_some_and(|since| entry.at < since);
        if older || self.options.only.is_some_and(|only| entry.source != only) {
            return false;
        }
        let prefix = if self.options.timestamps && begins {
            format_timestamp(entry.at)
        } else {
            String::new()
        };
        self.append_limited(prefix.as_bytes());
        self.append_limited(&entry.text);
        self.left == 0
    }

    fn append_limited(&mut self, bytes: &[u8]) {
        let fits = usize::try_from(self.left).unwrap_or(usize::MAX).min(bytes.len());
        let piece = bytes.get(..fits).unwrap_or_default();
        self.ready.extend_from_slice(piece);
        self.left -= piece.len() as u64;
    }

    async fn flush(&mut self, sender: &mpsc::Sender<Bytes>) -> bool {
        let ready = self.ready.split().freeze();
        ready.is_empty() || sender.send(ready).await.is_ok()
    }
}

fn format_timestamp(at: Timestamp) -> String {
    at.strftime("%Y-%m-%dT%H:%M:%S%.9fZ ").to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(query: &str) -> Result<LogOptions, QueryError> {
        LogOptions::parse(&Query::parse(query), Timestamp::from_second(1000).unwrap())
    }

    #[test]
    fn options_are_read_as_kubelets_read_them() {
        let options = parse("follow=true&limitBytes=9&previous=true&sinceSeconds=10&tailLines=5");
        let expected = LogOptions {
            follow: true,
            previous: true,
            timestamps: false,
            since: Timestamp::from_second(990).ok(),
            tail: Some(5),
            limit: Some(9),
            only: None,
        };
        assert_eq!(options, Ok(expected));
        assert_eq!(parse("sinceTime=1970-01-01T00:00:03Z").unwrap().since.unwrap().as_second(), 3);
        assert_eq!(parse("tail=all&tailLines=2"), Ok(LogOptions::default()));
    }

    #[test]
    fn bad_options_are_told_apart() {
        for query in ["tailLines=x", "limitBytes=", "sinceTime=yesterday"] {
            assert_eq!(parse(query), Err(QueryError::Unreadable), "{query}");
        }
        let both = "sinceSeconds=1&sinceTime=1970-01-01T00:00:03Z";
        for query in ["tailLines=-1", "limitBytes=0", "sinceSeconds=0", "stream=x", both] {
            assert_eq!(parse(query), Err(QueryError::Invalid), "{query}");
        }
    }

    #[test]
    fn times_have_nine_digits() {
        let at = Timestamp::new(0, 5_000_000).unwrap();
        assert_eq!(format_timestamp(at), "1970-01-01T00:00:00.005000000Z ");
    }
}
