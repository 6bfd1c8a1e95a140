//! Metrics of the server, under the names of kube-apiserver.

mod connections;
mod observations;
mod plugins;

pub use connections::Connections;
pub(crate) use connections::name_witness;
pub use plugins::Step;

use self::observations::Observations;
use self::plugins::PluginDurations;
use crate::registry::ServedResource;
use crate::request::{RequestInfo, Target};
use crate::storage::cache::{Cache, NODE_PORTS};
use http::StatusCode;
use ratchet_admission::Operation;
use ratchet_audit_log::{Counts, Level};
use ratchet_engine::pod_security::PodSecurityMetrics;
use ratchet_engine::{ApiConfig, Stage};
use ratchet_http::PodSecurityCounters;
use ratchet_http::metrics::{
    ByLabels, Counter, CounterVec, Gauge, GaugeVec, Histogram, HistogramVec, MetricType, Registry,
    Stability, Writer,
};
use ratchet_identity::TokenCounter;
use ratchet_kubelet::ConnectionCounts;
use ratchet_policy::{Check, Observation};
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};

const LATENCY: &[f64] = &[
    0.005, 0.025, 0.05, 0.1, 0.2, 0.4, 0.6, 0.8, 1.0, 1.25, 1.5, 2.0, 3.0, 4.0, 5.0, 6.0, 8.0,
    10.0, 15.0, 20.0, 30.0, 45.0, 60.0,
];
const ADMISSION: &[f64] = &[0.005, 0.025, 0.1, 0.5, 1.0, 2.5];
const POLICY: &[f64] = &[5e-7, 0.001, 0.01, 0.1, 1.0];
const SIZES: &[f64] = &[1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9];

/// The metric families of this server.
pub struct Metrics {
    /// The registry that `/metrics` renders.
    pub registry: Registry,
    request_series: ByLabels<RequestSeries>,
    requests: CounterVec,
    durations: HistogramVec,
    sli_durations: HistogramVec,
    sizes: HistogramVec,
    long_running: GaugeVec,
    inflight: GaugeVec,
    usual: UsualSeries,
    watch_events: CounterVec,
    plugins: PluginDurations,
    steps: HistogramVec,
    pod_security: PodSecurityCounters,
    policy_checks: CounterVec,
    policy_durations: HistogramVec,
    observations: Observations,
    authentications: CounterVec,
    authorizations: CounterVec,
    /// Counters of service account token usage.
    tokens: Vec<(TokenCounter, CounterVec)>,
    /// Metrics of backend connections.
    pub connections: Connections,
}

/// The series of requests with the same labels and status, looked up once for a request.
struct RequestSeries {
    requests: Arc<Counter>,
    durations: Arc<Histogram>,
    sli_durations: Arc<Histogram>,
    /// Only where the size of a response was ever known.
    sizes: OnceLock<Arc<Histogram>>,
}

/// The series of what happens with nearly every request, looked up once.
#[derive(Default)]
struct UsualSeries {
    authenticated: OnceLock<Arc<Counter>>,
    authorized: OnceLock<Arc<Counter>>,
    reading: OnceLock<Arc<Gauge>>,
    mutating: OnceLock<Arc<Gauge>>,
}

/// The labels of a request.
pub struct Labels {
    info: Arc<RequestInfo>,
    /// Whether the target is served; others are not named, so that clients cannot create unbounded series.
    is_known: bool,
    verb: &'static str,
    dry_run: &'static str,
}

impl Labels {
    /// Derives the labels from verb and target.
    pub fn of(info: &Arc<RequestInfo>, dry_run: &'static str, is_apply: bool) -> Self {
        let verb = match &info.target {
            Target::Resource(path) => verb(info.verb, &path.subresource, is_apply),
            Target::Path(_) => match info.verb {
                "get" | "head" => "GET",
                "post" => "POST",
                "put" => "PUT",
                "patch" => "PATCH",
                "delete" => "DELETE",
                _ => "other",
            },
        };
        Self { info: info.clone(), is_known: true, verb, dry_run }
    }

    /// Drops the labels of a target that is not served.
    pub fn unknown(self) -> Self {
        Self { is_known: false, ..self }
    }

