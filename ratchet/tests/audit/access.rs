//! Missing rights, bad kubeconfigs and interruptions of audits of a live cluster.

use super::harness::run_in;
use super::legacy::fill;
use super::{Cluster, OLD, sorted_findings};
use ratchet_object::{Limits, decode};
use serde_json::{Value, json};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// Lets a user list some resources of the core group.
fn allow(cluster: &Cluster, user: &str, resources: &[&str]) {
    let group = "rbac.authorization.k8s.io";
    let role = json!({
        "apiVersion": "rbac.authorization.k8s.io/v1", "kind": "ClusterRole", "metadata": {"name": user},
        "rules": [{"apiGroups": [""], "resources": resources, "verbs": ["list"]}],
    });
    cluster.create(&format!("/apis/{group}/v1/clusterroles"), &role);
    let binding = json!({
        "apiVersion": "rbac.authorization.k8s.io/v1", "kind": "ClusterRoleBinding", "metadata": {"name": user},
        "roleRef": {"apiGroup": group, "kind": "ClusterRole", "name": user},
        "subjects": [{"apiGroup": group, "kind": "User", "name": user}],
    });
    cluster.create(&format!("/apis/{group}/v1/clusterrolebindings"), &binding);
}

#[test]
fn missing_rights_are_named_and_the_rest_is_judged() {
    let cluster = Cluster::start(OLD);
    fill(&cluster, 32);
    allow(&cluster, "ann", &["services", "namespaces"]);
    let output = cluster.audit(&["--as", "ann", "-o", "json"]);
    assert_eq!(output.code, 2, "{}", output.stderr);
    let report = output.json();
    let missing = report["missing"].as_array().unwrap();
    let pods = missing.iter().find(|row| row["resource"] == "pods").unwrap();
    assert_eq!((&pods["verb"], &pods["group"]), (&json!("list"), &json!("")));
    assert!(pods["reason"].as_str().unwrap().contains("cannot list resource \"pods\""), "{pods}");
    assert!(missing.iter().all(|row| row["resource"] != "services"), "{missing:?}");
    let kinds = |report: &Value| -> Vec<String> {
        let findings = report["findings"].as_array().unwrap();
        findings.iter().map(|row| row["object"]["kind"].as_str().unwrap().to_owned()).collect()
    };
    assert!(!kinds(&report).is_empty() && kinds(&report).iter().all(|kind| kind == "Service"));
    assert!(output.stderr.contains("cannot list pods of group core"), "{}", output.stderr);
    // Nobody may see anything: everything is missing, and that is said too.
    let output = cluster.audit(&["--as", "bob"]);
    assert_eq!(output.code, 2);
    assert!(output.stdout.contains("Not seen: cannot list services"), "{}", output.stdout);
}

/// The objects of a file in deploy/audit.
fn deployed(name: &str) -> Vec<Value> {
    let path = format!("{}/../deploy/audit/{name}", env!("CARGO_MANIFEST_DIR"));
    let text = std::fs::read_to_string(path).unwrap();
    let decoded = decode(&text, Limits::DEFAULT).unwrap();
    decoded.documents.iter().map(|node| serde_json::from_str(&node.to_json()).unwrap()).collect()
}

