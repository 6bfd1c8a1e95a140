//! Tests of mutating webhooks: patches, versions, failures and reinvocation.

use crate::testing::{
    Round, creation, map, mutate_with, node, patching, review, status_text, webhooks,
};
use crate::{AdmissionType, Answer, AuditLevel, ReinvocationContext, WebhookCall, Webhooks};
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use proptest::prelude::*;
use ratchet_access::User;
use ratchet_object::Node;
use ratchet_policy::{Attributes, GroupVersionKind, GroupVersionResource, Operation};

type Script<'s> = &'s dyn Fn(&WebhookCall, &Node<'_>) -> Answer;

fn mutating(fields: &[&str]) -> Webhooks {
    webhooks(AdmissionType::Mutating, fields)
}

fn allow(call: &WebhookCall) -> Answer {
    review(call, r#""allowed":true"#)
}

/// One round for a new ConfigMap with `k: v`.
fn round(fields: &[&str], script: Script<'_>) -> Round {
    let (user, object) = (User::anonymous(), map("k: v"));
    let mut reinvocation = ReinvocationContext::default();
    let attributes = creation(&user, &object);
    mutate_with(&mutating(fields), &attributes, Some(object.clone()), &mut reinvocation, script)
}

/// The `data` in the end, or what the client is status_text.
fn outcome(fields: &str, script: Script<'_>) -> Result<String, String> {
    let (user, object) = (User::anonymous(), map(""));
    let result = round(&[fields], script).result;
    let data = |object: Option<Node<'static>>| {
        object.as_ref().and_then(|object| object.get("data")).map(Node::to_json).unwrap_or_default()
    };
    result.map(data).map_err(|rejection| status_text(&rejection, &creation(&user, &object)))
}

fn after(patch: &str) -> Result<String, String> {
    outcome("", &|call, _| patching(call, patch))
}

#[test]
fn patches_are_applied_decoded_and_defaulted() {
    for (patch, data) in [
        (r#"[{"op":"add","path":"/data/l","value":"x"}]"#, r#"{"k":"v","l":"x"}"#),
        (r#"[{"op":"replace","path":"/data/new","value":"x"}]"#, r#"{"k":"v","new":"x"}"#),
        (r#"[{"op":"add","path":"/nope","value":1}]"#, r#"{"k":"v"}"#),
        ("[]", r#"{"k":"v"}"#),
        ("null", r#"{"k":"v"}"#),
    ] {
        assert_eq!(after(patch), Ok(data.to_string()), "{patch}");
    }
}

#[test]
fn a_patch_that_does_not_apply_is_an_internal_error_whatever_the_policy() {
    for (patch, text) in [
        (
            r#"[{"op":"test","path":"/data/k","value":"x"}]"#,
            "testing value /data/k failed: test failed",
        ),
        (
            r#"[{"op":"replace","path":"/data/nope/deep","value":1}]"#,
            "replace operation does not apply: doc is missing path: /data/nope/deep: missing value",
        ),
        (
            r#"[{"op":"remove","path":"/data/nope"}]"#,
            "error in remove for path: '/data/nope': Unable to remove nonexistent key: nope: missing value",
        ),
        (r#"[{"op":"merge","path":"/data"}]"#, "Unexpected kind: merge"),
        (
            r#"[{"op":"add","path":"/data/l","value":1}]"#,
            "json: cannot unmarshal number into Go struct field ConfigMap.data of type string",
        ),
        (
            r#"[{"op":"replace","path":"/apiVersion","value":"v7"}]"#,
            r#"no kind "ConfigMap" is registered for version "v7" in scheme "pkg/api/legacyscheme/scheme.go:30""#,
        ),
    ] {
        let expected = Err(format!("500 InternalError: Internal error occurred: {text}"));
        assert_eq!(after(patch), expected);
        let ignored = outcome("failurePolicy: Ignore", &|call, _| patching(call, patch));
        assert_eq!(ignored, expected);
    }
    let renamed =
        after(r#"[{"op":"replace","path":"/kind","value":"Pod"},{"op":"remove","path":"/data"}]"#);
    assert_eq!(
        renamed,
        Err("500 : converting (v1.Pod) to (core.ConfigMap): unknown conversion".to_string())
    );
}

#[test]
fn answers_that_are_no_patches_are_failures_of_the_call() {
    const FAILED: &str =
        "500 InternalError: Internal error occurred: failed calling webhook \"m0.x.y\": ";
    type Scripted = fn(&WebhookCall) -> Answer;
    let cases: [(Scripted, &str); 6] = [
        (
            |call| review(call, r#""allowed":true,"patch":"W10=""#),
            "received invalid webhook response: webhook returned response.patch but not response.patchType",
        ),
        (
            |call| review(call, r#""allowed":true,"patchType":"JSONPatch""#),
            "received invalid webhook response: webhook returned response.patchType but not response.patch",
        ),
        (
            |call| review(call, r#""allowed":true,"patchType":"","patch":"W10=""#),
            "received invalid webhook response: webhook returned invalid response.patchType of \"\"",
        ),
        (
            |call| review(call, r#""allowed":true,"patchType":"MergePatch","patch":"W3t9XQ==""#),
            "unsupported patch type \"MergePatch\"",
        ),
        (
            |call| patching(call, "{}"),
            "received undecodable patch in webhook response: json: cannot unmarshal object into Go value of type jsonpatch.Patch",
        ),
        (
            |call| patching(call, "[{"),
            "received undecodable patch in webhook response: unexpected end of JSON input",
        ),
    ];
    for (script, text) in cases {
        assert_eq!(outcome("", &|call, _| script(call)), Err(format!("{FAILED}{text}")));
        let ignored = outcome("failurePolicy: Ignore", &|call, _| script(call));
        assert_eq!(ignored, Ok(r#"{"k":"v"}"#.to_string()));
    }
}

#[test]
fn a_deletion_has_nothing_to_patch() {
    let (user, old) = (User::anonymous(), map("k: v"));
    let attributes = Attributes {
        operation: Operation::Delete,
        object: None,
        old: Some(&old),
        ..creation(&user, &old)
    };
    let run = |patch: &str| {
        let mut reinvocation = ReinvocationContext::default();
        let script = |call: &WebhookCall, _: &Node<'_>| patching(call, patch);
        mutate_with(&mutating(&[""]), &attributes, None, &mut reinvocation, &script)
    };
    let changed = run(r#"[{"op":"add","path":"/data/l","value":"x"}]"#);
    assert_eq!(
        status_text(&changed.result.unwrap_err(), &attributes),
        "500 InternalError: Internal error occurred: admission webhook \"m0.x.y\" attempted to modify the object, which is not supported for this operation"
    );
    let unchanged = run("[]");
    assert_eq!(unchanged.result, Ok(None));
    let request = unchanged.bodies[0].get("request").unwrap();
    assert!(request.get("object").is_some_and(Node::is_null));
    assert_eq!(request.text_at(&["oldObject", "kind"]), "ConfigMap");
}

#[test]
fn each_sees_the_result_of_the_one_before() {
    let label = r#"[{"op":"add","path":"/metadata/labels/l","value":"2"}]"#;
    let script = |call: &WebhookCall, body: &Node<'_>| match call.webhook().name() {
        "m0.x.y" => patching(call, label),
        "m2.x.y" => {
            let seen = body.text_at(&["request", "object", "metadata", "labels", "l"]);
            patching(call, &format!(r#"[{{"op":"add","path":"/data/seen","value":"{seen}"}}]"#))
        }
        _ => allow(call),
    };
    let fields = [
        "",
        "objectSelector: {matchLabels: {l: '1'}}",
        "matchConditions: [{name: a, expression: \"object.metadata.labels.l == '2'\"}]",
    ];
    let done = round(&fields, &script);
    assert_eq!(done.called, ["m0.x.y", "m2.x.y"], "the second one does not match any more");
    let object = done.result.unwrap().unwrap();
    assert_eq!(object.get("data").unwrap().to_json(), r#"{"k":"v","seen":"2"}"#);
    let annotations: Vec<(&str, &str, AuditLevel)> = done
        .report
        .annotations
        .iter()
        .map(|one| (one.key.as_str(), one.value.as_str(), one.level))
        .collect();
    assert_eq!(
        annotations[..3],
        [
            (
                "patch.webhook.admission.k8s.io/round_0_index_0",
                r#"{"configuration":"c","webhook":"m0.x.y","patch":[{"op":"add","path":"/metadata/labels/l","value":"2"}],"patchType":"JSONPatch"}"#,
                AuditLevel::Request
            ),
            (
                "mutation.webhook.admission.k8s.io/round_0_index_0",
                r#"{"configuration":"c","webhook":"m0.x.y","mutated":true}"#,
                AuditLevel::Metadata
            ),
            (
                "patch.webhook.admission.k8s.io/round_0_index_2",
                r#"{"configuration":"c","webhook":"m2.x.y","patch":[{"op":"add","path":"/data/seen","value":"2"}],"patchType":"JSONPatch"}"#,
                AuditLevel::Request
            ),
        ]
    );
}

#[test]
fn a_denial_ends_the_chain() {
    let script = |call: &WebhookCall, _: &Node<'_>| {
        review(
            call,
            r#""allowed":false,"status":{"message":"no"},"patchType":"JSONPatch","patch":"W10=""#,
        )
    };
    let done = round(&["", ""], &script);
    assert_eq!(done.called, ["m0.x.y"]);
    assert_eq!(done.result.unwrap_err().reason(), "");
    let rejection = &done.report.observations[0];
    assert_eq!(rejection.metric, "apiserver_admission_webhook_rejection_count");
    assert_eq!(rejection.labels[4], ("type", "admit".into()));
}

#[test]
fn failures_that_are_ignored_are_told_to_the_audit_log() {
    let script = |call: &WebhookCall, _: &Node<'_>| match call.webhook().name() {
        "m0.x.y" => Answer::Unreachable { url: call.url(1), reason: "EOF".into() },
        _ => allow(call),
    };
    let done = round(&["failurePolicy: Ignore", ""], &script);
    assert_eq!(done.called, ["m0.x.y", "m1.x.y"]);
    assert!(done.result.is_ok());
    let keys: Vec<&str> = done.report.annotations.iter().map(|one| one.key.as_str()).collect();
    assert_eq!(
        keys,
        [
            "mutation.webhook.admission.k8s.io/round_0_index_0",
            "failed-open.mutation.webhook.admission.k8s.io/round_0_index_0",
            "mutation.webhook.admission.k8s.io/round_0_index_1",
        ]
    );
}

#[test]
fn versions_change_between_calls() {
    let (user, object) = (
        User::anonymous(),
        node(
            "{apiVersion: autoscaling/v2, kind: HorizontalPodAutoscaler, metadata: {name: a, namespace: test}}",
        ),
    );
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
    let rules = |version: &str| {
        format!(
            "rules: [{{apiGroups: [autoscaling], apiVersions: [{version}], resources: ['*'], operations: ['*']}}]"
        )
    };
    let script = |call: &WebhookCall, body: &Node<'_>| {
        let version = body.text_at(&["request", "object", "apiVersion"]).replace('/', "~1");
        patching(
            call,
            &format!(
                r#"[{{"op":"add","path":"/metadata/annotations","value":{{"seen":"{version}"}}}}]"#
            ),
        )
    };
    let fields = [rules("v1"), rules("v2"), rules("v1")];
    let hooks = mutating(&fields.each_ref().map(String::as_str));
    let mut reinvocation = ReinvocationContext::default();
    let done = mutate_with(&hooks, &attributes, Some(object.clone()), &mut reinvocation, &script);
    let versions: Vec<&str> =
        done.bodies.iter().map(|body| body.text_at(&["request", "object", "apiVersion"])).collect();
    assert_eq!(versions, ["autoscaling/v1", "autoscaling/v2", "autoscaling/v1"]);
    let object = done.result.unwrap().unwrap();
    assert_eq!(object.text_at(&["apiVersion"]), "autoscaling/v2");
    assert_eq!(object.text_at(&["metadata", "annotations", "seen"]), "autoscaling~1v1");
}

/// The names that are called in both rounds, and the `data` in the end.
fn both_rounds(fields: &[&str], script: Script<'_>) -> (Vec<Vec<String>>, String) {
    let user = User::anonymous();
    let hooks = mutating(fields);
    let mut object = map("k: v");
    let mut reinvocation = ReinvocationContext::default();
    let mut rounds = Vec::new();
    loop {
        let seen = object.clone();
        let attributes = creation(&user, &seen);
        let done = mutate_with(&hooks, &attributes, Some(object), &mut reinvocation, script);
        object = done.result.unwrap().unwrap();
        rounds.push(done.called);
        if !reinvocation.begin_reinvocation() {
            return (rounds, object.get("data").map(Node::to_json).unwrap_or_default());
        }
    }
}

/// Adds the letter `x` to the member that the webhook's name begins with.
fn append(call: &WebhookCall, body: &Node<'_>) -> Answer {
    let member = call.webhook().name().split('.').next().unwrap_or_default();
    let before = body.text_at(&["request", "object", "data", member]);
    patching(call, &format!(r#"[{{"op":"add","path":"/data/{member}","value":"{before}x"}}]"#))
}

#[test]
fn reinvocation() {
    const AGAIN: &str = "reinvocationPolicy: IfNeeded";
    let names = |rounds: &[&[&str]]| -> Vec<Vec<String>> {
        rounds
            .iter()
            .map(|round| round.iter().map(|name| format!("{name}.x.y")).collect())
            .collect()
    };
    let (rounds, data) = both_rounds(&[AGAIN], &append);
    assert_eq!(rounds, names(&[&["m0"], &[]]), "its own change alone is no reason");
    assert_eq!(data, r#"{"k":"v","m0":"x"}"#);
    let (rounds, data) = both_rounds(&[AGAIN, ""], &append);
    assert_eq!(rounds, names(&[&["m0", "m1"], &["m0"]]));
    assert_eq!(data, r#"{"k":"v","m0":"xx","m1":"x"}"#);
    let (rounds, _) = both_rounds(&["", AGAIN], &append);
    assert_eq!(rounds, names(&[&["m0", "m1"], &[]]), "nothing changed after it");
    let (rounds, data) = both_rounds(&[AGAIN, AGAIN], &append);
    assert_eq!(
        rounds,
        names(&[&["m0", "m1"], &["m0", "m1"]]),
        "the change of the second round counts"
    );
    assert_eq!(data, r#"{"k":"v","m0":"xx","m1":"xx"}"#);
    let (rounds, _) = both_rounds(&[AGAIN, ""], &|call, _| allow(call));
    assert_eq!(rounds, names(&[&["m0", "m1"]]), "no change, no second round");
    let late = "reinvocationPolicy: IfNeeded, matchConditions: [{name: a, expression: \"'m1' in object.data\"}]";
    let (rounds, _) = both_rounds(&[late, ""], &append);
    assert_eq!(
        rounds,
        names(&[&["m1"], &[]]),
        "who was not called in the first round is not in the second"
    );
    let early = "reinvocationPolicy: IfNeeded, matchConditions: [{name: a, expression: \"!('m1' in object.data)\"}]";
    let (rounds, _) = both_rounds(&[early, ""], &append);
    assert_eq!(rounds, names(&[&["m0", "m1"], &[]]), "who does not match any more is not called");
}

#[test]
fn what_others_change_calls_again() {
    let (user, object) = (User::anonymous(), map("k: v"));
    let attributes = creation(&user, &object);
    let hooks = mutating(&["reinvocationPolicy: IfNeeded", ""]);
    let script = |call: &WebhookCall, _: &Node<'_>| allow(call);
    let run = |reinvocation: &mut ReinvocationContext, object: &Node<'static>| {
        mutate_with(&hooks, &attributes, Some(object.clone()), reinvocation, &script).called
    };
    let mut reinvocation = ReinvocationContext::default();
    assert_eq!(run(&mut reinvocation, &object).len(), 2);
    reinvocation.set_should_reinvoke();
    assert!(reinvocation.begin_reinvocation());
    assert_eq!(run(&mut reinvocation, &map("k: other")), ["m0.x.y"]);
    let mut reinvocation = ReinvocationContext::default();
    run(&mut reinvocation, &object);
    reinvocation.set_should_reinvoke();
    assert!(reinvocation.begin_reinvocation());
    assert!(run(&mut reinvocation, &object).is_empty());
}

#[test]
fn with_fresh_times_every_patch_is_a_change() {
    let (user, object) = (User::anonymous(), map("k: v"));
    let attributes = creation(&user, &object);
    let hooks = mutating(&["reinvocationPolicy: IfNeeded", ""]);
    let script = |call: &WebhookCall, _: &Node<'_>| {
        patching(call, r#"[{"op":"add","path":"/data/k","value":"v"}]"#)
    };
    for has_fresh_times in [true, false] {
        let mut reinvocation = ReinvocationContext::new(has_fresh_times);
        mutate_with(&hooks, &attributes, Some(object.clone()), &mut reinvocation, &script);
        assert_eq!(reinvocation.begin_reinvocation(), has_fresh_times);
    }
}

proptest! {
    /// Whatever a webhook answers, the dispatch ends, and a failure that is ignored leaves the object alone.
    #[test]
    fn any_answer_is_survived(body in "\\PC{0,80}", status in 100_u16..600, ignores in any::<bool>()) {
        let fields = if ignores { "failurePolicy: Ignore" } else { "" };
        let answer = Answer::Response {
            status,
            content_type: String::new(),
            body: body.clone().into_bytes(),
        };
        let done = round(&[fields], &|_, _| answer.clone());
        prop_assert_eq!(done.called.len(), 1);
        match done.result {
            Ok(object) => prop_assert_eq!(object, Some(map("k: v"))),
            Err(_) => prop_assert!(!ignores),
        }
    }

    /// A well-formed review with any patch either changes the object, fails, or does nothing; it never panics.
    #[test]
    fn any_patch_is_survived(op in "(add|remove|replace|move|copy|test|x)", path in "(/[a-z0-9~-]{0,4}){0,4}", from in "(/[a-z0-9]{0,4}){0,3}", value in "(1|\"x\"|\\{\\}|\\[\\]|null)") {
        let patch = format!(r#"[{{"op":"{op}","path":"{path}","from":"{from}","value":{value}}}]"#);
        let done = round(&[""], &|call, _| patching(call, &patch));
        if let Err(rejection) = done.result {
            prop_assert_eq!(rejection.code(), 500);
        }
    }
}
