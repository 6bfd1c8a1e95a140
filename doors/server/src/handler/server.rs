//! The handler chain of a request: inflight limits, authentication, impersonation, authorization.

use crate::access::authorize::attributes;
use crate::aggregate::{self, Routed};
use crate::app::flow_control::Seat;
use crate::app::guarded_body::with_guard;
use crate::app::{App, audit};
use crate::handler::flow_control::{self, too_many};
use crate::handler::{documents, route};
use crate::registry::clock;
use crate::request::audit_record::AuditRecord;
use crate::request::deadline::deadline;
use crate::request::warnings::Warnings;
use crate::request::{
    AUDIT_ID, Caller, InvalidPath, Params, RequestContext, RequestInfo, Source, Target,
};
use crate::response::respond::{error_response, finish};
use crate::status::{About, StatusError};
use http::request::Parts;
use http::{HeaderName, HeaderValue, Method, Request, Response};
use http_body::Body as _;
use hyper::body::Incoming;
use hyper::upgrade::OnUpgrade;
use jiff::Timestamp;
use ratchet_access::{Impersonated, User, impersonate};
use ratchet_audit_log::Level;
use ratchet_http::{Body, Peer, Service};
use ratchet_identity::{TokenUsage, Verdict, impersonation};
use std::pin::{Pin, pin};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::Instant;

const NO_SNIFF: HeaderName = HeaderName::from_static("x-content-type-options");

/// The `Service` that the listener calls.
pub(crate) struct Server(pub Arc<App>);

impl Service for Server {
    fn call(
        &self,
        request: Request<Incoming>,
        peer: Arc<Peer>,
    ) -> Pin<Box<dyn Future<Output = Response<Body>> + Send + '_>> {
        let app = self.0.clone();
        Box::pin(async move {
            let (mut parts, incoming) = request.into_parts();
            let upgrade = parts.extensions.remove::<OnUpgrade>();
            serve(&app, parts, Source::Network(incoming, upgrade), &peer, Caller::Unauthenticated)
                .await
        })
    }
}

/// Handles one request of a client or of a loopback client.
pub(crate) async fn serve(
    app: &Arc<App>,
    parts: Parts,
    source: Source,
    peer: &Peer,
    caller: Caller,
) -> Response<Body> {
    let params = Params::parse(parts.uri.query());
    let parsed = RequestInfo::parse(&parts.method, &parts.uri, &params);
    let is_valid = parsed.is_ok();
    let info = parsed.unwrap_or_else(|InvalidPath| RequestInfo::nothing());
    let (started, limit) = (Instant::now(), app.limits.timeout);
    let deadline = match info.is_long() {
        true => Ok(None),
        false => deadline(started, limit, params.text("timeout")),
    };
    let audit_id = parts.headers.get(AUDIT_ID).and_then(|id| id.to_str().ok());
    let audit_id = audit_id.filter(|id| !id.is_empty()).map(str::to_owned);
    let request = RequestContext {
        parts: &parts,
        info: Arc::new(info),
        params,
        warnings: Warnings::default(),
        is_audited: app.audit.is_some(),
        audit: AuditRecord::default(),
        audit_id: audit_id.unwrap_or_else(clock::new_request_id),
        started,
        deadline: deadline.as_ref().ok().copied().flatten(),
        address: peer.address.ip(),
        is_internal: matches!(caller, Caller::Internal(_)),
        resource: OnceLock::new(),
    };
    if !is_valid {
        let text = "400 Bad Request".to_owned();
        let mut response = documents::text(400, "text/plain; charset=utf-8", text);
        finish(app, &request, &mut response);
        return response;
    }
    if let Err(error) = &deadline {
        let mut response = error_response(error, request.error_output());
        finish(app, &request, &mut response);
        return response;
    }
    let is_mutating = !matches!(request.parts.method, Method::GET | Method::HEAD);
    let running = app.metrics.running(is_mutating);
    let is_fair = app.flow_control.is_some();
    let is_exempt = is_fair || request.info.is_long() || asks_for_health(&request.info);
    let Some(slot) = Slot::take(app, is_mutating, is_exempt) else {
        let mut response = too_many(1);
        finish(app, &request, &mut response);
        return response;
    };
    let mut seat = None;
    // The request timeout applies inside, so that the audit log records it.
    let mut response = handle(app, &request, source, (peer, caller), &mut seat).await;
    drop(running);
    if let Some(seat) = &seat {
        seat.flow().set_headers(response.headers_mut());
    }
    // A watch has begun, and a long answer to it is none of its beginning.
    let seat = seat.filter(|_| !request.info.is_long());
    finish(app, &request, &mut response);
    // A large response holds its inflight slot until it is sent.
    if response.body().size_hint().exact().is_none_or(|size| size > SENT_AT_ONCE) {
        response = response.map(|body| with_guard(body, (slot, seat)));
    }
    response
}

