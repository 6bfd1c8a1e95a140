//! The pipeline of a request: how many at once, who asks, as whom, and whether they may.

use crate::app::App;
use crate::audit;
use crate::authorize::attempt;
use crate::call::Told;
use crate::documents;
use crate::refusal::{About, Refusal};
use crate::request::{Ask, Output, Params, Target};
use crate::respond::{finish, refused};
use crate::route;
use crate::token_usage;
use bytes::Bytes;
use http::header::RETRY_AFTER;
use http::request::Parts;
use http::{HeaderName, HeaderValue, Method, Request, Response};
use hyper::body::Incoming;
use hyper::upgrade::OnUpgrade;
use jiff::Timestamp;
use ratchet_access::{Impersonated, User, impersonate};
use ratchet_http::{Body, Peer, Service};
use ratchet_identity::{TokenUsage, Verdict, impersonation};
use ratchet_object::selector::FieldSelector;
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
pub(crate) struct Asked<'a> {
    /// Method, URL and headers.
    pub(crate) parts: &'a Parts,
    /// What is asked for.
    pub(crate) ask: Ask,
    /// The query.
    pub(crate) params: Params,
    /// What is told beside the answer.
    pub(crate) told: Told,
    /// Under which name the request stands in the audit log.
    pub(crate) audit_id: String,
    /// When it began.
    pub(crate) begun: Instant,
    /// Where it comes from.
    pub(crate) address: IpAddr,
}

impl Asked<'_> {
    /// Keeps a refusal for the audit log, where answers are told of.
    pub(crate) fn note_refusal(&self, app: &App, refusal: &Refusal) {
        if app.audit.is_some() {
            self.told.note_refused(refusal.to_json());
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
    let named = named_by_selector(&params);
    let ask = Ask::read(&parts.method, parts.uri.path(), params.flag("watch"), named.as_deref());
    let audit_id = parts.headers.get(AUDIT_ID).and_then(|id| id.to_str().ok());
    let audit_id = audit_id.filter(|id| !id.is_empty()).map(str::to_owned);
    let request = Asked {
        parts: &parts,
        ask,
        params,
        told: Told::default(),
        audit_id: audit_id.unwrap_or_else(|| app.new_uid()),
        begun: Instant::now(),
        address: peer.address.ip(),
    };
    let is_mutating = !matches!(request.parts.method, Method::GET | Method::HEAD);
    let running = app.metrics.running(is_mutating);
    let is_long = request.ask.is_long();
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
    // Whatever may take long within has its limit there, where the audit log hears of it.
    let mut response = answer.await;
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
    request: &Asked<'_>,
    source: Source,
    peer: &Peer,
    caller: Caller,
) -> Response<Body> {
    let headers = &request.parts.headers;
    let plain = Output::choose(headers, request.params.get("pretty")).unwrap_or(Output::PLAIN);
    let refuse = |refusal: &Refusal| {
        request.note_refusal(app, refusal);
        refused(refusal, plain)
    };
    let begin = |user: &User| {
        let audit = app.audit.as_ref()?;
        audit.begin(request.parts, &request.ask, &request.audit_id, user, peer)
    };
    let mut usage = TokenUsage::default();
    let said = match caller {
        Caller::Known(user) => Verdict::User(user),
        Caller::Stranger => {
            let certificates = &peer.certificates;
            app.identity.authenticate(headers, certificates, Timestamp::now(), &mut usage)
        }
    };
    token_usage::record(app, usage, Some(&request.told)).await;
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
            let response = refuse(&Refusal::unauthorized());
            let trail = begin(&User::default());
            return audit::complete(trail, &request.parts.method, &request.told, response);
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
            return audit::complete(trail, &request.parts.method, &request.told, refuse(&refusal));
        }
    };
    let response = authorized(app, request, source, &user, plain);
    let response = match app.limits.timeout {
        limit if limit.is_zero() || request.ask.is_long() => response.await,
        limit => match tokio::time::timeout(limit, response).await {
            Ok(response) => response,
            Err(_) => refuse(&Refusal::timeout()),
        },
    };
    audit::complete(trail, &request.parts.method, &request.told, response)
}

/// Who the caller wants to be.
fn become_other(
    app: &App,
    request: &Asked<'_>,
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
    request: &Asked<'_>,
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
            request.note_refusal(app, &refusal);
            let mut response = refused(&refusal, plain);
            response.headers_mut().insert(NO_SNIFF, HeaderValue::from_static("nosniff"));
            return response;
        }
    }
    match &request.ask.target {
        Target::Path(path) => route::plain_path(app, request, path),
        Target::Resource(place) => route::resource(app, request, place, source, user, plain).await,
    }
}
