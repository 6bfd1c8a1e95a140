//! Tests of matching.

use crate::matching::{Criteria, MatchKind};
use crate::testing::{Cluster, alice, creation, map, node};
use crate::{Attributes, GroupVersionKind, GroupVersionResource, Operation};
use alloc::format;
use ratchet_object::defaults;

const RULE: &str =
    "apiGroups: [''], apiVersions: [v1], resources: [configmaps], operations: [CREATE]";

fn criteria(text: &str) -> Criteria {
    let text = format!("{{spec: {{matchConstraints: {{{text}}}}}}}");
    let mut policy = node(&text);
    defaults::apply("admissionregistration.k8s.io", "v1", "ValidatingAdmissionPolicy", &mut policy);
    Criteria::parse(policy.find(&["spec", "matchConstraints"]).unwrap())
}

fn matches(text: &str, attributes: &Attributes<'_>) -> bool {
    criteria(text).matches(attributes, &Cluster).unwrap() != MatchKind::NoMatch
}

#[test]
fn rules_name_resources() {
    let (user, object) = (alice(), map(""));
    let attributes = creation(&user, &object);
    let with = |from: &str, to: &str| format!("resourceRules: [{{{}}}]", RULE.replace(from, to));
    assert!(matches(&with("", ""), &attributes));
    assert!(matches("", &attributes), "no rules are about everything");
    for (from, to, expected) in [
        ("['']", "['*']", true),
        ("['']", "[apps]", false),
        ("[v1]", "['*']", true),
        ("[v1]", "[v2]", false),
        ("[configmaps]", "['*']", true),
        ("[configmaps]", "['*/*']", true),
        ("[configmaps]", "[configmaps/*]", true),
        ("[configmaps]", "[configmaps/status]", false),
        ("[configmaps]", "[pods, configmaps]", true),
        ("[CREATE]", "['*']", true),
        ("[CREATE]", "[UPDATE, DELETE]", false),
        ("[CREATE]", "[CREATE], scope: Namespaced", true),
        ("[CREATE]", "[CREATE], scope: Cluster", false),
        ("[CREATE]", "[CREATE], resourceNames: [c]", true),
        ("[CREATE]", "[CREATE], resourceNames: [d]", false),
    ] {
        assert_eq!(matches(&with(from, to), &attributes), expected, "{to}");
    }
    let part = Attributes { subresource: "status", ..attributes };
    assert!(!matches(&with("", ""), &part));
    assert!(matches(&with("[configmaps]", "[configmaps/status]"), &part));
    assert!(matches(&with("[configmaps]", "['*/status']"), &part));
    assert!(!matches(&with("[configmaps]", "['*']"), &part));
}

#[test]
fn what_is_excluded_is_not_meant() {
    let (user, object) = (alice(), map(""));
    let text = |names: &str| {
        format!(
            "resourceRules: [{{{RULE}}}], excludeResourceRules: [{{{RULE}, resourceNames: [{names}]}}]"
        )
    };
    assert!(!matches(&text("c"), &creation(&user, &object)));
    assert!(matches(&text("d"), &creation(&user, &object)));
}

#[test]
fn objects_are_selected_by_the_new_or_the_old_one() {
    let user = alice();
    let (labelled, plain) = (map(""), node("{metadata: {name: c}}"));
    let selector = "objectSelector: {matchLabels: {a: b}}";
    assert!(matches(selector, &creation(&user, &labelled)));
    assert!(!matches(selector, &creation(&user, &plain)));
    let update = Attributes {
        operation: Operation::Update,
        old: Some(&labelled),
        ..creation(&user, &plain)
    };
    assert!(matches(selector, &update));
    let deleted = Attributes {
        operation: Operation::Delete,
        object: None,
        old: Some(&labelled),
        ..creation(&user, &plain)
    };
    assert!(matches(selector, &deleted));
    let deleted = Attributes { object: None, old: None, ..deleted };
    assert!(!matches(selector, &deleted));
}

#[test]
fn namespaces_are_selected_but_what_is_in_none_is_always_meant() {
    let (user, object) = (alice(), map(""));
    let selector = |env: &str| format!("namespaceSelector: {{matchLabels: {{env: {env}}}}}");
    let attributes = creation(&user, &object);
    assert!(matches(&selector("test"), &attributes));
    assert!(!matches(&selector("prod"), &attributes));
    let wide = Attributes {
        resource: GroupVersionResource {
            group: "rbac.authorization.k8s.io",
            version: "v1",
            resource: "clusterroles",
        },
        namespace: "",
        ..attributes
    };
    assert!(matches(&selector("prod"), &wide));
    let missing = Attributes { namespace: "gone", ..attributes };
    let result = criteria(&selector("prod")).matches(&missing, &Cluster);
    assert_eq!(result, Err("namespaces \"gone\" not found".into()));
    let other = format!(
        "{}, resourceRules: [{{{}}}]",
        selector("prod"),
        RULE.replace("configmaps", "pods")
    );
    assert_eq!(
        criteria(&other).matches(&missing, &Cluster),
        Ok(MatchKind::NoMatch),
        "no error about what is not meant"
    );
}

#[test]
fn a_namespace_is_in_itself() {
    let user = alice();
    let labelled = node("{metadata: {name: test, labels: {env: prod}}}");
    let attributes = Attributes {
        kind: GroupVersionKind { group: "", version: "v1", kind: "Namespace" },
        resource: GroupVersionResource { group: "", version: "v1", resource: "namespaces" },
        name: "test",
        namespace: "",
        ..creation(&user, &labelled)
    };
    let selector = "namespaceSelector: {matchLabels: {env: prod}}";
    assert!(matches(selector, &attributes), "what is written counts");
    let part = Attributes { operation: Operation::Update, subresource: "finalize", ..attributes };
    assert!(!matches(selector, &part), "what is stored counts");
    let deleted = Attributes {
        operation: Operation::Delete,
        object: None,
        old: Some(&labelled),
        ..attributes
    };
    assert!(!matches(selector, &deleted), "what is stored counts");
    let rule = "resourceRules: [{apiGroups: [''], apiVersions: [v1], resources: [namespaces], operations: ['*'], scope: SCOPE}]";
    assert!(matches(&rule.replace("SCOPE", "Cluster"), &attributes));
    assert!(!matches(&rule.replace("SCOPE", "Namespaced"), &attributes));
}

#[test]
fn selectors_that_cannot_be_read_are_told() {
    let (user, object) = (alice(), map(""));
    let bad = "objectSelector: {matchExpressions: [{key: a, operator: Nope}]}";
    let result = criteria(bad).matches(&creation(&user, &object), &Cluster);
    let expected = "Internal error occurred: \"Nope\" is not a valid label selector operator";
    assert_eq!(result, Err(expected.into()));
}
