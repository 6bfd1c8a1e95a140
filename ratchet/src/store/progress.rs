//! `ProgressLine`: one line on the terminal that says how far a command is.

use std::io::{self, IsTerminal, Write};
use std::time::{Duration, Instant};

/// The shortest time between two lines.
const INTERVAL: Duration = Duration::from_millis(200);

/// A line that is written over, if standard error is a terminal.
#[derive(Debug)]
pub(super) struct ProgressLine {
    is_shown: bool,
    next: Instant,
    is_dirty: bool,
}

impl ProgressLine {
    pub(super) fn new() -> Self {
        let is_dumb = std::env::var_os("TERM").is_some_and(|term| term == "dumb");
        let is_shown = io::stderr().is_terminal() && !is_dumb;
        Self { is_shown, next: Instant::now() + INTERVAL, is_dirty: false }
    }

    /// Shows the text, unless one was shown just now.
    pub(super) fn show(&mut self, text: impl FnOnce() -> String) {
        if !self.is_shown || Instant::now() < self.next {
            return;
        }
        self.next = Instant::now() + INTERVAL;
        self.is_dirty = true;
        let _ = write!(io::stderr(), "\r{}\x1b[K", text());
    }
}

impl Drop for ProgressLine {
    fn drop(&mut self) {
        if self.is_dirty {
            let _ = write!(io::stderr(), "\r\x1b[K");
        }
    }
}

/// A number of bytes as people read it.
#[allow(clippy::cast_precision_loss, reason = "it is rounded anyway")]
pub(super) fn human_bytes(bytes: u64) -> String {
    const UNITS: [(&str, u64); 3] = [("GB", 1_000_000_000), ("MB", 1_000_000), ("kB", 1_000)];
    match UNITS.iter().find(|(_, size)| bytes >= *size) {
        Some((unit, size)) => format!("{:.1} {unit}", bytes as f64 / *size as f64),
        None => format!("{bytes} bytes"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_have_units() {
        let sizes = [(0, "0 bytes"), (999, "999 bytes"), (1_500, "1.5 kB"), (2_000_000, "2.0 MB")];
        for (bytes, text) in sizes {
            assert_eq!(human_bytes(bytes), text);
        }
        assert_eq!(human_bytes(31_415_926_535), "31.4 GB");
    }
}
