//! Preparation of definitions for create, update and delete (`strategy.PrepareFor…`): status, generation, finalizer.

use super::read::texts;
use super::{Termination, set_condition, terminating_condition};
use crate::value::deep_equal;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use ratchet_object::{Node, Value};

/// The finalizer that holds a definition until its objects are gone.
pub const CLEANUP_FINALIZER: &str = "customresourcecleanup.apiextensions.k8s.io";

/// Prepares a new definition: it has no status but the version in which objects are stored, and generation 1.
pub fn prepare_for_create(definition: &mut Node<'_>) {
    let stored = stored_versions(definition, &[]);
    let status = Node::map([
        ("conditions", Node::new(Value::Null)),
        ("acceptedNames", Node::map([("plural", Node::string("")), ("kind", Node::string(""))])),
        ("storedVersions", text_list(stored)),
    ]);
    definition.set("status", status);
    definition.map_mut("metadata").set("generation", Node::int(1));
}

/// Prepares an update: the status stays, a new storage version is added to it, and the generation follows the spec.
pub fn prepare_for_update(new: &mut Node<'_>, old: &Node<'_>) {
    match old.get("status") {
        Some(status) => new.set("status", status.clone().into_owned()),
        None => {
            new.remove("status");
        }
    }
    let before = texts(old.find(&["status", "storedVersions"]));
    let stored = stored_versions(new, &before);
    if stored != before {
        new.map_mut("status").set("storedVersions", text_list(stored));
    }
    let generation = old.metadata().generation().unwrap_or_default();
    let has_changed = match (new.get("spec"), old.get("spec")) {
        (Some(new), Some(old)) => !deep_equal(new, old),
        (new, old) => new.is_some() != old.is_some(),
    };
    let generation = if has_changed { generation.saturating_add(1) } else { generation };
    new.map_mut("metadata").set("generation", Node::int(generation));
}

/// Prepares an update of the status alone: the spec stays.
pub fn prepare_for_status_update(new: &mut Node<'_>, old: &Node<'_>) {
    match old.get("spec") {
        Some(spec) => new.set("spec", spec.clone().into_owned()),
        None => {
            new.remove("spec");
        }
    }
}

/// Marks a definition for deletion: the finalizer holds it, and the condition says so. The server sets the time of
/// the deletion itself.
pub fn prepare_for_delete(definition: &mut Node<'_>, now: &str) {
    let metadata = definition.map_mut("metadata");
    let has = metadata.get("finalizers").map(Node::items).unwrap_or_default();
    if !has.iter().any(|finalizer| finalizer.text() == Some(CLEANUP_FINALIZER)) {
        let mut finalizers: Vec<Node<'_>> = has.to_vec();
        finalizers.push(Node::string(CLEANUP_FINALIZER));
        metadata.set("finalizers", Node::list(finalizers));
    }
    set_condition(definition, &terminating_condition(&Termination::Pending), now);
}

/// The stored versions of a definition: those before, and the storage version.
pub(crate) fn stored_versions(definition: &Node<'_>, before: &[String]) -> Vec<String> {
    let mut stored: Vec<String> = before.to_vec();
    let versions = definition.find(&["spec", "versions"]).map(Node::items).unwrap_or_default();
    let is_storage =
        |version: &&Node<'_>| version.get("storage").and_then(Node::as_bool) == Some(true);
    if let Some(version) = versions.iter().find(is_storage) {
        let name = version.text_at(&["name"]).to_string();
        if !stored.contains(&name) {
            stored.push(name);
        }
    }
    stored
}

fn text_list(texts: Vec<String>) -> Node<'static> {
    Node::list(texts.into_iter().map(Node::string).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::tree;

    #[test]
    fn the_status_is_the_servers() {
        let mut new = tree(
            "{metadata: {name: a}, spec: {versions: [{name: v1, storage: true}]}, status: {x: 1}}",
        );
        prepare_for_create(&mut new);
        assert_eq!(
            new.get("status").unwrap().to_json(),
            r#"{"conditions":null,"acceptedNames":{"plural":"","kind":""},"storedVersions":["v1"]}"#
        );
        let mut updated = tree(
            "{metadata: {name: a}, spec: {versions: [{name: v1}, {name: v2, storage: true}]}}",
        );
        prepare_for_update(&mut updated, &new);
        assert_eq!(updated.metadata().generation(), Some(2));
        assert_eq!(
            updated.find(&["status", "storedVersions"]).unwrap().to_json(),
            r#"["v1","v2"]"#
        );
        let mut same = updated.clone();
        prepare_for_update(&mut same, &updated);
        assert_eq!(same.metadata().generation(), Some(2));
    }

    #[test]
    fn deletion_waits_for_the_objects() {
        let mut node = tree("{metadata: {name: a, finalizers: [x]}}");
        prepare_for_delete(&mut node, "now");
        prepare_for_delete(&mut node, "now");
        assert_eq!(node.metadata().finalizers().len(), 2);
        assert_eq!(
            node.find(&["status", "conditions"]).unwrap().items()[0].text_at(&["reason"]),
            "InstanceDeletionPending"
        );
    }
}
