//! The metadata that belongs to the server: who an object is, since when, and how often it changed.

use super::strategy::{Generation, Strategy};
use ratchet_object::{Equality, Node, equal_at};

/// What a client may never set on a new object.
const OWNED: &[&str] = &[
    "creationTimestamp",
    "deletionGracePeriodSeconds",
    "deletionTimestamp",
    "managedFields",
    "selfLink",
    "uid",
];

/// Gives a new object its identity.
pub(crate) fn fill_system_fields(
    node: &mut Node<'static>,
    strategy: &Strategy,
    uid: String,
    now: String,
) {
    let metadata = node.below("metadata");
    for name in OWNED {
        metadata.remove(name);
    }
    metadata.set("uid", Node::string(uid));
    // Where nobody counts, what the writer says stays.
    if !matches!(strategy.generation, Generation::Absent | Generation::Later(_)) {
        metadata.set("generation", Node::int(1));
    }
    metadata.set("creationTimestamp", Node::string(now));
}

/// Carries over to `new` what no update may change, and counts the generation.
pub(crate) fn preserve_system_fields(new: &mut Node<'static>, old: &Node<'_>, strategy: &Strategy) {
    let differs = |names: &[&str]| !equal_at(new, old, names, Equality::Semantic);
    let counts = match strategy.generation {
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
    let metadata = new.below("metadata");
    for name in ["creationTimestamp", "generation"] {
        metadata.remove(name);
    }
    // Who sets a deletion that nobody asked for is refused later.
    for name in
        ["creationTimestamp", "deletionGracePeriodSeconds", "deletionTimestamp", "generation"]
    {
        if let Some(value) = old.find(&["metadata", name]) {
            metadata.set(name, value.clone().into_owned());
        }
    }
    // Names of who manages which field are kept by server-side apply, which is not there yet.
    metadata.remove("managedFields");
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
    if counts {
        count_generation(new, old);
    }
}

/// Leaves the generation as it is stored: what is written is no wish of a user.
pub(crate) fn keep_generation(new: &mut Node<'static>, old: &Node<'_>) {
    let metadata = new.below("metadata");
    match old.find(&["metadata", "generation"]) {
        Some(generation) => metadata.set("generation", generation.clone().into_owned()),
        None => {
            metadata.remove("generation");
        }
    }
}

/// Counts the generation up from what is stored.
pub(crate) fn count_generation(new: &mut Node<'static>, old: &Node<'_>) {
    let generation = old.find(&["metadata", "generation"]).and_then(Node::as_int).unwrap_or(0);
    new.below("metadata").set("generation", Node::int(generation + 1));
}

/// The members of two objects that are neither metadata nor status.
fn content<'a>(one: &'a Node<'_>, other: &'a Node<'_>) -> impl Iterator<Item = &'a str> {
    let names = one.entries().iter().chain(other.entries()).map(|entry| &*entry.key);
    names.filter(|name| !matches!(*name, "metadata" | "status" | "kind" | "apiVersion"))
}

/// Whether an object is being deleted.
pub(crate) fn is_terminating(node: &Node<'_>) -> bool {
    node.find(&["metadata", "deletionTimestamp"]).is_some()
}

/// Whether something still holds an object that is being deleted.
pub(crate) fn has_finalizers(node: &Node<'_>) -> bool {
    node.find(&["metadata", "finalizers"]).is_some_and(|list| !list.items().is_empty())
}

/// Whether an object that is being deleted may go now.
pub(crate) fn may_go(node: &Node<'_>) -> bool {
    let grace = node.find(&["metadata", "deletionGracePeriodSeconds"]).and_then(Node::as_int);
    is_terminating(node) && !has_finalizers(node) && grace.unwrap_or(0) == 0
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lifecycle::strategy;
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
        let mut told = node("{metadata: {name: a, generation: 7}}");
        fill_system_fields(&mut told, strategy("", "ConfigMap"), "u".into(), "now".into());
        let generation = told.find(&["metadata", "generation"]).and_then(Node::as_int);
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
        let renewed = |text: &str| {
            let mut new = node(text);
            preserve_system_fields(&mut new, &old, strategy("apps", "Deployment"));
            new.find(&["metadata", "generation"]).and_then(Node::as_int)
        };
        assert_eq!(renewed("{metadata: {name: a, labels: {b: c}}, spec: {replicas: 1}}"), Some(3));
        assert_eq!(renewed("{metadata: {name: a, generation: 9}, spec: {replicas: 2}}"), Some(4));
    }
}
