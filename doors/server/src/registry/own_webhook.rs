//! `OwnWebhook`: webhooks at the Service `kubernetes`, which this server answers, or an extension API server behind it;
//! they are called as the server itself.

use bytes::Bytes;
use http::Response;
use http::header::CONTENT_TYPE;
use http_body_util::{BodyExt, Limited};
use ratchet_http::Body;
use ratchet_kubelet::{CallTimeout, MAX_RESPONSE_BYTES};
use ratchet_webhook::{Answer, ClientConfig, Endpoint};
use std::pin::Pin;

/// How this server calls itself. The response is boxed: a request that calls a webhook leads to another request.
pub(crate) trait OwnWebhook: Send + Sync {
    /// Posts a review as the server itself, through the whole handler chain.
    fn call(
        &self,
        path: String,
        body: Bytes,
    ) -> Pin<Box<dyn Future<Output = Response<Body>> + Send>>;
}

/// Whether a webhook is this server.
pub(crate) fn is_own(config: &ClientConfig) -> bool {
    let Endpoint::Service { namespace, name, port } = config.endpoint() else { return false };
    (namespace.as_str(), name.as_str(), *port) == ("default", "kubernetes", 443)
}

/// Calls such a webhook: no certificate and no bundle stands between a server and itself.
pub(crate) async fn ask(
    own: &dyn OwnWebhook,
    config: &ClientConfig,
    body: Bytes,
    timeout: CallTimeout,
) -> Answer {
    let exchange = async {
        let path = config.path_and_query(timeout.seconds);
        let (head, body) = own.call(path, body).await.into_parts();
        let content_type = head.headers.get(CONTENT_TYPE).map(http::HeaderValue::as_bytes);
        let content_type = String::from_utf8_lossy(content_type.unwrap_or_default()).into_owned();
        match Limited::new(body, MAX_RESPONSE_BYTES).collect().await {
            Ok(body) => {
                let body = body.to_bytes().into();
                Answer::Response { status: head.status.as_u16(), content_type, body }
            }
            Err(why) => Answer::Unreadable(why.to_string()),
        }
    };
    let overdue = |_| Answer::Unreachable {
        url: config.url(timeout.seconds),
        reason: "context deadline exceeded".to_owned(),
    };
    tokio::time::timeout(timeout.limit, exchange).await.unwrap_or_else(overdue)
}
