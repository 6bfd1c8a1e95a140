//! The conditions of a namespace that is being deleted.

use super::content::ContentDeletion;
use crate::discovery::DiscoveredResources;
use jiff::Timestamp;
use ratchet_object::Node;
use std::collections::BTreeMap;

/// A condition: its reason and message on success, and its reason on failure.
struct Row {
    kind: &'static str,
    success: (&'static str, &'static str),
    failure_reason: &'static str,
    message: fn(&DiscoveredResources, &ContentDeletion) -> Option<String>,
}

static CONDITIONS: [Row; 5] = [
    Row {
        kind: "NamespaceDeletionDiscoveryFailure",
        success: ("ResourcesDiscovered", "All resources successfully discovered"),
        failure_reason: "DiscoveryFailed",
        message: |discovered, _| {
            let why = discovered.failure.as_ref()?;
            Some(match discovered.failing {
                0 => why.clone(),
                many => format!("Discovery failed for some groups, {many} failing: {why}"),
            })
        },
    },
    Row {
        kind: "NamespaceDeletionGroupVersionParsingFailure",
        success: ("ParsedGroupVersions", "All legacy kube types successfully parsed"),
        failure_reason: "GroupVersionParsingFailed",
        message: |discovered, _| discovered.unparsed.clone(),
    },
    Row {
        kind: "NamespaceDeletionContentFailure",
        success: (
            "ContentDeleted",
            "All content successfully deleted, may be waiting on finalization",
        ),
        failure_reason: "ContentDeletionFailed",
        message: |_, deletion| {
            let mut all = deletion.failures.clone();
            all.sort();
            let text = format!("{} remaining: {}", all.len(), all.join(", "));
            (!all.is_empty()).then(|| format!("Failed to delete all resource types, {text}"))
        },
    },
    Row {
        kind: "NamespaceContentRemaining",
        success: ("ContentRemoved", "All content successfully removed"),
        failure_reason: "SomeResourcesRemain",
        message: |_, deletion| {
            let all = format_counts(&deletion.remaining, "has")?;
            Some(format!("Some resources are remaining: {all}"))
        },
    },
    Row {
        kind: "NamespaceFinalizersRemaining",
        success: ("ContentHasNoFinalizers", "All content-preserving finalizers finished"),
        failure_reason: "SomeFinalizersRemain",
        message: |_, deletion| {
            let all = format_counts(&deletion.finalizers, "in")?;
            Some(format!("Some content in the namespace has finalizers remaining: {all}"))
        },
    },
];

fn format_counts(counts: &BTreeMap<String, usize>, preposition: &str) -> Option<String> {
    let texts =
        counts.iter().map(|(of, many)| format!("{of} {preposition} {many} resource instances"));
    let mut texts: Vec<_> = texts.collect();
    texts.sort();
    (!texts.is_empty()).then(|| texts.join(", "))
}

/// The desired state of one condition.
pub(super) struct Condition {
    kind: &'static str,
    status: &'static str,
    reason: &'static str,
    message: String,
}

/// The desired conditions after one round of deletion.
pub(super) fn desired_conditions(
    discovered: &DiscoveredResources,
    deletion: &ContentDeletion,
) -> Vec<Condition> {
    let desired = CONDITIONS.iter().map(|row| {
        let failure = (row.message)(discovered, deletion)
            .map(|message| ("True", row.failure_reason, message));
        let success = || ("False", row.success.0, row.success.1.to_owned());
        let (status, reason, message) = failure.unwrap_or_else(success);
        Condition { kind: row.kind, status, reason, message }
    });
    desired.collect()
}

