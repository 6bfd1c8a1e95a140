//! Tests of proxies to nodes, pods and Services: requests, responses, and rewritten pages.

use crate::client::{Answer, with_timeout};
use crate::service;
use crate::world::{Mode, NAMESPACE, World, of_pod, own_address};
use hyper::Method;
use hyper_util::rt::TokioIo;
use kubelet_peer::Answer as CannedAnswer;
use serde_json::{Value, json};
use std::net::SocketAddr;
use tokio::io::{AsyncReadExt, AsyncWriteExt};

const NODE: &str = "/api/v1/nodes/a/proxy";

/// A pod at an address of this machine with this port.
async fn pod_at(world: &World, name: &str, ip: &str, port: u16) {
    let container = json!({"name": "main", "image": "image", "ports": [{"containerPort": port}]});
    let pod = json!({"metadata": {"name": name}, "spec": {"containers": [container]}});
    world.make(&format!("/api/v1/namespaces/{NAMESPACE}/pods"), pod).await;
    let status = json!({"status": {"podIP": ip, "podIPs": [{"ip": ip}]}});
    let patched = world.admin.patch(&of_pod(name, "status"), status).await;
    assert_eq!(patched.code, 200, "{}", patched.text());
}

/// Creates the Service `web` with the pod `backend`.
async fn service_at(world: &World, address: SocketAddr) {
    service_spelled(world, address, &address.ip().to_string()).await;
}

/// The same with another spelling of its endpoint.
async fn service_spelled(world: &World, address: SocketAddr, ip: &str) {
    pod_at(world, "backend", &address.ip().to_string(), address.port()).await;
    let ports = json!([{"name": "web", "port": 80}, {"name": "other", "port": 81}]);
    let service = json!({"metadata": {"name": "web"}, "spec": {"ports": ports}});
    world.make(&format!("/api/v1/namespaces/{NAMESPACE}/services"), service).await;
    let target = json!({"kind": "Pod", "namespace": NAMESPACE, "name": "backend"});
    let endpoints = json!({
        "metadata": {"name": "web"},
        "subsets": [{
            "addresses": [{"ip": ip, "targetRef": target}],
            "ports": [{"name": "web", "port": address.port()}],
        }],
    });
    world.make(&format!("/api/v1/namespaces/{NAMESPACE}/endpoints"), endpoints).await;
}

fn service(id: &str, rest: &str) -> String {
    format!("/api/v1/namespaces/{NAMESPACE}/services/{id}/proxy{rest}")
}

#[tokio::test]
async fn every_method_goes_through_with_its_body() {
    let world = World::new(Mode::Enforce).await;
    let kubelet = world.usual("a").await;
    let body = "x".repeat(300_000);
    for method in ["GET", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"] {
        let sent = if method == "GET" { String::new() } else { body.clone() };
        let path = format!("{NODE}/echo/a%2Fb/?b=2&a=%20x&a=1");
        let headers = [("x-own", "1"), ("te", "trailers"), ("x-forwarded-for", "10.1.1.1")];
        let answer = world.admin.send(method.parse().unwrap(), &path, &headers, sent.clone()).await;
        assert_eq!(answer.code, 200, "{method}: {}", answer.text());
        let echoed = answer.json();
        assert_eq!(
            (&echoed["method"], &echoed["query"]),
            (&json!(method), &json!("b=2&a=%20x&a=1"))
        );
        assert!(
            echoed["body"] == sent,
            "{method}: {} bytes",
            echoed["body"].as_str().unwrap().len()
        );
        let header = |name: &str| &echoed["headers"][name][0];
        assert_eq!(header("x-own"), "1");
        assert_eq!(header("x-forwarded-for"), "10.1.1.1, 127.0.0.1");
        assert_eq!(echoed["path"], "/echo/a/b/");
        assert_eq!(header("x-forwarded-uri"), &format!("{NODE}/echo/a/b/"));
        assert_eq!(
            echoed["headers"]["te"],
            Value::Null,
            "what speaks of one connection stays here"
        );
    }
    let head = world.admin.send(Method::HEAD, &format!("{NODE}/healthz"), &[], "").await;
    assert_eq!((head.code, head.text(), head.header("content-length")), (200, String::new(), "2"));
    assert_eq!(kubelet.requests().last().unwrap().method, "HEAD");
    assert_eq!(kubelet.connections(), 1);
}

#[tokio::test]
async fn a_path_that_is_empty_gets_its_slash() {
    let world = World::new(Mode::Enforce).await;
    let kubelet = world.usual("a").await;
    for method in [Method::GET, Method::HEAD] {
        let moved = world.admin.send(method, &format!("{NODE}?a=b"), &[], "").await;
        assert_eq!((moved.code, moved.header("location")), (301, &*format!("{NODE}/?a=b")));
    }
    assert!(kubelet.requests().is_empty());
    world.admin.send(Method::POST, NODE, &[], "").await;
    world.admin.get(&format!("{NODE}/")).await;
    world.admin.get(&format!("{NODE}/echo/")).await;
    world.admin.get(&format!("{NODE}/echo")).await;
    let requests = kubelet.requests();
    let paths: Vec<_> = requests.iter().map(|request| &*request.path).collect();
    assert_eq!(paths, ["/", "/", "/echo/", "/echo"]);
}

