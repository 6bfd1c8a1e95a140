//! Progress of a test binary, parsed from its output, and the deadline that follows from it.

use std::collections::{BTreeMap, BTreeSet};
use std::time::{Duration, Instant};

/// Time after which the harness reports a slow test.
const SLOW_AFTER: Duration = Duration::from_secs(60);

/// The reported state of one binary's tests.
pub(super) struct Watch {
    limit: Duration,
    /// Time of the last output.
    last: Instant,
    /// The incomplete last line.
    rest: String,
    /// Slow tests with their start time.
    slow: BTreeMap<String, Instant>,
    /// Whether the binary uses Rust's own harness, which can list its tests.
    pub(super) is_harness: bool,
    pub(super) finished: BTreeSet<String>,
    pub(super) passed: usize,
    pub(super) failed: usize,
}

impl Watch {
    /// The state of a binary that has just started.
    pub(super) fn new(limit: Duration, now: Instant) -> Self {
        Self {
            limit,
            last: now,
            rest: String::new(),
            slow: BTreeMap::new(),
            is_harness: false,
            finished: BTreeSet::new(),
            passed: 0,
            failed: 0,
        }
    }

    /// Parses a piece of output.
    pub(super) fn push_output(&mut self, bytes: &[u8], now: Instant) {
        self.last = now;
        self.rest.push_str(&String::from_utf8_lossy(bytes));
        while let Some((line, rest)) = self.rest.split_once('\n') {
            let (line, rest) = (line.to_owned(), rest.to_owned());
            self.line(&line, now);
            self.rest = rest;
        }
    }

    fn line(&mut self, line: &str, now: Instant) {
        self.is_harness |= line.starts_with("running ") && line.contains(" test");
        let Some(rest) = line.strip_prefix("test ") else { return };
        if let Some((name, _)) = rest.split_once(" has been running for over ") {
            let began = now.checked_sub(SLOW_AFTER).unwrap_or(now);
            self.slow.insert(test_name(name), began);
        } else if let Some((name, result)) = rest.split_once(" ... ") {
            let name = test_name(name);
            self.slow.remove(&name);
            self.finished.insert(name);
            self.passed += usize::from(result.starts_with("ok"));
            self.failed += usize::from(result.starts_with("FAILED"));
        }
    }

    /// The time limit after the last output or after the start of the slowest test, whichever is first.
    pub(super) fn deadline(&self) -> Instant {
        let first = self.slow.values().min().copied().unwrap_or(self.last);
        first.min(self.last) + self.limit
    }

    /// The tests that are known to be running: the slow ones, and the one whose line is incomplete.
    pub(super) fn hanging(&self) -> BTreeSet<String> {
        let begun = self.rest.strip_prefix("test ").and_then(|rest| rest.split_once(" ... "));
        self.slow.keys().cloned().chain(begun.map(|(name, _)| test_name(name))).collect()
    }
}

/// The test's name without the harness's suffix.
fn test_name(name: &str) -> String {
    name.strip_suffix(" - should panic").unwrap_or(name).to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    const LIMIT: Duration = Duration::from_secs(300);

    #[test]
    fn silence_and_slow_tests_end_patience() {
        let start = Instant::now();
        let at = |seconds| start + Duration::from_secs(seconds);
        let mut watch = Watch::new(LIMIT, start);
        assert_eq!(watch.deadline(), at(300));
        watch.push_output(b"running 3 tests\ntest a ... ok\nte", at(10));
        assert_eq!(watch.deadline(), at(310));
        watch.push_output(b"st b has been running for over 60 seconds\n", at(70));
        assert_eq!(watch.deadline(), at(310), "b began at 10");
        watch.push_output(b"test c - should panic ... ok\n", at(100));
        assert_eq!(watch.deadline(), at(310));
        assert_eq!(watch.hanging().into_iter().collect::<Vec<_>>(), ["b"]);
        watch.push_output(b"test b ... FAILED\n", at(110));
        assert_eq!(watch.deadline(), at(410));
        assert!(watch.is_harness);
        assert_eq!((watch.passed, watch.failed, watch.finished.len()), (2, 1, 3));
        assert!(watch.hanging().is_empty());
    }

    #[test]
    fn the_test_whose_line_has_begun_runs() {
        let mut watch = Watch::new(LIMIT, Instant::now());
        watch.push_output(b"test one::two ... ", Instant::now());
        assert_eq!(watch.hanging().into_iter().collect::<Vec<_>>(), ["one::two"]);
    }
}
