//! Tests of the `ratchet serve` process: start, requests over TLS, stop, and wrong flags.
#![allow(clippy::unwrap_used, reason = "a test may fail")]
#![allow(clippy::indexing_slicing, reason = "a test may fail")]

#[allow(dead_code, reason = "others use more of it")]
mod server;

use ratchet_store::{Guard, Store, Write};
use serde_json::{Value, json};
use server::{Server, free_port, refused, refused_at_home};
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::Path;
use std::time::{Duration, Instant};

fn mode(path: &Path) -> u32 {
    std::fs::metadata(path).unwrap().permissions().mode() & 0o777
}

#[test]
fn a_server_starts_serves_and_stops() {
    let dir = tempfile::tempdir().unwrap();
    let data = dir.path().join("data");
    let mut server = Server::start(&data, &[]);
    assert_eq!(server.lines.len(), 3);
    let url = format!(" serves the Kubernetes API on https://127.0.0.1:{}", server.port);
    assert!(server.lines[0].ends_with(&url), "{:?}", server.lines);
    let kubeconfig = data.canonicalize().unwrap().join("kubeconfig");
    assert_eq!(server.lines[1], format!("export KUBECONFIG={}", kubeconfig.display()));
    assert_eq!(server.lines[2], "kubectl get namespaces");

    let (status, body) = server.get("/readyz");
    assert_eq!((status, body.as_str()), (200, "ok"));
    let (status, body) = server.get("/api/v1/namespaces/kube-system");
    assert_eq!(status, 200, "{body}");
    assert!(body.contains("\"name\":\"kube-system\""), "{body}");
    // Clients without a certificate are anonymous.
    let (status, body) = server.request_anonymously("GET", "/api/v1/namespaces", "");
    assert_eq!(status, 403, "{body}");
    assert!(body.contains("system:anonymous"), "{body}");

    for (file, wanted) in [
        ("", 0o700),
        ("kubeconfig", 0o600),
        ("pki", 0o700),
        ("pki/ca.key", 0o600),
        ("pki/apiserver.key", 0o600),
        ("pki/admin.key", 0o600),
        ("pki/sa.key", 0o600),
        ("pki/ca.crt", 0o644),
        ("pki/front-proxy", 0o700),
        ("pki/front-proxy/ca.key", 0o600),
        ("pki/front-proxy/front-proxy-client.key", 0o600),
    ] {
        assert_eq!(mode(&data.join(file)), wanted, "{file}");
    }
    assert!(data.join("store").is_dir());
    server.signal("TERM");
    assert_eq!(server.wait(), (Some(0), String::new()));
}

#[test]
fn a_restart_keeps_what_is_stored_and_who_is_believed() {
    let dir = tempfile::tempdir().unwrap();
    let mut server = Server::start(dir.path(), &[]);
    let namespace = r#"{"apiVersion":"v1","kind":"Namespace","metadata":{"name":"kept"}}"#;
    let (status, body) = server.request("POST", "/api/v1/namespaces", namespace);
    assert_eq!(status, 201, "{body}");
    let keys = ["ca.crt", "ca.key", "apiserver.crt", "admin.crt", "sa.key"];
    let read = || keys.map(|name| std::fs::read(dir.path().join("pki").join(name)).unwrap());
    let before = read();
    server.signal("INT");
    assert_eq!(server.wait().0, Some(0));

    let mut again = Server::start(dir.path(), &[]);
    assert_eq!(again.get("/api/v1/namespaces/kept").0, 200);
    assert!(read() == before);
    again.signal("TERM");
    assert_eq!(again.wait().0, Some(0));
}

/// Waits until a response is as expected.
fn becomes(server: &Server, path: &str, is_right: impl Fn(u16, &Value) -> bool) -> Value {
    let began = Instant::now();
    loop {
        let (status, body) = server.get(path);
        let answer = serde_json::from_str(&body).unwrap_or_default();
        if is_right(status, &answer) {
            return answer;
        }
        assert!(began.elapsed() < Duration::from_secs(30), "{path}: {status} {body}");
        std::thread::sleep(Duration::from_millis(50));
    }
}

fn make(server: &Server, path: &str, object: &Value) -> Value {
    let (status, body) = server.request("POST", path, &object.to_string());
    assert_eq!(status, 201, "{path}: {body}");
    serde_json::from_str(&body).unwrap()
}

