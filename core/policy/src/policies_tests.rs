//! Tests of policies and their bindings.

use crate::testing::{
    CONFIG_MAP, Cluster, alice, binding, creation, denial_messages, judged, map, node, policy,
};
use crate::{
    Attributes, GroupVersionKind, GroupVersionResource, Operation, Policies, PolicyResult, Reason,
};
use alloc::format;
use alloc::string::String;
use alloc::vec;
use alloc::vec::Vec;

#[test]
fn a_validation_that_is_met_says_nothing() {
    assert_eq!(
        judged("validations: [{expression: \"object.data.a == 'b'\"}]", "", "a: b"),
        PolicyResult::default()
    );
}

#[test]
fn a_validation_that_is_not_met_denies() {
    let result = judged("validations: [{expression: \" object.data.a == 'b' \"}]", "", "a: x");
    assert_eq!(denial_messages(&result), ["failed expression: object.data.a == 'b'"]);
    let denial = &result.denials[0];
    assert_eq!(
        denial.message(),
        "ValidatingAdmissionPolicy 'p' with binding 'b' denied request: failed expression: object.data.a == 'b'"
    );
    assert_eq!(
        (denial.reason.as_str(), denial.reason.code(), denial.validation),
        ("Invalid", 422, Some(0))
    );
    let check = &result.checks[0];
    assert_eq!((check.error, check.action), ("invalid_error", "deny"));
}

#[test]
fn reasons_have_codes() {
    for (name, code) in [
        ("Forbidden", 403),
        ("Invalid", 422),
        ("RequestEntityTooLarge", 413),
        ("Unauthorized", 401),
    ] {
        let result =
            judged(&format!("validations: [{{expression: 'false', reason: {name}}}]"), "", "");
        let reason = result.denials[0].reason;
        assert_eq!((reason.as_str(), reason.code()), (name, code));
    }
    assert_eq!(Reason::parse("Nonsense"), Reason::Invalid);
}

#[test]
fn messages_are_chosen() {
    let long = |length: usize| format!("a: {}", "x".repeat(length));
    let cases: [(&str, &str, String); 7] = [
        ("message: ' static '", "static", "a: b".into()),
        ("message: static, messageExpression: \"'is ' + object.data.a\"", "is b", "a: b".into()),
        (
            "message: static, messageExpression: \"string(object.data.nope)\"",
            "static",
            "a: b".into(),
        ),
        ("message: static, messageExpression: \"'  '\"", "static", "a: b".into()),
        ("message: static, messageExpression: \"'a\\\\nb'\"", "static", "a: b".into()),
        ("messageExpression: \"'  padded  '\"", "padded", "a: b".into()),
        ("message: static, messageExpression: string(object.data.a)", "static", long(5121)),
    ];
    for (spec, expected, data) in cases {
        let result = judged(&format!("validations: [{{expression: 'false', {spec}}}]"), "", &data);
        assert_eq!(denial_messages(&result), [expected], "{spec}");
    }
    let spec = "validations: [{expression: 'false', messageExpression: string(object.data.a)}]";
    assert_eq!(judged(spec, "", &long(5120)).denials[0].words.len(), 5120);
}

#[test]
fn failures_deny_unless_they_are_ignored() {
    let spec = "validations: [{expression: \"object.data.nope == 'x'\"}]";
    let result = judged(spec, "", "a: b");
    assert_eq!(
        denial_messages(&result),
        ["expression 'object.data.nope == 'x'' resulted in error: no such key: nope"]
    );
    let result = judged(&format!("failurePolicy: Ignore, {spec}"), "", "a: b");
    assert!(result.admits());
    assert_eq!((result.checks[0].action, result.checks[0].error), ("allow", "invalid_error"));
    let result = judged("failurePolicy: Ignore, validations: [{expression: 'false'}]", "", "");
    assert!(!result.admits(), "what is evaluated is not ignored");
}

#[test]
fn what_does_not_compile_fails_when_it_is_applied() {
    let result = judged("validations: [{expression: nope}]", "", "");
    assert_eq!(
        denial_messages(&result),
        [
            "compilation error: compilation failed: ERROR: <input>:1:1: undeclared reference to 'nope' (in container '')\n | nope\n | ^"
        ]
    );
    assert_eq!(result.checks[0].error, "compile_error");
    let result = judged("validations: [{expression: '1'}]", "", "");
    assert_eq!(denial_messages(&result), ["compilation error: must evaluate to bool but got int"]);
}

