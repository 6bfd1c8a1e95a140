//! Tests of `ratchet webhook`, the command: it serves, follows its files, and stops.
#![allow(clippy::unwrap_used, reason = "a helper of a test may fail like a test")]

#[path = "../../doors/webhook/tests/webhook/client.rs"]
mod client;
mod harness;

use client::Client;
use harness::run;
use ratchet_http::certificates::{Authority, usual_names};
use std::io::{BufRead, BufReader};
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::Duration;
use tempfile::TempDir;

const HEAD: &str = "apiVersion: ratchet/v1alpha1\nkind: WebhookConfiguration\n";
const REVIEW: &str = r#"{"apiVersion": "admission.k8s.io/v1", "kind": "AdmissionReview", "request": {"uid": "u-7",
    "operation": "CREATE", "namespace": "shop", "userInfo": {"username": "ann"},
    "kind": {"group": "", "version": "v1", "kind": "Service"},
    "resource": {"group": "", "version": "v1", "resource": "services"},
    "object": {"metadata": {"name": "web"}, "spec": {"ports": [{"port": 80}], "clusterIP": "010.0.0.1"}}}}"#;

/// Certificates and a configuration file.
struct Files {
    dir: TempDir,
    authority: Authority,
    arguments: Vec<String>,
}

impl Files {
    fn new(configuration: &str) -> Self {
        let dir = tempfile::tempdir().unwrap();
        let authority = Authority::load_or_create(dir.path()).unwrap();
        let pair = authority.serving(&usual_names()).unwrap();
        let file = dir.path().join("webhook.yaml");
        std::fs::write(&file, format!("{HEAD}{configuration}")).unwrap();
        let flag = |name: &str, path: &Path| format!("--{name}={}", path.display());
        let arguments = vec![
            "webhook".to_owned(),
            "--bind-address=127.0.0.1".to_owned(),
            "--secure-port=0".to_owned(),
            flag("tls-cert-file", &pair.certificate),
            flag("tls-private-key-file", &pair.key),
            flag("config", &file),
        ];
        Self { dir, authority, arguments }
    }

    fn file(&self) -> PathBuf {
        self.dir.path().join("webhook.yaml")
    }
}

/// The running command; killed if a test fails.
struct Running(Child);

impl Running {
    /// Starts the command; returns it with the address that it tells.
    fn start(arguments: &[String]) -> (Self, SocketAddr) {
        let mut command = Command::new(env!("CARGO_BIN_EXE_ratchet"));
        let mut child = command.args(arguments).stdout(Stdio::piped()).spawn().unwrap();
        let mut line = String::new();
        BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
        let address = line.trim().strip_prefix("ratchet webhook listens at https://");
        let address = address.unwrap_or_else(|| panic!("{line:?}")).parse().unwrap();
        (Self(child), address)
    }

    fn signal(&self, name: &str) {
        let status = Command::new("kill").args([name, &self.0.id().to_string()]).status();
        assert!(status.unwrap().success());
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

#[tokio::test]
async fn it_serves_follows_its_file_and_stops() {
    let files = Files::new("rules: {RTC-IP: enforce}\n");
    let (mut running, address) = Running::start(&files.arguments);
    let mut client = Client::connect(address, files.authority.pem()).await.unwrap();
    let (code, _, text) = client.post("/validate?timeout=10s", REVIEW).await;
    assert!(code == 200 && text.contains(r#""allowed":false"#), "{code} {text}");
    assert!(text.contains("must not have leading 0s"), "{text}");
    assert_eq!(client.get("/readyz").await.2, "ok");

    std::fs::write(files.file(), format!("{HEAD}mode: mild\n")).unwrap();
    running.signal("-HUP");
    let fault = "webhook.yaml:3:7: mode: must be enforce, warn, audit or off, found \"mild\"";
    loop {
        let detail = client.get("/readyz?verbose").await.2;
        if detail.contains(fault) {
            break;
        }
        assert!(detail.contains("readyz check passed"), "{detail}");
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    running.signal("-TERM");
    // Beside this thread, on which the client learns that its connection ends.
    let ended = tokio::task::spawn_blocking(move || running.0.wait().unwrap().code());
    assert_eq!(ended.await.unwrap(), Some(0));
}

#[test]
fn files_that_cannot_be_used_are_named_at_the_start() {
    let files = Files::new("mode: mild\nrules: {RTC-X: off}\n");
    let arguments: Vec<&str> = files.arguments.iter().map(String::as_str).collect();
    let output = run(&arguments, "");
    assert_eq!((output.code, output.stdout.as_str()), (2, ""));
    for fault in
        ["webhook.yaml:3:7: mode: must be", "webhook.yaml:4:16: rules[RTC-X]: no such rule"]
    {
        assert!(output.stderr.contains(fault), "{fault}\n{}", output.stderr);
    }
    let absent = run(&["webhook", "--tls-cert-file=no.crt", "--tls-private-key-file=no.key"], "");
    assert_eq!(absent.code, 2);
    assert!(absent.stderr.contains("no.crt"), "{}", absent.stderr);
    assert_eq!(run(&["webhook"], "").code, 2, "the certificate is required");
}

#[test]
fn manifests_are_printed_without_a_certificate() {
    let files = Files::new("");
    let bundle = format!("--ca-bundle-file={}", files.authority.path().display());
    let output =
        run(&["webhook", "manifests", "--failure-policy=fail", "-n", "guard", &bundle], "");
    assert_eq!((output.code, output.stderr.as_str()), (0, ""));
    for line in
        ["failurePolicy: Fail", "name: services.ratchet-webhook.guard.svc", "caBundle: LS0t"]
    {
        assert!(output.stdout.contains(line), "{line}\n{}", output.stdout);
    }
    assert_eq!(run(&["webhook", "manifests", "--timeout-seconds=31"], "").code, 2);
    let absent = run(&["webhook", "manifests", "--ca-bundle-file=no.crt"], "");
    assert_eq!(absent.code, 2);
    assert!(absent.stderr.contains("no.crt"), "{}", absent.stderr);
}
