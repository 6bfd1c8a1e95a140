//! Tests of policies on deletions, subresources, connections and other versions.

use crate::stage::Stage;
use serde_json::{Value, json};

/// A policy that denies everything its rules match, and reports its variables.
async fn shows(stage: &Stage, rule: Value, message: &str) {
    let constraints = json!({"resourceRules": [rule],
        "namespaceSelector": {"matchLabels": {"kubernetes.io/metadata.name": stage.namespace}}});
    let policy = json!({"matchConstraints": constraints,
        "validations": [{"expression": "false", "messageExpression": message}]});
    stage.bind("p", policy, json!({})).await;
}

#[tokio::test]
async fn deletions_have_an_old_object_only() {
    let stage = Stage::new().await;
    stage.client.map(&stage.maps, "a").await;
    let message = "request.operation + ' ' + request.name + ' ' + string(object == null) + ' ' + oldObject.kind + ' ' + request.options.kind";
    shows(&stage, Stage::rule("", "configmaps", &["DELETE"]), message).await;
    let reason = "DELETE a true ConfigMap DeleteOptions";
    let refused = stage.refusal("configmaps \"a\"", "p", reason);
    let path = format!("{}/a", stage.maps);
    assert_eq!(stage.client.delete(&path).await.refusal(), (422, refused.clone()));
    let dry = stage.client.delete(&format!("{path}?dryRun=All")).await;
    assert_eq!(dry.refusal(), (422, refused));
    assert_eq!(stage.client.delete(&stage.maps).await.code, 422, "a collection is no way around");
    assert_eq!(stage.client.get(&path).await.code, 200);
}

#[tokio::test]
async fn a_scale_is_a_scale() {
    let stage = Stage::new().await;
    let deployments = format!("/apis/apps/v1/namespaces/{}/deployments", stage.namespace);
    let template = json!({"metadata": {"labels": {"a": "b"}},
        "spec": {"containers": [{"name": "c", "image": "i"}]}});
    let spec =
        json!({"replicas": 1, "selector": {"matchLabels": {"a": "b"}}, "template": template});
    let made =
        stage.client.post(&deployments, json!({"metadata": {"name": "d"}, "spec": spec})).await;
    assert_eq!(made.code, 201, "{}", made.text());
    let message = "object.kind + ' ' + request.kind.group + ' ' + request.resource.resource + '/' + request.subResource + ' ' + request.operation + ' ' + string(oldObject.spec.replicas) + ' to ' + string(object.spec.replicas)";
    shows(&stage, Stage::rule("apps", "deployments/scale", &["*"]), message).await;
    let scale = format!("{deployments}/d/scale");
    let refused = stage.client.patch(&scale, json!({"spec": {"replicas": 9}})).await;
    let reason = "Scale autoscaling deployments/scale UPDATE 1 to 9";
    let message = stage.refusal("deployments.apps \"d\"", "p", reason);
    assert_eq!(refused.refusal(), (422, message));
    let whole =
        stage.client.patch(&format!("{deployments}/d"), json!({"spec": {"replicas": 9}})).await;
    assert_eq!(whole.code, 200, "the rule names the part alone");
}

#[tokio::test]
async fn what_is_sent_to_a_pod_is_seen_as_it_was_sent() {
    let stage = Stage::new().await;
    let pods = format!("/api/v1/namespaces/{}/pods", stage.namespace);
    let pod =
        json!({"metadata": {"name": "x"}, "spec": {"containers": [{"name": "c", "image": "i"}]}});
    let made = stage.client.post(&pods, pod).await;
    assert_eq!(made.code, 201, "{}", made.text());
    let message = "request.operation + ' ' + request.subResource + ' ' + object.kind + ' ' + object.apiVersion + ' ' + (has(object.command) ? object.command.join(' ') : '-')";
    shows(&stage, Stage::rule("", "pods/*", &["*"]), message).await;
    let client = &stage.client;
    let target = json!({"metadata": {"name": "x"}, "target": {"kind": "Node", "name": "n"}});
    let eviction = json!({"metadata": {"name": "x"}});
    let answers = [
        (client.post(&format!("{pods}/x/binding"), target).await, "CREATE binding Binding v1 -"),
        (
            client.post(&format!("{pods}/x/eviction"), eviction).await,
            "CREATE eviction Eviction policy/v1 -",
        ),
        (
            client.post(&format!("{pods}/x/exec?command=ls&command=-l"), json!({})).await,
            "CONNECT exec PodExecOptions v1 ls -l",
        ),
        (
            client.post(&format!("{pods}/x/attach"), json!({})).await,
            "CONNECT attach PodAttachOptions v1 -",
        ),
        (
            client.post(&format!("{pods}/x/portforward"), json!({})).await,
            "CONNECT portforward PodPortForwardOptions v1 -",
        ),
        (client.get(&format!("{pods}/x/proxy/a")).await, "CONNECT proxy PodProxyOptions v1 -"),
        (
            client
                .patch(&format!("{pods}/x/status"), json!({"status": {"phase": "Running"}}))
                .await,
            "UPDATE status Pod v1 -",
        ),
    ];
    for (answer, reason) in answers {
        let message = stage.refusal("pods \"x\"", "p", reason);
        assert_eq!(answer.refusal(), (422, message));
    }
    assert_eq!(client.get(&format!("{pods}/x")).await.code, 200, "reading is nobody's business");
}