#[test]
fn actions_are_taken() {
    let spec =
        "validations: [{expression: 'false', message: m1}, {expression: 'false', message: m2}]";
    let warned = judged(spec, "validationActions: [Warn]", "");
    assert!(warned.admits());
    assert_eq!(
        warned.warnings,
        [
            "Validation failed for ValidatingAdmissionPolicy 'p' with binding 'b': m1",
            "Validation failed for ValidatingAdmissionPolicy 'p' with binding 'b': m2"
        ]
    );
    let audited = judged(spec, "validationActions: [Audit, Warn]", "");
    let key = "validation.policy.admission.k8s.io/validation_failure";
    let value = r#"[{"message":"m1","policy":"p","binding":"b","expressionIndex":0,"validationActions":["Audit","Warn"]}]"#;
    assert_eq!(audited.annotations, [(key.into(), value.into())], "the first stays");
    assert_eq!((audited.warnings.len(), audited.checks.len()), (2, 4));
    assert_eq!(denial_messages(&judged(spec, "", "")), ["m1", "m2"]);
}

#[test]
fn variables_are_evaluated_when_asked_for_and_once() {
    let spec = "variables: [{name: length, expression: size(object.data.a)}, {name: m, expression: variables.length + 1}], validations: [{expression: variables.m > 3, messageExpression: \"'m is ' + string(variables.m)\"}]";
    assert!(judged(spec, "", "a: xxx").admits());
    assert_eq!(denial_messages(&judged(spec, "", "a: x")), ["m is 2"]);
    let failing =
        "variables: [{name: x, expression: int(object.data.a)}], validations: [{expression: EXPR}]";
    let unused = failing.replace("EXPR", "'true'");
    assert!(judged(&unused, "", "a: b").admits());
    let forgiven = failing.replace("EXPR", "\"variables.x == 1 || true\"");
    assert!(judged(&forgiven, "", "a: b").admits());
    let used = judged(&failing.replace("EXPR", "variables.x == 1"), "", "a: b");
    assert!(
        denial_messages(&used)[0].starts_with("expression 'variables.x == 1' resulted in error: composited variable \"x\" fails to evaluate: "),
        "{used:?}"
    );
    let twice = "variables: [{name: x, expression: '1'}, {name: x, expression: variables.x + 1}], validations: [{expression: variables.x == 2}]";
    assert!(denial_messages(&judged(twice, "", ""))[0].contains("it needs itself"));
}

#[test]
fn conditions_decide_whether_a_policy_is_asked() {
    let spec = |conditions: &str, more: &str| {
        format!("{more} matchConditions: [{conditions}], validations: [{{expression: 'false'}}]")
    };
    let is_b = "{name: b, expression: \"object.data.a == 'b'\"}";
    let fails = "{name: f, expression: \"object.data.nope == 'b'\"}";
    assert!(judged(&spec(is_b, ""), "", "a: x").admits());
    assert_eq!(denial_messages(&judged(&spec(is_b, ""), "", "a: b")), ["failed expression: false"]);
    let error = "expression 'object.data.nope == 'b'' resulted in error: no such key: nope";
    assert_eq!(denial_messages(&judged(&spec(fails, ""), "", "a: b")), [error]);
    let two = format!("{fails}, {{name: g, expression: object.data.other == 1}}");
    let both = format!(
        "[{error}, expression 'object.data.other == 1' resulted in error: no such key: other]"
    );
    assert_eq!(denial_messages(&judged(&spec(&two, ""), "", "a: b")), [both]);
    let mixed = format!("{fails}, {is_b}");
    assert!(judged(&spec(&mixed, ""), "", "a: x").admits(), "one that is false settles it");
    assert!(judged(&spec(fails, "failurePolicy: Ignore,"), "", "a: b").admits());
    let blind = "{name: n, expression: namespaceObject == null}";
    assert!(!judged(&spec(blind, ""), "", "").admits(), "conditions do not see the namespace");
}

