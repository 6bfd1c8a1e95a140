//! Metrics of the webhook: reviews, findings, durations, and the state of the configuration.

use crate::mode::Mode;
use crate::response::AdmissionResponse;
use ratchet_http::metrics::{
    CounterVec, GaugeVec, HistogramVec, Registry, Stability, process_metrics, process_start_time,
};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// Upper bounds in seconds, around what a review takes and what an API server waits for.
const SECONDS: &[f64] =
    &[0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.1, 0.5, 1.0, 2.5, 10.0];

/// The metrics of one process.
pub struct Metrics {
    registry: Registry,
    reviews: CounterVec,
    findings: CounterVec,
    durations: HistogramVec,
    reload_successful: GaugeVec,
    reload_time: GaugeVec,
}

impl Metrics {
    /// All metrics, none counted yet.
    pub fn new() -> Self {
        let registry = Registry::new();
        process_metrics(&registry);
        process_start_time(&registry);
        let alpha = Stability::Alpha;
        Self {
            reviews: registry.counter(
                "ratchet_webhook_reviews_total",
                alpha,
                "Reviews by verdict: allowed, denied, exempt, or error if there was none.",
                &["verdict"],
            ),
            findings: registry.counter(
                "ratchet_webhook_findings_total",
                alpha,
                "Findings of reviewed requests by rule and by the mode of the rule there.",
                &["rule", "mode"],
            ),
            durations: registry.histogram(
                "ratchet_webhook_review_duration_seconds",
                alpha,
                "How long reviews took, in seconds, from the first byte to the answer.",
                &["verdict"],
                SECONDS,
            ),
            reload_successful: registry.gauge(
                "ratchet_webhook_config_last_reload_successful",
                alpha,
                "Whether the configuration file, as it is now, is the one in force: 1 or 0.",
                &[],
            ),
            reload_time: registry.gauge(
                "ratchet_webhook_config_last_reload_success_timestamp_seconds",
                alpha,
                "When the configuration in force was read, in seconds since 1970.",
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
        let verdict = match (response.exempt, response.is_allowed()) {
            (Some(_), _) => "exempt",
            (None, true) => "allowed",
            (None, false) => "denied",
        };
        self.reviewed(verdict, took);
        for finding in response.findings.iter().filter(|finding| finding.mode != Mode::Off) {
            self.findings.with(&[finding.rule.id, finding.mode.as_str()]).inc();
        }
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
        self.reload_successful.with(&[]).set(if is_successful { 1.0 } else { 0.0 });
        if is_successful {
            let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
            self.reload_time.with(&[]).set(now.as_secs_f64());
        }
    }
}

impl Default for Metrics {
    fn default() -> Self {
        Self::new()
    }
}
