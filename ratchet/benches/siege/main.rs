//! `cargo xtask siege`: hostile clients, all at once, against a `ratchet serve` of its own, and checks of the result.
#![allow(clippy::print_stdout, reason = "a siege tells what it found by printing")]
#![allow(clippy::unwrap_used, reason = "a siege that fails has failed")]
#![allow(clippy::expect_used, reason = "a siege that fails has failed")]
#![allow(clippy::indexing_slicing, reason = "a siege that fails has failed")]

#[path = "../measurement/arguments.rs"]
mod arguments;
mod attacks;
mod backend;
mod bodies;
mod disk;
#[path = "../../tests/hostile/mod.rs"]
mod hostile;
mod ledger;
mod probe;
mod slow;
#[path = "../measurement/times.rs"]
mod times;

use arguments::Arguments;
use attacks::{ATTACKS, Siege};
use hostile::process::Process;
use ledger::Ledger;
use std::process::ExitCode;
use std::time::{Duration, Instant};

const USAGE: &str = "\
usage: cargo bench -p ratchet --bench siege [-- [--seconds N] [--only ATTACK]]

Half an hour unless --seconds says otherwise. It starts its own server in a temporary folder, talks to addresses of this
machine only, and stops by itself. Exit status 1 where something did not hold.";

/// The memory limit of the server in megabytes. A build with debug assertions reads what it stores again to compare it, and
/// was seen with a fifth more than one without them.
const MEMORY: u64 = if cfg!(debug_assertions) { 900 } else { 600 };

/// The limit of the 99th percentile of `/livez` in milliseconds. A build with debug assertions is not judged.
const LIVEZ: f64 = 50.0;

fn main() -> ExitCode {
    let Some(args) = Arguments::read(USAGE) else { return ExitCode::SUCCESS };
    let seconds = args.value("--seconds").map_or(1800, |text| text.parse().expect("a number"));
    let mut findings = Findings::default();
    run_siege(Duration::from_secs(seconds), args.value("--only"), &mut findings);
    if args.value("--only").is_none() {
        disk::full(&mut findings);
        disk::fails_to_flush(&mut findings);
    }
    match findings.failures.is_empty() {
        true => println!("\nheld: nothing panicked, nothing was lost, memory stayed bounded"),
        false => println!("\nDID NOT HOLD:\n{}", findings.failures.join("\n")),
    }
    if findings.failures.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

/// Failed checks.
#[derive(Default)]
pub(crate) struct Findings {
    failures: Vec<String>,
}

impl Findings {
    /// Records a failure unless `holds`.
    pub(crate) fn check(&mut self, holds: bool, what: impl FnOnce() -> String) {
        if !holds {
            let what = what();
            println!("WRONG: {what}");
            self.failures.push(what);
        }
    }

    /// Checks that the server runs and its log has no panic.
    pub(crate) fn check_server(&mut self, process: &mut Process) {
        let fault = process.fault();
        self.check(fault.is_none(), || fault.unwrap_or_default());
    }
}

/// Runs all attacks at once, then checks the server.
fn run_siege(length: Duration, only: Option<&str>, findings: &mut Findings) {
    let folder = tempfile::tempdir().unwrap();
    let mut process = Process::start(folder.path(), "", &["--write-timeout=5s"]);
    let mut client = process.connect().unwrap();
    attacks::prepare(&mut client);
    let siege = Siege::new(&process, Instant::now() + length);
    let memory_before = process.memory();
    println!("{} s, {memory_before} MB before", length.as_secs());
    let probe = probe::start(process.connect().unwrap(), siege.ends);
    let mut ledger = Ledger::default();
    std::thread::scope(|scope| {
        let writers: Vec<_> =
            (0..2).map(|number| scope.spawn(move || ledger::write(siege, number))).collect();
        let chosen = ATTACKS.iter().filter(|attack| only.is_none_or(|only| only == attack.name));
        let mut threads = Vec::new();
        for attack in chosen {
            for number in 0..attack.threads {
                let run = move || (attack.run)(siege, number);
                threads.push((attack.name, scope.spawn(run)));
            }
        }
        let mut counts = std::collections::BTreeMap::<&str, u64>::new();
        for (name, thread) in threads {
            match thread.join() {
                Ok(count) => *counts.entry(name).or_default() += count,
                Err(panic) => {
                    let why = panic.downcast_ref::<String>().map_or("no answer", String::as_str);
                    findings.check(false, || format!("{name}: {why}"));
                }
            }
        }
        for writer in writers {
            match writer.join() {
                Ok(written) => ledger.extend(written),
                Err(_) => findings.check(false, || "a writer got no answer".to_owned()),
            }
        }
        for (name, count) in counts {
            println!("{name}: {count}");
        }
    });
    let probe::Probed { mut times, failed } = probe.join().unwrap_or_default();
    let (p50, p99, worst) = (times.at(0.5), times.at(0.99), times.at(1.0));
    println!(
        "/livez, asked {} times: p50 {p50:.1} ms, p99 {p99:.1} ms, at most {worst:.1} ms",
        times.0.len()
    );
    if cfg!(debug_assertions) {
        println!("(not judged: this is a build with debug assertions)");
    } else {
        findings.check(p99 < LIVEZ, || format!("/livez: p99 {p99:.1} ms"));
    }
    findings.check(failed == 0, || format!("/livez failed {failed} times"));
    let peak = process.peak();
    println!("memory: {peak} MB at the peak, {} MB now", process.memory());
    findings.check(peak < MEMORY, || format!("{peak} MB at the peak"));
    findings.check_server(&mut process);
    println!("written and acknowledged: {}", ledger.len());
    ledger.check(&mut process.connect().unwrap(), findings);
    // Like a power failure, as far as a process can tell.
    process.kill_and_restart();
    ledger.check(&mut process.connect().unwrap(), findings);
    findings.check_server(&mut process);
}
