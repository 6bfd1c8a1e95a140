//! `/mutate`: the patch that an API server applies, for chosen controllers only.

use crate::running::Running;
use ratchet_object::{Limits, Node, decode, decode_base64};

fn review(user: &str, subresource: &str) -> String {
    format!(
        r#"{{"apiVersion": "admission.k8s.io/v1", "kind": "AdmissionReview", "request": {{"uid": "u-7",
            "operation": "UPDATE", "namespace": "shop", "userInfo": {{"username": "{user}"}},
            "kind": {{"group": "", "version": "v1", "kind": "Pod"}}, "subResource": "{subresource}",
            "resource": {{"group": "", "version": "v1", "resource": "pods"}},
            "object": {{"metadata": {{"name": "p"}}, "status": {{"podIP": "010.0.0.1", "podIPs": [{{"ip": "010.0.0.1"}}]}}}},
            "oldObject": {{"metadata": {{"name": "p"}}}}}}}}"#
    )
}

/// The response and the operations of its patch.
fn response(text: &str) -> (Node<'static>, Vec<String>) {
    let review = decode(text, Limits::DEFAULT).unwrap().documents.remove(0).into_owned();
    let response = review.get("response").unwrap().clone();
    let patch = decode_base64(response.text_at(&["patch"])).unwrap();
    let patch = String::from_utf8(patch).unwrap();
    let operations = decode(&patch, Limits::DEFAULT).unwrap().documents;
    let operations = operations.iter().flat_map(Node::items).map(ToString::to_string).collect();
    (response, operations)
}

#[tokio::test]
async fn chosen_controllers_write_canonical_addresses() {
    let running = Running::start().await;
    let mut client = running.connect().await.unwrap();
    let (code, _, off) = client.post("/mutate", review("system:node:n1", "status")).await;
    assert_eq!(code, 200);
    assert!(off.ends_with(r#""response":{"uid":"u-7","allowed":true}}"#), "off by default: {off}");

    running.configure("canonicalize: {users: ['system:node:*']}\n");
    let (_, _, text) = client.post("/mutate", review("system:node:n1", "status")).await;
    let (response, operations) = response(&text);
    assert_eq!(response.text_at(&["patchType"]), "JSONPatch");
    assert_eq!(
        operations,
        [
            r#"{"op":"replace","path":"/status/podIP","value":"10.0.0.1"}"#,
            r#"{"op":"replace","path":"/status/podIPs/0/ip","value":"10.0.0.1"}"#,
        ]
    );
    for (user, subresource) in [("ann", "status"), ("system:node:n1", "exec")] {
        let (code, _, text) = client.post("/mutate", review(user, subresource)).await;
        assert_eq!(code, 200);
        assert!(text.ends_with(r#""response":{"uid":"u-7","allowed":true}}"#), "{user}: {text}");
    }
    assert_eq!(client.get("/mutate").await.0, 405);
    assert_eq!(client.post("/mutate", "{}").await.0, 400);
}