#[test]
fn parameters_come_from_where_the_binding_says() {
    let spec = "paramKind: {apiVersion: v1, kind: ConfigMap}, validations: [{expression: \"params != null && size(object.data.a) <= int(params.data.most)\", messageExpression: \"'at most ' + params.data.most\"}]";
    let with_name = |more: &str| format!("paramRef: {{name: limits, {more}}}");
    assert_eq!(
        denial_messages(&judged(spec, &with_name("parameterNotFoundAction: Deny"), "a: xxxx")),
        ["at most 3"]
    );
    assert!(
        judged(spec, &with_name("namespace: prod, parameterNotFoundAction: Deny"), "a: xxxx")
            .admits()
    );
    let all = "paramRef: {selector: {}, parameterNotFoundAction: Deny}";
    assert_eq!(denial_messages(&judged(spec, all, "a: xxxxxx")), ["at most 3", "at most 5"]);
    let some = "paramRef: {selector: {matchLabels: {is: limits-b}}, parameterNotFoundAction: Deny}";
    assert_eq!(denial_messages(&judged(spec, some, "a: xxxxxx")), ["at most 5"]);
    let missing = "paramRef: {name: gone, parameterNotFoundAction: Deny}";
    assert_eq!(
        judged(spec, missing, "a: x").denials[0].message(),
        "ValidatingAdmissionPolicy 'p' with binding 'b' denied request: failed to configure binding: no params found for policy binding with `Deny` parameterNotFoundAction"
    );
    assert!(
        judged(spec, "paramRef: {name: gone, parameterNotFoundAction: Allow}", "a: xxxxxx")
            .admits()
    );
    let without =
        "paramKind: {apiVersion: v1, kind: ConfigMap}, validations: [{expression: params == null}]";
    assert!(judged(without, "", "").admits());
}

#[test]
fn parameters_that_cannot_be_are_told() {
    let spec = |kind: &str| {
        format!("paramKind: {{apiVersion: {kind}}}, validations: [{{expression: 'true'}}]")
    };
    let deny =
        |more: &str| format!("paramRef: {{name: limits, {more} parameterNotFoundAction: Deny}}");
    let unknown = judged(&spec("example.com/v1, kind: Nope"), &deny(""), "");
    assert_eq!(
        unknown.denials[0].message(),
        "ValidatingAdmissionPolicy 'p' denied request: failed to configure policy: failed to find resource referenced by paramKind: 'example.com/v1, Kind=Nope'"
    );
    let wide = judged(&spec("v1, kind: Namespace"), &deny("namespace: test,"), "");
    assert_eq!(
        denial_messages(&wide),
        [
            "failed to configure binding: paramRef.namespace must not be provided for a cluster-scoped `paramKind`"
        ]
    );
    let ignored = format!("failurePolicy: Ignore, {}", spec("example.com/v1, kind: Nope"));
    assert!(judged(&ignored, &deny(""), "").admits());
}

#[test]
fn annotations_are_gathered() {
    let spec = "auditAnnotations: [{key: k, valueExpression: \"' v ' + object.data.a\"}, {key: n, valueExpression: 'null'}, {key: e, valueExpression: \"'  '\"}]";
    let result = judged(spec, "", "a: b");
    assert_eq!(result.annotations, [("p/k".into(), "v b".into())]);
    let spec = "paramKind: {apiVersion: v1, kind: ConfigMap}, auditAnnotations: [{key: k, valueExpression: params.metadata.name + ''}, {key: same, valueExpression: \"'x'\"}]";
    let result = judged(spec, "paramRef: {selector: {}, parameterNotFoundAction: Deny}", "");
    let expected = [("p/k", "limits, limits-b"), ("p/same", "x")];
    let expected: Vec<(String, String)> =
        expected.iter().map(|(key, value)| ((*key).into(), (*value).into())).collect();
    assert_eq!(result.annotations, expected);
    let failing = "auditAnnotations: [{key: k, valueExpression: string(object.data.nope)}]";
    assert_eq!(
        denial_messages(&judged(failing, "validationActions: [Audit]", "")),
        ["expression 'string(object.data.nope)' resulted in error: no such key: nope"],
        "whatever the binding does"
    );
    assert!(judged(&format!("failurePolicy: Ignore, {failing}"), "", "").admits());
}

const L: &str = "[0,1,2,3,4,5,6,7,8,9]";

fn nested(depth: usize) -> String {
    match depth {
        0 => "true".into(),
        _ => format!("{L}.all(x{depth}, {})", nested(depth - 1)),
    }
}

