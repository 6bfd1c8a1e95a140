//! Figures of a profile on one server, and the ratios of two servers.

use crate::latencies::LatencySummary;
use crate::sample::Sample;
use serde::Serialize;
use std::collections::BTreeMap;
use std::time::Duration;

/// What a profile gave on one server.
#[derive(Clone, Debug, Serialize)]
pub struct Figures {
    /// The server's URL.
    pub server: String,
    /// Operations that succeeded.
    pub operations: u64,
    /// How long they ran, over all rounds.
    pub seconds: f64,
    /// Operations a second.
    pub rate: f64,
    /// Latency of all operations.
    pub latency: LatencySummary,
    /// Latency by request, where a profile has several.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub by_request: BTreeMap<String, RequestFigures>,
    /// Operations that failed, by status code or sort.
    pub errors: BTreeMap<String, u64>,
    /// The first of them in full.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub first_error: Option<String>,
    /// Bytes of answers and events.
    pub bytes: u64,
    /// What watchers received; only of `watch-churn`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub events: Option<EventFigures>,
    /// The server's processes, where they are on this machine.
    pub processes: Vec<ProcessFigures>,
}

/// One request of a profile that has several.
#[derive(Clone, Debug, Serialize)]
pub struct RequestFigures {
    /// Requests that succeeded.
    pub operations: u64,
    /// Their latency.
    #[serde(flatten)]
    pub latency: LatencySummary,
}

/// Events of all watchers together.
#[derive(Clone, Debug, Serialize)]
pub struct EventFigures {
    /// Acknowledged writes, once for each watcher.
    pub expected: u64,
    /// Events that came, once for each write and watcher.
    pub delivered: u64,
    /// Events a second.
    pub rate: f64,
    /// Events that did not come.
    pub lost: u64,
    /// Events that came later after the beginning of their write than `--late`.
    pub late: u64,
    /// Events that came again.
    pub repeated: u64,
    /// Events of no known write.
    pub stray: u64,
    /// Watches that ended and went on.
    pub resumed: u64,
    /// From the beginning of a write to its event.
    pub lag: LatencySummary,
}

/// A process of a server during the profile.
#[derive(Clone, Debug, Serialize)]
pub struct ProcessFigures {
    /// Its name and id.
    pub name: String,
    /// Its id.
    pub pid: u32,
    /// CPU seconds that it used.
    pub cpu_seconds: f64,
    /// The same for one operation, in milliseconds.
    pub cpu_ms_per_operation: f64,
    /// Resident memory before.
    pub memory_before_mb: f64,
    /// Resident memory after.
    pub memory_after_mb: f64,
}

impl Figures {
    pub(crate) fn of(server: &str, sample: Sample, late: Duration) -> Self {
        let seconds = sample.elapsed.as_secs_f64();
        let operations = sample.operations();
        let by_request = match sample.latencies.len() {
            0 | 1 => BTreeMap::new(),
            _ => sample
                .latencies
                .iter()
                .map(|(request, latencies)| {
                    let (operations, latency) = (latencies.count(), latencies.summary());
                    ((*request).to_owned(), RequestFigures { operations, latency })
                })
                .collect(),
        };
        let processes = sample.processes.into_iter().map(|used| ProcessFigures {
            name: used.process.name,
            pid: used.process.pid,
            cpu_ms_per_operation: quotient(used.cpu_seconds * 1000.0, operations as f64),
            cpu_seconds: used.cpu_seconds,
            memory_before_mb: used.memory_before_mb,
            memory_after_mb: used.memory_after_mb,
        });
        let processes = processes.collect();
        let events = sample.delivery.map(|delivery| EventFigures {
            expected: delivery.expected,
            delivered: delivery.delivered,
            rate: quotient(delivery.delivered as f64, seconds),
            lost: delivery.lost,
            late: delivery.lags.longer_than(late),
            repeated: delivery.repeated,
            stray: delivery.stray,
            resumed: delivery.resumed,
            lag: delivery.lags.summary(),
        });
        let mut latencies = crate::Latencies::default();
        sample.latencies.into_values().for_each(|some| latencies.merge(some));
        Self {
            server: server.to_owned(),
            operations,
            seconds,
            rate: quotient(operations as f64, seconds),
            latency: latencies.summary(),
            by_request,
            errors: sample.errors.by_sort,
            first_error: sample.errors.first,
            bytes: sample.bytes,
            events,
            processes,
        }
    }

    /// How many operations failed.
    pub fn error_count(&self) -> u64 {
        self.errors.values().sum()
    }

    /// Whether nothing failed and nothing was lost or repeated.
    pub fn is_clean(&self) -> bool {
        let is_kept = |events: &EventFigures| events.lost + events.repeated + events.stray == 0;
        self.error_count() == 0 && self.events.as_ref().is_none_or(is_kept)
    }

    /// CPU milliseconds of all processes for one operation; nothing where no process was seen.
    pub fn cpu_ms_per_operation(&self) -> Option<f64> {
        let used = self.processes.iter().map(|process| process.cpu_ms_per_operation);
        (!self.processes.is_empty()).then(|| used.sum())
    }

