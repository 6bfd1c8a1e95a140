//! `cargo xtask siege`: hostile clients, all at once, against a `ratchet serve` of its own, and what must hold then.
#![allow(clippy::print_stdout, reason = "a siege tells what it found by printing")]
#![allow(clippy::unwrap_used, reason = "a siege that fails has failed")]
#![allow(clippy::expect_used, reason = "a siege that fails has failed")]
#![allow(clippy::indexing_slicing, reason = "a siege that fails has failed")]

mod attacks;
mod backend;
mod bodies;
mod disk;
#[path = "../../tests/hostile/mod.rs"]
mod hostile;
mod ledger;
mod probe;
mod process;
mod slow;

use attacks::{ATTACKS, Field};
use ledger::Ledger;
use process::{Disk, Process};
use std::process::ExitCode;
use std::time::{Duration, Instant};

const USAGE: &str = "\
usage: cargo bench -p ratchet --bench siege [-- [--seconds N] [--only ATTACK]]

Half an hour unless --seconds says otherwise. It starts its own server in a temporary folder, talks to addresses of this
machine only, and stops by itself. Exit status 1 where something did not hold.";

/// What the server may hold at most, in megabytes, whatever is done to it.
const MEMORY: u64 = 600;

/// How long `/livez` may take in 99 of 100 cases, in milliseconds. A build with debug assertions is only told of.
const LIVEZ: f64 = 50.0;

fn main() -> ExitCode {
    let args: Vec<String> = std::env::args().skip(1).filter(|arg| arg != "--bench").collect();
    if args.iter().any(|arg| arg == "--help") {
        println!("{USAGE}");
        return ExitCode::SUCCESS;
    }
    let value = |name: &str| {
        let at = args.iter().position(|arg| arg == name)?;
        args.get(at + 1).cloned()
    };
    let seconds = value("--seconds").map_or(1800, |text| text.parse().expect("a number"));
    let mut found = Findings::default();
    field(Duration::from_secs(seconds), value("--only").as_deref(), &mut found);
    if value("--only").is_none() {
        disk::full(&mut found);
        disk::fails_to_flush(&mut found);
    }
    match found.wrong.is_empty() {
        true => println!("\nheld: nothing panicked, nothing was lost, memory stayed bounded"),
        false => println!("\nDID NOT HOLD:\n{}", found.wrong.join("\n")),
    }
    if found.wrong.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

/// What was found to be wrong.
#[derive(Default)]
pub(crate) struct Findings {
    wrong: Vec<String>,
}

impl Findings {
    /// Notes what does not hold.
    pub(crate) fn check(&mut self, holds: bool, what: impl FnOnce() -> String) {
        if !holds {
            let what = what();
            println!("WRONG: {what}");
            self.wrong.push(what);
        }
    }

    /// The process lives and its log tells of no panic.
    pub(crate) fn is_calm(&mut self, process: &mut Process) {
        let ended = process.ended();
        self.check(ended.is_none(), || format!("the server ended: {ended:?}\n{}", process.log()));
        let log = process.log();
        let bad = ["panick", "overflow", "abort", "memory allocation"];
        let line = log.lines().find(|line| bad.iter().any(|word| line.contains(word)));
        self.check(line.is_none(), || format!("the log says: {}", line.unwrap_or_default()));
    }
}

/// All attacks at once, then what must hold.
fn field(length: Duration, only: Option<&str>, found: &mut Findings) {
    let folder = tempfile::tempdir().unwrap();
    let mut process = Process::start(folder.path(), &["--write-timeout=5s"], Disk::Sound);
    let mut client = process.client();
    attacks::prepare(&mut client);
    let field = Field::new(&process, Instant::now() + length);
    let rested = process.memory();
    println!("{} s, {rested} MB before", length.as_secs());
    let probe = probe::start(process.client(), field.ends);
    let mut ledger = Ledger::default();
    std::thread::scope(|scope| {
        let writers: Vec<_> =
            (0..2).map(|number| scope.spawn(move || ledger::write(field, number))).collect();
        let chosen = ATTACKS.iter().filter(|attack| only.is_none_or(|only| only == attack.name));
        let mut threads = Vec::new();
        for attack in chosen {
            for number in 0..attack.threads {
                let run = move || (attack.run)(field, number);
                threads.push((attack.name, scope.spawn(run)));
            }
        }
        let mut counts = std::collections::BTreeMap::<&str, u64>::new();
        for (name, thread) in threads {
            match thread.join() {
                Ok(count) => *counts.entry(name).or_default() += count,
                Err(panic) => {
                    let why = panic.downcast_ref::<String>().map_or("no answer", String::as_str);
                    found.check(false, || format!("{name}: {why}"));
                }
            }
        }
        for writer in writers {
            match writer.join() {
                Ok(written) => ledger.extend(written),
                Err(_) => found.check(false, || "a writer got no answer".to_owned()),
            }
        }
        for (name, count) in counts {
            println!("{name}: {count}");
        }
    });
    let mut times = probe.join().unwrap_or_default();
    let (p50, p99, worst) = (times.at(0.5), times.at(0.99), times.at(1.0));
    println!(
        "/livez, asked {} times: p50 {p50:.1} ms, p99 {p99:.1} ms, at most {worst:.1} ms",
        times.0.len()
    );
    if cfg!(debug_assertions) {
        println!("(not judged: this is a build with debug assertions)");
    } else {
        found.check(p99 < LIVEZ, || format!("/livez: p99 {p99:.1} ms"));
    }
    found.check(times.1 == 0, || format!("/livez failed {} times", times.1));
    let peak = process.peak();
    println!("memory: {peak} MB at the peak, {} MB now", process.memory());
    found.check(peak < MEMORY, || format!("{peak} MB at the peak"));
    found.is_calm(&mut process);
    println!("written and acknowledged: {}", ledger.len());
    ledger.check(&mut process.client(), found);
    // As after a failure of the power, as far as a process can tell.
    let mut process = process.killed_and_started_again();
    ledger.check(&mut process.client(), found);
    found.is_calm(&mut process);
}
