//! `cargo xtask ci`: all checks and tests in order, up to the first failing check.

mod tally;
mod test_command;

use crate::kube_tool::{HELM, KUBECTL};
use crate::metadata::cargo;
use crate::replay::ORACLE;
use crate::{chromium, clients, docs, etcd, layers, licences, report, tables, tidy};
use anyhow::{Context, Result, anyhow};
use std::ffi::{OsStr, OsString};
use std::process::Command;
use std::time::Instant;
pub(crate) use tally::Tally;
pub(crate) use test_command::{guarded, run_counted};

/// A step's name and function, which returns whether it succeeded.
type Step = (&'static str, fn(&mut Tally) -> Result<bool>);

const STEPS: &[Step] = &[
    ("format", |_| succeeds(&["fmt", "--all", "--check"])),
    ("clippy", |_| {
        succeeds(&["clippy", "--workspace", "--all-targets", "--locked", "--", "-D", "warnings"])
    }),
    ("layers", |_| Ok(report(&layers::check()?))),
    ("tidy", |_| Ok(report(&tidy::check()?))),
    ("docs", |_| Ok(report(&docs::check()?))),
    ("licences", |tally| Ok(report(&licences::check(tally)?))),
    ("tables", |tally| Ok(report(&tables::check(tally)?))),
    ("build", |_| succeeds(&["test", "--workspace", "--locked", "--no-run"])),
];

/// Steps that count tests; all of them run, also when one fails. Those of a lane run one after the other, the lanes side by
/// side: those of the second one mostly wait, for an etcd or for a browser.
const LANES: [&[Step]; 2] = [
    &[("tests", run_tests)],
    &[
        ("etcd", run_etcd),
        ("browser", chromium::run_tests),
        ("recordings", run_recordings),
        ("siege", run_siege),
        ("clients", clients::python),
    ],
];

/// Tests that need something outside of the repository: the variable with its path, the package and its test binary.
/// They are ignored as `needs VARIABLE`.
const RECORDINGS: &[(&str, &str, &str)] = &[
    (ORACLE, "ratchet-crd", "oracle"),
    (ORACLE, "ratchet-engine", "oracle"),
    ("RATCHET_FIXTURES", "ratchet-object", "fixtures"),
    ("RATCHET_CONTROLLER_RUNTIME", "ratchet", "envtest"),
    ("RATCHET_KUBE_COMPONENTS", "ratchet", "serve_controllers"),
    ("RATCHET_PROMTOOL", "ratchet", "webhook_deploy"),
];

/// Programs that PATH may have, where their variable is not set.
const IN_PATH: &[(&str, &str)] = &[("RATCHET_PROMTOOL", "promtool")];

/// The test binaries that start etcd.
const ETCD: &[&str] = &["fire", "serve_etcd", "store_etcd", "etcd"];

/// Time limit of each of them: some read gigabytes, and Go compiles what it tests.
const RECORDINGS_SECONDS: (&str, &str) = ("RATCHET_TEST_SECONDS", "3600");

/// Duration of the siege; `cargo xtask siege` runs half an hour, with a release build.
const SIEGE_SECONDS: &str = "25";

/// Duration of each fuzz test; the variable overrides it.
const FUZZ_SECONDS: (&str, &str) = ("RATCHET_FUZZ_SECONDS", "3");

/// Runs every step, then the tests; the last lines list what was not run, and `N passed, M failed`.
pub(crate) fn run() -> Result<bool> {
    let mut times = Vec::new();
    let mut tally = Tally::default();
    for (name, step) in STEPS {
        if !timed(name, &mut times, || step(&mut tally))? {
            println!("ci stopped at {name}: the steps after it and the tests were not run");
            return Ok(false);
        }
    }
    let (first, second) = std::thread::scope(|scope| {
        let second = scope.spawn(|| run_lane(LANES[1], Tally::beside()));
        (run_lane(LANES[0], Tally::default()), second.join())
    });
    let second = second.map_err(|_| anyhow!("the second lane panicked"))?;
    let mut succeeded = true;
    for lane in [first, second] {
        succeeded &= lane.succeeded;
        times.extend(lane.times);
        tally.merge(lane.tally);
    }
    tally.settle();
    println!("\n=== summary\n{}", times.join(", "));
    println!("{} suites of tests, {} tests ignored", tally.suites, tally.ignored);
    tally.print_left_out();
    println!("{} passed, {} failed", tally.passed, tally.failed);
    Ok(succeeded)
}

/// What came of a lane.
struct LaneOutcome {
    succeeded: bool,
    times: Vec<String>,
    tally: Tally,
}

/// Runs the steps of a lane.
fn run_lane(steps: &[Step], tally: Tally) -> LaneOutcome {
    let mut lane = LaneOutcome { succeeded: true, times: Vec::new(), tally };
    for (name, tests) in steps {
        let before = lane.tally.failed;
        let result = timed(name, &mut lane.times, || tests(&mut lane.tally));
        let all_passed = result.unwrap_or_else(|error| {
            println!("{name}: {error:#}");
            lane.tally.not_run(format!("{name}: {error:#}"));
            false
        });
        if !all_passed && lane.tally.failed == before {
            println!("{name} failed outside of any test: a build error or a crash, see above");
        }
        lane.succeeded &= all_passed;
    }
    lane
}

/// Runs a step, with a heading before it and its duration after it.
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
    let mut command = guarded()?;
    command.args(arguments).env(name, seconds);
    for tool in [&KUBECTL, &HELM] {
        let (program, instead) = tool.find()?;
        command.env(tool.variable, program);
        instead.into_iter().for_each(|what| tally.not_run(what));
    }
    run_counted(&mut command, tally)
}

