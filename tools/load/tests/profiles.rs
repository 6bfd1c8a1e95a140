//! The load tool against a running `ratchet serve`: counts and errors, never times.
#![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "a test fails by panicking")]

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde_json::Value;
use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::time::Duration;
use tempfile::TempDir;

/// A server process in a folder of its own.
struct Server {
    process: Child,
    folder: TempDir,
    port: u16,
}

impl Server {
    fn start() -> Self {
        Self::start_with(&[])
    }

    fn start_with(flags: &[&str]) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
        let process = Command::new(ratchet())
            .args(["serve", "--data-dir"])
            .arg(folder.path())
            .args(["--bind-address", "127.0.0.1", "--secure-port", &port.to_string()])
            .args(flags)
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let mut server = Self { process, folder, port };
        for _ in 0..600 {
            assert!(server.process.try_wait().unwrap().is_none(), "ratchet serve ended");
            if server.kubeconfig().exists()
                && api_load(&["--kubeconfig", &server.kubeconfig_text(), "--profile", "get"])
                    .status
                    .success()
            {
                return server;
            }
            std::thread::sleep(Duration::from_millis(100));
        }
        panic!("ratchet serve did not become ready");
    }

    fn kubeconfig(&self) -> PathBuf {
        self.folder.path().join("kubeconfig")
    }

    fn url(&self) -> String {
        format!("https://127.0.0.1:{}", self.port)
    }

    /// A file with what the kubeconfig has in a field, in PEM.
    fn pem(&self, field: &str) -> String {
        let text = std::fs::read_to_string(self.kubeconfig()).unwrap();
        let line = text.lines().find_map(|line| line.trim().strip_prefix(field)).unwrap();
        let data = line.trim_start_matches(':').trim().trim_matches('"');
        let file = self.folder.path().join(format!("{field}.pem"));
        std::fs::write(&file, STANDARD.decode(data).unwrap()).unwrap();
        file.to_str().unwrap().to_owned()
    }

    fn kubeconfig_text(&self) -> String {
        self.kubeconfig().to_str().unwrap().to_owned()
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

/// The program that `RATCHET_BIN` names, or the one that was built with these tests.
fn ratchet() -> PathBuf {
    if let Some(binary) = std::env::var_os("RATCHET_BIN") {
        return binary.into();
    }
    let binary = Path::new(env!("CARGO_BIN_EXE_api-load")).with_file_name("ratchet");
    assert!(binary.exists(), "{} is not built: test the workspace", binary.display());
    binary
}

/// Runs the tool, small and short.
fn api_load(args: &[&str]) -> Output {
    let small = ["--clients", "4", "--objects", "30", "--page", "10"];
    let few = ["--watchers", "5", "--rate", "40"];
    let short: &[&str] = if args.contains(&"--seconds") { &[] } else { &["--seconds", "0.3"] };
    Command::new(env!("CARGO_BIN_EXE_api-load"))
        .args(small)
        .args(few)
        .args(short)
        .args(args)
        .output()
        .unwrap()
}

/// The report of a run that must succeed.
fn report(args: &[&str]) -> Value {
    let output = api_load(&[args, &["-o", "json"]].concat());
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{errors}{}", String::from_utf8_lossy(&output.stdout));
    serde_json::from_slice(&output.stdout).unwrap()
}

fn number(value: &Value) -> u64 {
    value.as_u64().unwrap_or_else(|| panic!("{value} is no number"))
}

#[test]
fn every_profile_runs_without_errors_and_loses_nothing() {
    let server = Server::start();
    for resource in ["configmaps", "pods"] {
        let report = report(&["--kubeconfig", &server.kubeconfig_text(), "--resource", resource]);
        let profiles = report["profiles"].as_array().unwrap();
        let names: Vec<_> = profiles.iter().map(|row| row["profile"].as_str().unwrap()).collect();
        let all = ["create", "get", "list", "update", "delete", "create-list", "watch-churn"];
        assert_eq!(names, all);
        for profile in profiles {
            let figures = &profile["servers"][0];
            assert_eq!(figures["errors"], serde_json::json!({}), "{resource} {profile}");
            assert!(number(&figures["operations"]) > 0, "{resource} {profile}");
            assert!(number(&figures["bytes"]) > 0, "{resource} {profile}");
            let pid = number(&figures["processes"][0]["pid"]);
            assert_eq!(pid, u64::from(server.process.id()), "{profile}");
            assert!(figures["processes"][0]["memory_after_mb"].as_f64().unwrap() > 1.0);
        }
        let of = |name: &str| {
            let row = profiles.iter().find(|row| row["profile"] == name).unwrap();
            row["servers"][0].clone()
        };
        let requests = of("create-list")["by_request"].clone();
        let both =
            number(&requests["create"]["operations"]) + number(&requests["list"]["operations"]);
        assert_eq!(number(&of("create-list")["operations"]), both);
        let churn = of("watch-churn");
        let events = &churn["events"];
        assert_eq!(number(&events["expected"]), 5 * number(&churn["operations"]));
        assert_eq!(events["delivered"], events["expected"]);
        for none in ["lost", "repeated", "stray", "resumed"] {
            assert_eq!(number(&events[none]), 0, "{none} of {events}");
        }
    }
}

#[test]
fn deletions_end_when_every_object_is_gone() {
    let server = Server::start();
    let long =
        ["--kubeconfig", &server.kubeconfig_text(), "--profile", "delete", "--seconds", "600"];
    let figures = report(&long)["profiles"][0]["servers"][0].clone();
    assert_eq!(number(&figures["operations"]), 30);
}

#[test]
fn two_servers_take_turns_and_are_compared() {
    let (one, two) = (Server::start(), Server::start());
    let two_url = two.url();
    let report = report(&[
        "--kubeconfig",
        &one.kubeconfig_text(),
        "--compare",
        &two_url,
        "--compare-kubeconfig",
        &two.kubeconfig_text(),
        "--profile",
        "create,watch-churn",
        "--rounds",
        "2",
    ]);
    for profile in report["profiles"].as_array().unwrap() {
        let [first, second] = profile["servers"].as_array().unwrap().as_slice() else {
            panic!("{profile}")
        };
        for (figures, server) in [(first, &one), (second, &two)] {
            assert_eq!(number(&figures["processes"][0]["pid"]), u64::from(server.process.id()));
        }
        let expected = first["rate"].as_f64().unwrap() / second["rate"].as_f64().unwrap();
        let ratio = profile["ratios"]["rate"].as_f64().unwrap();
        assert!((ratio - expected).abs() < 1e-9, "{ratio} is not {expected}");
    }
}

/// The operations of a run that is told the server by its URL and who asks by flags.
fn operations(server: &Server, flags: &[&str]) -> u64 {
    let authority = server.pem("certificate-authority-data");
    let url = server.url();
    let target = ["--server", &url, "--certificate-authority", &authority];
    let report = report(&[&target, flags, &["--profile", "create"]].concat());
    number(&report["profiles"][0]["servers"][0]["operations"])
}

#[test]
fn a_token_is_enough_to_be_let_in() {
    let tokens = tempfile::NamedTempFile::new().unwrap();
    std::fs::write(tokens.path(), "secret,ada,1,system:masters\n").unwrap();
    let server = Server::start_with(&["--token-auth-file", tokens.path().to_str().unwrap()]);
    assert!(operations(&server, &["--token", "secret"]) > 0);
    // Who bears another token is nobody.
    let url = server.url();
    let target = ["--server", &url, "--insecure-skip-tls-verify"];
    let output = api_load(&[&target[..], &["--token", "other", "--profile", "get"]].concat());
    assert_eq!(output.status.code(), Some(2));
    let errors = String::from_utf8(output.stderr).unwrap();
    assert!(errors.contains("cannot create namespace") && errors.contains("401 "), "{errors}");
}

#[test]
fn a_client_certificate_and_its_key_are_enough_to_be_let_in() {
    let server = Server::start();
    let certificate = server.pem("client-certificate-data");
    let key = server.pem("client-key-data");
    let identity = ["--client-certificate", &certificate, "--client-key", &key];
    assert!(operations(&server, &identity) > 0);
}

#[test]
fn the_text_report_names_what_was_measured() {
    let server = Server::start();
    let output =
        api_load(&["--kubeconfig", &server.kubeconfig_text(), "--profile", "create,watch-churn"]);
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(output.status.success(), "{text}");
    for part in [
        "4 clients, configmaps, 1 rounds\n",
        "\ncreate\n  https://",
        " operations/s, p50 ",
        " ms, max ",
        ", 0 errors\n",
        "\nwatch-churn\n",
        " 0 lost, ",
        " late, 0 repeated, ",
        " CPU s, ",
        " ms of CPU an operation, memory ",
    ] {
        assert!(text.contains(part), "no {part:?} in {text}");
    }
    assert!(!text.contains("first / second"), "there is one server: {text}");
}

#[test]
fn the_text_report_of_two_servers_ends_with_their_ratios() {
    let server = Server::start();
    let kubeconfig = server.kubeconfig_text();
    let both = ["--kubeconfig", &kubeconfig, "--compare-kubeconfig", &kubeconfig];
    let output = api_load(&[&both[..], &["--profile", "create"]].concat());
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(output.status.success(), "{text}");
    let ratios = text.lines().find_map(|line| line.strip_prefix("  first / second: ")).unwrap();
    for name in ["p50", "p99", "max", "rate"] {
        let ratio = ratios.split(", ").find_map(|part| part.strip_prefix(&format!("{name} ")));
        assert!(ratio.unwrap().parse::<f64>().unwrap() > 0.0, "{name} of {ratios}");
    }
}

#[test]
fn without_credentials_it_says_what_the_server_refused() {
    let server = Server::start();
    let url = server.url();
    let output = api_load(&["--server", &url, "--insecure-skip-tls-verify", "--profile", "get"]);
    assert_eq!(output.status.code(), Some(2));
    let errors = String::from_utf8(output.stderr).unwrap();
    assert!(errors.contains("cannot create namespace api-load-get-"), "{errors}");
    assert!(errors.contains("403 namespaces is forbidden"), "{errors}");
}

#[test]
fn a_server_that_is_not_there_is_an_error() {
    let output = api_load(&["--server", "https://127.0.0.1:1", "--insecure-skip-tls-verify"]);
    assert_eq!(output.status.code(), Some(2));
    let errors = String::from_utf8(output.stderr).unwrap();
    assert!(errors.contains("no connection: "), "{errors}");
}
