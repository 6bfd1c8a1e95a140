//! The target that a release is built for, by what the toolchain has, and the build.

use crate::clients;
use crate::metadata::cargo;
use anyhow::{Context, Result, bail, ensure};
use std::collections::BTreeSet;
use std::path::PathBuf;
use std::process::Command;

/// What this machine can build with.
pub(super) struct Tools {
    /// The triple of this machine.
    pub(super) host: String,
    /// Triples whose standard library is installed.
    installed: BTreeSet<String>,
    /// Whether there is a C compiler for musl: the cryptography and the allocator are C.
    has_musl_compiler: bool,
}

/// The target to build for.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Choice {
    pub(super) triple: String,
    /// What is missing for a static program, and how it is had.
    pub(super) note: Option<String>,
}

impl Tools {
    /// Looks at the toolchain and at PATH.
    pub(super) fn find() -> Result<Self> {
        let version = rustc(&["--version", "--verbose"])?;
        let host = version.lines().find_map(|line| line.strip_prefix("host: "));
        let host = host.context("rustc does not say what it builds for")?.to_owned();
        let libraries = sysroot()?.join("lib/rustlib");
        let mut installed = BTreeSet::new();
        let entries = std::fs::read_dir(&libraries);
        for entry in entries.with_context(|| format!("cannot read {}", libraries.display()))? {
            let entry = entry?;
            if entry.path().join("lib").is_dir() {
                installed.insert(entry.file_name().to_string_lossy().into_owned());
            }
        }
        let arch = architecture(&host);
        let names = ["musl-gcc".to_owned(), format!("{arch}-linux-musl-gcc")];
        let variable = format!("CC_{}", musl(&host).replace('-', "_"));
        let has_musl_compiler =
            std::env::var_os(variable).is_some() || names.iter().any(|name| in_path(name));
        Ok(Self { host, installed, has_musl_compiler })
    }

    /// The requested target; else musl where it can be built, else that of this machine.
    pub(super) fn choose(&self, requested: Option<&str>) -> Result<Choice> {
        ensure!(
            self.host.contains("-linux-"),
            "releases are made on Linux, and this machine is {}",
            self.host
        );
        let triple = requested.map_or_else(|| musl(&self.host), str::to_owned);
        // The program itself prints its manual pages, and ldd does not read other architectures.
        ensure!(
            architecture(&triple) == architecture(&self.host) && triple.contains("-linux-"),
            "{triple} cannot be run on this machine ({}), and a release is run before it is handed out; \
             make it on a machine that can",
            self.host
        );
        let missing = self.missing(&triple);
        match (missing.is_empty(), requested) {
            (true, _) => Ok(Choice { triple, note: None }),
            (false, Some(_)) => bail!("{triple} cannot be built here: {}", missing.join("; ")),
            (false, None) => {
                let note = format!("not static: {}", missing.join("; "));
                Ok(Choice { triple: self.host.clone(), note: Some(note) })
            }
        }
    }

    /// What a target needs and this machine lacks, each with the command that brings it.
    fn missing(&self, triple: &str) -> Vec<String> {
        let mut missing = Vec::new();
        if !self.installed.contains(triple) {
            missing.push(format!("its standard library is absent (rustup target add {triple})"));
        }
        if is_musl(triple) && !is_musl(&self.host) && !self.has_musl_compiler {
            missing.push("musl-gcc is absent (apt-get install musl-tools)".to_owned());
        }
        missing
    }
}

/// A program that is handed out has no symbols, unlike other builds with the profile of releases, which are profiled. Panics
/// tell their place without symbols and unwind by other tables; only the names in backtraces go.
const STRIPPED: &str = "profile.release.strip=\"symbols\"";

/// The features of a release for a target: jemalloc needs threads in the background, which it has not with musl.
pub(super) fn features(triple: &str) -> &'static [&'static str] {
    if is_musl(triple) { &[] } else { &["ratchet/jemalloc"] }
}

/// Builds `ratchet` as a release; returns the program's path.
pub(super) fn build(triple: &str) -> Result<PathBuf> {
    let mut arguments = vec!["--config", STRIPPED, "build", "--release", "--locked"];
    arguments.extend(["-p", "ratchet", "--target", triple]);
    let features = features(triple).join(",");
    arguments.extend(["--features", &features]);
    println!("cargo {}", arguments.join(" "));
    let status = cargo().args(&arguments).status().context("cannot run cargo")?;
    ensure!(status.success(), "the build failed; cargo says above why");
    Ok(clients::target()?.join(triple).join("release").join("ratchet"))
}

