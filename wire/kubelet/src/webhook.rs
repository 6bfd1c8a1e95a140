//! Client of webhooks: calls that admission and conversion make, with the retries, redirects and errors of client-go.

mod answer;
mod redirect;
mod users;

use std::collections::HashMap;
use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use bytes::{Bytes, BytesMut};
use http::header::{ACCEPT, AUTHORIZATION, CONTENT_LENGTH, CONTENT_TYPE, RETRY_AFTER, USER_AGENT};
use http::{HeaderValue, Method, Request, Response};
use http_body_util::{BodyExt, Full};
use ratchet_webhook::{ClientConfig, Endpoint};
use tokio::time::{Instant, sleep_until, timeout_at};

use crate::roots::TrustedRoots;
use crate::verified::{Destination, VerifiedClient, VerifiedPeer};
use crate::{OpenError, PooledBody, Proxies, Timing};
use redirect::Hop;

pub use users::{WebhookCredentials, WebhookUser, WebhookUsers};

pub use ratchet_webhook::MAX_RESPONSE_BYTES;

/// The most attempts after the first that a server can ask for with `Retry-After`.
const MAX_RETRIES: u32 = 10;
/// The most redirects of one attempt.
const MAX_REDIRECTS: u32 = 10;
/// The most bundles of root certificates that are kept.
const MAX_BUNDLES: usize = 256;
/// The size up to which a response that is not needed is read, so that its connection can be used again.
const MAX_DISCARDED: usize = 2 << 10;
/// The error of everything that took too long.
const OVERDUE: &str = "context deadline exceeded";

/// Where services are: the server knows.
pub trait ServiceResolver: Send + Sync {
    /// Host and port of a service; the error is what clients are told.
    fn resolve(&self, namespace: &str, name: &str, port: u16) -> Result<(String, u16), String>;
}

/// How long a call may take.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CallTimeout {
    /// The seconds that the webhook is told in the query of its URL; none if zero.
    pub seconds: u32,
    /// After this time the call ends.
    pub limit: Duration,
}

impl CallTimeout {
    /// A timeout of whole seconds.
    pub fn of_seconds(seconds: u32) -> Self {
        Self { seconds, limit: Duration::from_secs(seconds.into()) }
    }
}

/// The response of a webhook, with any status.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WebhookResponse {
    /// The status code.
    pub status: u16,
    /// The header `Content-Type`; empty if there is none.
    pub content_type: String,
    /// The body, [`MAX_RESPONSE_BYTES`] at most.
    pub body: Bytes,
}

/// Why there is no response, in the words of the Go API server.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum CallError {
    /// No client could be made.
    #[error("{0}")]
    NoClient(String),
    /// There was no response from this URL.
    #[error("Post {url:?}: {reason}")]
    Unreachable {
        /// The URL that was called.
        url: String,
        /// Why there was no response.
        reason: String,
    },
    /// The body of the response could not be read to its end, for this reason.
    #[error("unexpected error when reading response body. Please retry. Original error: {0}")]
    Unreadable(String),
}

/// A client of webhooks. Clones share connections and parsed bundles.
#[derive(Clone)]
pub struct WebhookClient(Arc<Inner>);

/// Roots by the bundle that they were read from, the empty one being those of the system, and by the number of the user
/// whose certificate is sent.
type RootsByBundle = HashMap<(Vec<u8>, u64), TrustedRoots>;

struct Inner {
    client: VerifiedClient,
    services: Arc<dyn ServiceResolver>,
    users: WebhookUsers,
    roots: Arc<Mutex<RootsByBundle>>,
}

impl fmt::Debug for WebhookClient {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("WebhookClient").finish_non_exhaustive()
    }
}

impl WebhookClient {
    /// A client with these timeouts and proxies.
    pub fn new(timing: Timing, proxies: Proxies, services: Arc<dyn ServiceResolver>) -> Self {
        let client = VerifiedClient::new(timing, proxies);
        let users = WebhookUsers::default();
        Self(Arc::new(Inner { client, services, users, roots: Arc::default() }))
    }

