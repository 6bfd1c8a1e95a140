//! Proxies to nodes, pods and Services: a request goes on to what stands behind a name, and its answer comes back.

use super::location::{self, Location};
use super::rewrite::Prefix;
use super::upgrade::{self, Answer};
use super::{Client, Connect, escape, forwarded};
use crate::refusal::Refusal;
use crate::request::Place;
use http::header::LOCATION;
use http::{HeaderName, HeaderValue, Method, Request, Response, StatusCode};
use http_body_util::BodyExt;
use ratchet_http::{Body, BodyError, empty};
use ratchet_kubelet::PooledBody;
use ratchet_object::Node;

const FORWARDED_URI: HeaderName = HeaderName::from_static("x-forwarded-uri");

/// Headers with which a backend would speak for this server to browsers.
const SPEAKS_FOR_US: [&str; 4] = [
    "access-control-allow-credentials",
    "access-control-allow-headers",
    "access-control-allow-methods",
    "access-control-allow-origin",
];

/// Answers with what the backend answers.
pub(super) async fn answer(
    connect: &Connect<'_>,
    client: Client,
) -> Result<Response<Body>, Refusal> {
    let mut options = Node::empty_map();
    let end = if connect.request.parts.uri.path().ends_with('/') { "/" } else { "" };
    let path = match connect.place.rest.trim_matches('/') {
        "" => end.to_owned(),
        rest => format!("/{rest}{end}"),
    };
    if !path.is_empty() {
        options.set("path", Node::string(path));
    }
    let kind = match connect.served.row.plural {
        "nodes" => "NodeProxyOptions",
        "pods" => "PodProxyOptions",
        _ => "ServiceProxyOptions",
    };
    connect.ask_policies(kind, &options).await?;
    let location = match connect.served.row.plural {
        "nodes" => location::of_node(connect).await?,
        "pods" => location::of_pod(connect)?,
        _ => location::of_service(connect)?,
    };
    let parts = connect.request.parts;
    let headers = forwarded::headers(connect.app, parts, client.address);
    if crate::streaming::is_upgrade(&parts.headers) {
        return upgraded(connect, client, &location, headers).await;
    }
    let whole = parts.uri.path();
    let query = parts.uri.query().map(|query| format!("?{query}")).unwrap_or_default();
    if connect.place.rest.is_empty()
        && !whole.ends_with('/')
        && matches!(parts.method, Method::GET | Method::HEAD)
    {
        return Ok(moved(&format!("{whole}/{query}")));
    }
    let path = escape::path(&inner_path(connect));
    let mut request = Request::builder()
        .method(parts.method.clone())
        .uri(format!("{path}{query}"))
        .body(client.body)
        .map_err(Refusal::internal)?;
    *request.headers_mut() = headers;
    forwarded::drop_hop_headers(request.headers_mut());
    // Not as the client spelled it: the backend sees its own path cleaned, and what stands before it is found by that.
    let whole = format!("{}{path}", before_inner(connect));
    if let Ok(value) = HeaderValue::from_str(&whole) {
        request.headers_mut().insert(FORWARDED_URI, value);
    }
    let prefix = Prefix::of(&whole, &path, &location.authority(), &parts.headers);
    let sent = location.send(&connect.app.backends, request).await;
    let response = sent.map_err(|error| unreachable(&error.to_string()))?;
    let body = |body: PooledBody| body.map_err(|error| BodyError(error.to_string())).boxed_unsync();
    let mut response = response.map(body);
    forwarded::drop_hop_headers(response.headers_mut());
    for name in SPEAKS_FOR_US {
        response.headers_mut().remove(name);
    }
    connect.request.told.note_stream();
    let response = prefix.rewrite(response, &connect.app.compute);
    Ok(response.map(|body| connect.held(body)))
}

/// 503: nobody answers there.
pub(super) fn unreachable(why: &str) -> Refusal {
    Refusal::unavailable(format!("error trying to reach service: {why}"))
}

/// What stands behind `proxy` in the path, with the slash at its end.
fn inner_path(connect: &Connect<'_>) -> String {
    let end = if connect.request.parts.uri.path().ends_with('/') { "/" } else { "" };
    escape::cleaned(&format!("{}{end}", connect.place.rest))
}

/// What stands in the path up to and with `proxy`, made from what was authorised and not from what was spelled.
fn before_inner(connect: &Connect<'_>) -> String {
    let Place { group, version, namespace, in_namespace, resource, name, subresource, .. } =
        connect.place;
    let root = match group.as_str() {
        "" => format!("/api/{version}"),
        group => format!("/apis/{group}/{version}"),
    };
    let scope = match in_namespace {
        true => format!("/namespaces/{namespace}"),
        false => String::new(),
    };
    escape::path(&format!("{root}{scope}/{resource}/{name}/{subresource}"))
}

/// A path without a slash at its end would make every relative link wrong.
fn moved(to: &str) -> Response<Body> {
    let mut response = Response::new(empty());
    *response.status_mut() = StatusCode::MOVED_PERMANENTLY;
    if let Ok(value) = HeaderValue::from_str(to) {
        response.headers_mut().insert(LOCATION, value);
    }
    response
}

async fn upgraded(
    connect: &Connect<'_>,
    client: Client,
    location: &Location,
    headers: http::HeaderMap,
) -> Result<Response<Body>, Refusal> {
    let Some(on_upgrade) = client.upgrade else {
        return Err(Refusal::bad_request("this protocol cannot be upgraded; use HTTP/1.1"));
    };
    let parts = connect.request.parts;
    let query = parts.uri.query().map(|query| format!("?{query}")).unwrap_or_default();
    let path = format!("{}{query}", escape::path(&inner_path(connect)));
    let asked = (parts.method.clone(), path.as_str());
    let connection = location.dial(&connect.app.backends).await;
    let connection = connection
        .map_err(|error| Refusal::unclassified(format!("error dialing backend: {error}")))?;
    let answer = upgrade::ask(connection, asked, headers).await;
    match answer.map_err(Refusal::unclassified)? {
        Answer::Stayed(response) => upgrade::stayed(response),
        Answer::Switched(head, backend) => {
            connect.join(on_upgrade, backend);
            Ok(upgrade::switched(head.headers))
        }
    }
}
