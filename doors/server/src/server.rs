//! The pipeline of a request: how many at once, who asks, as whom, and whether they may.

use crate::app::App;
use crate::audit;
use crate::audit_record::AuditRecord;
use crate::authorize::attempt;
use crate::documents;
use crate::held::held;
use crate::request::{Output, Params, RequestInfo, Target, Unreadable};
use crate::respond::{finish, refused};
use crate::route;
use crate::status::{About, StatusError};
use crate::token_usage;
use crate::warnings::Warnings;
use bytes::Bytes;
use http::header::RETRY_AFTER;
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
use std::net::IpAddr;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Instant;

pub(crate) const AUDIT_ID: HeaderName = HeaderName::from_static("audit-id");
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
            let (mut parts, incoming) = request.into_parts();
            let upgrade = parts.extensions.remove::<OnUpgrade>();
            serve(&app, parts, Source::Wire(incoming, upgrade), &peer, Caller::Stranger).await
        })
    }
}

/// Where a body comes from.
pub(crate) enum Source {
    /// From a client, whose connection may become another protocol's.
    Wire(Incoming, Option<OnUpgrade>),
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
pub(crate) struct RequestContext<'a> {
    /// Method, URL and headers.
    pub(crate) parts: &'a Parts,
    /// What is asked for.
    pub(crate) info: RequestInfo,
    /// The query.
    pub(crate) params: Params,
    /// Warnings for the client, sent as `Warning` headers.
    pub(crate) warnings: Warnings,
    /// Facts for the audit log.
    pub(crate) audit: AuditRecord,
    /// Under which name the request stands in the audit log.
    pub(crate) audit_id: String,
    /// When it began.
    pub(crate) begun: Instant,
    /// Where it comes from.
    pub(crate) address: IpAddr,
}

impl RequestContext<'_> {
    /// Keeps a refusal for the audit log, where answers are told of.
    pub(crate) fn note_refusal(&self, app: &App, refusal: &StatusError) {
        if app.audit.is_some() {
            self.audit.set_failure(refusal.to_json());
        }
    }
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
    let read = RequestInfo::read(&parts.method, &parts.uri, &params);
    let is_readable = read.is_ok();
    let info = read.unwrap_or_else(|Unreadable| RequestInfo::nothing());
    let audit_id = parts.headers.get(AUDIT_ID).and_then(|id| id.to_str().ok());
    let audit_id = audit_id.filter(|id| !id.is_empty()).map(str::to_owned);
    let request = RequestContext {
        parts: &parts,
        info,
        params,
        warnings: Warnings::default(),
        audit: AuditRecord::default(),
        audit_id: audit_id.unwrap_or_else(|| app.new_uid()),
        begun: Instant::now(),
        address: peer.address.ip(),
    };
    if !is_readable {
        let text = "400 Bad Request".to_owned();
        let mut response = documents::text(400, "text/plain; charset=utf-8", text);
        finish(app, &request, &mut response);
        return response;
    }
    let is_mutating = !matches!(request.parts.method, Method::GET | Method::HEAD);
    let running = app.metrics.running(is_mutating);
    let is_long = request.info.is_long();
    let Some(slot) = Slot::take(app, is_mutating, is_long) else {
        let mut response = too_many();
        finish(app, &request, &mut response);
        return response;
    };
    let answer = answer(app, &request, source, peer, caller);
    // Whatever may take long within has its limit there, where the audit log hears of it.
    let mut response = answer.await;
    drop(running);
    finish(app, &request, &mut response);
    // An answer that takes long to send has not ended yet.
    if response.body().size_hint().exact().is_none_or(|size| size > AT_ONCE) {
        response = response.map(|body| held(body, slot));
    }
    response
}

/// Answers of this size leave with their head; whoever sends more counts as running until they are sent.
const AT_ONCE: u64 = 64 * 1024;

/// There is no room for this request now.
fn too_many() -> Response<Body> {
    let text = "Too many requests, please try again later.\n".to_owned();
    let mut response = documents::text(429, "text/plain; charset=utf-8", text);
    let headers = response.headers_mut();
    headers.insert(RETRY_AFTER, HeaderValue::from_static("1"));
    headers.insert(NO_SNIFF, HeaderValue::from_static("nosniff"));
    response
}

/// One of the requests that may run at once.
struct Slot {
    app: Arc<App>,
    is_mutating: bool,
    is_counted: bool,
}

