//! Tests of denials by policies, with their messages and codes, and of what they admit.

use crate::stage::{BINDINGS, POLICIES, Stage};
use serde_json::json;

#[tokio::test]
async fn a_denial_is_told_in_full_and_ends_with_its_policy() {
    let stage = Stage::new().await;
    let policy = json!({"validations": [{"expression": "object.data.a == 'b'"}]});
    stage.bind("p", policy, json!({})).await;
    assert_eq!(stage.make("good", json!({"a": "b"})).await.code, 201);
    let denied = stage.make("bad", json!({"a": "c"})).await;
    let reason = "failed expression: object.data.a == 'b'";
    let message = stage.refusal("configmaps \"bad\"", "p", reason);
    assert_eq!(denied.refusal(), (422, message.clone()));
    let (_, cause) = message.split_once("forbidden: ").unwrap();
    let status = denied.json();
    assert_eq!(status["reason"], "Invalid");
    let details = json!({"name": "bad", "kind": "configmaps", "causes": [{"message": cause}]});
    assert_eq!(status["details"], details);
    let dry = format!("{}?dryRun=All", stage.maps);
    let body = json!({"metadata": {"name": "bad"}, "data": {"a": "c"}});
    assert_eq!(stage.client.post(&dry, body).await.code, 422, "a dry run is judged too");
    assert_eq!(stage.client.delete(&format!("{BINDINGS}/{}", stage.named("p"))).await.code, 200);
    assert_eq!(stage.make("bad", json!({"a": "c"})).await.code, 201);
}

#[tokio::test]
async fn a_policy_that_is_changed_is_in_force_at_once() {
    let stage = Stage::new().await;
    stage.bind("p", json!({"validations": [{"expression": "false"}]}), json!({})).await;
    assert_eq!(stage.make("a", json!({})).await.code, 422);
    let path = format!("{POLICIES}/{}", stage.named("p"));
    let patch = json!({"spec": {"validations": [{"expression": "true"}]}});
    assert_eq!(stage.client.patch(&path, patch).await.code, 200);
    assert_eq!(stage.make("a", json!({})).await.code, 201);
}

#[tokio::test]
async fn reasons_choose_the_code() {
    for (reason, code) in [("Forbidden", 403), ("Invalid", 422), ("RequestEntityTooLarge", 413)] {
        let stage = Stage::new().await;
        let validation = json!({"expression": "false", "reason": reason, "message": " no "});
        stage.bind("p", json!({"validations": [validation]}), json!({})).await;
        let denied = stage.make("a", json!({})).await;
        let message = stage.refusal("configmaps \"a\"", "p", "no");
        assert_eq!(denied.refusal(), (code, message));
        assert_eq!(denied.json()["reason"], reason);
    }
}

#[tokio::test]
async fn words_come_from_the_message_expression_where_it_has_some() {
    let rows = [
        (json!({"messageExpression": "'a is ' + object.data.a", "message": "m"}), "a is b"),
        (json!({"messageExpression": "string(object.data.nope)", "message": "m"}), "m"),
        (json!({"messageExpression": "'two\\nlines'", "message": "m"}), "m"),
        (json!({"messageExpression": "'  '", "message": "m"}), "m"),
        (json!({"messageExpression": "'  '"}), "failed expression: object.data.a == 'x'"),
    ];
    for (fields, reason) in rows {
        let stage = Stage::new().await;
        let mut validation = json!({"expression": " object.data.a == 'x' "});
        validation.as_object_mut().unwrap().extend(fields.as_object().unwrap().clone());
        stage.bind("p", json!({"validations": [validation]}), json!({})).await;
        let message = stage.refusal("configmaps \"a\"", "p", reason);
        assert_eq!(stage.make("a", json!({"a": "b"})).await.refusal(), (422, message));
    }
}

#[tokio::test]
async fn what_cannot_be_evaluated_is_refused_unless_failures_are_ignored() {
    let validations = json!([{"expression": "object.data.nope == 'x'"}]);
    let stage = Stage::new().await;
    stage.bind("p", json!({"validations": validations}), json!({})).await;
    let reason = "expression 'object.data.nope == 'x'' resulted in error: no such key: nope";
    let message = stage.refusal("configmaps \"a\"", "p", reason);
    assert_eq!(stage.make("a", json!({"a": "b"})).await.refusal(), (422, message));
    let stage = Stage::new().await;
    let policy = json!({"validations": validations, "failurePolicy": "Ignore"});
    stage.bind("p", policy, json!({})).await;
    assert_eq!(stage.make("a", json!({"a": "b"})).await.code, 201);
}

