//! What was measured in one or more runs of a profile on one server.

use crate::errors::{ErrorCounts, RequestFailure};
use crate::events::Delivery;
use crate::latencies::Latencies;
use crate::process::{Process, ProcessUsage};
use std::collections::BTreeMap;
use std::time::Duration;

/// Measured values that can be added up.
#[derive(Debug, Default)]
pub(crate) struct Sample {
    pub(crate) elapsed: Duration,
    /// By the name of the request.
    pub(crate) latencies: BTreeMap<&'static str, Latencies>,
    pub(crate) errors: ErrorCounts,
    /// Bytes of answers and events.
    pub(crate) bytes: u64,
    pub(crate) delivery: Option<Delivery>,
    pub(crate) processes: Vec<ProcessSample>,
}

/// What a process used during the runs.
#[derive(Debug)]
pub(crate) struct ProcessSample {
    pub(crate) process: Process,
    pub(crate) cpu_seconds: f64,
    pub(crate) memory_before_mb: f64,
    pub(crate) memory_after_mb: f64,
}

impl Sample {
    pub(crate) fn succeeded(&mut self, request: &'static str, latency: Duration, bytes: usize) {
        self.latencies.entry(request).or_default().add(latency);
        self.bytes += bytes as u64;
    }

    pub(crate) fn failed(&mut self, failure: &RequestFailure) {
        self.errors.add(failure);
    }

    /// Operations that succeeded.
    pub(crate) fn operations(&self) -> u64 {
        self.latencies.values().map(Latencies::count).sum()
    }

    /// Adds what another client of the same run measured: it ran at the same time.
    pub(crate) fn join(&mut self, other: Self) {
        let elapsed = self.elapsed.max(other.elapsed);
        self.follow(other);
        self.elapsed = elapsed;
    }

    /// Adds another run: it ran at another time.
    pub(crate) fn follow(&mut self, other: Self) {
        self.elapsed += other.elapsed;
        for (request, latencies) in other.latencies {
            self.latencies.entry(request).or_default().merge(latencies);
        }
        self.errors.merge(other.errors);
        self.bytes += other.bytes;
        match (&mut self.delivery, other.delivery) {
            (Some(own), Some(other)) => own.merge(other),
            (own @ None, other) => *own = other,
            (Some(_), None) => {}
        }
        for other in other.processes {
            match self.processes.iter_mut().find(|own| own.process == other.process) {
                Some(own) => {
                    own.cpu_seconds += other.cpu_seconds;
                    own.memory_after_mb = other.memory_after_mb;
                }
                None => self.processes.push(other),
            }
        }
    }
}

/// What processes have used at some time.
pub(crate) struct UsageSnapshot<'p>(Vec<(&'p Process, ProcessUsage)>);

impl<'p> UsageSnapshot<'p> {
    pub(crate) fn of(processes: &'p [Process]) -> Self {
        Self(processes.iter().filter_map(|process| Some((process, process.usage()?))).collect())
    }

    /// What they have used since then; a process that is gone is left out.
    pub(crate) fn until_now(&self) -> Vec<ProcessSample> {
        let used = self.0.iter().filter_map(|(process, before)| {
            let after = process.usage()?;
            Some(ProcessSample {
                process: (*process).clone(),
                cpu_seconds: after.cpu_seconds - before.cpu_seconds,
                memory_before_mb: before.memory_mb,
                memory_after_mb: after.memory_mb,
            })
        });
        used.collect()
    }

    /// CPU seconds of all of them together.
    pub(crate) fn cpu_seconds(&self) -> f64 {
        self.0.iter().map(|(_, usage)| usage.cpu_seconds).sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sample(seconds: u64, operations: usize) -> Sample {
        let mut sample = Sample { elapsed: Duration::from_secs(seconds), ..Sample::default() };
        for _ in 0..operations {
            sample.succeeded("get", Duration::from_millis(1), 10);
        }
        sample
    }

    #[test]
    fn clients_of_one_run_share_its_time_and_runs_add_theirs() {
        let mut run = sample(3, 2);
        run.join(sample(4, 5));
        assert_eq!((run.elapsed, run.operations(), run.bytes), (Duration::from_secs(4), 7, 70));
        run.follow(sample(4, 1));
        assert_eq!((run.elapsed, run.operations()), (Duration::from_secs(8), 8));
    }

    #[test]
    fn a_process_is_counted_over_all_runs() {
        let process = Process { pid: 7, name: "etcd".to_owned() };
        let used = |cpu_seconds, memory_before_mb, memory_after_mb| Sample {
            processes: vec![ProcessSample {
                process: process.clone(),
                cpu_seconds,
                memory_before_mb,
                memory_after_mb,
            }],
            ..Sample::default()
        };
        let mut all = used(1.5, 10.0, 20.0);
        all.follow(used(0.5, 20.0, 30.0));
        let [one] = all.processes.as_slice() else { panic!("{:?}", all.processes) };
        assert_eq!((one.cpu_seconds, one.memory_before_mb, one.memory_after_mb), (2.0, 10.0, 30.0));
    }
}
