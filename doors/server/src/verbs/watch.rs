//! WATCH: initial events, then changes, until the client or the server ends the stream.

mod encoder;
mod frames;
mod stream;

use self::encoder::EventEncoder;
use self::stream::WatchStream;
use crate::app::resource_request::{Content, HandlerResult, Reply, ResourceRequest};
use crate::request::Media;
use crate::status::StatusError;
use crate::verbs::list::parse_number;
use crate::verbs::selection::Selection;
use futures_util::stream::unfold;
use std::time::Duration;

/// The maximum duration of a watch.
const MAX_DURATION: Duration = Duration::from_secs(7 * 24 * 3600);

/// The beginning of a watch.
#[derive(Clone, Copy)]
enum Start {
    /// The current objects as ADDED events.
    Objects,
    /// The current objects as ADDED events, then the `initial-events-end` bookmark.
    ObjectsAndBookmark(u64),
    /// The changes after a revision.
    After(u64),
}

/// Starts a watch.
pub(crate) async fn watch(request: &ResourceRequest<'_>) -> HandlerResult {
    if request.output.media == Media::Yaml {
        return Err(StatusError::no_such_stream());
    }
    let selection = Selection::parse(request)?;
    let start = start(request)?;
    let limit = limit(request)?;
    if let Start::ObjectsAndBookmark(revision) = start {
        request.line().wait_for(revision).await?;
    }
    if matches!(start, Start::Objects | Start::ObjectsAndBookmark(_)) {
        request.line().fresh().await?;
    }
    let scope = selection.scope(request.resource, request.path);
    let has_bookmarks = request.params.flag("allowWatchBookmarks");
    let encoder = EventEncoder::new(request, selection);
    let stream = Box::new(WatchStream::new(encoder, scope, start, has_bookmarks, limit));
    // It runs in the task that sends: the changes that come while the client is slow go out together.
    let body = unfold(stream, async |mut stream| Some((stream.next().await?, stream)));
    Ok(Reply { code: 200, content: Content::Stream(ratchet_http::stream(body)) })
}

/// The duration of a watch: `timeoutSeconds`, or else one to two times the server's minimum, so that the watches of a
/// restarted server do not all end at once.
fn limit(request: &ResourceRequest<'_>) -> Result<Duration, StatusError> {
    let seconds = u64::try_from(parse_number(request, "timeoutSeconds")?).ok();
    let minimum = request.app.limits.watch;
    let limit = match seconds.filter(|seconds| *seconds > 0) {
        Some(seconds) => Duration::from_secs(seconds),
        None if minimum.is_zero() => MAX_DURATION,
        None => minimum.mul_f64(1.0 + fastrand::f64()),
    };
    Ok(limit.min(MAX_DURATION))
}

fn start(request: &ResourceRequest<'_>) -> Result<Start, StatusError> {
    let (version, matching) =
        (request.params.text("resourceVersion"), request.params.text("resourceVersionMatch"));
    let forbidden = |field: &str, text: &str| {
        let text = format!("Forbidden: {text}");
        Err(StatusError::invalid("ListOptions", "meta.k8s.io", field, "FieldValueForbidden", &text))
    };
    let initial = request.params.get("sendInitialEvents");
    if initial.is_none() && !matching.is_empty() {
        let text =
            "resourceVersionMatch is forbidden for watch unless sendInitialEvents is provided";
        return forbidden("resourceVersionMatch", text);
    }
    if initial.is_some() && matching != "NotOlderThan" {
        let text = "sendInitialEvents requires setting resourceVersionMatch to NotOlderThan";
        return forbidden("resourceVersionMatch", text);
    }
    let revision = match version {
        "" | "0" => 0,
        text => text.parse().map_err(|_| {
            let quoted = ratchet_net::Quoted(text);
            StatusError::unclassified(format!(
                "resourceVersion: Invalid value: {quoted}: strconv.ParseUint: parsing {quoted}: invalid syntax"
            ))
        })?,
    };
    Ok(match (request.params.flag("sendInitialEvents"), revision) {
        (true, revision) => Start::ObjectsAndBookmark(revision),
        (false, 0) if initial.is_none() => Start::Objects,
        (false, 0) => Start::After(request.line().reached()),
        (false, revision) => Start::After(revision),
    })
}
