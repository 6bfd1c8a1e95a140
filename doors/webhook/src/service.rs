//! `WebhookService`: HTTP requests to reviews, health checks and metrics.

use crate::deadline::Deadline;
use crate::error::ReviewError;
use crate::metrics::Metrics;
use crate::reload::CurrentReviewer;
use crate::request::{AdmissionRequest, MAX_REVIEW_BYTES};
use crate::response::AdmissionResponse;
use crate::reviewer::Reviewer;
use bytes::Bytes;
use http::header::{ALLOW, CONTENT_TYPE};
use http::{HeaderMap, HeaderValue, Method, Request, Response, StatusCode};
use hyper::body::Incoming;
use ratchet_http::health::{Checks, Endpoint, HealthQuery};
use ratchet_http::{Body, Drain, Peer, ReadError, Service, full, metrics, read_body};
use ratchet_object::ClusterReader;
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::time::Instant;
use tokio::sync::Semaphore;

/// Reviews up to this size are judged on the thread that read them: it takes less time than another thread to wake up.
const SMALL: usize = 64 << 10;
/// The most large reviews that are judged at once; others wait for their turn until their deadline.
const MAX_LARGE: usize = 4;

const TEXT: &str = "text/plain; charset=utf-8";
const JSON: &str = "application/json";

/// Answers the calls of API servers, kubelets and scrapers.
pub(crate) struct WebhookService {
    pub(crate) reviewer: Arc<CurrentReviewer>,
    pub(crate) cluster: Arc<dyn ClusterReader + Send + Sync>,
    pub(crate) metrics: Arc<Metrics>,
    checks: Checks,
    large: Arc<Semaphore>,
}

/// An answer: status, content type and body.
type Reply = (StatusCode, &'static str, String);

impl Service for WebhookService {
    fn call(
        &self,
        request: Request<Incoming>,
        _: Arc<Peer>,
    ) -> Pin<Box<dyn Future<Output = Response<Body>> + Send + '_>> {
        Box::pin(async move { self.answer(request).await })
    }
}

impl WebhookService {
    pub(crate) fn new(
        reviewer: Arc<CurrentReviewer>,
        cluster: Arc<dyn ClusterReader + Send + Sync>,
        metrics: Arc<Metrics>,
        drain: &Drain,
    ) -> Self {
        let drain = drain.clone();
        let checks = Checks::new().with("shutdown", &[Endpoint::Readyz], move || {
            if drain.is_draining() { Err("the server is stopping".into()) } else { Ok(()) }
        });
        let large = Arc::new(Semaphore::new(MAX_LARGE));
        Self { reviewer, cluster, metrics, checks, large }
    }

    async fn answer(&self, request: Request<Incoming>) -> Response<Body> {
        let path = request.uri().path().to_owned();
        let reply = match path.as_str() {
            "/validate" | "/mutate" if request.method() != Method::POST => {
                return method_not_allowed("POST");
            }
            "/validate" => self.answer_review(request, validate).await,
            "/mutate" => self.answer_review(request, mutate).await,
            _ if request.method() != Method::GET && request.method() != Method::HEAD => {
                return method_not_allowed("GET, HEAD");
            }
            "/metrics" => (StatusCode::OK, metrics::CONTENT_TYPE, self.metrics.render()),
            path => self.health(path, request.uri().query()),
        };
        respond(reply)
    }

    /// The answer to a review: a verdict or an error, before the API server stops waiting.
    async fn answer_review(&self, request: Request<Incoming>, step: Step) -> Reply {
        let start = Instant::now();
        let deadline = Deadline::of(request.uri().query(), start);
        match self.review(request, deadline, step).await {
            Ok(response) => {
                self.metrics.count(&response, start.elapsed());
                (StatusCode::OK, JSON, response.to_json())
            }
            Err((code, why)) => {
                self.metrics.count_error(start.elapsed());
                tracing::warn!(code = code.as_u16(), why, "a review got no verdict");
                (code, TEXT, format!("{why}\n"))
            }
        }
    }