    fn plain(&self) -> [&str; 7] {
        let [group, version, resource, subresource] = match &self.info.target {
            _ if !self.is_known => [""; 4],
            Target::Resource(path) => {
                [&path.group, &path.version, &path.resource, &path.subresource].map(String::as_str)
            }
            Target::Path(path) => ["", "", "", known_path(path)],
        };
        [self.verb, group, version, resource, subresource, self.scope(), "apiserver"]
    }

    fn scope(&self) -> &'static str {
        let Target::Resource(path) = &self.info.target else { return "" };
        match (path.name.is_empty(), path.namespace.is_empty()) {
            _ if self.info.verb == "create" => "resource",
            (false, _) => "resource",
            (true, false) => "namespace",
            (true, true) => "cluster",
        }
    }
}

/// The non-resource path as a label; empty if it is not one of the known ones.
fn known_path(path: &str) -> &'static str {
    const KNOWN: &[&str] = &[
        "/api",
        "/apis",
        "/healthz",
        "/livez",
        "/metrics",
        "/metrics/slis",
        "/openapi/v2",
        "/openapi/v3",
        "/readyz",
        "/version",
    ];
    KNOWN.iter().find(|known| **known == path).copied().unwrap_or_default()
}

fn verb(verb: &str, subresource: &str, is_apply: bool) -> &'static str {
    if matches!(subresource, "log" | "exec" | "attach" | "portforward" | "proxy") {
        return "CONNECT";
    }
    match verb {
        "get" => "GET",
        "list" => "LIST",
        "watch" => "WATCH",
        "create" => "POST",
        "update" => "PUT",
        "patch" if is_apply => "APPLY",
        "patch" => "PATCH",
        "delete" => "DELETE",
        "deletecollection" => "DELETECOLLECTION",
        _ => "other",
    }
}

impl Metrics {
    /// Registers all families.
    pub fn new(policy: &ApiConfig) -> Self {
        let registry = Registry::new();
        let request = [
            "verb",
            "dry_run",
            "group",
            "version",
            "resource",
            "subresource",
            "scope",
            "component",
        ];
        let with_code = [
            "verb",
            "dry_run",
            "group",
            "version",
            "resource",
            "subresource",
            "scope",
            "component",
            "code",
        ];
        let plain = ["verb", "group", "version", "resource", "subresource", "scope", "component"];
        let policy_check = ["policy", "policy_binding", "error_type", "enforcement_action"];
        let stable = Stability::Stable;
        let alpha = Stability::Alpha;
        let metrics = Self {
            request_series: ByLabels::default(),
            requests: registry.counter("apiserver_request_total", stable, "Requests that were answered, by what they asked for and the HTTP status they got.", &with_code),
            durations: registry.histogram("apiserver_request_duration_seconds", stable, "How long answers took, in seconds, by what was asked for.", &request, LATENCY),
            sli_durations: registry.histogram("apiserver_request_sli_duration_seconds", alpha, "How long answers took, in seconds, without the time spent in webhooks and queues.", &plain, LATENCY),
            sizes: registry.histogram("apiserver_response_sizes", stable, "How large answers were, in bytes, by what was asked for.", &plain, SIZES),
            long_running: registry.gauge("apiserver_longrunning_requests", stable, "Watches and connections that are open, by what was asked for.", &plain),
            inflight: registry.gauge("apiserver_current_inflight_requests", stable, "Requests that are being worked on, reads and writes apart.", &["request_kind"]),
            watch_events: registry.counter("apiserver_watch_events_total", alpha, "Events that were sent to those who watch.", &["group", "version", "resource"]),
            plugins: PluginDurations::new(registry.histogram("apiserver_admission_controller_admission_duration_seconds", stable, "How long each admission plugin took, in seconds, by step and operation.", &["name", "type", "operation", "rejected"], ADMISSION)),
            steps: registry.histogram("apiserver_admission_step_admission_duration_seconds", stable, "How long all admission plugins of a step took together, in seconds.", &["type", "operation", "rejected"], ADMISSION),
            pod_security: PodSecurityCounters::new(&registry),
            policy_checks: registry.counter("apiserver_validating_admission_policy_check_total", Stability::Beta, "Evaluations of admission policies, by policy, binding and what followed.", &policy_check),
            policy_durations: registry.histogram("apiserver_validating_admission_policy_check_duration_seconds", Stability::Beta, "How long the expressions of admission policies took, in seconds.", &policy_check, POLICY),
            observations: Observations::new(&registry),
            usual: UsualSeries::default(),
            authentications: registry.counter("authentication_attempts", alpha, "Requests by whether it could be found out who asks.", &["result"]),
            authorizations: registry.counter("authorization_attempts_total", alpha, "Decisions on whether somebody may, by result: allowed, denied, no-opinion or error.", &["result"]),
            tokens: TokenCounter::ALL
                .into_iter()
                .map(|counter| {
                    let (name, help) = counter.metric();
                    (counter, registry.counter(name, alpha, help, &[]))
                })
                .collect(),
            connections: Connections::new(&registry),
            registry,
        };
        let features = metrics.registry.gauge(
            "kubernetes_feature_enabled",
            Stability::Beta,
            "Feature gates by stage: 1 where a gate is on, 0 where it is off.",
            &["name", "stage"],
        );
        for (name, stage, on) in policy.gates.states() {
            let stage = match stage {
                Stage::Alpha => "ALPHA",
                Stage::Beta => "BETA",
                Stage::Ga => "",
                Stage::Deprecated => "DEPRECATED",
            };
            features.with(&[name, stage]).set(if on { 1.0 } else { 0.0 });
        }
        let build = metrics.registry.gauge(
            "kubernetes_build_info",
            alpha,
            "Always 1; the labels say which release is served, by what and where.",
            &["major", "minor", "git_version", "compiler", "platform"],
        );
        let minor = policy.release.minor().to_string();
        let version = crate::app::version::git_version(policy);
        build.with(&["1", &minor, &version, "rustc", crate::app::version::PLATFORM]).set(1.0);
        ratchet_http::metrics::process_metrics(&metrics.registry);
        metrics
    }