/// The namespace with these conditions, or `None` if it has them already.
pub(super) fn set(namespace: &Node<'_>, desired: &[Condition]) -> Option<Node<'static>> {
    let mut new = namespace.clone().into_owned();
    let status = new.map_mut("status");
    let mut conditions = status.remove("conditions").unwrap_or_else(|| Node::list(Vec::new()));
    if conditions.items_mut().is_none() {
        conditions = Node::list(Vec::new());
    }
    let list = conditions.items_mut()?;
    let mut changed = false;
    for condition in desired {
        match list.iter_mut().find(|existing| existing.text_at(&["type"]) == condition.kind) {
            Some(existing) => changed |= condition.update(existing),
            None => {
                list.push(condition.to_node());
                changed = true;
            }
        }
    }
    status.set("conditions", conditions);
    changed.then_some(new)
}

impl Condition {
    fn parts(&self) -> [(&'static str, &str); 3] {
        [("status", self.status), ("reason", self.reason), ("message", &self.message)]
    }

    fn to_node(&self) -> Node<'static> {
        let mut condition = Node::map([("type", Node::string(self.kind))]);
        condition.set("status", Node::string(self.status));
        condition.set("lastTransitionTime", now());
        condition.set("reason", Node::string(self.reason));
        condition.set("message", Node::string(self.message.clone()));
        condition
    }

    /// Updates the condition and returns whether it changed. The transition time changes only with
    /// the status.
    fn update(&self, condition: &mut Node<'static>) -> bool {
        if self.parts().iter().all(|(name, text)| condition.text_at(&[name]) == *text) {
            return false;
        }
        if condition.text_at(&["status"]) != self.status {
            condition.set("lastTransitionTime", now());
        }
        for (name, text) in self.parts() {
            condition.set(name, Node::string(text.to_owned()));
        }
        true
    }
}

fn now() -> Node<'static> {
    Node::string(Timestamp::now().strftime("%Y-%m-%dT%H:%M:%SZ").to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn message<'n>(namespace: &'n Node<'_>, kind: &str) -> [&'n str; 3] {
        let conditions = namespace.find(&["status", "conditions"]).expect("there").items();
        let one = conditions.iter().find(|one| one.text_at(&["type"]) == kind).expect("there");
        ["status", "reason", "message"].map(|name| one.text_at(&[name]))
    }

    #[test]
    fn all_five_are_kept_and_written_once() {
        let desired =
            desired_conditions(&DiscoveredResources::default(), &ContentDeletion::default());
        let new = set(&Node::empty_map(), &desired).expect("changes");
        assert_eq!(new.find(&["status", "conditions"]).expect("there").items().len(), 5);
        assert_eq!(set(&new, &desired), None);
        let expected = ["False", "ContentRemoved", "All content successfully removed"];
        assert_eq!(message(&new, "NamespaceContentRemaining"), expected);
    }

    #[test]
    fn what_is_ill_is_named_in_a_stable_order() {
        let counts = |names: [&str; 2]| names.map(|name| (name.to_owned(), 2)).into();
        let deletion = ContentDeletion {
            failures: vec!["b".to_owned(), "a".to_owned()],
            wait: 15,
            remaining: counts(["pods.", "deployments.apps"]),
            finalizers: counts(["z/z", "a/a"]),
        };
        let discovered = DiscoveredResources {
            failure: Some("unable".to_owned()),
            failing: 1,
            unparsed: Some("unexpected GroupVersion string: a/b/c".to_owned()),
            ..DiscoveredResources::default()
        };
        let new =
            set(&Node::empty_map(), &desired_conditions(&discovered, &deletion)).expect("changes");
        for (kind, reason, text) in [
            (
                "NamespaceDeletionDiscoveryFailure",
                "DiscoveryFailed",
                "Discovery failed for some groups, 1 failing: unable",
            ),
            (
                "NamespaceDeletionGroupVersionParsingFailure",
                "GroupVersionParsingFailed",
                "unexpected GroupVersion string: a/b/c",
            ),
            (
                "NamespaceDeletionContentFailure",
                "ContentDeletionFailed",
                "Failed to delete all resource types, 2 remaining: a, b",
            ),
            (
                "NamespaceContentRemaining",
                "SomeResourcesRemain",
                "Some resources are remaining: deployments.apps has 2 resource instances, pods. has 2 resource instances",
            ),
            (
                "NamespaceFinalizersRemaining",
                "SomeFinalizersRemain",
                "Some content in the namespace has finalizers remaining: a/a in 2 resource instances, z/z in 2 resource instances",
            ),
        ] {
            assert_eq!(message(&new, kind), ["True", reason, text]);
        }
        let success = set(
            &new,
            &desired_conditions(&DiscoveredResources::default(), &ContentDeletion::default()),
        )
        .expect("changes");
        assert_eq!(message(&success, "NamespaceDeletionDiscoveryFailure")[0], "False");
    }

    #[test]
    fn the_time_changes_only_with_the_status_and_others_are_left_alone() {
        let old = "2020-01-01T00:00:00Z";
        let text = |text: &str| Node::string(text.to_owned());
        let kinds = ["NamespaceContentRemaining", "Mine"];
        let list = kinds.map(|kind| {
            Node::map([
                ("type", text(kind)),
                ("status", text("True")),
                ("lastTransitionTime", text(old)),
            ])
        });
        let status = Node::map([("conditions", Node::list(list.to_vec()))]);
        let namespace = Node::map([("status", status)]);
        let deletion = ContentDeletion {
            remaining: [("pods.".to_owned(), 1)].into(),
            ..ContentDeletion::default()
        };
        let unchanged =
            set(&namespace, &desired_conditions(&DiscoveredResources::default(), &deletion))
                .expect("changes");
        let times = |node: &Node<'_>| -> Vec<String> {
            let list = node.find(&["status", "conditions"]).expect("there").items();
            list.iter().take(2).map(|one| one.text_at(&["lastTransitionTime"]).to_owned()).collect()
        };
        assert_eq!(times(&unchanged), [old, old]);
        let success = set(
            &unchanged,
            &desired_conditions(&DiscoveredResources::default(), &ContentDeletion::default()),
        )
        .expect("changes");
        assert_ne!(times(&success)[0], old);
        assert_eq!(times(&success)[1], old);
    }
}