#[test]
fn a_restart_writes_no_file_again_and_changes_no_object() {
    let dir = tempfile::tempdir().unwrap();
    let port = free_port();
    let mut server = Server::start_on(port, dir.path(), &[]);
    let kubeconfig = dir.path().join("kubeconfig");
    let place = |path: &Path| {
        let file = std::fs::metadata(path).unwrap();
        (file.ino(), file.mtime(), file.mtime_nsec())
    };
    let before = place(&kubeconfig);
    let paths = [
        "/api/v1/namespaces/default",
        "/api/v1/namespaces/default/services/kubernetes",
        "/apis/rbac.authorization.k8s.io/v1/clusterroles/cluster-admin",
        "/apis/rbac.authorization.k8s.io/v1/clusterroles/view",
    ];
    let is_full =
        |_: u16, role: &Value| role["rules"].as_array().is_some_and(|all| !all.is_empty());
    becomes(&server, paths[3], is_full);
    becomes(&server, "/api/v1/namespaces/default/serviceaccounts/default", |code, _| code == 200);
    let mine = json!({"metadata": {"name": "mine"}, "data": {"a": "b"}});
    let maps = "/api/v1/namespaces/default/configmaps";
    let made = make(&server, maps, &mine);
    let objects = paths.map(|path| server.get(path));
    server.signal("TERM");
    assert_eq!(server.wait().0, Some(0));

    let mut server = Server::start_on(port, dir.path(), &[]);
    assert_eq!(place(&kubeconfig), before);
    assert!(!dir.path().join("kubeconfig.new").exists());
    assert_eq!(paths.map(|path| server.get(path)), objects);
    let (_, stored) = server.get(&format!("{maps}/mine"));
    assert_eq!(serde_json::from_str::<Value>(&stored).unwrap(), made, "to the last field");
    let (status, _) = server.request("DELETE", &format!("{maps}/mine"), "");
    assert_eq!(status, 200);
    server.signal("TERM");
    server.wait();

    // With another address, clients need a new kubeconfig.
    let server = Server::start(dir.path(), &[]);
    assert_ne!(place(&kubeconfig).0, before.0);
    assert_eq!(mode(&kubeconfig), 0o600);
    assert_eq!(server.get(&format!("{maps}/mine")).0, 404, "what was deleted stays away");
}

#[test]
fn cluster_roles_that_gather_are_filled() {
    let dir = tempfile::tempdir().unwrap();
    let server = Server::start(dir.path(), &[]);
    let roles = "/apis/rbac.authorization.k8s.io/v1/clusterroles";
    let resources = |role: &Value| role["rules"].to_string();
    for (name, has, lacks) in [
        ("view", "\"pods/log\"", "\"secrets\""),
        ("edit", "\"secrets\"", "\"rolebindings\""),
        ("admin", "\"rolebindings\"", "\"clusterroles\""),
    ] {
        let role =
            becomes(&server, &format!("{roles}/{name}"), |_, role| resources(role).contains(has));
        assert!(!resources(&role).contains(lacks), "{name}: {role}");
    }
    let part = json!({
        "metadata": {"name": "widgets", "labels": {"rbac.authorization.k8s.io/aggregate-to-view": "true"}},
        "rules": [{"apiGroups": ["example.com"], "resources": ["widgets"], "verbs": ["list"]}],
    });
    make(&server, roles, &part);
    // The rights of view are included in edit and admin.
    for name in ["view", "edit", "admin"] {
        becomes(&server, &format!("{roles}/{name}"), |_, role| resources(role).contains("widgets"));
    }
    assert_eq!(server.request("DELETE", &format!("{roles}/widgets"), "").0, 200);
    for name in ["view", "edit", "admin"] {
        becomes(&server, &format!("{roles}/{name}"), |_, role| {
            !resources(role).contains("widgets")
        });
    }
}

