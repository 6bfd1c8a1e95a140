//! `cargo xtask layers`: dependencies of all crates against the grants in `layers.toml`, and circles of files.

mod circles;
mod components;
mod imports;
mod modules;

use crate::metadata::Metadata;
use crate::violation::{Violation, line_where};
use anyhow::{Context, Result};
use modules::Sources;
use serde::Deserialize;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

const FILE: &str = "layers.toml";

/// Top-level folders, and the folders whose crates each may use. No grant can widen this.
const ROOMS: &[(&str, &[&str])] = &[
    ("core", &["core"]),
    ("store/api", &[]),
    ("store", &["store/api", "peers", "tools/histories"]),
    // What every client over TLS may share.
    ("wire/tls", &[]),
    ("wire", &["core", "wire/tls"]),
    ("controllers", &["core"]),
    ("doors", &["core", "store/api", "wire"]),
    ("peers", &["core", "wire"]),
    (
        "ratchet",
        &[
            "core",
            "store/api",
            "store",
            "wire/tls",
            "wire",
            "controllers",
            "doors",
            "peers",
            "tools/histories",
        ],
    ),
    ("fuzz", &["core", "wire", "doors"]),
    ("xtask", &["core"]),
    // Judges the tests of stores and servers; layers.toml grants it to tests alone.
    ("tools/histories", &[]),
    ("tools/load", &["wire/tls"]),
    ("tools/damage", &["core", "tools/load"]),
    ("tools", &["wire/tls"]),
];

type Grants = BTreeMap<String, BTreeSet<String>>;

/// The contents of `layers.toml`.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Layers {
    /// Granted dependencies of the crates themselves, of this workspace and external.
    uses: Grants,
    /// Granted dev-dependencies on crates of this workspace.
    #[serde(default)]
    dev: Grants,
    /// Circles of files that are tolerated until they are cut.
    #[serde(default)]
    circles: BTreeMap<String, circles::Known>,
}

/// A crate of the workspace with its dependencies.
struct Crate {
    name: String,
    folder: String,
    manifest: String,
    uses: BTreeSet<String>,
    dev: BTreeSet<String>,
    sources: Sources,
}

/// Compares the grants with the dependencies that cargo sees, and looks for circles of files.
pub(crate) fn check() -> Result<Vec<Violation>> {
    let text = std::fs::read_to_string(FILE).with_context(|| format!("cannot read {FILE}"))?;
    compare(&text, &workspace()?)
}

/// The circles of files of each crate, and the imports that make the largest of them.
pub(crate) fn list_circles() -> Result<String> {
    let crates = workspace()?;
    Ok(crates.iter().map(|package| circles::listing(&package.name, &package.sources)).collect())
}

fn workspace() -> Result<Vec<Crate>> {
    let metadata = Metadata::of_workspace()?;
    let mut crates = Vec::new();
    for package in &metadata.packages {
        let folder = metadata.folder(package);
        let path = format!("{folder}/Cargo.toml");
        let manifest =
            std::fs::read_to_string(&path).with_context(|| format!("cannot read {path}"))?;
        let (dev, uses): (Vec<_>, Vec<_>) = package.dependencies.iter().partition(|d| d.is_dev());
        let mut sources = Sources::new();
        read_sources(&Path::new(&folder).join("src"), "", &mut sources)?;
        crates.push(Crate {
            name: package.name.clone(),
            folder,
            manifest,
            sources,
            uses: uses.iter().map(|dependency| dependency.name.clone()).collect(),
            dev: dev.iter().filter(|d| d.is_ours()).map(|d| d.name.clone()).collect(),
        });
    }
    Ok(crates)
}

/// Reads the Rust files below a folder; a crate of benches alone has no `src/`.
fn read_sources(folder: &Path, prefix: &str, sources: &mut Sources) -> Result<()> {
    let Ok(entries) = std::fs::read_dir(folder) else { return Ok(()) };
    for entry in entries {
        let entry = entry.with_context(|| format!("cannot list {}", folder.display()))?;
        let name = format!("{prefix}{}", entry.file_name().to_string_lossy());
        let path = entry.path();
        if path.is_dir() {
            read_sources(&path, &format!("{name}/"), sources)?;
        } else if name.ends_with(".rs") {
            let text = std::fs::read_to_string(&path);
            sources.insert(name, text.with_context(|| format!("cannot read {}", path.display()))?);
        }
    }
    Ok(())
}

