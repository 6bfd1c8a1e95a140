//! What `cargo metadata` says about the workspace.

use anyhow::{Context, Result, bail};
use serde::Deserialize;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The packages of the workspace, with or without what they depend on.
#[derive(Deserialize)]
pub(crate) struct Metadata {
    pub(crate) packages: Vec<Package>,
    workspace_root: PathBuf,
}

/// One package.
#[derive(Deserialize)]
pub(crate) struct Package {
    pub(crate) name: String,
    pub(crate) version: String,
    pub(crate) license: Option<String>,
    pub(crate) dependencies: Vec<Dependency>,
    manifest_path: PathBuf,
}

/// One line of a package's dependencies.
#[derive(Deserialize)]
pub(crate) struct Dependency {
    pub(crate) name: String,
    kind: Option<String>,
    path: Option<PathBuf>,
}

impl Metadata {
    /// The crates of the workspace alone.
    pub(crate) fn of_workspace() -> Result<Self> {
        read(&["--no-deps"])
    }

    /// Those and everything in Cargo.lock.
    pub(crate) fn of_everything() -> Result<Self> {
        read(&["--locked"])
    }

    /// The package's folder, from the repository's root.
    pub(crate) fn folder(&self, package: &Package) -> String {
        let folder = package.manifest_path.parent().unwrap_or(Path::new(""));
        let folder = folder.strip_prefix(&self.workspace_root).unwrap_or(folder);
        folder.to_string_lossy().replace('\\', "/")
    }
}

impl Dependency {
    /// Whether only tests, benches and examples need it.
    pub(crate) fn is_dev(&self) -> bool {
        self.kind.as_deref() == Some("dev")
    }

    /// Whether it is a crate of this workspace.
    pub(crate) fn is_ours(&self) -> bool {
        self.path.is_some()
    }
}

/// The cargo that runs us.
pub(crate) fn cargo() -> Command {
    Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()))
}

fn read(options: &[&str]) -> Result<Metadata> {
    let mut command = cargo();
    command.args(["metadata", "--format-version=1"]).args(options);
    let output = command.output().context("cannot run cargo metadata")?;
    if !output.status.success() {
        bail!("cargo metadata failed:\n{}", String::from_utf8_lossy(&output.stderr).trim_end());
    }
    serde_json::from_slice(&output.stdout).context("cannot read what cargo metadata says")
}
