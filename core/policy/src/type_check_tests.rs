//! Tests of type checking: the reference's warnings.

use crate::testing::node;
use crate::{is_unchecked, status, type_check};
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use ratchet_object::Node;

fn warnings(rule: &str, expression: &str, more: &str) -> Vec<String> {
    let text = format!(
        "{{metadata: {{name: p, generation: 3}}, spec: {{{more} matchConstraints: {{resourceRules: [{{{rule}, operations: ['*']}}]}}, validations: [{{expression: \"{expression}\"}}]}}}}"
    );
    type_check(&node(&text))
        .into_iter()
        .map(|expression_warning| expression_warning.warning)
        .collect()
}

const PODS: &str = "apiGroups: [''], apiVersions: [v1], resources: [pods]";
const MAPS: &str = "apiGroups: [''], apiVersions: [v1], resources: [configmaps]";
const NONE: [&str; 0] = [];

#[test]
fn fields_that_are_not_there_are_told() {
    assert_eq!(
        warnings(PODS, "object.spec.nope == 1", ""),
        [
            "/v1, Kind=Pod: ERROR: <input>:1:12: undefined field 'nope'\n | object.spec.nope == 1\n | ...........^\n"
        ]
    );
    assert_eq!(
        warnings(PODS, "object.spec.hostNetwork && object.metadata.namespace == 'x'", ""),
        NONE
    );
    assert_eq!(warnings(PODS, "object.metadata.__namespace__ == 'x'", ""), NONE);
    assert_eq!(
        warnings(PODS, "oldObject.spec.containers[0] == 1", ""),
        [
            "/v1, Kind=Pod: ERROR: <input>:1:30: found no matching overload for '_==_' applied to '(Pod.spec.containers.@idx, int)'\n | oldObject.spec.containers[0] == 1\n | .............................^\n"
        ]
    );
}

#[test]
fn types_are_those_of_the_schema() {
    let is_fine = |rule: &str, expression: &str| warnings(rule, expression, "").is_empty();
    assert!(is_fine(MAPS, "object.data.x == 'x'"));
    assert!(!is_fine(MAPS, "object.data.x == 1"));
    assert!(is_fine(MAPS, "object.binaryData.x == b'x'"));
    assert!(is_fine(PODS, "object.metadata.creationTimestamp > timestamp('2020-01-01T00:00:00Z')"));
    let services = PODS.replace("pods", "services");
    assert!(is_fine(
        &services,
        "object.spec.ports[0].targetPort == 'x' || object.spec.ports[0].targetPort == 1"
    ));
    assert!(!is_fine(&services, "object.spec.ports[0].port == 'x'"));
    // The reference knows no type of quantities: a quantity is no field.
    assert!(!is_fine(PODS, "object.spec.containers[0].resources.limits.cpu == '1'"));
}

#[test]
fn every_type_is_told_of_in_order() {
    let rule = "apiGroups: [apps], apiVersions: [v1], resources: [deployments, daemonsets, deployments/scale]";
    let messages = warnings(rule, "object.spec.replicas > 'a'", "");
    let kinds: Vec<&str> =
        messages[0].split("\n\n").filter_map(|part| part.split(':').next()).collect();
    assert_eq!(kinds, ["apps/v1, Kind=DaemonSet", "apps/v1, Kind=Deployment"]);
    let events = warnings(&PODS.replace("pods", "events"), "object.nope == 1", "");
    assert!(
        events[0].contains("events.k8s.io/v1, Kind=Event"),
        "no group is any group: {events:?}"
    );
}

#[test]
fn rules_without_types_say_nothing() {
    for rule in [
        "apiGroups: ['*'], apiVersions: [v1], resources: [pods]",
        "apiGroups: [''], apiVersions: ['*'], resources: [pods]",
        "apiGroups: [''], apiVersions: [v1], resources: ['*', pods/exec]",
        "apiGroups: [example.com], apiVersions: [v1], resources: [things]",
    ] {
        assert_eq!(warnings(rule, "object.nope == 1", ""), NONE, "{rule}");
    }
}

#[test]
fn parameters_and_variables_have_types_too() {
    let kind = "paramKind: {apiVersion: v1, kind: ConfigMap},";
    assert_eq!(warnings(PODS, "params.data.x == 'a'", kind), NONE);
    assert_eq!(warnings(PODS, "params.nope == 'a'", kind).len(), 1);
    assert_eq!(warnings(MAPS, "params.nope == 'a'", kind).len(), 1);
    let unknown = "paramKind: {apiVersion: example.com/v1, kind: Thing},";
    assert_eq!(warnings(PODS, "params.nope == 'a'", unknown), NONE);
    let variable = "variables: [{name: net, expression: object.spec.hostNetwork}],";
    assert_eq!(warnings(PODS, "variables.net == true", variable), NONE);
    assert_eq!(warnings(PODS, "variables.net == 1", variable).len(), 1);
}

#[test]
fn a_status_says_which_generation_was_looked_at() {
    let policy = node("{metadata: {generation: 3}, spec: {}, status: {conditions: []}}");
    assert!(is_unchecked(&policy));
    let status = status(&policy);
    assert_eq!(
        format!("{status}"),
        r#"{"conditions":[],"observedGeneration":3,"typeChecking":{}}"#
    );
    let mut checked = policy.clone();
    checked.set("status", status);
    assert!(!is_unchecked(&checked));
    checked.map_mut("metadata").set("generation", Node::int(4));
    assert!(is_unchecked(&checked));
}