#[test]
fn hostile_expressions_end() {
    let one = format!("validations: [{{expression: '{}'}}]", nested(7));
    let result = judged(&one, "", "");
    let error = "resulted in error: operation cancelled: actual cost limit exceeded";
    assert!(denial_messages(&result)[0].ends_with(error), "{result:?}");
    let many: Vec<String> = (0..40).map(|_| format!("{{expression: '{}'}}", nested(5))).collect();
    let result = judged(&format!("validations: [{}]", many.join(", ")), "", "");
    let out = "validation failed due to running out of cost budget, no further validation rules will be run";
    assert_eq!(denial_messages(&result), [out]);
    assert_eq!(result.checks[0].error, "out_of_budget");
    let conditions: Vec<String> =
        (0..12).map(|index| format!("{{name: n{index}, expression: '{}'}}", nested(5))).collect();
    let spec = format!(
        "matchConditions: [{}], validations: [{{expression: 'true'}}]",
        conditions.join(", ")
    );
    assert_eq!(denial_messages(&judged(&spec, "", "")), [out]);
    assert!(judged(&format!("failurePolicy: Ignore, {spec}"), "", "").admits());
}

/// Variables that build on one another, each inside so many brackets, and a validation for each index.
fn chain(count: usize, brackets: usize, validations: &[usize]) -> String {
    let (open, close) = ("[".repeat(brackets), "]".repeat(brackets));
    let mut variables = vec![String::from("{name: v0, expression: object.data}")];
    for at in 1..count {
        let before = at - 1;
        variables.push(format!("{{name: v{at}, expression: '{open}variables.v{before}{close}'}}"));
    }
    let validation = |at: &usize| format!("{{expression: 'variables.v{at} == variables.v{at}'}}");
    let validations: Vec<String> = validations.iter().map(validation).collect();
    format!("variables: [{}], validations: [{}]", variables.join(", "), validations.join(", "))
}

#[test]
fn variables_that_build_on_one_another_do_not_need_more_stack_than_there_is() {
    assert_eq!(judged(&chain(60, 0, &[59]), "", "a: b"), PolicyResult::default());
    assert_eq!(judged(&chain(4, 30, &[3]), "", "a: b"), PolicyResult::default());
    for (count, brackets) in [(5_000, 0), (400, 60), (200, 120)] {
        let result = judged(&chain(count, brackets, &[count - 1]), "", "a: b");
        assert!(denial_messages(&result)[0].contains("nested too deeply"), "{count}");
    }
    // Each variable is evaluated after the one before it: what grows is the value.
    let (all, count): (Vec<usize>, usize) = ((0..200).collect(), 200);
    let result = judged(&chain(count, 100, &all), "", "a: b");
    assert!(
        denial_messages(&result)[0].contains("value is nested deeper than 428 levels"),
        "{result:?}"
    );
}

#[test]
fn the_request_is_seen() {
    let message = "request.operation + ' ' + request.kind.kind + ' ' + request.resource.resource + ' ' + request.namespace + '/' + request.name + ' ' + request.userInfo.username + ' ' + request.userInfo.groups[0] + ' ' + string(request.dryRun) + string(has(request.subResource)) + ' ' + namespaceObject.metadata.labels.env + namespaceObject.status.phase + string(has(dyn(namespaceObject.metadata).managedFields))";
    let spec = format!("validations: [{{expression: 'false', messageExpression: \"{message}\"}}]");
    assert_eq!(
        denial_messages(&judged(&spec, "", "")),
        ["CREATE ConfigMap configmaps test/c alice devs falsefalse testActivefalse"]
    );
}

#[test]
fn old_objects_make_ratchets() {
    let spec = "validations: [{expression: \"!has(object.data.bad) || (oldObject != null && has(oldObject.data.bad))\"}]";
    let policies = Policies::new(vec![policy(spec)], vec![binding("")]);
    let user = alice();
    let (good, bad) = (map("a: b"), map("bad: x"));
    let update = |old, new| {
        let attributes =
            Attributes { operation: Operation::Update, old: Some(old), ..creation(&user, new) };
        policies.judge(&attributes, &Cluster).admits()
    };
    assert!(!policies.judge(&creation(&user, &bad), &Cluster).admits());
    assert!(!update(&good, &bad));
    assert!(update(&bad, &bad));
    assert!(update(&bad, &good));
}

