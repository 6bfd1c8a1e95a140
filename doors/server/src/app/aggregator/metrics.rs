//! Metrics of APIServices that are not available.

use super::api_service::ApiServiceSet;
use ratchet_http::metrics::{CounterVec, MetricType, Registry, Stability, Writer};

/// The counter of APIServices that became unavailable.
pub(crate) struct Unavailable(CounterVec);

impl Unavailable {
    pub(super) fn new(registry: &Registry) -> Self {
        let help = "How often an APIService became unavailable, by its name and the reason.";
        let name = "aggregator_unavailable_apiservice_total";
        Self(registry.counter(name, Stability::Alpha, help, &["name", "reason"]))
    }

    /// Counts an APIService that was available before.
    pub(crate) fn inc(&self, name: &str, reason: &str) {
        self.0.with(&[name, reason]).inc();
    }

    /// Writes which APIServices are unavailable now.
    pub(crate) fn write(set: &ApiServiceSet, writer: &mut Writer) {
        let help = "APIServices that are unavailable (1) or available (0), by name.";
        let mut family = writer.family(
            "aggregator_unavailable_apiservice",
            MetricType::Gauge,
            Stability::Alpha,
            help,
        );
        for service in set.all() {
            let value = if service.is_available { 0.0 } else { 1.0 };
            family.sample(&[("name", &service.name)], value);
        }
    }
}