#[tokio::test]
async fn redirects_and_links_lead_back_through_the_proxy() {
    let world = World::new(Mode::Enforce).await;
    let kubelet = world.usual("a").await;
    let own = format!("https://{}/there?q=1", kubelet.address());
    for (to, followed) in [
        ("/there?q=1", format!("{NODE}/there?q=1")),
        (own.as_str(), format!("{NODE}/there?q=1")),
        ("there", "there".into()),
        ("https://elsewhere.example/there", "https://elsewhere.example/there".into()),
    ] {
        let headers = vec![("location".into(), to.into())];
        kubelet.answer("/moved", Some(CannedAnswer { status: 302, headers, body: String::new() }));
        let answer = world.admin.get(&format!("{NODE}/moved")).await;
        assert_eq!((answer.code, answer.header("location")), (302, &*followed));
    }
    let body =
        "<html><a href=\"/x\">x</a><img src='y'><a href=\"https://elsewhere.example/z\">z</a>";
    let page = |kind: &str| {
        let headers =
            [("content-type", kind), ("access-control-allow-origin", "*"), ("x-own", "1")];
        let headers = headers.map(|(name, value)| (name.into(), value.into())).to_vec();
        Some(CannedAnswer { status: 200, headers, body: body.into() })
    };
    kubelet.answer("/page", page("text/html; charset=utf-8"));
    let answer = world.admin.get(&format!("{NODE}/page")).await;
    let text = answer.text();
    assert!(text.contains(&format!("href=\"{NODE}/x\"")), "{text}");
    assert!(text.contains("'y'") || text.contains("\"y\""), "{text}");
    assert!(text.contains("href=\"https://elsewhere.example/z\""), "{text}");
    assert_eq!((answer.header("x-own"), answer.header("access-control-allow-origin")), ("1", ""));
    for spelled in ["/page/caf%c3%a9", "/p%61ge/caf%C3%A9", "/x/..//page/caf%C3%A9"] {
        let text = world.admin.get(&format!("{NODE}{spelled}")).await.text();
        assert!(text.contains(&format!("href=\"{NODE}/x\"")), "{spelled}: {text}");
        let request = kubelet.requests().pop().unwrap();
        assert_eq!(request.path, "/page/caf%C3%A9", "{spelled}");
        assert_eq!(request.headers["x-forwarded-uri"], format!("{NODE}/page/caf%C3%A9"));
    }
    kubelet.answer("/page", page("text/plain"));
    assert_eq!(world.admin.get(&format!("{NODE}/page")).await.text(), body);
}

#[tokio::test]
async fn answers_of_backends_are_passed_on_as_they_are() {
    let world = World::new(Mode::Enforce).await;
    let kubelet = world.usual("a").await;
    for status in [204, 400, 401, 404, 500, 503] {
        let body = if status == 204 { "" } else { "words" };
        kubelet
            .answer("/any", Some(CannedAnswer { status, headers: Vec::new(), body: body.into() }));
        let answer = world.admin.get(&format!("{NODE}/any")).await;
        assert_eq!((answer.code, answer.text()), (status, body.into()));
    }
}

#[tokio::test]
async fn names_that_lead_nowhere_are_told() {
    let world = World::new(Mode::Enforce).await;
    world.node("local", "127.0.0.1:1".parse().unwrap()).await;
    let own = own_address();
    world.node("closed", (own, 1).into()).await;
    pod_at(&world, "closed", &own.to_string(), 1).await;
    pod_at(&world, "local", "127.0.0.1", 80).await;
    world.pod("nowhere", "").await;
    let service = json!({"metadata": {"name": "alone"}, "spec": {"ports": [{"port": 80}]}});
    world.make(&format!("/api/v1/namespaces/{NAMESPACE}/services"), service).await;
    let refused =
        format!("error trying to reach service: dial tcp {own}:1: connect: connection refused");
    let node = |id: &str| format!("/api/v1/nodes/{id}/proxy/x");
    let pod = |id: &str| of_pod(id, "proxy/x");
    for (path, code, message) in [
        (node("local"), 400, "address not allowed"),
        (node("closed"), 503, &refused),
        (node("missing"), 404, "nodes \"missing\" not found"),
        (node("a:b:c:d"), 400, "invalid node request \"a:b:c:d\""),
        (node("ftp:closed:1"), 400, "invalid node request \"ftp:closed:1\""),
        (pod("closed"), 503, &refused),
        (pod("closed:1"), 503, &refused),
        (pod("local"), 400, "address not allowed"),
        (pod("nowhere"), 400, "address not allowed"),
        (pod("missing"), 404, "pods \"missing\" not found"),
        (pod("a:b:c:d"), 400, "invalid pod request \"a:b:c:d\""),
        (self::service("missing", "/x"), 404, "endpoints \"missing\" not found"),
        (self::service("alone", "/x"), 404, "endpoints \"alone\" not found"),
        (self::service("alone:7", "/x"), 503, "no service port 7 found for service \"alone\""),
        (self::service("a:b:c:d", "/x"), 400, "invalid service request \"a:b:c:d\""),
    ] {
        let answer = world.admin.get(&path).await;
        assert_eq!(answer.refusal(), (code, message.to_owned()), "{path}");
    }
}