#[test]
fn the_account_of_the_cron_job_sees_everything_and_its_pod_is_admitted() {
    let cluster = Cluster::start(OLD);
    fill(&cluster, 32);
    let rbac = "/apis/rbac.authorization.k8s.io/v1";
    let own = "/api/v1/namespaces/ratchet-audit";
    let mut objects = deployed("namespace.yaml");
    objects.extend(deployed("rbac.yaml"));
    objects.extend(deployed("cronjob.yaml"));
    for object in &objects {
        let list = match object["kind"].as_str().unwrap() {
            "Namespace" => "/api/v1/namespaces".to_owned(),
            "ServiceAccount" => format!("{own}/serviceaccounts"),
            "ClusterRole" => format!("{rbac}/clusterroles"),
            "ClusterRoleBinding" => format!("{rbac}/clusterrolebindings"),
            "CronJob" => "/apis/batch/v1/namespaces/ratchet-audit/cronjobs".to_owned(),
            other => panic!("{other} is not expected"),
        };
        cluster.create(&format!("{list}?fieldValidation=Strict"), object);
    }
    // The namespace enforces the level `restricted`.
    let template = &objects.last().unwrap()["spec"]["jobTemplate"]["spec"]["template"];
    let pod = json!({"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "audit"}, "spec": template["spec"]});
    cluster.create(&format!("{own}/pods"), &pod);
    let account = "system:serviceaccount:ratchet-audit:ratchet-audit";
    let groups = ["system:serviceaccounts", "system:authenticated"];
    let mut arguments: Vec<&str> = template["spec"]["containers"][0]["args"].as_array().unwrap()
        [1..]
        .iter()
        .map(|word| word.as_str().unwrap())
        .filter(|word| !matches!(*word, "--qps" | "10"))
        .collect();
    arguments.extend(["--as", account, "--as-group", groups[0], "--as-group", groups[1]]);
    let output = cluster.audit(&arguments);
    assert_eq!(output.code, 1, "{}", output.stderr);
    let report = output.json();
    assert_eq!(report["missing"], json!([]));
    assert_eq!(sorted_findings(&report), sorted_findings(&cluster.audit(&["-o", "json"]).json()));
}

#[test]
fn a_cluster_that_cannot_be_reached_is_an_error() {
    let cluster = Cluster::start(OLD);
    for (arguments, why) in [
        (vec!["audit", "--kubeconfig", "no-such-file"], "cannot read the kubeconfig no-such-file"),
        (
            vec!["audit", "--kubeconfig", "data/kubeconfig", "--context", "x"],
            "has no context \"x\"",
        ),
        (vec!["audit", "--kubeconfig", "data/kubeconfig", "--target-version", "1.20"], "1.20"),
        (
            vec!["audit", "--kubeconfig", "data/kubeconfig", "--target-version", "1.36,1.36"],
            "twice",
        ),
        (vec!["audit", "-f", "no-such-dump"], "no-such-dump"),
        (vec!["audit", "-f", "x", "--chunk-size", "3"], "cannot be used with"),
        (vec!["audit", "-f", "x", "--context", "x"], "cannot be used with"),
        (vec!["audit", "-f", "data", "--baseline", "no-such-baseline"], "no-such-baseline"),
    ] {
        let output = run_in(&cluster.folder.path(""), &arguments, b"", &[]);
        assert_eq!(output.code, 2, "{arguments:?}");
        assert!(output.stderr.contains(why), "{arguments:?}: {}", output.stderr);
    }
}

#[test]
fn an_interrupted_audit_goes_on() {
    let cluster = Cluster::start(OLD);
    fill(&cluster, 64);
    let whole = cluster.audit(&["-o", "json"]).json();
    let journal = cluster.folder.path("journal");
    let mut child = Command::new(env!("CARGO_BIN_EXE_ratchet"))
        .args(["audit", "-o", "json", "--qps", "4", "--parallel", "1", "--kubeconfig"])
        .arg(cluster.folder.path("data/kubeconfig"))
        .arg("--resume")
        .arg(&journal)
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let begin = Instant::now();
    let lines = || std::fs::read_to_string(&journal).map_or(0, |text| text.lines().count());
    while lines() < 4 && begin.elapsed() < Duration::from_secs(60) {
        std::thread::sleep(Duration::from_millis(20));
    }
    child.kill().unwrap();
    child.wait().unwrap();
    let judged = lines();
    assert!(judged >= 4, "only {judged} lines");
    // A write that was cut off is done again.
    let text = std::fs::read_to_string(&journal).unwrap();
    std::fs::write(&journal, &text[..text.len() - 5]).unwrap();
    let path = journal.to_str().unwrap();
    // Another target would make another audit.
    let other = cluster.audit(&["-o", "json", "--resume", path, "--target-version", "1.35"]);
    assert_eq!(other.code, 2);
    assert!(other.stderr.contains("belongs to an audit"), "{}", other.stderr);
    let resumed = cluster.audit(&["-o", "json", "--resume", path]);
    assert_eq!(resumed.code, 1, "{}", resumed.stderr);
    let resumed = resumed.json();
    assert_eq!(resumed["summary"], whole["summary"]);
    assert_eq!(sorted_findings(&resumed), sorted_findings(&whole));
    assert!(!journal.exists(), "a complete audit leaves no journal");
}
