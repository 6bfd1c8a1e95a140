//! Routes an authorized request to its handler.

use crate::aggregate::{merge, register};
use crate::app::App;
use crate::app::aggregator::api_service::GROUP;
use crate::app::compute::SMALL;
use crate::app::resource_request::{HandlerResult, ResourceRequest};
use crate::connect::{self, Client, Connect};
use crate::handler::{backup, documents};
use crate::registry::{Deletion, Routes, ServedResource};
use crate::request::accept::{Endpoint, Routing};
use crate::request::body;
use crate::request::operation::{Operation, Unrouted};
use crate::request::{BACKUP_PATH, Form, Output, RequestContext, ResourcePath, Source};
use crate::response::compress;
use crate::response::respond::{error_response, reply_response};
use crate::status::StatusError;
use crate::verbs::{self, component_status, reviews, subresources};
use bytes::Bytes;
use http::header::CONTENT_ENCODING;
use http::{Method, Response};
use http_body::Body as _;
use ratchet_access::User;
use ratchet_engine::Part;
use ratchet_http::{Body, ReadError, read_body};
use std::pin::Pin;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// The time within which the body of a request without a deadline must arrive.
const BODY_TIMEOUT: Duration = Duration::from_secs(60);

/// How long after its deadline a request is still read: the deadline is to be answered, not the end of the body.
const AFTER_DEADLINE: Duration = Duration::from_secs(5);

