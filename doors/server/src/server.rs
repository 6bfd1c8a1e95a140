//! The pipeline of a request: who, may they, what, and how it is answered.

use crate::app::App;
use crate::audit::{self, Auditing};
use crate::authorize::attempt;
use crate::body;
use crate::call::{Answered, Call, Content, Reply, Told};
use crate::documents;
use crate::metrics::Labels;
use crate::refusal::{About, Refusal};
use crate::render::{self, Rendered};
use crate::request::{Ask, Output, Params, Place, Target};
use crate::served::Served;
use crate::{compress, reviews, subresources, verbs};
use bytes::Bytes;
use http::header::{CACHE_CONTROL, CONTENT_LENGTH, CONTENT_TYPE, RETRY_AFTER, WARNING};
use http::request::Parts;
use http::{HeaderMap, HeaderName, HeaderValue, Method, Request, Response, StatusCode};
use hyper::body::Incoming;
use jiff::Timestamp;
use ratchet_access::{Impersonated, User, impersonate};
use ratchet_engine::Part;
use ratchet_http::{Body, Peer, ReadError, Service, chunks, empty, read_body};
use ratchet_identity::{Verdict, impersonation};
use ratchet_object::selector::FieldSelector;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

/// How long the body of a request may take to arrive.
const BODY_PATIENCE: Duration = Duration::from_secs(60);

const AUDIT_ID: HeaderName = HeaderName::from_static("audit-id");
const NO_SNIFF: HeaderName = HeaderName::from_static("x-content-type-options");

/// The door: answers requests of the listener.
pub(crate) struct Server(pub Arc<App>);

impl Service for Server {
    fn call(
        &self,
        request: Request<Incoming>,
        peer: Arc<Peer>,
    ) -> Pin<Box<dyn Future<Output = Response<Body>> + Send + '_>> {
        let app = self.0.clone();
        Box::pin(async move {
            let (parts, incoming) = request.into_parts();
            serve(&app, parts, Source::Wire(incoming), &peer, Caller::Stranger).await
        })
    }
}

/// Where a body comes from.
pub(crate) enum Source {
    /// From a client.
    Wire(Incoming),
    /// From within this process.
    Here(Bytes),
}

/// Who sends a request.
pub(crate) enum Caller {
    /// Somebody who has yet to prove it.
    Stranger,
    /// A part of this process.
    Known(User),
}

/// What is known about a request before it is answered.
struct Request1<'a> {
    parts: &'a Parts,
    ask: Ask,
    params: Params,
    told: Told,
    audit_id: String,
    begun: Instant,
}

/// Answers one request, whoever it comes from.
pub(crate) async fn serve(
    app: &Arc<App>,
    parts: Parts,
    source: Source,
    peer: &Peer,
    caller: Caller,
) -> Response<Body> {
    let params = Params::read(parts.uri.query());
    let named = named_by_selector(&params);
    let ask = Ask::read(&parts.method, parts.uri.path(), params.flag("watch"), named.as_deref());
    let audit_id = parts.headers.get(AUDIT_ID).and_then(|id| id.to_str().ok()).map(str::to_owned);
    let request = Request1 {
        parts: &parts,
        ask,
        params,
        told: Told::default(),
        audit_id: audit_id.unwrap_or_else(|| app.new_uid()),
        begun: Instant::now(),
    };
    let is_mutating = !matches!(request.parts.method, Method::GET | Method::HEAD);
    let running = app.metrics.running(is_mutating);
    let is_long = request.ask.verb == "watch";
    let Some(_slot) = Slot::take(app, is_mutating, is_long) else {
        let mut response = documents::text(
            429,
            "text/plain; charset=utf-8",
            "Too many requests, please try again later.\n".into(),
        );
        response.headers_mut().insert(RETRY_AFTER, HeaderValue::from_static("1"));
        finish(app, &request, &mut response);
        return response;
    };
    let answer = answer(app, &request, source, peer, caller);
    let mut response = match app.limits.timeout {
        limit if is_long || limit.is_zero() => answer.await,
        limit => tokio::time::timeout(limit, answer)
            .await
            .unwrap_or_else(|_| refused(&Refusal::timeout(), Output::PLAIN)),
    };
    drop(running);
    finish(app, &request, &mut response);
    response
}