#[test]
fn a_namespace_comes_with_an_account_and_goes_with_everything() {
    let dir = tempfile::tempdir().unwrap();
    let server = Server::start(dir.path(), &[]);
    let is_there = |status: u16, _: &Value| status == 200;
    let is_gone = |status: u16, _: &Value| status == 404;
    for name in ["default", "kube-system", "kube-public", "kube-node-lease"] {
        let account = format!("/api/v1/namespaces/{name}/serviceaccounts/default");
        becomes(&server, &account, is_there);
    }
    for name in ["shop", "other"] {
        make(&server, "/api/v1/namespaces", &json!({"metadata": {"name": name}}));
        let home = format!("/api/v1/namespaces/{name}");
        becomes(&server, &format!("{home}/serviceaccounts/default"), is_there);
        for kind in ["configmaps", "secrets"] {
            make(&server, &format!("{home}/{kind}"), &json!({"metadata": {"name": "a"}}));
        }
        let lease = format!("/apis/coordination.k8s.io/v1/namespaces/{name}/leases");
        make(&server, &lease, &json!({"metadata": {"name": "a"}}));
    }
    let account = "/api/v1/namespaces/shop/serviceaccounts/default";
    let old = becomes(&server, account, is_there);
    assert_eq!(server.request("DELETE", account, "").0, 200);
    let is_new = |status: u16, new: &Value| {
        status == 200 && new["metadata"]["uid"] != old["metadata"]["uid"]
    };
    becomes(&server, account, is_new);

    let held = json!({"metadata": {"name": "held", "finalizers": ["example.com/hold"]}});
    make(&server, "/api/v1/namespaces/shop/configmaps", &held);
    let (status, body) = server.request("DELETE", "/api/v1/namespaces/shop", "");
    assert_eq!(status, 200, "{body}");
    // A finalizer blocks it, and its conditions say so.
    let going = becomes(&server, "/api/v1/namespaces/shop", |_, namespace| {
        namespace["status"]["conditions"].to_string().contains("example.com/hold in 1 resource")
    });
    assert_eq!(going["status"]["phase"], "Terminating");
    becomes(&server, "/api/v1/namespaces/shop/secrets/a", is_gone);
    let (status, body) = server.request(
        "POST",
        "/api/v1/namespaces/shop/configmaps",
        r#"{"metadata":{"name":"late"}}"#,
    );
    assert_eq!(status, 403, "{body}");
    let (_, body) = server.get("/api/v1/namespaces/shop/configmaps/held");
    let mut held: Value = serde_json::from_str(&body).unwrap();
    held["metadata"]["finalizers"] = json!([]);
    let path = "/api/v1/namespaces/shop/configmaps/held";
    assert_eq!(server.request("PUT", path, &held.to_string()).0, 200);
    becomes(&server, "/api/v1/namespaces/shop", is_gone);

    for path in [
        "/api/v1/configmaps",
        "/api/v1/secrets",
        "/api/v1/serviceaccounts",
        "/apis/coordination.k8s.io/v1/leases",
        "/api/v1/namespaces",
    ] {
        let (_, body) = server.get(path);
        assert!(!body.contains("\"shop\""), "{path}: {body}");
        assert!(body.contains("\"other\""), "{path}: the neighbour stays");
    }
}

#[test]
fn a_process_that_is_killed_loses_nothing() {
    let dir = tempfile::tempdir().unwrap();
    let mut server = Server::start(dir.path(), &[]);
    let map =
        r#"{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"kept"},"data":{"a":"b"}}"#;
    let (status, body) = server.request("POST", "/api/v1/namespaces/default/configmaps", map);
    assert_eq!(status, 201, "{body}");
    server.signal("KILL");
    assert_eq!(server.wait().0, None);
    let again = Server::start(dir.path(), &[]);
    assert_eq!(again.get("/api/v1/namespaces/default/configmaps/kept").0, 200);
}

#[test]
fn a_directory_and_a_port_have_one_server() {
    let dir = tempfile::tempdir().unwrap();
    let server = Server::start(&dir.path().join("one"), &[]);
    let kubeconfig = || std::fs::read(dir.path().join("one/kubeconfig")).unwrap();
    let before = kubeconfig();
    let line = refused(&["--data-dir", &dir.path().join("one").display().to_string()]);
    assert!(line.contains("is in use by another process"), "{line}");
    assert!(kubeconfig() == before, "the second process wrote over the first one's file");

    let port = server.port.to_string();
    let two = dir.path().join("two").display().to_string();
    let line = refused(&["--data-dir", &two, "--secure-port", &port]);
    assert_eq!(
        line,
        format!(
            "Error: failed to create listener: failed to listen on 127.0.0.1:{port}: listen tcp 127.0.0.1:{port}: bind: address already in use"
        )
    );
    assert_eq!(server.get("/livez").0, 200);
}

