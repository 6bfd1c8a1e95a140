//! System metadata of objects: uid, timestamps, generation.

use super::strategy::{Generation, Strategy};
use ratchet_object::{Equality, Node, equal_at};

/// Fields that a client cannot set on create.
const SYSTEM_FIELDS: &[&str] =
    &["creationTimestamp", "deletionGracePeriodSeconds", "deletionTimestamp", "selfLink", "uid"];

/// Removes what a client cannot set, before mutating admission sees a new object.
pub(crate) fn wipe_system_fields(node: &mut Node<'static>) {
    let metadata = node.map_mut("metadata");
    for name in SYSTEM_FIELDS.iter().filter(|name| **name != "managedFields") {
        metadata.remove(name);
    }
}

/// Sets uid, creation timestamp and generation of a new object.
pub(crate) fn fill_system_fields(
    node: &mut Node<'static>,
    strategy: &Strategy,
    uid: String,
    now: String,
) {
    let metadata = node.map_mut("metadata");
    for name in SYSTEM_FIELDS {
        metadata.remove(name);
    }
    metadata.set("uid", Node::string(uid));
    // Kinds without generation keep the client's value.
    if !matches!(strategy.generation, Generation::Absent | Generation::Later(_)) {
        metadata.set("generation", Node::int(1));
    }
    metadata.set("creationTimestamp", Node::string(now));
}

/// Copies the immutable metadata to `new`, and increments the generation if its content changed.
pub(crate) fn preserve_system_fields(new: &mut Node<'static>, old: &Node<'_>, strategy: &Strategy) {
    let differs = |names: &[&str]| !equal_at(new, old, names, Equality::Semantic);
    let changed = match strategy.generation {
        Generation::Absent | Generation::One => false,
        Generation::Of(member) | Generation::Later(member) => differs(&[member]),
        Generation::OfExactly(member) => !equal_at(new, old, &[member], Equality::Reflect),
        Generation::OfSpecAndAnnotations => {
            differs(&["spec"]) || differs(&["metadata", "annotations"])
        }
        Generation::OfContentAndLabels => {
            content(new, old).any(|member| differs(&[member])) || differs(&["metadata", "labels"])
        }
    };
    let metadata = new.map_mut("metadata");
    for name in ["creationTimestamp", "generation"] {
        metadata.remove(name);
    }
    // A client's own deletion timestamp stays and fails validation later.
    for name in
        ["creationTimestamp", "deletionGracePeriodSeconds", "deletionTimestamp", "generation"]
    {
        if let Some(value) = old.find(&["metadata", name]) {
            metadata.set(name, value.clone().into_owned());
        }
    }
    metadata.remove("selfLink");
    if old.find(&["metadata", "namespace"]).is_none() {
        metadata.remove("namespace");
    }
    for name in ["uid", "name", "namespace"] {
        if metadata.text_at(&[name]).is_empty()
            && let Some(value) = old.find(&["metadata", name])
        {
            metadata.set(name, value.clone().into_owned());
        }
    }
    if changed {
        increment_generation(new, old);
    }
}

/// Restores the stored generation: the write does not change the desired state.
pub(crate) fn restore_generation(new: &mut Node<'static>, old: &Node<'_>) {
    let metadata = new.map_mut("metadata");
    match old.find(&["metadata", "generation"]) {
        Some(generation) => metadata.set("generation", generation.clone().into_owned()),
        None => {
            metadata.remove("generation");
        }
    }
}

/// Sets the generation to the stored one plus one.
pub(crate) fn increment_generation(new: &mut Node<'static>, old: &Node<'_>) {
    let generation = old.find(&["metadata", "generation"]).and_then(Node::as_int).unwrap_or(0);
    new.map_mut("metadata").set("generation", Node::int(generation + 1));
}

/// The top-level fields of two objects except metadata and status.
fn content<'a>(one: &'a Node<'_>, other: &'a Node<'_>) -> impl Iterator<Item = &'a str> {
    let names = one.entries().iter().chain(other.entries()).map(|entry| &*entry.key);
    names.filter(|name| !matches!(*name, "metadata" | "status" | "kind" | "apiVersion"))
}

/// Whether an object is being deleted.
pub(crate) fn is_terminating(node: &Node<'_>) -> bool {
    node.find(&["metadata", "deletionTimestamp"]).is_some()
}