/// One of the requests that may run at once.
struct Slot<'a>(Option<&'a AtomicUsize>);

impl<'a> Slot<'a> {
    /// None if too many run already; watches are not counted.
    fn take(app: &'a App, is_mutating: bool, is_long: bool) -> Option<Self> {
        let [reads, writes] = &app.running;
        let (running, most) = match is_mutating {
            false => (reads, app.limits.reads),
            true => (writes, app.limits.writes),
        };
        if most == 0 || is_long {
            return Some(Self(None));
        }
        let before = running.fetch_add(1, Ordering::Relaxed);
        let slot = Self(Some(running));
        (before < most).then_some(slot)
    }
}

impl Drop for Slot<'_> {
    fn drop(&mut self) {
        if let Some(running) = self.0 {
            running.fetch_sub(1, Ordering::Relaxed);
        }
    }
}

impl Request1<'_> {
    fn is_known(&self, app: &App) -> bool {
        match &self.ask.target {
            Target::Resource(place) => {
                let served = app.registry.find(&place.group, &place.version, &place.resource);
                let part = place.subresource.as_str();
                served
                    .is_some_and(|served| part.is_empty() || served.row.subresource(part).is_some())
            }
            Target::Path(_) => true,
        }
    }
}

/// A list of one name counts as a request for that name.
fn named_by_selector(params: &Params) -> Option<String> {
    // Read as the list reads it: a value may hold an escaped comma and what looks like another term.
    let selector = FieldSelector::parse(params.text("fieldSelector")).ok()?;
    let name = selector.exact("metadata.name")?;
    let is_name = !name.is_empty() && !matches!(name, "." | "..") && !name.contains(['/', '%']);
    is_name.then(|| name.to_owned())
}

async fn answer(
    app: &Arc<App>,
    request: &Request1<'_>,
    source: Source,
    peer: &Peer,
    caller: Caller,
) -> Response<Body> {
    let headers = &request.parts.headers;
    let plain = Output::choose(headers, request.params.get("pretty")).unwrap_or(Output::PLAIN);
    let refuse = |refusal: &Refusal| refused(refusal, plain);
    let said = match caller {
        Caller::Known(user) => Verdict::User(user),
        Caller::Stranger => {
            app.identity.authenticate(headers, &peer.certificates, Timestamp::now())
        }
    };
    let caller = match said {
        Verdict::User(user) => {
            app.metrics.authentications.with(&["success"]).inc();
            user
        }
        Verdict::Anonymous => User::anonymous(),
        Verdict::Rejected { reason } => {
            app.metrics.authentications.with(&["failure"]).inc();
            tracing::debug!(reason, address = %peer.address, "not authenticated");
            return refuse(&Refusal::unauthorized());
        }
    };
    let begin = |audit: &Auditing| {
        audit.begin(request.parts, &request.ask, &request.audit_id, &caller, peer)
    };
    let mut trail = app.audit.as_ref().and_then(begin);
    let user = match become_other(app, request, &caller) {
        Ok(None) => caller,
        Ok(Some(became)) => {
            audit::impersonated(&mut trail, &became.user, &became.constraint);
            became.user
        }
        Err(refusal) => {
            return audit::complete(trail, &request.parts.method, &request.told, refuse(&refusal));
        }
    };
    let response = authorized(app, request, source, &user, plain).await;
    audit::complete(trail, &request.parts.method, &request.told, response)
}