#[test]
fn what_cannot_be_used_is_told_in_one_line() {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("file");
    std::fs::write(&file, "no certificate").unwrap();
    let (file, data) = (file.display().to_string(), dir.path().join("d").display().to_string());
    let port = free_port().to_string();
    let table: &[(&[&str], String)] = &[
        (&["--data-dir", &file], format!("cannot use {file} as data directory: file exists")),
        (
            &["--data-dir", &data, "--client-ca-file", "/nonexist"],
            "unable to load client CA file: open /nonexist: no such file or directory".into(),
        ),
        (
            &["--data-dir", &data, "--client-ca-file", &file],
            format!("unable to load client CA file: {file}: data does not contain any valid certificates"),
        ),
        (
            &["--data-dir", &data, "--requestheader-client-ca-file", "/nonexist"],
            "unable to load request-header-client-ca-file: open /nonexist: no such file or directory".into(),
        ),
        (
            &["--data-dir", &data, "--token-auth-file", "/nonexist"],
            "open /nonexist: no such file or directory".into(),
        ),
        (
            &["--data-dir", &data, "--service-account-signing-key-file", "/nonexist"],
            "open /nonexist: no such file or directory".into(),
        ),
        (&["--x"], "unknown flag: --x".into()),
        (&["--authorization-mode=Foo"], "authorization-mode \"Foo\" is not a valid mode".into()),
        (
            &["--secure-port=0", "--authorization-mode="],
            "[--secure-port 0 must be between 1 and 65535, inclusive. It cannot be turned off with 0, at least one authorization-mode must be passed]".into(),
        ),
    ];
    for (arguments, why) in table {
        let all: Vec<&str> = arguments.iter().copied().chain(["--secure-port", &port]).collect();
        let all = if arguments.contains(&"--secure-port=0") { arguments } else { &all[..] };
        assert_eq!(refused(all), format!("Error: {why}"), "{arguments:?}");
    }
    let line = refused(&[
        "--data-dir",
        &data,
        "--secure-port",
        &port,
        "--tls-cert-file",
        &file,
        "--tls-private-key-file",
        &file,
    ]);
    assert!(line.contains(&file), "{line}");
}

#[test]
fn stopping_waits_for_requests_and_a_second_word_does_not() {
    let dir = tempfile::tempdir().unwrap();
    let mut server = Server::start(dir.path(), &["--shutdown-delay-duration=2s"]);
    server.signal("TERM");
    // During the delay, requests are answered and readiness fails.
    let began = Instant::now();
    while server.get("/readyz").0 == 200 && began.elapsed() < Duration::from_secs(2) {
        std::thread::sleep(Duration::from_millis(20));
    }
    let (status, body) = server.get("/readyz");
    assert_eq!(status, 500, "{body}");
    assert!(body.contains("[-]shutdown failed"), "{body}");
    assert_eq!(server.get("/api/v1/namespaces/default").0, 200);
    assert_eq!(server.wait().0, Some(0));

    let mut server = Server::start(dir.path(), &["--shutdown-delay-duration=1h"]);
    server.signal("TERM");
    std::thread::sleep(Duration::from_millis(200));
    server.signal("TERM");
    assert_eq!(server.wait().0, Some(1));
}

#[test]
fn a_given_certificate_is_shown_and_taken_anew() {
    let dir = tempfile::tempdir().unwrap();
    // Another server's authority makes the pair, so that the test needs no tool.
    let mut other = Server::start(&dir.path().join("other"), &[]);
    other.signal("TERM");
    other.wait();
    let pki = dir.path().join("other/pki");
    let given = |name: &str| pki.join(name).display().to_string();
    let data = dir.path().join("data");
    let arguments = [
        "--tls-cert-file",
        &given("apiserver.crt"),
        "--tls-private-key-file",
        &given("apiserver.key"),
        "--client-ca-file",
        &given("ca.crt"),
    ];
    let server = Server::start(&data, &arguments);
    assert_eq!(server.presented_certificate(), server::certificate(&pki.join("apiserver.crt")));
    // The own user is accepted, and so is the other authority's.
    assert_eq!(server.get("/api/v1/namespaces").0, 200);
    assert_eq!(server.request_with_certificate(&pki, "/api/v1/namespaces").0, 200);

    // The other server issues a new certificate at its next start, and this one reloads it on SIGHUP.
    std::fs::remove_file(pki.join("apiserver.crt")).unwrap();
    let mut other = Server::start(&dir.path().join("other"), &[]);
    other.signal("TERM");
    other.wait();
    server.signal("HUP");
    let wanted = server::certificate(&pki.join("apiserver.crt"));
    let began = Instant::now();
    while server.presented_certificate() != wanted {
        assert!(began.elapsed() < Duration::from_secs(5), "the new certificate is not shown");
        std::thread::sleep(Duration::from_millis(50));
    }
}

