//! `WebhookService`: HTTP requests to reviews, health checks and metrics.

use crate::certificates::CertificateState;
use crate::cluster::{ClusterHandle, Fetched, Missing, ReviewCluster};
use crate::deadline::Deadline;
use crate::error::ReviewError;
use crate::excerpt::excerpt;
use crate::finding_log::FindingLog;
use crate::metrics::Metrics;
use crate::notices::Notices;
use crate::otlp::{Parent, Span, Tracer};
use crate::reload::CurrentReviewer;
use crate::request::AdmissionRequest;
use crate::response::AdmissionResponse;
use crate::review_body::{BodyRoom, ReviewBody, SMALL};
use crate::reviewer::Reviewer;
use crate::subject::Subject;
use http::header::{ALLOW, CONTENT_TYPE};
use http::{HeaderMap, HeaderValue, Method, Request, Response, StatusCode};
use hyper::body::Incoming;
use ratchet_http::health::{Checks, Endpoint, HealthQuery};
use ratchet_http::{Body, Drain, Peer, ReadError, Service, full, metrics};
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::time::{Instant, SystemTime};
use tokio::sync::Semaphore;

/// The most large reviews that are judged at once; others wait for their turn until their deadline.
const MAX_LARGE: usize = 4;

const TEXT: &str = "text/plain; charset=utf-8";
const JSON: &str = "application/json";

/// The most times that one review is judged again because something had to be read for it.
const MAX_FETCHES: usize = 3;
/// The longest reason for no verdict: it may have what was sent in it.
const MAX_REASON: usize = 1024;

