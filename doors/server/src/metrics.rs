//! What the server counts, under the names that kube-apiserver uses.

mod connections;

pub use connections::Connections;
pub(crate) use connections::name_witness;

use crate::admission::Plugins;
use crate::app::App;
use crate::request::{Ask, Target};
use crate::served::Served;
use ratchet_audit_log::{Counts, Level};
use ratchet_engine::pod_security::Tally;
use ratchet_engine::{Change, GATES, Policy, Stage, Verdict};
use ratchet_http::metrics::{
    CounterVec, Gauge, GaugeVec, HistogramVec, MetricType, Registry, Stability, Writer,
};
use ratchet_identity::TokenCounter;
use ratchet_policy::Check;
use std::sync::Arc;
use std::time::Duration;

const LATENCY: &[f64] = &[
    0.005, 0.025, 0.05, 0.1, 0.2, 0.4, 0.6, 0.8, 1.0, 1.25, 1.5, 2.0, 3.0, 4.0, 5.0, 6.0, 8.0,
    10.0, 15.0, 20.0, 30.0, 45.0, 60.0,
];
const ADMISSION: &[f64] = &[0.005, 0.025, 0.1, 0.5, 1.0, 2.5];
const POLICY: &[f64] = &[5e-7, 0.001, 0.01, 0.1, 1.0];
const SIZES: &[f64] = &[1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9];

/// The families of this server.
pub struct Metrics {
    /// All of them, to be shown.
    pub registry: Registry,
    requests: CounterVec,
    durations: HistogramVec,
    sli_durations: HistogramVec,
    sizes: HistogramVec,
    long_running: GaugeVec,
    inflight: GaugeVec,
    watch_events: CounterVec,
    controllers: HistogramVec,
    steps: HistogramVec,
    evaluations: CounterVec,
    exemptions: CounterVec,
    errors: CounterVec,
    policy_checks: CounterVec,
    policy_durations: HistogramVec,
    /// Attempts to authenticate, by result.
    pub authentications: CounterVec,
    /// Attempts to authorise, by result.
    pub authorizations: CounterVec,
    /// Uses of service accounts' tokens that are worth counting.
    tokens: Vec<(TokenCounter, CounterVec)>,
    /// What is behind the server.
    pub connections: Connections,
}

/// The labels of a request, in the order of the families.
pub struct Labels {
    verb: &'static str,
    group: String,
    version: String,
    resource: String,
    subresource: String,
    scope: &'static str,
    dry_run: &'static str,
}

impl Labels {
    /// The labels of a request.
    pub fn of(ask: &Ask, dry_run: &'static str, is_apply: bool) -> Self {
        match &ask.target {
            Target::Resource(place) => Self {
                verb: verb(ask.verb, &place.subresource, is_apply),
                group: place.group.clone(),
                version: place.version.clone(),
                resource: place.resource.clone(),
                subresource: place.subresource.clone(),
                scope: match (place.name.is_empty(), place.namespace.is_empty()) {
                    _ if ask.verb == "create" => "resource",
                    (false, _) => "resource",
                    (true, false) => "namespace",
                    (true, true) => "cluster",
                },
                dry_run,
            },
            Target::Path(path) => Self {
                verb: match ask.verb {
                    "get" | "head" => "GET",
                    "post" => "POST",
                    "put" => "PUT",
                    "patch" => "PATCH",
                    "delete" => "DELETE",
                    _ => "other",
                },
                group: String::new(),
                version: String::new(),
                resource: String::new(),
                subresource: known_path(path),
                scope: "",
                dry_run,
            },
        }
    }

    /// Strangers must not be able to make series: only what is served is named.
    pub fn unknown(self) -> Self {
        Self {
            group: String::new(),
            version: String::new(),
            resource: String::new(),
            subresource: String::new(),
            ..self
        }
    }

    fn plain(&self) -> [&str; 7] {
        [
            self.verb,
            &self.group,
            &self.version,
            &self.resource,
            &self.subresource,
            self.scope,
            "apiserver",
        ]
    }
}