/// Serves a non-resource path: discovery, OpenAPI, health, metrics, version.
pub(crate) async fn plain_path(
    app: &App,
    request: &RequestContext<'_>,
    path: &str,
) -> Response<Body> {
    let headers = &request.parts.headers;
    if path == BACKUP_PATH {
        return match request.parts.method {
            Method::GET => backup::answer(app).await,
            _ => error_response(&StatusError::method_not_allowed(), Output::PLAIN),
        };
    }
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
) -> Response<Body> {
    let found = request.resource(&app.registry, path);
    let Some(resource) = found.filter(|resource| !resource.is_only_listed()) else {
        if app.registry.has_built_in_group(&path.group) {
            let error = StatusError::no_resource();
            request.record_error(&error);
            return error_response(&error, request.error_output());
        }
        let _ = receive(app, source, request).await;
        return no_page();
    };
    // Every served version has its APIService before any are read; if one cannot be written, the others are served.
    if path.group == GROUP
        && let Err(error) = Box::pin(register::settle(app)).await
    {
        tracing::warn!(error = error.message, "the APIServices of this server are not complete");
    }
    let method = &request.parts.method;
    let operation = match Operation::of_resource(&request.info, path, method, resource) {
        Ok(operation) => operation,
        Err(Unrouted::NoPage) => {
            let _ = receive(app, source, request).await;
            return no_page();
        }
        Err(Unrouted::Status(error)) => {
            // Closing a connection with unread bytes resets it, and the response is lost.
            let _ = receive(app, source, request).await;
            request.record_error(&error);
            return error_response(&error, request.error_output());
        }
    };
    let output = match negotiate(request, path, resource, operation) {
        Ok(output) => output,
        Err(error) => {
            let _ = receive(app, source, request).await;
            request.record_error(&error);
            return error_response(&error, request.error_output());
        }
    };
    if let Some(text) = resource.deprecation() {
        request.warnings.add(text.to_owned());
    }
    if operation == Operation::Connect {
        let connect = Connect { app, resource, path, request, user };
        let client = Client::new(source, request.address);
        let result = Box::pin(connect::answer(&connect, client)).await;
        return result.unwrap_or_else(|error| {
            request.record_error(&error);
            error_response(&error, request.error_output())
        });
    }
    let body = match receive(app, source, request).await {
        Ok(body) => body,
        Err(error) => {
            request.record_error(&error);
            return error_response(&error, request.error_output());
        }
    };
    if app.audit.is_some() {
        request.audit.set_request_body(&body);
    }
    let has_objects = operation == Operation::Create || !resource.cache.is_empty();
    // A large schema takes a while, which nobody else should wait for.
    let has_schema = !matches!(output.form, Form::Metadata | Form::MetadataList);
    if has_schema && has_objects && !resource.is_compiled() {
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
    let is_small = body.len() <= SMALL && !replaces_large_object(&resource_request, method);
    let result = match dispatch(&resource_request, operation, verb) {
        Err(error) => Err(error),
        Ok(handling) if is_small => handling.await,
        Ok(handling) => {
            let result = app.compute.request(app.limits.timeout, handling).await;
            result.unwrap_or_else(|| Err(StatusError::timeout()))
        }
    };
    if resource.strategy().deletion == Deletion::Cleaned && *method != Method::GET {
        Box::pin(app.definitions.settle()).await;
    }
    match result {
        Ok(reply) => {
            reply_response(app, resource, reply, output, request).await.unwrap_or_else(|error| {
                request.record_error(&error);
                error_response(&error, request.error_output())
            })
        }
        Err(error) => {
            request.record_error(&error);
            error_response(&error, request.error_output())
        }
    }
}

/// A stored object above this size takes milliseconds to be decoded, changed and encoded.
const LARGE_OBJECT: usize = 8 * SMALL;

/// Whether a request, which may be small itself, changes or deletes a large object.
fn replaces_large_object(request: &ResourceRequest<'_>, method: &Method) -> bool {
    let is_about_one =
        !matches!(*method, Method::GET | Method::HEAD) && !request.path.name.is_empty();
    let key = || request.resource.cache_key(&request.path.namespace, &request.path.name);
    let stored = is_about_one.then(|| request.resource.cache.find(&key()).ok().flatten());
    stored.flatten().is_some_and(|item| item.size() > LARGE_OBJECT)
}

/// The format of the answer, by what the endpoint can answer with.
fn negotiate(
    request: &RequestContext<'_>,
    path: &ResourcePath,
    resource: &ServedResource,
    operation: Operation,
) -> Result<Output, StatusError> {
    let (headers, pretty) = (&request.parts.headers, request.params.get("pretty"));
    let subresource = path.subresource.as_str();
    let routing = match operation {
        // What is connected to answers as it likes.
        Operation::Connect if subresource != "log" => {
            return Ok(request.error_output());
        }
        _ if resource.routes() == Routes::Handler => Routing::Unrouted,
        Operation::Connect => Routing::Log,
        Operation::List | Operation::Watch => Routing::Lists,
        _ => Routing::Objects,
    };
    let has_tables = match subresource {
        "" => resource.row().storage.is_some() || resource.row().plural == "componentstatuses",
        subresource => matches!(subresource, "status" | "scale"),
    };
    let has_protobuf = resource.media_types().has_protobuf;
    let output = Output::choose(headers, pretty, Endpoint { routing, has_tables, has_protobuf })?;
    // Nobody in this process looks at who owns which metadata.
    Ok(Output { has_owners: !request.is_internal, ..output })
}

fn no_page() -> Response<Body> {
    documents::text(404, "text/plain; charset=utf-8", "404 page not found\n".into())
}

async fn receive(
    app: &App,
    source: Source,
    request: &RequestContext<'_>,
) -> Result<Bytes, StatusError> {
    let headers = &request.parts.headers;
    // A request has one limit, its deadline: two of the same length would answer by chance.
    let limit = || {
        request.deadline.map_or(BODY_TIMEOUT, |deadline| {
            deadline.saturating_duration_since(Instant::now()) + AFTER_DEADLINE
        })
    };
    let bytes = match source {
        Source::Memory(bytes) => return Ok(bytes),
        // Most requests have none, and nothing needs a timer.
        Source::Network(incoming, _) if incoming.is_end_stream() => Ok(Bytes::new()),
        Source::Network(incoming, _) => read_body(incoming, body::LIMIT, limit()).await,
    };
    let bytes = bytes.map_err(|error| match error {
        ReadError::TooLarge => StatusError::too_large(body::LIMIT),
        ReadError::TooSlow => StatusError::timeout(),
        ReadError::Broken => StatusError::bad_request("the body of the request could not be read"),
    })?;
    match headers.contains_key(CONTENT_ENCODING) {
        true => app.compute.run(|| compress::decompress(bytes, headers)).await,
        false => Ok(bytes),
    }
}

/// The response of one verb. In a box each, so that a request is as large as its own verb, not as the largest of them:
/// a request moves a few times on its way.
type Handling<'r> = Pin<Box<dyn Future<Output = HandlerResult> + Send + 'r>>;

fn dispatch<'r>(
    request: &'r ResourceRequest<'r>,
    operation: Operation,
    verb: &'static str,
) -> Result<Handling<'r>, StatusError> {
    let is_stored = request.resource.row().storage.is_some();
    if is_stored && matches!(verb, "get" | "patch" | "delete") {
        check_name(&request.path.name)?;
    }
    Ok(match operation {
        Operation::Subresource => Box::pin(subresources::answer(request, verb)),
        _ if !is_stored => Box::pin(dispatch_virtual(request, verb)),
        Operation::Get => Box::pin(verbs::get::get(request)),
        Operation::List => Box::pin(verbs::list::list(request)),
        Operation::Watch => Box::pin(verbs::watch::watch(request)),
        Operation::Create => Box::pin(verbs::create::create(request)),
        Operation::Update => Box::pin(verbs::update::update(request, Part::Main, verb)),
        Operation::Delete => Box::pin(verbs::delete::delete(request)),
        Operation::DeleteCollection => Box::pin(verbs::delete::delete_collection(request)),
        Operation::Connect => return Err(StatusError::method_not_allowed()),
    })
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
        ("componentstatuses", "list") => component_status::list(request).await,
        ("componentstatuses", _) => component_status::get(request).await,
        ("bindings", "create") => subresources::bind_any(request).await,
        _ => reviews::answer(request).await,
    }
}
