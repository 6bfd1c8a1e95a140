//! What a namespace that goes away says about its way.

use super::content::Swept;
use crate::discovery::Discovered;
use jiff::Timestamp;
use ratchet_object::Node;
use std::collections::BTreeMap;

/// A condition: what it says when all is well, and what when not.
struct Row {
    kind: &'static str,
    well: (&'static str, &'static str),
    ill: &'static str,
    message: fn(&Discovered, &Swept) -> Option<String>,
}

static CONDITIONS: [Row; 5] = [
    Row {
        kind: "NamespaceDeletionDiscoveryFailure",
        well: ("ResourcesDiscovered", "All resources successfully discovered"),
        ill: "DiscoveryFailed",
        message: |found, _| {
            let why = found.failure.as_ref()?;
            Some(match found.failing {
                0 => why.clone(),
                many => format!("Discovery failed for some groups, {many} failing: {why}"),
            })
        },
    },
    Row {
        kind: "NamespaceDeletionGroupVersionParsingFailure",
        well: ("ParsedGroupVersions", "All legacy kube types successfully parsed"),
        ill: "GroupVersionParsingFailed",
        message: |found, _| found.unparsed.clone(),
    },
    Row {
        kind: "NamespaceDeletionContentFailure",
        well: (
            "ContentDeleted",
            "All content successfully deleted, may be waiting on finalization",
        ),
        ill: "ContentDeletionFailed",
        message: |_, swept| {
            let mut all = swept.failures.clone();
            all.sort();
            let text = format!("{} remaining: {}", all.len(), all.join(", "));
            (!all.is_empty()).then(|| format!("Failed to delete all resource types, {text}"))
        },
    },
    Row {
        kind: "NamespaceContentRemaining",
        well: ("ContentRemoved", "All content successfully removed"),
        ill: "SomeResourcesRemain",
        message: |_, swept| {
            let all = counted(&swept.remaining, "has")?;
            Some(format!("Some resources are remaining: {all}"))
        },
    },
    Row {
        kind: "NamespaceFinalizersRemaining",
        well: ("ContentHasNoFinalizers", "All content-preserving finalizers finished"),
        ill: "SomeFinalizersRemain",
        message: |_, swept| {
            let all = counted(&swept.finalizers, "in")?;
            Some(format!("Some content in the namespace has finalizers remaining: {all}"))
        },
    },
];

fn counted(counts: &BTreeMap<String, usize>, word: &str) -> Option<String> {
    let texts = counts.iter().map(|(of, many)| format!("{of} {word} {many} resource instances"));
    let mut texts: Vec<_> = texts.collect();
    texts.sort();
    (!texts.is_empty()).then(|| texts.join(", "))
}

/// What a condition should say.
pub(super) struct Wanted {
    kind: &'static str,
    status: &'static str,
    reason: &'static str,
    message: String,
}

/// What the conditions should say after a round.
pub(super) fn of(found: &Discovered, swept: &Swept) -> Vec<Wanted> {
    let wanted = CONDITIONS.iter().map(|row| {
        let ill = (row.message)(found, swept).map(|message| ("True", row.ill, message));
        let well = || ("False", row.well.0, row.well.1.to_owned());
        let (status, reason, message) = ill.unwrap_or_else(well);
        Wanted { kind: row.kind, status, reason, message }
    });
    wanted.collect()
}

/// The namespace with these conditions, if it has not got them already.
pub(super) fn set(namespace: &Node<'_>, wanted: &[Wanted]) -> Option<Node<'static>> {
    let mut new = namespace.clone().into_owned();
    let status = new.below("status");
    let mut conditions = status.remove("conditions").unwrap_or_else(|| Node::list(Vec::new()));
    if conditions.items_mut().is_none() {
        conditions = Node::list(Vec::new());
    }
    let list = conditions.items_mut()?;
    let mut changed = false;
    for want in wanted {
        match list.iter_mut().find(|one| one.text_at(&["type"]) == want.kind) {
            Some(one) => changed |= want.update(one),
            None => {
                list.push(want.fresh());
                changed = true;
            }
        }
    }
    status.set("conditions", conditions);
    changed.then_some(new)
}

impl Wanted {
    fn parts(&self) -> [(&'static str, &str); 3] {
        [("status", self.status), ("reason", self.reason), ("message", &self.message)]
    }

    fn fresh(&self) -> Node<'static> {
        let mut condition = Node::map([("type", Node::string(self.kind))]);
        condition.set("status", Node::string(self.status));
        condition.set("lastTransitionTime", now());
        condition.set("reason", Node::string(self.reason));
        condition.set("message", Node::string(self.message.clone()));
        condition
    }

    /// Whether anything changed. The time is that of the last change between well and ill.
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
        let wanted = of(&Discovered::default(), &Swept::default());
        let new = set(&Node::empty_map(), &wanted).expect("changes");
        assert_eq!(new.find(&["status", "conditions"]).expect("there").items().len(), 5);
        assert_eq!(set(&new, &wanted), None);
        let expected = ["False", "ContentRemoved", "All content successfully removed"];
        assert_eq!(message(&new, "NamespaceContentRemaining"), expected);
    }

    #[test]
    fn what_is_ill_is_named_in_a_stable_order() {
        let counts = |names: [&str; 2]| names.map(|name| (name.to_owned(), 2)).into();
        let swept = Swept {
            failures: vec!["b".to_owned(), "a".to_owned()],
            wait: 15,
            remaining: counts(["pods.", "deployments.apps"]),
            finalizers: counts(["z/z", "a/a"]),
        };
        let found = Discovered {
            failure: Some("unable".to_owned()),
            failing: 1,
            unparsed: Some("unexpected GroupVersion string: a/b/c".to_owned()),
            ..Discovered::default()
        };
        let new = set(&Node::empty_map(), &of(&found, &swept)).expect("changes");
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
        let well = set(&new, &of(&Discovered::default(), &Swept::default())).expect("changes");
        assert_eq!(message(&well, "NamespaceDeletionDiscoveryFailure")[0], "False");
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
        let swept = Swept { remaining: [("pods.".to_owned(), 1)].into(), ..Swept::default() };
        let still = set(&namespace, &of(&Discovered::default(), &swept)).expect("changes");
        let times = |node: &Node<'_>| -> Vec<String> {
            let list = node.find(&["status", "conditions"]).expect("there").items();
            list.iter().take(2).map(|one| one.text_at(&["lastTransitionTime"]).to_owned()).collect()
        };
        assert_eq!(times(&still), [old, old]);
        let well = set(&still, &of(&Discovered::default(), &Swept::default())).expect("changes");
        assert_ne!(times(&well)[0], old);
        assert_eq!(times(&well)[1], old);
    }
}