/// Runs the tests on real etcd, which is brought where it is absent.
fn run_etcd(tally: &mut Tally) -> Result<bool> {
    let (programs, missing) = etcd::find()?;
    missing.into_iter().for_each(|what| tally.not_run(what));
    tally.forget_ignored(&format!("needs {}", etcd::VARIABLE));
    let (name, default) = RECORDINGS_SECONDS;
    let seconds = std::env::var(name).unwrap_or_else(|_| default.to_owned());
    run_ignored(ETCD, &[(etcd::VARIABLE, programs.as_os_str()), (name, seconds.as_ref())], tally)
}

/// Runs the ignored tests of some test binaries one at a time, because each starts programs that need the machine.
pub(crate) fn run_ignored(
    binaries: &[&str],
    variables: &[(&str, &OsStr)],
    tally: &mut Tally,
) -> Result<bool> {
    // Not `--package`: the features of dependencies would differ from those of the tests, and half of the tree would be
    // built a second time.
    let mut arguments = vec!["test", "--workspace", "--locked", "--no-fail-fast"];
    binaries.iter().for_each(|binary| arguments.extend(["--test", binary]));
    arguments.extend(["--", "--ignored", "--test-threads=1"]);
    let named = variables.iter().map(|(name, value)| format!("{name}={}", value.display()));
    println!("{} cargo {}", named.collect::<Vec<_>>().join(" "), arguments.join(" "));
    let mut command = guarded()?;
    command.args(arguments).envs(variables.iter().copied());
    run_counted(&mut command, tally)
}

/// Runs the tests whose variable is set.
fn run_recordings(tally: &mut Tally) -> Result<bool> {
    let mut succeeded = true;
    for (variable, package, binary) in RECORDINGS {
        let named = std::env::var_os(variable).or_else(|| in_path(variable));
        let Some(named) = named else { continue };
        tally.forget_ignored(&format!("needs {variable}"));
        let arguments = ["test", "--locked", "-p", package, "--test", binary, "--", "--ignored"];
        println!("cargo {}", arguments.join(" "));
        let (name, default) = RECORDINGS_SECONDS;
        let seconds = std::env::var(name).unwrap_or_else(|_| default.to_owned());
        let mut command = guarded()?;
        command.args(arguments).env(name, seconds).env(variable, named);
        succeeded &= run_counted(&mut command, tally)?;
    }
    Ok(succeeded)
}

/// The program for a variable, if PATH has it.
fn in_path(variable: &str) -> Option<OsString> {
    let (_, program) = IN_PATH.iter().find(|(own, _)| *own == variable)?;
    let answer = Command::new(program).arg("--version").output();
    answer.is_ok_and(|answer| answer.status.success()).then(|| OsString::from(program))
}

/// Runs a short siege with the build that the tests use; it counts as one test.
fn run_siege(tally: &mut Tally) -> Result<bool> {
    // Not `--package`, as for the tests on etcd.
    let arguments = ["bench", "--locked", "--profile", "dev", "--workspace", "--bench", "siege"];
    let passed = succeeds(&[&arguments[..], &["--", "--seconds", SIEGE_SECONDS]].concat())?;
    tally.add(passed);
    let traced = Command::new("strace").args(["-q", "-o", "/dev/null", "true"]).output();
    if !traced.is_ok_and(|output| output.status.success()) {
        tally.not_run("the siege's failing flushes: strace is not installed or may not trace here");
    }
    Ok(passed)
}
