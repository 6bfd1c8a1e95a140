//! Formatting of times and rates.

use super::times::Times;
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

impl Times {
    /// Rate, median and 99th percentile.
    pub(crate) fn summary(&mut self, whole: Duration) -> String {
        let rate = self.0.len() as f64 / whole.as_secs_f64();
        format!("{rate:.0} a second, p50 {:.2} ms, p99 {:.2} ms", self.at(0.5), self.at(0.99))
    }
}
