//! Connect requests to kubelets, pods, Services and nodes: log, exec, attach, portforward, proxy.

mod container;
mod decoder;
mod escape;
mod forwarded;
mod location;
mod log;
mod log_options;
mod node;
mod page;
mod proxy;
mod pump;
mod rewrite;
mod streams;
mod throttle;
mod upgrade;

use crate::admission::AdmissionScope;
use crate::app::App;
use crate::authorize::target;
use crate::guarded_body::with_guard;
use crate::registry::ServedResource;
use crate::request::{RequestContext, ResourcePath};
use crate::status::{About, StatusError};
use bytes::Bytes;
use http::Response;
use http_body_util::BodyExt;
use hyper::upgrade::{OnUpgrade, Upgraded};
use hyper_util::rt::TokioIo;
use ratchet_access::{Attributes, Decision, User};
use ratchet_http::Body;
use ratchet_kubelet::{KubeletClient, Others};
use ratchet_object::Node;
use std::net::IpAddr;
use std::sync::Arc;
use throttle::Throttled;
use tokio::sync::watch;

/// Clients of kubelets and other backends.
pub struct Backends {
    /// Kubelets, verified by node name.
    pub kubelets: KubeletClient,
    /// Pods, Services and other ports of nodes.
    pub others: Others,
    /// `--kubelet-preferred-address-types`.
    pub address_types: Vec<String>,
    /// The kubelet port of nodes that report none.
    pub default_port: u16,
    /// The bandwidth limit of an upgraded connection in each direction; zero means none.
    pub bytes_per_second: u64,
}

/// The maximum length of a kubelet's error message.
const MAX_ERROR_LENGTH: usize = 50_000;

/// The connect subresources.
const CONNECT_SUBRESOURCES: [&str; 5] = ["attach", "exec", "log", "portforward", "proxy"];

/// Whether a subresource is a connect subresource, whose requests may be long-running.
pub(crate) fn connects(subresource: &str) -> bool {
    CONNECT_SUBRESOURCES.contains(&subresource)
}

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

/// Handles a connect request.
pub(crate) async fn answer(
    connect: &Connect<'_>,
    client: Client,
) -> Result<Response<Body>, StatusError> {
    let Some(subresource) = connect.resource.row.subresource(&connect.path.subresource) else {
        return Err(StatusError::no_resource());
    };
    if !connect.request.params.text("dryRun").is_empty() && subresource.name != "log" {
        return Err(StatusError::bad_request("dryRun is not supported"));
    }
    connect.app.cache.fresh().await?;
    match subresource.name {
        "log" => log::answer(connect).await,
        "proxy" => proxy::answer(connect, client).await,
        name => streams::answer(connect, name, client).await,
    }
}

/// Reads the first bytes of a kubelet's error response.
async fn read_error<B: http_body::Body<Data = Bytes> + Unpin>(mut body: B) -> Vec<u8> {
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
    fn about(&self) -> About<'_> {
        self.resource.about(&self.path.name)
    }

    /// Wraps a body so that it counts as a long-running request until it ends.
    fn counted_body(&self, body: Body) -> Body {
        let running = self.app.metrics.connected(&self.request.info);
        with_guard(body, running)
    }

    /// Spawns work that continues after the response head; it counts as a long-running request until it ends.
    fn spawn_tracked(&self, work: impl Future<Output = ()> + Send + 'static) {
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
    fn throttled(&self, backend: Upgraded) -> Throttled<TokioIo<Upgraded>> {
        Throttled::new(TokioIo::new(backend), self.app.backends.bytes_per_second)
    }

    /// Copies bytes between the client's and the backend's connection.
    fn join(&self, client: OnUpgrade, backend: Upgraded) {
        let backend = self.throttled(backend);
        self.spawn_tracked(async move {
            match client.await {
                Ok(client) => pump::copy(TokioIo::new(client), backend).await,
                Err(error) => tracing::debug!(%error, "a client went before it was connected"),
            }
        });
    }

    /// Evaluates the admission policies on the connect request.
    fn evaluate_policies(&self, kind: &str, options: &Node<'_>) -> Result<(), StatusError> {
        let Connect { app, resource, path, request, user } = self;
        let (warnings, audit) = (&request.warnings, &request.audit);
        let scope = AdmissionScope { app, resource, path, user, warnings, audit };
        app.chain.validate_connect(&scope, kind, options)
    }

    /// Requires `create` permission also for GET, which browsers must use for WebSockets.
    fn check_create(&self) -> Result<(), StatusError> {
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
