//! Tests of authentication, and of response headers.

use crate::client::{Client, text};
use crate::server::{ALICE, Server};
use hyper::Method;
use ratchet_server::Mode;
use serde_json::json;

#[tokio::test]
async fn strangers_see_health_and_version_only() {
    let server = Server::shared();
    let nobody = Client::connect(server, None).await;
    for path in ["/healthz", "/livez", "/readyz", "/version", "/version/"] {
        assert_eq!(nobody.get(path).await.code, 200, "{path}");
    }
    for path in ["/", "/api", "/apis", "/metrics", "/openapi/v2", "/livez/ping", "/nothing"] {
        let answer = nobody.get(path).await;
        let text = format!("forbidden: User \"system:anonymous\" cannot get path \"{path}\"");
        assert_eq!(answer.refusal(), (403, text), "{path}");
        assert_eq!(answer.header("x-content-type-options"), "nosniff");
    }
    let pods = nobody.get("/api/v1/pods").await;
    let text = "pods is forbidden: User \"system:anonymous\" cannot list resource \"pods\" in API group \"\" at the cluster scope";
    assert_eq!(pods.refusal(), (403, text.into()));
}

#[tokio::test]
async fn a_token_that_nobody_knows_is_worse_than_none() {
    let stranger = Client::connect(Server::shared(), Some("no.such.token")).await;
    for path in ["/version", "/healthz", "/api/v1/pods", "/nothing"] {
        assert_eq!(stranger.get(path).await.refusal(), (401, "Unauthorized".into()), "{path}");
    }
}

#[tokio::test]
async fn who_may_not_is_told_before_whether_it_is_there() {
    let alice = Client::connect(Server::shared(), Some(ALICE)).await;
    let text = "configmaps \"x\" is forbidden: User \"alice\" cannot get resource \"configmaps\" in API group \"\" in the namespace \"nowhere\"";
    let answer = alice.get("/api/v1/namespaces/nowhere/configmaps/x").await;
    assert_eq!(answer.refusal(), (403, text.into()));
    assert_eq!(answer.json()["details"], json!({"name": "x", "kind": "configmaps"}));
    assert_eq!(alice.get("/api").await.code, 200, "whoever is known may discover");
}

#[tokio::test]
async fn one_user_acts_as_another() {
    let server = Server::shared();
    let client = server.admin().await;
    let review = "/apis/authentication.k8s.io/v1/selfsubjectreviews";
    let headers = [
        ("content-type", "application/json"),
        ("impersonate-user", "bob"),
        ("impersonate-group", "builders"),
        ("impersonate-extra-scope", "some"),
    ];
    let who = client.send(Method::POST, review, &headers, "{}").await.json();
    let user = &who["status"]["userInfo"];
    assert_eq!(user["username"], "bob");
    assert_eq!(user["groups"], json!(["builders", "system:authenticated"]));
    assert_eq!(user["extra"], json!({"scope": ["some"]}));
    let as_bob = [("impersonate-user", "bob")];
    let pods = client.send(Method::GET, "/api/v1/pods", &as_bob, "").await;
    assert!(pods.code == 403 && pods.text().contains("User \\\"bob\\\" cannot list"));
    let alice = Client::connect(server, Some(ALICE)).await;
    let refused =
        alice.send(Method::GET, "/api/v1/pods", &[("impersonate-user", "root")], "").await;
    assert!(
        refused.code == 403 && refused.text().contains("cannot impersonate"),
        "{}",
        refused.text()
    );
}

