//! Tests of `ratchet fix --from-audit --apply` against a server that holds what the old gate let in.
#![allow(clippy::unwrap_used, reason = "a test may fail")]
#![allow(clippy::indexing_slicing, reason = "a test may fail")]

#[allow(dead_code, reason = "others use more of it")]
mod server;

use serde_json::{Value, json};
use server::Server;
use std::path::Path;
use std::process::Command;

const SERVICES: &str = "/api/v1/namespaces/default/services";
const DEPLOYMENTS: &str = "/apis/apps/v1/namespaces/default/deployments";
const NAMESERVER: &str = "/spec/template/spec/dnsConfig/nameservers/0";

/// Exit status, standard output and standard error of `ratchet fix --from-audit`.
fn fix(dir: &Path, findings: &Value, flags: &[&str]) -> (Option<i32>, String, String) {
    let audit = dir.join("audit.json");
    let document = json!({"version": "ratchet.audit/v1", "findings": findings});
    std::fs::write(&audit, document.to_string()).unwrap();
    let output = Command::new(env!("CARGO_BIN_EXE_ratchet"))
        .args(["fix", "--from-audit"])
        .arg(&audit)
        .arg("--kubeconfig")
        .arg(dir.join("data/kubeconfig"))
        .args(flags)
        .current_dir(dir)
        .output()
        .unwrap();
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
    (output.status.code(), text(output.stdout), text(output.stderr))
}

fn finding(kind: &str, resource: &str, name: &str, pointer: &str, value: &str) -> Value {
    let api_version = if kind == "Deployment" { "apps/v1" } else { "v1" };
    json!({
        "object": {"apiVersion": api_version, "kind": kind, "namespace": "default", "name": name, "resource": resource},
        "field": pointer, "pointer": pointer, "value": value, "canonical": null, "rule": "RTC-IP-001",
        "state": if kind == "Deployment" { "frozen" } else { "refused-on-create" }, "refuses": ["create"],
    })
}

fn create(server: &Server, path: &str, object: &Value) {
    let (code, body) = server.request("POST", path, &object.to_string());
    assert_eq!(code, 201, "{body}");
}

fn value(server: &Server, path: &str, pointer: &str) -> Value {
    let (code, body) = server.get(path);
    assert_eq!(code, 200, "{body}");
    serde_json::from_str::<Value>(&body).unwrap().pointer(pointer).unwrap().clone()
}

/// A label, by which an update that changes nothing else is tried.
fn label(server: &Server, path: &str) -> u16 {
    let (_, body) = server.get(path);
    let mut object: Value = serde_json::from_str(&body).unwrap();
    object["metadata"]["labels"] = json!({"touched": "yes"});
    server.request("PUT", path, &object.to_string()).0
}

#[test]
fn frozen_objects_are_thawed_and_surprises_end_the_run() {
    let dir = tempfile::tempdir().unwrap();
    let data = dir.path().join("data");
    let service = |name: &str| json!({"metadata": {"name": name}, "spec": {"ports": [{"port": 80}], "externalIPs": ["192.0.2.01"]}});
    let deployment = json!({
        "metadata": {"name": "web"},
        "spec": {"selector": {"matchLabels": {"app": "web"}}, "template": {
            "metadata": {"labels": {"app": "web"}},
            "spec": {
                "containers": [{"name": "main", "image": "registry.example/web:1"}],
                "dnsConfig": {"nameservers": ["192.0.2.01"]}
            }
        }}
    });
    {
        let server = Server::start(&data, &["--feature-gates=StrictIPCIDRValidation=false"]);
        for name in ["a", "b", "c"] {
            create(&server, SERVICES, &service(name));
        }
        create(&server, DEPLOYMENTS, &deployment);
    }
    let server = Server::start(&data, &["--behavior=released"]);
    let web = format!("{DEPLOYMENTS}/web");
    assert_eq!(label(&server, &web), 422, "it is frozen");
    let external =
        |name: &str| finding("Service", "services", name, "/spec/externalIPs/0", "192.0.2.01");
    let findings = json!([
        external("a"),
        external("b"),
        external("c"),
        finding("Service", "services", "a", "/spec/clusterIP", "10.0.0.01"),
        finding("Deployment", "deployments", "web", NAMESERVER, "192.0.2.01"),
    ]);

    // Nothing is sent without --apply.
    let (code, commands, _) = fix(dir.path(), &findings, &[]);
    assert_eq!((code, commands.matches("\nkubectl ").count()), (Some(1), 4), "{commands}");
    assert_eq!(value(&server, &web, NAMESERVER), "192.0.2.01");

    // Somebody else changes the second Service: the run stops there, and what was done stays.
    let b = format!("{SERVICES}/b");
    let (_, body) = server.get(&b);
    let moved = body.replace("192.0.2.01", "192.0.2.9");
    assert_eq!(server.request("PUT", &b, &moved).0, 200);
    let flags = ["--apply", "--resume", "done.txt"];
    let (code, out, notes) = fix(dir.path(), &findings, &flags);
    assert_eq!(code, Some(1), "{out}{notes}");
    assert!(
        out.contains("Deployment default/web: patched") && out.contains("default/a: patched"),
        "{out}{notes}"
    );
    assert!(
        notes.contains("stopped at Service default/b") && notes.contains("192.0.2.9"),
        "{notes}"
    );
    assert_eq!(value(&server, &web, NAMESERVER), "192.0.2.1");
    assert_eq!(value(&server, &format!("{SERVICES}/c"), "/spec/externalIPs/0"), "192.0.2.01");
    assert_eq!(label(&server, &web), 200, "it can be updated again");

    // Without that finding it goes on: what is done is not done again, what must be made again is left.
    let findings = json!([findings[0], findings[2], findings[3], findings[4]]);
    let (code, out, notes) = fix(dir.path(), &findings, &flags);
    assert_eq!(code, Some(1), "{out}{notes}");
    assert!(out.contains("Deployment default/web: done before"), "{out}");
    assert!(out.contains("Service default/c: patched"), "{out}{notes}");
    assert!(out.contains("Service default/a: not done, it must be made again"), "{out}");
    assert_eq!(value(&server, &format!("{SERVICES}/c"), "/spec/externalIPs/0"), "192.0.2.1");

    // Without its record it sees that all is right.
    let findings = json!([findings[0], findings[3]]);
    let (code, out, notes) = fix(dir.path(), &findings, &["--apply"]);
    assert_eq!(code, Some(0), "{out}{notes}");
    assert_eq!(out.matches("is right already").count(), 2, "{out}");
}