/// The toolchain's folder.
pub(super) fn sysroot() -> Result<PathBuf> {
    Ok(PathBuf::from(rustc(&["--print", "sysroot"])?.trim()))
}

fn rustc(arguments: &[&str]) -> Result<String> {
    let output = Command::new("rustc").args(arguments).output().context("cannot run rustc")?;
    ensure!(output.status.success(), "rustc {} failed", arguments.join(" "));
    String::from_utf8(output.stdout).context("rustc says what is no UTF-8")
}

/// The first part of a triple.
pub(super) fn architecture(triple: &str) -> &str {
    triple.split('-').next().unwrap_or(triple)
}

pub(super) fn is_musl(triple: &str) -> bool {
    triple.contains("-musl")
}

/// The same machine's triple with musl.
fn musl(host: &str) -> String {
    host.replace("-gnu", "-musl")
}

fn in_path(name: &str) -> bool {
    let path = std::env::var_os("PATH").unwrap_or_default();
    std::env::split_paths(&path).any(|folder| folder.join(name).is_file())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dist::graph;
    use crate::metadata::{Metadata, compiled_packages};

    const GNU: &str = "x86_64-unknown-linux-gnu";
    const MUSL: &str = "x86_64-unknown-linux-musl";

    fn tools(host: &str, installed: &[&str], has_musl_compiler: bool) -> Tools {
        let installed = installed.iter().map(|triple| (*triple).to_owned()).collect();
        Tools { host: host.into(), installed, has_musl_compiler }
    }

    #[test]
    fn musl_is_taken_where_it_can_be_built() {
        let choice = tools(GNU, &[GNU, MUSL], true).choose(None).unwrap();
        assert_eq!(choice, Choice { triple: MUSL.into(), note: None });
        // A machine with musl needs no second compiler.
        let choice = tools(MUSL, &[MUSL], false).choose(None).unwrap();
        assert_eq!(choice, Choice { triple: MUSL.into(), note: None });
    }

    #[test]
    fn without_musl_the_machine_itself_is_taken_and_the_note_names_the_fix() {
        for (installed, compiler, want) in [
            (&[GNU][..], true, &["rustup target add x86_64-unknown-linux-musl"][..]),
            (&[GNU, MUSL], false, &["apt-get install musl-tools"]),
            (&[GNU], false, &["rustup target add", "apt-get install musl-tools"]),
        ] {
            let choice = tools(GNU, installed, compiler).choose(None).unwrap();
            assert_eq!(choice.triple, GNU);
            let note = choice.note.unwrap();
            assert!(want.iter().all(|fix| note.contains(fix)), "{note}");
        }
    }

    #[test]
    fn a_release_lists_the_allocator_that_it_has() {
        let has_jemalloc = |triple: &str| {
            let metadata = Metadata::of_target(triple, features(triple)).unwrap();
            let compiled = compiled_packages("ratchet", triple, features(triple)).unwrap();
            let parts = graph::parts(&metadata, "ratchet", &compiled).unwrap();
            parts.iter().any(|part| part.package.name == "tikv-jemalloc-sys")
        };
        assert!(has_jemalloc(GNU) && !has_jemalloc(MUSL));
    }

    #[test]
    fn what_was_asked_for_is_taken_or_refused() {
        let all = tools(GNU, &[GNU, MUSL], true);
        assert_eq!(all.choose(Some(GNU)).unwrap().triple, GNU);
        let bare = tools(GNU, &[GNU], false);
        let error = bare.choose(Some(MUSL)).unwrap_err().to_string();
        assert!(error.contains("musl-gcc is absent (apt-get install musl-tools)"), "{error}");
        for other in ["aarch64-unknown-linux-musl", "x86_64-pc-windows-msvc"] {
            let error = all.choose(Some(other)).unwrap_err().to_string();
            assert!(error.contains("cannot be run on this machine"), "{error}");
        }
        let mac = tools("aarch64-apple-darwin", &["aarch64-apple-darwin"], false);
        assert!(mac.choose(None).unwrap_err().to_string().contains("made on Linux"));
    }
}
