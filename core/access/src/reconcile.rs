//! Reconciliation of default roles and bindings: a stored object gets what it lacks, and keeps what it has.

use crate::{Rule, covers};
use ratchet_object::Node;

/// The annotation that exempts a default object from reconciliation.
const AUTOUPDATE: &str = "rbac.authorization.kubernetes.io/autoupdate";

/// The stored object with what the default one has and it lacks: labels, annotations, rules,
/// selectors, subjects. None if nothing is missing, if the object is exempt, or if it binds another role
/// (that would have to be deleted first; nothing is removed here).
pub fn reconcile<'t>(stored: &Node<'t>, default: &Node<'t>) -> Option<Node<'t>> {
    if stored.metadata().annotation(AUTOUPDATE).unwrap_or_default() == "false" {
        return None;
    }
    if stored.get("roleRef") != default.get("roleRef") {
        return None;
    }
    let mut object = stored.clone();
    let mut changed = false;
    for part in ["labels", "annotations"] {
        let default_entries =
            default.find(&["metadata", part]).map(Node::entries).unwrap_or_default();
        for entry in default_entries {
            if stored.find(&["metadata", part, &entry.key]).is_none() {
                changed = true;
                object.map_mut("metadata").map_mut(part).set(entry.key.clone(), entry.node.clone());
            }
        }
    }
    let default_rules = Rule::all_of(default);
    if let Err(missing) = covers(&Rule::all_of(stored), &default_rules) {
        changed = true;
        append(&mut object, "rules", missing.iter().map(|rule| -> Node<'t> { rule.to_node() }));
    }
    changed |= append_missing(&mut object, default, &["subjects"]);
    changed |= append_missing(&mut object, default, &["aggregationRule", "clusterRoleSelectors"]);
    changed.then_some(object)
}

/// Appends the items of the list at `path` that the object lacks; whether there were any.
fn append_missing<'t>(object: &mut Node<'t>, default: &Node<'t>, path: &[&'static str]) -> bool {
    let Some((last, above)) = path.split_last() else { return false };
    let stored_items = object.find(path).map(Node::items).unwrap_or_default();
    let default_items = default.find(path).map(Node::items).unwrap_or_default();
    let missing = default_items.iter().filter(|item| !stored_items.contains(item));
    let missing: alloc::vec::Vec<_> = missing.cloned().collect();
    let any = !missing.is_empty();
    if any {
        let holder = above.iter().fold(object, |node, name| node.map_mut(name));
        append(holder, last, missing.into_iter());
    }
    any
}

fn append<'t>(holder: &mut Node<'t>, name: &'static str, items: impl Iterator<Item = Node<'t>>) {
    match holder.get_mut(name).and_then(Node::items_mut) {
        Some(existing) => existing.extend(items),
        None => holder.set(name, Node::list(items.collect())),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bootstrap_objects;
    use crate::testing::node;

    #[test]
    fn the_default_objects_lack_nothing() {
        for object in bootstrap_objects() {
            assert_eq!(reconcile(&object, &object), None);
        }
    }

    #[test]
    fn what_is_missing_is_added_and_nothing_is_taken() {
        let stored = node(
            "{metadata: {name: x, labels: {a: mine}}, rules: [{verbs: [get], apiGroups: [''], resources: [pods]}]}",
        );
        let default = node(
            "{metadata: {name: x, labels: {a: theirs, b: z}}, rules: [{verbs: [get, list], apiGroups: [''], resources: [pods]}]}",
        );
        let object = reconcile(&stored, &default).expect("something is missing");
        assert_eq!(object.metadata().label("a").unwrap_or_default(), "mine");
        assert_eq!(object.metadata().label("b").unwrap_or_default(), "z");
        assert_eq!(Rule::all_of(&object).len(), 2);
        assert_eq!(reconcile(&object, &default), None);
        let subjects = node("{roleRef: {name: r}, subjects: [{kind: User, name: a}]}");
        let bare = node("{roleRef: {name: r}}");
        assert_eq!(reconcile(&bare, &subjects), Some(subjects.clone()));
        assert_eq!(reconcile(&node("{roleRef: {name: s}}"), &subjects), None);
    }

    #[test]
    fn an_object_can_ask_to_be_left_alone() {
        let stored = node(
            "{metadata: {annotations: {rbac.authorization.kubernetes.io/autoupdate: 'false'}}}",
        );
        assert_eq!(
            reconcile(&stored, &node("{rules: [{verbs: [get], nonResourceURLs: [/x]}]}")),
            None
        );
    }
}
