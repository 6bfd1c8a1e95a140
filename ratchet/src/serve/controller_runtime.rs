//! The controllers in the server's process: loopback API client, token signer and metrics.

use bytes::{Bytes, BytesMut};
use http_body_util::BodyExt;
use ratchet_access::User;
use ratchet_controllers::{
    Account, Api, ApiRequest, ApiResponse, BoxFuture, Lines, Metrics, Representation, Settings,
    TokenIssuer, metrics,
};
use ratchet_http::Body;
use ratchet_http::metrics::{CounterVec, GaugeVec, HistogramVec, Registry, Stability};
use ratchet_server::{App, LoopbackClient, MediaTypes};
use std::sync::Arc;

/// Runs the selected controllers until the server drains.
pub(crate) async fn run(app: Arc<App>, mut settings: Settings) {
    settings.mint = Some(Arc::new(TokenSigner(app.clone())));
    let controller_metrics = Arc::new(ControllerMetrics::new(&app.metrics.registry));
    let drain = app.drain.clone();
    let api = Arc::new(LoopbackApi(LoopbackClient::new(app)));
    ratchet_controllers::run(api, settings, controller_metrics, async move { drain.wait().await })
        .await;
}

/// Issues service account tokens with the server's key.
struct TokenSigner(Arc<App>);

impl TokenIssuer for TokenSigner {
    fn token(&self, account: Account<'_>, secret: &str) -> Result<String, String> {
        let Account { namespace, name, uid } = account;
        let account = ratchet_identity::Account { namespace, name, uid };
        self.0.accounts.issue_lasting(account, secret).map_err(|why| why.to_string())
    }
}

/// The controllers' API client, which calls the server in process.
struct LoopbackApi(LoopbackClient);

/// The controller without a service account of its own.
const TOKENS: &str = "serviceaccount-token-controller";

/// Service accounts of controllers whose account is named differently.
const ACCOUNTS: &[(&str, &str)] = &[
    ("certificatesigningrequest-approving-controller", "certificate-controller"),
    ("certificatesigningrequest-cleaner-controller", "certificate-controller"),
    ("certificatesigningrequest-signing-controller", "certificate-controller"),
    ("endpoints-controller", "endpoint-controller"),
    ("endpointslice-mirroring-controller", "endpointslicemirroring-controller"),
    ("garbage-collector-controller", "generic-garbage-collector"),
    ("node-ipam-controller", "node-controller"),
    ("root-ca-certificate-publisher-controller", "root-ca-cert-publisher"),
    ("serviceaccount-controller", "service-account-controller"),
];

/// The user of a controller: its own service account, or the manager for what all controllers share.
fn user(controller: &str) -> User {
    if controller.is_empty() {
        return manager(&["system:masters", "system:authenticated"]);
    }
    // The token controller runs as the manager: no controller's account may write all secrets.
    if controller == TOKENS {
        return manager(&["system:authenticated"]);
    }
    let account_name = ACCOUNTS.iter().find(|(name, _)| *name == controller);
    let account = account_name.map_or(controller, |(_, account)| account);
    let mut user = User::service_account("kube-system", account);
    user.add_authenticated_group();
    user
}

fn manager(groups: &[&str]) -> User {
    User {
        name: "system:kube-controller-manager".into(),
        groups: groups.iter().map(|group| (*group).into()).collect(),
        ..User::anonymous()
    }
}

/// The Accept header for whole objects or metadata only.
fn accept(representation: Representation) -> &'static str {
    match representation {
        Representation::Whole => "",
        Representation::Metadata => "application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1",
        Representation::MetadataList => {
            "application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1"
        }
        Representation::Discovery => {
            "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList,application/json"
        }
    }
}

impl Api for LoopbackApi {
    fn send(&self, request: ApiRequest) -> BoxFuture<'_, ApiResponse> {
        Box::pin(async move {
            let ApiRequest { controller, method, path, representation, content_type, body } =
                request;
            let types = MediaTypes { accept: accept(representation), content: content_type };
            let (status, body) =
                self.0.request(&user(controller), method, &path, types, body).await;
            ApiResponse { status, body }
        })
    }

    fn watch(
        &self,
        path: &str,
        representation: Representation,
    ) -> BoxFuture<'_, Result<Box<dyn Lines>, u16>> {
        let path = path.to_owned();
        Box::pin(async move {
            let body = self.0.watch(&user(""), &path, accept(representation)).await?;
            Ok(Box::new(WatchLines::new(body)) as Box<dyn Lines>)
        })
    }
}

/// A watch response, whose events are lines.
struct WatchLines {
    body: Body,
    /// What has come and was not returned yet.
    rest: Bytes,
    /// The beginning of a line whose end has not come.
    begun: BytesMut,
}

impl WatchLines {
    fn new(body: Body) -> Self {
        Self { body, rest: Bytes::new(), begun: BytesMut::new() }
    }

    /// The next whole line. Most frames are lines, which are handed on as they are.
    fn take_line(&mut self) -> Option<Bytes> {
        let Some(end) = memchr::memchr(b'\n', &self.rest) else {
            self.begun.extend_from_slice(&std::mem::take(&mut self.rest));
            return None;
        };
        let line = self.rest.split_to(end + 1);
        if self.begun.is_empty() {
            return Some(line);
        }
        self.begun.extend_from_slice(&line);
        Some(self.begun.split().freeze())
    }
}

