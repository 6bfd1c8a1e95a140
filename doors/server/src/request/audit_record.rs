//! `AuditRecord`: the facts about a request and its response that the audit log and the response writer need.

use crate::request::long_running::Permit;
use bytes::Bytes;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use tokio::sync::watch;

/// Collected while a request is handled, read when its response is complete.
#[derive(Debug, Default)]
pub(crate) struct AuditRecord {
    annotations: Mutex<Vec<(String, String)>>,
    request_body: OnceLock<Bytes>,
    response_body: OnceLock<Bytes>,
    stream: AtomicBool,
    failed: AtomicBool,
    tunnel: Mutex<Option<watch::Receiver<()>>>,
    wants_response_body: AtomicBool,
    wants_request_body: AtomicBool,
    permit: OnceLock<Arc<Permit>>,
}

impl AuditRecord {
    /// Adds an audit annotation.
    pub(crate) fn annotate(&self, key: impl Into<String>, text: impl Into<String>) {
        let mut annotations = self.annotations.lock().unwrap_or_else(PoisonError::into_inner);
        annotations.push((key.into(), text.into()));
    }

    /// Adds an audit annotation that shows parts of the request: only where its body is logged, too.
    pub(crate) fn annotate_with_request(&self, key: impl Into<String>, text: impl Into<String>) {
        if self.wants_request_body.load(Ordering::Relaxed) {
            self.annotate(key, text);
        }
    }

    /// Says that the request body is logged: the audit level is `Request` or above.
    pub(crate) fn want_request_body(&self) {
        self.wants_request_body.store(true, Ordering::Relaxed);
    }

    /// Stores the request body for the `requestObject` of the audit event.
    pub(crate) fn set_request_body(&self, body: &Bytes) {
        let _ = self.request_body.set(body.clone());
    }

    /// Asks the response writer to store the response body: the audit level is `RequestResponse`.
    pub(crate) fn want_response_body(&self) {
        self.wants_response_body.store(true, Ordering::Relaxed);
    }

    /// Whether the response body must be stored.
    pub(crate) fn wants_response_body(&self) -> bool {
        self.wants_response_body.load(Ordering::Relaxed)
    }

    /// Stores the permit of a long-running request, which counts until the last holder drops it.
    pub(crate) fn set_permit(&self, permit: Permit) {
        let _ = self.permit.set(Arc::new(permit));
    }

    /// The permit of a long-running request.
    pub(crate) fn permit(&self) -> Option<Arc<Permit>> {
        self.permit.get().cloned()
    }

    /// Stores the JSON response body.
    pub(crate) fn set_response_body(&self, pieces: &[Bytes]) {
        let _ = self.response_body.set(pieces.concat().into());
    }

    /// Stores the JSON `Status` of a failed request, which is logged at every audit level.
    pub(crate) fn set_failure(&self, json: String) {
        self.failed.store(true, Ordering::Relaxed);
        let _ = self.response_body.set(json.into());
    }

    /// Whether the response is a failure `Status`.
    pub(crate) fn is_failure(&self) -> bool {
        self.failed.load(Ordering::Relaxed)
    }

    /// Marks the response as a stream, which goes on after its head is sent.
    pub(crate) fn set_stream(&self) {
        self.stream.store(true, Ordering::Relaxed);
    }

    /// Marks the connection as upgraded to another protocol; `ends` resolves when it closes.
    pub(crate) fn set_tunnel(&self, ends: watch::Receiver<()>) {
        self.set_stream();
        *self.tunnel.lock().unwrap_or_else(PoisonError::into_inner) = Some(ends);
    }

    /// Resolves when an upgraded connection closes; none if the connection was not upgraded.
    pub(crate) fn tunnel(&self) -> Option<watch::Receiver<()>> {
        self.tunnel.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// The request body; empty if it was not stored.
    pub(crate) fn request_body(&self) -> Bytes {
        self.request_body.get().cloned().unwrap_or_default()
    }

    /// The JSON response body; empty if it was not stored.
    pub(crate) fn response_body(&self) -> Bytes {
        self.response_body.get().cloned().unwrap_or_default()
    }

    /// Whether the response goes on after its head is sent.
    pub(crate) fn is_stream(&self) -> bool {
        self.stream.load(Ordering::Relaxed)
    }

    /// A copy of all annotations.
    pub(crate) fn annotations(&self) -> Vec<(String, String)> {
        self.annotations.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}
