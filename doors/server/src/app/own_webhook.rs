//! `OwnWebhook`: how admission calls a webhook that this server itself answers.

use bytes::Bytes;
use http::Response;
use ratchet_http::Body;
use std::pin::Pin;

/// Webhooks at the Service `kubernetes`. The response is boxed: a request that calls a webhook leads to another request.
pub(crate) trait OwnWebhook: Send + Sync {
    /// Posts a review as the server itself, through the whole handler chain.
    fn call(
        &self,
        path: String,
        body: Bytes,
    ) -> Pin<Box<dyn Future<Output = Response<Body>> + Send>>;
}
