//! Requests that go to extension servers: who they are from is stated in headers, and nothing is gathered on the way.

use super::drained::until_drained;
use super::identity;
use crate::app::App;
use crate::app::aggregator::api_service::ApiService;
use crate::connect::{Client, UpgradeResponse, copy, forwarded, is_upgrade, upgrade};
use crate::request::{AUDIT_ID, RequestContext, Source, Target};
use http::header::{CONTENT_TYPE, HOST, LOCATION};
use http::{HeaderMap, HeaderName, HeaderValue, Request, Response, StatusCode};
use http_body_util::BodyExt;
use hyper::upgrade::{OnUpgrade, Upgraded};
use hyper_util::rt::TokioIo;
use ratchet_access::User;
use ratchet_http::{Body, BodyError, full};
use ratchet_kubelet::{ExtensionServer, PooledBody};
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::watch;

/// The time that a server has for its list of resources, for which every client waits.
const DISCOVERY_TIMEOUT: Duration = Duration::from_secs(5);

const NO_SNIFF: HeaderName = HeaderName::from_static("x-content-type-options");
const FORWARDED: [&str; 3] = ["x-forwarded-uri", "x-forwarded-host", "x-forwarded-proto"];
const REDIRECTED: &str = "the backend attempted to redirect this request, which is not permitted";

/// Where a request is answered.
pub(crate) enum Routed {
    /// An extension server answered, or should have.
    Answered(Response<Body>),
    /// By this server.
    Local(Source),
}

/// Sends an authorized request to the extension server of its version, if there is one.
pub(crate) async fn route(
    app: &Arc<App>,
    request: &RequestContext<'_>,
    source: Source,
    user: &User,
) -> Routed {
    let set = app.aggregator.services.now();
    let (service, is_discovery) = match &request.info.target {
        Target::Resource(path) => (set.remote_version(&path.group, &path.version), false),
        Target::Path(path) => {
            let parts: Vec<&str> = path.split('/').filter(|part| !part.is_empty()).collect();
            match parts.as_slice() {
                ["apis", group, version] => (set.remote_version(group, version), true),
                ["api"] => (set.remote_version("", "v1"), false),
                ["api", version] => (set.remote_version("", version), false),
                ["openapi", "v3", document @ ..]
                    if app.aggregator.converted_openapi(&document.join("/")).is_some() =>
                {
                    (None, false)
                }
                ["openapi", "v3", "apis", group, version] => {
                    (set.remote_version(group, version), false)
                }
                _ => (None, false),
            }
        }
    };
    let Some(service) = service else { return Routed::Local(source) };
    request.audit.set_stream();
    let client = Client::new(source, request.address);
    // In a box: a request is no larger because it could have been another server's.
    let answer = Box::pin(send(app, request, service, client, user));
    let answer = match is_discovery {
        false => answer.await,
        true => match tokio::time::timeout(DISCOVERY_TIMEOUT, answer).await {
            Ok(answer) => answer,
            Err(_) => unavailable("error trying to reach service: context deadline exceeded"),
        },
    };
    Routed::Answered(answer)
}

/// A plain text error.
fn error(code: StatusCode, text: &str) -> Response<Body> {
    let mut response = Response::new(full(format!("{text}\n")));
    *response.status_mut() = code;
    let headers = response.headers_mut();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static("text/plain; charset=utf-8"));
    headers.insert(NO_SNIFF, HeaderValue::from_static("nosniff"));
    response
}

fn unavailable(text: &str) -> Response<Body> {
    error(StatusCode::SERVICE_UNAVAILABLE, text)
}

