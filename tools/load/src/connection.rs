//! A client's connection: requests one after another, opened again when it broke.

use crate::endpoint::{Endpoint, Sender};
use crate::errors::RequestFailure;
use bytes::{Bytes, BytesMut};
use http_body_util::{BodyExt, Full};
use hyper::body::Incoming;
use hyper::{Method, Request, Response};
use std::sync::Arc;
use std::time::Duration;

/// The longest wait for a whole answer.
const TIMEOUT: Duration = Duration::from_secs(60);

/// The name by which servers know this client, in `managedFields` too.
const USER_AGENT: &str = concat!("api-load/", env!("CARGO_PKG_VERSION"));

const JSON: &str = "application/json";

/// A request to the API.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ApiRequest {
    pub(crate) method: Method,
    pub(crate) path: String,
    pub(crate) media_type: &'static str,
    pub(crate) body: Bytes,
}

impl ApiRequest {
    /// A request without a body.
    pub fn plain(method: Method, path: String) -> Self {
        Self { method, path, media_type: JSON, body: Bytes::new() }
    }

    /// A request with a JSON object.
    pub fn json(method: Method, path: String, body: impl Into<Bytes>) -> Self {
        Self { method, path, media_type: JSON, body: body.into() }
    }

    /// A merge patch.
    pub(crate) fn merge_patch(path: String, body: impl Into<Bytes>) -> Self {
        let media_type = "application/merge-patch+json";
        Self { method: Method::PATCH, path, media_type, body: body.into() }
    }
}

/// A whole answer, whatever its status.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ApiAnswer {
    /// The status code.
    pub code: u16,
    /// The values of the `Warning` headers, in the order in which they came.
    pub warnings: Vec<String>,
    /// The body.
    pub body: Bytes,
}

/// A connection that is opened when it is needed.
pub struct Connection {
    endpoint: Arc<Endpoint>,
    sender: Option<Sender>,
}

impl Connection {
    /// A connection that is not open yet.
    pub fn new(endpoint: Arc<Endpoint>) -> Self {
        Self { endpoint, sender: None }
    }

    /// Opens the connection, unless it is open.
    pub(crate) async fn open(&mut self) -> Result<(), RequestFailure> {
        if self.sender.as_ref().is_none_or(Sender::is_closed) {
            let connected = tokio::time::timeout(TIMEOUT, self.endpoint.connect()).await;
            self.sender = Some(connected.map_err(|_| RequestFailure::Timeout)??);
        }
        Ok(())
    }

    /// Sends a request; the body of the answer is unread, whatever its status.
    pub(crate) async fn send(
        &mut self,
        request: ApiRequest,
    ) -> Result<Response<Incoming>, RequestFailure> {
        self.open().await?;
        let head = Request::builder()
            .method(request.method)
            .uri(self.endpoint.path(&request.path))
            .header("Host", self.endpoint.host())
            .header("User-Agent", USER_AGENT)
            .header("Accept", JSON)
            .header("Content-Type", request.media_type);
        let head = match self.endpoint.token() {
            Some(token) => head.header("Authorization", format!("Bearer {token}")),
            None => head,
        };
        let broken = |error: &dyn std::error::Error| RequestFailure::Http(error.to_string());
        let request = head.body(Full::new(request.body)).map_err(|error| broken(&error))?;
        let Some(sender) = self.sender.as_mut() else {
            return Err(RequestFailure::Http("it is not open".to_owned()));
        };
        let sent = async {
            sender.ready().await?;
            sender.send_request(request).await
        };
        let answer = tokio::time::timeout(TIMEOUT, sent).await;
        let answer = answer.map_err(|_| RequestFailure::Timeout);
        let answer = answer.and_then(|sent| sent.map_err(|error| broken(&error)));
        if answer.is_err() {
            self.sender = None;
        }
        answer
    }

    /// Sends a request; returns the whole answer.
    pub async fn ask(&mut self, request: ApiRequest) -> Result<ApiAnswer, RequestFailure> {
        let answer = self.send(request).await?;
        let code = answer.status().as_u16();
        let warnings = answer.headers().get_all("Warning").iter();
        let warnings = warnings.map(|value| String::from_utf8_lossy(value.as_bytes()).into_owned());
        let warnings = warnings.collect();
        let body = tokio::time::timeout(TIMEOUT, read(answer.into_body())).await;
        let body = body.map_err(|_| RequestFailure::Timeout).and_then(|body| body);
        if body.is_err() {
            self.sender = None;
        }
        Ok(ApiAnswer { code, warnings, body: body? })
    }

    /// Sends a request that must succeed; returns the body of the answer.
    pub(crate) async fn call(&mut self, request: ApiRequest) -> Result<Bytes, RequestFailure> {
        let ApiAnswer { code, body, .. } = self.ask(request).await?;
        if code < 300 { Ok(body) } else { Err(RequestFailure::Status(code, message(&body))) }
    }
}

async fn read(mut body: Incoming) -> Result<Bytes, RequestFailure> {
    let mut read = BytesMut::new();
    while let Some(frame) = body.frame().await {
        let frame = frame.map_err(|error| RequestFailure::Http(error.to_string()))?;
        if let Ok(data) = frame.into_data() {
            read.extend_from_slice(&data);
        }
    }
    Ok(read.freeze())
}

/// What the body of a refusal says: the message of its Status, or its beginning.
pub(crate) fn message(body: &[u8]) -> String {
    let status: Option<serde_json::Value> = serde_json::from_slice(body).ok();
    let message = status.as_ref().and_then(|status| status.get("message")?.as_str());
    message.map_or_else(
        || String::from_utf8_lossy(body.get(..200).unwrap_or(body)).into_owned(),
        str::to_owned,
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_refusal_says_its_message() {
        assert_eq!(message(br#"{"kind":"Status","message":"no"}"#), "no");
        assert_eq!(message(b"Unauthorized"), "Unauthorized");
        assert_eq!(message(&[b'a'; 300]).len(), 200);
    }
}
