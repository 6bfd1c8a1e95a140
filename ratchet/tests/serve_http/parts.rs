//! Tests of subresources, other versions, and objects that a PUT creates.

use crate::client::{Client, text};
use crate::server::{ALICE, Server};
use serde_json::{Value, json};

const RBAC: &str = "rbac.authorization.k8s.io";

/// Lets Alice do some things with some resources in a namespace.
async fn allow_alice(
    client: &Client,
    namespace: &str,
    group: &str,
    resource: &str,
    verbs: &[&str],
) {
    let rbac = format!("/apis/{RBAC}/v1/namespaces/{namespace}");
    let rules = json!([{"apiGroups": [group], "resources": [resource], "verbs": verbs}]);
    client.post(&format!("{rbac}/roles"), json!({"metadata": {"name": "r"}, "rules": rules})).await;
    let role = json!({"apiGroup": RBAC, "kind": "Role", "name": "r"});
    let subject = json!({"apiGroup": RBAC, "kind": "User", "name": "alice"});
    let binding = json!({"metadata": {"name": "b"}, "roleRef": role, "subjects": [subject]});
    let bound = client.post(&format!("{rbac}/rolebindings"), binding).await;
    assert_eq!(bound.code, 201, "{}", bound.text());
}

#[tokio::test]
async fn who_may_replace_may_not_yet_make() {
    let server = Server::shared();
    let (client, alice) = (server.admin().await, Client::connect(server, Some(ALICE)).await);
    let (namespace, _) = client.namespace().await;
    allow_alice(&client, &namespace, "", "endpoints", &["update"]).await;
    let path = format!("/api/v1/namespaces/{namespace}/endpoints/e");
    let body = json!({"metadata": {"name": "e"}});
    let refused = alice.put(&path, body.clone()).await;
    let text = format!(
        "endpoints \"e\" is forbidden: User \"alice\" cannot create resource \"endpoints\" in API group \"\" in the namespace \"{namespace}\""
    );
    assert_eq!(refused.refusal(), (403, text));
    assert_eq!(client.put(&path, body.clone()).await.code, 201);
    assert_eq!(alice.put(&path, body).await.code, 200);
}

#[tokio::test]
async fn a_put_makes_only_what_is_missing_itself() {
    let client = Server::shared().admin().await;
    let (namespace, _) = client.namespace().await;
    let meant = json!({"metadata": {"name": "e", "uid": "another"}});
    let refused = client.put(&format!("/api/v1/namespaces/{namespace}/endpoints/e"), meant).await;
    assert_eq!(refused.code, 409);
    assert!(refused.text().contains("UID in precondition: another, UID in object meta: "));
    // A pod is not made by a PUT at all.
    let pod =
        json!({"metadata": {"name": "p"}, "spec": {"containers": [{"name": "c", "image": "i"}]}});
    let path = format!("/api/v1/namespaces/{namespace}/pods/p");
    assert_eq!(client.put(&path, pod).await.refusal(), (404, "pods \"p\" not found".into()));
}

#[tokio::test(flavor = "multi_thread")]
async fn puts_that_make_the_same_object_all_come_through() {
    let client = Server::shared().admin().await;
    let (namespace, _) = client.namespace().await;
    let path = format!("/api/v1/namespaces/{namespace}/endpoints/e");
    let puts: Vec<_> = (0..8)
        .map(|index| {
            let (client, path) = (client.clone(), path.clone());
            tokio::spawn(async move {
                let labels = json!({"l": index.to_string()});
                client.put(&path, json!({"metadata": {"name": "e", "labels": labels}})).await.code
            })
        })
        .collect();
    let mut codes = Vec::new();
    for put in puts {
        codes.push(put.await.unwrap());
    }
    codes.sort_unstable();
    assert_eq!(codes, [200, 200, 200, 200, 200, 200, 200, 201]);
}

async fn pod(client: &Client, namespace: &str) -> (String, Value) {
    let pods = format!("/api/v1/namespaces/{namespace}/pods");
    let spec =
        json!({"containers": [{"name": "c", "image": "i"}], "serviceAccountName": "default"});
    let made = client.post(&pods, json!({"metadata": {"name": "p"}, "spec": spec})).await;
    assert_eq!(made.code, 201, "{}", made.text());
    (format!("{pods}/p"), made.json())
}

