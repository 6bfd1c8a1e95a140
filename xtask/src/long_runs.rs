//! `cargo xtask crash`, `power`, `histories`, `soak`, `limits`, `predictions`: tests that CI runs for seconds, run for long.

use crate::etcd;
use anyhow::{Context, Result, bail, ensure};
use std::process::Command;

/// A test whose length a variable sets.
pub(crate) struct LongRun {
    name: &'static str,
    /// The test binary, as cargo names it.
    binary: &'static [&'static str],
    /// What the names of the tests begin with.
    tests: &'static [&'static str],
    /// The option that sets the length.
    option: &'static str,
    variable: &'static str,
    /// The length of a full run.
    full: &'static str,
    /// The tests and their variable with `--etcd`, which are ignored without an etcd.
    etcd: Option<(&'static str, &'static str)>,
}

const FIRE: &[&str] = &["-p", "ratchet", "--test", "fire"];

const LONG_RUNS: &[LongRun] = &[
    LongRun {
        name: "crash",
        binary: FIRE,
        tests: &["crash::"],
        option: "--kills",
        variable: "RATCHET_CRASH_KILLS",
        full: "500",
        etcd: None,
    },
    LongRun {
        name: "power",
        binary: &["-p", "ratchet-embedded", "--lib"],
        tests: &["faults::power::", "faults::concurrent::"],
        option: "--cuts",
        variable: "RATCHET_POWER_CUTS",
        full: "10000",
        etcd: None,
    },
    LongRun {
        name: "histories",
        binary: FIRE,
        tests: &["recorded::"],
        option: "--seconds",
        variable: "RATCHET_HISTORIES_SECONDS",
        full: "300",
        etcd: Some(("recorded_etcd::", "RATCHET_ETCD_HISTORIES_SECONDS")),
    },
    LongRun {
        name: "soak",
        binary: FIRE,
        tests: &["soak::"],
        option: "--seconds",
        variable: "RATCHET_SOAK_SECONDS",
        full: "1800",
        etcd: None,
    },
    LongRun {
        name: "limits",
        binary: FIRE,
        tests: &["limits::"],
        option: "--percent",
        variable: "RATCHET_LIMITS_PERCENT",
        full: "100",
        etcd: None,
    },
    LongRun {
        name: "predictions",
        binary: &["-p", "ratchet", "--test", "audit"],
        tests: &["predictions::"],
        option: "--objects",
        variable: "RATCHET_PREDICTIONS",
        full: "2000",
        etcd: None,
    },
];

/// The long run with a name.
pub(crate) fn find(name: &str) -> Option<&'static LongRun> {
    LONG_RUNS.iter().find(|run| run.name == name)
}

impl LongRun {
    /// Runs it, with a release build unless `--profile` names another.
    pub(crate) fn run(&self, args: &[&str]) -> Result<bool> {
        let (mut length, mut profile, mut on_etcd) = (self.full, "release", None);
        let mut rest = args.iter().copied();
        while let Some(option) = rest.next() {
            if option == "--etcd" && self.etcd.is_some() {
                on_etcd = self.etcd;
                continue;
            }
            let value = rest.next().with_context(|| format!("{option} needs a value"))?;
            match option {
                "--profile" => profile = value,
                _ if option == self.option => length = value,
                _ => bail!("{} has {} and --profile, not {option}", self.name, self.option),
            }
        }
        ensure!(length.parse::<u64>().is_ok(), "{} must be a number", self.option);
        let mut command = Command::new("cargo");
        command.args(["test", "--locked", "--profile", profile]).args(self.binary);
        command.args(["--", "--nocapture", "--test-threads=1"]);
        match on_etcd {
            None => command.args(self.tests).env(self.variable, length),
            Some((tests, variable)) => {
                let (programs, missing) = etcd::find()?;
                missing.iter().for_each(|what| eprintln!("{what}"));
                command.args([tests, "--ignored"]).env(variable, length);
                command.env(etcd::VARIABLE, programs)
            }
        };
        Ok(command.status().context("cannot run cargo")?.success())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options_are_those_of_the_run() {
        let run = find("crash").unwrap();
        for (args, why) in [
            (&["--cuts", "3"][..], "crash has --kills and --profile, not --cuts"),
            (&["--kills"], "--kills needs a value"),
            (&["--kills", "many"], "--kills must be a number"),
            (&["--etcd", "3"], "crash has --kills and --profile, not --etcd"),
        ] {
            assert_eq!(run.run(args).unwrap_err().to_string(), why);
        }
        assert!(find("siege").is_none());
    }
}
