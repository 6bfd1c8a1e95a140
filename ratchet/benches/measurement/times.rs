//! Measured durations and their quantiles.

use std::time::Duration;

/// Measured durations.
#[derive(Default)]
pub(crate) struct Times(pub(crate) Vec<Duration>);

impl Times {
    /// The quantile `share` in milliseconds.
    pub(crate) fn at(&mut self, share: f64) -> f64 {
        self.0.sort_unstable();
        let last = self.0.len().saturating_sub(1);
        let index = (last as f64 * share).round() as usize;
        self.0.get(index).map_or(0.0, |time| time.as_secs_f64() * 1000.0)
    }
}