#[tokio::test]
async fn parts_are_of_the_object_in_the_url() {
    let client = Server::shared().admin().await;
    let (namespace, _) = client.namespace().await;
    let (path, pod) = pod(&client, &namespace).await;
    let mut other = pod.clone();
    other["metadata"]["name"] = json!("q");
    let text = "the name of the object (q) does not match the name on the URL (p)";
    for part in ["ephemeralcontainers", "resize", "status"] {
        let answer = client.put(&format!("{path}/{part}"), other.clone()).await;
        assert_eq!(answer.refusal(), (400, text.into()), "{part}");
    }
    let space = json!({"metadata": {"name": "another"}, "spec": {}});
    let answer = client.put(&format!("/api/v1/namespaces/{namespace}/finalize"), space).await;
    assert_eq!(answer.code, 400, "{}", answer.text());
    assert_eq!(client.get(&format!("/api/v1/namespaces/{namespace}")).await.code, 200);
}

#[tokio::test]
async fn ephemeral_containers_stay() {
    let client = Server::shared().admin().await;
    let (namespace, _) = client.namespace().await;
    let (path, mut pod) = pod(&client, &namespace).await;
    let part = format!("{path}/ephemeralcontainers");
    pod["spec"]["ephemeralContainers"] = json!([{"name": "e", "image": "i"}]);
    let made = client.put(&part, pod.clone()).await;
    assert_eq!(made.code, 200, "{}", made.text());
    let mut bare = made.json();
    bare["spec"].as_object_mut().unwrap().remove("ephemeralContainers");
    let refused = client.put(&part, bare).await;
    assert_eq!(refused.code, 422, "{}", refused.text());
}

#[tokio::test]
async fn a_token_is_bound_to_a_pod_of_its_own_account() {
    let client = Server::shared().admin().await;
    let (namespace, _) = client.namespace().await;
    pod(&client, &namespace).await;
    let accounts = format!("/api/v1/namespaces/{namespace}/serviceaccounts");
    for name in ["default", "other"] {
        client.post(&accounts, json!({"metadata": {"name": name}})).await;
    }
    let bound =
        json!({"spec": {"boundObjectRef": {"apiVersion": "v1", "kind": "Pod", "name": "p"}}});
    let refused = client.post(&format!("{accounts}/other/token"), bound.clone()).await;
    let text = "cannot bind token for serviceaccount \"other\" to pod running with different serviceaccount name.";
    assert_eq!(refused.refusal(), (400, text.into()));
    let made = client.post(&format!("{accounts}/default/token"), bound).await;
    assert_eq!(made.code, 201, "{}", made.text());
}

/// A request of openssl for `CN=system:node:a, O=system:nodes`.
const WISH: &str = include_str!("../../../doors/server/src/admission/node_client_csr.txt");

