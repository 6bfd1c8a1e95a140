//! `Cluster`: the HTTP client of one cluster.

use crate::error::chain;
use crate::way;
use crate::{ClusterError, ConfigFlags, Download, Pages};
use http::{Method, Request};
use http_body_util::BodyExt;
use kube_client::client::Body;
use kube_client::{Client, Config};
use ratchet_object::{Limits, Node, decode_json};
use std::time::Duration;

/// The maximum size of a response, which may be a page of large objects.
const MAX_BYTES: usize = 512 << 20;

/// A client of a cluster. Nothing is sent before the first request.
#[derive(Clone)]
pub struct Cluster {
    client: Client,
    server: String,
    timeout: Option<Duration>,
}

/// The response of the server, whatever its status.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Answer {
    /// The HTTP status.
    pub code: u16,
    /// The body; invalid UTF-8 is replaced.
    pub body: String,
    /// How long the server wants to be left alone, by its `Retry-After`.
    pub retry_after: Option<Duration>,
}

impl Answer {
    /// Whether the request succeeded.
    pub fn is_success(&self) -> bool {
        (200..300).contains(&self.code)
    }

    /// The object in the body.
    pub fn object(&self) -> Option<Node<'static>> {
        let decoded = decode_json(&self.body, Limits::STORED).ok()?;
        decoded.documents.into_iter().next().map(Node::into_owned)
    }

    /// Status code and message, for an error or a log line.
    pub fn describe(&self) -> String {
        let message = self.status_message().unwrap_or_else(|| first_line(&self.body));
        format!("{} {message}", self.code)
    }

    /// The message, if the body is a Status.
    pub fn status_message(&self) -> Option<String> {
        self.status_field("message")
    }

    /// A field of the body, if it is a Status.
    fn status_field(&self, name: &str) -> Option<String> {
        let decoded = decode_json(&self.body, Limits::DEFAULT).ok()?;
        let status = decoded.documents.first()?;
        if status.text_at(&["kind"]) != "Status" {
            return None;
        }
        status.get(name)?.text().map(str::to_owned)
    }
}

impl Cluster {
    /// Loads the kubeconfig and prepares the client.
    pub async fn connect(way: &ConfigFlags) -> Result<Self, ClusterError> {
        Self::of(way.config().await?, way.request_timeout)
    }

    fn of(config: Config, timeout: Option<Duration>) -> Result<Self, ClusterError> {
        let server = config.cluster_url.to_string().trim_end_matches('/').to_owned();
        // The error of a program that cannot be started does not name it.
        let program = config.auth_info.exec.as_ref().and_then(|exec| exec.command.clone());
        let advice = program.map_or_else(String::new, |program| {
            format!("; its user gets credentials from the program {program:?}")
        });
        let client = Client::try_from(config).map_err(|error| {
            ClusterError::Kubeconfig(format!(
                "cannot use the kubeconfig for {server}: {}{advice}",
                chain(&error)
            ))
        })?;
        Ok(Self { client, server, timeout })
    }

    /// The cluster that this process runs in, by its service account; `None` outside of one.
    pub fn in_cluster(timeout: Option<Duration>) -> Result<Option<Self>, ClusterError> {
        let Some(config) = way::in_cluster()? else { return Ok(None) };
        Self::of(config, timeout).map(Some)
    }

    /// The server's URL.
    pub fn server(&self) -> &str {
        &self.server
    }

    /// Gets a path (with its query) and returns any response.
    pub async fn ask(&self, path: &str) -> Result<Answer, ClusterError> {
        let request = Request::get(path)
            .header("Accept", "application/json, */*")
            .body(Body::empty())
            .map_err(|error| self.unreadable_error(path, &error.to_string()))?;
        self.exchange(request).await
    }

    /// Creates an object at the path of its collection; any response is returned.
    pub async fn create(&self, path: &str, object: &Node<'_>) -> Result<Answer, ClusterError> {
        self.write(Method::POST, path, object).await
    }

    /// Replaces an object; any response is returned, 409 if it has changed since it was read.
    pub async fn update(&self, path: &str, object: &Node<'_>) -> Result<Answer, ClusterError> {
        self.write(Method::PUT, path, object).await
    }

    async fn write(
        &self,
        method: Method,
        path: &str,
        object: &Node<'_>,
    ) -> Result<Answer, ClusterError> {
        let request = Request::builder()
            .method(method)
            .uri(path)
            .header("Accept", "application/json")
            .header("Content-Type", "application/json")
            .body(Body::from(object.to_json().into_bytes()))
            .map_err(|error| self.unreadable_error(path, &error.to_string()))?;
        self.exchange(request).await
    }

