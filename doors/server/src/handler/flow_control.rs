//! The seats of a request: how many it takes, how long it may wait for them, and how long it keeps them.

use crate::access::authorize::attributes;
use crate::app::App;
use crate::app::flow_control::{Rejected, Seat, SeatRequest};
use crate::handler::documents;
use crate::request::{RequestContext, Target};
use http::header::{RETRY_AFTER, X_CONTENT_TYPE_OPTIONS};
use http::{HeaderValue, Response};
use ratchet_access::User;
use ratchet_flow_control::{ListWork, Work};
use ratchet_http::Body;
use std::time::Duration;

/// The longest wait, whatever the timeout of the request.
const MAX_WAIT: Duration = Duration::from_secs(60);

/// The gate with which lists are measured by the size of objects.
const BY_SIZE: &str = "SizeBasedListCostEstimate";

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
    match flow_control.admit(seat_request, |most| work(app, request, most)).await {
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

/// The work of a request in at most `most` seats: more than one if it lists much, or if many watch what it writes.
fn work(app: &App, request: &RequestContext<'_>, most: u32) -> Work {
    let Target::Resource(path) = &request.info.target else { return Work::ONE };
    let found = || app.registry.find(&path.group, &path.version, &path.resource);
    match request.info.verb {
        "list" | "watch" if lists(request) => {
            let Some(resource) = found() else { return Work::ONE };
            let work = ListWork {
                objects: number(resource.cache.len()),
                bytes: number(resource.cache.bytes()),
                limit: request.params.text("limit").parse().unwrap_or_default(),
                is_selective: ["labelSelector", "fieldSelector"]
                    .iter()
                    .any(|selector| !request.params.text(selector).is_empty()),
                is_single: !path.name.is_empty(),
                is_cached: is_cached(request),
            };
            Work::of(match app.api_config.gates.is_on(BY_SIZE) {
                true => work.seats(most),
                false => work.seats_by_count(most),
            })
        }
        // Nobody watches tokens.
        "create" | "update" | "patch" | "delete" if path.subresource != "token" => {
            let Some(resource) = found() else { return Work::ONE };
            let prefix = match path.namespace.as_str() {
                "" => String::new(),
                namespace => format!("{namespace}/"),
            };
            Work::of_write(resource.cache.watches(&prefix, &path.name), most)
        }
        _ => Work::ONE,
    }
}

fn number(count: usize) -> u64 {
    u64::try_from(count).unwrap_or(u64::MAX)
}

/// Whether a request begins with a list.
fn lists(request: &RequestContext<'_>) -> bool {
    let params = &request.params;
    let begins_with_list = || matches!(params.text("resourceVersion"), "" | "0");
    request.info.verb == "list" || begins_with_list() || params.flag("sendInitialEvents")
}

/// Whether a list is of the newest state, which the cache has. The reference reads older ones from its store, and so do
/// estimates.
fn is_cached(request: &RequestContext<'_>) -> bool {
    let text = |name| request.params.text(name);
    if request.info.verb == "watch" {
        return true;
    }
    let is_exact = !text("limit").is_empty() && !matches!(text("resourceVersion"), "" | "0");
    match text("resourceVersionMatch") {
        "NotOlderThan" => true,
        "" => text("continue").is_empty() && !is_exact,
        _ => false,
    }
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