/// Answers the calls of API servers, kubelets and scrapers.
pub(crate) struct WebhookService {
    pub(crate) reviewer: Arc<CurrentReviewer>,
    pub(crate) cluster: ClusterHandle,
    pub(crate) metrics: Arc<Metrics>,
    pub(crate) certificates: Option<Arc<CertificateState>>,
    pub(crate) notices: Option<Notices>,
    pub(crate) tracer: Option<Tracer>,
    log: FindingLog,
    checks: Checks,
    large: Arc<Semaphore>,
    room: BodyRoom,
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
        cluster: ClusterHandle,
        metrics: Arc<Metrics>,
        certificates: Option<Arc<CertificateState>>,
        stop: &Drain,
    ) -> Self {
        let stop = stop.clone();
        let mut checks = Checks::new().with("shutdown", &[Endpoint::Readyz], move || {
            if stop.is_draining() { Err("the server is stopping".into()) } else { Ok(()) }
        });
        if let ClusterHandle::Live(live) = &cluster {
            let namespaces = Arc::clone(&live.namespaces);
            checks = checks.with("namespaces", &[Endpoint::Readyz], move || {
                match namespaces.is_synced() {
                    true => Ok(()),
                    false => {
                        Err(namespaces.failure().unwrap_or("the first list is not complete".into()))
                    }
                }
            });
        }
        if let Some(state) = &certificates {
            let state = Arc::clone(state);
            checks = checks.with("certificate", &[Endpoint::Readyz], move || state.check());
        }
        let large = Arc::new(Semaphore::new(MAX_LARGE));
        Self {
            reviewer,
            cluster,
            metrics,
            certificates,
            notices: None,
            tracer: None,
            log: FindingLog::new(),
            checks,
            large,
            room: BodyRoom::new(),
        }
    }

    async fn answer(&self, request: Request<Incoming>) -> Response<Body> {
        let path = request.uri().path().to_owned();
        let reply = match path.as_str() {
            "/validate" | "/mutate" if request.method() != Method::POST => {
                return method_not_allowed("POST");
            }
            "/validate" => self.answer_review(request, Step::Validate).await,
            "/mutate" => self.answer_review(request, Step::Mutate).await,
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
        let parent = self.tracer.as_ref().and_then(|_| Parent::of(request.headers()));
        let tracer = self.tracer.as_ref().filter(|tracer| tracer.is_sampled(parent.as_ref()));
        let began = tracer.map(|_| SystemTime::now());
        let reviewed = self.review(request, deadline, step).await;
        let reviewed =
            reviewed.map_err(|(code, why)| (code, excerpt(&why, MAX_REASON).into_owned()));
        let took = start.elapsed();
        if let (Some(tracer), Some(start)) = (tracer, began) {
            let (subject, verdict, findings, error) = match &reviewed {
                Ok((subject, response)) => {
                    (subject.clone(), response.verdict(), response.findings.len(), None)
                }
                Err((_, why)) => (Subject::default(), "error", 0, Some(why.clone())),
            };
            let path = step.path();
            tracer.add(Span {
                parent,
                path,
                subject,
                verdict,
                findings,
                error,
                start,
                duration: took,
            });
        }
        match reviewed {
            Ok((subject, response)) => {
                self.metrics.count(&response, took);
                self.log.write(&subject, &response.findings, &self.metrics);
                if let Some(notices) = &self.notices {
                    notices.add(&subject, &response);
                }
                (StatusCode::OK, JSON, response.to_json())
            }
            Err((code, why)) => {
                self.metrics.count_error(took);
                self.log.write_error(code.as_u16(), &why, &self.metrics);
                (code, TEXT, format!("{why}\n"))
            }
        }
    }

    async fn review(
        &self,
        request: Request<Incoming>,
        deadline: Deadline,
        step: Step,
    ) -> Result<(Subject, AdmissionResponse), (StatusCode, String)> {
        check_content_type(request.headers())?;
        // A body that is too large is read to its end, which has the same deadline.
        let body = request.into_body();
        let room = tokio::time::timeout(deadline.left(), self.room.reserve(&body)).await;
        let crowded =
            |_| (StatusCode::GATEWAY_TIMEOUT, "too many large reviews at once".to_owned());
        let body = room.map_err(crowded)?.read(body, deadline.left());
        let body = tokio::time::timeout(deadline.left(), body).await;
        let body = body.unwrap_or(Err(ReadError::TooSlow)).map_err(|error| match error {
            ReadError::TooLarge => refused(&ReviewError::TooLarge),
            ReadError::TooSlow => (StatusCode::GATEWAY_TIMEOUT, error.to_string()),
            ReadError::Broken => (StatusCode::BAD_REQUEST, error.to_string()),
        })?;
        if body.bytes().len() <= SMALL {
            let fetched = Fetched::default();
            let judged = step.judge(&self.reviewer.get(), &self.cluster, &fetched, body.bytes());
            let (subject, response, missing) = judged.map_err(|error| refused(&error))?;
            if missing.is_empty() {
                return Ok((subject, response));
            }
        }
        let judged = tokio::time::timeout(deadline.left(), self.judge_aside(body, step)).await;
        judged.unwrap_or_else(|_| {
            let why = "no verdict within the timeout of the webhook";
            Err((StatusCode::GATEWAY_TIMEOUT, why.to_owned()))
        })
    }

    /// Judges a large review on a thread that answers nobody else, or one for which something has to be read.
    async fn judge_aside(
        &self,
        body: ReviewBody,
        step: Step,
    ) -> Result<(Subject, AdmissionResponse), (StatusCode, String)> {
        let internal = |why: String| (StatusCode::INTERNAL_SERVER_ERROR, why);
        let mut fetched = Arc::new(Fetched::default());
        for _ in 0..=MAX_FETCHES {
            let judged = self.judge_once(body.clone(), step, Arc::clone(&fetched)).await?;
            let (subject, response, missing) = judged.map_err(|error| refused(&error))?;
            let ClusterHandle::Live(live) = &self.cluster else { return Ok((subject, response)) };
            if missing.is_empty() {
                return Ok((subject, response));
            }
            let mut more = Fetched::from(fetched);
            live.fetch(missing, &mut more).await.map_err(internal)?;
            fetched = Arc::new(more);
        }
        Err(internal("what the verdict needs of the cluster changes too fast".to_owned()))
    }

    async fn judge_once(
        &self,
        body: ReviewBody,
        step: Step,
        fetched: Arc<Fetched>,
    ) -> Result<Result<Judgement, ReviewError>, (StatusCode, String)> {
        let internal = |why: String| (StatusCode::INTERNAL_SERVER_ERROR, why);
        if body.bytes().len() <= SMALL {
            return Ok(step.judge(&self.reviewer.get(), &self.cluster, &fetched, body.bytes()));
        }
        let permit = Arc::clone(&self.large).acquire_owned().await;
        let permit = permit.map_err(|error| internal(error.to_string()))?;
        let (reviewer, cluster) = (Arc::clone(&self.reviewer), self.cluster.clone());
        let judged = tokio::task::spawn_blocking(move || {
            // Held until the verdict is made, also if nobody waits for it any more.
            let _permit = permit;
            step.judge(&reviewer.get(), &cluster, &fetched, body.bytes())
        });
        judged.await.map_err(|error| internal(error.to_string()))
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
        if endpoint == Endpoint::Readyz && query.verbose {
            self.details().for_each(|detail| text.push_str(&format!("warn: {detail}\n")));
        }
        (code, TEXT, text)
    }

    /// What is wrong and no reason to take a replica out of service: what was good before is in use.
    fn details(&self) -> impl Iterator<Item = String> {
        let configuration = self.reviewer.error();
        let configuration =
            configuration.map(|error| format!("the new configuration is not in force: {error}"));
        let watch = match &self.cluster {
            ClusterHandle::Live(live) => live.namespaces.failure(),
            ClusterHandle::Fixed(_) => None,
        };
        let watch = watch.map(|error| format!("the watch of namespaces is broken: {error}"));
        let certificates = self.certificates.as_ref().and_then(|state| state.failure());
        let certificates =
            certificates.map(|error| format!("the certificates are not looked after: {error}"));
        [configuration, watch, certificates].into_iter().flatten()
    }
}

/// Who asked for what, the answer, and what has to be read before it counts.
type Judgement = (Subject, AdmissionResponse, Vec<Missing>);

/// What is done with the body of a review.
#[derive(Clone, Copy)]
enum Step {
    Validate,
    Mutate,
}

impl Step {
    fn path(self) -> &'static str {
        match self {
            Self::Validate => "/validate",
            Self::Mutate => "/mutate",
        }
    }

    fn judge(
        self,
        reviewer: &Reviewer,
        cluster: &ClusterHandle,
        fetched: &Fetched,
        body: &[u8],
    ) -> Result<Judgement, ReviewError> {
        let request = AdmissionRequest::decode(body)?;
        let subject = Subject::of(&request);
        let cluster = ReviewCluster::new(cluster, fetched);
        let response = match self {
            Self::Validate => reviewer.review(request, &cluster)?,
            Self::Mutate => reviewer.mutate(request)?,
        };
        Ok((subject, response, cluster.into_missing()))
    }
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
