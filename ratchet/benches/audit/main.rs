//! `cargo xtask audit`: how long `ratchet audit` takes for 100,000 live objects, and the most memory that it holds.
#![allow(clippy::print_stdout, reason = "a measurement speaks by printing")]
#![allow(clippy::unwrap_used, reason = "a measurement that fails is no measurement")]
#![allow(clippy::expect_used, reason = "a measurement that fails is no measurement")]
#![allow(clippy::indexing_slicing, reason = "a measurement that fails is no measurement")]

#[path = "../measurement/mod.rs"]
mod measurement;
mod objects;

use measurement::arguments::Arguments;
use measurement::figures::Table;
use measurement::process::{ServerProcess, processor};
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};
use tokio::runtime::Builder;

const USAGE: &str = "\
usage: cargo bench -p ratchet --bench audit [-- [--quick] [--objects N]]

Starts `ratchet serve` as an old cluster, fills it with objects (pods, Services, EndpointSlices, Deployments, ReplicaSets,
NetworkPolicies; one in fifty has an address in an old spelling) and audits it several times: as fast as it goes, with the
default limits of load, for two releases, and with a Pod Security level that most pods do not pass, so that there is a
finding for most objects. Server and audit share the processors.

  --objects N  number of objects (100,000; 2,000 with --quick)";

/// Flags of a server that takes what old servers took, and runs no controllers that would add to it.
const OLD: &[&str] = &[
    "--feature-gates=StrictIPCIDRValidation=false",
    "--behavior=released",
    "--controllers=",
    "--disable-admission-plugins=ServiceAccount",
];

/// The audits: what is measured, and their flags.
const AUDITS: &[(&str, &[&str])] = &[
    ("`-o json`, no limit of load", &["-o", "json", "--qps", "0"]),
    ("`-o json`, 20 requests a second as by default", &["-o", "json"]),
    ("`-o html`", &["-o", "html", "--qps", "0"]),
    ("two releases", &["-o", "json", "--qps", "0", "--target-version", "1.35,1.36"]),
    (
        "a finding for most objects, `-o json`",
        &["-o", "json", "--qps", "0", "--pod-security", "restricted"],
    ),
    (
        "a finding for most objects, `-o html`",
        &["-o", "html", "--qps", "0", "--pod-security", "restricted"],
    ),
    (
        "a finding for most objects, `-o policyreport`",
        &["-o", "policyreport", "--qps", "0", "--pod-security", "restricted"],
    ),
];

/// What one audit took.
struct Run {
    time: Duration,
    /// The most memory, in megabytes.
    peak: f64,
    /// The size of the report, in megabytes.
    size: f64,
}

fn main() {
    let Some(args) = Arguments::read(USAGE) else { return };
    let objects = args.number("--objects").unwrap_or(match args.has("--quick") {
        true => 2000,
        false => 100_000,
    });
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path().join("data");
    let server = ServerProcess::start_with(&data, OLD);
    let runtime = Builder::new_multi_thread().enable_all().build().unwrap();
    let begun = Instant::now();
    runtime.block_on(objects::fill(&server.target(), objects));
    let mut table = Table::default();
    table.row("objects", format!("{objects}, created in {:.0} s", begun.elapsed().as_secs_f64()));
    for (what, flags) in AUDITS {
        let before = processor(server.pid());
        let run = audit(&data, &folder.path().join("report"), flags);
        let busy = processor(server.pid()).saturating_sub(before).as_secs_f64();
        let Run { time, peak, size } = run;
        table.row(
            what,
            format!(
                "{:.1} s, at most {peak:.1} MB, report of {size:.1} MB; {busy:.1} s of a processor in the server",
                time.as_secs_f64()
            ),
        );
    }
    table.row("memory of the server", format!("{:.0} MB", server.memory()));
    println!("{table}");
}

/// Runs one audit; its report is written to a file.
fn audit(data: &Path, report: &Path, flags: &[&str]) -> Run {
    let begun = Instant::now();
    let mut child = Command::new(env!("CARGO_BIN_EXE_ratchet"))
        .arg("audit")
        .arg("--kubeconfig")
        .arg(data.join("kubeconfig"))
        .args(flags)
        .stdout(Stdio::from(std::fs::File::create(report).unwrap()))
        .spawn()
        .unwrap();
    let mut peak: f64 = 0.0;
    let ended = loop {
        if let Some(held) = high_water(child.id()) {
            peak = peak.max(held);
        }
        if let Some(ended) = child.try_wait().unwrap() {
            break ended;
        }
        std::thread::sleep(Duration::from_millis(5));
    };
    assert_eq!(ended.code(), Some(1), "the audit ended with {ended}, not with findings");
    let size = std::fs::metadata(report).unwrap().len() as f64 / 1_000_000.0;
    Run { time: begun.elapsed(), peak, size }
}

/// The most memory that a process held, in megabytes; `None` when it has ended.
fn high_water(pid: u32) -> Option<f64> {
    let status = std::fs::read_to_string(format!("/proc/{pid}/status")).ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    let kib: f64 = line.split_whitespace().next()?.parse().ok()?;
    Some(kib * 1024.0 / 1_000_000.0)
}