fn compare(text: &str, crates: &[Crate]) -> Result<Vec<Violation>> {
    let layers: Layers = toml::from_str(text).with_context(|| format!("cannot read {FILE}"))?;
    let mut found = Vec::new();
    for package in crates {
        found.extend(direction(package, crates));
        let none = circles::Known::default();
        let known = layers.circles.get(&package.name).unwrap_or(&none);
        found.extend(circles::check(
            &package.name,
            &package.folder,
            &package.sources,
            known,
            (FILE, text),
        ));
        if !layers.uses.contains_key(&package.name) {
            found.push(at_manifest(
                package,
                "name",
                format!("{} has no line in {FILE}; add one with what it may use", package.name),
            ));
            continue;
        }
        found.extend(edges(text, "uses", package, &package.uses, layers.uses.get(&package.name)));
        found.extend(edges(text, "dev", package, &package.dev, layers.dev.get(&package.name)));
    }
    let is_stray = |name: &&String| crates.iter().all(|package| package.name != **name);
    let stray = |line: usize, name: &str| {
        let what = format!("{name} is no crate of this workspace; delete the line");
        Violation::new(FILE, line, what)
    };
    for (section, grants) in [("uses", &layers.uses), ("dev", &layers.dev)] {
        for name in grants.keys().filter(is_stray) {
            found.push(stray(line_of_grant(text, section, name), name));
        }
    }
    for name in layers.circles.keys().filter(is_stray) {
        let line = line_where(text, |line| line.trim() == format!("[circles.{name}]"));
        found.push(stray(line, name));
    }
    Ok(found)
}

/// Compares the dependencies of one crate with its grants, both ways.
fn edges(
    text: &str,
    section: &str,
    package: &Crate,
    used: &BTreeSet<String>,
    granted: Option<&BTreeSet<String>>,
) -> Vec<Violation> {
    let none = BTreeSet::new();
    let granted = granted.unwrap_or(&none);
    let unlisted = used.difference(granted).map(|other| {
        let what = format!(
            "{} uses {other}, which [{section}] in {FILE} does not grant; drop the dependency, or \
             grant it there",
            package.name
        );
        at_manifest(package, other, what)
    });
    let unused = granted.difference(used).map(|other| {
        let what = format!(
            "[{section}] grants {} the use of {other}, which it does not use; delete the grant",
            package.name
        );
        Violation::new(FILE, line_of_grant(text, section, &package.name), what)
    });
    unlisted.chain(unused).collect()
}

/// Checks the direction of one crate's dependencies, including dev-dependencies.
fn direction(package: &Crate, crates: &[Crate]) -> Vec<Violation> {
    let Some((room, may_use)) = room_of(&package.folder) else {
        let what = format!(
            "{} stands in {}, which is no room; move it, or give the room a row in xtask/src/layers.rs",
            package.name, package.folder
        );
        return vec![at_manifest(package, "name", what)];
    };
    let ours = crates.iter().filter(|other| {
        other.name != package.name
            && (package.uses.contains(&other.name) || package.dev.contains(&other.name))
    });
    ours.filter(|other| room_of(&other.folder).is_none_or(|(room, _)| !may_use.contains(&room)))
        .map(|other| {
            let allowed =
                if may_use.is_empty() { "no other room".into() } else { may_use.join(", ") };
            let what = format!(
                "{} ({room}) uses {} ({}), but {room} may only use {allowed}; turn the edge around \
                 or move the code",
                package.name, other.name, other.folder
            );
            at_manifest(package, &other.name, what)
        })
        .collect()
}

fn room_of(folder: &str) -> Option<(&'static str, &'static [&'static str])> {
    let holds = |room: &str| {
        folder.strip_prefix(room).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
    };
    ROOMS.iter().copied().filter(|(room, _)| holds(room)).max_by_key(|(room, _)| room.len())
}

/// A violation at the manifest line that begins with a key.
fn at_manifest(package: &Crate, key: &str, what: String) -> Violation {
    let begins = |line: &str| {
        line.strip_prefix(key).is_some_and(|rest| rest.starts_with(['.', ' ', '=', '-']))
    };
    let line = line_where(&package.manifest, begins);
    Violation::new(format!("{}/Cargo.toml", package.folder), line, what)
}

fn line_of_grant(text: &str, section: &str, name: &str) -> usize {
    let header = line_where(text, |line| line.trim() == format!("[{section}]"));
    let key = |line: &&str| line.split('=').next().is_some_and(|key| key.trim() == name);
    text.lines().skip(header).position(|line| key(&line)).map_or(header, |index| header + index + 1)
}

#[cfg(test)]
mod tests;
