//! Which attempts policies and bindings are about.

use crate::matching::{Criteria, Met};
use crate::testing::{Cluster, alice, making, map, node};
use crate::{Attempt, KindName, Operation, ResourceName};
use alloc::format;
use ratchet_object::defaults;

const RULE: &str =
    "apiGroups: [''], apiVersions: [v1], resources: [configmaps], operations: [CREATE]";

fn criteria(text: &str) -> Criteria {
    let text = format!("{{spec: {{matchConstraints: {{{text}}}}}}}");
    let mut policy = node(&text);
    defaults::apply("admissionregistration.k8s.io", "v1", "ValidatingAdmissionPolicy", &mut policy);
    Criteria::read(policy.find(&["spec", "matchConstraints"]).unwrap())
}

fn meets(text: &str, attempt: &Attempt<'_>) -> bool {
    criteria(text).meets(attempt, &Cluster).unwrap() != Met::No
}

#[test]
fn rules_name_resources() {
    let (user, object) = (alice(), map(""));
    let attempt = making(&user, &object);
    let with = |from: &str, to: &str| format!("resourceRules: [{{{}}}]", RULE.replace(from, to));
    assert!(meets(&with("", ""), &attempt));
    assert!(meets("", &attempt), "no rules are about everything");
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
        assert_eq!(meets(&with(from, to), &attempt), expected, "{to}");
    }
    let part = Attempt { subresource: "status", ..attempt };
    assert!(!meets(&with("", ""), &part));
    assert!(meets(&with("[configmaps]", "[configmaps/status]"), &part));
    assert!(meets(&with("[configmaps]", "['*/status']"), &part));
    assert!(!meets(&with("[configmaps]", "['*']"), &part));
}

#[test]
fn what_is_excluded_is_not_meant() {
    let (user, object) = (alice(), map(""));
    let text = |names: &str| {
        format!(
            "resourceRules: [{{{RULE}}}], excludeResourceRules: [{{{RULE}, resourceNames: [{names}]}}]"
        )
    };
    assert!(!meets(&text("c"), &making(&user, &object)));
    assert!(meets(&text("d"), &making(&user, &object)));
}

#[test]
fn objects_are_selected_by_the_new_or_the_old_one() {
    let user = alice();
    let (labelled, plain) = (map(""), node("{metadata: {name: c}}"));
    let selector = "objectSelector: {matchLabels: {a: b}}";
    assert!(meets(selector, &making(&user, &labelled)));
    assert!(!meets(selector, &making(&user, &plain)));
    let update =
        Attempt { operation: Operation::Update, old: Some(&labelled), ..making(&user, &plain) };
    assert!(meets(selector, &update));
    let gone = Attempt {
        operation: Operation::Delete,
        object: None,
        old: Some(&labelled),
        ..making(&user, &plain)
    };
    assert!(meets(selector, &gone));
    let gone = Attempt { object: None, old: None, ..gone };
    assert!(!meets(selector, &gone));
}

#[test]
fn namespaces_are_selected_but_what_is_in_none_is_always_meant() {
    let (user, object) = (alice(), map(""));
    let selector = |env: &str| format!("namespaceSelector: {{matchLabels: {{env: {env}}}}}");
    let attempt = making(&user, &object);
    assert!(meets(&selector("test"), &attempt));
    assert!(!meets(&selector("prod"), &attempt));
    let wide = Attempt {
        resource: ResourceName {
            group: "rbac.authorization.k8s.io",
            version: "v1",
            resource: "clusterroles",
        },
        namespace: "",
        ..attempt
    };
    assert!(meets(&selector("prod"), &wide));
    let gone = Attempt { namespace: "gone", ..attempt };
    let why = criteria(&selector("prod")).meets(&gone, &Cluster);
    assert_eq!(why, Err("namespaces \"gone\" not found".into()));
    let other = format!(
        "{}, resourceRules: [{{{}}}]",
        selector("prod"),
        RULE.replace("configmaps", "pods")
    );
    assert_eq!(
        criteria(&other).meets(&gone, &Cluster),
        Ok(Met::No),
        "no error about what is not meant"
    );
}

#[test]
fn a_namespace_is_in_itself() {
    let user = alice();
    let labelled = node("{metadata: {name: test, labels: {env: prod}}}");
    let attempt = Attempt {
        kind: KindName { group: "", version: "v1", kind: "Namespace" },
        resource: ResourceName { group: "", version: "v1", resource: "namespaces" },
        name: "test",
        namespace: "",
        ..making(&user, &labelled)
    };
    let selector = "namespaceSelector: {matchLabels: {env: prod}}";
    assert!(meets(selector, &attempt), "what is written counts");
    let part = Attempt { operation: Operation::Update, subresource: "finalize", ..attempt };
    assert!(!meets(selector, &part), "what is stored counts");
    let gone =
        Attempt { operation: Operation::Delete, object: None, old: Some(&labelled), ..attempt };
    assert!(!meets(selector, &gone), "what is stored counts");
    let rule = "resourceRules: [{apiGroups: [''], apiVersions: [v1], resources: [namespaces], operations: ['*'], scope: SCOPE}]";
    assert!(meets(&rule.replace("SCOPE", "Cluster"), &attempt));
    assert!(!meets(&rule.replace("SCOPE", "Namespaced"), &attempt));
}

#[test]
fn selectors_that_cannot_be_read_are_told() {
    let (user, object) = (alice(), map(""));
    let bad = "objectSelector: {matchExpressions: [{key: a, operator: Nope}]}";
    let why = criteria(bad).meets(&making(&user, &object), &Cluster);
    let expected = "Internal error occurred: \"Nope\" is not a valid label selector operator";
    assert_eq!(why, Err(expected.into()));
}
