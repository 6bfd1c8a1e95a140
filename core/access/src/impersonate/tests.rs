//! Tests of impersonation, with the messages of refusals.

use super::*;
use crate::testing::{attributes, user};
use crate::{Rule, split_service_account};
use alloc::string::ToString;

fn strings(texts: &[&str]) -> Vec<String> {
    texts.iter().map(ToString::to_string).collect()
}

fn rule(verbs: &[&str], groups: &[&str], resources: &[&str], names: &[&str]) -> Rule {
    let (verbs, groups) = (strings(verbs), strings(groups));
    Rule { verbs, groups, resources: strings(resources), names: strings(names), urls: Vec::new() }
}

fn become_(
    requester: &User,
    impersonated: &User,
    rules: &[Rule],
) -> Result<Impersonated, Forbidden> {
    let request = attributes(requester, "list", "pods", "k", "");
    let ask = |attributes: &Attributes<'_>| {
        let reason = String::new();
        if rules.iter().any(|rule| rule.allows(attributes)) {
            Decision::Allow { reason }
        } else {
            Decision::NoOpinion { reason }
        }
    };
    impersonate(impersonated, &request, &ask)
}

fn refused(result: Result<Impersonated, Forbidden>) -> String {
    result.expect_err("refused").message
}

#[test]
fn plain_impersonation_needs_every_part() {
    let alice = user("alice", &[]);
    let mut bob = user("bob", &["devs"]);
    bob.uid = "7".into();
    bob.extra = vec![("scopes".into(), strings(&["view"]))];
    let mut rules = vec![
        rule(&["impersonate"], &[""], &["users"], &["bob"]),
        rule(&["impersonate"], &[""], &["groups"], &["devs"]),
        rule(&["impersonate"], &["authentication.k8s.io"], &["uids", "userextras/scopes"], &[]),
    ];
    let now = become_(&alice, &bob, &rules).expect("allowed");
    assert_eq!(now.constraint, "");
    assert_eq!(now.user.groups, ["devs", AUTHENTICATED]);
    assert_eq!((now.user.name.as_str(), now.user.uid.as_str()), ("bob", "7"));
    for _ in 0..3 {
        rules.rotate_left(1);
        assert!(become_(&alice, &bob, &rules[..2]).is_err());
    }
}

#[test]
fn the_first_refusal_is_told() {
    let alice = user("alice", &[]);
    let forbidden = become_(&alice, &user("bob", &[]), &[]).expect_err("refused");
    assert_eq!(
        forbidden.message,
        r#"pods is forbidden: User "alice" cannot impersonate-on:user-info:list resource "pods" in API group "" in the namespace "k""#
    );
    assert_eq!(forbidden.resource, "pods");
    let on = rule(&["impersonate-on:user-info:list"], &[""], &["pods"], &[]);
    assert_eq!(
        refused(become_(&alice, &user("bob", &[]), &[on])),
        r#"users.authentication.k8s.io "bob" is forbidden: User "alice" cannot impersonate:user-info resource "users" in API group "authentication.k8s.io" at the cluster scope"#
    );
}

#[test]
fn constrained_impersonation_has_its_own_verbs() {
    let alice = user("alice", &[]);
    let rules = [
        rule(&["impersonate-on:user-info:list"], &[""], &["pods"], &[]),
        rule(&["impersonate:user-info"], &["authentication.k8s.io"], &["*"], &[]),
    ];
    let now = become_(&alice, &user("bob", &["devs"]), &rules).expect("allowed");
    assert_eq!(now.constraint, "impersonate:user-info");
    for (group, reason) in [
        (MASTERS, "impersonating the system:masters group is not allowed"),
        ("", "impersonating the empty string group is not allowed"),
    ] {
        let message = refused(become_(&alice, &user("bob", &[group]), &rules));
        assert!(message.ends_with(reason), "{message}");
    }
    let mut bob = user("bob", &[]);
    bob.extra = vec![("scopes".into(), strings(&["a"]))];
    let message = refused(become_(&alice, &bob, &rules));
    let expected = r#"extra.key: Invalid value: "scopes": must be a domain-prefixed path (such as "acme.io/foo")"#;
    assert!(message.ends_with(expected), "{message}");
    bob.extra = vec![("acme.io/a b".into(), strings(&["a"]))];
    assert!(become_(&alice, &bob, &rules).is_err());
    bob.extra = vec![("acme.io/scopes".into(), strings(&["a"]))];
    assert!(become_(&alice, &bob, &rules).is_ok());
}

#[test]
fn service_accounts_have_the_groups_of_their_kind() {
    let alice = user("alice", &[]);
    let bot = user("system:serviceaccount:k:bot", &[]);
    let plain = [rule(&["impersonate"], &[""], &["serviceaccounts"], &["bot"])];
    let now = become_(&alice, &bot, &plain).expect("allowed");
    let own = ["system:serviceaccounts", "system:serviceaccounts:k", AUTHENTICATED];
    assert_eq!(now.user.groups, own);
    let narrow = [
        rule(&["impersonate-on:serviceaccount:list"], &[""], &["pods"], &[]),
        rule(
            &["impersonate:serviceaccount"],
            &["authentication.k8s.io"],
            &["serviceaccounts"],
            &[],
        ),
    ];
    let now = become_(&alice, &bot, &narrow).expect("allowed");
    assert_eq!(now.constraint, "impersonate:serviceaccount");
    assert!(split_service_account(&now.user.name).is_some());
}

#[test]
fn a_pod_may_be_its_own_node_only() {
    let mut agent = User::service_account("k", "agent");
    agent.extra = vec![(NODE_NAME.into(), strings(&["n1"]))];
    let rules = [
        rule(&["impersonate-on:associated-node:list"], &[""], &["pods"], &[]),
        rule(&["impersonate:associated-node"], &["authentication.k8s.io"], &["nodes"], &["*"]),
    ];
    let now = become_(&agent, &user("system:node:n1", &[]), &rules).expect("allowed");
    assert_eq!(now.constraint, "impersonate:associated-node");
    assert_eq!(now.user.groups, [NODES, AUTHENTICATED]);
    assert_eq!(
        refused(become_(&agent, &user("system:node:n2", &[]), &rules)),
        r#"pods is forbidden: User "system:serviceaccount:k:agent" cannot impersonate-on:arbitrary-node:list resource "pods" in API group "" in the namespace "k""#
    );
}

#[test]
fn who_becomes_anonymous_is_unauthenticated() {
    let plain = [rule(&["impersonate"], &[""], &["users", "groups"], &[])];
    let alice = user("alice", &[]);
    let now = become_(&alice, &user(ANONYMOUS, &[]), &plain).expect("allowed");
    assert_eq!(now.user.groups, [UNAUTHENTICATED]);
    let now = become_(&alice, &user("bob", &[UNAUTHENTICATED]), &plain).expect("allowed");
    assert_eq!(now.user.groups, [UNAUTHENTICATED]);
}