    /// Sends a JSON patch to a path (with its query) and returns any response.
    pub async fn patch_json(&self, path: &str, patch: &str) -> Result<Answer, ClusterError> {
        let request = Request::patch(path)
            .header("Accept", "application/json, */*")
            .header("Content-Type", "application/json-patch+json")
            .body(Body::from(patch.as_bytes().to_vec()))
            .map_err(|error| self.unreadable_error(path, &error.to_string()))?;
        self.exchange(request).await
    }

    async fn exchange(&self, request: Request<Body>) -> Result<Answer, ClusterError> {
        let exchange = async {
            let answer = self.client.send(request).await.map_err(|error| chain(&error))?;
            let code = answer.status().as_u16();
            let retry_after = retry_after(answer.headers());
            let body = http_body_util::Limited::new(answer.into_body(), MAX_BYTES);
            let body = body.collect().await.map_err(|error| chain(error.as_ref()))?.to_bytes();
            let body = String::from_utf8_lossy(&body).into_owned();
            Ok(Answer { code, body, retry_after })
        };
        let result = match self.timeout {
            None => exchange.await,
            Some(limit) => tokio::time::timeout(limit, exchange).await.unwrap_or_else(|_| {
                Err(format!("no answer within {} seconds", limit.as_secs_f64()))
            }),
        };
        result.map_err(|why: String| ClusterError::Unreachable { server: self.server.clone(), why })
    }

    /// Gets a path and returns an error for any status but success.
    pub async fn get(&self, path: &str) -> Result<String, ClusterError> {
        let answer = self.ask(path).await?;
        if answer.is_success() {
            return Ok(answer.body);
        }
        Err(self.refused_error(path, &answer))
    }

    /// Gets a path whose response may be of any size; a status but success is an error. The timeout of requests is that
    /// of the head of the response.
    pub async fn download(&self, path: &str) -> Result<Download, ClusterError> {
        let request = Request::get(path)
            .body(Body::empty())
            .map_err(|error| self.unreadable_error(path, &error.to_string()))?;
        let unreachable =
            |why: String| ClusterError::Unreachable { server: self.server.clone(), why };
        let send = self.client.send(request);
        let answer = match self.timeout {
            None => send.await,
            Some(limit) => tokio::time::timeout(limit, send).await.map_err(|_| {
                unreachable(format!("no answer within {} seconds", limit.as_secs_f64()))
            })?,
        };
        let answer = answer.map_err(|error| unreachable(chain(&error)))?;
        let code = answer.status().as_u16();
        let retry_after = retry_after(answer.headers());
        if answer.status().is_success() {
            return Ok(Download { server: self.server.clone(), body: answer.into_body() });
        }
        let body = http_body_util::Limited::new(answer.into_body(), MAX_BYTES);
        let body = body.collect().await.map_err(|error| unreachable(chain(error.as_ref())))?;
        let body = String::from_utf8_lossy(&body.to_bytes()).into_owned();
        Err(self.refused_error(path, &Answer { code, body, retry_after }))
    }

    /// Lists the objects at a path, page by page; `query` may contain selectors, encoded as in a
    /// URL.
    pub fn list(&self, path: &str, query: &[(&str, &str)]) -> Pages<'_> {
        Pages::new(self, path, query)
    }

    pub(crate) fn refused_error(&self, path: &str, answer: &Answer) -> ClusterError {
        let message = answer.status_message().unwrap_or_else(|| first_line(&answer.body));
        let (server, path) = (self.server.clone(), without_query(path).to_owned());
        let Answer { code, retry_after, .. } = *answer;
        ClusterError::Refused { server, path, code, message, retry_after }
    }

    pub(crate) fn unreadable_error(&self, path: &str, why: &str) -> ClusterError {
        let (server, path) = (self.server.clone(), without_query(path).to_owned());
        ClusterError::Unreadable { server, path, why: why.to_owned() }
    }
}

/// The number of seconds in `Retry-After`; API servers send no dates.
fn retry_after(headers: &http::HeaderMap) -> Option<Duration> {
    let seconds = headers.get(http::header::RETRY_AFTER)?.to_str().ok()?.trim().parse().ok()?;
    Some(Duration::from_secs(seconds))
}

fn first_line(body: &str) -> String {
    let line: String = body.lines().next().unwrap_or_default().chars().take(300).collect();
    if line.is_empty() { "without a word".to_owned() } else { line }
}

fn without_query(path: &str) -> &str {
    path.split_once('?').map_or(path, |(path, _)| path)
}
