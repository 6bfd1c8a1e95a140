//! Requests of this server itself to extension servers: small, bounded in time and size.

use super::identity;
use crate::app::aggregator::Aggregator;
use crate::app::aggregator::api_service::ApiService;
use bytes::Bytes;
use http::header::{ACCEPT, CONTENT_TYPE, ETAG, IF_NONE_MATCH, USER_AGENT};
use http::{HeaderMap, HeaderValue, Request};
use http_body_util::{BodyExt, Limited};
use ratchet_access::{MASTERS, User};
use ratchet_http::empty;
use std::time::Duration;

/// A request of this server.
pub(super) struct Fetch<'a> {
    pub(super) path: &'a str,
    pub(super) accept: &'static str,
    /// The tag of what is known already; empty if nothing is.
    pub(super) etag: &'a str,
    /// The most bytes of the response; none of it is read if zero.
    pub(super) limit: usize,
    pub(super) timeout: Duration,
}

/// The response to such a request.
pub(super) struct Fetched {
    pub(super) code: u16,
    pub(super) content_type: String,
    pub(super) etag: String,
    pub(super) body: Bytes,
}

/// The user of requests that look whether a server is there, and for what it serves.
pub(super) fn aggregator_user() -> User {
    let groups = vec![MASTERS.to_owned()];
    User { name: "system:kube-aggregator".into(), groups, ..User::default() }
}

/// The user of requests for OpenAPI documents.
pub(super) fn openapi_user() -> User {
    User { name: "system:aggregator".into(), ..User::default() }
}

/// Sends a request; an error says in the words of the reference why there is no response.
pub(super) async fn fetch(
    aggregator: &Aggregator,
    service: &ApiService,
    user: &User,
    what: Fetch<'_>,
) -> Result<Fetched, String> {
    let server = aggregator.server(service)?;
    let mut request = Request::get(what.path).body(empty()).map_err(|error| error.to_string())?;
    let headers = request.headers_mut();
    headers.insert(USER_AGENT, HeaderValue::from_static("kube-apiserver"));
    headers.insert(ACCEPT, HeaderValue::from_static(what.accept));
    if let Ok(tag) = HeaderValue::from_str(what.etag)
        && !what.etag.is_empty()
    {
        headers.insert(IF_NONE_MATCH, tag);
    }
    identity::set(headers, user)?;
    let exchange = async {
        let response = aggregator.client.send(&server, request).await;
        let (head, body) = response.map_err(|error| error.to_string())?.into_parts();
        let body = match what.limit {
            0 => Bytes::new(),
            limit => {
                let body = Limited::new(body, limit).collect().await;
                body.map_err(|error| error.to_string())?.to_bytes()
            }
        };
        let text = |headers: &HeaderMap, name| {
            let value = headers.get(name).and_then(|value: &HeaderValue| value.to_str().ok());
            value.unwrap_or_default().to_owned()
        };
        Ok(Fetched {
            code: head.status.as_u16(),
            content_type: text(&head.headers, CONTENT_TYPE),
            etag: text(&head.headers, ETAG),
            body,
        })
    };
    let timed_out = |_| {
        Err("context deadline exceeded (Client.Timeout exceeded while awaiting headers)".to_owned())
    };
    tokio::time::timeout(what.timeout, exchange).await.unwrap_or_else(timed_out)
}