    async fn review(
        &self,
        request: Request<Incoming>,
        deadline: Deadline,
        step: Step,
    ) -> Result<AdmissionResponse, (StatusCode, String)> {
        check_content_type(request.headers())?;
        // A body that is too large is read to its end, which has the same deadline.
        let body = read_body(request.into_body(), MAX_REVIEW_BYTES, deadline.left());
        let body = tokio::time::timeout(deadline.left(), body).await;
        let body = body.unwrap_or(Err(ReadError::TooSlow)).map_err(|error| match error {
            ReadError::TooLarge => refused(&ReviewError::TooLarge),
            ReadError::TooSlow => (StatusCode::GATEWAY_TIMEOUT, error.to_string()),
            ReadError::Broken => (StatusCode::BAD_REQUEST, error.to_string()),
        })?;
        if body.len() <= SMALL {
            let judged = step(&self.reviewer.get(), &*self.cluster, &body);
            return judged.map_err(|error| refused(&error));
        }
        let judged = tokio::time::timeout(deadline.left(), self.judge_aside(body, step)).await;
        judged.unwrap_or_else(|_| {
            let why = "no verdict within the timeout of the webhook";
            Err((StatusCode::GATEWAY_TIMEOUT, why.to_owned()))
        })
    }

    /// Judges a large review on a thread that answers nobody else.
    async fn judge_aside(
        &self,
        body: Bytes,
        step: Step,
    ) -> Result<AdmissionResponse, (StatusCode, String)> {
        let internal = |why: String| (StatusCode::INTERNAL_SERVER_ERROR, why);
        let permit = Arc::clone(&self.large).acquire_owned().await;
        let permit = permit.map_err(|error| internal(error.to_string()))?;
        let (reviewer, cluster) = (Arc::clone(&self.reviewer), Arc::clone(&self.cluster));
        let judged = tokio::task::spawn_blocking(move || {
            // Held until the verdict is made, also if nobody waits for it any more.
            let _permit = permit;
            step(&reviewer.get(), &*cluster, &body)
        });
        let judged = judged.await.map_err(|error| internal(error.to_string()))?;
        judged.map_err(|error| refused(&error))
    }

    fn health(&self, path: &str, query: Option<&str>) -> Reply {
        let (name, check) = match path.trim_start_matches('/').split_once('/') {
            Some((name, check)) => (name, Some(check)),
            None => (path.trim_start_matches('/'), None),
        };
        let Some(endpoint) = Endpoint::ALL.into_iter().find(|endpoint| endpoint.name() == name)
        else {
            return (StatusCode::NOT_FOUND, TEXT, "404 page not found\n".to_owned());
        };
        let query = HealthQuery::parse(query);
        let (code, mut text) = self.checks.render(endpoint, &query, check);
        // The old configuration is in force, so that this is a detail and no reason to take a replica out of service.
        if endpoint == Endpoint::Readyz
            && query.verbose
            && let Some(error) = self.reviewer.error()
        {
            text.push_str(&format!("warn: the new configuration is not in force: {error}\n"));
        }
        (code, TEXT, text)
    }
}

/// What is done with the body of a review.
type Step = fn(&Reviewer, &dyn ClusterReader, &[u8]) -> Result<AdmissionResponse, ReviewError>;

fn validate(
    reviewer: &Reviewer,
    cluster: &dyn ClusterReader,
    body: &[u8],
) -> Result<AdmissionResponse, ReviewError> {
    reviewer.review(AdmissionRequest::decode(body)?, cluster)
}

fn mutate(
    reviewer: &Reviewer,
    _: &dyn ClusterReader,
    body: &[u8],
) -> Result<AdmissionResponse, ReviewError> {
    reviewer.mutate(AdmissionRequest::decode(body)?)
}

fn refused(error: &ReviewError) -> (StatusCode, String) {
    let code = StatusCode::from_u16(error.code()).unwrap_or(StatusCode::BAD_REQUEST);
    (code, error.to_string())
}

fn check_content_type(headers: &HeaderMap) -> Result<(), (StatusCode, String)> {
    let given = headers.get(CONTENT_TYPE).and_then(|value| value.to_str().ok()).unwrap_or(JSON);
    let media_type = given.split(';').next().unwrap_or_default().trim();
    if media_type.eq_ignore_ascii_case(JSON) {
        return Ok(());
    }
    let why = format!("unsupported content type {given:?}: expected {JSON}");
    Err((StatusCode::UNSUPPORTED_MEDIA_TYPE, why))
}

fn method_not_allowed(allowed: &'static str) -> Response<Body> {
    let text = "405 method not allowed\n".to_owned();
    let mut response = respond((StatusCode::METHOD_NOT_ALLOWED, TEXT, text));
    response.headers_mut().insert(ALLOW, HeaderValue::from_static(allowed));
    response
}

fn respond((status, content_type, text): Reply) -> Response<Body> {
    let mut response = Response::new(full(text));
    *response.status_mut() = status;
    response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static(content_type));
    response
}
