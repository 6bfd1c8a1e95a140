//! Routes an authorized request to its handler.

use crate::aggregate::{merge, register};
use crate::app::App;
use crate::app::aggregator::api_service::GROUP;
use crate::app::compute::SMALL;
use crate::app::resource_request::{HandlerResult, Reply, ResourceRequest};
use crate::connect::{self, Client, Connect};
use crate::handler::documents;
use crate::registry::Deletion;
use crate::request::body;
use crate::request::operation::{Operation, Unrouted};
use crate::request::{Form, Media, Output, RequestContext, ResourcePath, Source};
use crate::response::compress;
use crate::response::respond::{error_response, reply_response};
use crate::status::StatusError;
use crate::verbs::{self, reviews, subresources};
use bytes::Bytes;
use http::header::CONTENT_ENCODING;
use http::{HeaderMap, Method, Response};
use ratchet_access::User;
use ratchet_engine::Part;
use ratchet_http::{Body, ReadError, read_body};
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
            let joint = merge::joint(app, path);
            let requested = merge::own_headers(joint, headers);
            let own = documents::answer(app, path, &request.params, query, &requested).await;
            match joint {
                None => own,
                Some(joint) => merge::merge(app, joint, headers, own).await,
            }
        }
    };
    let Some(response) = found else {
        let group = path.strip_prefix("/apis/").and_then(|rest| rest.split('/').next());
        // An unknown version of a known group is a Status; anything else is a plain 404.
        if group.is_some_and(|group| app.registry.has_built_in_group(group))
            && path.matches('/').count() > 2
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
        if app.registry.has_built_in_group(&path.group) {
            let error = StatusError::no_resource();
            request.record_error(&error);
            return error_response(&error, plain);
        }
        let _ = receive(app, source, &request.parts.headers).await;
        return no_page();
    };
    let resource = &resource;
    // Nobody sees a version without its APIService; if it cannot be written, what is there is told.
    if path.group == GROUP
        && let Err(error) = register::settle(app).await
    {
        tracing::warn!(error = error.message, "the APIServices of this server are not complete");
    }
    let method = &request.parts.method;
    let operation = match Operation::of_resource(&request.info, path, method, resource) {
        Ok(operation) => operation,
        Err(Unrouted::NoPage) => {
            let _ = receive(app, source, &request.parts.headers).await;
            return no_page();
        }
        Err(Unrouted::Status(error)) => {
            // Closing a connection with unread bytes resets it, and the response is lost.
            let _ = receive(app, source, &request.parts.headers).await;
            request.record_error(&error);
            return error_response(&error, plain);
        }
    };
    let output = match Output::choose(&request.parts.headers, request.params.get("pretty")) {
        Ok(output) => output,
        Err(_) => {
            let error = (resource.media_types().not_acceptable)();
            request.record_error(&error);
            return error_response(&error, Output::PLAIN);
        }
    };
    if let Some(text) = resource.deprecation(&app.api_config) {
        request.warnings.add(text);
    }
    if output.media == Media::Protobuf && !resource.media_types().has_protobuf {
        let _ = receive(app, source, &request.parts.headers).await;
        let error = StatusError::not_marshalable();
        request.record_error(&error);
        return error_response(&error, plain);
    }
    if operation == Operation::Connect {
        let connect = Connect { app, resource, path, request, user };
        let result = connect::answer(&connect, Client::new(source, request.address)).await;
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
    let has_objects = operation == Operation::Create || !resource.cache.is_empty();
    // A large schema takes a while, which nobody else should wait for.
    if output.form != Form::Metadata && has_objects && !resource.is_compiled() {
        app.compute.run(|| resource.compile()).await;
    }
    // An object may be created at its own path, too: its name is the one in the body.
    let collection;
    let path = match operation == Operation::Create && !path.name.is_empty() {
        true => {
            collection = ResourcePath { name: String::new(), is_item: false, ..path.clone() };
            &collection
        }
        false => path,
    };
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
        deadline: request.deadline,
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
    if resource.strategy().deletion == Deletion::Cleaned && *method != Method::GET {
        app.definitions.settle().await;
    }
    match result {
        Ok(reply) => reply_response(app, resource, reply, output, request).await,
        Err(error) => {
            request.record_error(&error);
            error_response(&error, plain)
        }
    }
}

fn no_page() -> Response<Body> {
    documents::text(404, "text/plain; charset=utf-8", "404 page not found\n".into())
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
    if request.resource.row().storage.is_some() && matches!(verb, "get" | "patch" | "delete") {
        check_name(&request.path.name)?;
    }
    match operation {
        Operation::Subresource => subresources::answer(request, verb).await,
        _ if request.resource.row().storage.is_none() => dispatch_virtual(request, verb).await,
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
    match (request.resource.row().plural, verb) {
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
