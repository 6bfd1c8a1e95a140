//! Aggregated cluster roles get the rules of the roles they select, and keep them.

use crate::fake::{Fake, node, pass};
use ratchet_object::Node;
use std::sync::Arc;

const ROLES: &str = "/apis/rbac.authorization.k8s.io/v1/clusterroles";

fn path(name: &str) -> String {
    format!("{ROLES}/{name}")
}

fn part(fake: &Fake, name: &str, verb: &str) {
    let text = format!("{{metadata: {{labels: {{add: y}}}}, rules: [{{verbs: [{verb}]}}]}}");
    fake.set(&path(name), &text.replace("add: y", r#"add: "y""#));
}

/// An aggregated role, and two parts.
fn roles() -> Arc<Fake> {
    let fake = Fake::new();
    fake.set(
        &path("system:sum"),
        r#"{rules: [], aggregationRule: {clusterRoleSelectors: [{matchLabels: {add: "y"}}]}}"#,
    );
    part(&fake, "b", "list");
    part(&fake, "a", "get");
    fake.set(&path("unrelated"), "{rules: [{verbs: [delete]}]}");
    fake
}

fn verbs(fake: &Fake, name: &str) -> String {
    let role = fake.get(&path(name)).expect("there");
    let rules = role.get("rules").map(Node::items).unwrap_or_default();
    let verbs = rules.iter().flat_map(|rule| rule.get("verbs").expect("verbs").items());
    verbs.filter_map(Node::text).collect::<Vec<_>>().join(" ")
}

#[tokio::test(start_paused = true)]
async fn parts_are_added_changed_and_removed() {
    let fake = roles();
    let _running = fake.start("*");
    pass(1).await;
    assert_eq!(verbs(&fake, "system:sum"), "get list");
    part(&fake, "c", "watch");
    pass(1).await;
    assert_eq!(verbs(&fake, "system:sum"), "get list watch");
    part(&fake, "b", "patch");
    pass(1).await;
    assert_eq!(verbs(&fake, "system:sum"), "get patch watch");
    fake.delete(&path("a"));
    pass(1).await;
    assert_eq!(verbs(&fake, "system:sum"), "patch watch");
    for name in ["b", "c"] {
        fake.delete(&path(name));
    }
    pass(1).await;
    assert_eq!(verbs(&fake, "system:sum"), "");
    assert_eq!(verbs(&fake, "unrelated"), "delete");
    assert!(fake.writes().iter().all(|write| *write == format!("PUT {}", path("system:sum"))));
}

#[tokio::test(start_paused = true)]
async fn an_edit_by_hand_is_overwritten_once() {
    let fake = roles();
    let _running = fake.start("*");
    pass(1).await;
    assert_eq!(fake.writes().len(), 1);
    fake.change(&path("system:sum"), |role| {
        role.set("rules", node(r#"[{verbs: ["*"]}]"#));
        role.map_mut("metadata").set("labels", node("{mine: kept}"));
    });
    pass(600).await;
    assert_eq!((verbs(&fake, "system:sum").as_str(), fake.writes().len()), ("get list", 2));
    let role = fake.get(&path("system:sum")).expect("there");
    assert_eq!(role.metadata().label("mine").unwrap_or_default(), "kept");
}

#[tokio::test(start_paused = true)]
async fn what_is_right_already_is_not_written() {
    let fake = roles();
    fake.change(&path("system:sum"), |role| {
        let rules = "[{verbs: [get], apiGroups: []}, {verbs: [list], resources: null}]";
        role.set("rules", node(rules));
    });
    let _running = fake.start("*");
    pass(3600).await;
    part(&fake, "d", "get");
    pass(3600).await;
    assert_eq!(fake.writes(), [""; 0]);
}

#[tokio::test(start_paused = true)]
async fn roles_that_gather_roles_that_gather_settle() {
    let fake = roles();
    fake.change(&path("system:sum"), |role| {
        role.map_mut("metadata").set("labels", node(r#"{more: "y"}"#));
    });
    fake.set(
        &path("all"),
        r#"{aggregationRule: {clusterRoleSelectors: [{matchLabels: {more: "y"}}]}}"#,
    );
    let _running = fake.start("*");
    pass(10).await;
    assert_eq!(verbs(&fake, "all"), "get list");
    let writes = fake.writes().len();
    assert!(writes <= 3, "{writes}");
    pass(600).await;
    assert_eq!(fake.writes().len(), writes);
}

#[tokio::test(start_paused = true)]
async fn a_selector_without_sense_leaves_the_rules_alone() {
    let fake = roles();
    let selector = "{matchExpressions: [{key: a, operator: Maybe}]}";
    fake.change(&path("system:sum"), |role| {
        role.set("aggregationRule", node(&format!("{{clusterRoleSelectors: [{selector}]}}")));
        role.set("rules", node("[{verbs: [kept]}]"));
    });
    let _running = fake.start("*");
    pass(60).await;
    assert_eq!((verbs(&fake, "system:sum").as_str(), fake.writes().len()), ("kept", 0));
}

#[tokio::test(start_paused = true)]
async fn a_role_that_gathers_nothing_keeps_its_own_rules() {
    let fake = roles();
    fake.set(
        &path("own"),
        r#"{rules: [{verbs: [kept]}], aggregationRule: {clusterRoleSelectors: [{matchLabels: {own: "y"}}]}}"#,
    );
    let _running = fake.start("*");
    pass(60).await;
    assert_eq!(verbs(&fake, "own"), "kept");
    fake.set(&path("o"), r#"{metadata: {labels: {own: "y"}}, rules: [{verbs: [get]}]}"#);
    pass(1).await;
    assert_eq!(verbs(&fake, "own"), "get", "what is gathered replaces them");
    fake.delete(&path("o"));
    pass(1).await;
    assert_eq!(verbs(&fake, "own"), "", "and is taken away again");
}

#[tokio::test(start_paused = true)]
async fn rules_that_were_gathered_before_the_start_are_taken_away() {
    let fake = roles();
    let running = fake.start("*");
    pass(1).await;
    assert_eq!(verbs(&fake, "system:sum"), "get list");
    drop(running);
    let _running = fake.start("*");
    pass(1).await;
    for name in ["a", "b"] {
        fake.delete(&path(name));
    }
    pass(1).await;
    assert_eq!(verbs(&fake, "system:sum"), "");
}

#[tokio::test(start_paused = true)]
async fn failures_are_tried_again() {
    let fake = roles();
    fake.fail("PUT ", 3, 409);
    fake.fail("PUT ", 3, 500);
    let _running = fake.start("*");
    pass(5).await;
    assert_eq!(verbs(&fake, "system:sum"), "get list");
}
