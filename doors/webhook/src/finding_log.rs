//! `FindingLog`: a line for every finding and for every review without a verdict, as far as a log can bear.

use crate::excerpt::excerpt;
use crate::metrics::Metrics;
use crate::response::Finding;
use crate::subject::Subject;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Instant;

/// The most lines of one second; more would slow down reviews, and nobody would read them.
const MAX_LINES: u64 = 200;
/// The longest text in a line: a message has the value that was sent, which may have megabytes.
const MAX_TEXT: usize = 1024;

/// Logs findings, at most some hundred in a second.
pub(crate) struct FindingLog {
    start: Instant,
    /// The second in the upper half, its number of lines in the lower.
    count: AtomicU64,
}

impl FindingLog {
    pub(crate) fn new() -> Self {
        Self { start: Instant::now(), count: AtomicU64::new(0) }
    }

    /// Logs the findings of one request.
    pub(crate) fn write(&self, subject: &Subject, findings: &[Finding], metrics: &Metrics) {
        for finding in findings {
            if !self.may_write(self.start.elapsed().as_secs()) {
                metrics.dropped_lines.with(&[]).inc();
                continue;
            }
            let Subject { uid, operation, kind, namespace, name, user, dry_run, .. } = subject;
            tracing::info!(
                uid,
                user,
                operation,
                kind,
                namespace,
                name,
                dry_run,
                rule = finding.rule.id,
                field = &*excerpt(&finding.field, MAX_TEXT),
                mode = finding.mode.as_str(),
                verdict = finding.verdict.as_str(),
                finding = &*excerpt(&finding.message, MAX_TEXT),
                "finding"
            );
        }
    }

    /// Logs why a review got no verdict.
    pub(crate) fn write_error(&self, code: u16, why: &str, metrics: &Metrics) {
        match self.may_write(self.start.elapsed().as_secs()) {
            true => tracing::warn!(code, why, "a review got no verdict"),
            false => metrics.dropped_lines.with(&[]).inc(),
        }
    }

    fn may_write(&self, second: u64) -> bool {
        let second = (second & u64::from(u32::MAX)) << 32;
        let next = |count: u64| match count & !u64::from(u32::MAX) == second {
            false => second | 1,
            true if count & u64::from(u32::MAX) < MAX_LINES => count + 1,
            true => count,
        };
        let old = self
            .count
            .fetch_update(Ordering::Relaxed, Ordering::Relaxed, |count| Some(next(count)));
        let old = old.unwrap_or_default();
        next(old) != old
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_second_has_its_lines() {
        let log = FindingLog::new();
        let written = |second: u64| (0..1000).filter(|_| log.may_write(second)).count();
        assert_eq!((written(0), written(0)), (200, 0));
        assert_eq!((written(1), written(7)), (200, 200));
    }
}
