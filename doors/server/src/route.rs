//! Which part of the server answers a request that is allowed.

use crate::app::App;
use crate::body;
use crate::call::{Answered, Call, Reply};
use crate::compute::SMALL;
use crate::connect::{self, Client, Connect};
use crate::documents;
use crate::refusal::Refusal;
use crate::request::{Output, Place};
use crate::respond::{refused, replied};
use crate::server::{Asked, Source};
use crate::{compress, reviews, subresources, verbs};
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

/// How long the body of a request may take to arrive.
const BODY_PATIENCE: Duration = Duration::from_secs(60);

/// Answers for a path that is no resource.
pub(crate) async fn plain_path(app: &App, request: &Asked<'_>, path: &str) -> Response<Body> {
    let headers = &request.parts.headers;
    let is_read = matches!(request.parts.method, Method::GET | Method::HEAD);
    let found = match is_read {
        true => {
            let query = request.parts.uri.query();
            documents::answer(app, path, &request.params, query, headers).await
        }
        false => None,
    };
    let Some(response) = found else {
        let group = path.strip_prefix("/apis/").and_then(|rest| rest.split('/').next());
        // A version that a known group does not have is a Status; anything else is not ours at all.
        if group.is_some_and(|group| app.registry.has_group(group)) && path.matches('/').count() > 2
        {
            return refused(&Refusal::no_resource(), Output::PLAIN);
        }
        return documents::text(404, "text/plain; charset=utf-8", "404 page not found\n".into());
    };
    response
}

/// Answers for a resource.
pub(crate) async fn resource(
    app: &Arc<App>,
    request: &Asked<'_>,
    place: &Place,
    source: Source,
    user: &User,
    plain: Output,
) -> Response<Body> {
    let Some(served) = app.registry.find(&place.group, &place.version, &place.resource) else {
        if app.registry.has_group(&place.group) {
            let refusal = Refusal::no_resource();
            request.note_refusal(app, &refusal);
            return refused(&refusal, plain);
        }
        return documents::text(404, "text/plain; charset=utf-8", "404 page not found\n".into());
    };
    let output = match Output::choose(&request.parts.headers, request.params.get("pretty")) {
        Ok(output) => output,
        Err(refusal) => {
            request.note_refusal(app, &refusal);
            return refused(&refusal, Output::PLAIN);
        }
    };
    let exists =
        place.subresource.is_empty() || served.row.subresource(&place.subresource).is_some();
    let silent = request.told.len();
    if let Some(text) = ratchet_engine::deprecation(served.row.group, served.row.kind, &app.policy)
        .filter(|_| exists)
    {
        request.told.warn(text);
    }
    if connect::connects(&place.subresource) && exists {
        let connect = Connect { app, served, place, request, user };
        let answered = connect::answer(&connect, client(source, request.address)).await;
        return answered.unwrap_or_else(|refusal| {
            request.note_refusal(app, &refusal);
            refused(&refusal, plain)
        });
    }
    let body = match receive(app, source, &request.parts.headers).await {
        Ok(body) => body,
        Err(refusal) => {
            request.note_refusal(app, &refusal);
            return refused(&refusal, plain);
        }
    };
    if app.audit.is_some() {
        request.told.note_sent(&body);
    }
    let call = Call {
        app,
        served,
        place,
        params: &request.params,
        headers: &request.parts.headers,
        body: &body,
        user,
        output,
        told: &request.told,
    };
    let answered = match body.len() <= SMALL {
        true => dispatch(&call, request).await,
        false => {
            let answered = app.compute.request(app.limits.timeout, dispatch(&call, request)).await;
            answered.unwrap_or_else(|| Err(Refusal::timeout()))
        }
    };
    match answered {
        Ok(reply) => replied(app, served, reply, output, request).await,
        Err(refusal) => {
            // Who asks for what there is not has not used the API.
            if refusal.code == 405 {
                request.told.rewind(silent);
            }
            request.note_refusal(app, &refusal);
            refused(&refusal, plain)
        }
    }
}

