//! Formatting of times and rates.

use std::fmt;
use std::time::Duration;

/// Rows of the final table.
#[derive(Default)]
pub(crate) struct Table(Vec<(String, String)>);

impl Table {
    /// Adds a row and prints it at once.
    pub(crate) fn row(&mut self, what: &str, figures: String) {
        println!("{what}: {figures}");
        self.0.push((what.to_owned(), figures));
    }
}

impl fmt::Display for Table {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(out, "\n| | |\n|---|---|")?;
        self.0.iter().try_for_each(|(what, figures)| writeln!(out, "| {what} | {figures} |"))
    }
}

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

    /// Rate, median and 99th percentile.
    pub(crate) fn summary(&mut self, whole: Duration) -> String {
        let rate = self.0.len() as f64 / whole.as_secs_f64();
        format!("{rate:.0} a second, p50 {:.2} ms, p99 {:.2} ms", self.at(0.5), self.at(0.99))
    }
}