#[tokio::test]
async fn namespaces_are_in_themselves() {
    let stage = Stage::new().await;
    let constraints = json!({"resourceRules": [Stage::rule("", "namespaces", &["CREATE"])],
        "objectSelector": {"matchLabels": {"of": stage.namespace}}});
    let policy = json!({"matchConstraints": constraints, "validations": [{"expression": "false",
        "messageExpression": "request.namespace + ' ' + request.name + ' ' + string(namespaceObject == null)"}]});
    stage.bind("p", policy, json!({})).await;
    let name = stage.named("new");
    let body = json!({"metadata": {"name": name, "labels": {"of": stage.namespace}}});
    let refused = stage.client.post("/api/v1/namespaces", body).await;
    let message =
        stage.refusal(&format!("namespaces \"{name}\""), "p", &format!("{name} {name} true"));
    assert_eq!(refused.refusal(), (422, message));
}

#[tokio::test]
async fn a_rule_about_one_version_is_about_the_others() {
    let stage = Stage::new().await;
    let mut rule = Stage::rule("autoscaling", "horizontalpodautoscalers", &["CREATE"]);
    rule["apiVersions"] = json!(["v2"]);
    let message = "object.apiVersion + ' ' + request.requestKind.version + ' ' + string(object.spec.metrics[0].resource.target.averageUtilization)";
    shows(&stage, rule, message).await;
    let scaled = json!({"apiVersion": "apps/v1", "kind": "Deployment", "name": "d"});
    let spec =
        json!({"maxReplicas": 5, "scaleTargetRef": scaled, "targetCPUUtilizationPercentage": 50});
    let path =
        format!("/apis/autoscaling/v1/namespaces/{}/horizontalpodautoscalers", stage.namespace);
    let refused = stage.client.post(&path, json!({"metadata": {"name": "h"}, "spec": spec})).await;
    let message =
        stage.refusal("horizontalpodautoscalers.autoscaling \"h\"", "p", "autoscaling/v2 v1 50");
    assert_eq!(refused.refusal(), (422, message));
}

#[tokio::test]
async fn the_request_and_the_namespace_are_seen() {
    let stage = Stage::new().await;
    let message = "request.operation + ' ' + request.userInfo.username + ' ' + request.userInfo.groups[0] + ' ' + dyn(request.options).fieldManager + ' ' + string(request.dryRun) + ' ' + namespaceObject.metadata.name + ' ' + namespaceObject.status.phase";
    shows(&stage, Stage::rule("", "configmaps", &["CREATE"]), message).await;
    let body = json!({"metadata": {"generateName": "g-"}});
    let refused =
        stage.client.post(&format!("{}?fieldManager=me&dryRun=All", stage.maps), body).await;
    let reason = format!("CREATE root system:masters me true {} Active", stage.namespace);
    assert!(refused.refusal().1.ends_with(&reason), "{:?}", refused.refusal());
}

#[tokio::test]
async fn expressions_ask_who_may() {
    let stage = Stage::new().await;
    let nobody = "authorizer.serviceAccount('default', 'nobody').group('').resource('pods')";
    let policy = json!({"variables": [
            {"name": "me", "expression": "authorizer.requestResource.check('delete').allowed()"},
            {"name": "other", "expression": format!("{nobody}.check('get').allowed()")}],
        "validations": [{"expression": "variables.me && !variables.other"},
            {"expression": "object.metadata.name != 'b' || variables.other"}]});
    stage.bind("p", policy, json!({})).await;
    assert_eq!(stage.make("a", json!({})).await.code, 201);
    assert_eq!(stage.make("b", json!({})).await.code, 422);
}

#[tokio::test]
async fn a_service_has_its_address_before_it_is_judged() {
    let stage = Stage::new().await;
    let message = "string(object.spec.clusterIP.startsWith('10.0.0.')) + string(object.spec.ports[0].nodePort >= 30000)";
    shows(&stage, Stage::rule("", "services", &["CREATE"]), message).await;
    let services = format!("/api/v1/namespaces/{}/services", stage.namespace);
    let body =
        json!({"metadata": {"name": "s"}, "spec": {"type": "NodePort", "ports": [{"port": 80}]}});
    let refused = stage.client.post(&services, body).await;
    let message = stage.refusal("services \"s\"", "p", "truetrue");
    assert_eq!(refused.refusal(), (422, message));
}
