//! Tests of validating webhooks: whom they are sent to, what they are sent, and what their answers mean.

use crate::testing::{Cluster, answered, creation, map, node, review, validate_with, webhooks};
use crate::{AdmissionType, Answer, Context, ValidatingDispatch, WebhookCall, Webhooks};
use alloc::borrow::ToOwned;
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use ratchet_access::User;
use ratchet_object::Node;
use ratchet_policy::{Attributes, GroupVersionKind, GroupVersionResource, Operation};

fn validating(fields: &[&str]) -> Webhooks {
    webhooks(AdmissionType::Validating, fields)
}

fn allow(call: &WebhookCall) -> Answer {
    review(call, r#""allowed":true"#)
}

fn alice() -> User {
    User {
        name: "alice".into(),
        groups: alloc::vec!["devs".into()],
        extra: alloc::vec![("b".into(), alloc::vec!["2".into()]), ("a".into(), Vec::new())],
        ..User::default()
    }
}

/// What the client is status_text if the only webhook, with these fields, answers so.
fn outcome_with(fields: &str, script: &dyn Fn(&WebhookCall) -> Answer) -> Option<String> {
    let (user, object) = (alice(), map("k: v"));
    validate_with(&validating(&[fields]), &creation(&user, &object), script).1
}

fn status_text(script: &dyn Fn(&WebhookCall) -> Answer) -> Option<String> {
    outcome_with("", script)
}

#[test]
fn a_review_has_the_bytes_of_the_reference() {
    let (user, object) = (alice(), map("k: v"));
    let options = node("{kind: CreateOptions, apiVersion: meta.k8s.io/v1, fieldManager: m}");
    let attributes = Attributes { options: Some(&options), ..creation(&user, &object) };
    let cluster = Cluster::default();
    let new_uid = || "u-1".to_owned();
    let context = Context {
        attributes: &attributes,
        objects: &cluster,
        new_uid: &new_uid,
        is_overdue: false,
    };
    let (_, calls) = ValidatingDispatch::start(&validating(&[""]), &context).unwrap();
    assert_eq!(
        calls[0].body(),
        concat!(
            r#"{"kind":"AdmissionReview","apiVersion":"admission.k8s.io/v1","request":{"uid":"u-1","#,
            r#""kind":{"group":"","version":"v1","kind":"ConfigMap"},"resource":{"group":"","version":"v1","resource":"configmaps"},"#,
            r#""requestKind":{"group":"","version":"v1","kind":"ConfigMap"},"requestResource":{"group":"","version":"v1","resource":"configmaps"},"#,
            r#""name":"a","namespace":"test","operation":"CREATE","userInfo":{"username":"alice","groups":["devs"],"extra":{"a":[],"b":["2"]}},"#,
            r#""object":{"kind":"ConfigMap","apiVersion":"v1","metadata":{"name":"a","namespace":"test","labels":{"l":"1"}},"data":{"k":"v"}},"#,
            r#""oldObject":null,"dryRun":false,"options":{"kind":"CreateOptions","apiVersion":"meta.k8s.io/v1","fieldManager":"m"}}}"#,
            "\n"
        )
    );
    assert_eq!(calls[0].timeout_seconds(None), 10);
    assert_eq!(calls[0].timeout_seconds(Some(2_500_000_000)), 3);
}

#[test]
fn subresources_namespaces_and_older_reviews() {
    let (user, object) =
        (User::anonymous(), node("{apiVersion: v1, kind: Namespace, metadata: {name: new}}"));
    let attributes = Attributes {
        operation: Operation::Update,
        kind: GroupVersionKind { group: "", version: "v1", kind: "Namespace" },
        resource: GroupVersionResource { group: "", version: "v1", resource: "namespaces" },
        subresource: "status",
        name: "new",
        namespace: "",
        old: Some(&object),
        ..creation(&user, &object)
    };
    let hooks = validating(&[
        "admissionReviewVersions: [v7, v1beta1, v1], rules: [{apiGroups: [''], apiVersions: [v1], resources: ['*/status'], operations: [UPDATE]}]",
    ]);
    let (bodies, status_text, _) = validate_with(&hooks, &attributes, &|_| {
        answered(
            r#"{"apiVersion":"admission.k8s.io/v1beta1","response":{"uid":"other","allowed":true,"patchType":"JSONPatch"}}"#,
        )
    });
    assert_eq!(status_text, None, "v1beta1 checks nothing");
    assert_eq!(bodies[0].text_at(&["apiVersion"]), "admission.k8s.io/v1beta1");
    let request = |name: &str| bodies[0].text_at(&["request", name]).to_owned();
    assert_eq!((request("namespace"), request("subResource")), ("new".into(), "status".into()));
    assert_eq!(request("requestSubResource"), "status");
}

#[test]
fn denials_have_the_status_of_the_webhook() {
    const DENIED: &str = "admission webhook \"m0.x.y\" denied the request";
    for (status, expected) in [
        ("null", format!("400 : {DENIED} without explanation")),
        ("{}", format!("400 : {DENIED} without explanation")),
        (r#"{"reason":"Expired"}"#, format!("400 Expired: {DENIED}: Expired")),
        (r#"{"message":"fine?","code":200}"#, format!("400 : {DENIED}: fine?")),
        (r#"{"status":"Success","message":"yes and no"}"#, format!("400 : {DENIED}: yes and no")),
        (
            r#"{"message":"no","reason":"TooManyRequests","code":429}"#,
            format!("429 TooManyRequests: {DENIED}: no"),
        ),
        (r#"{"message":"no","code":999}"#, format!("999 : {DENIED}: no")),
    ] {
        let answer =
            |call: &WebhookCall| review(call, &format!(r#""allowed":false,"status":{status}"#));
        assert_eq!(status_text(&answer), Some(expected.clone()), "{status}");
        assert_eq!(outcome_with("failurePolicy: Ignore", &answer), Some(expected), "{status}");
    }
    let (user, object) = (alice(), map(""));
    let attributes = creation(&user, &object);
    let cluster = Cluster::default();
    let new_uid = || "u".to_owned();
    let context = Context {
        attributes: &attributes,
        objects: &cluster,
        new_uid: &new_uid,
        is_overdue: false,
    };
    let (mut dispatch, calls) = ValidatingDispatch::start(&validating(&[""]), &context).unwrap();
    let status = r#"{"metadata":{"resourceVersion":"7","x":1},"code":429,"message":"m","details":{"retryAfterSeconds":7,"causes":[{"field":"f","y":2}],"kind":"k"},"unknown":1}"#;
    dispatch.answer(&calls[0], review(&calls[0], &format!(r#""status":{status}"#)), &context);
    let rejection = dispatch.finish().0.unwrap();
    assert_eq!(
        rejection.status(&attributes).to_json(),
        format!(
            r#"{{"kind":"Status","apiVersion":"v1","metadata":{{"resourceVersion":"7"}},"status":"Failure","message":"{}: m","details":{{"kind":"k","causes":[{{"field":"f"}}],"retryAfterSeconds":7}},"code":429}}"#,
            DENIED.replace('"', "\\\"")
        )
    );
}

#[test]
fn failures_of_calls_have_the_words_of_the_reference() {
    const FAILED: &str =
        "500 InternalError: Internal error occurred: failed calling webhook \"m0.x.y\": ";
    type Script = fn(&WebhookCall) -> Answer;
    let cases: [(Script, &str); 12] = [
        (
            |call| Answer::Unreachable {
                url: call.url(10),
                reason: "dial tcp 127.0.0.1:9: connect: connection refused".into(),
            },
            "failed to call webhook: Post \"https://127.0.0.1:9/hook?timeout=10s\": dial tcp 127.0.0.1:9: connect: connection refused",
        ),
        (
            |call| Answer::Unreachable {
                url: call.url(1),
                reason: "context deadline exceeded".into(),
            },
            "failed to call webhook: Post \"https://127.0.0.1:9/hook?timeout=1s\": context deadline exceeded",
        ),
        (
            |_| {
                Answer::NoClient(
                    "unable to load root certificates: unable to parse bytes as PEM block".into(),
                )
            },
            "could not get REST client: unable to load root certificates: unable to parse bytes as PEM block",
        ),
        (
            |_| answered("{not json"),
            "failed to call webhook: couldn't get version/kind; json parse error: invalid character 'n' looking for beginning of object key string",
        ),
        (
            |_| answered(r#"{"apiVersion":"admission.k8s.io/v1","kind":"AdmissionReview"}"#),
            "received invalid webhook response: webhook response was absent",
        ),
        (
            |_| answered(r#"{"response":{"allowed":true}}"#),
            "received invalid webhook response: expected response.uid=\"u-1\", got \"\"",
        ),
        (
            |call| {
                answered(&format!(r#"{{"response":{{"uid":"{}","allowed":true}}}}"#, call.uid()))
            },
            "received invalid webhook response: expected webhook response of admission.k8s.io/v1, Kind=AdmissionReview, got /, Kind=",
        ),
        (
            |call| {
                answered(&format!(
                    r#"{{"apiVersion":"admission.k8s.io/v1","response":{{"uid":"{}"}}}}"#,
                    call.uid()
                ))
            },
            "received invalid webhook response: expected webhook response of admission.k8s.io/v1, Kind=AdmissionReview, got admission.k8s.io/v1, Kind=",
        ),
        (
            |call| review(call, r#""allowed":true,"patch":"W10=""#),
            "received invalid webhook response: validating webhook may not return response.patch",
        ),
        (
            |call| review(call, r#""allowed":true,"patchType":"JSONPatch""#),
            "received invalid webhook response: validating webhook may not return response.patchType",
        ),
        (
            |_| Answer::Response { status: 404, content_type: String::new(), body: Vec::new() },
            "failed to call webhook: the server could not find the requested resource",
        ),
        (
            |_| Answer::Unreadable("unexpected EOF".into()),
            "failed to call webhook: unexpected error when reading response body. Please retry. Original error: unexpected EOF",
        ),
    ];
    for (script, text) in cases {
        assert_eq!(status_text(&script), Some(format!("{FAILED}{text}")));
        assert_eq!(outcome_with("failurePolicy: Ignore", &script), None, "{text}");
    }
    assert_eq!(
        outcome_with("admissionReviewVersions: [v3]", &allow),
        Some(format!(
            "{FAILED}could not create admission objects: webhook does not accept known AdmissionReview versions (v1, v1beta1)"
        ))
    );
}

#[test]
fn dry_runs_and_side_effects() {
    let (user, object) = (alice(), map(""));
    let attributes = Attributes { dry_run: true, ..creation(&user, &object) };
    let status_text = |fields: &str| validate_with(&validating(&[fields]), &attributes, &allow);
    let (bodies, none, _) = status_text("sideEffects: NoneOnDryRun");
    assert_eq!(
        (none, bodies[0].find(&["request", "dryRun"]).and_then(Node::as_bool)),
        (None, Some(true))
    );
    let (bodies, text, report) = status_text("sideEffects: Some, failurePolicy: Ignore");
    assert!(bodies.is_empty());
    assert_eq!(
        text.as_deref(),
        Some("400 BadRequest: admission webhook \"m0.x.y\" does not support dry run")
    );
    assert_eq!(report.observations[0].labels[0], ("error_type", "apiserver_internal_error".into()));
    let (_, text, _) = status_text("sideEffects: null");
    assert_eq!(
        text.as_deref(),
        Some(
            "500 InternalError: Internal error occurred: failed calling webhook \"m0.x.y\": Webhook SideEffects is nil"
        )
    );
}

#[test]
fn rules_selectors_and_exemptions_decide_who_is_called() {
    let (user, object) = (alice(), map(""));
    let create = creation(&user, &object);
    let called = |fields: &str, attributes: &Attributes<'_>| {
        !validate_with(&validating(&[fields]), attributes, &allow).0.is_empty()
    };
    let rule = |groups: &str, versions: &str, resources: &str, operations: &str, scope: &str| {
        let text = format!(
            "rules: [{{apiGroups: [{groups}], apiVersions: [{versions}], resources: [{resources}], operations: [{operations}], scope: {scope}}}]"
        );
        called(&text, &create)
    };
    assert!(rule("''", "v1", "configmaps", "CREATE", "'*'"));
    assert!(rule("'*'", "'*'", "'*'", "'*'", "Namespaced"));
    assert!(
        rule("'*'", "'*'", "'*/*'", "'*'", "'*'") && rule("''", "v1", "configmaps/*", "'*'", "'*'")
    );
    assert!(!rule("apps", "v1", "configmaps", "CREATE", "'*'"));
    assert!(!rule("''", "v2", "configmaps", "CREATE", "'*'"));
    assert!(!rule("''", "v1", "pods", "CREATE", "'*'"));
    assert!(!rule("''", "v1", "configmaps/status", "CREATE", "'*'"));
    assert!(!rule("''", "v1", "configmaps", "UPDATE, DELETE", "'*'"));
    assert!(!rule("''", "v1", "configmaps", "CREATE", "Cluster"));
    assert!(called("namespaceSelector: {matchLabels: {env: test}}", &create));
    assert!(!called("namespaceSelector: {matchLabels: {env: prod}}", &create));
    assert!(called("objectSelector: {matchLabels: {l: '1'}}", &create));
    assert!(!called("objectSelector: {matchLabels: {l: '2'}}", &create));
    let old = node("{metadata: {labels: {l: '2'}}}");
    let update = Attributes { old: Some(&old), operation: Operation::Update, ..create };
    assert!(
        called("objectSelector: {matchLabels: {l: '2'}}", &update),
        "the old object counts too"
    );
    let connect = Attributes { operation: Operation::Connect, subresource: "exec", ..create };
    let all =
        "rules: [{apiGroups: ['*'], apiVersions: ['*'], resources: ['*/*'], operations: ['*']}],";
    assert!(called(all, &connect));
    assert!(
        !called(
            &format!(
                "{all} objectSelector: {{matchExpressions: [{{key: x, operator: DoesNotExist}}]}}"
            ),
            &connect
        ),
        "options have no labels at all"
    );
    let cluster = Attributes { namespace: "", ..create };
    assert!(called("namespaceSelector: {matchLabels: {env: prod}}", &cluster), "never exempt");
    let gone = Attributes { namespace: "gone", ..create };
    let (_, status_text, _) =
        validate_with(&validating(&["namespaceSelector: {matchLabels: {a: b}}"]), &gone, &allow);
    assert_eq!(status_text.as_deref(), Some("404 NotFound: namespaces \"gone\" not found"));
    for kind in ["ValidatingWebhookConfiguration", "MutatingAdmissionPolicyBinding"] {
        let kind = GroupVersionKind { group: "admissionregistration.k8s.io", version: "v1", kind };
        assert!(!called("", &Attributes { kind, ..create }));
    }
}

#[test]
fn equivalent_versions_are_converted() {
    let (user, object) = (
        alice(),
        node("{apiVersion: autoscaling/v2, kind: HorizontalPodAutoscaler, metadata: {name: a}}"),
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
    let rules = "rules: [{apiGroups: [autoscaling], apiVersions: [v1], resources: ['*'], operations: ['*']}]";
    let condition = "matchConditions: [{name: a, expression: \"object.apiVersion == 'autoscaling/v1' && request.kind.version == 'v1' && request.resource.version == 'v2'\"}]";
    let (bodies, _, _) =
        validate_with(&validating(&[&format!("{rules}, {condition}")]), &attributes, &allow);
    let version = |path: &[&str]| bodies[0].text_at(path).to_owned();
    assert_eq!(version(&["request", "object", "apiVersion"]), "autoscaling/v1");
    assert_eq!(version(&["request", "kind", "version"]), "v1");
    assert_eq!(version(&["request", "requestKind", "version"]), "v2");
    assert_eq!(version(&["request", "requestResource", "version"]), "v2");
    let exact = format!("matchPolicy: Exact, {rules}");
    assert!(validate_with(&validating(&[&exact]), &attributes, &allow).0.is_empty());
}

#[test]
fn conditions_skip_fail_or_are_ignored() {
    let (user, object) = (alice(), map("k: v"));
    let attributes = creation(&user, &object);
    let with = |expressions: &[&str], more: &str| {
        let rows: Vec<String> = expressions
            .iter()
            .enumerate()
            .map(|(index, text)| format!("{{name: n{index}, expression: \"{text}\"}}"))
            .collect();
        let fields = format!("{more} matchConditions: [{}]", rows.join(", "));
        let (bodies, status_text, report) =
            validate_with(&validating(&[&fields]), &attributes, &allow);
        let metrics: Vec<String> = report
            .observations
            .iter()
            .filter(|one| one.metric.contains("match_condition"))
            .map(|one| {
                let name = one.metric.trim_start_matches("apiserver_admission_match_condition_");
                format!("{name} {}", one.labels[3].1)
            })
            .collect();
        (bodies.len(), status_text, metrics)
    };
    assert_eq!(with(&["object.data.k == 'v'", "request.name == 'a'"], ""), (1, None, Vec::new()));
    let skipped =
        ["evaluation_seconds validating".to_string(), "exclusions_total validate".to_string()];
    assert_eq!(with(&["object.data.k == 'x'"], ""), (0, None, skipped.to_vec()));
    let error = "expression 'object.data.nope == 'x'' resulted in error: no such key: nope";
    let failed = [
        "evaluation_errors_total validating".to_string(),
        "evaluation_seconds validating".to_string(),
    ];
    assert_eq!(
        with(&["object.data.nope == 'x'"], ""),
        (
            0,
            Some(format!("403 Forbidden: configmaps \"a\" is forbidden: {error}")),
            failed.to_vec()
        )
    );
    assert_eq!(with(&["object.data.nope == 'x'", "false"], "").0, 0, "a false one decides");
    assert_eq!(with(&["object.data.nope == 'x'", "false"], "").1, None);
    assert_eq!(with(&["object.data.nope == 'x'"], "failurePolicy: Ignore,").1, None);
    let (_, status_text, _) = with(&["object.data.nope == 'x'", "object.data.no == 'x'"], "");
    assert!(status_text.is_some_and(|text| text.contains("is forbidden: [expression ")), "several");
    let (_, status_text, _) = with(&["namespaceObject.metadata.name == 'test'"], "");
    assert!(
        status_text.is_some_and(|text| text.ends_with("no such key: metadata")),
        "it is null here"
    );
}

#[test]
fn all_are_called_and_the_first_failure_counts() {
    let (user, object) = (alice(), map(""));
    let attributes = creation(&user, &object);
    let hooks = validating(&["", "failurePolicy: Ignore", "", ""]);
    let script = |call: &WebhookCall| match call.webhook().name() {
        "m0.x.y" => review(
            call,
            r#""allowed":true,"warnings":["w",""],"auditAnnotations":{"good":"v","not good!":"w"}"#,
        ),
        "m1.x.y" => answered("nonsense"),
        "m2.x.y" => review(call, r#""allowed":false,"warnings":["and"]"#),
        _ => answered("[]"),
    };
    let (bodies, status_text, report) = validate_with(&hooks, &attributes, &script);
    assert_eq!(bodies.len(), 4);
    assert_eq!(
        status_text.as_deref(),
        Some("400 : admission webhook \"m2.x.y\" denied the request without explanation")
    );
    assert_eq!(report.warnings, ["w", "", "and"]);
    let annotations: Vec<(&str, &str)> = report
        .annotations
        .iter()
        .map(|annotation| (annotation.key.as_str(), annotation.value.as_str()))
        .collect();
    assert_eq!(
        annotations,
        [
            ("m0.x.y/good", "v"),
            ("failed-open.validating.webhook.admission.k8s.io/round_0_index_1", "m1.x.y")
        ]
    );
    let samples: Vec<String> = report
        .observations
        .iter()
        .filter(|one| one.nanoseconds.is_none())
        .map(|one| {
            let labels: Vec<String> =
                one.labels.iter().map(|(name, value)| format!("{name}={value}")).collect();
            format!(
                "{} {}",
                one.metric.trim_start_matches("apiserver_admission_webhook_"),
                labels.join(",")
            )
        })
        .collect();
    assert_eq!(
        samples,
        [
            "request_total code=200,name=m0.x.y,operation=CREATE,rejected=false,type=validating",
            "request_total code=503,name=m1.x.y,operation=CREATE,rejected=false,type=validating",
            "fail_open_count name=m1.x.y,type=validating",
            "rejection_count error_type=no_error,name=m2.x.y,operation=CREATE,rejection_code=400,type=validating",
            "request_total code=400,name=m2.x.y,operation=CREATE,rejected=true,type=validating",
            "rejection_count error_type=calling_webhook_error,name=m3.x.y,operation=CREATE,rejection_code=503,type=validating",
            "request_total code=503,name=m3.x.y,operation=CREATE,rejected=true,type=validating",
        ]
    );
    assert!(report.observations.iter().any(|one| one.nanoseconds.is_some_and(|time| time > 0)));
}

#[test]
fn an_overdue_request_makes_no_calls() {
    let (user, object) = (alice(), map(""));
    let attributes = creation(&user, &object);
    let cluster = Cluster::default();
    let new_uid = || "u".to_owned();
    let context =
        Context { attributes: &attributes, objects: &cluster, new_uid: &new_uid, is_overdue: true };
    let (rejection, _) = ValidatingDispatch::start(&validating(&[""]), &context).unwrap_err();
    assert_eq!(
        crate::testing::status_text(&rejection, &attributes),
        "504 Timeout: Timeout: request did not complete within requested timeout"
    );
    assert!(
        ValidatingDispatch::start(
            &validating(&["objectSelector: {matchLabels: {x: y}}"]),
            &context
        )
        .is_ok()
    );
}
