//! Tests of bindings: what they grant, where, and to whom.

use super::*;
use crate::testing::{attributes, authorizer_of, node, user};
use alloc::vec;

fn objects() -> Vec<Node<'static>> {
    vec![
        node(
            "{kind: ClusterRole, metadata: {name: reader}, rules: [{verbs: [get, list], apiGroups: [''], resources: [pods]}]}",
        ),
        node(
            "{kind: Role, metadata: {name: writer, namespace: a}, rules: [{verbs: ['*'], apiGroups: [apps], resources: ['*']}]}",
        ),
        node(
            "{kind: ClusterRoleBinding, metadata: {name: readers}, roleRef: {kind: ClusterRole, name: reader}, subjects: [{kind: Group, name: readers}, {kind: User, name: alice}]}",
        ),
        node(
            "{kind: RoleBinding, metadata: {name: writers, namespace: a}, roleRef: {kind: Role, name: writer}, subjects: [{kind: ServiceAccount, name: bot}, {kind: ServiceAccount, name: bot, namespace: b}]}",
        ),
        node(
            "{kind: RoleBinding, metadata: {name: local, namespace: a}, roleRef: {kind: ClusterRole, name: reader}, subjects: [{kind: User, name: carol}]}",
        ),
        node(
            "{kind: RoleBinding, metadata: {name: lost, namespace: a}, roleRef: {kind: Role, name: gone}, subjects: [{kind: User, name: dave}]}",
        ),
        node(
            "{kind: ClusterRoleBinding, metadata: {name: lost}, roleRef: {kind: ClusterRole, name: gone}, subjects: [{kind: User, name: dave}]}",
        ),
        node(
            "{kind: ClusterRoleBinding, metadata: {name: odd}, roleRef: {kind: Thing, name: x}, subjects: [{kind: User, name: erin}, {kind: Robot, name: r2}, {kind: ServiceAccount, name: nowhere}]}",
        ),
    ]
}

fn reason(user: &User, verb: &str, resource: &str, namespace: &str) -> (bool, String) {
    let attributes = attributes(user, verb, resource, namespace, "");
    let decision = authorizer_of(&objects()).decide(&attributes);
    (decision.is_allowed(), decision.reason().to_string())
}

fn yes(text: &str) -> (bool, String) {
    (true, format!("RBAC: allowed by {text}"))
}

#[test]
fn cluster_bindings_hold_everywhere() {
    let alice = user("alice", &["readers"]);
    let source = yes(r#"ClusterRoleBinding "readers" of ClusterRole "reader" to Group "readers""#);
    assert_eq!(reason(&alice, "list", "pods", ""), source);
    assert_eq!(reason(&alice, "get", "pods", "any"), source);
    let alone = user("alice", &[]);
    let source = yes(r#"ClusterRoleBinding "readers" of ClusterRole "reader" to User "alice""#);
    assert_eq!(reason(&alone, "list", "pods", ""), source);
    assert_eq!(reason(&alice, "delete", "pods", "a"), (false, String::new()));
}

#[test]
fn bindings_of_a_namespace_hold_there() {
    let bot = User::service_account("a", "bot");
    let source = yes(r#"RoleBinding "writers/a" of Role "writer" to ServiceAccount "bot/a""#);
    assert_eq!(reason(&bot, "delete", "apps:deployments/scale", "a"), source);
    let other = User::service_account("b", "bot");
    let source = yes(r#"RoleBinding "writers/a" of Role "writer" to ServiceAccount "bot/b""#);
    assert_eq!(reason(&other, "create", "apps:deployments", "a"), source);
    assert!(!reason(&bot, "delete", "apps:deployments", "b").0);
    assert!(!reason(&bot, "delete", "apps:deployments", "").0);
    let carol = user("carol", &[]);
    assert!(reason(&carol, "get", "pods", "a").0);
    assert!(!reason(&carol, "get", "pods", "b").0);
}

#[test]
fn missing_roles_are_told() {
    let cluster = r#"clusterrole.rbac.authorization.k8s.io "gone" not found"#;
    let local = r#"role.rbac.authorization.k8s.io "gone" not found"#;
    let dave = user("dave", &[]);
    assert_eq!(reason(&dave, "get", "pods", ""), (false, format!("RBAC: {cluster}")));
    let both = format!("RBAC: [{cluster}, {local}]");
    assert_eq!(reason(&dave, "get", "pods", "a"), (false, both));
    let erin = user("erin", &[]);
    let message = r#"RBAC: unsupported role reference kind: "Thing""#;
    assert_eq!(reason(&erin, "get", "pods", ""), (false, message.into()));
    assert_eq!(reason(&user("r2", &["r2"]), "get", "pods", ""), (false, String::new()));
    let nowhere = user("system:serviceaccount::nowhere", &[]);
    assert_eq!(reason(&nowhere, "get", "pods", ""), (false, String::new()));
}

#[test]
fn rules_of_a_user_are_listed() {
    let rbac = authorizer_of(&objects());
    let rules = rbac.rules_for(&User::service_account("a", "bot"), "a");
    assert_eq!(rules.resource_rules().count(), 1);
    assert_eq!(rules.path_rules().count(), 0);
    assert_eq!(rules.errors(), "");
    assert_eq!(rbac.rules_for(&user("alice", &["readers"]), "").rules.len(), 1);
    let lost = rbac.rules_for(&user("dave", &[]), "");
    assert_eq!(lost.errors(), r#"clusterrole.rbac.authorization.k8s.io "gone" not found"#);
    assert!(lost.rules.is_empty());
}

#[test]
fn what_is_listed_is_what_is_allowed() {
    let objects = crate::bootstrap_objects();
    let rbac = authorizer_of(&objects);
    let users = [
        user("system:kube-scheduler", &["system:authenticated"]),
        user("root", &["system:masters"]),
        User::service_account("kube-system", "token-cleaner"),
        User::service_account("kube-system", "generic-garbage-collector"),
        User::anonymous(),
    ];
    for user in &users {
        for namespace in ["", "kube-system", "other"] {
            let rules = rbac.rules_for(user, namespace);
            for resource in ["pods", "secrets", "pods/binding", "apps:statefulsets", "nodes"] {
                for verb in ["get", "list", "create", "delete"] {
                    let attributes = attributes(user, verb, resource, namespace, "");
                    let listed = rules.rules.iter().any(|rule| rule.allows(&attributes));
                    assert_eq!(rbac.decide(&attributes).is_allowed(), listed, "{attributes:?}");
                }
            }
        }
    }
}