#[tokio::test]
async fn a_role_opens_a_door() {
    let server = Server::shared();
    let (client, alice) = (server.admin().await, Client::connect(server, Some(ALICE)).await);
    let (namespace, maps) = client.namespace().await;
    assert_eq!(alice.get(&maps).await.code, 403);
    let rbac = format!("/apis/rbac.authorization.k8s.io/v1/namespaces/{namespace}");
    let rules = json!([{"apiGroups": [""], "resources": ["configmaps"], "verbs": ["list"]}]);
    client.post(&format!("{rbac}/roles"), json!({"metadata": {"name": "r"}, "rules": rules})).await;
    let role = json!({"apiGroup": "rbac.authorization.k8s.io", "kind": "Role", "name": "r"});
    let subject = json!({"apiGroup": "rbac.authorization.k8s.io", "kind": "User", "name": "alice"});
    let binding = json!({"metadata": {"name": "b"}, "roleRef": role, "subjects": [subject]});
    let bound = client.post(&format!("{rbac}/rolebindings"), binding).await;
    assert_eq!(bound.code, 201, "{}", bound.text());
    assert_eq!(alice.get(&maps).await.code, 200, "at once, for a write is seen by who asks next");
    assert_eq!(alice.get(&format!("{maps}/x")).await.code, 403);
    client.delete(&format!("{rbac}/rolebindings/b")).await;
    assert_eq!(alice.get(&maps).await.code, 403);
}

#[tokio::test]
async fn heads_of_answers() {
    let client = Server::shared().admin().await;
    let (_, maps) = client.namespace().await;
    client.map(&maps, "a").await;
    let echoed = client.send(Method::GET, "/version", &[("audit-id", "my-own-id")], "").await;
    assert_eq!(echoed.header("audit-id"), "my-own-id");
    for path in [maps.as_str(), "/healthz", "/api/v1/nothing", "/nothing"] {
        let answer = client.get(path).await;
        assert_eq!(answer.header("audit-id").len(), 36, "{path}");
        assert_eq!(answer.header("cache-control"), "no-cache, private", "{path}");
        assert!(!answer.header("date").is_empty(), "{path}");
    }
    let object = format!("{maps}/a");
    // Objects and documents of discovery have no heads; what is not registered for GET alone has.
    for (path, code) in [
        (object.as_str(), 405),
        (maps.as_str(), 405),
        ("/version", 405),
        ("/api/v1", 405),
        ("/apis/apps/v1", 405),
        ("/healthz", 200),
        ("/metrics", 200),
        ("/openapi/v2", 200),
        ("/apis", 200),
    ] {
        let head = client.send(Method::HEAD, path, &[], "").await;
        assert_eq!((head.code, head.body.len()), (code, 0), "{path}");
    }
}

#[tokio::test]
async fn where_everybody_may_do_everything_nobody_is_anonymous() {
    let server = Server::start_with(|config| config.modes = vec![Mode::Rbac, Mode::AlwaysAllow]);
    for token in [None, Some("no.such.token")] {
        let stranger = Client::connect(&server, token).await;
        for path in ["/api/v1/namespaces", "/version", "/healthz"] {
            let refused = (401, "Unauthorized".to_owned());
            assert_eq!(stranger.get(path).await.refusal(), refused, "{token:?} {path}");
        }
        let basic = [("authorization", "Basic YTpi")];
        let answer = stranger.send(Method::GET, "/api/v1/namespaces", &basic, "").await;
        assert_eq!(answer.code, 401, "{token:?}");
    }
    let alice = Client::connect(&server, Some(ALICE)).await;
    assert_eq!(alice.get("/api/v1/namespaces").await.code, 200);
}

#[tokio::test]
async fn what_is_not_there() {
    let client = Server::shared().admin().await;
    let (_, maps) = client.namespace().await;
    for path in ["/nothing", "/apis/none.example.com/v1/things", "/apis/none.example.com"] {
        let answer = client.get(path).await;
        assert_eq!((answer.code, answer.text()), (404, "404 page not found\n"), "{path}");
    }
    let status = "the server could not find the requested resource";
    for path in ["/api/v1/things", "/apis/apps/v9/deployments", "/apis/apps/v9"] {
        assert_eq!(client.get(path).await.refusal(), (404, status.into()), "{path}");
    }
    let missing = client.get(&format!("{maps}/no")).await;
    assert_eq!(missing.refusal(), (404, "configmaps \"no\" not found".into()));
    let odd = client.send(Method::PUT, &maps, &[], "").await;
    assert_eq!((odd.code, text(&odd.json()["reason"])), (405, "MethodNotAllowed".into()));
}