    /// Records a completed request.
    pub fn request_completed(
        &self,
        labels: &Labels,
        code: StatusCode,
        duration: Duration,
        bytes: Option<u64>,
    ) {
        let series = self.series_of(labels, code);
        series.requests.inc();
        let seconds = duration.as_secs_f64();
        series.durations.observe(seconds);
        series.sli_durations.observe(seconds);
        if let Some(bytes) = bytes {
            #[allow(clippy::cast_precision_loss, reason = "sizes are far below 2^52")]
            series.sizes.get_or_init(|| self.sizes(labels)).observe(bytes as f64);
        }
    }

    fn series_of(&self, labels: &Labels, code: StatusCode) -> Arc<RequestSeries> {
        let plain = labels.plain();
        let [verb, group, version, resource, subresource, scope, component] = plain;
        let dry_run = labels.dry_run;
        // After a protocol switch no HTTP status code describes the outcome.
        let code = if code == StatusCode::SWITCHING_PROTOCOLS { "0" } else { code.as_str() };
        let with_code =
            [verb, dry_run, group, version, resource, subresource, scope, component, code];
        let make = || {
            let with_dry_run =
                [verb, dry_run, group, version, resource, subresource, scope, component];
            RequestSeries {
                requests: self.requests.with(&with_code),
                durations: self.durations.with(&with_dry_run),
                sli_durations: self.sli_durations.with(&plain),
                sizes: OnceLock::new(),
            }
        };
        let found = self.request_series.find_or_insert(&with_code, make);
        found.unwrap_or_else(|| Arc::new(make()))
    }

    /// The histogram for a response size that is only known after sending.
    pub fn sizes(&self, labels: &Labels) -> Arc<Histogram> {
        self.sizes.with(&labels.plain())
    }

    /// Whether a request is long-running and recorded when its response ends.
    pub fn is_lasting(labels: &Labels) -> bool {
        matches!(labels.verb, "WATCH" | "CONNECT")
    }

