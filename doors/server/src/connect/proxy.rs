//! `proxy`: forwards requests to nodes, pods and Services.

use super::location::{self, Location, unreachable};
use super::rewrite::Prefix;
use super::upgrade::{self, UpgradeResponse};
use super::{Client, Connect, escape, forwarded};
use crate::request::ResourcePath;
use crate::status::StatusError;
use http::header::LOCATION;
use http::{HeaderName, HeaderValue, Method, Request, Response, StatusCode};
use http_body_util::BodyExt;
use ratchet_http::{Body, BodyError, empty};
use ratchet_kubelet::PooledBody;
use ratchet_object::Node;

const FORWARDED_URI: HeaderName = HeaderName::from_static("x-forwarded-uri");

/// Handles a proxy request.
pub(super) async fn answer(
    connect: &Connect<'_>,
    client: Client,
) -> Result<Response<Body>, StatusError> {
    let mut options = Node::empty_map();
    let end = if connect.request.parts.uri.path().ends_with('/') { "/" } else { "" };
    let path = match connect.path.rest.trim_matches('/') {
        "" => end.to_owned(),
        rest => format!("/{rest}{end}"),
    };
    if !path.is_empty() {
        options.set("path", Node::string(path));
    }
    let kind = match connect.resource.row().plural {
        "nodes" => "NodeProxyOptions",
        "pods" => "PodProxyOptions",
        _ => "ServiceProxyOptions",
    };
    connect.admit(kind, &mut options).await?;
    let location = match connect.resource.row().plural {
        "nodes" => location::of_node(connect).await?,
        "pods" => location::of_pod(connect)?,
        _ => location::of_service(connect)?,
    };
    let parts = connect.request.parts;
    let headers = forwarded::headers(connect.app, parts, client.address);
    if crate::connect::streaming::is_upgrade(&parts.headers) {
        return upgraded(connect, client, &location, headers).await;
    }
    let full_path = parts.uri.path();
    let query = parts.uri.query().map(|query| format!("?{query}")).unwrap_or_default();
    if connect.path.rest.is_empty()
        && !full_path.ends_with('/')
        && matches!(parts.method, Method::GET | Method::HEAD)
    {
        return Ok(redirect(&format!("{full_path}/{query}")));
    }
    let path = escape::path(&inner_path(connect));
    let mut request = Request::builder()
        .method(parts.method.clone())
        .uri(format!("{path}{query}"))
        .body(client.body)
        .map_err(StatusError::internal)?;
    *request.headers_mut() = headers;
    forwarded::remove_hop_by_hop(request.headers_mut());
    // Not the client's spelling: the backend gets a cleaned path, and the prefix before it is derived from that.
    let full_path = format!("{}{path}", path_prefix(connect));
    if let Ok(value) = HeaderValue::from_str(&full_path) {
        request.headers_mut().insert(FORWARDED_URI, value);
    }
    let prefix = Prefix::of(&full_path, &path, &location.authority(), &parts.headers);
    let sent = location.send(&connect.app.backends, request).await;
    let response = sent.map_err(|error| unreachable(&error.to_string()))?;
    let body = |body: PooledBody| body.map_err(|error| BodyError(error.to_string())).boxed_unsync();
    let mut response = response.map(body);
    forwarded::remove_hop_by_hop(response.headers_mut());
    for name in forwarded::CORS_HEADERS {
        response.headers_mut().remove(name);
    }
    connect.request.audit.set_stream();
    let response = prefix.rewrite(response, &connect.app.compute);
    Ok(response.map(|body| connect.counted_body(body)))
}

/// The path after `proxy`, with its trailing slash.
fn inner_path(connect: &Connect<'_>) -> String {
    let end = if connect.request.parts.uri.path().ends_with('/') { "/" } else { "" };
    escape::clean_path(&format!("{}{end}", connect.path.rest))
}

/// The path up to and including `proxy`, built from the authorized path and not from the client's spelling.
fn path_prefix(connect: &Connect<'_>) -> String {
    let ResourcePath {
        group, version, namespace, in_namespace, resource, name, subresource, ..
    } = connect.path;
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

/// A redirect to the path with a trailing slash, without which relative links would be wrong.
fn redirect(to: &str) -> Response<Body> {
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
) -> Result<Response<Body>, StatusError> {
    let Some(on_upgrade) = client.upgrade else {
        return Err(StatusError::bad_request("this protocol cannot be upgraded; use HTTP/1.1"));
    };
    let parts = connect.request.parts;
    let query = parts.uri.query().map(|query| format!("?{query}")).unwrap_or_default();
    let path = format!("{}{query}", escape::path(&inner_path(connect)));
    let request_line = (parts.method.clone(), path.as_str());
    let connection = location.dial(&connect.app.backends).await;
    let connection = connection
        .map_err(|error| StatusError::unclassified(format!("error dialing backend: {error}")))?;
    let answer = upgrade::request(connection, request_line, headers).await;
    match answer.map_err(StatusError::unclassified)? {
        UpgradeResponse::NotUpgraded(response) => upgrade::not_upgraded_response(response),
        UpgradeResponse::Upgraded(head, backend) => {
            connect.join(on_upgrade, backend);
            Ok(upgrade::switching_response(head.headers))
        }
    }
}