#[test]
fn nobody_is_asked_about_policies_and_questions() {
    let everything = "matchConstraints: {resourceRules: [{apiGroups: ['*'], apiVersions: ['*'], resources: ['*/*'], operations: ['*']}]}, validations: [{expression: 'false'}]";
    let policies = Policies::new(vec![policy(everything)], vec![binding("")]);
    let (user, object) = (alice(), map(""));
    let judge = |group, resource| {
        let resource = GroupVersionResource { group, version: "v1", resource };
        let attributes = Attributes { resource, namespace: "", ..creation(&user, &object) };
        policies.judge(&attributes, &Cluster).admits()
    };
    let group = "admissionregistration.k8s.io";
    assert!(judge(group, "validatingadmissionpolicies"));
    assert!(judge(group, "mutatingadmissionpolicybindings"));
    assert!(judge("authentication.k8s.io", "tokenreviews"));
    assert!(!judge(group, "validatingwebhookconfigurations"));
    assert!(!judge("", "configmaps"));
}

#[test]
fn an_object_is_seen_in_the_version_that_was_asked_for() {
    let spec = "matchConstraints: {RULE}, validations: [{expression: 'false', messageExpression: \"object.apiVersion + ' ' + request.kind.version + ' ' + request.requestKind.version\"}]";
    let rule = "resourceRules: [{apiGroups: [autoscaling], apiVersions: [v2], resources: [horizontalpodautoscalers], operations: ['*']}]";
    let user = alice();
    let object =
        node("{apiVersion: autoscaling/v1, kind: HorizontalPodAutoscaler, metadata: {name: h}}");
    let attributes = Attributes {
        kind: GroupVersionKind {
            group: "autoscaling",
            version: "v1",
            kind: "HorizontalPodAutoscaler",
        },
        resource: GroupVersionResource {
            group: "autoscaling",
            version: "v1",
            resource: "horizontalpodautoscalers",
        },
        ..creation(&user, &object)
    };
    let judge = |spec: &str| {
        Policies::new(vec![policy(spec)], vec![binding("")]).judge(&attributes, &Cluster)
    };
    assert_eq!(denial_messages(&judge(&spec.replace("RULE", rule))), ["autoscaling/v2 v2 v1"]);
    let exact = spec.replace("RULE", &format!("matchPolicy: Exact, {rule}"));
    assert!(judge(&exact).admits());
}

#[test]
fn a_missing_namespace_is_told() {
    let policies =
        Policies::new(vec![policy("validations: [{expression: 'true'}]")], vec![binding("")]);
    let (user, object) = (alice(), map(""));
    let attributes = Attributes { namespace: "gone", kind: CONFIG_MAP, ..creation(&user, &object) };
    let result = policies.judge(&attributes, &Cluster);
    assert_eq!(result.missing_namespace.as_deref(), Some("gone"));
    assert!(!result.admits());
}

#[test]
fn resources_that_no_policy_looks_at_are_known_by_their_names() {
    let rules = |rules: &str| {
        let text = format!(
            "{{metadata: {{name: p}}, spec: {{matchConstraints: {{resourceRules: [{rules}]}}, validations: [{{expression: 'false'}}]}}}}"
        );
        let policy = alloc::sync::Arc::new(crate::Policy::compile(&node(&text), (1, 36)));
        let bound = node("{metadata: {name: b}, spec: {policyName: p, validationActions: [Deny]}}");
        Policies::new(
            vec![policy],
            vec![alloc::sync::Arc::new(crate::Binding::from_object(&bound))],
        )
    };
    let pods = rules(
        "{apiGroups: [''], apiVersions: [v1], operations: [CREATE], resources: [pods/status]}",
    );
    assert!(
        pods.look_at("", "pods") && !pods.look_at("", "services") && !pods.look_at("x", "pods")
    );
    let all =
        rules("{apiGroups: ['*'], apiVersions: ['*'], operations: ['*'], resources: ['*/*']}");
    assert!(all.look_at("apps", "deployments"));
    assert!(!all.look_at("admissionregistration.k8s.io", "validatingadmissionpolicies"));
    assert!(rules("").look_at("", "pods"));
    assert!(!Policies::default().look_at("", "pods"));
}
