//! Tests of mutating policies: what they make of an object, and the reference's errors.

use super::testing::*;
use super::*;
use crate::testing::{Cluster, alice, creation, map, node};
use crate::{GroupVersionKind, GroupVersionResource, Observation};
use alloc::format;
use alloc::string::String;
use ratchet_object::defaults;

#[test]
fn apply_configurations_are_merged() {
    for (expression, data) in [
        ("Object{data: {'k': 'new', 'l': 'added'}}", r#"{"k":"new","l":"added"}"#),
        ("Object{apiVersion: 'v9', kind: 'Other', data: {'l': '1'}}", r#"{"k":"1","l":"1"}"#),
        ("Object{data: {'l': string(object.metadata.name)}}", r#"{"k":"1","l":"c"}"#),
        ("Object{?data: optional.none()}", r#"{"k":"1"}"#),
        ("object.data.k == '1' ? Object{data: {'l': 'x'}} : Object{}", r#"{"k":"1","l":"x"}"#),
        (
            "Object{data: {'op': request.operation, 'old': string(oldObject == null)}}",
            r#"{"k":"1","op":"CREATE","old":"true"}"#,
        ),
        (
            "Object{data: {'ns': string(request.namespace == namespaceObject.metadata.name)}}",
            r#"{"k":"1","ns":"true"}"#,
        ),
    ] {
        assert_eq!(data_after(&[expression]), Ok(data.to_string()), "{expression}");
    }
}

#[test]
fn json_patches_are_applied() {
    for (expression, data) in [
        ("[JSONPatch{op: 'add', path: '/data/l', value: 'x'}]", r#"{"k":"1","l":"x"}"#),
        (
            "[JSONPatch{op: 'replace', path: '/data/k', value: object.data.k + '!'}]",
            r#"{"k":"1!"}"#,
        ),
        ("[JSONPatch{op: 'remove', path: '/data/k'}].filter(x, false)", r#"{"k":"1"}"#),
        (
            "[JSONPatch{op: 'add', path: '/data/l', value: 'x'}, JSONPatch{op: 'test', path: '/data/k', value: '7'}]",
            r#"{"k":"1"}"#,
        ),
        (
            "[JSONPatch{op: 'test', path: '/data/k', value: '1'}, JSONPatch{op: 'add', path: '/data/l', value: 'x'}]",
            r#"{"k":"1","l":"x"}"#,
        ),
        (
            "['x', 'y'].map(k, JSONPatch{op: 'add', path: '/data/' + k, value: k})",
            r#"{"k":"1","x":"x","y":"y"}"#,
        ),
        ("[JSONPatch{op: 'add', path: '/data/l', value: null}]", r#"{"k":"1","l":""}"#),
        (
            "[JSONPatch{op: 'add', path: '/data/l', value: duration('1h')}]",
            r#"{"k":"1","l":"3600s"}"#,
        ),
        ("[JSONPatch{op: 'copy', from: '/data/k', path: '/data/l'}]", r#"{"k":"1","l":"1"}"#),
        (
            "[JSONPatch{op: 'add', path: '/data/' + jsonpatch.escapeKey('a~b'), value: 'x'}]",
            r#"{"k":"1","a~b":"x"}"#,
        ),
    ] {
        assert_eq!(data_after(&[expression]), Ok(data.to_string()), "{expression}");
    }
}

#[test]
fn failures_have_the_words_of_the_reference() {
    for (expression, words) in [
        (
            "Object{metadata: Object.metadata{nope: 'x'}}",
            "error applying patch: failed to convert patch object to typed object: .metadata.nope: field not declared in schema",
        ),
        (
            "Object{data: {'k': 1}}",
            "error applying patch: failed to convert patch object to typed object: .data.k: expected string, got &value.valueUnstructured{Value:1}",
        ),
        (
            "Object{metadata: 'x'}",
            "error applying patch: failed to convert patch object to typed object: .metadata: expected map, got &{x}",
        ),
        (
            "Object{binaryData: {'b': b'abc'}}",
            "error applying patch: failed to convert patch object to typed object: .binaryData.b: expected string, got &value.valueUnstructured{Value:[]uint8{0x61, 0x62, 0x63}}",
        ),
        (
            "Object{data: {'k': null}}",
            "error applying patch: failed to convert patch object to typed object: .data.k: expected string, got &value.valueUnstructured{Value:0}",
        ),
        (
            "Object{metadata: null}",
            "error applying patch: failed to convert patch object to typed object: .metadata: expected map, got &{NULL_VALUE}",
        ),
        (
            "Object{metadata: Object.metadata{generation: 1u}}",
            "error applying patch: failed to convert patch object to typed object: .metadata.generation: expected numeric (int or float), got uint64",
        ),
        (
            "Object{metadata: Object.spec{labels: {'a': 'b'}}}",
            "type mismatch: unexpected type name \"Object.spec\", expected \"Object.metadata\", which matches field name path from root Object type",
        ),
        ("Object{data: {1: 'x'}}", "invalid return type: *dynamic.ObjectVal"),
        (
            "Object{data: {'l': object.data.nope}}",
            "expression 'Object{data: {'l': object.data.nope}}' resulted in error: no such key: nope",
        ),
        (
            "[JSONPatch{op: 'add', path: 'data', value: {'x': 'y'}}]",
            "JSON Patch: add operation does not apply: doc is missing path: \"data\": missing value",
        ),
        (
            "[JSONPatch{op: 'remove', path: '/data/nope'}]",
            "JSON Patch: error in remove for path: '/data/nope': Unable to remove nonexistent key: nope: missing value",
        ),
        (
            "[JSONPatch{op: 'add', path: '/data', value: Object.data{a: Object.spec{}}}]",
            "type mismatch: unexpected type name \"Object.spec\", expected \"Object.data.a\", which matches field name path from root Object type",
        ),
        ("[JSONPatch{op: 'nope', path: '/data'}]", "JSON Patch: Unexpected kind: nope"),
        (
            "[JSONPatch{op: 'add', path: '/data', value: optional.none()}]",
            "JSONPath valueExpression evaluated to a type that could not marshal to JSON: optional.none() dereference",
        ),
    ] {
        assert_eq!(data_after(&[expression]), denied(words), "{expression}");
    }
    let typed = data_after(&["'text'"]);
    assert_eq!(typed, denied("must evaluate to Object but got string"));
}

#[test]
fn a_result_that_cannot_be_decoded_is_an_internal_error() {
    for (expression, text) in [
        (
            "[JSONPatch{op: 'add', path: '/data/l', value: 1}]",
            "500: json: cannot unmarshal number into Go struct field ConfigMap.data of type string",
        ),
        (
            "[JSONPatch{op: 'add', path: '/nope', value: 1}]",
            "500: strict decoding error: unknown field \"nope\"",
        ),
        (
            "[JSONPatch{op: 'replace', path: '/kind', value: 'Secret'}]",
            "500: illegal base64 data at input byte 0",
        ),
        (
            "[JSONPatch{op: 'replace', path: '/kind', value: 'Secret'}, JSONPatch{op: 'remove', path: '/data'}]",
            "500: failed to convert object: converting (v1.Secret) to (core.ConfigMap): unknown conversion",
        ),
    ] {
        assert_eq!(data_after(&[expression]), Err(text.to_string()), "{expression}");
        let ignored = outcome(&format!("failurePolicy: Ignore, {}", mutations(&[expression])), "");
        assert_eq!(ignored, Err(text.to_string()), "{expression}");
    }
}

#[test]
fn mutations_see_what_was_made_before_and_variables_are_computed_anew() {
    let spec = format!(
        "variables: [{{name: k, expression: object.data.k}}], {}",
        mutations(&[
            "Object{data: {'k': 'new'}}",
            "Object{data: {'seen': variables.k, 'now': object.data.k}}"
        ])
    );
    assert_eq!(outcome(&spec, ""), Ok(r#"{"k":"new","seen":"new","now":"new"}"#.to_string()));
    let spec = format!(
        "variables: [{{name: bad, expression: object.data.nope}}], {}",
        mutations(&["Object{data: {'l': variables.bad}}"])
    );
    assert_eq!(
        outcome(&spec, ""),
        denied(
            "expression 'Object{data: {'l': variables.bad}}' resulted in error: composited variable \"bad\" fails to evaluate: no such key: nope"
        )
    );
}

#[test]
fn a_failed_mutation_does_not_stop_the_others() {
    let several = [
        "Object{data: {'a': '1'}}",
        "[JSONPatch{op: 'remove', path: '/data/nope'}]",
        "Object{data: {'c': '1'}}",
    ];
    let error = "JSON Patch: error in remove for path: '/data/nope': Unable to remove nonexistent key: nope: missing value";
    assert_eq!(data_after(&several), denied(error));
    let ignored = outcome(&format!("failurePolicy: Ignore, {}", mutations(&several)), "");
    assert_eq!(ignored, Ok(r#"{"k":"1","a":"1","c":"1"}"#.to_string()));
}

#[test]
fn conditions_and_parameters() {
    let x = mutations(&["Object{data: {'l': 'x'}}"]);
    let unchanged = Ok(r#"{"k":"1"}"#.to_string());
    let condition = |text: &str, more: &str| {
        outcome(&format!("matchConditions: [{{name: c, expression: \"{text}\"}}], {more} {x}"), "")
    };
    assert_eq!(condition("object.data.k == '2'", ""), unchanged);
    assert_eq!(condition("object.data.k == '1'", ""), Ok(r#"{"k":"1","l":"x"}"#.to_string()));
    assert_eq!(condition("object.data.nope == '1'", "failurePolicy: Ignore,"), unchanged);
    assert_eq!(
        condition("object.data.nope == '1'", ""),
        denied("expression 'object.data.nope == '1'' resulted in error: no such key: nope")
    );
    let kind = "paramKind: {apiVersion: v1, kind: ConfigMap},";
    let most = mutations(&["Object{data: {'most': string(params.data.most)}}"]);
    let with = |binding: &str| outcome(&format!("{kind} {most}"), binding);
    assert_eq!(
        with("paramRef: {name: limits, parameterNotFoundAction: Deny}"),
        Ok(r#"{"k":"1","most":"3"}"#.to_string())
    );
    assert_eq!(
        with("paramRef: {selector: {}, parameterNotFoundAction: Deny}"),
        Ok(r#"{"k":"1","most":"5"}"#.to_string()),
        "applied once for each"
    );
    assert_eq!(with("paramRef: {name: none, parameterNotFoundAction: Allow}"), unchanged);
    assert_eq!(
        with("paramRef: {name: none, parameterNotFoundAction: Deny}"),
        Err("Forbidden: policy 'p' with binding 'b' denied request: failed to configure binding: no params found for policy binding with `Deny` parameterNotFoundAction".to_string())
    );
    let unknown = format!("paramKind: {{apiVersion: nope.example.com/v1, kind: Nope}}, {x}");
    assert_eq!(
        outcome(&unknown, ""),
        Err("Forbidden: policy \"p\" denied request: failed to configure policy: failed to find resource referenced by paramKind: 'nope.example.com/v1, Kind=Nope'".to_string())
    );
    assert_eq!(outcome(&format!("failurePolicy: Ignore, {unknown}"), ""), unchanged);
}

const APPEND: &str = "[JSONPatch{op: 'add', path: '/data/n', value: ('n' in object.data ? object.data.n : '') + 'x'}]";

/// The `data` after the whole chain of mutating plugins, and how often it ran; `plugin` is another mutating plugin.
fn chain(policies: &MutatingPolicies, plugin: fn(&mut Node<'static>, u8)) -> (String, u8) {
    let user = alice();
    let mut object = map("k: '1'");
    let mut reinvocation = ReinvocationContext::new(true);
    let mut rounds = 0;
    loop {
        rounds += 1;
        let seen = object.clone();
        let attributes = creation(&user, &seen);
        let result = policies.mutate(&attributes, object, &Cluster, &Merge, &mut reinvocation);
        assert_eq!(result.failure, None);
        object = result.object;
        plugin(&mut object, reinvocation.round());
        if reinvocation.round() == 0 && object.get("data") != seen.get("data") {
            reinvocation.set_should_reinvoke();
        }
        if !reinvocation.begin_reinvocation() {
            return (object.get("data").map(Node::to_json).unwrap_or_default(), rounds);
        }
    }
}

#[test]
fn if_needed_means_once_more() {
    let never = bound(&format!("reinvocationPolicy: Never, {}", mutations(&[APPEND])), "");
    assert_eq!(chain(&never, |_, _| ()), (r#"{"k":"1","n":"x"}"#.to_string(), 2));
    let needed = bound(&format!("reinvocationPolicy: IfNeeded, {}", mutations(&[APPEND])), "");
    assert_eq!(chain(&needed, |_, _| ()), (r#"{"k":"1","n":"xx"}"#.to_string(), 2));
    // A policy that failed open runs again only because somebody else changed the object.
    let spec = "failurePolicy: Ignore, reinvocationPolicy: IfNeeded,";
    let late = bound(
        &format!(
            "{spec} {}",
            mutations(&["[JSONPatch{op: 'add', path: '/data/n', value: object.data.late}]"])
        ),
        "",
    );
    let plugin = |object: &mut Node<'static>, round| {
        if round == 0 {
            object.map_mut("data").set("late", Node::string("y"));
        }
    };
    assert_eq!(chain(&late, plugin), (r#"{"k":"1","late":"y","n":"y"}"#.to_string(), 2));
    assert_eq!(chain(&late, |_, _| ()), (r#"{"k":"1"}"#.to_string(), 1));
}

#[test]
fn each_binding_is_one_application() {
    let policies = MutatingPolicies::new(
        alloc::vec![
            policy_named("p", &mutations(&[APPEND])),
            policy_named("unbound", &mutations(&[APPEND]))
        ],
        alloc::vec![
            binding_named("b", "p", ""),
            binding_named("a", "p", ""),
            binding_named("c", "none", "")
        ],
    );
    let result = mutated(&policies, &map("k: '1'"));
    assert_eq!(result.object.text_at(&["data", "n"]), "xx");
    assert!(policies.look_at("", "configmaps") && !policies.look_at("", "secrets"));
}

#[test]
fn deletions_and_policies_are_left_alone() {
    let policies = bound(
        &format!(
            "matchConstraints: {{resourceRules: [{{apiGroups: ['*'], apiVersions: ['*'], resources: ['*'], operations: ['*']}}]}}, {}",
            mutations(&["Object{nope: 1}"])
        ),
        "",
    );
    let (user, object) = (alice(), map(""));
    let attributes = creation(&user, &object);
    let run = |attributes: &Attributes<'_>| {
        let mut context = ReinvocationContext::default();
        policies.mutate(attributes, object.clone(), &Cluster, &Merge, &mut context).failure
    };
    assert!(run(&attributes).is_some());
    assert_eq!(run(&Attributes { operation: Operation::Delete, ..attributes }), None);
    for resource in ["mutatingadmissionpolicies", "validatingadmissionpolicybindings"] {
        let group = "admissionregistration.k8s.io";
        let resource = GroupVersionResource { group, version: "v1", resource };
        assert_eq!(run(&Attributes { resource, ..attributes }), None);
    }
    let missing = run(&Attributes { namespace: "gone", ..attributes });
    assert_eq!(missing, Some(MutationFailure::MissingNamespace("gone".to_string())));
}

#[test]
fn an_equivalent_version_cannot_be_brought_back() {
    let policies = bound(
        &format!(
            "matchConstraints: {{resourceRules: [{{apiGroups: [autoscaling], apiVersions: [v1], resources: ['*'], operations: ['*']}}]}}, {}",
            mutations(&["Object{}"])
        ),
        "",
    );
    let (user, object) =
        (alice(), node("{apiVersion: autoscaling/v2, kind: HorizontalPodAutoscaler}"));
    let attributes = Attributes {
        kind: GroupVersionKind {
            group: "autoscaling",
            version: "v2",
            kind: "HorizontalPodAutoscaler",
        },
        resource: GroupVersionResource {
            group: "autoscaling",
            version: "v2",
            resource: "horizontalpodautoscalers",
        },
        ..creation(&user, &object)
    };
    let mut context = ReinvocationContext::default();
    let result = policies.mutate(&attributes, object.clone(), &Cluster, &Merge, &mut context);
    let Some(MutationFailure::Denied(errors)) = result.failure else { panic!("{result:?}") };
    assert_eq!(
        errors[0].words,
        "converting (v1.HorizontalPodAutoscaler) to (v2.HorizontalPodAutoscaler): unknown conversion"
    );
}

#[test]
fn what_is_added_is_defaulted() {
    let spec = mutations(&[
        "Object{spec: Object.spec{containers: [Object.spec.containers{name: 'c', imagePullPolicy: 'Never'}, Object.spec.containers{name: 'side', image: 'side:1'}]}}",
    ]);
    let mut pod = node(
        "{apiVersion: v1, kind: Pod, metadata: {name: p, namespace: test}, spec: {containers: [{name: c, image: i}]}}",
    );
    defaults::apply("", "v1", "Pod", &mut pod);
    let user = alice();
    let attributes = Attributes {
        kind: GroupVersionKind { group: "", version: "v1", kind: "Pod" },
        resource: GroupVersionResource { group: "", version: "v1", resource: "pods" },
        ..creation(&user, &pod)
    };
    let mut context = ReinvocationContext::default();
    let result = bound(&spec, "").mutate(&attributes, pod.clone(), &Cluster, &Merge, &mut context);
    assert_eq!(result.failure, None);
    let containers =
        result.object.find(&["spec", "containers"]).map(Node::items).unwrap_or_default();
    let policies: Vec<&str> =
        containers.iter().map(|container| container.text_at(&["imagePullPolicy"])).collect();
    assert_eq!(policies, ["Never", "IfNotPresent"]);
}

#[test]
fn samples_for_the_metrics() {
    let spec = format!(
        "failurePolicy: Ignore, {}",
        mutations(&[
            "Object{}",
            "Object{nope: 1}",
            "nope",
            "Object{data: {'a': object.data.nope}}"
        ])
    );
    let result = mutated(&bound(&spec, ""), &map("k: '1'"));
    let errors = |metric: &str| -> Vec<String> {
        let own = result.observations.iter().filter(|one: &&Observation| one.metric == metric);
        own.map(|one| one.labels[0].1.to_string()).collect()
    };
    let all = ["no_error", "invalid_error", "compile_error", "invalid_error"];
    assert_eq!(errors("apiserver_mutating_admission_policy_check_total"), all);
    assert_eq!(errors("apiserver_mutating_admission_policy_check_duration_seconds"), all);
    let spec = format!(
        "matchConditions: [{{name: a, expression: object.data.nope == 'x'}}, {{name: b, expression: 'false'}}], {}",
        mutations(&["Object{}"])
    );
    let result = mutated(&bound(&spec, ""), &map("k: '1'"));
    let metrics: Vec<&str> = result.observations.iter().map(|one| one.metric).collect();
    assert_eq!(
        metrics,
        [
            "apiserver_admission_match_condition_evaluation_errors_total",
            "apiserver_admission_match_condition_evaluation_seconds"
        ]
    );
    assert_eq!(result.observations[0].labels[3], ("type", "validate".into()));
}
