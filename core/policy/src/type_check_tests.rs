//! Tests of type checking: the reference's warnings.

use crate::testing::node;
use crate::{ServedKind, ServedKinds, is_unchecked, status, type_check};
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use ratchet_object::Node;

fn warnings(rule: &str, expression: &str, more: &str) -> Vec<String> {
    served_warnings(&ServedKinds::default(), rule, expression, more)
}

fn served_warnings(served: &ServedKinds, rule: &str, expression: &str, more: &str) -> Vec<String> {
    let text = format!(
        "{{metadata: {{name: p, generation: 3}}, spec: {{{more} matchConstraints: {{resourceRules: [{{{rule}, operations: ['*']}}]}}, validations: [{{expression: \"{expression}\"}}]}}}}"
    );
    let (policy, mut served) = (node(&text), served.clone());
    for (group, version) in served.missing(&policy) {
        assert_eq!((group.as_str(), version.as_str()), ("example.com", "v1"));
        served.describe(&policy, &node(WIDGETS));
    }
    type_check(&policy, &served)
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
    let status = status(&policy, &ServedKinds::default());
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

/// What a server publishes of a custom kind.
const WIDGETS: &str = "{components: {schemas: {
    meta: {type: object, properties: {
        name: {type: string}, generateName: {type: string},
        labels: {type: object, additionalProperties: {type: string}},
        creationTimestamp: {allOf: [{$ref: '#/components/schemas/time'}]}}},
    time: {type: string, format: date-time},
    round: {type: object, properties: {again: {$ref: '#/components/schemas/round'}, size: {type: integer}}},
    com.example.v1.Widget: {type: object,
        x-kubernetes-group-version-kind: [{group: example.com, version: v1, kind: Widget}],
        properties: {apiVersion: {type: string}, kind: {type: string},
            metadata: {description: m, allOf: [{$ref: '#/components/schemas/meta'}]},
            spec: {type: object, properties: {
                size: {type: integer}, port: {x-kubernetes-int-or-string: true}, a-b: {type: number},
                tags: {type: array, items: {type: object, properties: {enabled: {type: boolean}}}},
                more: {type: object, x-kubernetes-preserve-unknown-fields: true},
                any: {x-kubernetes-preserve-unknown-fields: true},
                inner: {type: object, x-kubernetes-embedded-resource: true},
                round: {$ref: '#/components/schemas/round'}}}}}}}}";

fn widgets() -> ServedKinds {
    let kind = |group: &str, resource: &str, kind: &str| ServedKind {
        group: group.into(),
        version: "v1".into(),
        resource: resource.into(),
        kind: kind.into(),
    };
    ServedKinds::new([
        kind("example.com", "widgets", "Widget"),
        kind("example.com", "unknowns", "Unknown"),
        kind("", "pods", "Pod"),
    ])
}

#[test]
fn custom_kinds_have_the_types_of_their_definitions() {
    const RULE: &str =
        "apiGroups: [example.com], apiVersions: [v1], resources: [widgets, unknowns]";
    let served = widgets();
    let check = |expression: &str| served_warnings(&served, RULE, expression, "");
    for fine in [
        "object.spec.size > 1 && object.spec.port == 'x' && object.spec.a__dash__b < 1.5",
        "object.spec.tags.all(tag, tag.enabled) && object.metadata.labels.x == 'y'",
        "object.metadata.creationTimestamp > timestamp('2020-01-01T00:00:00Z')",
        "object.spec.inner.metadata.name == object.spec.inner.kind",
        "object.spec.round.size == 1 && has(object.spec.round.again)",
        "has(object.spec.more)",
    ] {
        assert_eq!(check(fine), NONE, "{fine}");
    }
    assert_eq!(
        check("object.spec.nope == 1"),
        [
            "example.com/v1, Kind=Widget: ERROR: <input>:1:12: undefined field 'nope'\n | object.spec.nope == 1\n | ...........^\n"
        ]
    );
    for wrong in [
        "object.spec.size == 'x'",
        "object.spec.tags[0].off",
        "object.spec.any == 1",
        "object.spec.more.x == 1",
        "object.spec.round.again.size == 1",
    ] {
        assert_eq!(check(wrong).len(), 1, "{wrong}");
    }
    let any_group = RULE.replace("example.com", "''");
    assert_eq!(served_warnings(&served, &any_group, "object.nope == 1", "").len(), 1);
}

#[test]
fn custom_parameters_have_types_beside_every_kind() {
    let served = widgets();
    let kind = "paramKind: {apiVersion: example.com/v1, kind: Widget},";
    let widgets = "apiGroups: [example.com], apiVersions: [v1], resources: [widgets]";
    for rule in [PODS, widgets] {
        let check = |expression: &str| served_warnings(&served, rule, expression, kind).len();
        assert_eq!(check("params.spec.size == 1 && object.metadata.name == 'x'"), 0, "{rule}");
        assert_eq!(check("params.spec.nope == 1"), 1, "{rule}");
        assert_eq!(check("object.spec.nope == 1"), 1, "{rule}");
    }
    let maps = "paramKind: {apiVersion: v1, kind: ConfigMap},";
    assert_eq!(served_warnings(&served, widgets, "params.data.x == 'a'", maps), NONE);
    assert_eq!(served_warnings(&served, widgets, "params.nope == 'a'", maps).len(), 1);
}

#[test]
fn schemas_that_repeat_each_other_are_not_followed_without_end() {
    let mut schemas = String::new();
    for level in 0..64 {
        let next = level + 1;
        schemas.push_str(&format!(
            "s{level}: {{type: object, properties: {{a: {{$ref: '#/components/schemas/s{next}'}}, b: {{$ref: '#/components/schemas/s{next}'}}}}}}, "
        ));
    }
    let document = node(&format!(
        "{{components: {{schemas: {{{schemas} w: {{type: object, x-kubernetes-group-version-kind: [{{group: example.com, version: v1, kind: Widget}}], properties: {{x: {{$ref: '#/components/schemas/s0'}}}}}}}}}}}}"
    ));
    let policy = node(
        "{spec: {matchConstraints: {resourceRules: [{apiGroups: [example.com], apiVersions: [v1], resources: [widgets]}]}, validations: [{expression: object.nope}]}}",
    );
    let mut served = widgets();
    served.describe(&policy, &document);
    assert!(type_check(&policy, &served).is_empty(), "it is as if nobody had described it");
}
