//! Tests of grants, directions and lines of `layers.toml`, on crates in memory.

use super::*;

fn set(names: &[&str]) -> BTreeSet<String> {
    names.iter().map(|name| (*name).to_owned()).collect()
}

fn member(name: &str, folder: &str, uses: &[&str], dev: &[&str]) -> Crate {
    let lines: Vec<String> =
        uses.iter().chain(dev).map(|name| format!("{name}.workspace = true\n")).collect();
    let manifest = format!("[package]\nname = \"{name}\"\n[dependencies]\n{}", lines.concat());
    Crate {
        name: name.into(),
        folder: folder.into(),
        manifest,
        uses: set(uses),
        dev: set(dev),
        sources: Sources::new(),
    }
}

fn found(text: &str, crates: &[Crate]) -> Vec<String> {
    compare(text, crates).unwrap().iter().map(ToString::to_string).collect()
}

const TWO: &str = "[uses]\n# core\nnet = [\"memchr\"]\nengine = [\"net\"]\n[dev]\nengine = []\n";

#[test]
fn granted_and_used_is_fine() {
    let crates =
        [member("net", "core/net", &["memchr"], &[]), member("engine", "core/e", &["net"], &[])];
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
    let crates = [member("net", "core/net", &[], &[]), member("engine", "core/e", &["net"], &[])];
    let found = found(TWO, &crates);
    assert_eq!(found.len(), 1);
    assert!(
        found[0].starts_with("layers.toml:3: [uses] grants net the use of memchr"),
        "{found:?}"
    );
}

#[test]
fn a_crate_needs_a_line_and_a_line_needs_a_crate() {
    let crates = [member("net", "core/net", &["memchr"], &[]), member("new", "core/n", &[], &[])];
    let found = found(TWO, &crates);
    assert!(found[0].starts_with("core/n/Cargo.toml:2: new has no line"), "{found:?}");
    assert!(found[1].starts_with("layers.toml:4: engine is no crate"), "{found:?}");
    assert!(found[2].starts_with("layers.toml:6: engine is no crate"), "{found:?}");
    assert_eq!(found.len(), 3);
}

#[test]
fn tests_are_granted_separately() {
    let text = "[uses]\nnet = []\nengine = []\n[dev]\nengine = [\"net\"]\n";
    let granted = [member("net", "core/net", &[], &[]), member("engine", "core/e", &[], &["net"])];
    assert_eq!(found(text, &granted), Vec::<String>::new());
    let bare = [member("net", "core/net", &[], &["engine"]), member("engine", "core/e", &[], &[])];
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
    assert!(found[0].contains("net (core) uses check (doors/check), but core may only use core"));
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
fn a_circle_of_files_fails_unless_it_is_known() {
    let mut package = member("net", "core/net", &[], &[]);
    for (file, uses) in [("a", "b"), ("b", "c"), ("c", "d"), ("d", "a")] {
        let text = format!("pub fn f() {{ crate::{uses}::f() }}\n");
        package.sources.insert(format!("{file}.rs"), text);
    }
    package.sources.insert("lib.rs".into(), "mod a;\nmod b;\nmod c;\nmod d;\n".into());
    let crates = [package];
    let refused = found("[uses]\nnet = []\n", &crates);
    assert_eq!(refused.len(), 1);
    assert!(refused[0].starts_with("core/net/src/a.rs:1: 4 files use each other"), "{refused:?}");
    let known =
        "[uses]\nnet = []\n[circles.net]\nknown = [\"a.rs\", \"b.rs\", \"c.rs\", \"d.rs\"]\n";
    assert_eq!(found(known, &crates), Vec::<String>::new());
    let stray = found(&format!("{known}[circles.gone]\nknown = []\n"), &crates);
    assert_eq!(stray, ["layers.toml:5: gone is no crate of this workspace; delete the line"]);
}

#[test]
fn a_section_that_nobody_reads_is_refused() {
    assert!(compare("[uses]\n[build]\n", &[]).is_err());
}