    /// Memory of all processes in the end; nothing where no process was seen.
    pub fn memory_mb(&self) -> Option<f64> {
        let used = self.processes.iter().map(|process| process.memory_after_mb);
        (!self.processes.is_empty()).then(|| used.sum())
    }

    fn cpu_seconds(&self) -> Option<f64> {
        let used = self.processes.iter().map(|process| process.cpu_seconds);
        (!self.processes.is_empty()).then(|| used.sum())
    }
}

/// A figure that two servers are compared by; nothing where it was not measured.
type Figure = fn(&Figures) -> Option<f64>;

/// The figures that are compared.
const COMPARED: &[(&str, Figure)] = &[
    ("rate", |figures| Some(figures.rate)),
    ("p50", |figures| Some(figures.latency.p50_ms)),
    ("p99", |figures| Some(figures.latency.p99_ms)),
    ("max", |figures| Some(figures.latency.max_ms)),
    ("events_rate", |figures| Some(figures.events.as_ref()?.rate)),
    ("lag_p50", |figures| Some(figures.events.as_ref()?.lag.p50_ms)),
    ("lag_p99", |figures| Some(figures.events.as_ref()?.lag.p99_ms)),
    ("bytes_per_operation", |figures| {
        Some(quotient(figures.bytes as f64, figures.operations as f64))
    }),
    ("cpu_seconds", Figures::cpu_seconds),
    ("cpu_per_operation", Figures::cpu_ms_per_operation),
    ("memory", Figures::memory_mb),
];

/// The first server's figures divided by the second one's; those that one of them has not, or that are zero, are left out.
pub(crate) fn ratios(first: &Figures, second: &Figures) -> BTreeMap<&'static str, f64> {
    let ratio = |(name, figure): &(&'static str, Figure)| {
        let (first, second) = (figure(first)?, figure(second)?);
        (first > 0.0 && second > 0.0).then(|| (*name, first / second))
    };
    COMPARED.iter().filter_map(ratio).collect()
}

/// A quotient; zero where nothing can be divided by.
fn quotient(value: f64, by: f64) -> f64 {
    if by > 0.0 { value / by } else { 0.0 }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::errors::RequestFailure;
    use crate::events::{Delivery, EventLedger};
    use crate::process::Process;
    use crate::sample::ProcessSample;

    const LATE: Duration = Duration::from_millis(250);

    fn sample(operations: u64) -> Sample {
        let mut sample = Sample { elapsed: Duration::from_secs(2), ..Sample::default() };
        (0..operations).for_each(|_| sample.succeeded("get", Duration::from_millis(4), 10));
        sample
    }

    #[test]
    fn rates_and_costs_are_by_operation() {
        let mut sample = sample(100);
        sample.processes.push(ProcessSample {
            process: Process { pid: 1, name: "server".to_owned() },
            cpu_seconds: 0.5,
            memory_before_mb: 10.0,
            memory_after_mb: 12.0,
        });
        let figures = Figures::of("https://a", sample, LATE);
        assert_eq!((figures.operations, figures.rate, figures.bytes), (100, 50.0, 1000));
        assert_eq!(figures.cpu_ms_per_operation(), Some(5.0));
        assert_eq!(figures.memory_mb(), Some(12.0));
        assert!(figures.is_clean() && figures.by_request.is_empty());
    }

    #[test]
    fn errors_and_lost_events_are_not_clean() {
        let mut failed = sample(1);
        failed.failed(&RequestFailure::Timeout);
        let failed = Figures::of("https://a", failed, LATE);
        assert!(!failed.is_clean() && failed.error_count() == 1);

        let mut ledger = EventLedger::new(2);
        ledger.record(0, Duration::from_millis(300));
        let mut delivery = Delivery::default();
        delivery.add(ledger, &[true, true]);
        let lost = Sample { delivery: Some(delivery), ..sample(2) };
        let lost = Figures::of("https://a", lost, LATE);
        let events = lost.events.as_ref().unwrap();
        assert_eq!((events.expected, events.delivered, events.lost, events.late), (2, 1, 1, 1));
        assert!(!lost.is_clean());
    }

    #[test]
    fn ratios_are_of_what_both_have() {
        let figures = |operations| Figures::of("https://a", sample(operations), LATE);
        let found = ratios(&figures(100), &figures(25));
        assert_eq!(found.get("rate"), Some(&4.0));
        assert_eq!(found.get("p50"), Some(&1.0));
        assert_eq!(found.get("cpu_per_operation"), None);
        assert_eq!(found.get("lag_p99"), None);
    }

    #[test]
    fn nothing_done_is_no_division_by_zero() {
        let figures = Figures::of("https://a", Sample::default(), LATE);
        assert_eq!((figures.rate, figures.latency.max_ms), (0.0, 0.0));
        assert!(ratios(&figures, &figures).is_empty());
    }
}