    /// Counts an inflight request until the result is dropped.
    pub fn running(&self, is_mutating: bool) -> Running {
        let (series, kind) = match is_mutating {
            true => (&self.usual.mutating, "mutating"),
            false => (&self.usual.reading, "readOnly"),
        };
        Running::start(series.get_or_init(|| self.inflight.with(&[kind])).clone())
    }

    /// Records whether it could be found out who asks.
    pub fn authenticated(&self, is_known: bool) {
        let count = |result| self.authentications.with(&[result]);
        match is_known {
            true => self.usual.authenticated.get_or_init(|| count("success")).inc(),
            false => count("failure").inc(),
        }
    }

    /// Records whether somebody may do what they ask for.
    pub fn authorized(&self, is_allowed: bool) {
        let count = |result| self.authorizations.with(&[result]);
        match is_allowed {
            true => self.usual.authorized.get_or_init(|| count("allowed")).inc(),
            false => count("denied").inc(),
        }
    }

    /// Counts a watch until the result is dropped.
    pub fn watching(&self, resource: &ServedResource) -> Running {
        let row = resource.row();
        let scope = if row.namespaced { "namespace" } else { "cluster" };
        let labels = ["WATCH", row.group, row.version, row.plural, "", scope, "apiserver"];
        Running::start(self.long_running.with(&labels))
    }

    /// Counts a backend connection until the result is dropped.
    pub fn connected(&self, info: &Arc<RequestInfo>) -> Running {
        let labels = Labels::of(info, "", false);
        Running::start(self.long_running.with(&labels.plain()))
    }

    /// The number of watch events of a resource that were sent.
    pub fn watch_events(&self, resource: &ServedResource) -> Arc<Counter> {
        let row = resource.row();
        self.watch_events.with(&[row.group, row.version, row.plural])
    }

    /// Counts a use of a service account token.
    pub fn token_used(&self, counter: TokenCounter) {
        for (_, family) in self.tokens.iter().filter(|(own, _)| *own == counter) {
            family.with(&[]).inc();
        }
    }

    /// Counts Pod Security evaluations, exemptions and errors.
    pub fn count_pod_security(&self, results: &[PodSecurityMetrics]) {
        self.pod_security.count(results);
    }

    /// Records one run of an admission plugin, labelled by name, step and operation.
    pub fn plugin_ran(&self, labels: (&str, Step, Operation), rejected: bool, duration: Duration) {
        self.plugins.observe(labels, rejected, duration);
    }

    /// Records the evaluation of a validating admission policy.
    pub fn policy_checked(&self, check: &Check) {
        let labels = [check.policy.as_str(), &check.binding, check.error, check.action];
        self.policy_checks.with(&labels).inc();
        let duration = Duration::from_nanos(check.nanoseconds);
        self.policy_durations.with(&labels).observe(duration.as_secs_f64());
    }

    /// Records what webhooks, match conditions and mutating policies did.
    pub fn observe(&self, observations: &[Observation]) {
        observations.iter().for_each(|observation| self.observations.observe(observation));
    }

    /// Records an admission step: all plugins together.
    pub fn step_ran(&self, step: Step, operation: Operation, rejected: bool, duration: Duration) {
        let rejected = if rejected { "true" } else { "false" };
        let labels = [step.as_str(), operation.as_str(), rejected];
        self.steps.with(&labels).observe(duration.as_secs_f64());
    }
}

/// A long-running request, recorded with its duration when this is dropped.
pub(crate) struct LongRunningRequest {
    pub(crate) metrics: Arc<Metrics>,
    pub(crate) labels: Labels,
    pub(crate) code: StatusCode,
    pub(crate) started: Instant,
}

impl Drop for LongRunningRequest {
    fn drop(&mut self) {
        self.metrics.request_completed(&self.labels, self.code, self.started.elapsed(), None);
    }
}

/// A guard that increments a gauge until it is dropped.
pub struct Running(Arc<Gauge>);

impl Running {
    fn start(gauge: Arc<Gauge>) -> Self {
        gauge.inc();
        Self(gauge)
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        self.0.dec();
    }
}

