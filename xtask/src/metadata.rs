//! The output of `cargo metadata` for the workspace.

use anyhow::{Context, Result, bail};
use serde::Deserialize;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The packages of the workspace, with or without their dependencies.
#[derive(Deserialize)]
pub(crate) struct Metadata {
    pub(crate) packages: Vec<Package>,
    /// The graph of dependencies; absent where only the workspace was requested.
    pub(crate) resolve: Option<Resolve>,
    workspace_root: PathBuf,
}

/// One package.
#[derive(Deserialize)]
pub(crate) struct Package {
    pub(crate) id: String,
    pub(crate) name: String,
    pub(crate) version: String,
    pub(crate) license: Option<String>,
    pub(crate) repository: Option<String>,
    pub(crate) dependencies: Vec<Dependency>,
    /// Where it was fetched from; a crate of the workspace has no source.
    pub(crate) source: Option<String>,
    targets: Vec<Target>,
    manifest_path: PathBuf,
}

/// A library, program or test of a package.
#[derive(Deserialize)]
struct Target {
    kind: Vec<String>,
}

/// The dependencies of all packages as cargo resolved them.
#[derive(Deserialize)]
pub(crate) struct Resolve {
    pub(crate) nodes: Vec<Node>,
}

/// The resolved dependencies of one package.
#[derive(Deserialize)]
pub(crate) struct Node {
    pub(crate) id: String,
    pub(crate) deps: Vec<Edge>,
}

/// A resolved dependency: the other package's id, and what it is used for.
#[derive(Deserialize)]
pub(crate) struct Edge {
    pub(crate) pkg: String,
    dep_kinds: Vec<EdgeKind>,
}

#[derive(Deserialize)]
struct EdgeKind {
    kind: Option<String>,
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
        cargo_metadata(&["--locked", "--all-features"])
    }

    /// The packages and the graph of dependencies of a build for a target, with features like `ratchet/jemalloc`.
    pub(crate) fn of_target(triple: &str, features: &[&str]) -> Result<Self> {
        let features = features.join(",");
        cargo_metadata(&["--locked", "--filter-platform", triple, "--features", &features])
    }

    /// The package's folder relative to the repository's root.
    pub(crate) fn folder(&self, package: &Package) -> String {
        let folder = package.manifest_path.parent().unwrap_or(Path::new(""));
        let folder = folder.strip_prefix(&self.workspace_root).unwrap_or(folder);
        folder.to_string_lossy().replace('\\', "/")
    }
}

impl Package {
    /// Whether the compiler loads it as a macro, so that nothing of it is linked into a program.
    pub(crate) fn is_proc_macro(&self) -> bool {
        self.targets.iter().any(|target| target.kind.iter().any(|kind| kind == "proc-macro"))
    }

    /// The absolute path of the package's folder.
    pub(crate) fn absolute_folder(&self) -> &Path {
        self.manifest_path.parent().unwrap_or(Path::new(""))
    }

    /// Makes the package stand in another folder.
    #[cfg(test)]
    pub(crate) fn move_to(&mut self, folder: &Path) {
        self.manifest_path = folder.join("Cargo.toml");
    }
}

impl Edge {
    /// Whether the package itself uses the dependency, not only its build script or its tests.
    pub(crate) fn is_normal(&self) -> bool {
        self.dep_kinds.iter().any(|one| one.kind.is_none())
    }

    /// Whether only tests use the dependency.
    pub(crate) fn is_dev_only(&self) -> bool {
        self.dep_kinds.iter().all(|one| one.kind.as_deref() == Some("dev"))
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
    let text = cargo_output(&[&["metadata", "--format-version=1"], options].concat())?;
    serde_json::from_slice(&text).context("cannot read what cargo metadata says")
}

/// Names and versions of the packages that cargo compiles for a crate and a target, without those of its tests.
///
/// `cargo metadata` lists more: it knows no choice of features by crate.
pub(crate) fn compiled_packages(
    name: &str,
    triple: &str,
    features: &[&str],
) -> Result<BTreeSet<(String, String)>> {
    let edges = ["--edges", "normal,build", "--prefix", "none", "--format", "{p}"];
    let features = features.join(",");
    let of = ["tree", "--locked", "--package", name, "--target", triple, "--features", &features];
    let arguments = [&of, &edges[..]];
    let text = cargo_output(&arguments.concat())?;
    Ok(listed_packages(&String::from_utf8(text).context("cargo tree prints no UTF-8")?))
}

/// The packages in lines like `bytes v1.12.1 (*)`.
fn listed_packages(text: &str) -> BTreeSet<(String, String)> {
    let package = |line: &str| {
        let mut words = line.split_whitespace();
        Some((words.next()?.to_owned(), words.next()?.strip_prefix('v')?.to_owned()))
    };
    text.lines().filter_map(package).collect()
}

/// What a command of cargo prints.
fn cargo_output(arguments: &[&str]) -> Result<Vec<u8>> {
    let name = arguments.first().copied().unwrap_or_default();
    let output =
        cargo().args(arguments).output().with_context(|| format!("cannot run cargo {name}"))?;
    if !output.status.success() {
        bail!("cargo {name} failed:\n{}", String::from_utf8_lossy(&output.stderr).trim_end());
    }
    Ok(output.stdout)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn packages_are_read_from_a_tree() {
        let text =
            "ratchet v0.1.0 (/src/ratchet)\nbytes v1.12.1\nderive v2.0.0 (proc-macro) (*)\n\n";
        let found = listed_packages(text);
        let wanted = [("bytes", "1.12.1"), ("derive", "2.0.0"), ("ratchet", "0.1.0")];
        assert_eq!(found, wanted.map(|(name, version)| (name.into(), version.into())).into());
    }
}