/// The client's end of what it wants to be connected with.
fn client(source: Source, address: IpAddr) -> Client {
    let (body, upgrade) = match source {
        Source::Here(bytes) => (full(bytes), None),
        Source::Wire(incoming, upgrade) => {
            let body = incoming.map_err(|error| BodyError(error.to_string()));
            (body.boxed_unsync(), upgrade)
        }
    };
    Client { body, upgrade, address }
}

async fn receive(app: &App, source: Source, headers: &HeaderMap) -> Result<Bytes, Refusal> {
    let bytes = match source {
        Source::Here(bytes) => return Ok(bytes),
        Source::Wire(incoming, _) => read_body(incoming, body::LIMIT, BODY_PATIENCE).await,
    };
    let bytes = bytes.map_err(|error| match error {
        ReadError::TooLarge => Refusal::too_large(body::LIMIT),
        ReadError::TooSlow => {
            Refusal::bad_request("the body of the request did not arrive in time")
        }
        ReadError::Broken => Refusal::bad_request("the body of the request could not be read"),
    })?;
    match headers.contains_key(CONTENT_ENCODING) {
        true => app.compute.run(|| compress::unpacked(bytes, headers)).await,
        false => Ok(bytes),
    }
}

async fn dispatch(call: &Call<'_>, request: &Asked<'_>) -> Answered {
    let place = call.place;
    let verb = request.ask.verb;
    // What lives in the cluster has no namespace in its URL, and what lives in a namespace needs one to be named.
    let is_namespace = (call.served.row.group, call.served.row.plural) == ("", "namespaces");
    if !call.served.row.namespaced && !place.namespace.is_empty() && !is_namespace {
        return Err(Refusal::no_resource());
    }
    let is_named = !place.name.is_empty() && !matches!(verb, "list" | "watch" | "deletecollection");
    if call.served.row.namespaced && place.namespace.is_empty() && is_named {
        return Err(Refusal::no_resource());
    }
    if !place.subresource.is_empty() {
        if place.rest.is_empty() {
            return subresources::answer(call, verb).await;
        }
        return Err(Refusal::no_resource());
    }
    if request.parts.method == Method::HEAD && !is_named {
        return Err(Refusal::method_not_allowed());
    }
    if place.name.is_empty() && matches!(verb, "update" | "patch") {
        return Err(Refusal::method_not_allowed());
    }
    let is_everywhere = call.served.row.namespaced && place.namespace.is_empty();
    if is_everywhere && !matches!(verb, "list" | "watch") {
        return Err(Refusal::method_not_allowed());
    }
    if !call.served.row.allows(verb) {
        return Err(Refusal::method_not_allowed());
    }
    if call.served.row.storage.is_none() {
        return unkept(call, verb).await;
    }
    match verb {
        "get" => verbs::get::get(call).await,
        "list" => verbs::list::list(call).await,
        "watch" => verbs::watch::watch(call).await,
        "create" if place.name.is_empty() => verbs::create::create(call).await,
        "update" | "patch" => verbs::update::update(call, Part::Main, verb).await,
        "delete" => verbs::delete::delete(call).await,
        "deletecollection" => verbs::delete::delete_collection(call).await,
        _ => Err(Refusal::method_not_allowed()),
    }
}

/// What is answered but never kept.
async fn unkept(call: &Call<'_>, verb: &str) -> Answered {
    match (call.served.row.plural, verb) {
        ("componentstatuses", "list") => Ok(Reply::json(
            200,
            r#"{"kind":"ComponentStatusList","apiVersion":"v1","metadata":{},"items":[]}"#,
        )),
        ("componentstatuses", _) => Err(Refusal::not_found(call.served.about(&call.place.name))),
        ("bindings", "create") => subresources::bind_any(call).await,
        _ => reviews::answer(call).await,
    }
}
