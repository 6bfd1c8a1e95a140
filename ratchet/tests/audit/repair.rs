//! From an audit to a clean cluster: what `ratchet fix --from-audit --apply` repairs is gone from the next audit.

use super::harness::run_in;
use super::legacy::fill;
use super::{Cluster, OLD};
use serde_json::Value;
use std::collections::BTreeSet;

/// Flags of a strict server as released, on which pods and templates with bad addresses are frozen.
const STRICT: &[&str] =
    &["--behavior=released", "--controllers=", "--disable-admission-plugins=ServiceAccount"];

/// The objects with findings that are refused or frozen, as `Kind namespace/name`.
fn broken(report: &Value) -> BTreeSet<String> {
    let findings = report["findings"].as_array().unwrap().iter();
    let bad = findings.filter(|row| row["state"] != "warns" && row["value"].is_string());
    let title = |row: &Value| {
        let text = |name: &str| row["object"][name].as_str().unwrap().to_owned();
        match text("namespace").as_str() {
            "" => format!("{} {}", text("kind"), text("name")),
            namespace => format!("{} {namespace}/{}", text("kind"), text("name")),
        }
    };
    let is_address = |row: &&Value| row["rule"].as_str().unwrap().starts_with("RTC-IP-");
    bad.filter(is_address).map(title).collect()
}

#[test]
fn every_kind_is_repaired_or_named_and_nothing_else_changes() {
    let cluster = Cluster::start(OLD);
    fill(&cluster, 192);
    let before = cluster.audit(&["-o", "json"]);
    assert_eq!(before.code, 1, "{}", before.stderr);
    cluster.folder.write("audit.json", &before.stdout);
    let cluster = cluster.restart(STRICT);
    let choices = ["--read-as=decimal", "--host-bits=network"];
    let fix = |flags: &[&str]| {
        let usual = ["fix", "--from-audit=audit.json", "--kubeconfig=data/kubeconfig"];
        let all = [&usual, &choices[..], flags].concat();
        run_in(&cluster.folder.path(""), &all, b"", &[])
    };
    let printed = fix(&["-o", "patches"]);
    let patches = printed.stdout.lines().filter(|line| line.starts_with("kubectl ")).count();
    assert!(patches > 40, "{}", printed.stdout);
    assert_eq!(broken(&cluster.audit(&["-o", "json"]).json()), broken(&before.json()));
    let applied = fix(&["--apply", "--resume=done.txt"]);
    assert_eq!(applied.code, 1, "{}{}", applied.stdout, applied.stderr);
    assert!(!applied.stderr.contains("stopped"), "{}", applied.stderr);
    assert_eq!(applied.stdout.matches(": patched").count(), patches, "{}", applied.stdout);
    for kind in ["Service", "Deployment", "DaemonSet", "StatefulSet", "ReplicaSet", "CronJob"] {
        assert!(applied.stdout.contains(&format!("{kind} legacy/")), "{kind}: {}", applied.stdout);
    }
    // What is left are the objects that the run named.
    let after = cluster.audit(&["-o", "json"]).json();
    let left = broken(&after);
    let named = |object: &String| {
        let own = format!("{object}: ");
        let mut steps = applied.stdout.lines().filter_map(|line| line.strip_prefix(&own));
        steps.any(|step| step != "patched")
    };
    let silent: Vec<&String> = left.iter().filter(|object| !named(object)).collect();
    assert!(silent.is_empty(), "{silent:?}\n{}", applied.stdout);
    assert!(left.len() < broken(&before.json()).len() / 2, "{left:?}");
    // Once more: nothing is patched twice.
    let again = fix(&["--apply", "--resume=done.txt"]);
    assert_eq!(again.stdout.matches(": done before").count(), patches, "{}", again.stdout);
    assert_eq!(again.stdout.matches(": patched").count(), 0, "{}", again.stdout);
}