impl Slot {
    /// None if too many run already; long-running ones have limits of their own.
    fn take(app: &Arc<App>, is_mutating: bool, is_long: bool) -> Option<Self> {
        let most = if is_mutating { app.limits.writes } else { app.limits.reads };
        let slot = Self { app: app.clone(), is_mutating, is_counted: most > 0 && !is_long };
        if !slot.is_counted {
            return Some(slot);
        }
        let before = slot.running().fetch_add(1, Ordering::Relaxed);
        (before < most).then_some(slot)
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

async fn answer(
    app: &Arc<App>,
    request: &RequestContext<'_>,
    source: Source,
    peer: &Peer,
    caller: Caller,
) -> Response<Body> {
    let headers = &request.parts.headers;
    let plain = Output::choose(headers, request.params.get("pretty")).unwrap_or(Output::PLAIN);
    let refuse = |refusal: &StatusError| {
        request.note_refusal(app, refusal);
        refused(refusal, plain)
    };
    let begin = |user: &User| {
        let audit = app.audit.as_ref()?;
        audit.begin(request.parts, &request.info, &request.audit_id, user, peer)
    };
    let mut usage = TokenUsage::default();
    let is_within = matches!(caller, Caller::Known(_));
    let said = match caller {
        Caller::Known(user) => Verdict::User(user),
        Caller::Stranger => {
            let certificates = &peer.certificates;
            app.identity.authenticate(headers, certificates, Timestamp::now(), &mut usage)
        }
    };
    token_usage::record(app, usage, Some((&request.warnings, &request.audit))).await;
    let caller = match said {
        Verdict::User(user) => {
            app.metrics.authentications.with(&["success"]).inc();
            user
        }
        Verdict::Anonymous => User::anonymous(),
        Verdict::Rejected { reason } => {
            app.metrics.authentications.with(&["failure"]).inc();
            tracing::debug!(reason, address = %peer.address, "not authenticated");
            // Those who try keys are told of as well, though nobody knows who they are.
            let response = refuse(&StatusError::unauthorized());
            let trail = begin(&User::default());
            return audit::complete(trail, &request.parts.method, &request.audit, response);
        }
    };
    let mut trail = begin(&caller);
    let user = match become_other(app, request, &caller) {
        Ok(None) => caller,
        Ok(Some(became)) => {
            audit::impersonated(&mut trail, &became.user, &became.constraint);
            became.user
        }
        Err(refusal) => {
            return audit::complete(trail, &request.parts.method, &request.audit, refuse(&refusal));
        }
    };
    if trail.as_ref().is_some_and(|trail| trail.level() == Level::RequestResponse) {
        request.audit.want_response_body();
    }
    let is_long = request.info.is_long();
    if is_long && !is_within {
        match app.long_running.enter(&user) {
            Some(permit) => request.audit.set_permit(permit),
            None => {
                let method = &request.parts.method;
                return audit::complete(trail, method, &request.audit, too_many());
            }
        }
    }
    let response = authorized(app, request, source, &user, plain);
    let response = match app.limits.timeout {
        limit if limit.is_zero() || is_long => response.await,
        limit => match tokio::time::timeout(limit, response).await {
            Ok(response) => response,
            Err(_) => refuse(&StatusError::timeout()),
        },
    };
    let response = match request.audit.permit() {
        Some(permit) => response.map(|body| held(body, permit)),
        None => response,
    };
    audit::complete(trail, &request.parts.method, &request.audit, response)
}

/// Who the caller wants to be.
fn become_other(
    app: &App,
    request: &RequestContext<'_>,
    caller: &User,
) -> Result<Option<Impersonated>, StatusError> {
    let wanted = impersonation(&request.parts.headers).map_err(StatusError::bad_request)?;
    let Some(wanted) = wanted else { return Ok(None) };
    let attempt = attempt(caller, &request.info);
    match impersonate(&wanted, &attempt, &|attempt| app.authorizer.decide(attempt)) {
        Ok(became) => Ok(Some(became)),
        Err(no) => {
            let about = About { group: &no.group, resource: &no.resource, name: &no.name };
            Err(StatusError::forbidden_message(about, no.message))
        }
    }
}

async fn authorized(
    app: &Arc<App>,
    request: &RequestContext<'_>,
    source: Source,
    user: &User,
    plain: Output,
) -> Response<Body> {
    let attempt = attempt(user, &request.info);
    match app.authorizer.check(&attempt) {
        Ok(reason) => {
            app.metrics.authorizations.with(&["allowed"]).inc();
            request.audit.annotate("authorization.k8s.io/decision", "allow");
            request.audit.annotate("authorization.k8s.io/reason", reason);
        }
        Err(refusal) => {
            app.metrics.authorizations.with(&["denied"]).inc();
            request.audit.annotate("authorization.k8s.io/decision", "forbid");
            request.audit.annotate("authorization.k8s.io/reason", "");
            request.note_refusal(app, &refusal);
            let mut response = refused(&refusal, plain);
            response.headers_mut().insert(NO_SNIFF, HeaderValue::from_static("nosniff"));
            return response;
        }
    }
    match &request.info.target {
        Target::Path(path) => route::plain_path(app, request, path).await,
        Target::Resource(path) => route::resource(app, request, path, source, user, plain).await,
    }
}
