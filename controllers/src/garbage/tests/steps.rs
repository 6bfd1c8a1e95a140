//! Tests of the effects of each change of the graph.

use crate::garbage::graph::{Effect, Graph};
use crate::garbage::identity::{Identity, ObjectKind, ObservedObject, Owner};
use std::sync::Arc;

fn kind(kind: &str) -> Arc<ObjectKind> {
    Arc::new(ObjectKind { kind: kind.into(), api_version: "v1".into() })
}

fn owner(name: &str) -> Owner {
    Owner { kind: kind("K"), name: name.into(), uid: name.into(), blocks: false }
}

fn observed(name: &str, owners: &[&str]) -> ObservedObject {
    ObservedObject {
        identity: owner(name).in_namespace(&"shop".into()),
        owners: owners.iter().map(|name| owner(name)).collect(),
        deleting: false,
        foreground: false,
        orphan: false,
    }
}

fn attempt_to_delete(name: &str) -> Effect {
    Effect::AttemptToDelete(name.into())
}

#[test]
fn an_owner_that_nobody_has_seen_is_asked_for_once() {
    let mut graph = Graph::default();
    assert_eq!(graph.observe(observed("child", &["owner"])), [attempt_to_delete("owner")]);
    assert!(graph.get(&"owner".into()).is_some_and(|vertex| vertex.is_virtual));
    assert_eq!(graph.observe(observed("sister", &["owner"])), []);
    assert_eq!(graph.observe(observed("owner", &[])), []);
    assert!(graph.get(&"owner".into()).is_some_and(|vertex| !vertex.is_virtual));
    assert_eq!(graph.dependents(&"owner".into()).count(), 2);
}

#[test]
fn the_dependents_of_what_is_gone_are_judged() {
    let mut graph = Graph::default();
    for object in [observed("owner", &[]), observed("child", &["owner"]), observed("other", &[])] {
        graph.observe(object.clone());
    }
    assert_eq!(graph.remove_uid(&"owner".into()), [attempt_to_delete("child")]);
    assert!(graph.absent.contains(&owner("owner").in_namespace(&"shop".into())));
    assert_eq!(
        (graph.remove_uid(&"owner".into()), graph.remove_uid(&"other".into())),
        (vec![], vec![])
    );
}

#[test]
fn a_list_tells_what_went_unseen() {
    let mut graph = Graph::default();
    for object in
        [observed("owner", &[]), observed("child", &["owner"]), observed("rumour's", &["x"])]
    {
        graph.observe(object.clone());
    }
    let mut unseen = graph.uids(&kind("K"));
    for name in ["child", "rumour's"] {
        assert!(unseen.remove(&name.into()));
    }
    // The child still names it: whether it exists must be checked.
    let effects: Vec<_> = unseen.iter().flat_map(|uid| graph.remove_uid(uid)).collect();
    assert_eq!(effects, [attempt_to_delete("child")]);
    assert!(graph.get(&"x".into()).is_some(), "others speak of it");
    assert!(graph.uids(&kind("Other")).is_empty());
}

#[test]
fn a_deletion_that_waits_is_seen_when_it_begins() {
    let mut graph = Graph::default();
    graph.observe(observed("owner", &[]));
    graph.observe(observed("child", &["owner"]));
    let waiting = ObservedObject { deleting: true, foreground: true, ..observed("owner", &[]) };
    assert_eq!(
        graph.observe(waiting.clone()),
        [attempt_to_delete("child"), attempt_to_delete("owner")]
    );
    assert_eq!(graph.observe(waiting.clone()), [], "only when it begins");
    assert_eq!(
        graph.remove_uid(&"child".into()),
        [attempt_to_delete("owner")],
        "it may be the last"
    );
    let orphan = ObservedObject { deleting: true, orphan: true, ..observed("lonely", &[]) };
    assert_eq!(graph.observe(orphan.clone()), [Effect::Orphan("lonely".into())]);
    assert_eq!(graph.observe(orphan.clone()), []);
}

#[test]
fn who_blocks_no_more_frees_its_owner() {
    let mut graph = Graph::default();
    graph.observe(observed("owner", &[]));
    let mut child = observed("child", &["owner"]);
    child.owners[0].blocks = true;
    graph.observe(child.clone());
    assert_eq!(graph.blocking(&"owner".into()).count(), 1);
    assert_eq!(graph.observe(observed("child", &["owner"])), [attempt_to_delete("owner")]);
    assert_eq!(graph.blocking(&"owner".into()).count(), 0);
    graph.observe(child.clone());
    assert_eq!(graph.observe(observed("child", &[])), [attempt_to_delete("owner")]);
    assert_eq!(graph.dependents(&"owner".into()).count(), 0);
}

#[test]
fn an_owner_in_another_namespace_is_told_and_doubted() {
    let mut graph = Graph::default();
    let mut far = observed("owner", &[]);
    far.identity.namespace = "far".into();
    graph.observe(far.clone());
    let child = observed("child", &["owner"]);
    let astray =
        Effect::InvalidOwnerNamespace { dependent: child.identity.clone(), owner: owner("owner") };
    assert_eq!(graph.observe(child.clone()), [astray.clone(), attempt_to_delete("child")]);
    // The other way round: the child first.
    let mut graph = Graph::default();
    assert_eq!(graph.observe(child.clone()), [attempt_to_delete("owner")]);
    assert_eq!(graph.observe(far.clone()), [astray, attempt_to_delete("child")]);
}

#[test]
fn a_rumour_that_is_not_true_goes_unless_others_mean_another() {
    let mut graph = Graph::default();
    graph.observe(observed("child", &["owner"]));
    let identity = owner("owner").in_namespace(&"shop".into());
    assert_eq!(graph.mark_absent(&identity), [attempt_to_delete("child")]);
    assert!(graph.get(&"owner".into()).is_none());

    // Two kinds are named by one uid: each has its turn.
    let mut graph = Graph::default();
    graph.observe(observed("child", &["owner"]));
    let mut other = observed("other", &["owner"]);
    other.owners[0].kind = kind("L");
    assert_eq!(graph.observe(other.clone()), [attempt_to_delete("other")]);
    let later = Effect::RetryDelete("owner".into());
    assert_eq!(graph.mark_absent(&identity), [attempt_to_delete("child"), later]);
    let now = graph.get(&"owner".into()).map(|vertex| vertex.identity.clone());
    assert_eq!(now, Some(Identity { kind: kind("L"), ..identity }));
}

#[test]
fn what_was_seen_is_not_refuted_by_a_rumour_of_another() {
    let mut graph = Graph::default();
    graph.observe(observed("owner", &[]));
    let mut child = observed("child", &["owner"]);
    child.owners[0].name = "misspelled".into();
    assert_eq!(graph.observe(child.clone()), [attempt_to_delete("child")]);
    let misspelled = child.owners[0].in_namespace(&"shop".into());
    assert_eq!(graph.mark_absent(&misspelled), [attempt_to_delete("child")]);
    assert!(graph.get(&"owner".into()).is_some());
}
