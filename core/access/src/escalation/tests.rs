//! Tests of escalation checks, allowed and refused.

use super::*;
use crate::testing::{attributes, authorizer_of, node, user};
use crate::{Decision, User};

const RBAC: &str = "rbac.authorization.k8s.io";

fn rbac() -> RbacAuthorizer {
    authorizer_of(&[
        node(
            "{kind: ClusterRole, metadata: {name: reader}, rules: [{verbs: [get, list], apiGroups: [''], resources: [pods]}]}",
        ),
        node(
            "{kind: ClusterRole, metadata: {name: root}, rules: [{verbs: ['*'], apiGroups: ['*'], resources: ['*']}, {verbs: ['*'], nonResourceURLs: ['*']}]}",
        ),
        node(
            "{kind: ClusterRole, metadata: {name: binder}, rules: [{verbs: [bind], apiGroups: [rbac.authorization.k8s.io], resources: [clusterroles], resourceNames: [root]}]}",
        ),
        node(
            "{kind: ClusterRole, metadata: {name: escalator}, rules: [{verbs: [escalate], apiGroups: [rbac.authorization.k8s.io], resources: [roles]}]}",
        ),
        node(
            "{kind: ClusterRoleBinding, metadata: {name: r}, roleRef: {kind: ClusterRole, name: reader}, subjects: [{kind: User, name: alice}]}",
        ),
        node(
            "{kind: ClusterRoleBinding, metadata: {name: a}, roleRef: {kind: ClusterRole, name: root}, subjects: [{kind: User, name: root}]}",
        ),
        node(
            "{kind: RoleBinding, metadata: {name: b, namespace: a}, roleRef: {kind: ClusterRole, name: binder}, subjects: [{kind: User, name: bob}]}",
        ),
        node(
            "{kind: RoleBinding, metadata: {name: e, namespace: a}, roleRef: {kind: ClusterRole, name: escalator}, subjects: [{kind: User, name: bob}]}",
        ),
        node(
            "{kind: ClusterRoleBinding, metadata: {name: l}, roleRef: {kind: ClusterRole, name: gone}, subjects: [{kind: User, name: lost}]}",
        ),
    ])
}

fn write(
    user: &User,
    resource: &str,
    namespace: &str,
    new: &str,
    old: Option<&str>,
) -> Result<(), EscalationError> {
    let rbac = rbac();
    let (new, old) = (node(new), old.map(node));
    let resource = format!("{RBAC}:{resource}");
    let attributes = attributes(user, "create", &resource, namespace, "");
    let allowed =
        |attributes: &Attributes<'_>| matches!(rbac.decide(attributes), Decision::Allow { .. });
    rbac.escalation(&Grant { attributes, new: &new, old: old.as_ref() }, &allowed)
}

fn forbidden(text: &str) -> Result<(), EscalationError> {
    Err(EscalationError::Forbidden(text.into()))
}

const PODS: &str =
    "{metadata: {name: x}, rules: [{verbs: [list], apiGroups: [''], resources: [pods]}]}";
const MORE: &str = "{metadata: {name: x}, rules: [{verbs: [watch, get, delete], apiGroups: [''], resources: [pods]}, {verbs: [get], nonResourceURLs: [/x]}, {verbs: [get], apiGroups: [''], resources: [pods], resourceNames: [n]}]}";

#[test]
fn roles_give_only_what_the_writer_has() {
    let alice = user("alice", &["g1", "g2"]);
    assert_eq!(write(&alice, "clusterroles", "", PODS, None), Ok(()));
    assert_eq!(
        write(&alice, "clusterroles", "", MORE, None),
        forbidden(
            "user \"alice\" (groups=[\"g1\" \"g2\"]) is attempting to grant RBAC permissions not currently held:\n\
             {APIGroups:[\"\"], Resources:[\"pods\"], Verbs:[\"watch\" \"delete\"]}\n\
             {NonResourceURLs:[\"/x\"], Verbs:[\"get\"]}"
        )
    );
    assert_eq!(write(&user("root", &[]), "clusterroles", "", MORE, None), Ok(()));
    assert_eq!(write(&user("nobody", &["system:masters"]), "roles", "a", MORE, None), Ok(()));
    assert_eq!(write(&alice, "pods", "a", MORE, None), Ok(()));
}

