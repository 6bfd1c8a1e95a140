//! Tests of access to connections, and that credentials of clients never reach the backend.

use crate::client::{Client, channels};
use crate::world::{Mode, NAMESPACE, World, of_pod, own_address};
use base64::Engine;
use base64::prelude::BASE64_URL_SAFE_NO_PAD;
use hyper::Method;
use serde_json::json;

const SPDY: [(&str, &str); 4] = [
    ("connection", "Upgrade"),
    ("upgrade", "SPDY/3.1"),
    ("x-stream-protocol-version", "v4.channel.k8s.io"),
    ("x-stream-protocol-version", "portforward.k8s.io"),
];

/// Connectable resources: the resource, the request, and the verb.
const PARTS: [(&str, &str, &str, &str); 8] = [
    ("pods/log", "GET", "get", "/api/v1/namespaces/work/pods/pod/log"),
    ("pods/exec", "POST", "create", "/api/v1/namespaces/work/pods/pod/exec?command=id&stdout=true"),
    ("pods/attach", "POST", "create", "/api/v1/namespaces/work/pods/pod/attach?stdout=true"),
    ("pods/portforward", "POST", "create", "/api/v1/namespaces/work/pods/pod/portforward"),
    ("pods/proxy", "GET", "get", "/api/v1/namespaces/work/pods/pod:1/proxy/"),
    ("services/proxy", "GET", "get", "/api/v1/namespaces/work/services/nothing/proxy/"),
    ("nodes/proxy", "GET", "get", "/api/v1/nodes/a/proxy/healthz"),
    ("nodes/proxy", "DELETE", "delete", "/api/v1/nodes/a/proxy/echo"),
];

/// Lets Alice do this and nothing else.
async fn allow(world: &World, verbs: &[&str], resource: &str) {
    let role = json!({
        "metadata": {"name": "part"},
        "rules": [{"apiGroups": [""], "resources": [resource], "verbs": verbs}],
    });
    let binding = json!({
        "metadata": {"name": "part"},
        "roleRef": {"apiGroup": "rbac.authorization.k8s.io", "kind": "ClusterRole", "name": "part"},
        "subjects": [{"apiGroup": "rbac.authorization.k8s.io", "kind": "User", "name": "alice"}],
    });
    let rbac = "/apis/rbac.authorization.k8s.io/v1";
    for kind in ["clusterroles", "clusterrolebindings"] {
        world.admin.delete(&format!("{rbac}/{kind}/part")).await;
    }
    world.make(&format!("{rbac}/clusterroles"), role).await;
    world.make(&format!("{rbac}/clusterrolebindings"), binding).await;
}

fn cannot(verb: &str, resource: &str) -> String {
    let (kind, name, place) = match resource.split('/').next().unwrap() {
        "nodes" => ("nodes", "a", "at the cluster scope".to_owned()),
        "services" => ("services", "nothing", format!("in the namespace \"{NAMESPACE}\"")),
        kind => (kind, "pod", format!("in the namespace \"{NAMESPACE}\"")),
    };
    let name = if resource == "pods/proxy" { "pod:1" } else { name };
    format!(
        "{kind} \"{name}\" is forbidden: User \"alice\" cannot {verb} resource \"{resource}\" in API group \"\" {place}"
    )
}

/// The code and text of a response, upgraded or not.
async fn outcome(client: &Client, method: &str, path: &str) -> (u16, String) {
    let method: Method = method.parse().unwrap();
    let headers = if method == Method::POST { &SPDY[..] } else { &[] };
    match client.upgrade(method, path, headers).await {
        Ok(_) => (101, String::new()),
        Err(answer) => (answer.code, answer.text()),
    }
}

#[tokio::test]
async fn every_part_is_allowed_by_itself() {
    let world = World::new(Mode::Enforce).await;
    let _kubelet = world.usual("a").await;
    let alice = world.alice();
    for (allowed, _, allowed_verb, _) in PARTS {
        allow(&world, &[allowed_verb], allowed).await;
        for (resource, method, verb, path) in PARTS {
            let (code, text) = outcome(&alice, method, path).await;
            if (resource, verb) == (allowed, allowed_verb) {
                assert_ne!(code, 403, "{resource}: {text}");
            } else {
                assert_eq!(code, 403, "{resource} with nothing but {allowed}: {text}");
                let message: serde_json::Value = serde_json::from_str(&text).unwrap();
                assert_eq!(message["message"], cannot(verb, resource));
            }
        }
    }
    allow(&world, &["*"], "pods").await;
    for (resource, method, _, path) in PARTS {
        assert_eq!(outcome(&alice, method, path).await.0, 403, "{resource} is more than its pod");
    }
}

#[tokio::test]
async fn who_reads_a_stream_must_be_allowed_to_make_it() {
    let world = World::new(Mode::Enforce).await;
    let kubelet = world.usual("a").await;
    let alice = world.alice();
    for (resource, path) in [
        ("pods/exec", of_pod("pod", "exec?command=id&stdout=true")),
        ("pods/attach", of_pod("pod", "attach?stdout=true")),
        ("pods/portforward", of_pod("pod", "portforward?ports=80")),
    ] {
        allow(&world, &["get"], resource).await;
        for protocol in ["v5.channel.k8s.io", "v4.channel.k8s.io"] {
            let refused = alice.websocket(&path, protocol).await.unwrap_err();
            // As in the reference, without a reason that its authorizer does not give.
            assert_eq!(
                refused.refusal(),
                (403, "pods \"pod\" is forbidden: ".into()),
                "{resource}"
            );
            assert_eq!(refused.json()["reason"], "Forbidden");
        }
        allow(&world, &["create"], resource).await;
        let refused = alice.websocket(&path, "v4.channel.k8s.io").await.unwrap_err();
        assert_eq!(refused.refusal(), (403, cannot("get", resource)));
        assert!(kubelet.requests().is_empty(), "nobody was asked");
        allow(&world, &["get", "create"], resource).await;
        assert!(alice.websocket(&path, "v4.channel.k8s.io").await.is_ok(), "{resource}");
        kubelet.clear_requests();
    }
}

