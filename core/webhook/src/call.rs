//! A call that the door makes, and what came of it.

use crate::client_config::ClientConfig;
use crate::configuration::Webhook;
use crate::review::ReviewVersion;
use alloc::string::String;
use alloc::sync::Arc;
use alloc::vec::Vec;
use ratchet_policy::{Attributes, ObjectInterfaces};

/// The most bytes of a response that are worth reading: a patch of the largest object, in base64, and what is around it.
pub const MAX_RESPONSE_BYTES: usize = 8 << 20;

/// What a dispatch needs for one step.
#[derive(Clone, Copy)]
pub struct Context<'c> {
    /// The attributes of the request. A mutating dispatch has the object itself, and does not look at it here.
    pub attributes: &'c Attributes<'c>,
    /// The kinds and the objects of the cluster.
    pub objects: &'c dyn ObjectInterfaces,
    /// Makes the random id of a call.
    pub new_uid: &'c dyn Fn() -> String,
    /// Whether the time that the client gave its request is over.
    pub is_overdue: bool,
}

/// A call that the door is to make: the review that is sent, and where.
#[derive(Clone, Debug)]
pub struct WebhookCall {
    pub(crate) webhook: Arc<Webhook>,
    /// Its position among all webhooks, or, for validating ones, among those that are called.
    pub(crate) index: usize,
    pub(crate) uid: String,
    pub(crate) version: ReviewVersion,
    pub(crate) body: Arc<str>,
    /// When it was made, in the nanoseconds of the door's clock.
    pub(crate) started: u64,
}

impl WebhookCall {
    /// The webhook that is called.
    pub fn webhook(&self) -> &Arc<Webhook> {
        &self.webhook
    }

    /// How it is reached.
    pub fn client_config(&self) -> &ClientConfig {
        &self.webhook.client_config
    }

    /// The id of the review.
    pub fn uid(&self) -> &str {
        &self.uid
    }

    /// The body: an AdmissionReview as JSON. The method is `POST`, the content type `application/json`.
    pub fn body(&self) -> &str {
        &self.body
    }

    /// The seconds that the call may take if the request itself has so many nanoseconds left: what the webhook is told
    /// is rounded up.
    pub fn timeout_seconds(&self, left_nanoseconds: Option<u64>) -> u32 {
        let own = self.webhook.timeout_seconds;
        let left = left_nanoseconds.map_or(u64::MAX, |left| left.div_ceil(1_000_000_000));
        u32::try_from(left).unwrap_or(u32::MAX).min(own)
    }

    /// The URL of a call that may take so many seconds.
    pub fn url(&self, timeout_seconds: u32) -> String {
        self.webhook.client_config.url(timeout_seconds)
    }
}

/// What came of a call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Answer {
    /// An HTTP response.
    Response {
        /// The status code.
        status: u16,
        /// The header `Content-Type`; empty if there is none.
        content_type: String,
        /// The whole body, within the limit of the client.
        body: Vec<u8>,
    },
    /// There was no response: the URL that was called, and why, in Go's words (`dial tcp …: connect: connection refused`,
    /// `context deadline exceeded`, `EOF`, `tls: failed to verify certificate: …`).
    Unreachable {
        /// The URL that was called, with its query.
        url: String,
        /// Why there was no response.
        reason: String,
    },
    /// The body of the response could not be read to its end, for this reason.
    Unreadable(String),
    /// No client could be made, for this reason: `unable to load root certificates: …`.
    NoClient(String),
}
