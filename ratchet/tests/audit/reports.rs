//! Reports: every format, hostile values, owners, what two objects share, and PolicyReports that a server takes.

use super::harness::{Folder, run_in};
use super::legacy::fill;
use super::{Cluster, OLD};
use serde_json::{Value, json};

const FORMATS: [&str; 9] =
    ["table", "json", "yaml", "sarif", "junit", "markdown", "prometheus", "html", "policyreport"];

fn audit(folder: &Folder, arguments: &[&str]) -> super::Output {
    run_in(&folder.path(""), &[&["audit"], arguments].concat(), b"", &[])
}

/// Names and values that break out of formats and terminals.
const HOSTILE: &str = "</script><b>|`\u{1b}[31m\u{202e}\"'&--> ${x}";

#[test]
fn hostile_values_stay_values_in_every_format() {
    let hostile = json!({
        "apiVersion": "v1", "kind": "Service",
        "metadata": {
            "name": HOSTILE, "namespace": format!("n{HOSTILE}"),
            "annotations": {"meta.helm.sh/release-name": HOSTILE},
            "managedFields": [{"manager": HOSTILE, "operation": "Apply", "fieldsV1": {"f:spec": 7}}],
        },
        "spec": {"ports": [{"port": 80}], "externalIPs": ["192.0.2.010", HOSTILE], "clusterIP": [], "type": {}},
    });
    let odd = json!({"apiVersion": "v1", "kind": "Pod", "metadata": [], "spec": 3, "status": "x"});
    let huge: Vec<Value> = (0..5000).map(|number| json!(format!("0{number}.0.0.1"))).collect();
    let huge = json!({"apiVersion": "v1", "kind": "Service", "metadata": {"name": "a"}, "spec": {"externalIPs": huge}});
    let folder = Folder::with(&[]);
    folder.write(
        "dump.json",
        json!({"apiVersion": "v1", "kind": "List", "items": [hostile, odd, huge]}).to_string(),
    );
    for format in FORMATS {
        let output = audit(&folder, &["-f", "dump.json", "-o", format]);
        assert_eq!(output.code, 1, "{format}: {}", output.stderr);
        assert!(!output.stdout.contains('\u{1b}'), "{format} controls the terminal");
        if matches!(format, "html" | "junit") {
            assert!(!output.stdout.contains("</script><b>"), "{format} has markup of the cluster");
        }
        if matches!(format, "json" | "sarif" | "policyreport") {
            output.json();
        }
    }
}

const OWNED: &str = r#"
apiVersion: v1
kind: List
items:
- apiVersion: apps/v1
  kind: Deployment
  metadata: {name: web, namespace: shop, annotations: {meta.helm.sh/release-name: shop, meta.helm.sh/release-namespace: shop}}
  spec: {selector: {matchLabels: {a: b}}, template: {metadata: {labels: {a: b}}, spec: {containers: [{name: c, image: x}]}}}
- apiVersion: apps/v1
  kind: ReplicaSet
  metadata: {name: web-1, namespace: shop, ownerReferences: [{apiVersion: apps/v1, kind: Deployment, name: web, uid: u, controller: true}]}
  spec: {selector: {matchLabels: {a: b}}, template: {metadata: {labels: {a: b}}, spec: {containers: [{name: c, image: x}]}}}
- apiVersion: v1
  kind: Pod
  metadata: {name: web-1-x, namespace: shop, ownerReferences: [{apiVersion: apps/v1, kind: ReplicaSet, name: web-1, uid: v, controller: true}]}
  spec: {containers: [{name: c, image: x}], dnsConfig: {nameservers: [010.0.0.1], searches: [_tcp.example]}}
- apiVersion: v1
  kind: Service
  metadata:
    name: edge
    namespace: shop
    annotations: {kubectl.kubernetes.io/last-applied-configuration: '{"spec":{"externalIPs":["192.0.2.010"]}}'}
    managedFields:
    - {manager: kubectl, operation: Update, time: '2024-01-01T00:00:00Z', fieldsV1: {'f:spec': {'f:externalIPs': {}}}}
    - {manager: other, operation: Update, time: '2025-01-01T00:00:00Z', fieldsV1: {'f:spec': {'f:ports': {}}}}
  spec: {ports: [{port: 80}], externalIPs: [192.0.2.010]}
- apiVersion: v1
  kind: Service
  metadata: {name: twin, namespace: shop}
  spec: {ports: [{port: 80}], externalIPs: [192.0.2.10]}
- apiVersion: admissionregistration.k8s.io/v1
  kind: ValidatingAdmissionPolicy
  metadata: {name: no-external-ips}
  spec: {validations: [{expression: 'size(object.spec.externalIPs) == 0'}]}
"#;

