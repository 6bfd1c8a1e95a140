//! Metrics of the webhook: reviews, findings, durations, and the state of what it depends on.

use crate::mode::Mode;
use crate::response::AdmissionResponse;
use ratchet_http::PodSecurityCounters;
use ratchet_http::metrics::{
    CounterVec, GaugeVec, HistogramVec, Registry, Stability, process_metrics, process_start_time,
};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// Upper bounds in seconds, around what a review takes and what an API server waits for.
const SECONDS: &[f64] =
    &[0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.1, 0.5, 1.0, 2.5, 10.0];

/// The names of all metrics of the webhook itself, for checks of dashboards and alert rules. That of a histogram is
/// followed by `_bucket`, `_sum` or `_count` where it is used.
pub const METRIC_NAMES: &[&str] = &[
    "pod_security_errors_total",
    "pod_security_evaluations_total",
    "pod_security_exemptions_total",
    "ratchet_webhook_certificate_expiration_timestamp_seconds",
    "ratchet_webhook_certificate_last_rotation_successful",
    "ratchet_webhook_certificate_rotations_total",
    "ratchet_webhook_config_last_reload_success_timestamp_seconds",
    "ratchet_webhook_config_last_reload_successful",
    "ratchet_webhook_events_total",
    "ratchet_webhook_findings_total",
    "ratchet_webhook_leader",
    "ratchet_webhook_log_lines_dropped_total",
    "ratchet_webhook_namespace_lookups_total",
    "ratchet_webhook_namespace_watch_connected",
    "ratchet_webhook_namespace_watch_errors_total",
    "ratchet_webhook_namespaces_cached",
    "ratchet_webhook_reports_total",
    "ratchet_webhook_review_duration_seconds",
    "ratchet_webhook_reviews_total",
    "ratchet_webhook_spans_total",
];

/// The metrics of one process.
pub struct Metrics {
    registry: Registry,
    reviews: CounterVec,
    findings: CounterVec,
    durations: HistogramVec,
    reload_successful: GaugeVec,
    reload_time: GaugeVec,
    pod_security: PodSecurityCounters,
    /// `certificate`: `serving` or `authority`.
    pub(crate) certificate_expiry: GaugeVec,
    /// `result`: `success` or `error`.
    pub(crate) rotations: CounterVec,
    /// `name`: that of the Secret.
    pub(crate) rotation_successful: GaugeVec,
    /// `name`: that of the Lease.
    pub(crate) leader: GaugeVec,
    pub(crate) namespaces: GaugeVec,
    /// `resource`: `namespaces`; without a cluster there is no series.
    pub(crate) watch_connected: GaugeVec,
    pub(crate) watch_errors: CounterVec,
    /// `result`: `found`, `absent` or `error`.
    pub(crate) lookups: CounterVec,
    /// `result`: `written`, `dropped` or `error`, also of `reports`.
    pub(crate) events: CounterVec,
    pub(crate) reports: CounterVec,
    /// `result`: `exported`, `dropped` or `error`.
    pub(crate) spans: CounterVec,
    pub(crate) dropped_lines: CounterVec,
}