#[test]
fn escalate_and_bind_hold_where_they_are_given() {
    let bob = user("bob", &[]);
    assert_eq!(write(&bob, "roles", "a", MORE, None), Ok(()));
    assert!(write(&bob, "roles", "b", MORE, None).is_err());
    assert!(write(&bob, "clusterroles", "", MORE, None).is_err());
    let root = "{roleRef: {apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: root}}";
    assert_eq!(write(&bob, "rolebindings", "a", root, None), Ok(()));
    assert!(write(&bob, "rolebindings", "b", root, None).is_err());
    assert!(write(&bob, "clusterrolebindings", "", root, None).is_err());
}

#[test]
fn bindings_give_only_what_the_binder_has() {
    let alice = user("alice", &[]);
    let to = |kind: &str, name: &str| {
        format!("{{roleRef: {{apiGroup: {RBAC}, kind: {kind}, name: {name}}}}}")
    };
    let bind = |resource: &str, namespace: &str, role: &str| {
        write(&alice, resource, namespace, role, None)
    };
    assert_eq!(bind("clusterrolebindings", "", &to("ClusterRole", "reader")), Ok(()));
    assert_eq!(
        bind("rolebindings", "a", &to("ClusterRole", "root")),
        forbidden(
            "user \"alice\" (groups=[]) is attempting to grant RBAC permissions not currently held:\n\
             {APIGroups:[\"*\"], Resources:[\"*\"], Verbs:[\"*\"]}\n\
             {NonResourceURLs:[\"*\"], Verbs:[\"*\"]}"
        )
    );
    let missing =
        |resource, name: &str| Err(EscalationError::NotFound { resource, name: name.into() });
    let missing_role = to("ClusterRole", "gone");
    assert_eq!(bind("rolebindings", "a", &missing_role), missing("clusterroles", "gone"));
    assert_eq!(bind("rolebindings", "a", &to("Role", "gone")), missing("roles", "gone"));
    assert_eq!(
        bind("clusterrolebindings", "", &to("Role", "x")),
        Err(EscalationError::BadRequest("Namespace parameter required.".into()))
    );
    assert_eq!(
        bind("rolebindings", "a", &to("Thing", "x")),
        Err(EscalationError::Internal("unsupported role reference kind: \"Thing\"".into()))
    );
}

#[test]
fn the_garbage_collector_may_change_owners() {
    let alice = user("alice", &[]);
    let owned = MORE.replace("name: x", "name: x, ownerReferences: [{name: o}], finalizers: []");
    assert_eq!(write(&alice, "clusterroles", "", &owned, Some(MORE)), Ok(()));
    let labelled = MORE.replace("name: x", "name: x, labels: {a: b}");
    assert!(write(&alice, "clusterroles", "", &labelled, Some(MORE)).is_err());
    assert!(write(&alice, "clusterroles", "", MORE, Some(PODS)).is_err());
}

#[test]
fn gathering_needs_everything() {
    let sum =
        "{metadata: {name: x}, aggregationRule: {clusterRoleSelectors: [{matchLabels: {a: b}}]}}";
    let text = "must have cluster-admin privileges to use the aggregationRule";
    let alice = user("alice", &[]);
    assert_eq!(write(&alice, "clusterroles", "", sum, None), forbidden(text));
    assert_eq!(write(&alice, "clusterroles", "", PODS, Some(sum)), forbidden(text));
    assert_eq!(write(&user("root", &[]), "clusterroles", "", sum, None), Ok(()));
}

#[test]
fn unresolved_roles_of_the_writer_are_told() {
    let refused = write(&user("lost", &[]), "clusterroles", "", PODS, None);
    assert_eq!(
        refused,
        forbidden(
            "user \"lost\" (groups=[]) is attempting to grant RBAC permissions not currently held:\n\
             {APIGroups:[\"\"], Resources:[\"pods\"], Verbs:[\"list\"]}\
             ; resolution errors: [clusterroles.rbac.authorization.k8s.io \"gone\" not found]"
        )
    );
}
