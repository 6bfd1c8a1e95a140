//! What each change of the graph asks for.

use crate::garbage::graph::{Effect, Graph};
use crate::garbage::identity::{Identity, Owner, Seen};

fn owner(name: &str) -> Owner {
    Owner {
        kind: "K".into(),
        api_version: "v1".into(),
        name: name.into(),
        uid: name.into(),
        blocks: false,
    }
}

fn seen(name: &str, owners: &[&str]) -> Seen {
    Seen {
        identity: owner(name).within(&"shop".into()),
        owners: owners.iter().map(|name| owner(name)).collect(),
        deleting: false,
        foreground: false,
        orphan: false,
    }
}

fn judge(name: &str) -> Effect {
    Effect::Judge(name.into())
}

#[test]
fn an_owner_that_nobody_has_seen_is_asked_for_once() {
    let mut graph = Graph::default();
    assert_eq!(graph.see(&seen("child", &["owner"])), [judge("owner")]);
    assert!(graph.get("owner").is_some_and(|vertex| vertex.rumour));
    assert_eq!(graph.see(&seen("sister", &["owner"])), []);
    assert_eq!(graph.see(&seen("owner", &[])), []);
    assert!(graph.get("owner").is_some_and(|vertex| !vertex.rumour));
    assert_eq!(graph.dependents("owner").count(), 2);
}

#[test]
fn the_dependents_of_what_is_gone_are_judged() {
    let mut graph = Graph::default();
    for object in [seen("owner", &[]), seen("child", &["owner"]), seen("other", &[])] {
        graph.see(&object);
    }
    assert_eq!(graph.lose("owner"), [judge("child")]);
    assert!(graph.absent.has(&owner("owner").within(&"shop".into())));
    assert_eq!((graph.lose("owner"), graph.lose("other")), (vec![], vec![]));
}

#[test]
fn a_list_tells_what_went_unseen() {
    let mut graph = Graph::default();
    for object in [seen("owner", &[]), seen("child", &["owner"]), seen("rumour's", &["x"])] {
        graph.see(&object);
    }
    let all = [seen("child", &["owner"]), seen("rumour's", &["x"])];
    // The child still names it: whether it is there must be asked.
    let effects = graph.replace(&"v1".into(), &"K".into(), &all);
    assert_eq!(effects, [judge("child")]);
    assert!(graph.get("x").is_some(), "others speak of it");
    assert_eq!(graph.replace(&"v1".into(), &"Other".into(), &[]), []);
}

#[test]
fn a_deletion_that_waits_is_seen_when_it_begins() {
    let mut graph = Graph::default();
    graph.see(&seen("owner", &[]));
    graph.see(&seen("child", &["owner"]));
    let waiting = Seen { deleting: true, foreground: true, ..seen("owner", &[]) };
    assert_eq!(graph.see(&waiting), [judge("child"), judge("owner")]);
    assert_eq!(graph.see(&waiting), [], "only when it begins");
    assert_eq!(graph.lose("child"), [judge("owner")], "it may be the last");
    let orphan = Seen { deleting: true, orphan: true, ..seen("lonely", &[]) };
    assert_eq!(graph.see(&orphan), [Effect::Orphan("lonely".into())]);
    assert_eq!(graph.see(&orphan), []);
}

#[test]
fn who_blocks_no_more_frees_its_owner() {
    let mut graph = Graph::default();
    graph.see(&seen("owner", &[]));
    let mut child = seen("child", &["owner"]);
    child.owners[0].blocks = true;
    graph.see(&child);
    assert_eq!(graph.blocking("owner").count(), 1);
    assert_eq!(graph.see(&seen("child", &["owner"])), [judge("owner")]);
    assert_eq!(graph.blocking("owner").count(), 0);
    graph.see(&child);
    assert_eq!(graph.see(&seen("child", &[])), [judge("owner")]);
    assert_eq!(graph.dependents("owner").count(), 0);
}

#[test]
fn an_owner_in_another_namespace_is_told_and_doubted() {
    let mut graph = Graph::default();
    let mut far = seen("owner", &[]);
    far.identity.namespace = "far".into();
    graph.see(&far);
    let child = seen("child", &["owner"]);
    let astray = Effect::Astray { dependent: child.identity.clone(), owner: owner("owner") };
    assert_eq!(graph.see(&child), [astray.clone(), judge("child")]);
    // The other way round: the child first.
    let mut graph = Graph::default();
    assert_eq!(graph.see(&child), [judge("owner")]);
    assert_eq!(graph.see(&far), [astray, judge("child")]);
}

#[test]
fn a_rumour_that_is_not_true_goes_unless_others_mean_another() {
    let mut graph = Graph::default();
    graph.see(&seen("child", &["owner"]));
    let identity = owner("owner").within(&"shop".into());
    assert_eq!(graph.refute(&identity), [judge("child")]);
    assert!(graph.get("owner").is_none());

    // Two kinds are meant by one uid: each has its turn.
    let mut graph = Graph::default();
    graph.see(&seen("child", &["owner"]));
    let mut other = seen("other", &["owner"]);
    other.owners[0].kind = "L".into();
    assert_eq!(graph.see(&other), [judge("other")]);
    let later = Effect::JudgeLater("owner".into());
    assert_eq!(graph.refute(&identity), [judge("child"), later]);
    let now = graph.get("owner").map(|vertex| vertex.identity.clone());
    assert_eq!(now, Some(Identity { kind: "L".into(), ..identity }));
}

#[test]
fn what_was_seen_is_not_refuted_by_a_rumour_of_another() {
    let mut graph = Graph::default();
    graph.see(&seen("owner", &[]));
    let mut child = seen("child", &["owner"]);
    child.owners[0].name = "misspelled".into();
    assert_eq!(graph.see(&child), [judge("child")]);
    let misspelled = child.owners[0].within(&"shop".into());
    assert_eq!(graph.refute(&misspelled), [judge("child")]);
    assert!(graph.get("owner").is_some());
}
