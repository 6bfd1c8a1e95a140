//! `Cluster`: the HTTP client of one cluster.

use crate::error::chain;
use crate::{ClusterError, ConfigFlags, Download, Pages};
use http::Request;
use http_body_util::BodyExt;
use kube_client::Client;
use kube_client::client::Body;
use ratchet_object::{Limits, decode_json};
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
}

impl Answer {
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
        let config = way.config().await?;
        let server = config.cluster_url.to_string().trim_end_matches('/').to_owned();
        let client = Client::try_from(config).map_err(|error| {
            ClusterError::Kubeconfig(format!(
                "cannot use the kubeconfig for {server}: {}",
                chain(&error)
            ))
        })?;
        Ok(Self { client, server, timeout: way.request_timeout })
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
        let exchange = async {
            let answer = self.client.send(request).await.map_err(|error| chain(&error))?;
            let code = answer.status().as_u16();
            let body = http_body_util::Limited::new(answer.into_body(), MAX_BYTES);
            let body = body.collect().await.map_err(|error| chain(error.as_ref()))?.to_bytes();
            Ok(Answer { code, body: String::from_utf8_lossy(&body).into_owned() })
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
        if (200..300).contains(&answer.code) {
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
        if answer.status().is_success() {
            return Ok(Download { server: self.server.clone(), body: answer.into_body() });
        }
        let body = http_body_util::Limited::new(answer.into_body(), MAX_BYTES);
        let body = body.collect().await.map_err(|error| unreachable(chain(error.as_ref())))?;
        let body = String::from_utf8_lossy(&body.to_bytes()).into_owned();
        Err(self.refused_error(path, &Answer { code, body }))
    }

    /// Lists the objects at a path, page by page; `query` may contain selectors, encoded as in a
    /// URL.
    pub fn list(&self, path: &str, query: &[(&str, &str)]) -> Pages<'_> {
        Pages::new(self, path, query)
    }

    pub(crate) fn refused_error(&self, path: &str, answer: &Answer) -> ClusterError {
        let message = answer.status_message().unwrap_or_else(|| {
            let line: String =
                answer.body.lines().next().unwrap_or_default().chars().take(300).collect();
            if line.is_empty() { "without a word".to_owned() } else { line }
        });
        let (server, path) = (self.server.clone(), without_query(path).to_owned());
        ClusterError::Refused { server, path, code: answer.code, message }
    }

    pub(crate) fn unreadable_error(&self, path: &str, why: &str) -> ClusterError {
        let (server, path) = (self.server.clone(), without_query(path).to_owned());
        ClusterError::Unreadable { server, path, why: why.to_owned() }
    }
}

fn without_query(path: &str) -> &str {
    path.split_once('?').map_or(path, |(path, _)| path)
}
