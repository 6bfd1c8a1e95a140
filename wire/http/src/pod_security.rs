//! `PodSecurityCounters`: the three metrics of the Pod Security admission plugin, as every door that runs it has them.

use crate::metrics::{CounterVec, Registry, Stability};
use ratchet_engine::pod_security::PodSecurityMetrics;

/// Evaluations, exemptions and errors of Pod Security.
pub struct PodSecurityCounters {
    evaluations: CounterVec,
    exemptions: CounterVec,
    errors: CounterVec,
}

impl PodSecurityCounters {
    /// The names of the metrics.
    pub const NAMES: [&'static str; 3] = [
        "pod_security_errors_total",
        "pod_security_evaluations_total",
        "pod_security_exemptions_total",
    ];

    /// Registers the metrics.
    pub fn new(registry: &Registry) -> Self {
        let counter = |name, help, labels: &[&'static str]| {
            registry.counter(name, Stability::Alpha, help, labels)
        };
        let [errors, evaluations, exemptions] = Self::NAMES;
        Self {
            evaluations: counter(
                evaluations,
                "Verdicts of Pod Security, by decision, policy and mode.",
                &[
                    "decision",
                    "policy_level",
                    "policy_version",
                    "mode",
                    "request_operation",
                    "resource",
                    "subresource",
                ],
            ),
            exemptions: counter(
                exemptions,
                "Requests that Pod Security let pass because they are exempt.",
                &["request_operation", "resource", "subresource"],
            ),
            errors: counter(
                errors,
                "Requests that Pod Security could not judge as configured; where that is not fatal, the strictest policy was used.",
                &["fatal", "request_operation", "resource", "subresource"],
            ),
        }
    }

    /// Counts what the plugin reports of a request.
    pub fn count(&self, results: &[PodSecurityMetrics]) {
        for result in results {
            match result {
                PodSecurityMetrics::Evaluation { decision, level, version, mode, request } => {
                    let [decision, version] = [decision.to_string(), version.to_string()];
                    let [level, mode] = [level.to_string(), mode.to_string()];
                    let [operation, resource, part] = request.labels();
                    let labels = [&decision, &level, &version, &mode, operation, resource, part];
                    self.evaluations.with(&labels).inc();
                }
                PodSecurityMetrics::Exemption { request } => {
                    self.exemptions.with(&request.labels()).inc();
                }
                PodSecurityMetrics::Error { fatal, request } => {
                    let fatal = if *fatal { "true" } else { "false" };
                    let [operation, resource, part] = request.labels();
                    self.errors.with(&[fatal, operation, resource, part]).inc();
                }
            }
        }
    }
}
