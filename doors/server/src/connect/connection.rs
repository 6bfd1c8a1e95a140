//! `Connect` and `Client`: the two sides of a connect request, and what every connection needs.

use super::pump;
use super::throttle::Throttled;
use crate::access::authorize::target;
use crate::admission::{AdmissionScope, Chain};
use crate::app::App;
use crate::app::guarded_body::with_guard;
use crate::registry::ServedResource;
use crate::request::{RequestContext, ResourcePath, Source};
use crate::status::{About, StatusError};
use bytes::Bytes;
use http_body_util::BodyExt;
use hyper::upgrade::{OnUpgrade, Upgraded};
use hyper_util::rt::TokioIo;
use ratchet_access::{Attributes, Decision, User};
use ratchet_http::{Body, BodyError, full};
use ratchet_object::Node;
use std::net::IpAddr;
use std::sync::Arc;
use tokio::sync::watch;

/// The maximum length of a kubelet's error message.
const MAX_ERROR_LENGTH: usize = 50_000;

/// A connect request.
pub(crate) struct Connect<'a> {
    pub(crate) app: &'a Arc<App>,
    pub(crate) resource: &'a Arc<ServedResource>,
    pub(crate) path: &'a ResourcePath,
    pub(crate) request: &'a RequestContext<'a>,
    pub(crate) user: &'a User,
}

/// The client's side of a connection.
pub(crate) struct Client {
    /// The request body.
    pub(crate) body: Body,
    /// The handle to upgrade the connection; none if its protocol cannot be upgraded.
    pub(crate) upgrade: Option<OnUpgrade>,
    /// The client's address.
    pub(crate) address: IpAddr,
}

impl Client {
    /// From the source of a request.
    pub(crate) fn new(source: Source, address: IpAddr) -> Self {
        let (body, upgrade) = match source {
            Source::Memory(bytes) => (full(bytes), None),
            Source::Network(incoming, upgrade) => {
                let body = incoming.map_err(|error| BodyError(error.to_string()));
                (body.boxed_unsync(), upgrade)
            }
        };
        Self { body, upgrade, address }
    }
}

/// Reads the first bytes of a kubelet's error response.
pub(super) async fn read_error<B: http_body::Body<Data = Bytes> + Unpin>(mut body: B) -> Vec<u8> {
    let mut text = Vec::new();
    while text.len() < MAX_ERROR_LENGTH
        && let Some(Ok(frame)) = body.frame().await
    {
        text.extend_from_slice(frame.data_ref().map(Bytes::as_ref).unwrap_or_default());
    }
    text.truncate(MAX_ERROR_LENGTH);
    text
}

impl Connect<'_> {
    pub(super) fn about(&self) -> About<'_> {
        self.resource.about(&self.path.name)
    }

    /// Wraps a body so that it counts as a long-running request until it ends.
    pub(super) fn counted_body(&self, body: Body) -> Body {
        let running = self.app.metrics.connected(&self.request.info);
        with_guard(body, running)
    }

    /// Spawns work that continues after the response head; it counts as a long-running request until it ends.
    pub(super) fn spawn_tracked(&self, work: impl Future<Output = ()> + Send + 'static) {
        let running = self.app.metrics.connected(&self.request.info);
        let permit = self.request.audit.permit();
        let (ended, ends) = watch::channel(());
        self.request.audit.set_tunnel(ends);
        tokio::spawn(async move {
            work.await;
            drop((running, permit, ended));
        });
    }

    /// Applies the bandwidth limit to a backend connection.
    pub(super) fn throttled(&self, backend: Upgraded) -> Throttled<TokioIo<Upgraded>> {
        Throttled::new(TokioIo::new(backend), self.app.backends.bytes_per_second)
    }

    /// Copies bytes between the client's and the backend's connection.
    pub(super) fn join(&self, client: OnUpgrade, backend: Upgraded) {
        let backend = self.throttled(backend);
        self.spawn_tracked(async move {
            match client.await {
                Ok(client) => pump::copy(TokioIo::new(client), backend).await,
                Err(error) => tracing::debug!(%error, "a client went before it was connected"),
            }
        });
    }

    /// Lets policies and webhooks admit the connect request; webhooks may change its options.
    pub(super) async fn admit(
        &self,
        kind: &str,
        options: &mut Node<'static>,
    ) -> Result<(), StatusError> {
        let Connect { app, resource, path, request, user } = self;
        let (warnings, audit) = (&request.warnings, &request.audit);
        let deadline = None;
        let scope = AdmissionScope { app, resource, path, user, warnings, audit, deadline };
        Chain::of(app).admit_connect(&scope, kind, options).await
    }

    /// Requires `create` permission also for GET, which browsers must use for WebSockets.
    pub(super) fn check_create(&self) -> Result<(), StatusError> {
        let attributes =
            Attributes { user: self.user, verb: "create", target: target(self.path, "") };
        match self.app.authorizer.decide(&attributes) {
            Decision::Allow { .. } => Ok(()),
            Decision::Deny { reason } | Decision::NoOpinion { reason } => {
                Err(StatusError::forbidden(self.about(), &reason))
            }
        }
    }
}
