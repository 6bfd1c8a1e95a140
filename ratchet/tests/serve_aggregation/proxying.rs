//! Requests through the server: identity, bodies, watches, upgrades.

use super::flunders::GROUP;
use super::world::{World, flunders};
use serde_json::{Value, json};

fn whoami(world: &World, headers: &str) -> Value {
    let path = format!("/apis/{GROUP}/v1alpha1/whoami?a=b%20c&a=d");
    let (code, body) = world.server.request_with_headers(headers, "GET", &path, "");
    assert_eq!(code, 200, "{body}");
    serde_json::from_str(&body).unwrap()
}

#[test]
fn the_identity_is_that_of_the_request_and_nobody_can_state_another() {
    let (world, _extension) = World::available("aggregated");
    let reported = whoami(
        &world,
        "X-Remote-User: root\r\nX-Remote-Group: system:nodes\r\nX-Remote-Extra-Scopes: all\r\nX-Remote-Uid: 0\r\nX-Forwarded-For: 192.0.2.1\r\n",
    );
    let headers = &reported["headers"];
    assert_eq!(headers["x-remote-user"], json!(["kubernetes-admin"]));
    let groups = json!(["system:masters", "system:authenticated"]);
    assert_eq!(headers["x-remote-group"], groups);
    assert_eq!(headers["x-remote-extra-scopes"], Value::Null);
    assert_ne!(headers["x-remote-uid"], json!(["0"]));
    assert_eq!(headers["x-forwarded-for"], json!(["192.0.2.1, 127.0.0.1"]));
    assert_eq!(headers["authorization"], Value::Null);
    assert!(headers["audit-id"].is_array() && headers["x-forwarded-uri"].is_array());
    assert_eq!(reported["uri"], format!("/apis/{GROUP}/v1alpha1/whoami?a=b%20c&a=d"));
    assert_eq!(reported["version"], "HTTP/2.0");

    let reported = whoami(
        &world,
        "Impersonate-User: jane\r\nImpersonate-Group: system:masters\r\nImpersonate-Group: dev\r\nImpersonate-Extra-Reason: a%2Fb\r\n",
    );
    let headers = &reported["headers"];
    assert_eq!(headers["x-remote-user"], json!(["jane"]));
    assert_eq!(headers["x-remote-group"], json!(["system:masters", "dev", "system:authenticated"]));
    assert_eq!(headers["x-remote-extra-reason"], json!(["a%2Fb"]), "values are as they came");
    assert_eq!(headers["impersonate-user"], Value::Null);
}

#[test]
fn rights_are_checked_before_anything_is_sent() {
    let (world, _extension) = World::available("aggregated");
    let (code, body) = world.server.request_anonymously("GET", &flunders("default"), "");
    assert_eq!(code, 403);
    let wanted = format!("cannot list resource \\\"flunders\\\" in API group \\\"{GROUP}\\\"");
    assert!(body.contains(&wanted), "{body}");
    let jane = "Impersonate-User: jane\r\n";
    let (code, _) = world.server.request_with_headers(jane, "GET", &flunders("default"), "");
    assert_eq!(code, 403);
    let role = json!({"metadata": {"name": "flunders"}, "rules": [{"apiGroups": [GROUP], "resources": ["flunders"], "verbs": ["list"]}]});
    world.create("/apis/rbac.authorization.k8s.io/v1/clusterroles", &role);
    let binding = json!({"metadata": {"name": "flunders"}, "subjects": [{"kind": "User", "name": "jane", "apiGroup": "rbac.authorization.k8s.io"}],
        "roleRef": {"kind": "ClusterRole", "name": "flunders", "apiGroup": "rbac.authorization.k8s.io"}});
    world.create("/apis/rbac.authorization.k8s.io/v1/clusterrolebindings", &binding);
    let (code, _) = world.server.request_with_headers(jane, "GET", &flunders("default"), "");
    assert_eq!(code, 200);
    let (code, _) = world.server.request_with_headers(jane, "POST", &flunders("default"), "{}");
    assert_eq!(code, 403);
}

#[test]
fn objects_are_created_read_and_deleted() {
    let (world, _extension) = World::available("aggregated");
    let flunder = json!({"apiVersion": format!("{GROUP}/v1alpha1"), "kind": "Flunder",
        "metadata": {"name": "one"}, "spec": {"reference": "r".repeat(5 << 20)}});
    // Larger than this server takes itself: it only passes it on.
    let created = world.create(&flunders("default"), &flunder);
    assert_eq!(created["spec"], flunder["spec"]);
    let item = format!("{}/one", flunders("default"));
    assert_eq!(world.json(&item)["metadata"]["name"], "one");
    assert_eq!(world.json(&flunders("default"))["items"].as_array().unwrap().len(), 1);
    assert_eq!(world.server.request("DELETE", &item, "").0, 200);
    let (code, body) = world.server.get(&item);
    assert_eq!(code, 404, "{body}");
    assert!(body.contains("no such flunder"), "{body}");
}

