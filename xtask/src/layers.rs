//! No crate uses what `layers.toml` does not grant, and no grant stands unused.

use crate::metadata::Metadata;
use crate::violation::{Violation, line_where};
use anyhow::{Context, Result};
use serde::Deserialize;
use std::collections::{BTreeMap, BTreeSet};

const FILE: &str = "layers.toml";

/// The rooms of the house, and the rooms whose crates each may use. No grant can widen this.
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

/// What `layers.toml` grants.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Layers {
    /// Dependencies of the crates themselves, ours and others'.
    uses: Grants,
    /// Dependencies of their tests and benches, ours only.
    #[serde(default)]
    dev: Grants,
}

/// A crate of the workspace, and what it uses.
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
    for one in crates {
        found.extend(direction(one, crates));
        if !layers.uses.contains_key(&one.name) {
            found.push(at_manifest(
                one,
                "name",
                format!("{} has no line in {FILE}; add one with what it may use", one.name),
            ));
            continue;
        }
        found.extend(edges(text, "uses", one, &one.uses, layers.uses.get(&one.name)));
        found.extend(edges(text, "dev", one, &one.dev, layers.dev.get(&one.name)));
    }
    for (section, grants) in [("uses", &layers.uses), ("dev", &layers.dev)] {
        for name in grants.keys().filter(|name| crates.iter().all(|one| one.name != **name)) {
            found.push(Violation::new(
                FILE,
                line_of_grant(text, section, name),
                format!("{name} is no crate of this workspace; delete the line"),
            ));
        }
    }
    Ok(found)
}

/// The edges of one crate against its grants, both ways.
fn edges(
    text: &str,
    section: &str,
    one: &Crate,
    used: &BTreeSet<String>,
    granted: Option<&BTreeSet<String>>,
) -> Vec<Violation> {
    let none = BTreeSet::new();
    let granted = granted.unwrap_or(&none);
    let unlisted = used.difference(granted).map(|other| {
        let what = format!(
            "{} uses {other}, which [{section}] in {FILE} does not grant; drop the dependency, or \
             grant it there",
            one.name
        );
        at_manifest(one, other, what)
    });
    let unused = granted.difference(used).map(|other| {
        let what = format!(
            "[{section}] grants {} the use of {other}, which it does not use; delete the grant",
            one.name
        );
        Violation::new(FILE, line_of_grant(text, section, &one.name), what)
    });
    unlisted.chain(unused).collect()
}

/// The edges of one crate against the direction, which holds for its tests too.
fn direction(one: &Crate, crates: &[Crate]) -> Vec<Violation> {
    let Some((room, may_use)) = room_of(&one.folder) else {
        let what = format!(
            "{} stands in {}, which is no room; move it, or give the room a row in xtask/src/layers.rs",
            one.name, one.folder
        );
        return vec![at_manifest(one, "name", what)];
    };
    let ours = crates.iter().filter(|other| {
        other.name != one.name && (one.uses.contains(&other.name) || one.dev.contains(&other.name))
    });
    ours.filter(|other| room_of(&other.folder).is_none_or(|(room, _)| !may_use.contains(&room)))
        .map(|other| {
            let allowed =
                if may_use.is_empty() { "no other room".into() } else { may_use.join(", ") };
            let what = format!(
                "{} ({room}) uses {} ({}), but {room} may only use {allowed}; turn the edge around \
                 or move the code",
                one.name, other.name, other.folder
            );
            at_manifest(one, &other.name, what)
        })
        .collect()
}

fn room_of(folder: &str) -> Option<(&'static str, &'static [&'static str])> {
    let holds = |room: &str| {
        folder.strip_prefix(room).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
    };
    ROOMS.iter().copied().filter(|(room, _)| holds(room)).max_by_key(|(room, _)| room.len())
}

/// Points at the line of a crate's manifest that begins with a word.
fn at_manifest(one: &Crate, word: &str, what: String) -> Violation {
    let begins = |line: &str| {
        line.strip_prefix(word).is_some_and(|rest| rest.starts_with(['.', ' ', '=', '-']))
    };
    let line = line_where(&one.manifest, begins);
    Violation::new(format!("{}/Cargo.toml", one.folder), line, what)
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
