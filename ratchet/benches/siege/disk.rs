//! Disk failures, simulated without a disk of their own: a file size limit for a full one, strace for failing flushes.

use crate::Findings;
use crate::hostile::process::Process;
use crate::ledger::Ledger;
use std::process::{Command, Stdio};
use std::time::Duration;

/// No file can grow beyond these blocks of 512 bytes; writes then fail, because the signal is ignored.
const FULL: &str = "trap '' XFSZ; ulimit -f 24576";

/// One flush in 23 fails, after those of the start: strace injects the errors and leaves the server as the child process.
const FAILS_TO_FLUSH: &str = "exec strace -D -f -q --seccomp-bpf -o /dev/null \
    -e trace=fdatasync -e inject=fdatasync:error=EIO:when=60+23 \"$@\"";

/// Writes until the disk is full. Acknowledged writes must be stored, reads must succeed, and nothing may panic.
pub(crate) fn full(findings: &mut Findings) {
    let folder = tempfile::tempdir().unwrap();
    let mut process = Process::start(folder.path(), FULL, &["--controllers="]);
    let mut client = process.connect().unwrap();
    let made = client.post("/api/v1/namespaces", r#"{"metadata":{"name":"ledger"}}"#);
    assert_eq!(made.code, 201, "{}", made.text());
    let mut ledger = Ledger::default();
    let value = "x".repeat(100_000);
    let (mut written, mut refused) = (0, 0);
    for number in 0..400 {
        match ledger.put(&mut client, &format!("full-{number}"), &format!("{number}-{value}")) {
            201 => written += 1,
            0 => {
                findings.check(false, || "a full disk is not answered".to_owned());
                client = client.again();
            }
            _ => refused += 1,
        }
    }
    println!("full disk: {written} written, {refused} refused");
    findings.check(refused > 0, || "the disk was not full".to_owned());
    findings.check_server(&mut process);
    let read = client.get(crate::ledger::MAPS);
    findings.check(read.code == 200, || format!("reading from a full disk: {}", read.code));
    process.kill_and_restart();
    ledger.check(&mut process.connect().unwrap(), findings);
    findings.check_server(&mut process);
}

/// Whether strace is installed and allowed to trace.
fn can_trace() -> bool {
    let mut strace = Command::new("strace");
    let traced = strace.args(["-q", "-o", "/dev/null", "true"]).stderr(Stdio::null()).status();
    traced.is_ok_and(|status| status.success())
}

/// Writes while flushes fail repeatedly. Acknowledged writes must be stored, before and after a restart.
pub(crate) fn fails_to_flush(findings: &mut Findings) {
    if !can_trace() {
        println!("failing flushes: NOT TRIED, for strace is not installed or may not trace here");
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let mut process = Process::start(folder.path(), FAILS_TO_FLUSH, &["--controllers="]);
    let mut client = process.connect().unwrap();
    let made = client.post("/api/v1/namespaces", r#"{"metadata":{"name":"ledger"}}"#);
    assert_eq!(made.code, 201, "{}", made.text());
    let mut ledger = Ledger::default();
    let (mut written, mut refused) = (0, 0);
    for number in 0..600 {
        match ledger.put(&mut client, &format!("flush-{}", number % 200), &number.to_string()) {
            200 | 201 => written += 1,
            0 => {
                findings.check(false, || "a disk that fails is not answered".to_owned());
                client = client.again();
            }
            _ => {
                refused += 1;
                // The store recovers by itself after a moment.
                std::thread::sleep(Duration::from_millis(50));
            }
        }
    }
    println!("failing flushes: {written} written, {refused} refused");
    findings.check(written > 200, || "the store never was sound again".to_owned());
    findings.check(refused > 0, || "no flush failed".to_owned());
    findings.check_server(&mut process);
    ledger.check(&mut client, findings);
    process.kill_and_restart();
    ledger.check(&mut process.connect().unwrap(), findings);
    findings.check_server(&mut process);
}