/// The paths that are counted by name.
fn known_path(path: &str) -> String {
    const KNOWN: &[&str] = &[
        "/api",
        "/apis",
        "/healthz",
        "/livez",
        "/metrics",
        "/openapi/v2",
        "/openapi/v3",
        "/readyz",
        "/version",
    ];
    KNOWN.iter().find(|known| **known == path).map(|path| (*path).to_owned()).unwrap_or_default()
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
    /// The families, all at zero.
    pub fn new(policy: &Policy) -> Self {
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
        let evaluation = [
            "decision",
            "policy_level",
            "policy_version",
            "mode",
            "request_operation",
            "resource",
            "subresource",
        ];
        let exemption = ["request_operation", "resource", "subresource"];
        let policy_check = ["policy", "policy_binding", "error_type", "enforcement_action"];
        let stable = Stability::Stable;
        let alpha = Stability::Alpha;
        let metrics = Self {
            requests: registry.counter("apiserver_request_total", stable, "Counter of apiserver requests broken out for each verb, dry run value, group, version, resource, scope, component, and HTTP response code.", &with_code),
            durations: registry.histogram("apiserver_request_duration_seconds", stable, "Response latency distribution in seconds for each verb, dry run value, group, version, resource, subresource, scope and component.", &request, LATENCY),
            sli_durations: registry.histogram("apiserver_request_sli_duration_seconds", alpha, "Response latency distribution (not counting webhook duration and priority & fairness queue wait times) in seconds for each verb, group, version, resource, subresource, scope and component.", &plain, LATENCY),
            sizes: registry.histogram("apiserver_response_sizes", stable, "Response size distribution in bytes for each group, version, verb, resource, subresource, scope and component.", &plain, SIZES),
            long_running: registry.gauge("apiserver_longrunning_requests", stable, "Gauge of all active long-running apiserver requests broken out by verb, group, version, resource, scope and component. Not all requests are tracked this way.", &plain),
            inflight: registry.gauge("apiserver_current_inflight_requests", stable, "Maximal number of currently used inflight request limit of this apiserver per request kind in last second.", &["request_kind"]),
            watch_events: registry.counter("apiserver_watch_events_total", alpha, "Number of events sent in watch clients", &["group", "version", "resource"]),
            controllers: registry.histogram("apiserver_admission_controller_admission_duration_seconds", stable, "Admission controller latency histogram in seconds, identified by name and broken out for each operation and API resource and type (validate or admit).", &["name", "type", "operation", "rejected"], ADMISSION),
            steps: registry.histogram("apiserver_admission_step_admission_duration_seconds", stable, "Admission sub-step latency histogram in seconds, broken out for each operation and API resource and step type (validate or admit).", &["type", "operation", "rejected"], ADMISSION),
            evaluations: registry.counter("pod_security_evaluations_total", alpha, "Number of policy evaluations that occurred, not counting ignored or exempt requests.", &evaluation),
            exemptions: registry.counter("pod_security_exemptions_total", alpha, "Number of exempt requests, not counting ignored or out of scope requests.", &exemption),
            errors: registry.counter("pod_security_errors_total", alpha, "Number of errors preventing normal evaluation. Non-fatal errors may result in the latest restricted profile being used for evaluation.", &["fatal", "request_operation", "resource", "subresource"]),
            policy_checks: registry.counter("apiserver_validating_admission_policy_check_total", Stability::Beta, "Validation admission policy check total, labeled by policy and further identified by binding and enforcement action taken.", &policy_check),
            policy_durations: registry.histogram("apiserver_validating_admission_policy_check_duration_seconds", Stability::Beta, "Validation admission latency for individual validation expressions in seconds, labeled by policy and further including binding and enforcement action taken.", &policy_check, POLICY),
            authentications: registry.counter("authentication_attempts", alpha, "Counter of authenticated attempts.", &["result"]),
            authorizations: registry.counter("authorization_attempts_total", alpha, "Counter of authorization attempts broken down by result. It can be either 'allowed', 'denied', 'no-opinion' or 'error'.", &["result"]),
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
            "This metric records the data about the stage and enablement of a k8s feature.",
            &["name", "stage"],
        );
        for gate in GATES {
            let Some(stage) = gate.era(policy.emulated).and_then(|era| era.stage) else { continue };
            let on = if policy.gates.on(gate) { 1.0 } else { 0.0 };
            let stage = match stage {
                Stage::Alpha => "ALPHA",
                Stage::Beta => "BETA",
                Stage::Ga => "",
            };
            features.with(&[gate.name, stage]).set(on);
        }
        let build = metrics.registry.gauge("kubernetes_build_info", alpha, "A metric with a constant '1' value labeled by major, minor, git version, git commit, git tree state, build date, Go version, and compiler from which Kubernetes was built, and platform on which it is running.", &["major", "minor", "git_version", "compiler", "platform"]);
        let minor = policy.release.minor().to_string();
        let version = crate::version::git_version(policy);
        build.with(&["1", &minor, &version, "rustc", crate::version::PLATFORM]).set(1.0);
        ratchet_http::metrics::process_metrics(&metrics.registry);
        metrics
    }

    /// Counts a request that was answered.
    pub fn answered(&self, labels: &Labels, code: u16, took: Duration, bytes: Option<u64>) {
        let [verb, group, version, resource, subresource, scope, component] = labels.plain();
        let dry = labels.dry_run;
        let code = code.to_string();
        self.requests
            .with(&[verb, dry, group, version, resource, subresource, scope, component, &code])
            .inc();
        if matches!(verb, "WATCH" | "CONNECT") {
            return;
        }
        let seconds = took.as_secs_f64();
        self.durations
            .with(&[verb, dry, group, version, resource, subresource, scope, component])
            .observe(seconds);
        self.sli_durations.with(&labels.plain()).observe(seconds);
        if let Some(bytes) = bytes {
            #[allow(clippy::cast_precision_loss, reason = "sizes are far below 2^52")]
            self.sizes.with(&labels.plain()).observe(bytes as f64);
        }
    }

    /// Counts a request while it runs.
    pub fn running(&self, is_mutating: bool) -> Running {
        Running::start(self.inflight.with(&[if is_mutating { "mutating" } else { "readOnly" }]))
    }

    /// Counts a watch while it runs.
    pub fn watching(&self, served: &Served) -> Running {
        let row = served.row;
        let scope = if row.namespaced { "namespace" } else { "cluster" };
        let labels = ["WATCH", row.group, row.version, row.plural, "", scope, "apiserver"];
        Running::start(self.long_running.with(&labels))
    }

    /// Counts a connection to something behind the server while it lasts.
    pub fn connected(&self, ask: &Ask) -> Running {
        let labels = Labels::of(ask, "", false);
        Running::start(self.long_running.with(&labels.plain()))
    }

    /// Counts an event that a watch was told.
    pub fn watch_event(&self, served: &Served) {
        self.watch_events.with(&[served.row.group, served.row.version, served.row.plural]).inc();
    }

    /// Counts a use of a service account's token.
    pub fn token_used(&self, counter: TokenCounter) {
        for (_, family) in self.tokens.iter().filter(|(own, _)| *own == counter) {
            family.with(&[]).inc();
        }
    }

    /// Counts a judgement.
    pub fn judged(
        &self,
        change: &Change<'_>,
        verdict: &Verdict,
        plugins: &Plugins,
        took: Duration,
    ) {
        let operation = if change.is_create() { "CREATE" } else { "UPDATE" };
        let rejected = verdict.denial.as_ref();
        let seconds = took.as_secs_f64();
        let denied = if rejected.is_some() { "true" } else { "false" };
        self.steps.with(&["validate", operation, denied]).observe(seconds);
        let judges = ["PodSecurity", "DenyServiceExternalIPs"].into_iter();
        for plugin in judges.filter(|plugin| plugins.is_on(plugin)) {
            let by_it = rejected.is_some_and(|denial| {
                denial.rule.id.starts_with("RTC-PSA") == (plugin == "PodSecurity")
            });
            let denied = if by_it { "true" } else { "false" };
            self.controllers.with(&[plugin, "validate", operation, denied]).observe(seconds);
        }
        for tally in &verdict.tally {
            self.tally(tally);
        }
    }

    /// Counts one run of a plugin: its name, `admit` or `validate`, and the operation.
    pub fn plugin_ran(
        &self,
        (name, step, operation): (&str, &str, &str),
        rejected: bool,
        took: Duration,
    ) {
        let rejected = if rejected { "true" } else { "false" };
        self.controllers.with(&[name, step, operation, rejected]).observe(took.as_secs_f64());
    }

    /// Counts what a validation of a policy led to.
    pub fn policy_checked(&self, check: &Check) {
        let labels = [check.policy.as_str(), &check.binding, check.error, check.action];
        self.policy_checks.with(&labels).inc();
        let took = Duration::from_nanos(check.nanoseconds);
        self.policy_durations.with(&labels).observe(took.as_secs_f64());
    }

    /// Counts all plugins of a step together.
    pub fn step_ran(&self, step: &str, operation: &str, rejected: bool, took: Duration) {
        let rejected = if rejected { "true" } else { "false" };
        self.steps.with(&[step, operation, rejected]).observe(took.as_secs_f64());
    }

    fn tally(&self, tally: &Tally) {
        match tally {
            Tally::Evaluation { decision, level, version, mode, request } => {
                let [decision, level, version, mode] = [
                    decision.to_string(),
                    level.to_string(),
                    version.to_string(),
                    mode.to_string(),
                ];
                let labels = [
                    &decision,
                    &level,
                    &version,
                    &mode,
                    request.operation,
                    request.resource,
                    request.subresource,
                ];
                self.evaluations.with(&labels).inc();
            }
            Tally::Exemption { request } => {
                self.exemptions
                    .with(&[request.operation, request.resource, request.subresource])
                    .inc();
            }
            Tally::Error { fatal, request } => {
                let fatal = if *fatal { "true" } else { "false" };
                self.errors
                    .with(&[fatal, request.operation, request.resource, request.subresource])
                    .inc();
            }
        }
    }
}