async fn send(
    app: &Arc<App>,
    request: &RequestContext<'_>,
    service: &ApiService,
    client: Client,
    user: &User,
) -> Response<Body> {
    if !service.is_available {
        return unavailable("service unavailable");
    }
    if let Some(Err(why)) = service.remote.as_ref().map(|remote| remote.trust.as_ref()) {
        return error(StatusCode::INTERNAL_SERVER_ERROR, why);
    }
    let server = match app.aggregator.server(service) {
        Ok(server) => server,
        Err(why) => {
            tracing::warn!(name = service.name, why, "an extension server has no address");
            return unavailable("service unavailable");
        }
    };
    let headers = match headers(app, request, &client, user, &server) {
        Ok(headers) => headers,
        Err(why) => return unavailable(&format!("error trying to reach service: {why}")),
    };
    if is_upgrade(&request.parts.headers) {
        return upgraded(app, request, client, &server, headers).await;
    }
    let parts = request.parts;
    let uri = parts.uri.path_and_query().map_or("/", |path| path.as_str());
    let built = Request::builder().method(parts.method.clone()).uri(uri).body(client.body);
    let Ok(mut outgoing) = built else { return error(StatusCode::BAD_REQUEST, "invalid URL") };
    *outgoing.headers_mut() = headers;
    forwarded::remove_hop_by_hop(outgoing.headers_mut());
    let response = match app.aggregator.client.send(&server, outgoing).await {
        Ok(response) => response,
        Err(why) => {
            app.aggregator.suspects.add(&service.name);
            return unavailable(&format!("error trying to reach service: {why}"));
        }
    };
    let body = |body: PooledBody| body.map_err(|why| BodyError(why.to_string())).boxed_unsync();
    let mut response = response.map(body);
    if app.aggregator.rejects_redirects
        && response.status().is_redirection()
        && response.headers().contains_key(LOCATION)
    {
        let mut response = Response::new(full(REDIRECTED));
        *response.status_mut() = StatusCode::BAD_GATEWAY;
        return response;
    }
    forwarded::remove_hop_by_hop(response.headers_mut());
    for name in forwarded::CORS_HEADERS {
        response.headers_mut().remove(name);
    }
    match request.info.is_long() {
        true => response.map(|body| until_drained(body, app.drain.clone())),
        false => response,
    }
}

/// The client's headers, without its credentials and with its identity.
fn headers(
    app: &App,
    request: &RequestContext<'_>,
    client: &Client,
    user: &User,
    server: &ExtensionServer,
) -> Result<HeaderMap, String> {
    let mut headers = forwarded::headers(app, request.parts, client.address);
    identity::set(&mut headers, user)?;
    let value = |text: &str| HeaderValue::from_str(text).map_err(|why| why.to_string());
    let authority = server.authority();
    headers.insert(HOST, value(&authority)?);
    headers.insert(AUDIT_ID, value(&request.audit_id)?);
    for (name, text) in FORWARDED.into_iter().zip([request.parts.uri.path(), &authority, "https"]) {
        headers.insert(HeaderName::from_static(name), value(text)?);
    }
    Ok(headers)
}

/// Joins the client with a connection of its own to the extension server.
async fn upgraded(
    app: &Arc<App>,
    request: &RequestContext<'_>,
    client: Client,
    server: &ExtensionServer,
    headers: HeaderMap,
) -> Response<Body> {
    let Some(on_upgrade) = client.upgrade else {
        return unavailable("this protocol cannot be upgraded; use HTTP/1.1");
    };
    let connection = match app.aggregator.client.dial(server).await {
        Ok(connection) => connection,
        Err(why) => return unavailable(&why.to_string()),
    };
    let uri = request.parts.uri.path_and_query().map_or("/", |path| path.as_str());
    let line = (request.parts.method.clone(), uri);
    match upgrade::request(connection, line, headers).await {
        Err(why) => unavailable(&why),
        Ok(UpgradeResponse::NotUpgraded(response)) => {
            let response = upgrade::not_upgraded_response(response);
            response.unwrap_or_else(|why| unavailable(&why.message))
        }
        Ok(UpgradeResponse::Upgraded(head, backend)) => {
            join(request, on_upgrade, backend);
            upgrade::switching_response(head.headers)
        }
    }
}

/// Copies bytes in both directions until one end closes.
fn join(request: &RequestContext<'_>, client: OnUpgrade, backend: Upgraded) {
    let permit = request.audit.permit();
    let (ended, ends) = watch::channel(());
    request.audit.set_tunnel(ends);
    tokio::spawn(async move {
        match client.await {
            Ok(client) => copy(TokioIo::new(client), TokioIo::new(backend)).await,
            Err(error) => tracing::debug!(%error, "a client went before it was connected"),
        }
        drop((permit, ended));
    });
}
