//! Commands that run tests: through `xtask guard`, with their results counted.

use super::tally::Tally;
use crate::metadata::cargo;
use anyhow::{Context, Result};
use std::io::{BufRead, BufReader, Write};
use std::process::{Command, Stdio};

/// The seeds of the property tests and of the fuzz targets, as proptest and bolero read them.
const SEEDS: [&str; 2] = ["PROPTEST_RNG_SEED", "BOLERO_RANDOM_SEED"];

/// A cargo command that starts test binaries through `xtask guard`, so that none hangs for ever.
pub(crate) fn guarded() -> Result<Command> {
    let own = std::env::current_exe().context("cannot find this program")?;
    let own = own.to_str().context("this program's path is no UTF-8")?;
    let mut command = cargo();
    // `--config` must precede the subcommand.
    let runner = serde_json::to_string(&[own, "guard"]).context("a path")?;
    command.arg("--config").arg(format!("target.'cfg(all())'.runner = {runner}"));
    for variable in SEEDS.into_iter().filter(|variable| std::env::var_os(variable).is_none()) {
        let seed = seed_of_tree();
        println!("{variable}={seed}");
        command.env(variable, seed.to_string());
    }
    Ok(command)
}

/// A number that is the same for the same committed files: property tests and fuzz targets try other values with each
/// commit, and a failure of CI comes again on any machine that has the commit.
fn seed_of_tree() -> u64 {
    let tree = Command::new("git").args(["rev-parse", "HEAD^{tree}"]).output();
    let digits = tree.map(|output| output.stdout).unwrap_or_default();
    let digits = digits.first_chunk::<16>().and_then(|digits| std::str::from_utf8(digits).ok());
    digits.and_then(|digits| u64::from_str_radix(digits, 16).ok()).unwrap_or_default()
}

/// Runs tests, forwards their output, and counts results. The output goes out as it comes or, where other tests run at the
/// same time, suite by suite.
pub(crate) fn run_counted(command: &mut Command, tally: &mut Tally) -> Result<bool> {
    let mut child = command.stdout(Stdio::piped()).spawn().context("cannot run the tests")?;
    let mut output = BufReader::new(child.stdout.take().context("the tests have no output")?);
    let mut stdout = std::io::stdout();
    let (mut line, mut held) = (Vec::new(), Vec::new());
    while output.read_until(b'\n', &mut line).context("cannot read from the tests")? > 0 {
        tally.add_line(&String::from_utf8_lossy(&line));
        let ends_suite = line.starts_with(b"test result: ");
        held.append(&mut line);
        if !tally.is_beside || ends_suite {
            stdout.write_all(&held).and_then(|()| stdout.flush()).context("cannot print")?;
            held.clear();
        }
    }
    stdout.write_all(&held).and_then(|()| stdout.flush()).context("cannot print")?;
    Ok(child.wait().context("cannot wait for the tests")?.success())
}