#[test]
fn owners_readings_and_shared_addresses_are_told() {
    let folder = Folder::with(&[("dump.yaml", OWNED)]);
    let report =
        audit(&folder, &["-f", "dump.yaml", "-o", "json", "--target-version", "1.35,1.36"]).json();
    let findings = report["findings"].as_array().unwrap();
    let find = |kind: &str, rule: &str, target: &str| {
        let is_it = |row: &&Value| {
            row["object"]["kind"] == kind && row["rule"] == rule && row["target"] == target
        };
        findings.iter().find(is_it).unwrap_or_else(|| panic!("{kind} {rule} {target}: {report:#}"))
    };
    let pod = find("Pod", "RTC-IP-001", "1.36");
    assert_eq!(pod["state"], "frozen");
    assert_eq!(pod["chain"], json!(["ReplicaSet web-1", "Deployment web"]));
    assert_eq!(
        report["owners"][pod["owner"].as_u64().unwrap() as usize]["title"],
        "Helm release shop/shop"
    );
    assert_eq!(pod["pointer"], "/spec/dnsConfig/nameservers/0");
    assert_eq!(find("Pod", "RTC-IP-001", "1.35")["state"], "warns");
    let service = find("Service", "RTC-IP-001", "1.36");
    assert_eq!(service["state"], "refused-on-create");
    assert_eq!((&service["value"], &service["lastApplied"]), (&json!("192.0.2.010"), &json!(true)));
    assert_eq!(service["managers"].as_array().unwrap().len(), 1, "{service}");
    assert_eq!(service["managers"][0]["manager"], "kubectl");
    let hosts = find("Service", "RTC-AUD-002", "1.35");
    assert_eq!(hosts["field"], "spec.externalIPs[0]");
    assert_eq!(hosts["readings"][0]["host"], "192.0.2.10");
    assert_eq!(hosts["readings"][1]["host"], "192.0.2.8");
    let twin = find("Service", "RTC-AUD-001", "1.35");
    assert_eq!(twin["object"]["name"], "edge");
    assert!(twin["claimedBy"][0].as_str().unwrap().contains("Service shop/twin"), "{twin}");
    assert_eq!(report["externalIPs"].as_array().unwrap().len(), 2);
    assert!(report["externalIPAllowList"].as_str().unwrap().contains("192.0.2.10/32"));
    assert_eq!(report["searches"][0]["value"], "_tcp.example");
    assert_eq!(report["policies"][0]["about"], "external IPs (KEP-2200)");
    assert_eq!(report["namespaces"][0]["passes"], "baseline");
}

/// The parts of the definition of PolicyReports that a report fills.
fn definition(kind: &str, scope: &str) -> Value {
    let plural = format!("{}s", kind.to_lowercase());
    let text = json!({"type": "string"});
    let object = json!({"type": "object", "additionalProperties": {"type": "string"}});
    let number = json!({"type": "integer"});
    let reference = json!({"type": "object", "properties": {"apiVersion": text, "kind": text, "namespace": text, "name": text, "uid": text}});
    let result = json!({
        "type": "object", "required": ["policy"],
        "properties": {
            "source": text, "policy": text, "rule": text, "category": text, "message": text,
            "result": {"type": "string", "enum": ["pass", "fail", "warn", "error", "skip"]},
            "severity": {"type": "string", "enum": ["critical", "high", "low", "medium", "info"]},
            "scored": {"type": "boolean"}, "properties": object,
            "timestamp": {"type": "object", "required": ["nanos", "seconds"], "properties": {"nanos": {"type": "integer", "format": "int32"}, "seconds": {"type": "integer", "format": "int64"}}},
            "resources": {"type": "array", "items": reference},
        },
    });
    let summary = json!({"type": "object", "properties": {"pass": number, "fail": number, "warn": number, "error": number, "skip": number}});
    json!({
        "apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
        "metadata": {"name": format!("{plural}.wgpolicyk8s.io"), "annotations": {"api-approved.kubernetes.io": "unapproved, a test"}},
        "spec": {
            "group": "wgpolicyk8s.io", "scope": scope,
            "names": {"kind": kind, "plural": plural},
            "versions": [{"name": "v1alpha2", "served": true, "storage": true, "schema": {"openAPIV3Schema": {
                "type": "object", "properties": {"summary": summary, "results": {"type": "array", "items": result}},
            }}}],
        },
    })
}

#[test]
fn a_server_takes_the_policy_reports() {
    let cluster = Cluster::start(&[
        "--feature-gates=StrictIPCIDRValidation=false",
        "--behavior=released",
        "--disable-admission-plugins=ServiceAccount",
    ]);
    fill(&cluster, 48);
    for (kind, scope) in [("PolicyReport", "Namespaced"), ("ClusterPolicyReport", "Cluster")] {
        cluster.create(
            "/apis/apiextensions.k8s.io/v1/customresourcedefinitions",
            &definition(kind, scope),
        );
    }
    let reports = cluster.audit(&["-o", "policyreport"]).json();
    let items = reports["items"].as_array().unwrap();
    assert!(items.len() >= 2, "{reports}");
    for item in items {
        let plural = format!("{}s", item["kind"].as_str().unwrap().to_lowercase());
        let list = match item["metadata"]["namespace"].as_str() {
            Some(namespace) => {
                format!("/apis/wgpolicyk8s.io/v1alpha2/namespaces/{namespace}/{plural}")
            }
            None => format!("/apis/wgpolicyk8s.io/v1alpha2/{plural}"),
        };
        let strict = format!("{list}?fieldValidation=Strict");
        let begin = std::time::Instant::now();
        // A definition is served a moment after it was created.
        let (code, body) = loop {
            let answer = cluster.server.request("POST", &strict, &item.to_string());
            if answer.0 != 404 || begin.elapsed().as_secs() > 60 {
                break answer;
            }
            std::thread::sleep(std::time::Duration::from_millis(50));
        };
        assert_eq!(code, 201, "{body}");
    }
}

#[test]
fn kubelets_are_joined_in() {
    let cluster = Cluster::start(OLD);
    fill(&cluster, 8);
    let output = cluster.audit(&["--kubelet-certs", "-o", "json"]);
    assert_eq!(output.code, 1, "{}", output.stderr);
    let report = output.json();
    let node = &report["kubelets"]["nodes"][0];
    assert_eq!((&node["name"], &node["outcome"]), (&json!("o6"), &json!("unknown")), "{report}");
    let page = cluster.audit(&["--kubelet-certs", "-o", "html"]);
    assert!(page.stdout.starts_with("<!DOCTYPE html>"), "{}", page.stdout);
}
