//! Tests of definitions in a `ratchet serve` process that is killed, and with its controllers: what was begun is finished.
#![allow(clippy::unwrap_used, reason = "a test may fail")]
#![allow(clippy::indexing_slicing, reason = "a test may fail")]

#[allow(dead_code, reason = "others use more of it")]
mod server;

use serde_json::{Value, json};
use server::Server;
use std::time::Duration;

const DEFINITIONS: &str = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
const WIDGETS: &str = "/apis/example.com/v1/namespaces/default/widgets";

fn definition() -> String {
    let schema = json!({"type": "object", "x-kubernetes-preserve-unknown-fields": true});
    let version = json!({"name": "v1", "served": true, "storage": true, "schema": {"openAPIV3Schema": schema}});
    let names = json!({"plural": "widgets", "kind": "Widget"});
    let spec = json!({"group": "example.com", "scope": "Namespaced", "names": names, "versions": [version]});
    json!({"metadata": {"name": "widgets.example.com"}, "spec": spec}).to_string()
}

fn widget(metadata: Value) -> String {
    json!({"apiVersion": "example.com/v1", "kind": "Widget", "metadata": metadata}).to_string()
}

fn create(server: &Server, path: &str, body: &str) -> Value {
    let (code, text) = server.request("POST", path, body);
    assert_eq!(code, 201, "{text}");
    serde_json::from_str(&text).unwrap()
}

fn until(what: &str, mut holds: impl FnMut() -> bool) {
    // The garbage collector looks for new kinds every half minute.
    for _ in 0..1800 {
        if holds() {
            return;
        }
        std::thread::sleep(Duration::from_millis(50));
    }
    panic!("{what} never happened");
}

#[test]
fn a_deletion_that_was_cut_off_leaves_nothing_behind() {
    for delay in [0, 4, 9, 30] {
        let dir = tempfile::tempdir().unwrap();
        let mut server = Server::start(dir.path(), &[]);
        create(&server, DEFINITIONS, &definition());
        for number in 0..40 {
            create(&server, WIDGETS, &widget(json!({"name": format!("w{number}")})));
        }
        let held = json!({"name": "held", "finalizers": ["example.com/hold"]});
        create(&server, WIDGETS, &widget(held));
        let path = format!("{DEFINITIONS}/widgets.example.com");
        std::thread::scope(|scope| {
            // The process may be killed before it answers.
            let deletion = scope.spawn(|| server.request("DELETE", &path, ""));
            std::thread::sleep(Duration::from_millis(delay));
            server.signal("KILL");
            let _ = deletion.join();
        });
        assert_eq!(server.wait().0, None);

        let server = Server::start(dir.path(), &[]);
        let (code, text) = server.request("DELETE", &path, "");
        assert_eq!(code, 200, "{text}");
        let refused = server.request("POST", WIDGETS, &widget(json!({"name": "new"})));
        assert_eq!(refused.0, 403, "{}", refused.1);
        until("only what is held is left", || {
            let (_, text) = server.get(WIDGETS);
            let list: Value = serde_json::from_str(&text).unwrap();
            list["items"].as_array().is_some_and(|items| items.len() == 1)
        });
        let one = format!("{WIDGETS}/held");
        let (_, text) = server.get(&one);
        let mut freed: Value = serde_json::from_str(&text).unwrap();
        freed["metadata"]["finalizers"] = json!([]);
        assert_eq!(server.request("PUT", &one, &freed.to_string()).0, 200);
        until("the definition is gone", || server.get(&path).0 == 404);
        create(&server, DEFINITIONS, &definition());
        let (_, text) = server.get(WIDGETS);
        let list: Value = serde_json::from_str(&text).unwrap();
        assert_eq!(list["items"], json!([]));
    }
}

#[test]
fn controllers_know_custom_objects() {
    let dir = tempfile::tempdir().unwrap();
    let server = Server::start(dir.path(), &[]);
    create(&server, DEFINITIONS, &definition());
    create(&server, "/api/v1/namespaces", &json!({"metadata": {"name": "shop"}}).to_string());
    let shop = WIDGETS.replace("default", "shop");
    create(&server, &shop, &widget(json!({"name": "a"})));
    let quota =
        json!({"metadata": {"name": "q"}, "spec": {"hard": {"count/widgets.example.com": "1"}}});
    let quotas = "/api/v1/namespaces/shop/resourcequotas";
    create(&server, quotas, &quota.to_string());
    until("the quota holds", || {
        server.request("POST", &shop, &widget(json!({"name": "b"}))).0 == 403
    });
    // Who is owned goes with its owner.
    let owner = create(&server, WIDGETS, &widget(json!({"name": "owner"})));
    let reference = json!({"apiVersion": "example.com/v1", "kind": "Widget", "name": "owner", "uid": owner["metadata"]["uid"]});
    let map = json!({"metadata": {"name": "owned", "ownerReferences": [reference]}});
    create(&server, "/api/v1/namespaces/default/configmaps", &map.to_string());
    assert_eq!(server.request("DELETE", &format!("{WIDGETS}/owner"), "").0, 200);
    until("the dependent goes", || {
        server.get("/api/v1/namespaces/default/configmaps/owned").0 == 404
    });
    // Expressions are checked against the schemas of definitions.
    let rule = json!({"apiGroups": ["example.com"], "apiVersions": ["v1"], "resources": ["widgets"], "operations": ["*"]});
    let validations =
        json!([{"expression": "object.metadata.name != 'x'"}, {"expression": "object.nope == 1"}]);
    let policies = "/apis/admissionregistration.k8s.io/v1/validatingadmissionpolicies";
    let spec = json!({"matchConstraints": {"resourceRules": [rule]}, "validations": validations});
    create(&server, policies, &json!({"metadata": {"name": "p"}, "spec": spec}).to_string());
    let mut warnings = Value::Null;
    until("the policy is checked", || {
        let (_, text) = server.get(&format!("{policies}/p"));
        let policy: Value = serde_json::from_str(&text).unwrap();
        warnings = policy["status"]["typeChecking"].clone();
        !warnings.is_null()
    });
    let warning = "example.com/v1, Kind=Widget: ERROR: <input>:1:7: undefined field 'nope'\n | object.nope == 1\n | ......^\n";
    let expected = json!([{"fieldRef": "spec.validations[1].expression", "warning": warning}]);
    assert_eq!(warnings["expressionWarnings"], expected);
    // A namespace goes with what is in it.
    assert_eq!(server.request("DELETE", "/api/v1/namespaces/shop", "").0, 200);
    until("the namespace goes", || server.get("/api/v1/namespaces/shop").0 == 404);
    let (_, text) = server.get("/apis/example.com/v1/widgets");
    let list: Value = serde_json::from_str(&text).unwrap();
    assert_eq!(list["items"], json!([]));
}
