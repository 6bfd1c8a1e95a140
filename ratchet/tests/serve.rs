//! `ratchet serve` as a person meets it: started, asked over TLS, stopped, and started wrongly.
#![allow(clippy::unwrap_used, reason = "a test may fail")]
#![allow(clippy::indexing_slicing, reason = "a test may fail")]

mod server;

use server::{Server, free_port, refused};
use std::os::unix::fs::PermissionsExt;
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
    // Those who show no certificate are nobody in particular.
    let (status, body) = server.ask_as_nobody("GET", "/api/v1/namespaces", "");
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
    let (status, body) = server.ask("POST", "/api/v1/namespaces", namespace);
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

#[test]
fn a_process_that_is_killed_loses_nothing() {
    let dir = tempfile::tempdir().unwrap();
    let mut server = Server::start(dir.path(), &[]);
    let map =
        r#"{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"kept"},"data":{"a":"b"}}"#;
    let (status, body) = server.ask("POST", "/api/v1/namespaces/default/configmaps", map);
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
    // While the delay lasts, requests are answered and readiness says no.
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
    assert_eq!(server.shown(), server::certificate(&pki.join("apiserver.crt")));
    // Our own user is believed, and so is the other authority's.
    assert_eq!(server.get("/api/v1/namespaces").0, 200);
    assert_eq!(server.ask_with(&pki, "/api/v1/namespaces").0, 200);

    // With its certificate gone, the other server makes a new one; the word to look again is heard.
    std::fs::remove_file(pki.join("apiserver.crt")).unwrap();
    let mut other = Server::start(&dir.path().join("other"), &[]);
    other.signal("TERM");
    other.wait();
    server.signal("HUP");
    let wanted = server::certificate(&pki.join("apiserver.crt"));
    let began = Instant::now();
    while server.shown() != wanted {
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
    assert_eq!(server.ask_as_nobody("GET", "/api/v1/namespaces", "").0, 401);
    let bearer = "Authorization: Bearer secret\r\n";
    assert_eq!(server.ask_as_nobody("GET", "/api/v1/namespaces", bearer).0, 200);
}

#[test]
fn flags_reach_the_rules() {
    let service = r#"{"apiVersion":"v1","kind":"Service","metadata":{"name":"web"},"spec":{"ports":[{"port":80}],"externalIPs":["192.0.2.1"]}}"#;
    let path = "/api/v1/namespaces/default/services";
    let dir = tempfile::tempdir().unwrap();
    let deny = ["--enable-admission-plugins=DenyServiceExternalIPs"];
    let mut server = Server::start(dir.path(), &deny);
    let (status, body) = server.ask("POST", path, service);
    assert_eq!(status, 403, "{body}");
    server.signal("TERM");
    server.wait();
    let server = Server::start(dir.path(), &["--service-cluster-ip-range=10.0.0.0/24"]);
    let (status, body) = server.ask("POST", path, service);
    assert_eq!(status, 201, "{body}");
    assert!(body.contains("\"clusterIP\":\"10.0.0."), "{body}");
}

#[test]
fn every_flag_is_in_the_guide_and_the_manual() {
    let run = |arguments: &[&str]| {
        let output =
            std::process::Command::new(env!("CARGO_BIN_EXE_ratchet")).args(arguments).output();
        String::from_utf8(output.unwrap().stdout).unwrap()
    };
    let guide = concat!(env!("CARGO_MANIFEST_DIR"), "/../docs/serve.md");
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