#[tokio::test]
async fn who_asks_for_a_certificate_does_not_become_another() {
    let client = Server::shared().admin().await;
    let path = "/apis/certificates.k8s.io/v1/certificatesigningrequests";
    let spec =
        json!({"request": WISH.trim(), "signerName": "example.com/x", "usages": ["client auth"]});
    let made = client.post(path, json!({"metadata": {"name": "wish"}, "spec": spec})).await;
    assert_eq!(made.code, 201, "{}", made.text());
    assert_eq!(made.json()["spec"]["username"], "root");
    let one = format!("{path}/wish");
    let patched = client.patch(&one, json!({"spec": {"username": "somebody"}})).await;
    assert_eq!((patched.code, &patched.json()["spec"]["username"]), (200, &json!("root")));
    let condition = json!([{"type": "Approved", "status": "True", "reason": "r"}]);
    let yes = json!({"status": {"conditions": condition}});
    let invalid = |why: &str| {
        (422, format!("CertificateSigningRequest.certificates.k8s.io \"wish\" is invalid: {why}"))
    };
    let sly = client.patch(&format!("{one}/status"), yes.clone()).await;
    let added =
        "status.conditions: Forbidden: updates may not add a condition of type \"Approved\"";
    assert_eq!(sly.refusal(), invalid(added));
    assert!(client.get(&one).await.json()["status"]["conditions"].is_null());
    let mut labelled = yes.clone();
    labelled["metadata"] = json!({"labels": {"by": "me"}});
    labelled["spec"] = json!({"username": "somebody"});
    labelled["status"]["certificate"] = json!("eA==");
    let approved = client.patch(&format!("{one}/approval"), labelled).await.json();
    assert_eq!(approved["metadata"]["labels"], json!({"by": "me"}), "{approved}");
    assert_eq!(approved["spec"]["username"], "root");
    assert!(approved["status"]["certificate"].is_null(), "approvers do not sign");
    assert_eq!(approved["status"]["conditions"][0]["type"], "Approved");
    assert!(approved["status"]["conditions"][0]["lastUpdateTime"].is_string());
    for part in ["status", "approval"] {
        let gone = json!({"status": {"conditions": null}});
        let refused = client.patch(&format!("{one}/{part}"), gone).await.refusal();
        let text =
            "status.conditions: Forbidden: updates may not remove a condition of type \"Approved\"";
        assert_eq!(refused, invalid(text), "{part}");
    }
    let mut denied = client.get(&one).await.json();
    let no = json!({"type": "Denied", "status": "True"});
    denied["status"]["conditions"].as_array_mut().unwrap().push(no);
    let text = "status.conditions: Invalid value: \"Denied\": Approved and Denied conditions are mutually exclusive";
    assert_eq!(client.put(&format!("{one}/approval"), denied).await.refusal(), invalid(text));
    let garbage = json!({"status": {"certificate": "eA=="}});
    let text = "status.certificate: Invalid value: \"<certificate data>\": must contain at least one CERTIFICATE PEM block";
    assert_eq!(client.patch(&format!("{one}/status"), garbage).await.refusal(), invalid(text));
    let failed = client.get(&one).await.json()["status"]["conditions"][0].clone();
    let failed = json!([{"type": "Failed", "status": "True"}, failed]);
    let failed =
        client.patch(&format!("{one}/status"), json!({"status": {"conditions": failed}})).await;
    assert_eq!(failed.code, 200, "{}", failed.text());
    assert_eq!(failed.json()["status"]["conditions"][1]["type"], "Approved");
}

#[tokio::test]
async fn a_request_for_a_certificate_makes_sense_or_is_refused() {
    let client = Server::shared().admin().await;
    let path = "/apis/certificates.k8s.io/v1/certificatesigningrequests";
    let good = json!({"request": WISH.trim(), "signerName": "example.com/x", "usages": ["any"]});
    for (field, value, why) in [
        (
            "request",
            json!("eA=="),
            "spec.request: Invalid value: \"eA==\": PEM block type must be CERTIFICATE REQUEST",
        ),
        ("usages", json!([]), "spec.usages: Required value"),
        ("usages", json!(["any", "any"]), "spec.usages[1]: Duplicate value: \"any\""),
        (
            "signerName",
            json!("x"),
            "spec.signerName: Invalid value: \"x\": must be a fully qualified domain and path of the form 'example.com/signer-name'",
        ),
        (
            "expirationSeconds",
            json!(1),
            "spec.expirationSeconds: Invalid value: 1: may not specify a duration less than 600 seconds (10 minutes)",
        ),
    ] {
        let mut spec = good.clone();
        spec[field] = value;
        let answer = client.post(path, json!({"metadata": {"name": "bad"}, "spec": spec})).await;
        let text =
            format!("CertificateSigningRequest.certificates.k8s.io \"bad\" is invalid: {why}");
        assert_eq!(answer.refusal(), (422, text));
    }
}