    /// The same client for others of our users. It shares connections, but for those with a client certificate.
    #[must_use]
    pub fn with_users(&self, users: WebhookUsers) -> Self {
        let (client, services) = (self.0.client.clone(), Arc::clone(&self.0.services));
        Self(Arc::new(Inner { client, services, users, roots: Arc::clone(&self.0.roots) }))
    }

    /// Posts a body of JSON to a webhook. A response with `Retry-After` is followed by another attempt, redirects are
    /// followed; the time of the call limits all of them together.
    pub async fn call(
        &self,
        config: &ClientConfig,
        body: Bytes,
        timeout: CallTimeout,
    ) -> Result<WebhookResponse, CallError> {
        if let Endpoint::Unusable(why) = config.endpoint() {
            return Err(CallError::NoClient(why.clone()));
        }
        let user = self.0.users.find(&target(config)).map(Arc::as_ref);
        let roots = self.roots(config.ca_bundle(), user).map_err(CallError::NoClient)?;
        let peer = Peer { config, roots: &roots, user };
        let deadline = Instant::now() + timeout.limit;
        let mut retries = 0;
        loop {
            let first = Hop::first(config, timeout.seconds);
            // On the heap: it is far larger than what waits for it.
            let attempt = Box::pin(self.attempt(peer, first, &body, deadline));
            let response = attempt.await?;
            let wait = retry_after(&response).filter(|_| retries < MAX_RETRIES);
            let Some(wait) = wait else { return read(response, deadline).await };
            retries += 1;
            discard(response, deadline).await;
            sleep_until(deadline.min(Instant::now() + wait)).await;
        }
    }

    /// One attempt, with the redirects that it leads to.
    async fn attempt(
        &self,
        Peer { config, roots, user }: Peer<'_>,
        mut hop: Hop,
        body: &Bytes,
        deadline: Instant,
    ) -> Result<Response<PooledBody>, CallError> {
        for _ in 0..=MAX_REDIRECTS {
            let failed = |reason: String| CallError::Unreachable { url: hop.url(), reason };
            if Instant::now() >= deadline {
                return Err(failed(OVERDUE.to_owned()));
            }
            let mut request = request(&hop, body).map_err(&failed)?;
            // Who it redirects to is told nothing.
            if hop.authority == config.authority()
                && let Some(value) = user.and_then(WebhookUser::authorization)
            {
                request.headers_mut().insert(AUTHORIZATION, value);
            }
            let server_name = hop.server_name(config);
            let peer = VerifiedPeer {
                authority: &hop.authority,
                server_name: &server_name,
                only_http1: config.only_http1(),
            };
            let locate = || self.locate(config, &hop);
            let sent = self.0.client.send(roots, peer, locate, request);
            let response = match timeout_at(deadline, sent).await {
                Err(_) => return Err(failed(OVERDUE.to_owned())),
                Ok(sent) => sent.map_err(|error| failed(error.to_string()))?,
            };
            match hop.next(&response).map_err(&failed)? {
                None => return Ok(response),
                Some(next) => hop = next,
            }
            discard(response, deadline).await;
        }
        let reason = format!("stopped after {MAX_REDIRECTS} redirects");
        Err(CallError::Unreachable { url: hop.url(), reason })
    }

    /// Where a connection goes: only the service itself is looked up, not what it redirects to.
    fn locate(&self, config: &ClientConfig, hop: &Hop) -> Result<Destination, String> {
        if let Endpoint::Service { namespace, name, port } = config.endpoint()
            && hop.authority == config.authority()
        {
            let (host, port) = self.0.services.resolve(namespace, name, *port)?;
            return Ok(Destination { host, port, uses_proxies: false });
        }
        let (host, port) = hop.host_and_port();
        Ok(Destination { host: host.to_owned(), port, uses_proxies: true })
    }