#[test]
fn a_redirect_is_not_passed_on() {
    let (world, _extension) = World::available("aggregated");
    let (code, body) = world.server.get(&format!("/apis/{GROUP}/v1alpha1/elsewhere"));
    let text = "the backend attempted to redirect this request, which is not permitted";
    assert_eq!((code, body.as_str()), (502, text));
}

#[test]
fn events_come_as_they_happen() {
    let (world, _extension) = World::available("aggregated");
    let mut watch = world.server.stream("GET", &format!("{}?watch=1", flunders("default")), "");
    assert!(watch.head().starts_with("HTTP/1.1 200"));
    for name in ["one", "two"] {
        let flunder = json!({"apiVersion": format!("{GROUP}/v1alpha1"), "kind": "Flunder", "metadata": {"name": name}});
        world.create(&flunders("default"), &flunder);
        let event = watch.until(&format!("\"name\":\"{name}\""));
        assert!(event.contains("ADDED"), "{event}");
    }
}

#[test]
fn a_connection_is_upgraded() {
    let (world, _extension) = World::available("aggregated");
    let path = format!("{}/one/exec", flunders("default"));
    let mut stream = world.server.stream("POST", &path, "Connection: Upgrade\r\nUpgrade: echo\r\n");
    let head = stream.head();
    assert!(head.starts_with("HTTP/1.1 101"), "{head}");
    assert!(head.to_lowercase().contains("x-user: kubernetes-admin"), "{head}");
    stream.send(b"hello");
    stream.until("HELLO");
}

#[test]
fn an_extension_server_can_be_a_webhook() {
    let (world, _extension) = World::available("aggregated");
    let path = format!("/apis/{GROUP}/v1alpha1/reviews");
    let service = json!({"namespace": "default", "name": "kubernetes", "path": path});
    let rules = json!([{"apiGroups": [""], "apiVersions": ["v1"], "resources": ["configmaps"], "operations": ["CREATE"]}]);
    let webhook = json!({"name": "v.example.com", "admissionReviewVersions": ["v1"], "sideEffects": "None",
        "clientConfig": {"service": service}, "rules": rules});
    for kind in ["validating", "mutating"] {
        let all = format!("/apis/admissionregistration.k8s.io/v1/{kind}webhookconfigurations");
        world.create(&all, &json!({"metadata": {"name": "v"}, "webhooks": [webhook]}));
        let map = json!({"metadata": {"name": "a"}}).to_string();
        let (code, body) =
            world.server.request("POST", "/api/v1/namespaces/default/configmaps", &map);
        assert_eq!(code, 400, "{body}");
        assert!(body.contains("denied the request: answered to system:apiserver"), "{body}");
        assert_eq!(world.server.request("DELETE", &format!("{all}/v"), "").0, 200);
    }
}

#[test]
fn an_extension_server_can_convert() {
    let (world, _extension) = World::available("aggregated");
    let path = format!("/apis/{GROUP}/v1alpha1/reviews");
    let service = json!({"namespace": "default", "name": "kubernetes", "path": path});
    let schema = json!({"type": "object", "x-kubernetes-preserve-unknown-fields": true});
    let version = |name: &str, is_stored: bool| json!({"name": name, "served": true, "storage": is_stored, "schema": {"openAPIV3Schema": schema}});
    let conversion = json!({"strategy": "Webhook", "webhook": {"clientConfig": {"service": service}, "conversionReviewVersions": ["v1"]}});
    let definition = json!({"metadata": {"name": "boxes.own.example.com"}, "spec": {"group": "own.example.com",
        "scope": "Namespaced", "names": {"plural": "boxes", "kind": "Box"}, "conversion": conversion,
        "versions": [version("v1", true), version("v2", false)]}});
    world.create("/apis/apiextensions.k8s.io/v1/customresourcedefinitions", &definition);
    let boxes = "/apis/own.example.com/v1/namespaces/default/boxes";
    let object =
        json!({"apiVersion": "own.example.com/v1", "kind": "Box", "metadata": {"name": "a"}});
    world.create(boxes, &object);
    let (code, body) =
        world.server.request("GET", &format!("{}/a", boxes.replace("/v1/", "/v2/")), "");
    assert_eq!(code, 500, "{body}");
    assert!(body.contains("Kind=Box failed: answered to system:apiserver"), "{body}");
}