#[tokio::test]
async fn variables_build_on_each_other() {
    let stage = Stage::new().await;
    let variables = json!([{"name": "length", "expression": "size(object.data.a)"},
        {"name": "rest", "expression": "3 - variables.length"}]);
    let validation = json!({"expression": "variables.rest >= 0",
        "messageExpression": "'too long by ' + string(-variables.rest)"});
    let policy = json!({"variables": variables, "validations": [validation]});
    stage.bind("p", policy, json!({})).await;
    assert_eq!(stage.make("a", json!({"a": "xyz"})).await.code, 201);
    let message = stage.refusal("configmaps \"b\"", "p", "too long by 2");
    assert_eq!(stage.make("b", json!({"a": "xyzxy"})).await.refusal(), (422, message));
}

#[tokio::test]
async fn old_objects_make_ratchets() {
    let stage = Stage::new().await;
    let ratchet = "oldObject != null && has(oldObject.data) && has(oldObject.data.net) && oldObject.data.net == object.data.net || cidr(object.data.net) == cidr(object.data.net).masked()";
    let validation = json!({"expression": ratchet, "message": "host bits"});
    assert_eq!(stage.make("old", json!({"net": "10.0.0.1/8"})).await.code, 201);
    stage.bind("p", json!({"validations": [validation]}), json!({})).await;
    let path = format!("{}/old", stage.maps);
    let touched = stage.client.patch(&path, json!({"data": {"more": "x"}})).await;
    assert_eq!(touched.code, 200, "what was bad before may stay: {}", touched.text());
    let worse = stage.client.patch(&path, json!({"data": {"net": "10.0.0.2/8"}})).await;
    let message = stage.refusal("configmaps \"old\"", "p", "host bits");
    assert_eq!(worse.refusal(), (422, message));
    let better = stage.client.patch(&path, json!({"data": {"net": "10.0.0.0/8"}})).await;
    assert_eq!(better.code, 200);
    assert_eq!(stage.make("new", json!({"net": "10.0.0.1/8"})).await.code, 422);
}

#[tokio::test]
async fn conditions_choose_the_requests() {
    let stage = Stage::new().await;
    let conditions = json!([{"name": "only-z", "expression": "object.data.a == 'z'"}]);
    let policy = json!({"matchConditions": conditions, "validations": [{"expression": "false"}]});
    stage.bind("p", policy, json!({})).await;
    assert_eq!(stage.make("a", json!({"a": "b"})).await.code, 201);
    assert_eq!(stage.make("z", json!({"a": "z"})).await.code, 422);
    let reason = "expression 'object.data.a == 'z'' resulted in error: no such key: a";
    let message = stage.refusal("configmaps \"n\"", "p", reason);
    assert_eq!(stage.make("n", json!({"n": "n"})).await.refusal(), (422, message));
}

#[tokio::test]
async fn policies_are_not_asked_about_policies() {
    let stage = Stage::new().await;
    let group = "admissionregistration.k8s.io";
    let rule = json!({"apiGroups": [group, "authorization.k8s.io"], "apiVersions": ["*"],
        "resources": ["*"], "operations": ["*"]});
    let policy = json!({"matchConstraints": {"resourceRules": [rule]},
        "validations": [{"expression": "false"}]});
    stage.bind("p", policy, json!({})).await;
    let made = stage
        .client
        .post(POLICIES, stage.policy("q", json!({"validations": [{"expression": "true"}]})))
        .await;
    assert_eq!(made.code, 201, "{}", made.text());
    let review = json!({"spec": {"resourceAttributes": {"verb": "get", "resource": "pods"}}});
    let reviews = "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews";
    assert_eq!(stage.client.post(reviews, review).await.code, 201);
    for name in ["p", "q"] {
        let gone = stage.client.delete(&format!("{POLICIES}/{}", stage.named(name))).await;
        assert_eq!(gone.code, 200);
    }
}