#[test]
fn who_signs_clients_must_not_sign_proxies() {
    let dir = tempfile::tempdir().unwrap();
    let mut server = Server::start(dir.path(), &[]);
    server.signal("TERM");
    server.wait();
    let (data, port) = (dir.path().display().to_string(), free_port().to_string());
    let ca = dir.path().join("pki/ca.crt").display().to_string();
    let proxies =
        ["--data-dir", &data, "--secure-port", &port, "--requestheader-client-ca-file", &ca];
    let line = refused(&proxies);
    assert!(
        line.contains("contain overlapping certificates; --requestheader-allowed-names must"),
        "{line}"
    );
    let named = ["--requestheader-client-ca-file", &ca, "--requestheader-allowed-names", "proxy"];
    assert_eq!(Server::start(dir.path(), &named).get("/livez").0, 200);
}

#[test]
fn tokens_and_strangers() {
    let dir = tempfile::tempdir().unwrap();
    let tokens = dir.path().join("tokens");
    std::fs::write(&tokens, "secret,ada,1,system:masters\n").unwrap();
    let tokens = tokens.display().to_string();
    let arguments = ["--token-auth-file", &tokens, "--anonymous-auth=false"];
    let server = Server::start(&dir.path().join("data"), &arguments);
    assert_eq!(server.request_anonymously("GET", "/api/v1/namespaces", "").0, 401);
    let bearer = "Authorization: Bearer secret\r\n";
    assert_eq!(server.request_anonymously("GET", "/api/v1/namespaces", bearer).0, 200);
}

#[test]
fn flags_reach_the_rules() {
    let service = r#"{"apiVersion":"v1","kind":"Service","metadata":{"name":"web"},"spec":{"ports":[{"port":80}],"externalIPs":["192.0.2.1"]}}"#;
    let path = "/api/v1/namespaces/default/services";
    let dir = tempfile::tempdir().unwrap();
    let deny = ["--enable-admission-plugins=DenyServiceExternalIPs"];
    let mut server = Server::start(dir.path(), &deny);
    let (status, body) = server.request("POST", path, service);
    assert_eq!(status, 403, "{body}");
    server.signal("TERM");
    server.wait();
    let server = Server::start(dir.path(), &["--service-cluster-ip-range=10.0.0.0/24"]);
    let (status, body) = server.request("POST", path, service);
    assert_eq!(status, 201, "{body}");
    assert!(body.contains("\"clusterIP\":\"10.0.0."), "{body}");
}

#[test]
fn a_version_is_printed_or_reported() {
    let run = |flag: &str| {
        let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_ratchet"));
        command.args(["serve", "--data-dir=/proc/nowhere", flag]).output().unwrap()
    };
    for (flag, start) in [
        ("--version", "Kubernetes v1.36.4+ratchet-"),
        ("--version=true", "Kubernetes v1.36.4+ratchet-"),
        ("--version=raw", "version.Info{Major:\"1\", Minor:\"36\""),
    ] {
        let output = run(flag);
        let text = String::from_utf8(output.stdout).unwrap();
        assert!(output.status.success() && text.starts_with(start), "{flag}: {text}");
    }
    let wrong = run("--version=v1.35.0");
    let words = String::from_utf8(wrong.stderr).unwrap();
    let start = "Error: invalid argument \"v1.35.0\" for \"--version\" flag: version \"v1.35.0\" must match major/minor/patch of default version \"v1.36.4+ratchet-";
    assert!(words.starts_with(start), "{words}");
    let dir = tempfile::tempdir().unwrap();
    let server = Server::start(dir.path(), &["--version=v1.36.4-custom"]);
    let (_, body) = server.request("GET", "/version", "");
    assert!(body.contains("\"gitVersion\": \"v1.36.4-custom\""), "{body}");
}

