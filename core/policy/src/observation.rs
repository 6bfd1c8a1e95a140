//! `Observation`: a sample for the metrics, by the name and the labels of the reference.

use alloc::borrow::Cow;
use alloc::string::String;
use alloc::vec::Vec;

/// One observation of a counter or a histogram.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Observation {
    /// The metric: a row of [`METRICS`].
    pub metric: &'static str,
    /// The labels, sorted by name.
    pub labels: Vec<(&'static str, Cow<'static, str>)>,
    /// The observed duration; none for a counter, which is incremented.
    pub nanoseconds: Option<u64>,
}

impl Observation {
    /// Increments a counter.
    pub fn count(metric: &'static str, labels: Vec<(&'static str, Cow<'static, str>)>) -> Self {
        Self { metric, labels, nanoseconds: None }
    }

    /// Observes a duration.
    pub fn time(
        metric: &'static str,
        labels: Vec<(&'static str, Cow<'static, str>)>,
        nanoseconds: u64,
    ) -> Self {
        Self { metric, labels, nanoseconds: Some(nanoseconds) }
    }
}

/// A metric of webhooks, match conditions and mutating policies.
#[derive(Clone, Copy, Debug)]
pub struct MetricRow {
    /// The name of the family in `/metrics`.
    pub name: &'static str,
    /// The labels, sorted.
    pub labels: &'static [&'static str],
    /// The bounds of the buckets of a histogram, in seconds; none for a counter.
    pub buckets: &'static [f64],
    /// Whether it is stable; otherwise it is alpha.
    pub is_stable: bool,
}

const CONDITION_LABELS: &[&str] = &["kind", "name", "operation", "type"];
const POLICY_LABELS: &[&str] = &["error_type", "policy", "policy_binding"];

const fn counter(name: &'static str, labels: &'static [&'static str]) -> MetricRow {
    MetricRow { name, labels, buckets: &[], is_stable: false }
}

/// All metrics that observations are about, with what a registry needs to know of them.
pub static METRICS: &[MetricRow] = &[
    MetricRow {
        name: WEBHOOK_DURATION,
        labels: &["name", "operation", "rejected", "type"],
        buckets: &[0.005, 0.025, 0.1, 0.5, 1.0, 2.5, 10.0, 25.0],
        is_stable: true,
    },
    counter(WEBHOOK_REQUESTS, &["code", "name", "operation", "rejected", "type"]),
    counter(WEBHOOK_REJECTIONS, &["error_type", "name", "operation", "rejection_code", "type"]),
    counter(WEBHOOK_FAIL_OPEN, &["name", "type"]),
    MetricRow {
        name: CONDITION_DURATION,
        labels: CONDITION_LABELS,
        buckets: &[0.001, 0.005, 0.01, 0.025, 0.1, 0.2, 0.25],
        is_stable: false,
    },
    counter(CONDITION_ERRORS, CONDITION_LABELS),
    counter(CONDITION_EXCLUSIONS, CONDITION_LABELS),
    counter(POLICY_CHECKS, POLICY_LABELS),
    MetricRow {
        name: POLICY_CHECK_DURATION,
        labels: POLICY_LABELS,
        buckets: &[0.000_000_5, 0.001, 0.01, 0.1, 1.0],
        is_stable: false,
    },
];

/// How long calls of webhooks took.
pub const WEBHOOK_DURATION: &str = "apiserver_admission_webhook_admission_duration_seconds";
/// Calls of webhooks.
pub const WEBHOOK_REQUESTS: &str = "apiserver_admission_webhook_request_total";
/// Requests that a webhook rejected.
pub const WEBHOOK_REJECTIONS: &str = "apiserver_admission_webhook_rejection_count";
/// Failed calls that were ignored.
pub const WEBHOOK_FAIL_OPEN: &str = "apiserver_admission_webhook_fail_open_count";
/// How long match conditions took that did not hold.
pub const CONDITION_DURATION: &str = "apiserver_admission_match_condition_evaluation_seconds";
/// Errors of match conditions.
pub const CONDITION_ERRORS: &str = "apiserver_admission_match_condition_evaluation_errors_total";
/// Webhooks that match conditions excluded.
pub const CONDITION_EXCLUSIONS: &str = "apiserver_admission_match_condition_exclusions_total";
/// Mutations of policies.
pub const POLICY_CHECKS: &str = "apiserver_mutating_admission_policy_check_total";
/// How long mutations of policies took.
pub const POLICY_CHECK_DURATION: &str =
    "apiserver_mutating_admission_policy_check_duration_seconds";

/// The labels of match conditions: whose they are, and where they were evaluated.
pub fn condition_labels(
    kind: &'static str,
    name: &str,
    operation: &'static str,
    admission_type: &'static str,
) -> Vec<(&'static str, Cow<'static, str>)> {
    alloc::vec![
        ("kind", kind.into()),
        ("name", String::from(name).into()),
        ("operation", operation.into()),
        ("type", admission_type.into()),
    ]
}
