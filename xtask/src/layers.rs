//! `cargo xtask layers`: dependencies of all crates against the grants in `layers.toml`.

use crate::metadata::Metadata;
use crate::violation::{Violation, line_where};
use anyhow::{Context, Result};
use serde::Deserialize;
use std::collections::{BTreeMap, BTreeSet};

const FILE: &str = "layers.toml";

/// Top-level folders, and the folders whose crates each may use. No grant can widen this.
const ROOMS: &[(&str, &[&str])] = &[
    ("core", &["core"]),
    ("store/api", &[]),
    ("store", &["store/api"]),
    ("wire", &["core"]),
    ("controllers", &["core"]),
    ("doors", &["core", "store/api", "wire"]),
    ("peers", &["core", "wire"]),
    ("ratchet", &["core", "store/api", "store", "wire", "controllers", "doors", "peers"]),
    ("fuzz", &["core", "wire", "doors"]),
    ("xtask", &["core"]),
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
}

/// A crate of the workspace with its dependencies.
struct Crate {
    name: String,
    folder: String,
    manifest: String,
    uses: BTreeSet<String>,
    dev: BTreeSet<String>,
}

/// Compares the grants with the dependencies that cargo sees.
pub(crate) fn check() -> Result<Vec<Violation>> {
    let text = std::fs::read_to_string(FILE).with_context(|| format!("cannot read {FILE}"))?;
    let metadata = Metadata::of_workspace()?;
    let mut crates = Vec::new();
    for package in &metadata.packages {
        let folder = metadata.folder(package);
        let path = format!("{folder}/Cargo.toml");
        let manifest =
            std::fs::read_to_string(&path).with_context(|| format!("cannot read {path}"))?;
        let (dev, uses): (Vec<_>, Vec<_>) = package.dependencies.iter().partition(|d| d.is_dev());
        crates.push(Crate {
            name: package.name.clone(),
            folder,
            manifest,
            uses: uses.iter().map(|dependency| dependency.name.clone()).collect(),
            dev: dev.iter().filter(|d| d.is_ours()).map(|d| d.name.clone()).collect(),
        });
    }
    compare(&text, &crates)
}

fn compare(text: &str, crates: &[Crate]) -> Result<Vec<Violation>> {
    let layers: Layers = toml::from_str(text).with_context(|| format!("cannot read {FILE}"))?;
    let mut found = Vec::new();
    for package in crates {
        found.extend(direction(package, crates));
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
    for (section, grants) in [("uses", &layers.uses), ("dev", &layers.dev)] {
        for name in grants.keys().filter(|name| crates.iter().all(|package| package.name != **name))
        {
            found.push(Violation::new(
                FILE,
                line_of_grant(text, section, name),
                format!("{name} is no crate of this workspace; delete the line"),
            ));
        }
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
mod tests {
    use super::*;

    fn set(names: &[&str]) -> BTreeSet<String> {
        names.iter().map(|name| (*name).to_owned()).collect()
    }

    fn member(name: &str, folder: &str, uses: &[&str], dev: &[&str]) -> Crate {
        let lines: Vec<String> =
            uses.iter().chain(dev).map(|name| format!("{name}.workspace = true\n")).collect();
        let manifest = format!("[package]\nname = \"{name}\"\n[dependencies]\n{}", lines.concat());
        Crate { name: name.into(), folder: folder.into(), manifest, uses: set(uses), dev: set(dev) }
    }

    fn found(text: &str, crates: &[Crate]) -> Vec<String> {
        compare(text, crates).unwrap().iter().map(ToString::to_string).collect()
    }

    const TWO: &str =
        "[uses]\n# core\nnet = [\"memchr\"]\nengine = [\"net\"]\n[dev]\nengine = []\n";

    #[test]
    fn granted_and_used_is_fine() {
        let crates = [
            member("net", "core/net", &["memchr"], &[]),
            member("engine", "core/e", &["net"], &[]),
        ];
        assert_eq!(found(TWO, &crates), Vec::<String>::new());
    }

    #[test]
    fn an_edge_without_a_grant_fails_at_the_manifest() {
        let crates = [
            member("net", "core/net", &["memchr"], &[]),
            member("engine", "core/e", &["net", "tokio"], &[]),
        ];
        let found = found(TWO, &crates);
        assert_eq!(found.len(), 1);
        assert!(found[0].starts_with("core/e/Cargo.toml:5: engine uses tokio, which"), "{found:?}");
    }

    #[test]
    fn a_grant_that_nobody_uses_fails_at_its_line() {
        let crates =
            [member("net", "core/net", &[], &[]), member("engine", "core/e", &["net"], &[])];
        let found = found(TWO, &crates);
        assert_eq!(found.len(), 1);
        assert!(
            found[0].starts_with("layers.toml:3: [uses] grants net the use of memchr"),
            "{found:?}"
        );
    }

    #[test]
    fn a_crate_needs_a_line_and_a_line_needs_a_crate() {
        let crates =
            [member("net", "core/net", &["memchr"], &[]), member("new", "core/n", &[], &[])];
        let found = found(TWO, &crates);
        assert!(found[0].starts_with("core/n/Cargo.toml:2: new has no line"), "{found:?}");
        assert!(found[1].starts_with("layers.toml:4: engine is no crate"), "{found:?}");
        assert!(found[2].starts_with("layers.toml:6: engine is no crate"), "{found:?}");
        assert_eq!(found.len(), 3);
    }

    #[test]
    fn tests_are_granted_separately() {
        let text = "[uses]\nnet = []\nengine = []\n[dev]\nengine = [\"net\"]\n";
        let granted =
            [member("net", "core/net", &[], &[]), member("engine", "core/e", &[], &["net"])];
        assert_eq!(found(text, &granted), Vec::<String>::new());
        let bare =
            [member("net", "core/net", &[], &["engine"]), member("engine", "core/e", &[], &[])];
        let found = found(text, &bare);
        assert!(
            found[0].starts_with("core/net/Cargo.toml:4: net uses engine, which [dev]"),
            "{found:?}"
        );
        assert!(found[1].starts_with("layers.toml:5: [dev] grants engine"), "{found:?}");
    }

    #[test]
    fn no_grant_turns_the_direction_around() {
        let text = "[uses]\nnet = []\ncheck = [\"audit\", \"net\"]\naudit = [\"net\"]\nratchet = \
                    [\"audit\", \"check\", \"net\"]\n[dev]\nnet = [\"check\"]\n";
        let crates = [
            member("net", "core/net", &[], &["check"]),
            member("check", "doors/check", &["audit", "net"], &[]),
            member("audit", "doors/audit", &["net"], &[]),
            member("ratchet", "ratchet", &["audit", "check", "net"], &[]),
        ];
        let found = found(text, &crates);
        assert!(
            found[0].contains("net (core) uses check (doors/check), but core may only use core")
        );
        assert!(found[1].contains("check (doors) uses audit (doors/audit)"), "{found:?}");
        assert_eq!(found.len(), 2);
    }

    #[test]
    fn a_room_is_the_longest_folder_that_fits() {
        let room = |folder| room_of(folder).map(|(room, _)| room);
        assert_eq!(room("store/api"), Some("store/api"));
        assert_eq!(room("store/etcd"), Some("store"));
        assert_eq!(room("corelike/net"), None);
        let found = found("[uses]\nx = []\n", &[member("x", "attic/x", &[], &[])]);
        assert!(found[0].contains("attic/x, which is no room"), "{found:?}");
    }

    #[test]
    fn a_section_that_nobody_reads_is_refused() {
        assert!(compare("[uses]\n[build]\n", &[]).is_err());
    }
}
