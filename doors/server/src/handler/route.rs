//! Routes an authorized request to its handler.

use crate::app::App;
use crate::app::compute::SMALL;
use crate::app::resource_request::{HandlerResult, Reply, ResourceRequest};
use crate::connect::{self, Client, Connect};
use crate::handler::documents;
use crate::request::body;
use crate::request::operation::Operation;
use crate::request::{Output, RequestContext, ResourcePath, Source};
use crate::response::compress;
use crate::response::respond::{error_response, reply_response};
use crate::status::StatusError;
use crate::verbs::{self, reviews, subresources};
use bytes::Bytes;
use http::header::CONTENT_ENCODING;
use http::{HeaderMap, Method, Response};
use http_body_util::BodyExt;
use ratchet_access::User;
use ratchet_engine::Part;
use ratchet_http::{Body, BodyError, ReadError, full, read_body};
use std::net::IpAddr;
use std::sync::Arc;
use std::time::Duration;

/// The time within which the body of a request must arrive.
const BODY_TIMEOUT: Duration = Duration::from_secs(60);

/// Serves a non-resource path: discovery, OpenAPI, health, metrics, version.
pub(crate) async fn plain_path(
    app: &App,
    request: &RequestContext<'_>,
    path: &str,
) -> Response<Body> {
    let headers = &request.parts.headers;
    // Paths are registered literally: nothing is found below a doubled slash.
    let found = match path.contains("//") {
        true => None,
        false => {
            let query = request.parts.uri.query();
            documents::answer(app, path, &request.params, query, headers).await
        }
    };
    let Some(response) = found else {
        let group = path.strip_prefix("/apis/").and_then(|rest| rest.split('/').next());
        // An unknown version of a known group is a Status; anything else is a plain 404.
        if group.is_some_and(|group| app.registry.has_group(group)) && path.matches('/').count() > 2
        {
            return error_response(&StatusError::no_resource(), Output::PLAIN);
        }
        return documents::text(404, "text/plain; charset=utf-8", "404 page not found\n".into());
    };
    if request.parts.method != Method::GET && documents::is_get_only(path) {
        return error_response(&StatusError::method_not_allowed(), Output::PLAIN);
    }
    response
}

/// Serves a resource path.
pub(crate) async fn resource(
    app: &Arc<App>,
    request: &RequestContext<'_>,
    path: &ResourcePath,
    source: Source,
    user: &User,
    plain: Output,
) -> Response<Body> {
    let Some(resource) = app.registry.find(&path.group, &path.version, &path.resource) else {
        if app.registry.has_group(&path.group) {
            let error = StatusError::no_resource();
            request.record_error(&error);
            return error_response(&error, plain);
        }
        return documents::text(404, "text/plain; charset=utf-8", "404 page not found\n".into());
    };
    let method = &request.parts.method;
    let operation = match Operation::of(&request.info, path, method, resource.row) {
        Ok(operation) => operation,
        Err(error) => {
            // Closing a connection with unread bytes resets it, and the response is lost.
            let _ = receive(app, source, &request.parts.headers).await;
            request.record_error(&error);
            return error_response(&error, plain);
        }
    };
    let output = match Output::choose(&request.parts.headers, request.params.get("pretty")) {
        Ok(output) => output,
        Err(error) => {
            request.record_error(&error);
            return error_response(&error, Output::PLAIN);
        }
    };
    if let Some(text) =
        ratchet_engine::deprecation(resource.row.group, resource.row.kind, &app.api_config)
    {
        request.warnings.add(text);
    }
    if operation == Operation::Connect {
        let connect = Connect { app, resource, path, request, user };
        let result = connect::answer(&connect, client(source, request.address)).await;
        return result.unwrap_or_else(|error| {
            request.record_error(&error);
            error_response(&error, plain)
        });
    }
    let body = match receive(app, source, &request.parts.headers).await {
        Ok(body) => body,
        Err(error) => {
            request.record_error(&error);
            return error_response(&error, plain);
        }
    };
    if app.audit.is_some() {
        request.audit.set_request_body(&body);
    }
    let resource_request = ResourceRequest {
        app,
        resource,
        path,
        params: &request.params,
        headers: &request.parts.headers,
        body: &body,
        user,
        output,
        warnings: &request.warnings,
        audit: &request.audit,
    };
    let verb = request.info.verb;
    let result = match body.len() <= SMALL {
        true => dispatch(&resource_request, operation, verb).await,
        false => {
            let handler = dispatch(&resource_request, operation, verb);
            let result = app.compute.request(app.limits.timeout, handler).await;
            result.unwrap_or_else(|| Err(StatusError::timeout()))
        }
    };
    match result {
        Ok(reply) => reply_response(app, resource, reply, output, request).await,
        Err(error) => {
            request.record_error(&error);
            error_response(&error, plain)
        }
    }
}