/// The flags that kubeadm 1.36 writes into the manifest of kube-apiserver, with the files of `pki`.
fn kubeadm(pki: &Path) -> Vec<String> {
    let file = |name: &str| pki.join(name).display().to_string();
    [
        "--advertise-address=192.0.2.7".to_owned(),
        "--allow-privileged=true".into(),
        "--authorization-mode=Node,RBAC".into(),
        format!("--client-ca-file={}", file("ca.crt")),
        "--enable-admission-plugins=NodeRestriction".into(),
        "--enable-bootstrap-token-auth=true".into(),
        "--etcd-cafile=/etc/kubernetes/pki/etcd/ca.crt".into(),
        "--etcd-certfile=/etc/kubernetes/pki/apiserver-etcd-client.crt".into(),
        "--etcd-keyfile=/etc/kubernetes/pki/apiserver-etcd-client.key".into(),
        "--etcd-servers=https://127.0.0.1:2379".into(),
        format!("--kubelet-client-certificate={}", file("apiserver-kubelet-client.crt")),
        format!("--kubelet-client-key={}", file("apiserver-kubelet-client.key")),
        "--kubelet-preferred-address-types=InternalIP,ExternalIP,Hostname".into(),
        format!("--proxy-client-cert-file={}", file("front-proxy/front-proxy-client.crt")),
        format!("--proxy-client-key-file={}", file("front-proxy/front-proxy-client.key")),
        "--requestheader-allowed-names=front-proxy-client".into(),
        format!("--requestheader-client-ca-file={}", file("front-proxy/ca.crt")),
        "--requestheader-extra-headers-prefix=X-Remote-Extra-".into(),
        "--requestheader-group-headers=X-Remote-Group".into(),
        "--requestheader-username-headers=X-Remote-User".into(),
        "--service-account-issuer=https://kubernetes.default.svc.cluster.local".into(),
        format!("--service-account-key-file={}", file("sa.key")),
        format!("--service-account-signing-key-file={}", file("sa.key")),
        "--service-cluster-ip-range=10.96.0.0/12".into(),
        format!("--tls-cert-file={}", file("apiserver.crt")),
        format!("--tls-private-key-file={}", file("apiserver.key")),
    ]
    .into()
}

#[test]
fn an_etcd_that_is_not_there_is_told_in_one_line() {
    let home = tempfile::tempdir().unwrap();
    // Nobody listens on these ports.
    let text =
        refused_at_home(home.path(), &["--etcd-servers=http://127.0.0.1:1,http://127.0.0.1:2"]);
    for wanted in ["Error: ", "etcd cannot be used", "127.0.0.1:1: ", "127.0.0.1:2: "] {
        assert!(text.contains(wanted), "{wanted}: {text}");
    }
    // Nothing is written that would belong to a server that runs.
    assert!(!home.path().join("ratchet/kubeconfig").exists());
}

#[test]
fn a_command_line_of_kube_apiserver_starts() {
    let dir = tempfile::tempdir().unwrap();
    // Another server creates the files.
    let mut other = Server::start(&dir.path().join("other"), &[]);
    other.signal("TERM");
    other.wait();
    let mut arguments = kubeadm(&dir.path().join("other/pki"));
    let data = format!("--data-dir={}", dir.path().join("data").display());
    let both: Vec<&str> = arguments.iter().chain([&data]).map(String::as_str).collect();
    assert!(refused(&both).contains("--data-dir and --etcd-servers exclude each other"));
    // The test has no etcd: one of its own tests does.
    arguments.retain(|argument| !argument.starts_with("--etcd-servers"));
    arguments.push("--profiling=false".into());
    arguments.push("--feature-gates=WatchList=false,StrictIPCIDRValidation=false".into());
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let mut server = Server::start(&dir.path().join("data"), &arguments);
    assert_eq!(server.get("/readyz").0, 200);
    server.signal("TERM");
    let (code, text) = server.wait();
    assert_eq!(code, Some(0), "{text}");
    for wanted in
        ["without effect here: --profiling: ", "feature gates without effect here: WatchList\n"]
    {
        assert!(text.contains(wanted), "{wanted}\n{text}");
    }
}