/// Headers with credentials, none of which may be forwarded.
const PROOFS: [(&str, &str); 8] = [
    ("impersonate-user", "root"),
    ("impersonate-group", "system:masters"),
    ("impersonate-uid", "7"),
    ("impersonate-extra-scope", "secret"),
    ("x-remote-user", "secret"),
    ("x-remote-group", "secret"),
    ("x-remote-uid", "secret"),
    ("x-remote-extra-scope", "secret"),
];

#[tokio::test]
async fn proofs_of_who_asks_go_no_further() {
    let world = World::new(Mode::Enforce).await;
    let kubelet = world.usual("a").await;
    let other = crate::service::http().await;
    let ip = own_address().to_string();
    let status = json!({"status": {"podIP": ip, "podIPs": [{"ip": ip}]}});
    assert_eq!(world.admin.patch(&of_pod("pod", "status"), status).await.code, 200);
    let with = |more: &[(&'static str, &'static str)]| [&PROOFS[..], more].concat();
    let exec = of_pod("pod", "exec?command=id&stdout=true");
    world.admin.send(Method::GET, &of_pod("pod", "log"), &PROOFS, "").await;
    let proxied = world
        .admin
        .send(Method::GET, "/api/v1/nodes/a/proxy/echo", &with(&[("x-kept", "1")]), "")
        .await;
    assert_eq!(proxied.json()["headers"]["x-kept"], json!(["1"]));
    for path in [
        &exec,
        &of_pod("pod", "attach?stdout=true"),
        "/api/v1/nodes/a/proxy/exec/work/pod/main?command=id&output=1",
    ] {
        let upgraded = world.admin.upgrade(Method::POST, path, &with(&SPDY)).await;
        assert!(upgraded.is_ok(), "{path}: {:?}", upgraded.err());
    }
    for protocol in ["v5.channel.k8s.io", "v4.channel.k8s.io"] {
        let headers = with(&[("sec-websocket-protocol", protocol)]);
        channels(&mut world.admin.websocket_with(&exec, &headers).await.unwrap()).await;
    }
    let requests = kubelet.requests();
    assert_eq!(requests.len(), 7);
    let pod = of_pod(&format!("pod:{}", other.port()), "proxy/headers");
    let answer = world.admin.send(Method::GET, &pod, &with(&[("x-kept", "1")]), "").await;
    assert_eq!(answer.json()["x-kept"], "1", "{}", answer.text());
    let behind = answer.json();
    let behind = behind.as_object().unwrap().keys().map(String::as_str);
    let names = requests
        .iter()
        .flat_map(|request| request.headers.keys())
        .map(hyper::header::HeaderName::as_str);
    for name in names.chain(behind) {
        let is_proof = name == "authorization" || PROOFS.iter().any(|(proof, _)| *proof == name);
        assert!(!is_proof, "{name}");
    }
}

#[tokio::test]
async fn a_token_among_subprotocols_is_taken_out() {
    let world = World::new(Mode::Enforce).await;
    let kubelet = world.usual("a").await;
    let nobody = Client::new(&world.server, None);
    let token = BASE64_URL_SAFE_NO_PAD.encode(crate::server::ADMIN);
    let exec = of_pod("pod", "exec?command=id&stdout=true");
    for protocol in ["v5.channel.k8s.io", "v4.channel.k8s.io"] {
        let offered = format!("base64url.bearer.authorization.k8s.io.{token}, {protocol}");
        let mut socket = nobody.websocket(&exec, &offered).await.unwrap();
        assert_eq!(channels(&mut socket).await.status()["status"], "Success");
        let refused = nobody.websocket(&exec, protocol).await.unwrap_err();
        assert_eq!(refused.code, 403, "who says nothing may nothing");
    }
    for request in kubelet.requests() {
        for (name, value) in &request.headers {
            let value = value.to_str().unwrap();
            assert!(!value.contains(&token) && !value.contains("bearer"), "{name}: {value}");
        }
    }
}

#[tokio::test]
async fn proofs_that_this_server_does_not_know_go_no_further_either() {
    let world = World::new(Mode::Enforce).await;
    let kubelet = world.usual("a").await;
    allow(&world, &["*"], "nodes/proxy").await;
    let binding = "/apis/rbac.authorization.k8s.io/v1/clusterrolebindings/part";
    let everybody = json!({"subjects": [{"kind": "User", "name": "system:anonymous"}]});
    assert_eq!(world.admin.patch(binding, everybody).await.code, 200);
    let nobody = Client::new(&world.server, None);
    let basic = ("authorization", "Basic c2VjcmV0");
    let answer = nobody.send(Method::GET, "/api/v1/nodes/a/proxy/echo", &[basic], "").await;
    assert_eq!(answer.code, 200, "{}", answer.text());
    let path = "/api/v1/nodes/a/proxy/exec/work/pod/main?command=id&output=1";
    let headers = [&SPDY[..], &[basic]].concat();
    assert!(nobody.upgrade(Method::POST, path, &headers).await.is_ok());
    for request in kubelet.requests() {
        assert_eq!(request.headers.get("authorization"), None, "{}", request.path);
    }
}
