//! Metrics of health checks, which `/metrics/slis` exposes.

use super::Endpoint;
use crate::metrics::{CounterVec, GaugeVec, Registry, Stability, process_start_time};

/// The results of health checks, in a registry of their own.
pub(super) struct Observed {
    registry: Registry,
    latest: GaugeVec,
    all: CounterVec,
}

impl Default for Observed {
    fn default() -> Self {
        let registry = Registry::new();
        let latest = registry.gauge(
            "kubernetes_healthcheck",
            Stability::Stable,
            "Whether a health check was well when it was last asked.",
            &["name", "type"],
        );
        let all = registry.counter(
            "kubernetes_healthchecks_total",
            Stability::Stable,
            "Health checks that were made, by their result.",
            &["name", "type", "status"],
        );
        process_start_time(&registry);
        Self { registry, latest, all }
    }
}

impl Observed {
    /// Records one result of a check of an endpoint.
    pub(super) fn record(&self, endpoint: Endpoint, check: &str, is_well: bool) {
        let status = if is_well { "success" } else { "error" };
        self.latest.with(&[check, endpoint.name()]).set(f64::from(u8::from(is_well)));
        self.all.with(&[check, endpoint.name(), status]).inc();
    }

    /// The metrics as text.
    pub(super) fn render(&self) -> String {
        self.registry.render()
    }
}