impl Metrics {
    /// All metrics, none counted yet.
    pub fn new() -> Self {
        let registry = Registry::new();
        process_metrics(&registry);
        process_start_time(&registry);
        let alpha = Stability::Alpha;
        let counter =
            |name, help, labels: &[&'static str]| registry.counter(name, alpha, help, labels);
        let gauge = |name, help, labels: &[&'static str]| registry.gauge(name, alpha, help, labels);
        Self {
            reviews: counter(
                "ratchet_webhook_reviews_total",
                "Reviews by verdict: allowed, denied, exempt, or error if there was none.",
                &["verdict"],
            ),
            findings: counter(
                "ratchet_webhook_findings_total",
                "Findings of reviewed requests by rule, by the mode of the rule there, and by what became of them: denied, warned or audited.",
                &["rule", "mode", "verdict"],
            ),
            durations: registry.histogram(
                "ratchet_webhook_review_duration_seconds",
                alpha,
                "How long reviews took, in seconds, from the first byte to the answer.",
                &["verdict"],
                SECONDS,
            ),
            reload_successful: gauge(
                "ratchet_webhook_config_last_reload_successful",
                "Whether the configuration file, as it is now, is the one in force: 1 or 0.",
                &[],
            ),
            reload_time: gauge(
                "ratchet_webhook_config_last_reload_success_timestamp_seconds",
                "When the configuration in force was read, in seconds since 1970.",
                &[],
            ),
            pod_security: PodSecurityCounters::new(&registry),
            certificate_expiry: gauge(
                "ratchet_webhook_certificate_expiration_timestamp_seconds",
                "When the certificate in use expires, in seconds since 1970: serving, and the authority that issued it if that is the webhook's own.",
                &["certificate"],
            ),
            rotations: counter(
                "ratchet_webhook_certificate_rotations_total",
                "Certificates and authorities that this replica made, and attempts that failed, by result.",
                &["result"],
            ),
            rotation_successful: gauge(
                "ratchet_webhook_certificate_last_rotation_successful",
                "Whether the last look at the certificates, and what followed from it, succeeded: 1 or 0; by the name of the Secret.",
                &["name"],
            ),
            leader: gauge(
                "ratchet_webhook_leader",
                "Whether this replica holds the Lease and makes the certificates: 1 or 0; by the name of the Lease.",
                &["name"],
            ),
            namespaces: gauge(
                "ratchet_webhook_namespaces_cached",
                "Namespaces whose labels are in memory.",
                &[],
            ),
            watch_connected: gauge(
                "ratchet_webhook_namespace_watch_connected",
                "Whether the watch of namespaces is open: 1 or 0.",
                &["resource"],
            ),
            watch_errors: counter(
                "ratchet_webhook_namespace_watch_errors_total",
                "Failures of the list or the watch of namespaces; they are tried again.",
                &[],
            ),
            lookups: counter(
                "ratchet_webhook_namespace_lookups_total",
                "Namespaces and pods that were read from the API server during a review, by result: found, absent or error.",
                &["result"],
            ),
            events: counter(
                "ratchet_webhook_events_total",
                "Events of findings, by result: written, dropped above the limits, or error.",
                &["result"],
            ),
            reports: counter(
                "ratchet_webhook_reports_total",
                "Reports of findings, by result: written, dropped above the limits, or error.",
                &["result"],
            ),
            spans: counter(
                "ratchet_webhook_spans_total",
                "Spans of reviews, by result: exported, dropped because the queue was full, or error.",
                &["result"],
            ),
            dropped_lines: counter(
                "ratchet_webhook_log_lines_dropped_total",
                "Findings, and reviews without a verdict, that were not logged because there were too many in one second.",
                &[],
            ),
            registry,
        }
    }

    /// The complete text.
    pub fn render(&self) -> String {
        self.registry.render()
    }

    /// Counts an answered review.
    pub(crate) fn count(&self, response: &AdmissionResponse, took: Duration) {
        self.reviewed(response.verdict(), took);
        for finding in response.findings.iter().filter(|finding| finding.mode != Mode::Off) {
            let labels = [finding.rule.id, finding.mode.as_str(), finding.verdict.as_str()];
            self.findings.with(&labels).inc();
        }
        self.pod_security.count(&response.pod_security);
    }

    /// Counts a review without a verdict.
    pub(crate) fn count_error(&self, took: Duration) {
        self.reviewed("error", took);
    }

    fn reviewed(&self, verdict: &str, took: Duration) {
        self.reviews.with(&[verdict]).inc();
        self.durations.with(&[verdict]).observe(took.as_secs_f64());
    }

    /// Says whether the configuration file is in force.
    pub(crate) fn reloaded(&self, is_successful: bool) {
        self.reload_successful.with(&[]).set(number(is_successful));
        if is_successful {
            self.reload_time.with(&[]).set(seconds(SystemTime::now()));
        }
    }
}

/// A truth as a value.
pub(crate) fn number(is_true: bool) -> f64 {
    if is_true { 1.0 } else { 0.0 }
}

/// A time in seconds since 1970.
pub(crate) fn seconds(time: SystemTime) -> f64 {
    time.duration_since(UNIX_EPOCH).unwrap_or_default().as_secs_f64()
}

impl Default for Metrics {
    fn default() -> Self {
        Self::new()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::path::Path;

    /// The names of Pod Security, and those in the constructor above, which are all texts of the file that begin so.
    fn constructed() -> Vec<String> {
        let text = include_str!("metrics.rs");
        let body =
            text.split("pub fn new()").nth(1).unwrap().split("pub fn render").next().unwrap();
        let texts = body.split('"').skip(1).step_by(2);
        let own = texts.filter(|text| text.starts_with("ratchet_"));
        let mut names: Vec<String> =
            own.chain(PodSecurityCounters::NAMES).map(str::to_owned).collect();
        names.sort();
        names
    }

    #[test]
    fn the_list_of_names_is_complete_and_documented() {
        assert_eq!(constructed(), METRIC_NAMES);
        let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/reference/webhook.md");
        let page = std::fs::read_to_string(page).unwrap();
        for name in METRIC_NAMES {
            assert!(page.contains(&format!("`{name}`")), "{name} is not documented");
        }
    }
}