#[test]
fn every_flag_is_in_the_guide_and_the_manual() {
    let run = |arguments: &[&str]| {
        let output =
            std::process::Command::new(env!("CARGO_BIN_EXE_ratchet")).args(arguments).output();
        String::from_utf8(output.unwrap().stdout).unwrap()
    };
    let guide = concat!(env!("CARGO_MANIFEST_DIR"), "/../docs/reference/serve.md");
    let guide = std::fs::read_to_string(guide).unwrap();
    let (help, manual) = (run(&["serve", "--help"]), run(&["man", "serve"]).replace('\\', ""));
    let flags = help.lines().filter_map(|line| {
        line.trim_start().split("--").nth(1).filter(|_| line.trim_start().starts_with('-'))
    });
    let flags: Vec<&str> = flags.filter_map(|rest| rest.split([' ', '[', ',']).next()).collect();
    assert!(flags.len() > 45, "{flags:?}");
    for flag in flags.into_iter().filter(|flag| *flag != "help") {
        assert!(guide.contains(&format!("`--{flag}`")), "the guide lacks --{flag}");
        assert!(manual.contains(&format!("--{flag}")), "the manual lacks --{flag}");
    }
}

/// The real binary on a full disk, which is then freed. The system reports a file size limit like a
/// full disk, and by a signal that must not end the server.
#[test]
fn a_server_without_room_waits_for_it() {
    let dir = tempfile::tempdir().unwrap();
    let mut server = Server::start_limited(6_000, dir.path());
    let maps = "/api/v1/namespaces/default/configmaps";
    let map = |name: usize| {
        let metadata = json!({"name": format!("m{name}")});
        json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": metadata, "data": {"a": "x".repeat(500_000)}})
    };
    let refused = (0..40).find_map(|name| {
        let (code, body) = server.request("POST", maps, &map(name).to_string());
        (code != 201).then_some((name, code, body))
    });
    let (name, code, body) = refused.expect("never full");
    assert_eq!(code, 503, "{body}");
    assert!(body.contains("the store has no room") && !body.contains("state.redb"), "{body}");
    assert_eq!(server.get("/readyz"), (200, "ok".to_owned()));
    assert_eq!(server.get(&format!("{maps}/m0")).0, 200, "reads go on");
    assert!(server.get("/metrics").1.contains("ratchet_storage_state{state=\"full\"} 1\n"));
    server.unlimit();
    let begun = Instant::now();
    while !server.get("/metrics").1.contains("ratchet_storage_state{state=\"sound\"} 1\n") {
        assert!(begun.elapsed() < Duration::from_secs(60), "it never noticed");
        std::thread::sleep(Duration::from_millis(100));
    }
    let (code, body) = server.request("POST", maps, &map(name).to_string());
    assert_eq!(code, 201, "{body}");
    server.signal("TERM");
    let (status, log) = server.wait();
    assert_eq!(status, Some(0), "{log}");
    assert_eq!(log.matches("the store failed").count(), 1, "the cause is told once: {log}");
    assert!(log.contains("state.redb") && log.contains("can be written to again"), "{log}");
}

#[test]
fn where_everybody_may_do_everything_the_log_says_that_nobody_is_anonymous() {
    let dir = tempfile::tempdir().unwrap();
    let mut server = Server::start(dir.path(), &["--authorization-mode=RBAC,AlwaysAllow"]);
    assert_eq!(server.request_anonymously("GET", "/api/v1/namespaces", "").0, 401);
    assert_eq!(server.get("/api/v1/namespaces").0, 200);
    server.signal("TERM");
    let (_, log) = server.wait();
    let why = "AnonymousAuth is not allowed with the AlwaysAllow authorizer";
    assert_eq!(log.matches(why).count(), 1, "{log}");
}

#[test]
fn what_cannot_be_read_is_named_in_the_log() {
    let dir = tempfile::tempdir().unwrap();
    let key = "/registry/configmaps/default/broken";
    let store = ratchet_embedded::Embedded::open(
        &dir.path().join("store"),
        ratchet_embedded::Options::default(),
    );
    let store = store.unwrap();
    let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
    runtime.block_on(store.commit(vec![Write::put(key, Guard::Absent, "{}}")])).unwrap();
    drop(store);
    let mut server = Server::start(dir.path(), &[]);
    for _ in 0..3 {
        let (code, body) = server.get("/api/v1/namespaces/default/configmaps");
        assert_eq!(code, 500, "{body}");
        assert!(body.contains(&format!("the stored value of {key} cannot be read")), "{body}");
    }
    server.signal("TERM");
    let (_, log) = server.wait();
    // Controllers that list the kind say so as often as they try; the cause is told once.
    let is_told =
        |line: &&str| line.contains("a stored value cannot be read") && line.contains(key);
    assert_eq!(log.lines().filter(is_told).count(), 1, "{log}");
}
