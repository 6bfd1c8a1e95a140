//! The metrics of webhooks, match conditions and mutating policies, as rows of the table in `core/policy`.

use ratchet_http::metrics::{CounterVec, HistogramVec, Registry, Stability};
use ratchet_policy::Observation;
use ratchet_policy::observation::{self, METRICS};
use std::time::Duration;

/// The families of the table.
pub(super) struct Observations(Vec<(&'static str, Family)>);

enum Family {
    Counter(CounterVec),
    Histogram(HistogramVec),
}

/// The help text of each family.
const HELP: &[(&str, &str)] = &[
    (observation::WEBHOOK_DURATION, "How long calls of admission webhooks took, in seconds."),
    (observation::WEBHOOK_REQUESTS, "Calls of admission webhooks, by the code of their answers."),
    (observation::WEBHOOK_REJECTIONS, "Requests that admission webhooks rejected, by cause."),
    (observation::WEBHOOK_FAIL_OPEN, "Failed calls of admission webhooks that were ignored."),
    (observation::CONDITION_DURATION, "How long match conditions took that excluded something."),
    (observation::CONDITION_ERRORS, "Match conditions that could not be evaluated."),
    (observation::CONDITION_EXCLUSIONS, "Webhooks that match conditions excluded."),
    (observation::POLICY_CHECKS, "Mutations of admission policies, by policy, binding and error."),
    (observation::POLICY_CHECK_DURATION, "How long mutations of policies took, in seconds."),
];

impl Observations {
    pub(super) fn new(registry: &Registry) -> Self {
        let family = |row: &observation::MetricRow| {
            let stability = if row.is_stable { Stability::Stable } else { Stability::Alpha };
            let help = HELP.iter().find(|(name, _)| *name == row.name).map_or("", |(_, text)| text);
            let family = match row.buckets {
                [] => Family::Counter(registry.counter(row.name, stability, help, row.labels)),
                buckets => {
                    let family = registry.histogram(row.name, stability, help, row.labels, buckets);
                    Family::Histogram(family)
                }
            };
            (row.name, family)
        };
        Self(METRICS.iter().map(family).collect())
    }

    pub(super) fn observe(&self, observation: &Observation) {
        let labels: Vec<&str> = observation.labels.iter().map(|(_, value)| &**value).collect();
        let family = self.0.iter().find(|(name, _)| *name == observation.metric);
        match (family.map(|(_, family)| family), observation.nanoseconds) {
            (Some(Family::Counter(counter)), _) => counter.with(&labels).inc(),
            (Some(Family::Histogram(histogram)), Some(nanoseconds)) => {
                let seconds = Duration::from_nanos(nanoseconds).as_secs_f64();
                histogram.with(&labels).observe(seconds);
            }
            (Some(Family::Histogram(_)), None) | (None, _) => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_row_has_a_help_text() {
        for row in METRICS {
            assert!(HELP.iter().any(|(name, _)| *name == row.name), "{}", row.name);
        }
    }
}