/// The client's side of a connect request.
fn client(source: Source, address: IpAddr) -> Client {
    let (body, upgrade) = match source {
        Source::Memory(bytes) => (full(bytes), None),
        Source::Network(incoming, upgrade) => {
            let body = incoming.map_err(|error| BodyError(error.to_string()));
            (body.boxed_unsync(), upgrade)
        }
    };
    Client { body, upgrade, address }
}

async fn receive(app: &App, source: Source, headers: &HeaderMap) -> Result<Bytes, StatusError> {
    let bytes = match source {
        Source::Memory(bytes) => return Ok(bytes),
        Source::Network(incoming, _) => read_body(incoming, body::LIMIT, BODY_TIMEOUT).await,
    };
    let bytes = bytes.map_err(|error| match error {
        ReadError::TooLarge => StatusError::too_large(body::LIMIT),
        ReadError::TooSlow => {
            StatusError::bad_request("the body of the request did not arrive in time")
        }
        ReadError::Broken => StatusError::bad_request("the body of the request could not be read"),
    })?;
    match headers.contains_key(CONTENT_ENCODING) {
        true => app.compute.run(|| compress::decompress(bytes, headers)).await,
        false => Ok(bytes),
    }
}

async fn dispatch(
    request: &ResourceRequest<'_>,
    operation: Operation,
    verb: &'static str,
) -> HandlerResult {
    if request.resource.row.storage.is_some() && matches!(verb, "get" | "patch" | "delete") {
        check_name(&request.path.name)?;
    }
    match operation {
        Operation::Subresource => subresources::answer(request, verb).await,
        _ if request.resource.row.storage.is_none() => dispatch_virtual(request, verb).await,
        Operation::Get => verbs::get::get(request).await,
        Operation::List => verbs::list::list(request).await,
        Operation::Watch => verbs::watch::watch(request).await,
        Operation::Create => verbs::create::create(request).await,
        Operation::Update => verbs::update::update(request, Part::Main, verb).await,
        Operation::Delete => verbs::delete::delete(request).await,
        Operation::DeleteCollection => verbs::delete::delete_collection(request).await,
        Operation::Connect => Err(StatusError::method_not_allowed()),
    }
}

/// Rejects a name that could not be one segment of a key.
fn check_name(name: &str) -> Result<(), StatusError> {
    let why = match name {
        "." | ".." => format!("may not be '{name}'"),
        _ => match name.chars().find(|letter| matches!(letter, '/' | '%')) {
            Some(letter) => format!("may not contain '{letter}'"),
            None => return Ok(()),
        },
    };
    let quoted = ratchet_net::Quoted(name);
    Err(StatusError::bad_request(format!("Name parameter invalid: {quoted}: {why}")))
}

/// Serves resources without storage: reviews, bindings, component statuses.
async fn dispatch_virtual(request: &ResourceRequest<'_>, verb: &str) -> HandlerResult {
    match (request.resource.row.plural, verb) {
        ("componentstatuses", "list") => Ok(Reply::json(
            200,
            r#"{"kind":"ComponentStatusList","apiVersion":"v1","metadata":{},"items":[]}"#,
        )),
        ("componentstatuses", _) => {
            Err(StatusError::not_found(request.resource.about(&request.path.name)))
        }
        ("bindings", "create") => subresources::bind_any(request).await,
        _ => reviews::answer(request).await,
    }
}
