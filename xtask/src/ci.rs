//! Everything that must hold before a change may enter, in order, until something does not.

mod tally;

use crate::metadata::cargo;
use crate::{docs, layers, licences, report, tidy};
use anyhow::{Context, Result};
use std::io::{BufRead, BufReader, Write};
use std::process::Stdio;
use std::time::Instant;
use tally::Tally;

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
    let succeeded = timed("tests", &mut times, || run_tests(&mut tally))?;
    if !succeeded && tally.failed == 0 {
        println!("cargo test failed outside of any test: a build error or a crash, see above");
        return Ok(false);
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

/// Runs all tests, hands their output through as it comes, and counts.
fn run_tests(tally: &mut Tally) -> Result<bool> {
    let arguments = ["test", "--workspace", "--locked", "--no-fail-fast"];
    let (name, default) = FUZZ_SECONDS;
    let seconds = std::env::var(name).unwrap_or_else(|_| default.to_owned());
    println!("{name}={seconds} cargo {}", arguments.join(" "));
    let mut child = cargo()
        .args(arguments)
        .env(name, seconds)
        .stdout(Stdio::piped())
        .spawn()
        .context("cannot run cargo test")?;
    let mut output = BufReader::new(child.stdout.take().context("cargo test has no output")?);
    let mut shown = std::io::stdout();
    let mut line = Vec::new();
    while output.read_until(b'\n', &mut line).context("cannot read from cargo test")? > 0 {
        shown.write_all(&line).and_then(|()| shown.flush()).context("cannot print")?;
        tally.read(&String::from_utf8_lossy(&line));
        line.clear();
    }
    Ok(child.wait().context("cannot wait for cargo test")?.success())
}
