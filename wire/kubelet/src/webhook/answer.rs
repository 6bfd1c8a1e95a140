//! Calls whose outcome is an `Answer`, as the dispatches of `core/webhook` read it.

use bytes::Bytes;
use ratchet_webhook::{Answer, ClientConfig};

use super::{CallError, CallTimeout, WebhookClient};

impl WebhookClient {
    /// Calls a webhook; a failure is an answer, too.
    pub async fn ask(&self, config: &ClientConfig, body: Bytes, timeout: CallTimeout) -> Answer {
        match self.call(config, body, timeout).await {
            Ok(response) => Answer::Response {
                status: response.status,
                content_type: response.content_type,
                body: response.body.into(),
            },
            Err(CallError::NoClient(why)) => Answer::NoClient(why),
            Err(CallError::Unreachable { url, reason }) => Answer::Unreachable { url, reason },
            Err(CallError::Unreadable(why)) => Answer::Unreadable(why),
        }
    }
}
