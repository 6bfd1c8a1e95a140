//! `Arguments`: what a measurement was started with.
#![allow(dead_code, reason = "not every measurement has numbers, values and switches")]

use std::path::PathBuf;
use std::str::FromStr;

/// The arguments of the process.
pub(crate) struct Arguments(Vec<String>);

impl Arguments {
    /// The arguments, without the one that cargo adds; `None` after `--help`, which prints the usage.
    pub(crate) fn read(usage: &str) -> Option<Self> {
        let args = Self::of_process();
        if args.has("--help") {
            println!("{usage}");
            return None;
        }
        Some(args)
    }

    /// The program that is measured: `--binary PATH`, or the one that was built for the measurement.
    pub(crate) fn binary() -> PathBuf {
        let args = Self::of_process();
        args.value("--binary").unwrap_or(env!("CARGO_BIN_EXE_ratchet")).into()
    }

    fn of_process() -> Self {
        Self(std::env::args().skip(1).filter(|arg| arg != "--bench").collect())
    }

    /// Whether a switch is there.
    pub(crate) fn has(&self, name: &str) -> bool {
        self.0.iter().any(|arg| arg == name)
    }

    /// The argument after a name.
    pub(crate) fn value(&self, name: &str) -> Option<&str> {
        let at = self.0.iter().position(|arg| arg == name)?;
        self.0.get(at + 1).map(String::as_str)
    }

    /// The same as a number.
    pub(crate) fn number<T: FromStr>(&self, name: &str) -> Option<T> {
        self.value(name)?.parse().ok()
    }
}
