//! Everything that must hold before a change may enter, in order, until something does not.

mod tally;

use crate::metadata::cargo;
use crate::{clients, docs, layers, licences, report, tidy};
use anyhow::{Context, Result};
use std::io::{BufRead, BufReader, Write};
use std::process::{Command, Stdio};
use std::time::Instant;
pub(crate) use tally::Tally;

/// A name, and what tells whether it went well.
type Step = (&'static str, fn() -> Result<bool>);

const STEPS: &[Step] = &[
    ("format", || succeeds(&["fmt", "--all", "--check"])),
    ("clippy", || {
        succeeds(&["clippy", "--workspace", "--all-targets", "--locked", "--", "-D", "warnings"])
    }),
    ("layers", || Ok(report(&layers::check()?))),
    ("tidy", || Ok(report(&tidy::check()?))),
    ("docs", || Ok(report(&docs::check()?))),
    ("licences", || Ok(report(&licences::check()?))),
];

/// What counts its tests; all of them run, also when one fails.
type Tests = (&'static str, fn(&mut Tally) -> Result<bool>);

const TESTS: &[Tests] = &[("tests", run_tests), ("clients", clients::run)];

/// How long each fuzz test looks for a counterexample; whoever wants more sets the variable.
const FUZZ_SECONDS: (&str, &str) = ("RATCHET_FUZZ_SECONDS", "3");

/// Runs every step, then the tests; the last line is `N passed, M failed`.
pub(crate) fn run() -> Result<bool> {
    let mut times = Vec::new();
    for (name, step) in STEPS {
        if !timed(name, &mut times, step)? {
            println!("ci stopped at {name}: the steps after it and the tests were not run");
            return Ok(false);
        }
    }
    let mut tally = Tally::default();
    let mut succeeded = true;
    for (name, tests) in TESTS {
        let before = tally.failed;
        let all_passed = timed(name, &mut times, || tests(&mut tally))?;
        if !all_passed && tally.failed == before {
            println!("{name} failed outside of any test: a build error or a crash, see above");
            return Ok(false);
        }
        succeeded &= all_passed;
    }
    println!("\n=== summary\n{}", times.join(", "));
    println!("{} suites of tests, {} tests ignored", tally.suites, tally.ignored);
    println!("{} passed, {} failed", tally.passed, tally.failed);
    Ok(succeeded)
}

/// Runs a step between a heading and the time it took.
fn timed(name: &str, times: &mut Vec<String>, step: impl FnOnce() -> Result<bool>) -> Result<bool> {
    println!("\n=== {name}");
    let start = Instant::now();
    let succeeded = step().with_context(|| format!("in step {name}"))?;
    let seconds = start.elapsed().as_secs_f64();
    println!("--- {name}: {} in {seconds:.1} s", if succeeded { "ok" } else { "FAILED" });
    times.push(format!("{name} {seconds:.1} s"));
    Ok(succeeded)
}

fn succeeds(arguments: &[&str]) -> Result<bool> {
    println!("cargo {}", arguments.join(" "));
    Ok(cargo().args(arguments).status().context("cannot run cargo")?.success())
}

/// Runs all tests of the workspace.
fn run_tests(tally: &mut Tally) -> Result<bool> {
    let arguments = ["test", "--workspace", "--locked", "--no-fail-fast"];
    let (name, default) = FUZZ_SECONDS;
    let seconds = std::env::var(name).unwrap_or_else(|_| default.to_owned());
    println!("{name}={seconds} cargo {}", arguments.join(" "));
    counted(cargo().args(arguments).env(name, seconds), tally)
}

/// Runs tests, hands their output through as it comes, and counts.
pub(crate) fn counted(command: &mut Command, tally: &mut Tally) -> Result<bool> {
    let mut child = command.stdout(Stdio::piped()).spawn().context("cannot run the tests")?;
    let mut output = BufReader::new(child.stdout.take().context("the tests have no output")?);
    let mut shown = std::io::stdout();
    let mut line = Vec::new();
    while output.read_until(b'\n', &mut line).context("cannot read from the tests")? > 0 {
        shown.write_all(&line).and_then(|()| shown.flush()).context("cannot print")?;
        tally.read(&String::from_utf8_lossy(&line));
        line.clear();
    }
    Ok(child.wait().context("cannot wait for the tests")?.success())
}