/// A gauge that is one higher while this lives.
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

/// Writes how much was told to the audit log.
pub fn write_audit(counts: &Counts, writer: &mut Writer) {
    #[allow(clippy::cast_precision_loss, reason = "numbers of requests are far below 2^52")]
    let number = |count: u64| count as f64;
    let (sort, alpha) = (MetricType::Counter, Stability::Alpha);
    let help = "Counter of audit events generated and sent to the audit backend.";
    let mut family = writer.family("apiserver_audit_event_total", sort, alpha, help);
    family.sample(&[], number(counts.events()));
    let help = "Counter of policy levels for audit events (1 per request).";
    let mut family = writer.family("apiserver_audit_level_total", sort, alpha, help);
    for level in Level::ALL {
        if counts.level(level) > 0 {
            family.sample(&[("level", level.name())], number(counts.level(level)));
        }
    }
    if counts.errors() > 0 {
        let help = "Counter of audit events that failed to be audited properly. Plugin identifies the plugin affected by the error.";
        let mut family = writer.family("apiserver_audit_error_total", sort, alpha, help);
        family.sample(&[("plugin", "log")], number(counts.errors()));
    }
}

/// Writes how many objects of each resource there are.
pub fn write_objects(app: &App, writer: &mut Writer) {
    // Node ports are kept like objects, but no API shows them.
    let shelves = app.cache.shelves().filter(|(name, _)| *name != crate::services::NODE_PORTS);
    let mut counts: Vec<(&str, usize)> = shelves.map(|(name, shelf)| (name, shelf.len())).collect();
    counts.sort_unstable();
    #[allow(clippy::cast_precision_loss, reason = "numbers of objects are far below 2^52")]
    let counts: Vec<(&str, f64)> =
        counts.into_iter().map(|(name, count)| (name, count as f64)).collect();
    let help = "(Deprecated since 1.34.0) [DEPRECATED, consider using apiserver_resource_objects instead] Number of stored objects at the time of last check split by kind. In case of a fetching error, the value will be -1.";
    let mut family =
        writer.family("apiserver_storage_objects", MetricType::Gauge, Stability::Stable, help);
    for (name, count) in &counts {
        family.sample(&[("resource", name)], *count);
    }
    let help = "Number of stored objects at the time of last check split by kind. In case of a fetching error, the value will be -1.";
    let mut family =
        writer.family("apiserver_resource_objects", MetricType::Gauge, Stability::Alpha, help);
    for (name, count) in &counts {
        let (resource, group) = name.split_once('.').unwrap_or((name, ""));
        family.sample(&[("group", group), ("resource", resource)], *count);
    }
}