    fn roots(&self, bundle: &[u8], user: Option<&WebhookUser>) -> Result<TrustedRoots, String> {
        let mut known = self.0.roots.lock().unwrap_or_else(PoisonError::into_inner);
        let user = user.filter(|user| user.client.is_some());
        let key = (bundle.to_vec(), user.map_or(0, |user| user.number));
        if let Some(roots) = known.get(&key) {
            return Ok(roots.clone());
        }
        let roots = match (bundle, user) {
            (b"", None) => {
                TrustedRoots::of_system().map_err(|error: OpenError| error.to_string())?
            }
            (bundle, user) => {
                let client = user.and_then(|user| user.client.clone());
                TrustedRoots::with_client(bundle, client).map_err(|error| error.to_string())?
            }
        };
        if known.len() >= MAX_BUNDLES {
            known.clear();
        }
        known.insert(key, roots.clone());
        Ok(roots)
    }
}

/// A webhook: how it is verified, and who we are to it.
#[derive(Clone, Copy)]
struct Peer<'a> {
    config: &'a ClientConfig,
    roots: &'a TrustedRoots,
    user: Option<&'a WebhookUser>,
}

/// Host and port of a webhook, by which kubeconfigs name users.
fn target(config: &ClientConfig) -> String {
    let authority = config.authority();
    let has_port = authority.rsplit_once(':').is_some_and(|(_, port)| !port.contains(']'));
    if has_port { authority } else { format!("{authority}:443") }
}

fn request(hop: &Hop, body: &Bytes) -> Result<Request<Full<Bytes>>, String> {
    let body = if hop.method == Method::POST { body.clone() } else { Bytes::new() };
    let length = HeaderValue::from(body.len());
    let mut request = Request::builder()
        .method(hop.method.clone())
        .uri(&hop.path)
        .body(Full::new(body))
        .map_err(|error| error.to_string())?;
    let headers = request.headers_mut();
    headers.insert(ACCEPT, HeaderValue::from_static("application/json, */*"));
    headers.insert(USER_AGENT, HeaderValue::from_static("kube-apiserver-admission"));
    if hop.method == Method::POST {
        headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
        headers.insert(CONTENT_LENGTH, length);
    }
    Ok(request)
}

/// The time after which a server wants to be asked again.
fn retry_after<B>(response: &Response<B>) -> Option<Duration> {
    let status = response.status().as_u16();
    if status != 429 && status < 500 {
        return None;
    }
    let seconds = response.headers().get(RETRY_AFTER)?.to_str().ok()?;
    let seconds: i64 = seconds.parse().ok()?;
    Some(Duration::from_secs(u64::try_from(seconds).unwrap_or_default()))
}

async fn read(
    response: Response<PooledBody>,
    deadline: Instant,
) -> Result<WebhookResponse, CallError> {
    let (head, body) = response.into_parts();
    let content_type = head.headers.get(CONTENT_TYPE).map(HeaderValue::as_bytes);
    let content_type = String::from_utf8_lossy(content_type.unwrap_or_default()).into_owned();
    let status = head.status.as_u16();
    let body = match timeout_at(deadline, collect(body, MAX_RESPONSE_BYTES)).await {
        Err(_) => Err(OVERDUE.to_owned()),
        Ok(read) => read,
    };
    let body = body.map_err(CallError::Unreadable)?;
    Ok(WebhookResponse { status, content_type, body })
}

/// The whole body, if it is no larger than this.
async fn collect(mut body: PooledBody, limit: usize) -> Result<Bytes, String> {
    let mut whole = BytesMut::new();
    while let Some(frame) = body.frame().await {
        let frame = frame.map_err(|error| error.to_string())?;
        let Ok(data) = frame.into_data() else { continue };
        if whole.len() + data.len() > limit {
            return Err(format!("http: response body is larger than {limit} bytes"));
        }
        whole.extend_from_slice(&data);
    }
    Ok(whole.freeze())
}

/// Reads a response that is not needed, if it is small; the connection of another is closed.
async fn discard(response: Response<PooledBody>, deadline: Instant) {
    let _ = timeout_at(deadline, collect(response.into_body(), MAX_DISCARDED)).await;
}