/// Who the caller wants to be.
fn become_other(
    app: &App,
    request: &Request1<'_>,
    caller: &User,
) -> Result<Option<Impersonated>, Refusal> {
    let wanted = impersonation(&request.parts.headers).map_err(Refusal::bad_request)?;
    let Some(wanted) = wanted else { return Ok(None) };
    let attempt = attempt(caller, &request.ask, request.params.text("fieldSelector"));
    match impersonate(&wanted, &attempt, &|attempt| app.authorizer.decide(attempt)) {
        Ok(became) => Ok(Some(became)),
        Err(no) => {
            let about = About { group: &no.group, resource: &no.resource, name: &no.name };
            Err(Refusal::forbidden_message(about, no.message))
        }
    }
}

async fn authorized(
    app: &Arc<App>,
    request: &Request1<'_>,
    source: Source,
    user: &User,
    plain: Output,
) -> Response<Body> {
    let attempt = attempt(user, &request.ask, request.params.text("fieldSelector"));
    match app.authorizer.check(&attempt) {
        Ok(reason) => {
            app.metrics.authorizations.with(&["allowed"]).inc();
            request.told.annotate("authorization.k8s.io/decision", "allow");
            request.told.annotate("authorization.k8s.io/reason", reason);
        }
        Err(refusal) => {
            app.metrics.authorizations.with(&["denied"]).inc();
            request.told.annotate("authorization.k8s.io/decision", "forbid");
            request.told.annotate("authorization.k8s.io/reason", "");
            let mut response = refused(&refusal, plain);
            response.headers_mut().insert(NO_SNIFF, HeaderValue::from_static("nosniff"));
            return response;
        }
    }
    match &request.ask.target {
        Target::Path(path) => plain_path(app, request, path),
        Target::Resource(place) => resource(app, request, place, source, user, plain).await,
    }
}