/// Whether an object has finalizers.
pub(crate) fn has_finalizers(node: &Node<'_>) -> bool {
    node.find(&["metadata", "finalizers"]).is_some_and(|list| !list.items().is_empty())
}

/// Whether a terminating object can be removed now: no finalizers, and no grace period left.
pub(crate) fn can_be_removed(node: &Node<'_>) -> bool {
    let grace = node.find(&["metadata", "deletionGracePeriodSeconds"]).and_then(Node::as_int);
    is_terminating(node) && !has_finalizers(node) && grace.unwrap_or(0) == 0
}

/// A name from `generateName`: `base`, cut to fit, and a random suffix.
pub(crate) fn generate_name(base: &str) -> String {
    const LETTERS: &[u8] = b"bcdfghjklmnpqrstvwxz2456789";
    let end = (0..=58.min(base.len())).rev().find(|&at| base.is_char_boundary(at)).unwrap_or(0);
    let letter =
        |_| LETTERS.get(fastrand::usize(..LETTERS.len())).map_or('b', |&byte| char::from(byte));
    let suffix: String = (0..5).map(letter).collect();
    format!("{}{suffix}", base.get(..end).unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::registry::strategy;
    use ratchet_object::{Limits, decode};

    fn node(text: &str) -> Node<'static> {
        decode(text, Limits::DEFAULT).unwrap().documents.remove(0).into_owned()
    }

    #[test]
    fn a_new_object_gets_its_identity_from_the_server() {
        let mut pod = node("{metadata: {name: a, uid: mine, deletionTimestamp: x, generation: 7}}");
        fill_system_fields(&mut pod, strategy("", "Pod"), "u".into(), "now".into());
        assert_eq!(
            pod.to_json(),
            r#"{"metadata":{"name":"a","generation":1,"uid":"u","creationTimestamp":"now"}}"#
        );
        let mut map = node("{metadata: {name: a}}");
        fill_system_fields(&mut map, strategy("", "ConfigMap"), "u".into(), "now".into());
        assert_eq!(map.find(&["metadata", "generation"]), None);
        let mut stated = node("{metadata: {name: a, generation: 7}}");
        fill_system_fields(&mut stated, strategy("", "ConfigMap"), "u".into(), "now".into());
        let generation = stated.find(&["metadata", "generation"]).and_then(Node::as_int);
        assert_eq!(generation, Some(7), "nobody counts it, so it stays");
    }

    #[test]
    fn a_deletion_that_nobody_asked_for_stays_to_be_refused() {
        let old = node("{metadata: {name: a, uid: u}}");
        let mut new = node("{metadata: {name: a, deletionTimestamp: t}}");
        preserve_system_fields(&mut new, &old, strategy("", "ConfigMap"));
        assert_eq!(new.text_at(&["metadata", "deletionTimestamp"]), "t");
        let mut less = node("{metadata: {name: a}}");
        preserve_system_fields(&mut less, &new, strategy("", "ConfigMap"));
        assert_eq!(less.text_at(&["metadata", "deletionTimestamp"]), "t");
    }

    #[test]
    fn generation_counts_the_spec_only() {
        let old = node(
            "{metadata: {name: a, uid: u, generation: 3, creationTimestamp: t}, spec: {replicas: 1}}",
        );
        let updated = |text: &str| {
            let mut new = node(text);
            preserve_system_fields(&mut new, &old, strategy("apps", "Deployment"));
            new.find(&["metadata", "generation"]).and_then(Node::as_int)
        };
        assert_eq!(updated("{metadata: {name: a, labels: {b: c}}, spec: {replicas: 1}}"), Some(3));
        assert_eq!(updated("{metadata: {name: a, generation: 9}, spec: {replicas: 2}}"), Some(4));
    }

    #[test]
    fn a_generated_name_has_room_for_its_end() {
        let name = generate_name("web-");
        assert!(name.starts_with("web-") && name.len() == 9, "{name}");
        let long = generate_name(&"a".repeat(100));
        assert_eq!(long.len(), 63);
        // A multi-byte character is not split.
        assert!(generate_name(&"ä".repeat(40)).len() <= 63);
        assert_eq!(generate_name("").len(), 5);
    }
}