impl Lines for WatchLines {
    fn next(&mut self) -> BoxFuture<'_, Option<Bytes>> {
        Box::pin(async move {
            loop {
                if let Some(line) = self.take_line() {
                    return Some(line);
                }
                self.rest = self.body.frame().await?.ok()?.into_data().ok()?;
            }
        })
    }
}

/// Controller metrics under kube-controller-manager's names.
struct ControllerMetrics {
    counters: Vec<(&'static str, CounterVec)>,
    gauges: Vec<(&'static str, GaugeVec)>,
    durations: Vec<(&'static str, HistogramVec)>,
}

const COUNTERS: &[(&str, &str)] = &[
    (metrics::ADDS, "Objects that were put into a controller's queue."),
    (metrics::RETRIES, "Objects that a controller put back into its queue to try again."),
    (metrics::ERRORS, "Objects that a controller could not bring into order at once."),
    (metrics::LISTS, "Lists that controllers asked for."),
    (metrics::WATCHES, "Watches that controllers began."),
];
const GAUGES: &[(&str, &str)] = &[
    (metrics::DEPTH, "Objects that wait in a controller's queue."),
    (
        metrics::UNFINISHED,
        "Seconds that the objects a controller works on have taken so far, added up; it grows without end where a worker is stuck.",
    ),
    (metrics::LONGEST, "Seconds that the slowest object a controller works on has taken so far."),
    (metrics::LEADS, "1 while this process holds the Lease of this name, 0 while it waits."),
];

/// Queue names of kube-controller-manager.
const QUEUES: &[(&str, &str)] = &[
    ("clusterrole-aggregation-controller", "ClusterRoleAggregator"),
    ("endpoints-controller", "endpoint"),
    ("endpointslice-controller", "endpoint_slice"),
    ("endpointslice-mirroring-controller", "endpoint_slice_mirroring"),
    ("garbage-collector-controller", "garbage_collector_attempt_to_delete"),
    ("namespace-controller", "namespace"),
    ("node-ipam-controller", "cidrallocator_node"),
    ("root-ca-certificate-publisher-controller", "root_ca_cert_publisher"),
    ("serviceaccount-controller", "serviceaccount"),
    ("serviceaccount-token-controller", "serviceaccount_tokens_secret"),
];

/// The value of the label `name`.
fn label(controller: &'static str, what: &str) -> &'static str {
    let queue = QUEUES.iter().find(|(name, _)| *name == controller);
    match queue {
        Some((_, queue)) if what.starts_with("workqueue_") => queue,
        _ => controller,
    }
}
const DURATIONS: &[(&str, &str)] = &[
    (metrics::WAITED, "How long objects waited in a controller's queue, in seconds."),
    (metrics::WORKED, "How long a controller worked on an object, in seconds."),
];
const BUCKETS: &[f64] = &[1e-6, 1e-5, 1e-4, 1e-3, 0.01, 0.1, 1.0, 10.0];

impl ControllerMetrics {
    fn new(registry: &Registry) -> Self {
        let (alpha, labels) = (Stability::Alpha, ["name"]);
        let counter = |(name, help): &(&'static str, &'static str)| {
            (*name, registry.counter(name, alpha, help, &labels))
        };
        let gauge = |(name, help): &(&'static str, &'static str)| {
            (*name, registry.gauge(name, alpha, help, &labels))
        };
        let duration = |(name, help): &(&'static str, &'static str)| {
            (*name, registry.histogram(name, alpha, help, &labels, BUCKETS))
        };
        Self {
            counters: COUNTERS.iter().map(counter).collect(),
            gauges: GAUGES.iter().map(gauge).collect(),
            durations: DURATIONS.iter().map(duration).collect(),
        }
    }
}

fn named<'f, F>(families: &'f [(&'static str, F)], what: &str) -> Option<&'f F> {
    families.iter().find(|(name, _)| *name == what).map(|(_, family)| family)
}

impl Metrics for ControllerMetrics {
    fn count(&self, controller: &'static str, what: &'static str, n: u64) {
        if let Some(family) = named(&self.counters, what) {
            family.with(&[label(controller, what)]).add(n);
        }
    }

    fn gauge(&self, controller: &'static str, what: &'static str, value: f64) {
        if let Some(family) = named(&self.gauges, what) {
            family.with(&[label(controller, what)]).set(value);
        }
    }

    fn observe(&self, controller: &'static str, what: &'static str, seconds: f64) {
        if let Some(family) = named(&self.durations, what) {
            family.with(&[label(controller, what)]).observe(seconds);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn lines_come_whole_however_they_are_sent() {
        for (sent, lines) in [
            (&["a\n"][..], &["a\n"][..]),
            (&["a\nb\n", "c\n"], &["a\n", "b\n", "c\n"]),
            (&["a", "b\nc", "", "d", "\n\ne\nf"], &["ab\n", "cd\n", "\n", "e\n"]),
            (&["no end"], &[]),
            (&[], &[]),
        ] {
            let mut watch = WatchLines::new(ratchet_http::full(Bytes::new()));
            let mut received = Vec::new();
            for frame in sent {
                watch.rest = Bytes::from_static(frame.as_bytes());
                while let Some(line) = watch.take_line() {
                    received.push(line);
                }
            }
            assert!(watch.next().await.is_none());
            assert_eq!(received, lines, "{sent:?}");
        }
    }
}
