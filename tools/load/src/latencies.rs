//! Latencies of operations and lags of events, and their percentiles.

use serde::Serialize;
use std::time::Duration;

/// Measured durations, in microseconds.
///
/// ```
/// use api_load::Latencies;
/// use std::time::Duration;
///
/// let mut latencies = Latencies::default();
/// (1..=100).for_each(|n| latencies.add(Duration::from_millis(n)));
/// let summary = latencies.summary();
/// assert_eq!((summary.p50_ms, summary.p99_ms, summary.max_ms), (50.0, 99.0, 100.0));
/// ```
#[derive(Clone, Debug, Default)]
pub struct Latencies(Vec<u32>);

/// Percentiles in milliseconds; zero where nothing was measured.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct LatencySummary {
    /// The median.
    pub p50_ms: f64,
    /// The 99th percentile.
    pub p99_ms: f64,
    /// The longest.
    pub max_ms: f64,
}

impl Latencies {
    /// Adds a duration; those of more than an hour count as 71 minutes.
    pub fn add(&mut self, duration: Duration) {
        self.0.push(u32::try_from(duration.as_micros()).unwrap_or(u32::MAX));
    }

    /// Takes over what another one has.
    pub fn merge(&mut self, other: Self) {
        self.0.extend(other.0);
    }

    /// How many there are.
    pub fn count(&self) -> u64 {
        self.0.len() as u64
    }

    /// How many are longer than a limit.
    pub fn longer_than(&self, limit: Duration) -> u64 {
        self.0.iter().filter(|micros| Duration::from_micros(u64::from(**micros)) > limit).count()
            as u64
    }

    /// The percentiles, by nearest rank: the smallest value that is not exceeded by so many.
    pub fn summary(&self) -> LatencySummary {
        let mut sorted = self.0.clone();
        sorted.sort_unstable();
        let at = |percent: usize| {
            let rank = (sorted.len() * percent).div_ceil(100).max(1);
            sorted.get(rank - 1).map_or(0.0, |micros| f64::from(*micros) / 1000.0)
        };
        LatencySummary { p50_ms: at(50), p99_ms: at(99), max_ms: at(100) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(micros: &[u64]) -> Latencies {
        let mut latencies = Latencies::default();
        micros.iter().for_each(|micros| latencies.add(Duration::from_micros(*micros)));
        latencies
    }

    #[test]
    fn nothing_measured_is_zero() {
        assert_eq!(Latencies::default().summary(), LatencySummary::default());
    }

    #[test]
    fn one_value_is_every_percentile() {
        let summary = of(&[1500]).summary();
        assert_eq!(summary, LatencySummary { p50_ms: 1.5, p99_ms: 1.5, max_ms: 1.5 });
    }

    #[test]
    fn percentiles_are_by_nearest_rank_whatever_the_order() {
        let mut micros: Vec<u64> = (1..=200).map(|n| n * 1000).collect();
        micros.reverse();
        let summary = of(&micros).summary();
        assert_eq!(summary, LatencySummary { p50_ms: 100.0, p99_ms: 198.0, max_ms: 200.0 });
        // Of two values the median is the lower one, and the 99th percentile the upper one.
        let summary = of(&[3000, 1000]).summary();
        assert_eq!(summary, LatencySummary { p50_ms: 1.0, p99_ms: 3.0, max_ms: 3.0 });
    }

    #[test]
    fn merged_ones_are_counted_together() {
        let mut all = of(&[1, 2]);
        all.merge(of(&[250_001, 250_000]));
        assert_eq!(all.count(), 4);
        assert_eq!(all.longer_than(Duration::from_millis(250)), 1);
    }

    #[test]
    fn a_duration_beyond_the_scale_is_the_longest() {
        let mut latencies = Latencies::default();
        latencies.add(Duration::from_secs(100_000));
        assert_eq!(latencies.summary().max_ms, f64::from(u32::MAX) / 1000.0);
    }
}
