//! Baselines and comparisons with earlier audits.

use super::harness::{Folder, run_in};
use serde_json::Value;

const BEFORE: &str = "\
apiVersion: v1
kind: List
items:
- {apiVersion: v1, kind: Service, metadata: {name: a, namespace: shop}, spec: {ports: [{port: 80}], externalIPs: [192.0.2.010]}}
- {apiVersion: v1, kind: Service, metadata: {name: b, namespace: shop}, spec: {ports: [{port: 80}], externalIPs: [192.0.2.020]}}
";

fn audit(folder: &Folder, arguments: &[&str]) -> (i32, Value) {
    let output =
        run_in(&folder.path(""), &[&["audit", "-o", "json"], arguments].concat(), b"", &[]);
    assert!(output.code < 2, "{}", output.stderr);
    (output.code, output.json())
}

#[test]
fn a_baseline_suppresses_and_since_compares() {
    let folder = Folder::with(&[("before.yaml", BEFORE)]);
    let (code, before) = audit(&folder, &["-f", "before.yaml"]);
    assert_eq!(code, 1);
    folder.write("before.json", before.to_string());
    let (code, same) = audit(&folder, &["-f", "before.yaml", "--baseline", "before.json"]);
    assert_eq!((code, same["findings"].as_array().unwrap().len()), (0, 0));
    assert_eq!(same["summary"]["suppressed"], before["findings"].as_array().unwrap().len());
    // One is repaired, one is new.
    let after = BEFORE.replace("192.0.2.020", "192.0.2.20").replace("name: a", "name: c");
    folder.write("after.yaml", after);
    let (code, after) = audit(&folder, &["-f", "after.yaml", "--since", "before.json"]);
    assert_eq!(code, 1);
    let since = &after["since"];
    let gone: Vec<&str> = since["gone"]
        .as_array()
        .unwrap()
        .iter()
        .map(|row| row["about"].as_str().unwrap())
        .collect();
    assert!(gone.iter().any(|about| about.contains("Service shop/a")), "{since}");
    assert!(gone.iter().any(|about| about.contains("Service shop/b")), "{since}");
    assert!(!since["new"].as_array().unwrap().is_empty(), "{since}");
    let table = ["audit", "-f", "after.yaml", "--since", "before.json"];
    let table = run_in(&folder.path(""), &table, b"", &[]);
    assert!(table.stdout.contains("; new"), "{}", table.stdout);
    assert!(table.stdout.contains("gone: RTC-IP-001"), "{}", table.stdout);
    folder.write("other.json", "{\"version\": \"ratchet.check/v1\"}");
    let refused = ["audit", "-f", "after.yaml", "--since", "other.json"];
    let refused = run_in(&folder.path(""), &refused, b"", &[]);
    assert_eq!(refused.code, 2);
    assert!(refused.stderr.contains("ratchet.audit/v1"), "{}", refused.stderr);
}
