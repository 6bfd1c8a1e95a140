//! Tests of parameters: which objects a binding selects, and what happens without them.

use crate::client::Client;
use crate::server::ALICE;
use crate::stage::{BINDINGS, POLICIES, Stage};
use serde_json::{Value, json};

fn policy() -> Value {
    json!({"paramKind": {"apiVersion": "v1", "kind": "ConfigMap"},
        "matchConditions": [{"name": "not-a-parameter", "expression": "!object.metadata.name.startsWith('limit')"}],
        "validations": [{"expression": "params != null && size(object.data.a) <= int(params.data.most)",
            "messageExpression": "'at most ' + params.data.most"}]})
}

async fn with(stage: &Stage, reference: Value) {
    stage.bind("p", policy(), json!({"paramRef": reference})).await;
    for (name, most) in [("limit-a", "3"), ("limit-b", "1")] {
        let body =
            json!({"metadata": {"name": name, "labels": {"limit": name}}, "data": {"most": most}});
        let made = stage.client.post(&stage.maps, body).await;
        assert_eq!(made.code, 201, "{}", made.text());
    }
}

#[tokio::test]
async fn a_parameter_is_named_or_selected() {
    let stage = Stage::new().await;
    with(&stage, json!({"name": "limit-a", "parameterNotFoundAction": "Allow"})).await;
    assert_eq!(stage.make("a", json!({"a": "xyz"})).await.code, 201);
    let message = stage.refusal("configmaps \"b\"", "p", "at most 3");
    assert_eq!(stage.make("b", json!({"a": "wxyz"})).await.refusal(), (422, message));
    let stage = Stage::new().await;
    let selector = json!({"matchLabels": {"limit": "limit-b"}});
    with(&stage, json!({"selector": selector, "parameterNotFoundAction": "Allow"})).await;
    let message = stage.refusal("configmaps \"b\"", "p", "at most 1");
    assert_eq!(stage.make("b", json!({"a": "xyz"})).await.refusal(), (422, message));
}

#[tokio::test]
async fn a_parameter_in_another_namespace() {
    let other = Stage::new().await;
    let made = other.make("limit-far", json!({"most": "2"})).await;
    assert_eq!(made.code, 201);
    let stage = Stage::new().await;
    let reference = json!({"name": "limit-far", "namespace": other.namespace, "parameterNotFoundAction": "Deny"});
    stage.bind("p", policy(), json!({"paramRef": reference})).await;
    let message = stage.refusal("configmaps \"b\"", "p", "at most 2");
    assert_eq!(stage.make("b", json!({"a": "xyz"})).await.refusal(), (422, message));
}

#[tokio::test]
async fn without_its_parameter_a_policy_refuses_or_is_silent() {
    let stage = Stage::new().await;
    let reference = json!({"name": "gone", "parameterNotFoundAction": "Deny"});
    stage.bind("p", policy(), json!({"paramRef": reference})).await;
    let reason = "failed to configure binding: no params found for policy binding with `Deny` parameterNotFoundAction";
    let message = stage.refusal("configmaps \"a\"", "p", reason);
    assert_eq!(stage.make("a", json!({"a": "x"})).await.refusal(), (422, message));
    let stage = Stage::new().await;
    let reference = json!({"name": "gone", "parameterNotFoundAction": "Allow"});
    stage.bind("p", policy(), json!({"paramRef": reference})).await;
    assert_eq!(stage.make("a", json!({"a": "x"})).await.code, 201);
}

#[tokio::test]
async fn a_kind_that_nobody_serves_is_a_fault_of_the_policy() {
    let stage = Stage::new().await;
    let policy = json!({"paramKind": {"apiVersion": "example.com/v1", "kind": "Nope"},
        "validations": [{"expression": "true"}]});
    let reference = json!({"name": "x", "parameterNotFoundAction": "Deny"});
    stage.bind("p", policy, json!({"paramRef": reference})).await;
    let name = stage.named("p");
    let message = format!(
        "configmaps \"a\" is forbidden: ValidatingAdmissionPolicy '{name}' denied request: failed to configure policy: failed to find resource referenced by paramKind: 'example.com/v1, Kind=Nope'"
    );
    assert_eq!(stage.make("a", json!({})).await.refusal(), (422, message));
}

#[tokio::test]
async fn nobody_reads_parameters_through_a_policy() {
    let server = crate::server::Server::start_with(crate::stage::turn_on);
    let stage = Stage::on(&server).await;
    let rbac = "/apis/rbac.authorization.k8s.io/v1";
    let rule =
        json!({"apiGroups": ["admissionregistration.k8s.io"], "resources": ["*"], "verbs": ["*"]});
    let role = json!({"metadata": {"name": "writer"}, "rules": [rule]});
    assert_eq!(stage.client.post(&format!("{rbac}/clusterroles"), role).await.code, 201);
    let binding = json!({"metadata": {"name": "writer"},
        "roleRef": {"apiGroup": "rbac.authorization.k8s.io", "kind": "ClusterRole", "name": "writer"},
        "subjects": [{"apiGroup": "rbac.authorization.k8s.io", "kind": "User", "name": "alice"}]});
    assert_eq!(stage.client.post(&format!("{rbac}/clusterrolebindings"), binding).await.code, 201);
    let alice = Client::connect(&server, Some(ALICE)).await;
    let user = "&{alice 2 [system:authenticated] map[]}";
    let name = stage.named("p");
    let refused = alice.post(POLICIES, stage.policy("p", policy())).await;
    let message = format!(
        "ValidatingAdmissionPolicy.admissionregistration.k8s.io \"{name}\" is invalid: spec.paramKind: Forbidden: user {user} must have \"get\" permission on all objects of the referenced paramKind (kind=ConfigMap, apiVersion=v1)"
    );
    assert_eq!(refused.refusal(), (422, message));
    assert_eq!(stage.client.post(POLICIES, stage.policy("p", policy())).await.code, 201);
    let spec = json!({"policyName": name, "validationActions": ["Deny"],
        "paramRef": {"name": "x", "parameterNotFoundAction": "Deny"}});
    let refused = alice.post(BINDINGS, json!({"metadata": {"name": "b"}, "spec": spec})).await;
    let message = format!(
        "ValidatingAdmissionPolicyBinding.admissionregistration.k8s.io \"b\" is invalid: spec.paramRef: Forbidden: user {user} does not have \"get\" permission on the object referenced by paramRef"
    );
    assert_eq!(refused.refusal(), (422, message));
}