#[tokio::test]
async fn a_token_is_for_the_account_that_is_named() {
    let client = Server::shared().admin().await;
    let (namespace, _) = client.namespace().await;
    let accounts = format!("/api/v1/namespaces/{namespace}/serviceaccounts");
    let uid = client.post(&accounts, json!({"metadata": {"name": "robot"}})).await.json();
    let uid = text(&uid["metadata"]["uid"]);
    let path = format!("{accounts}/robot/token");
    let request_token =
        |metadata: Value| client.post(&path, json!({"metadata": metadata, "spec": {}}));
    let text = "TokenRequest.authentication.k8s.io \"robot\" is invalid: metadata.name: Invalid value: \"other\": must match the service account name if specified";
    assert_eq!(request_token(json!({"name": "other"})).await.refusal(), (422, text.into()));
    let text =
        "the namespace of the provided object does not match the namespace sent on the request";
    assert_eq!(request_token(json!({"namespace": "other"})).await.refusal(), (400, text.into()));
    let text = format!(
        "Operation cannot be fulfilled on TokenRequest.authentication.k8s.io \"robot\": the UID in the token request (x) does not match the UID of the service account ({uid})"
    );
    assert_eq!(request_token(json!({"uid": "x"})).await.refusal(), (409, text));
    let own = json!({"name": "robot", "namespace": namespace, "uid": uid});
    for metadata in [own.clone(), json!({})] {
        let made = request_token(metadata).await;
        assert_eq!(made.code, 201, "{}", made.text());
        for name in ["name", "namespace", "uid"] {
            assert_eq!(made.json()["metadata"][name], own[name], "{name}");
        }
    }
    let bound = |api_version: &str, kind: &str| {
        let object = json!({"apiVersion": api_version, "kind": kind, "name": "x"});
        client.post(&path, json!({"spec": {"boundObjectRef": object}}))
    };
    for (api_version, kind, object) in
        [("v1", "ConfigMap", "/v1, Kind=ConfigMap"), ("apps/v1", "Pod", "apps/v1, Kind=Pod")]
    {
        let text = format!("cannot bind token to object of type {object}");
        assert_eq!(bound(api_version, kind).await.refusal(), (400, text));
    }
}

#[tokio::test]
async fn the_status_of_a_node_has_an_endpoint_of_its_own() {
    let client = Server::shared().admin().await;
    let status = json!({"nodeInfo": {"kubeletVersion": "v1.36.0"}});
    let made = client
        .post("/api/v1/nodes", json!({"metadata": {"name": "parts"}, "status": status}))
        .await;
    assert_eq!(made.json()["status"]["nodeInfo"]["kubeletVersion"], "v1.36.0");
    let sly =
        json!({"status": {"nodeInfo": {"kubeletVersion": "v0"}}, "spec": {"unschedulable": true}});
    let patched = client.patch("/api/v1/nodes/parts", sly).await.json();
    assert_eq!(patched["spec"]["unschedulable"], true);
    assert_eq!(patched["status"]["nodeInfo"]["kubeletVersion"], "v1.36.0");
}

#[tokio::test]
async fn a_scaler_keeps_in_the_old_version_what_only_the_new_one_knows() {
    let client = Server::shared().admin().await;
    let (namespace, _) = client.namespace().await;
    let path = |version: &str| {
        format!("/apis/autoscaling/{version}/namespaces/{namespace}/horizontalpodautoscalers")
    };
    let target = json!({"apiVersion": "apps/v1", "kind": "Deployment", "name": "d"});
    let memory =
        json!({"name": "memory", "target": {"type": "Utilization", "averageUtilization": 70}});
    let metrics = json!([{"type": "Resource", "resource": memory}]);
    let behavior = json!({"scaleDown": {"stabilizationWindowSeconds": 7}});
    let spec = json!({"scaleTargetRef": target, "maxReplicas": 3, "metrics": metrics, "behavior": behavior});
    let made = client.post(&path("v2"), json!({"metadata": {"name": "h"}, "spec": spec})).await;
    assert_eq!(made.code, 201, "{}", made.text());
    let old = format!("{}/h", path("v1"));
    let object = client.get(&old).await.json();
    let annotations = &object["metadata"]["annotations"];
    let annotation = text(&annotations["autoscaling.alpha.kubernetes.io/metrics"]);
    assert_eq!(
        annotation,
        r#"[{"type":"Resource","resource":{"name":"memory","targetAverageUtilization":70}}]"#
    );
    let patched = client.patch(&old, json!({"spec": {"maxReplicas": 4}})).await;
    assert_eq!(patched.code, 200, "{}", patched.text());
    let new = client.get(&format!("{}/h", path("v2"))).await.json();
    assert_eq!(new["spec"]["maxReplicas"], 4);
    assert_eq!(new["spec"]["metrics"], metrics);
    assert_eq!(new["spec"]["behavior"]["scaleDown"]["stabilizationWindowSeconds"], 7);
    assert!(new["metadata"]["annotations"].is_null(), "{new}");
}