fn plain_path(app: &App, request: &Request1<'_>, path: &str) -> Response<Body> {
    let headers = &request.parts.headers;
    let is_read = matches!(request.parts.method, Method::GET | Method::HEAD);
    let found = match is_read {
        true => documents::answer(app, path, &request.params, request.parts.uri.query(), headers),
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

async fn resource(
    app: &Arc<App>,
    request: &Request1<'_>,
    place: &Place,
    source: Source,
    user: &User,
    plain: Output,
) -> Response<Body> {
    let Some(served) = app.registry.find(&place.group, &place.version, &place.resource) else {
        if app.registry.has_group(&place.group) {
            return refused(&Refusal::no_resource(), plain);
        }
        return documents::text(404, "text/plain; charset=utf-8", "404 page not found\n".into());
    };
    let output = match Output::choose(&request.parts.headers, request.params.get("pretty")) {
        Ok(output) => output,
        Err(refusal) => return refused(&refusal, Output::PLAIN),
    };
    let exists =
        place.subresource.is_empty() || served.row.subresource(&place.subresource).is_some();
    let silent = request.told.len();
    if let Some(text) = ratchet_engine::deprecation(served.row.group, served.row.kind, &app.policy)
        .filter(|_| exists)
    {
        request.told.warn(text);
    }
    let body = match receive(source, &request.parts.headers).await {
        Ok(body) => body,
        Err(refusal) => return refused(&refusal, plain),
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
    match dispatch(&call, request).await {
        Ok(reply) => replied(app, served, reply, output, request),
        Err(refusal) => {
            // Who asks for what there is not has not used the API.
            if refusal.code == 405 {
                request.told.rewind(silent);
            }
            refused(&refusal, plain)
        }
    }
}

async fn receive(source: Source, headers: &HeaderMap) -> Result<Bytes, Refusal> {
    let bytes = match source {
        Source::Here(bytes) => return Ok(bytes),
        Source::Wire(incoming) => read_body(incoming, body::LIMIT, BODY_PATIENCE).await,
    };
    let bytes = bytes.map_err(|error| match error {
        ReadError::TooLarge => Refusal::too_large(body::LIMIT),
        ReadError::TooSlow => {
            Refusal::bad_request("the body of the request did not arrive in time")
        }
        ReadError::Broken => Refusal::bad_request("the body of the request could not be read"),
    })?;
    compress::unpacked(bytes, headers)
}

async fn dispatch(call: &Call<'_>, request: &Request1<'_>) -> Answered {
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
        if place.rest.is_empty() || place.subresource == "proxy" {
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
        "update" => verbs::update::update(call, Part::Main).await,
        "patch" => verbs::patch::patch(call, Part::Main).await,
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

fn replied(
    app: &App,
    served: &Served,
    reply: Reply,
    output: Output,
    request: &Request1<'_>,
) -> Response<Body> {
    let code = StatusCode::from_u16(reply.code).unwrap_or(StatusCode::OK);
    let (content_type, body) = match reply.content {
        Content::Stream(body) => {
            request.told.note_stream();
            (output.stream_type(), body)
        }
        _ => {
            let Rendered { content_type, pieces } =
                render::render(app, Some(served), &reply, output, &request.params);
            if app.audit.is_some() {
                request.told.note_answered(&pieces);
            }
            let (body, packed) = compress::packed(pieces, &request.parts.headers);
            let mut response = Response::new(body);
            *response.status_mut() = code;
            response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static(content_type));
            if packed {
                compress::mark(response.headers_mut());
            }
            return response;
        }
    };
    let mut response = Response::new(body);
    *response.status_mut() = code;
    response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static(content_type));
    response
}

/// A refusal on the wire.
fn refused(refusal: &Refusal, output: Output) -> Response<Body> {
    let output = Output { media: output.media, ..Output::PLAIN };
    let Rendered { content_type, pieces } = render::dress(vec![refusal.to_json().into()], output);
    let mut response = Response::new(chunks(pieces));
    *response.status_mut() =
        StatusCode::from_u16(refusal.code).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
    let headers = response.headers_mut();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static(content_type));
    if let Some(seconds) = refusal.retry_after() {
        headers.insert(RETRY_AFTER, HeaderValue::from(seconds));
    }
    response
}

/// What every answer carries, and what is counted about it.
fn finish(app: &App, request: &Request1<'_>, response: &mut Response<Body>) {
    let headers = response.headers_mut();
    if let Ok(id) = HeaderValue::from_str(&request.audit_id) {
        headers.insert(AUDIT_ID, id);
    }
    headers.entry(CACHE_CONTROL).or_insert(HeaderValue::from_static("no-cache, private"));
    for text in ratchet_engine::warning_texts(&request.told.warnings()) {
        let escaped = text.replace('\\', "\\\\").replace('"', "\\\"");
        if let Ok(value) = HeaderValue::from_str(&format!("299 - \"{escaped}\"")) {
            headers.append(WARNING, value);
        } else if let Ok(value) = HeaderValue::from_bytes(format!("299 - \"{escaped}\"").as_bytes())
        {
            headers.append(WARNING, value);
        }
    }
    let dry_run = match request.params.text("dryRun") {
        "" => "",
        "All" => "All",
        _ => "invalid",
    };
    let is_apply =
        body::content_type(&request.parts.headers).starts_with("application/apply-patch");
    let labels = Labels::of(&request.ask, dry_run, is_apply);
    let labels = if request.is_known(app) { labels } else { labels.unknown() };
    let size = http_body_size(response);
    if request.parts.method == Method::HEAD {
        // Over HTTP/2 nobody else takes the body away.
        *response.body_mut() = empty();
        if let Some(size) = size {
            response.headers_mut().insert(CONTENT_LENGTH, HeaderValue::from(size));
        }
    }
    app.metrics.answered(&labels, response.status().as_u16(), request.begun.elapsed(), size);
}

fn http_body_size(response: &Response<Body>) -> Option<u64> {
    use http_body::Body as _;
    response.body().size_hint().exact()
}
