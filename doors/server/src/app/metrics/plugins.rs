//! How long admission plugins take: their series are found by number, because every write runs dozens of them.

use ratchet_admission::{Operation, PLUGINS};
use ratchet_http::metrics::{Histogram, HistogramVec};
use std::sync::{Arc, OnceLock};
use std::time::Duration;

/// A step of admission.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    /// Plugins that change objects.
    Admit,
    /// Plugins that only reject them.
    Validate,
}

impl Step {
    /// The label of metrics.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Admit => "admit",
            Self::Validate => "validate",
        }
    }
}

/// The series of one plugin in one step and operation, without and with a rejection.
type Outcomes = [OnceLock<Arc<Histogram>>; 2];

/// Durations by plugin, step, operation and outcome.
pub(super) struct PluginDurations {
    family: HistogramVec,
    /// By the row of the plugin, the step and the operation; made when they are first recorded.
    series: Box<[[[Outcomes; 4]; 2]]>,
}

impl PluginDurations {
    pub(super) fn new(family: HistogramVec) -> Self {
        Self { family, series: PLUGINS.iter().map(|_| Default::default()).collect() }
    }

    /// Records one run of a plugin.
    pub(super) fn observe(
        &self,
        (name, step, operation): (&str, Step, Operation),
        rejected: bool,
        duration: Duration,
    ) {
        let row = PLUGINS.iter().position(|row| row.name == name);
        let Some(steps) = row.and_then(|row| self.series.get(row)) else { return };
        let [admit, validate] = steps;
        let [create, update, delete, connect] = match step {
            Step::Admit => admit,
            Step::Validate => validate,
        };
        let [allowed, denied] = match operation {
            Operation::Create => create,
            Operation::Update => update,
            Operation::Delete => delete,
            Operation::Connect => connect,
        };
        let (series, outcome) = if rejected { (denied, "true") } else { (allowed, "false") };
        let labels = [name, step.as_str(), operation.as_str(), outcome];
        series.get_or_init(|| self.family.with(&labels)).observe(duration.as_secs_f64());
    }
}