#[tokio::test]
async fn pods_are_reached_in_the_clear_and_in_tls() {
    let world = World::new(Mode::Enforce).await;
    let plain = service::http().await;
    pod_at(&world, "plain", &plain.ip().to_string(), plain.port()).await;
    let tls = world.kubelet("nobody").await;
    let port = plain.port();
    for id in ["plain".to_owned(), format!("plain:{port}"), format!("http:plain:{port}")] {
        let path = of_pod(&id, "proxy/some/path?q=1");
        let answer = world.admin.send(Method::PUT, &path, &[], "body").await.json();
        assert_eq!(
            answer,
            json!({"method": "PUT", "uri": "/some/path?q=1", "body": "body"}),
            "{id}"
        );
    }
    let id = format!("https:plain:{}", tls.address().port());
    let answer = world.admin.get(&of_pod(&id, "proxy/echo")).await;
    assert_eq!(answer.json()["method"], "GET", "its certificate is nobody's business");
    assert_eq!(world.names().await, Some((0, 0)));
}

/// Checks the echo behind `/upgrade`.
async fn echoes(world: &World, path: &str) {
    let headers = [("connection", "Upgrade"), ("upgrade", "echo")];
    let upgraded = world.admin.upgrade(Method::GET, path, &headers).await;
    let (headers, upgraded) =
        upgraded.unwrap_or_else(|why: Answer| panic!("{path}: {}", why.text()));
    assert_eq!(headers["upgrade"], "echo");
    let mut io = TokioIo::new(upgraded);
    io.write_all(b"hello").await.unwrap();
    let mut bytes = [0; 5];
    with_timeout(io.read_exact(&mut bytes)).await.unwrap();
    assert_eq!(&bytes, b"hello");
    io.shutdown().await.unwrap();
    let mut rest = Vec::new();
    with_timeout(io.read_to_end(&mut rest)).await.unwrap();
    assert_eq!(rest, b"");
}

#[tokio::test]
async fn services_are_reached_through_their_endpoints() {
    let world = World::new(Mode::Enforce).await;
    service_at(&world, service::http().await).await;
    for id in ["web:web", "web:80", "http:web:web", "http:web:80"] {
        let answer = world.admin.get(&service(id, "/x?y")).await;
        assert_eq!(answer.code, 200, "{id}: {}", answer.text());
        assert_eq!(answer.json()["uri"], "/x?y");
        echoes(&world, &service(id, "/upgrade")).await;
    }
    let none = |id: &str| (503, format!("no endpoints available for service \"{id}\""));
    for id in ["web:other", "web:81", "web"] {
        assert_eq!(world.admin.get(&service(id, "/x")).await.refusal(), none(id), "{id}");
    }
    let gone = world.admin.delete(of_pod("backend", "").trim_end_matches('/')).await;
    assert_eq!(gone.code, 200, "{}", gone.text());
    let answer = world.admin.get(&service("web:web", "/x")).await;
    assert_eq!(answer.refusal(), none("web:web"), "an address that is no pod's is nobody's");
}

#[tokio::test]
async fn a_service_finds_its_pod_however_the_address_is_spelled() {
    let world = World::with(Mode::Enforce, |_, config| {
        config.api_config.gates.apply(&["StrictIPCIDRValidation=false"]).unwrap();
    })
    .await;
    let address = service::http().await;
    service_spelled(&world, address, &format!("::ffff:{}", address.ip())).await;
    let answer = world.admin.get(&service("web:web", "/x?y")).await;
    assert_eq!(answer.code, 200, "{}", answer.text());
    assert_eq!(answer.json()["uri"], "/x?y");
}

#[tokio::test]
async fn protocols_are_changed_through_proxies() {
    let world = World::new(Mode::Enforce).await;
    let plain = service::http().await;
    pod_at(&world, "plain", &plain.ip().to_string(), plain.port()).await;
    echoes(&world, &of_pod("plain", "proxy/upgrade")).await;
    let _kubelet = world.usual("a").await;
    echoes(&world, &format!("/api/v1/nodes/a:{}/proxy/upgrade", plain.port())).await;
    let headers = [("connection", "Upgrade"), ("upgrade", "echo")];
    let stayed = world.admin.upgrade(Method::GET, &of_pod("plain", "proxy/x"), &headers).await;
    let text = "invalid upgrade response: status code 200";
    assert_eq!(stayed.err().unwrap().refusal(), (500, text.into()));
}
