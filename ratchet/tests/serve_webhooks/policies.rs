//! Tests of MutatingAdmissionPolicies: what they change, and together with webhooks.

use crate::hook::Reply;
use crate::stage::Stage;
use serde_json::{Value, json};

impl Stage {
    /// A mutating policy for config maps of this namespace, bound.
    async fn policy(&self, fields: Value) {
        let name = format!("p-{}", self.namespace);
        let mut spec = json!({
            "matchConstraints": {
                "resourceRules": [{"apiGroups": [""], "apiVersions": ["v1"],
                    "resources": ["configmaps"], "operations": ["CREATE", "UPDATE"]}],
                "namespaceSelector": {"matchLabels": {"kubernetes.io/metadata.name": self.namespace}}},
            "reinvocationPolicy": "Never",
        });
        spec.as_object_mut().unwrap().extend(fields.as_object().unwrap().clone());
        let body = json!({"metadata": {"name": name}, "spec": spec});
        self.register("mutatingadmissionpolicies", body).await;
        let binding = json!({"metadata": {"name": name}, "spec": {"policyName": name}});
        self.register("mutatingadmissionpolicybindings", binding).await;
    }
}

fn apply(expression: &str) -> Value {
    json!([{"patchType": "ApplyConfiguration", "applyConfiguration": {"expression": expression}}])
}

#[tokio::test]
async fn a_policy_is_in_force_when_its_binding_is_written() {
    let stage = Stage::new().await;
    stage.policy(json!({"mutations": apply("Object{data: {'by': 'policy'}}")})).await;
    let made = stage.make("a", json!({"k": "1"})).await;
    assert_eq!(made.json()["data"], json!({"k": "1", "by": "policy"}), "{}", made.text());
    let one = format!("{}/a", stage.maps);
    let updated = stage.client.patch(&one, json!({"data": {"by": null, "k": "2"}})).await;
    assert_eq!(updated.json()["data"], json!({"k": "2", "by": "policy"}));
}

#[tokio::test]
async fn patches_of_both_types_follow_each_other() {
    let stage = Stage::new().await;
    let patch = "[JSONPatch{op: 'add', path: '/data/size', value: string(size(object.data))}]";
    let mutations = json!([
        {"patchType": "ApplyConfiguration", "applyConfiguration": {"expression": "Object{data: {'a': 'b'}}"}},
        {"patchType": "JSONPatch", "jsonPatch": {"expression": patch}},
    ]);
    stage.policy(json!({"mutations": mutations})).await;
    let made = stage.make("a", json!({"k": "1"})).await;
    assert_eq!(made.json()["data"], json!({"k": "1", "a": "b", "size": "2"}), "{}", made.text());
}

#[tokio::test]
async fn a_mutation_that_fails_is_told_or_ignored() {
    let stage = Stage::new().await;
    let mutations = apply("Object{data: {'l': object.data.nope}}");
    stage.policy(json!({"mutations": mutations})).await;
    let refused = stage.make("a", json!({"k": "1"})).await;
    let name = format!("p-{}", stage.namespace);
    let why =
        "expression 'Object{data: {'l': object.data.nope}}' resulted in error: no such key: nope";
    let message = format!("policy '{name}' with binding '{name}' denied request: {why}");
    assert_eq!(refused.refusal(), (403, message.clone()));
    let status = refused.json();
    assert_eq!(status["reason"], "Invalid");
    assert_eq!(status["details"]["causes"], json!([{"message": message}]));
    let stage = Stage::new().await;
    let mutations = apply("Object{data: {'l': object.data.nope}}");
    stage.policy(json!({"mutations": mutations, "failurePolicy": "Ignore"})).await;
    assert_eq!(stage.make("a", json!({"k": "1"})).await.code, 201);
}

#[tokio::test]
async fn policies_come_before_webhooks_and_again_after_them() {
    let stage = Stage::new().await;
    let mutations = apply("Object{data: {'seen': string(size(object.data))}}");
    stage.policy(json!({"mutations": mutations, "reinvocationPolicy": "IfNeeded"})).await;
    stage
        .mutating(json!({}), |review| {
            assert_eq!(review["request"]["object"]["data"]["seen"], "1");
            Reply::patch(json!([{"op": "add", "path": "/data/hook", "value": "x"}]))
        })
        .await;
    let made = stage.make("a", json!({"k": "1"})).await;
    assert_eq!(made.json()["data"], json!({"k": "1", "hook": "x", "seen": "3"}), "{}", made.text());
}