#[tokio::test]
async fn an_event_is_one_in_both_groups() {
    let client = Server::shared().admin().await;
    let (namespace, _) = client.namespace().await;
    let old = format!("/api/v1/namespaces/{namespace}/events");
    let new = format!("/apis/events.k8s.io/v1/namespaces/{namespace}/events");
    let about = json!({"kind": "Pod", "name": "p", "namespace": namespace});
    let event = json!({"metadata": {"name": "e"}, "involvedObject": about, "message": "hello",
        "reason": "r", "type": "Normal", "count": 3, "source": {"component": "c"}});
    let made = client.post(&old, event).await;
    assert_eq!(made.code, 201, "{}", made.text());
    // Each group has its own names of the fields by which events are selected.
    for (events, field) in [
        (&old, "involvedObject.name%3Dp"),
        (&old, "source%3Dc"),
        (&new, "regarding.name%3Dp"),
        (&new, "regarding.kind%3DPod,reason%3Dr"),
        (&new, "reportingController%21%3Dx"),
    ] {
        let found = client.get(&format!("{events}?fieldSelector={field}")).await;
        assert_eq!(found.names(), ["e"], "{field}: {}", found.text());
    }
    let other = client.get(&format!("{new}?fieldSelector=regarding.name%3Dq")).await;
    assert!(other.names().is_empty(), "{}", other.text());
    let object = client.get(&format!("{new}/e")).await.json();
    assert_eq!((&object["note"], &object["deprecatedCount"]), (&json!("hello"), &json!(3)));
    assert_eq!(object["regarding"]["name"], "p");
    // Only the old group counts.
    let refused = client.patch(&format!("{new}/e"), json!({"deprecatedCount": 4})).await;
    let why = "Event \"e\" is invalid: count: Invalid value: 4: field is immutable";
    assert_eq!((refused.code, &refused.json()["message"]), (422, &json!(why)));
    let patched = client.patch(&format!("{old}/e"), json!({"count": 4})).await;
    assert_eq!(patched.code, 200, "{}", patched.text());
    assert_eq!(client.get(&format!("{new}/e")).await.json()["deprecatedCount"], 4);
    let listed = client.get(&format!("{new}?fieldSelector=reason%3Dr")).await;
    assert_eq!(listed.names(), ["e"]);
}

#[tokio::test]
async fn a_collection_is_deleted_page_by_page() {
    let client = Server::shared().admin().await;
    let (_, maps) = client.namespace().await;
    for name in ["a", "b", "c"] {
        client.map(&maps, name).await;
    }
    let gone = client.delete(&format!("{maps}?limit=2")).await;
    assert_eq!((gone.code, gone.names()), (200, vec!["a".into(), "b".into()]));
    assert!(!text(&gone.json()["metadata"]["continue"]).is_empty());
    assert_eq!(client.get(&maps).await.names(), ["c"]);
}

#[tokio::test]
async fn an_eviction_is_told_why_not() {
    let client = Server::shared().admin().await;
    let (namespace, _) = client.namespace().await;
    let (path, _) = pod(&client, &namespace).await;
    client.patch(&path, json!({"metadata": {"labels": {"app": "x"}}})).await;
    // A pod that is not ready may go when the others are well.
    let ready = json!([{"type": "Ready", "status": "True"}]);
    let status = json!({"status": {"phase": "Running", "conditions": ready}});
    client.patch(&format!("{path}/status"), status).await;
    let budgets = format!("/apis/policy/v1/namespaces/{namespace}/poddisruptionbudgets");
    let spec = json!({"selector": {"matchLabels": {"app": "x"}}, "minAvailable": 1});
    client.post(&budgets, json!({"metadata": {"name": "b"}, "spec": spec})).await;
    let evict =
        async || client.post(&format!("{path}/eviction"), json!({"metadata": {"name": "p"}})).await;
    let early = evict().await;
    assert_eq!((early.code, early.header("retry-after")), (429, "10"));
    let cause = &early.json()["details"]["causes"][0];
    assert_eq!(cause["message"], "The disruption budget b is still being processed by the server.");
    let status = json!({"observedGeneration": 1, "desiredHealthy": 1, "currentHealthy": 0,
        "expectedPods": 1, "disruptionsAllowed": 0});
    let updated = client.patch(&format!("{budgets}/b/status"), json!({"status": status})).await;
    assert_eq!(updated.code, 200, "{}", updated.text());
    let refused = evict().await;
    let cause = &refused.json()["details"]["causes"][0];
    assert_eq!((refused.code, refused.header("retry-after")), (429, ""));
    assert_eq!(
        cause["message"],
        "The disruption budget b needs 1 healthy pods and has 0 currently"
    );
}
