//! A child process with its memory and CPU time.

use std::process::Child;
use std::time::Duration;

/// A process that is killed on drop.
pub(crate) struct Process(pub(crate) Child);

impl Process {
    /// Resident memory in megabytes.
    pub(crate) fn memory(&self) -> f64 {
        let status = std::fs::read_to_string(format!("/proc/{}/status", self.0.id())).unwrap();
        let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).unwrap();
        let kib: f64 = line.split_whitespace().next().unwrap().parse().unwrap();
        kib * 1024.0 / 1_000_000.0
    }

    /// CPU time of all its threads.
    pub(crate) fn cpu_time(&self) -> Duration {
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