/// A response of at most this size is sent together with its head and frees its inflight slot at once.
const SENT_AT_ONCE: u64 = 64 * 1024;

/// The endpoints of health, which are answered under any load: a supervisor that gets 429 restarts a server that works.
const HEALTH: [&str; 3] = ["/healthz", "/livez", "/readyz"];

fn asks_for_health(info: &RequestInfo) -> bool {
    let Target::Path(path) = &info.target else { return false };
    HEALTH.iter().filter_map(|root| path.strip_prefix(root)).any(|rest| {
        // The checks of an endpoint stand below it.
        rest.is_empty() || rest.starts_with('/')
    })
}

/// One of the allowed inflight requests, reads and writes counted apart.
struct Slot {
    app: Arc<App>,
    is_mutating: bool,
    is_counted: bool,
}

impl Slot {
    /// None if the limit is reached; long-running requests have limits of their own, and health has none.
    fn take(app: &Arc<App>, is_mutating: bool, is_exempt: bool) -> Option<Self> {
        let limit = if is_mutating { app.limits.writes } else { app.limits.reads };
        let slot = Self { app: app.clone(), is_mutating, is_counted: limit > 0 && !is_exempt };
        if !slot.is_counted {
            return Some(slot);
        }
        let before = slot.running().fetch_add(1, Ordering::Relaxed);
        (before < limit).then_some(slot)
    }

    fn running(&self) -> &AtomicUsize {
        let [reads, writes] = &self.app.running;
        if self.is_mutating { writes } else { reads }
    }
}

impl Drop for Slot {
    fn drop(&mut self) {
        if self.is_counted {
            self.running().fetch_sub(1, Ordering::Relaxed);
        }
    }
}

