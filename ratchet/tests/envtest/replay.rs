//! Replays of what envtest does from the start of a control plane to its end.

use crate::client::head;
use crate::control_plane::{ApiServer, Etcd, assets, has_flag, plain_get};
use serde_json::{Value, json};
use std::io::{BufRead, Read};
use std::time::{Duration, Instant};

const NAMESPACES: &str = "/api/v1/namespaces";

fn namespace(name: &str) -> String {
    json!({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name}}).to_string()
}

#[test]
fn a_control_plane_starts_serves_and_stops() {
    let assets = assets();
    let mut etcd = Etcd::start(assets.path());
    let server = ApiServer::prepare(assets.path(), &etcd.url);
    let mut process = server.start();
    let admin = server.admin();

    // What envtest waits for next.
    let (status, body) = admin.get("/api/v1/namespaces/default");
    assert_eq!(status, 200, "{body}");
    // Users of the given authority, by RBAC alone.
    let (status, body) = server.user("jane", &["dev"]).get(NAMESPACES);
    assert_eq!(status, 403, "{body}");
    assert!(body.contains(r#"User \"jane\" cannot list resource"#), "{body}");
    assert_eq!(server.nobody().get(NAMESPACES).0, 403);
    // Behavior is that of the release: as kube-apiserver says its version, so does this one.
    let (_, version) = server.nobody().get("/version");
    let version: Value = serde_json::from_str(&version).unwrap();
    assert!(version["gitVersion"].as_str().unwrap().starts_with("v1.36."), "{version}");
    // A pod needs no service account.
    let pod = json!({"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "p"}, "spec": {
        "containers": [{"name": "c", "image": "i", "securityContext": {"privileged": true}}],
    }});
    let pods = "/api/v1/namespaces/default/pods";
    let (status, body) = admin.request("POST", pods, &pod.to_string()).unwrap();
    assert_eq!(status, 201, "{body}");
    assert!(!body.contains("serviceAccountName"), "{body}");
    // Tokens come from the given key and issuer.
    let account = json!({"metadata": {"name": "robot"}}).to_string();
    let accounts = "/api/v1/namespaces/default/serviceaccounts";
    assert_eq!(admin.request("POST", accounts, &account).unwrap().0, 201);
    let token = admin.request("POST", &format!("{accounts}/robot/token"), r#"{"spec":{}}"#);
    let (status, body) = token.unwrap();
    assert_eq!(status, 201, "{body}");
    let (_, known) = admin.get("/.well-known/openid-configuration");
    assert!(
        known.contains(&format!(r#""issuer":"https://127.0.0.1:{}/""#, server.port)),
        "{known}"
    );

    process.stop();
    assert_eq!(process.code(), Some(0));
    etcd.process.stop();
    // Nothing is left of them but in the directories that envtest removes.
    assert!(etcd.data_dir.path().join("ratchet").is_dir());
    assert!(server.cert_dir.path().join("ratchet/kubeconfig").is_file());
}

#[test]
fn what_is_stored_outlives_the_api_server_but_not_its_etcd() {
    let assets = assets();
    let etcd = Etcd::start(assets.path());
    let server = ApiServer::prepare(assets.path(), &etcd.url);
    let mut process = server.start();
    assert_eq!(server.admin().request("POST", NAMESPACES, &namespace("kept")).unwrap().0, 201);
    // A second one would need an etcd of its own.
    let second = ApiServer::prepare(assets.path(), &etcd.url);
    let output = second.output(&second.arguments());
    let errors = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(1), "{errors}");
    assert!(errors.contains("is in use by another process"), "{errors}");
    process.stop();

    let mut again = server.start();
    assert_eq!(server.admin().get("/api/v1/namespaces/kept").0, 200);
    again.stop();

    let other = Etcd::start(assets.path());
    let server = ApiServer::prepare(assets.path(), &other.url);
    let _process = server.start();
    assert_eq!(server.admin().get("/api/v1/namespaces/kept").0, 404);
}

#[test]
fn watches_and_open_connections_do_not_hold_up_the_end() {
    let assets = assets();
    let etcd = Etcd::start(assets.path());
    let server = ApiServer::prepare(assets.path(), &etcd.url);
    let mut process = server.start();
    let admin = server.admin();
    // Managers that tests forget to stop: a watch, and a connection that is kept for the next request.
    let mut watch = admin.open("GET", "/api/v1/namespaces?watch=true", "").unwrap();
    assert_eq!(head(&mut watch).unwrap().0, 200);
    let mut line = String::new();
    watch.read_line(&mut line).unwrap();
    let mut idle = admin.open("GET", "/api/v1/namespaces/default", "").unwrap();
    let (status, length) = head(&mut idle).unwrap();
    assert_eq!(status, 200);
    idle.read_exact(&mut vec![0; length.unwrap()]).unwrap();
    let took = process.stop();
    assert!(took < Duration::from_secs(5), "{took:?}");
    assert_eq!(process.code(), Some(0));
    let since = Instant::now();
    let _ = watch.read_to_end(&mut Vec::new());
    assert!(since.elapsed() < Duration::from_secs(5), "the watch ends");
}

#[test]
fn an_api_server_needs_no_etcd() {
    let assets = assets();
    let server = ApiServer::prepare(assets.path(), "http://127.0.0.1:1");
    let mut arguments = server.arguments();
    let mut process = server.start_with(&arguments);
    assert_eq!(server.admin().request("POST", NAMESPACES, &namespace("gone")).unwrap().0, 201);
    process.stop();
    let errors = process.errors();
    assert!(errors.contains("--etcd-servers is not used"), "{errors}");
    assert!(!server.cert_dir.path().join("ratchet/store").exists());
    // What a user adds is in force: no controllers, and a store on the disk.
    let data = tempfile::tempdir().unwrap();
    arguments.push("--controllers=".to_owned());
    arguments.push(format!("--data-dir={}", data.path().display()));
    let mut process = server.start_with(&arguments);
    assert_eq!(server.admin().get("/api/v1/namespaces/gone").0, 404, "it was in memory");
    let accounts = "/api/v1/namespaces/default/serviceaccounts";
    assert!(server.admin().get(accounts).1.contains(r#""items":[]"#));
    process.stop();
    assert!(data.path().join("store").is_dir());
}

#[test]
fn wrong_flags_end_it_with_one_line() {
    let assets = assets();
    let server = ApiServer::prepare(assets.path(), "http://127.0.0.1:1");
    let output = server.output(&["--insecure-port=0".to_owned()]);
    let errors = String::from_utf8(output.stderr).unwrap();
    assert_eq!(
        (output.status.code(), errors.as_str()),
        (Some(1), "Error: unknown flag: --insecure-port\n")
    );
    let output = server.output(&["--version".to_owned()]);
    assert!(String::from_utf8(output.stdout).unwrap().starts_with("Kubernetes v1.36."));
    // The port that envtest suggested may be taken by somebody else: it tries again with another one.
    let taken = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let mut arguments = server.arguments();
    arguments.push(format!("--secure-port={}", taken.local_addr().unwrap().port()));
    let output = server.output(&arguments);
    assert_eq!(output.status.code(), Some(1));
    let errors = String::from_utf8(output.stderr).unwrap();
    assert!(errors.contains("bind: address already in use"), "{errors}");
}

#[test]
fn etcd_answers_health_checks_only() {
    let assets = assets();
    let mut etcd = Etcd::start(assets.path());
    let port = etcd.url.rsplit(':').next().unwrap().parse().unwrap();
    let health = plain_get(port, "/health").unwrap();
    assert!(health.ends_with("\r\n\r\n{\"health\":\"true\",\"reason\":\"\"}"), "{health}");
    assert!(plain_get(port, "/v2/keys").unwrap().starts_with("HTTP/1.1 404 "));
    assert!(has_flag(&assets.path().join("etcd"), "unsafe-no-fsync"));
    let took = etcd.process.stop();
    assert!(took < Duration::from_secs(2), "{took:?}");
    assert_eq!(etcd.process.code(), None, "by the signal, as etcd itself");
    assert!(plain_get(port, "/health").is_none());
}
