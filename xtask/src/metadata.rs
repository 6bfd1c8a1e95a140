//! The output of `cargo metadata` for the workspace.

use anyhow::{Context, Result, bail};
use serde::Deserialize;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The packages of the workspace, with or without their dependencies.
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

/// A dependency of a package.
#[derive(Deserialize)]
pub(crate) struct Dependency {
    pub(crate) name: String,
    kind: Option<String>,
    path: Option<PathBuf>,
}

impl Metadata {
    /// The crates of the workspace alone.
    pub(crate) fn of_workspace() -> Result<Self> {
        cargo_metadata(&["--no-deps"])
    }

    /// All packages in Cargo.lock.
    pub(crate) fn of_everything() -> Result<Self> {
        cargo_metadata(&["--locked"])
    }

    /// The package's folder relative to the repository's root.
    pub(crate) fn folder(&self, package: &Package) -> String {
        let folder = package.manifest_path.parent().unwrap_or(Path::new(""));
        let folder = folder.strip_prefix(&self.workspace_root).unwrap_or(folder);
        folder.to_string_lossy().replace('\\', "/")
    }
}

impl Dependency {
    /// Whether it is a dev-dependency.
    pub(crate) fn is_dev(&self) -> bool {
        self.kind.as_deref() == Some("dev")
    }

    /// Whether it is a crate of this workspace.
    pub(crate) fn is_ours(&self) -> bool {
        self.path.is_some()
    }
}

/// The cargo that runs this program.
pub(crate) fn cargo() -> Command {
    Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()))
}

fn cargo_metadata(options: &[&str]) -> Result<Metadata> {
    let mut command = cargo();
    command.args(["metadata", "--format-version=1"]).args(options);
    let output = command.output().context("cannot run cargo metadata")?;
    if !output.status.success() {
        bail!("cargo metadata failed:\n{}", String::from_utf8_lossy(&output.stderr).trim_end());
    }
    serde_json::from_slice(&output.stdout).context("cannot read what cargo metadata says")
}