async fn handle(
    app: &Arc<App>,
    request: &RequestContext<'_>,
    source: Source,
    (peer, caller): (&Peer, Caller),
    seat: &mut Option<Seat>,
) -> Response<Body> {
    let headers = &request.parts.headers;
    let error_reply = |error: &StatusError| {
        request.record_error(error);
        error_response(error, request.error_output())
    };
    let begin = |user: &User| {
        let audit = app.audit.as_ref()?;
        audit.begin(request.parts, &request.info, &request.audit_id, user, peer)
    };
    let mut usage = TokenUsage::default();
    let verdict = match caller {
        Caller::Internal(user) => Verdict::User(user),
        Caller::Unauthenticated => {
            let certificates = &peer.certificates;
            app.identity.authenticate(headers, certificates, Timestamp::now(), &mut usage)
        }
    };
    app.tokens.record(usage, Some((&request.warnings, &request.audit))).await;
    let caller = match verdict {
        Verdict::User(user) => {
            app.metrics.authenticated(true);
            user
        }
        Verdict::Anonymous => User::anonymous(),
        Verdict::Rejected { reason } => {
            app.metrics.authenticated(false);
            tracing::debug!(reason, address = %peer.address, "not authenticated");
            // Failed authentication is audited too, with an empty user.
            let response = error_reply(&StatusError::unauthorized());
            let trail = begin(&User::default());
            return audit::complete(trail, &request.parts.method, &request.audit, response);
        }
    };
    let mut trail = begin(&caller);
    let user = match impersonated_user(app, request, &caller) {
        Ok(None) => caller,
        Ok(Some(impersonated)) => {
            audit::impersonated(&mut trail, &impersonated.user, &impersonated.constraint);
            impersonated.user
        }
        Err(error) => {
            return audit::complete(
                trail,
                &request.parts.method,
                &request.audit,
                error_reply(&error),
            );
        }
    };
    if trail.as_ref().is_some_and(|trail| trail.level() >= Level::Request) {
        request.audit.want_request_body();
    }
    if trail.as_ref().is_some_and(|trail| trail.level() == Level::RequestResponse) {
        request.audit.want_response_body();
    }
    let is_long = request.info.is_long();
    if is_long && !request.is_internal {
        match app.long_running.admit(&user) {
            Some(permit) => request.audit.set_permit(permit),
            None => {
                let method = &request.parts.method;
                return audit::complete(trail, method, &request.audit, too_many(1));
            }
        }
    }
    match flow_control::admit(app, request, &user).await {
        Ok(taken) => *seat = taken,
        Err(response) => {
            return audit::complete(trail, &request.parts.method, &request.audit, *response);
        }
    }
    // Pinned where it is, as its kilobytes would be copied into the timeout and again to where it is awaited.
    let response = pin!(authorize_and_route(app, request, source, &user));
    let response = match request.deadline {
        None => response.await,
        // What is late when it begins does nothing.
        Some(deadline) if Instant::now() >= deadline => error_reply(&StatusError::timeout()),
        Some(deadline) => match tokio::time::timeout_at(deadline.into(), response).await {
            Ok(response) => response,
            Err(_) => error_reply(&StatusError::timeout()),
        },
    };
    let response = match request.audit.permit() {
        Some(permit) => response.map(|body| with_guard(body, permit)),
        None => response,
    };
    audit::complete(trail, &request.parts.method, &request.audit, response)
}

/// The user named in the impersonation headers, if the caller may impersonate them.
fn impersonated_user(
    app: &App,
    request: &RequestContext<'_>,
    caller: &User,
) -> Result<Option<Impersonated>, StatusError> {
    let wanted = impersonation(&request.parts.headers).map_err(StatusError::bad_request)?;
    let Some(wanted) = wanted else { return Ok(None) };
    let attributes = attributes(caller, &request.info);
    match impersonate(&wanted, &attributes, &|attributes| app.authorizer.decide(attributes)) {
        Ok(impersonated) => Ok(Some(impersonated)),
        Err(denied) => {
            let about =
                About { group: &denied.group, resource: &denied.resource, name: &denied.name };
            Err(StatusError::forbidden_message(about, denied.message))
        }
    }
}

async fn authorize_and_route(
    app: &Arc<App>,
    request: &RequestContext<'_>,
    source: Source,
    user: &User,
) -> Response<Body> {
    let attributes = attributes(user, &request.info);
    match app.authorizer.check(&attributes) {
        Ok(reason) => {
            app.metrics.authorized(true);
            if request.is_audited {
                request.audit.annotate("authorization.k8s.io/decision", "allow");
                request.audit.annotate("authorization.k8s.io/reason", reason);
            }
        }
        Err(error) => {
            app.metrics.authorized(false);
            request.audit.annotate("authorization.k8s.io/decision", "forbid");
            request.audit.annotate("authorization.k8s.io/reason", "");
            request.record_error(&error);
            let mut response = error_response(&error, request.error_output());
            response.headers_mut().insert(NO_SNIFF, HeaderValue::from_static("nosniff"));
            return response;
        }
    }
    let source = match aggregate::route(app, request, source, user).await {
        Routed::Answered(response) => return response,
        Routed::Local(source) => source,
    };
    match &request.info.target {
        Target::Path(path) => Box::pin(route::plain_path(app, request, path)).await,
        Target::Resource(path) => route::resource(app, request, path, source, user).await,
    }
}
