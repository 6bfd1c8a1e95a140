//! Process metrics from `/proc`: time, memory, files; absent where there is no `/proc`.

use std::fs::read_to_string;

use super::{MetricType, Registry, Stability, Writer};

/// Linux counts process time in hundredths of a second on every architecture.
const TICKS_PER_SECOND: f64 = 100.0;

/// A metric of the process: name, type, stability, help, and the source of its value.
type Row = (&'static str, MetricType, Stability, &'static str, fn() -> Option<f64>);

const ROWS: &[Row] = &[
    (
        "process_cpu_seconds_total",
        MetricType::Counter,
        Stability::Unmarked,
        "Seconds of processor time that the process has used.",
        || Some((stat(11)? + stat(12)?) / TICKS_PER_SECOND),
    ),
    (
        "process_max_fds",
        MetricType::Gauge,
        Stability::Unmarked,
        "How many files the process may have open.",
        || number_in_line("/proc/self/limits", "Max open files", 0),
    ),
    (
        "process_open_fds",
        MetricType::Gauge,
        Stability::Unmarked,
        "How many files the process has open.",
        // Reading the directory opens one more.
        || Some(std::fs::read_dir("/proc/self/fd").ok()?.count().saturating_sub(1) as f64),
    ),
    (
        "process_resident_memory_bytes",
        MetricType::Gauge,
        Stability::Unmarked,
        "Bytes of memory that the process holds.",
        || Some(number_in_line("/proc/self/status", "VmRSS:", 0)? * 1024.0),
    ),
    (
        "process_start_time_seconds",
        MetricType::Gauge,
        Stability::Unmarked,
        "When the process began, in seconds since 1970.",
        || Some(number_in_line("/proc/stat", "btime", 0)? + stat(19)? / TICKS_PER_SECOND),
    ),
    (
        "process_virtual_memory_bytes",
        MetricType::Gauge,
        Stability::Unmarked,
        "Bytes of addresses that the process has mapped.",
        || Some(number_in_line("/proc/self/status", "VmSize:", 0)? * 1024.0),
    ),
];

/// Adds the metrics of this process to a registry.
pub fn process_metrics(registry: &Registry) {
    registry.collector(Box::new(collect));
}

/// Adds the time at which this process began to a registry.
pub fn process_start_time(registry: &Registry) {
    registry.collector(Box::new(|writer| {
        write_rows(writer, |name| name == "process_start_time_seconds");
    }));
}

fn collect(writer: &mut Writer) {
    write_rows(writer, |_| true);
}

fn write_rows(writer: &mut Writer, is_wanted: impl Fn(&str) -> bool) {
    for &(name, kind, stability, help, value) in ROWS.iter().filter(|row| is_wanted(row.0)) {
        if let Some(value) = value() {
            writer.family(name, kind, stability, help).sample(&[], value);
        }
    }
}

/// The number at this index after the command of `/proc/self/stat`; the command is in parentheses
/// and may contain anything.
fn stat(index: usize) -> Option<f64> {
    let text = read_to_string("/proc/self/stat").ok()?;
    let (_, rest) = text.rsplit_once(')')?;
    rest.split_ascii_whitespace().nth(index)?.parse().ok()
}

/// The number at this index of the line with this prefix.
fn number_in_line(path: &str, prefix: &str, index: usize) -> Option<f64> {
    let text = read_to_string(path).ok()?;
    let rest = text.lines().find_map(|line| line.strip_prefix(prefix))?;
    rest.split_ascii_whitespace().nth(index)?.parse().ok()
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;

    #[test]
    fn linux_tells_all_of_them() {
        for (name, _, _, _, value) in ROWS {
            assert!(value().is_some_and(|value| value >= 0.0), "{name}");
        }
        let now = std::time::SystemTime::UNIX_EPOCH.elapsed().unwrap().as_secs_f64();
        let start = ROWS.iter().find(|row| row.0 == "process_start_time_seconds").unwrap().4();
        let age = now - start.unwrap();
        assert!((-5.0..86_400.0).contains(&age), "{age}");
    }
}
