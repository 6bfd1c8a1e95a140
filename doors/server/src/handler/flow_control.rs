//! The seat of a request: how many it takes, and how long it may wait for them.

use crate::access::authorize::attributes;
use crate::app::App;
use crate::app::flow_control::{Rejected, Seat, SeatRequest};
use crate::handler::documents;
use crate::request::{RequestContext, Target};
use http::header::{RETRY_AFTER, X_CONTENT_TYPE_OPTIONS};
use http::{HeaderValue, Response};
use ratchet_access::User;
use ratchet_flow_control::ListWork;
use ratchet_http::Body;
use std::time::Duration;

/// The longest wait, whatever the timeout of the request.
const MAX_WAIT: Duration = Duration::from_secs(60);

/// Waits for the seat of a request. Connections to backends take none, and a watch takes one until it begins. Fails with
/// the response if there is none.
pub(super) async fn admit(
    app: &App,
    request: &RequestContext<'_>,
    user: &User,
) -> Result<Option<Seat>, Box<Response<Body>>> {
    let Some(flow_control) = &app.flow_control else { return Ok(None) };
    let is_watch = request.info.verb == "watch";
    if request.info.is_long() && !is_watch {
        return Ok(None);
    }
    let seat_request = SeatRequest {
        attributes: &attributes(user, &request.info),
        info: &request.info,
        wait_until: request.started + wait_limit(app, request),
    };
    match flow_control.admit(seat_request, |most| seats(app, request, most)).await {
        Ok(seat) if is_watch => Ok(Some(seat.watches())),
        Ok(seat) => Ok(Some(seat)),
        Err(Rejected { flow, retry_after }) => {
            let mut response = too_many(retry_after);
            flow.set_headers(response.headers_mut());
            Err(Box::new(response))
        }
    }
}

/// A quarter of the request's time: what is left must be enough to serve it.
fn wait_limit(app: &App, request: &RequestContext<'_>) -> Duration {
    let own = request.deadline.map(|deadline| deadline.duration_since(request.started));
    match own.unwrap_or(app.limits.timeout) {
        Duration::ZERO if own.is_none() => MAX_WAIT,
        limit => (limit / 4).min(MAX_WAIT),
    }
}

/// The seats that a request takes, at most `most`: more than one only if it lists many objects.
fn seats(app: &App, request: &RequestContext<'_>, most: u32) -> u32 {
    let Target::Resource(path) = &request.info.target else { return 1 };
    let params = &request.params;
    let lists = match request.info.verb {
        "list" => true,
        "watch" => {
            let begins_with_list = matches!(params.text("resourceVersion"), "" | "0");
            begins_with_list || params.flag("sendInitialEvents")
        }
        _ => false,
    };
    if !lists {
        return 1;
    }
    let found = app.registry.find(&path.group, &path.version, &path.resource);
    let Some(resource) = found else { return 1 };
    let work = ListWork {
        objects: resource.cache.len(),
        limit: params.text("limit").parse().unwrap_or_default(),
        is_selective: ["labelSelector", "fieldSelector"]
            .iter()
            .any(|selector| !params.text(selector).is_empty()),
        is_single: !path.name.is_empty(),
    };
    work.seats(most)
}

/// 429: a limit is reached; the client may come back after so many seconds.
pub(super) fn too_many(retry_after: u64) -> Response<Body> {
    let text = "Too many requests, please try again later.\n".to_owned();
    let mut response = documents::text(429, "text/plain; charset=utf-8", text);
    let headers = response.headers_mut();
    headers.insert(RETRY_AFTER, HeaderValue::from(retry_after));
    headers.insert(X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
    response
}
