//! `cargo xtask guard PROGRAM ARGS`: a timeout for test binaries, which cargo starts through it.

mod watch;

use anyhow::{Context, Result};
use std::collections::BTreeSet;
use std::io::{Read, Write};
use std::os::unix::process::CommandExt;
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::{Duration, Instant};
use watch::Watch;

/// Time limit of one test; the variable overrides it on slower machines.
const SECONDS: (&str, u64) = ("RATCHET_TEST_SECONDS", 300);

/// Interval between checks of a silent program.
const POLL_INTERVAL: Duration = Duration::from_secs(1);

/// Runs a program and forwards its output; returns whether it succeeded. One that hangs is killed with its children.
pub(crate) fn run(args: &[&str]) -> Result<bool> {
    let (program, rest) = args.split_first().context("guard needs a program")?;
    let limit = std::env::var(SECONDS.0).ok().and_then(|text| text.parse().ok());
    let limit = Duration::from_secs(limit.unwrap_or(SECONDS.1));
    let mut command = Command::new(program);
    // A separate process group, so that its children can be killed with it.
    command.args(rest).stdout(Stdio::piped()).process_group(0);
    let mut child = command.spawn().with_context(|| format!("cannot run {program}"))?;
    let output = read_output(&mut child)?;
    let mut watch = Watch::new(limit, Instant::now());
    loop {
        let left = watch.deadline().saturating_duration_since(Instant::now());
        match output.recv_timeout(left.min(POLL_INTERVAL)) {
            Ok(bytes) => {
                let mut out = std::io::stdout();
                out.write_all(&bytes).and_then(|()| out.flush()).context("cannot print")?;
                watch.push_output(&bytes, Instant::now());
            }
            Err(RecvTimeoutError::Timeout) if !left.is_zero() => {
                // A child process may hold the output open after the program's end.
                if let Some(status) = child.try_wait().context("cannot wait")? {
                    kill_group(&child);
                    return Ok(status.success());
                }
            }
            Err(RecvTimeoutError::Timeout) => {
                kill(&mut child)?;
                report(program, rest, &watch, limit);
                return Ok(false);
            }
            Err(RecvTimeoutError::Disconnected) => {
                let status = child.wait().context("cannot wait")?;
                kill_group(&child);
                return Ok(status.success());
            }
        }
    }
}

/// Reads the output on a separate thread.
fn read_output(child: &mut Child) -> Result<Receiver<Vec<u8>>> {
    let mut output = child.stdout.take().context("the program has no output")?;
    let (sender, receiver) = channel();
    std::thread::spawn(move || {
        let mut bytes = [0; 8192];
        while let Ok(count @ 1..) = output.read(&mut bytes) {
            if sender.send(bytes.iter().take(count).copied().collect()).is_err() {
                return;
            }
        }
    });
    Ok(receiver)
}

/// Kills what a program has started and left running, such as the server of a `static`, which is never dropped.
fn kill_group(leader: &Child) {
    let group = format!("-{}", leader.id());
    // There may be nothing left to kill.
    let _ = Command::new("kill").args(["-KILL", "--", &group]).stderr(Stdio::null()).status();
}

fn kill(child: &mut Child) -> Result<()> {
    kill_group(child);
    let _ = child.kill();
    child.wait().context("cannot wait")?;
    Ok(())
}

/// Prints which tests hang, in the format of test binaries.
fn report(program: &str, args: &[&str], watch: &Watch, limit: Duration) {
    // A program without the test harness might start its work again.
    let mut unfinished = if watch.is_harness { tests(program, args) } else { BTreeSet::new() };
    unfinished.retain(|name| !watch.finished.contains(name));
    let hanging = watch.hanging();
    println!("\n{program} had no end of a test within {} seconds and was killed", limit.as_secs());
    for name in &hanging {
        println!("test {name} ... FAILED: it hangs");
    }
    for name in unfinished.difference(&hanging) {
        println!("test {name} did not finish");
    }
    let failed = watch.failed + hanging.union(&unfinished).count().max(1);
    println!("\ntest result: FAILED. {} passed; {failed} failed; 0 ignored; killed", watch.passed);
}

/// The tests that a binary would run.
fn tests(program: &str, args: &[&str]) -> BTreeSet<String> {
    let listed = Command::new(program).args(args).args(["--list", "--format=terse"]).output();
    let Ok(listed) = listed else { return BTreeSet::new() };
    let text = String::from_utf8_lossy(&listed.stdout);
    text.lines().filter_map(|line| line.strip_suffix(": test")).map(str::to_owned).collect()
}

#[cfg(test)]
mod tests;
