//! Tests of the default policy's shape, which clients and controllers rely on.

use super::*;
use crate::testing::{attributes, authorizer_of, user};
use crate::{Attributes, Target, aggregate};
use alloc::collections::BTreeSet;

fn count(objects: &[Node<'_>], kind: &str) -> usize {
    objects.iter().filter(|object| object.text_at(&["kind"]) == kind).count()
}

#[test]
fn there_are_as_many_objects_as_in_the_release() {
    let objects = bootstrap_objects();
    assert_eq!(count(&objects, "ClusterRole"), 69);
    assert_eq!(count(&objects, "ClusterRoleBinding"), 50);
    assert_eq!(count(&objects, "Role"), 7);
    assert_eq!(count(&objects, "RoleBinding"), 7);
}

#[test]
fn names_are_unique_and_all_are_marked_as_defaults() {
    let mut seen = BTreeSet::new();
    for object in bootstrap_objects() {
        let at = |path: &[&str]| object.text_at(path).to_string();
        let key = (at(&["kind"]), at(&["metadata", "namespace"]), at(&["metadata", "name"]));
        assert_eq!(at(&["apiVersion"]), "rbac.authorization.k8s.io/v1");
        let label_path = ["metadata", "labels", "kubernetes.io/bootstrapping"];
        assert_eq!(at(&label_path), "rbac-defaults", "{key:?}");
        let update = ["metadata", "annotations", "rbac.authorization.kubernetes.io/autoupdate"];
        assert_eq!(at(&update), "true", "{key:?}");
        assert!(seen.insert(key));
    }
}

#[test]
fn every_binding_has_its_role() {
    let objects = bootstrap_objects();
    for binding in objects.iter().filter(|object| object.get("roleRef").is_some()) {
        let kind = binding.text_at(&["roleRef", "kind"]);
        let is_referenced = |role: &&Node<'_>| {
            role.text_at(&["kind"]) == kind
                && role.metadata().name() == binding.text_at(&["roleRef", "name"])
                && role.metadata().namespace() == binding.metadata().namespace()
        };
        assert!(objects.iter().any(|role| is_referenced(&role)), "{}", binding.to_json());
    }
}

#[test]
fn words_are_sorted_and_rules_are_whole() {
    for object in bootstrap_objects() {
        for rule in Rule::all_of(&object) {
            for part in [&rule.verbs, &rule.groups, &rule.resources, &rule.names, &rule.urls] {
                assert!(part.is_sorted(), "{rule:?}");
            }
            assert!(!rule.verbs.is_empty());
            assert_ne!(rule.resources.is_empty(), rule.urls.is_empty(), "{rule:?}");
            assert_eq!(rule.groups.is_empty(), rule.resources.is_empty(), "{rule:?}");
        }
    }
}

#[test]
fn an_object_looks_as_the_api_shows_it() {
    let objects = bootstrap_objects();
    let first = objects.first().map(Node::to_json).unwrap_or_default();
    assert_eq!(
        first,
        r#"{"kind":"ClusterRole","apiVersion":"rbac.authorization.k8s.io/v1","metadata":{"name":"admin","labels":{"kubernetes.io/bootstrapping":"rbac-defaults"},"annotations":{"rbac.authorization.kubernetes.io/autoupdate":"true"}},"rules":null,"aggregationRule":{"clusterRoleSelectors":[{"matchLabels":{"rbac.authorization.k8s.io/aggregate-to-admin":"true"}}]}}"#
    );
}

#[test]
fn everyone_gets_what_clients_need() {
    let objects = bootstrap_objects();
    let rbac = authorizer_of(&objects);
    let alice = user("alice", &["system:authenticated"]);
    let get = |user, path| {
        rbac.decide(&Attributes { user, verb: "get", target: Target::Path(path) }).is_allowed()
    };
    assert!(get(&alice, "/apis/apps/v1"));
    assert!(get(&alice, "/openapi/v3"));
    assert!(!get(&alice, "/metrics"));
    let nobody = crate::User::anonymous();
    assert!(get(&nobody, "/healthz") && get(&nobody, "/version"));
    assert!(!get(&nobody, "/api"));
    let review = "authorization.k8s.io:selfsubjectaccessreviews";
    assert!(rbac.decide(&attributes(&alice, "create", review, "", "")).is_allowed());
    assert!(!rbac.decide(&attributes(&nobody, "create", review, "", "")).is_allowed());
    assert!(!rbac.decide(&attributes(&alice, "list", "pods", "a", "")).is_allowed());
}

#[test]
fn controllers_and_the_scheduler_can_work() {
    let objects = bootstrap_objects();
    let rbac = authorizer_of(&objects);
    let account = crate::User::service_account("kube-system", "replicaset-controller");
    assert!(rbac.decide(&attributes(&account, "create", "pods", "a", "")).is_allowed());
    assert!(!rbac.decide(&attributes(&account, "create", "secrets", "a", "")).is_allowed());
    let scheduler = user("system:kube-scheduler", &[]);
    assert!(rbac.decide(&attributes(&scheduler, "create", "pods/binding", "a", "p")).is_allowed());
    let lease = "coordination.k8s.io:leases";
    let own = attributes(&scheduler, "update", lease, "kube-system", "kube-scheduler");
    assert!(rbac.decide(&own).is_allowed());
}

#[test]
fn people_roles_grow_from_view_to_admin() {
    let mut objects = bootstrap_objects();
    // Three times, for `admin` aggregates `edit`, which aggregates `view`.
    for _ in 0..3 {
        let before = objects.clone();
        let all: Vec<_> = before.iter().collect();
        for object in &mut objects {
            if let Some(rules) = aggregate(object, &all) {
                object.set("rules", Node::list(rules.iter().map(Rule::to_node).collect()));
            }
        }
    }
    let rules = |name: &str| {
        let role = objects.iter().find(|object| object.metadata().name() == name);
        role.map(Rule::all_of).unwrap_or_default()
    };
    assert!(crate::covers(&rules("edit"), &rules("view")).is_ok());
    assert!(crate::covers(&rules("admin"), &rules("edit")).is_ok());
    assert!(crate::covers(&rules("cluster-admin"), &rules("admin")).is_ok());
    assert!(crate::covers(&rules("view"), &rules("edit")).is_err());
}
