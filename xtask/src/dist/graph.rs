//! Packages that a program is built from, by the resolved graph of dependencies.

use crate::metadata::{Metadata, Node, Package};
use anyhow::{Context, Result};
use std::collections::{BTreeMap, BTreeSet};

/// A package that a program is built from.
pub(super) struct Part<'m> {
    pub(super) package: &'m Package,
    /// Whether its code is in the program; build scripts and macros only run while it is built.
    pub(super) is_linked: bool,
    /// What it depends on, tests aside.
    pub(super) depends_on: Vec<&'m Package>,
}

/// The packages that a crate of the workspace is built from, itself included, sorted by name and version; `compiled`
/// are the names and versions of those that cargo compiles for it.
pub(super) fn parts<'m>(
    metadata: &'m Metadata,
    root: &str,
    compiled: &BTreeSet<(String, String)>,
) -> Result<Vec<Part<'m>>> {
    let resolve = metadata.resolve.as_ref().context("cargo metadata shows no graph")?;
    let nodes: BTreeMap<&str, &Node> =
        resolve.nodes.iter().map(|node| (node.id.as_str(), node)).collect();
    let packages: BTreeMap<&str, &Package> =
        metadata.packages.iter().map(|package| (package.id.as_str(), package)).collect();
    let is_root = |package: &&Package| package.name == root && package.source.is_none();
    let root = metadata.packages.iter().find(is_root).context("the workspace has no such crate")?;

    // What a package depends on, without tests, and without features that others of the workspace ask for.
    let used = |id: &str| -> Result<Vec<(&'m Package, bool)>> {
        let node = nodes.get(id).with_context(|| format!("{id} is not in the graph"))?;
        let mut used = Vec::new();
        for edge in node.deps.iter().filter(|edge| !edge.is_dev_only()) {
            let other = find(&packages, &edge.pkg)?;
            if compiled.contains(&(other.name.clone(), other.version.clone())) {
                used.push((other, edge.is_normal()));
            }
        }
        Ok(used)
    };
    let mut linked: BTreeMap<&str, bool> = BTreeMap::new();
    let mut waiting = vec![(root.id.as_str(), true)];
    while let Some((id, is_linked)) = waiting.pop() {
        // A second visit matters only if it is the first to find that the package is linked.
        if linked.get(id).is_some_and(|before| *before || !is_linked) {
            continue;
        }
        linked.insert(id, is_linked);
        for (other, is_normal) in used(id)? {
            let is_linked = is_linked && is_normal && !other.is_proc_macro();
            waiting.push((other.id.as_str(), is_linked));
        }
    }

    let mut parts = Vec::new();
    for (id, is_linked) in linked {
        let mut depends_on: Vec<&Package> = used(id)?.into_iter().map(|(other, _)| other).collect();
        depends_on.sort_by_key(|package| (&package.name, &package.version));
        parts.push(Part { package: find(&packages, id)?, is_linked, depends_on });
    }
    parts.sort_by_key(|part| (&part.package.name, &part.package.version));
    Ok(parts)
}

fn find<'m>(packages: &BTreeMap<&str, &'m Package>, id: &str) -> Result<&'m Package> {
    packages.get(id).copied().with_context(|| format!("{id} is no package that cargo lists"))
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use serde_json::{Value, json};

    /// A program, a library of ours, crates of others that are linked, that run while it is built, that tests use, and
    /// that only a feature would use.
    pub(crate) fn fixture() -> Metadata {
        let package = |name: &str, licence: &str, kind: &str| {
            let source = (!name.starts_with("ratchet")).then_some("registry+https://example.org");
            json!({
                "id": format!("{name}#1.0.0"), "name": name, "version": "1.0.0",
                "license": licence, "repository": format!("https://example.org/{name}"),
                "source": source, "dependencies": [], "targets": [{"kind": [kind]}],
                "manifest_path": format!("/crates/{name}/Cargo.toml"),
            })
        };
        let edge = |name: &str, kinds: &[Option<&str>]| {
            let kinds: Vec<Value> = kinds.iter().map(|kind| json!({"kind": kind})).collect();
            json!({"pkg": format!("{name}#1.0.0"), "dep_kinds": kinds})
        };
        let node = |name: &str, deps: Value| json!({"id": format!("{name}#1.0.0"), "deps": deps});
        let metadata = json!({
            "packages": [
                package("ratchet", "Apache-2.0", "bin"),
                package("ratchet-net", "Apache-2.0", "lib"),
                package("bytes", "MIT", "lib"),
                package("derive", "MIT/Apache-2.0", "proc-macro"),
                package("syn", "MIT OR Apache-2.0", "lib"),
                package("cc", "MIT", "lib"),
                package("both", "MIT", "lib"),
                package("proptest", "MIT", "lib"),
                package("ring", "MIT", "lib"),
            ],
            "resolve": {"nodes": [
                node("ratchet", json!([
                    edge("derive", &[None]), edge("ratchet-net", &[None, Some("dev")]),
                    edge("proptest", &[Some("dev")]), edge("cc", &[Some("build")]),
                ])),
                node("ratchet-net", json!([
                    edge("bytes", &[None]), edge("both", &[None]), edge("ring", &[None]),
                ])),
                node("bytes", json!([])),
                node("derive", json!([edge("syn", &[None])])),
                node("syn", json!([edge("both", &[None])])),
                node("cc", json!([])),
                node("both", json!([])),
                node("proptest", json!([])),
                node("ring", json!([])),
            ]},
            "workspace_root": "/crates",
        });
        serde_json::from_value(metadata).unwrap()
    }

    /// What cargo compiles of it: all but `ring`.
    pub(crate) fn compiled() -> BTreeSet<(String, String)> {
        let names = ["ratchet", "ratchet-net", "bytes", "derive", "syn", "cc", "both", "proptest"];
        names.map(|name| (name.to_owned(), "1.0.0".to_owned())).into()
    }

    #[test]
    fn everything_but_what_tests_and_unused_features_need_is_a_part() {
        let metadata = fixture();
        let parts = parts(&metadata, "ratchet", &compiled()).unwrap();
        let found: Vec<(&str, bool)> =
            parts.iter().map(|part| (part.package.name.as_str(), part.is_linked)).collect();
        let wanted = [
            ("both", true),
            ("bytes", true),
            ("cc", false),
            ("derive", false),
            ("ratchet", true),
            ("ratchet-net", true),
            ("syn", false),
        ];
        assert_eq!(found, wanted);
        let names: Vec<&str> =
            parts[4].depends_on.iter().map(|package| package.name.as_str()).collect();
        assert_eq!(names, ["cc", "derive", "ratchet-net"]);
    }

    #[test]
    fn a_crate_of_others_is_no_root() {
        assert!(parts(&fixture(), "bytes", &compiled()).is_err());
        assert!(parts(&fixture(), "absent", &compiled()).is_err());
    }
}
