//! Requests that end at a kubelet, a pod or a Service: logs, commands, ports and proxies.

mod container;
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
mod unpack;
mod upgrade;

use crate::admission::{Site, on_connect};
use crate::app::App;
use crate::authorize::target;
use crate::held::held;
use crate::refusal::{About, Refusal};
use crate::request::Place;
use crate::served::Served;
use crate::server::Asked;
use bytes::Bytes;
use http::Response;
use http_body_util::BodyExt;
use hyper::upgrade::{OnUpgrade, Upgraded};
use hyper_util::rt::TokioIo;
use ratchet_access::{Attempt, Decision, User};
use ratchet_http::Body;
use ratchet_kubelet::{Kubelets, Others};
use ratchet_object::Node;
use std::net::IpAddr;
use std::sync::Arc;
use throttle::Throttled;
use tokio::sync::watch;

/// How the server reaches what is behind it.
pub struct Backends {
    /// Kubelets, by the names of their nodes.
    pub kubelets: Kubelets,
    /// Everything else: pods, Services, other ports of nodes.
    pub others: Others,
    /// Which addresses of nodes are tried, the best first.
    pub address_types: Vec<String>,
    /// The port of kubelets whose nodes do not say.
    pub default_port: u16,
    /// How many bytes a second an upgraded connection may carry each way; zero means any number.
    pub bytes_per_second: u64,
}

/// How much of a kubelet's complaint is passed on.
const COMPLAINT: usize = 50_000;

/// What connects rather than moving objects.
const CONNECTING: [&str; 5] = ["attach", "exec", "log", "portforward", "proxy"];

/// Whether this part of an object is reached through a connection, which may last.
pub(crate) fn connects(subresource: &str) -> bool {
    CONNECTING.contains(&subresource)
}

/// A request that wants to be connected.
pub(crate) struct Connect<'a> {
    pub(crate) app: &'a Arc<App>,
    pub(crate) served: &'a Arc<Served>,
    pub(crate) place: &'a Place,
    pub(crate) request: &'a Asked<'a>,
    pub(crate) user: &'a User,
}

/// The client's end of a connection.
pub(crate) struct Client {
    /// What it sends.
    pub(crate) body: Body,
    /// The way to the bare connection, if its protocol has one.
    pub(crate) upgrade: Option<OnUpgrade>,
    /// Where it comes from.
    pub(crate) address: IpAddr,
}

/// Answers a request for a connection.
pub(crate) async fn answer(
    connect: &Connect<'_>,
    client: Client,
) -> Result<Response<Body>, Refusal> {
    let Some(below) = connect.served.row.subresource(&connect.place.subresource) else {
        return Err(Refusal::no_resource());
    };
    if !connect.request.params.text("dryRun").is_empty() && below.name != "log" {
        return Err(Refusal::bad_request("dryRun is not supported"));
    }
    connect.app.cache.fresh().await?;
    match below.name {
        "log" => log::answer(connect).await,
        "proxy" => proxy::answer(connect, client).await,
        name => streams::answer(connect, name, client).await,
    }
}

/// The beginning of what a kubelet says when it refuses.
async fn complaint<B: http_body::Body<Data = Bytes> + Unpin>(mut body: B) -> Vec<u8> {
    let mut text = Vec::new();
    while text.len() < COMPLAINT
        && let Some(Ok(frame)) = body.frame().await
    {
        text.extend_from_slice(frame.data_ref().map(Bytes::as_ref).unwrap_or_default());
    }
    text.truncate(COMPLAINT);
    text
}

impl Connect<'_> {
    fn about(&self) -> About<'_> {
        self.served.about(&self.place.name)
    }

    /// A body that counts as a running request until it has ended.
    fn held(&self, body: Body) -> Body {
        let running = self.app.metrics.connected(&self.request.ask);
        held(body, running)
    }

    /// Does something that goes on when the request has been answered, and counts as running until it ends.
    fn follow(&self, work: impl Future<Output = ()> + Send + 'static) {
        let running = self.app.metrics.connected(&self.request.ask);
        let permit = self.request.told.permit();
        let (ended, ends) = watch::channel(());
        self.request.told.note_tunnel(ends);
        tokio::spawn(async move {
            work.await;
            drop((running, permit, ended));
        });
    }

    /// A backend's connection with the limit that flags set.
    fn throttled(&self, backend: Upgraded) -> Throttled<TokioIo<Upgraded>> {
        Throttled::new(TokioIo::new(backend), self.app.backends.bytes_per_second)
    }

    /// Joins the client's connection with a backend's, byte by byte.
    fn join(&self, client: OnUpgrade, backend: Upgraded) {
        let backend = self.throttled(backend);
        self.follow(async move {
            match client.await {
                Ok(client) => pump::carry(TokioIo::new(client), backend).await,
                Err(error) => tracing::debug!(%error, "a client went before it was connected"),
            }
        });
    }

    /// Puts the connection before the policies of the cluster.
    async fn ask_policies(&self, kind: &str, options: &Node<'_>) -> Result<(), Refusal> {
        let Connect { app, served, place, request, user } = self;
        let told = &request.told;
        on_connect(&Site { app, served, place, user, told }, kind, options).await
    }

    /// Whoever opens a connection with GET must be allowed to do it with POST: a browser cannot choose.
    fn check_create(&self) -> Result<(), Refusal> {
        let attempt = Attempt { user: self.user, verb: "create", target: target(self.place, "") };
        match self.app.authorizer.decide(&attempt) {
            Decision::Allow { .. } => Ok(()),
            Decision::Deny { reason } | Decision::NoOpinion { reason } => {
                Err(Refusal::forbidden(self.about(), &reason))
            }
        }
    }
}
