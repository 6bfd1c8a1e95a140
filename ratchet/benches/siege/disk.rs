//! Disks that fail: full ones, and ones whose flushes fail.
//!
//! A limit on the size of files stands for a full disk, and strace lets flushes fail: neither needs a disk of its own.

use crate::Findings;
use crate::ledger::Ledger;
use crate::process::{Disk, Process};
use std::process::{Command, Stdio};
use std::time::Duration;

/// How large a file may become, in blocks of 512 bytes.
const BLOCKS: u64 = 12 * 2048;

/// Writes until nothing fits any more. What was acknowledged is there, reads go on, and nobody panics.
pub(crate) fn full(found: &mut Findings) {
    let folder = tempfile::tempdir().unwrap();
    let mut process = Process::start(folder.path(), &["--controllers="], Disk::Full(BLOCKS));
    let mut client = process.client();
    let made = client.post("/api/v1/namespaces", r#"{"metadata":{"name":"ledger"}}"#);
    assert_eq!(made.code, 201, "{}", made.text());
    let mut ledger = Ledger::default();
    let value = "x".repeat(100_000);
    let (mut written, mut refused) = (0, 0);
    for number in 0..400 {
        match ledger.put(&mut client, &format!("full-{number}"), &format!("{number}-{value}")) {
            201 => written += 1,
            0 => {
                found.check(false, || "a full disk is not answered".to_owned());
                client = client.again();
            }
            _ => refused += 1,
        }
    }
    println!("full disk: {written} written, {refused} refused");
    found.check(refused > 0, || "the disk was not full".to_owned());
    found.is_calm(&mut process);
    let read = client.get(crate::ledger::MAPS);
    found.check(read.code == 200, || format!("reading from a full disk: {}", read.code));
    let mut process = process.killed_and_started_again();
    ledger.check(&mut process.client(), found);
    found.is_calm(&mut process);
}

fn can_trace() -> bool {
    let mut strace = Command::new("strace");
    let traced = strace.args(["-q", "-o", "/dev/null", "true"]).stderr(Stdio::null()).status();
    traced.is_ok_and(|status| status.success())
}

/// Writes while flushes fail again and again. What was acknowledged is there, in this server and in the next.
pub(crate) fn fails_to_flush(found: &mut Findings) {
    if !can_trace() {
        println!("failing flushes: NOT TRIED, for strace is not installed or may not trace here");
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let mut process = Process::start(folder.path(), &["--controllers="], Disk::FailsToFlush);
    let mut client = process.client();
    let made = client.post("/api/v1/namespaces", r#"{"metadata":{"name":"ledger"}}"#);
    assert_eq!(made.code, 201, "{}", made.text());
    let mut ledger = Ledger::default();
    let (mut written, mut refused) = (0, 0);
    for number in 0..600 {
        match ledger.put(&mut client, &format!("flush-{}", number % 200), &number.to_string()) {
            200 | 201 => written += 1,
            0 => {
                found.check(false, || "a disk that fails is not answered".to_owned());
                client = client.again();
            }
            _ => {
                refused += 1;
                // It mends itself, which takes a moment.
                std::thread::sleep(Duration::from_millis(50));
            }
        }
    }
    println!("failing flushes: {written} written, {refused} refused");
    found.check(written > 200, || "the store never was sound again".to_owned());
    found.check(refused > 0, || "no flush failed".to_owned());
    found.is_calm(&mut process);
    ledger.check(&mut client, found);
    let mut process = process.killed_and_started_again();
    ledger.check(&mut process.client(), found);
    found.is_calm(&mut process);
}
