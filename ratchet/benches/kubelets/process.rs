//! Another process: what it holds, how long it has worked, and its end.

use std::process::Child;
use std::time::Duration;

/// A process that ends with the measurement.
pub(crate) struct Process(pub(crate) Child);

impl Process {
    /// What it holds, in megabytes.
    pub(crate) fn memory(&self) -> f64 {
        let status = std::fs::read_to_string(format!("/proc/{}/status", self.0.id())).unwrap();
        let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).unwrap();
        let kib: f64 = line.split_whitespace().next().unwrap().parse().unwrap();
        kib * 1024.0 / 1_000_000.0
    }

    /// How long its threads have run.
    pub(crate) fn worked(&self) -> Duration {
        let threads = std::fs::read_dir(format!("/proc/{}/task", self.0.id())).unwrap();
        let nanoseconds = threads.filter_map(|thread| {
            let text = std::fs::read_to_string(thread.ok()?.path().join("schedstat")).ok()?;
            text.split_whitespace().next()?.parse::<u64>().ok()
        });
        Duration::from_nanos(nanoseconds.sum())
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}