/// Writes the metrics of the audit log.
pub fn write_audit(counts: &Counts, writer: &mut Writer) {
    #[allow(clippy::cast_precision_loss, reason = "numbers of requests are far below 2^52")]
    let number = |count: u64| count as f64;
    let (sort, alpha) = (MetricType::Counter, Stability::Alpha);
    let help = "Lines that were written to the audit log.";
    let mut family = writer.family("apiserver_audit_event_total", sort, alpha, help);
    family.sample(&[], number(counts.events()));
    let help = "Requests by the level at which the audit policy wants them told.";
    let mut family = writer.family("apiserver_audit_level_total", sort, alpha, help);
    for level in Level::ALL {
        if counts.level(level) > 0 {
            family.sample(&[("level", level.name())], number(counts.level(level)));
        }
    }
    if counts.errors() > 0 {
        let help = "Audit lines that could not be written, by where they should have gone.";
        let mut family = writer.family("apiserver_audit_error_total", sort, alpha, help);
        family.sample(&[("plugin", "log")], number(counts.errors()));
    }
}

/// Writes the number of connections to kubelets, whatever the result of the certificate name check.
pub fn write_connections(counts: ConnectionCounts, writer: &mut Writer) {
    #[allow(clippy::cast_precision_loss, reason = "numbers of connections are far below 2^52")]
    let number = |count: u64| count as f64;
    let help =
        "Total number of new TLS connections that the API server opened to kubelets, by result.";
    let mut family = writer.family(
        "kube_apiserver_kubelet_connections_total",
        MetricType::Counter,
        Stability::Alpha,
        help,
    );
    family.sample(&[("result", "failure")], number(counts.failed));
    family.sample(&[("result", "success")], number(counts.opened));
}

/// Writes the number of objects per resource.
pub(crate) fn write_objects(cache: &Cache, writer: &mut Writer) {
    // Node port allocations are stored like objects, but no API exposes them.
    let caches = cache.resource_caches();
    let resource_caches = caches.iter().filter(|(name, _)| &***name != NODE_PORTS);
    let mut counts: Vec<(&str, usize)> =
        resource_caches.map(|(name, cache)| (&**name, cache.len())).collect();
    counts.sort_unstable();
    #[allow(clippy::cast_precision_loss, reason = "numbers of objects are far below 2^52")]
    let counts: Vec<(&str, f64)> =
        counts.into_iter().map(|(name, count)| (name, count as f64)).collect();
    let help = "(Deprecated since 1.34.0) Objects that are stored, by resource; apiserver_resource_objects says the same.";
    let mut family =
        writer.family("apiserver_storage_objects", MetricType::Gauge, Stability::Stable, help);
    for (name, count) in &counts {
        family.sample(&[("resource", name)], *count);
    }
    let help = "Objects that are stored, by group and resource.";
    let mut family =
        writer.family("apiserver_resource_objects", MetricType::Gauge, Stability::Alpha, help);
    for (name, count) in &counts {
        let (resource, group) = name.split_once('.').unwrap_or((name, ""));
        family.sample(&[("group", group), ("resource", resource)], *count);
    }
    write_unreadable(cache, writer);
    crate::storage::health::write_metrics(&cache.store().health(), writer);
}

/// The maximum number of keys in `ratchet_storage_unreadable_objects`, which bounds the series.
const MAX_UNREADABLE: usize = 100;

/// Writes the keys of stored values that cannot be decoded; normally none.
fn write_unreadable(cache: &Cache, writer: &mut Writer) {
    let snapshots: Vec<_> = cache.resource_caches().values().map(|cache| cache.now()).collect();
    let mut keys: Vec<&str> = snapshots
        .iter()
        .flat_map(|snapshot| snapshot.unreadable.values().map(|found| found.key.as_str()))
        .collect();
    keys.sort_unstable();
    let help =
        "Stored values that cannot be read, by key; requests that need one are answered with 500.";
    let mut family = writer.family(
        "ratchet_storage_unreadable_objects",
        MetricType::Gauge,
        Stability::Alpha,
        help,
    );
    for key in keys.into_iter().take(MAX_UNREADABLE) {
        family.sample(&[("key", key)], 1.0);
    }
}
