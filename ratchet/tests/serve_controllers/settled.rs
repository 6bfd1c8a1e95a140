//! Tests of a settled cluster: no controller writes anything, before and after a restart.

use crate::cluster::{Cluster, owner, text};
use serde_json::{Value, json};
use std::path::Path;
use std::time::{Duration, Instant};

const POLICY: &str = "
apiVersion: audit.k8s.io/v1
kind: Policy
omitStages: [RequestReceived]
rules:
- {level: Metadata, verbs: [create, update, patch, delete, deletecollection]}
- {level: None}
";

/// Time in which nothing may be written.
const REST: Duration = Duration::from_secs(5);

/// Number of writes by controllers.
fn written(log: &Path) -> Vec<String> {
    let log = std::fs::read_to_string(log).unwrap_or_default();
    let lines = log.lines().filter_map(|line| serde_json::from_str::<Value>(line).ok());
    let own = lines.filter(|line| line["userAgent"] == "kube-controller-manager/ratchet");
    own.map(|line| {
        let parts = ["verb", "requestURI"].map(|name| text(&line[name]));
        format!("{} {}", parts.join(" "), text(&line["user"]["username"]))
    })
    .collect()
}

/// Waits until nothing was written for a while; returns the number of writes.
fn settle(log: &Path) -> usize {
    let (mut count, mut since, began) = (0, Instant::now(), Instant::now());
    while since.elapsed() < Duration::from_secs(3) {
        assert!(began.elapsed() < Duration::from_secs(90), "it never settles");
        std::thread::sleep(Duration::from_millis(100));
        let now = written(log).len();
        if now != count {
            (count, since) = (now, Instant::now());
        }
    }
    count
}

fn fill(cluster: &Cluster) {
    for name in ["one", "two"] {
        cluster.namespace(name);
        let at = |resource: &str| format!("/api/v1/namespaces/{name}/{resource}");
        cluster.make(
            &at("services"),
            &json!({
                "metadata": {"name": "web"},
                "spec": {"selector": {"app": "web"}, "ports": [{"port": 80}]},
            }),
        );
        cluster.make(
            &at("services"),
            &json!({
                "metadata": {"name": "plain"}, "spec": {"ports": [{"port": 80}]},
            }),
        );
        cluster.make(
            &at("endpoints"),
            &json!({
                "metadata": {"name": "plain"},
                "subsets": [{"addresses": [{"ip": "192.0.2.7"}], "ports": [{"port": 80}]}],
            }),
        );
        let owners = json!([]);
        let parent = cluster.make(
            &at("configmaps"),
            &json!({"metadata": {"name": "parent", "ownerReferences": owners}}),
        );
        for number in 0..3 {
            let owners = json!([owner("v1", "ConfigMap", "parent", &parent, true)]);
            cluster.make(&at("pods"), &json!({
                "metadata": {"name": format!("p{number}"), "labels": {"app": "web"}, "ownerReferences": owners},
                "spec": {"nodeName": "n0", "containers": [{"name": "c", "image": "x"}]},
            }));
            cluster.change(&at(&format!("pods/p{number}/status")), |pod| {
                let ip = format!("10.1.0.{}", number + 1);
                pod["status"] = json!({
                    "phase": "Running", "podIP": ip, "podIPs": [{"ip": ip}],
                    "conditions": [{"type": "Ready", "status": "True"}],
                });
            });
        }
        cluster.make(&at("serviceaccounts"), &json!({"metadata": {"name": "robot"}}));
        cluster.make(&at("secrets"), &json!({
            "metadata": {"name": "badge", "annotations": {"kubernetes.io/service-account.name": "robot"}},
            "type": "kubernetes.io/service-account-token",
        }));
    }
    for number in 0..3 {
        cluster.make("/api/v1/nodes", &json!({"metadata": {"name": format!("n{number}")}}));
    }
    // Terminating objects with finalizers cause no writes either.
    cluster.namespace("leaving");
    let held = json!({"metadata": {"name": "held", "finalizers": ["example.com/hold"]}});
    cluster.make("/api/v1/namespaces/leaving/configmaps", &held);
    cluster.request("DELETE", "/api/v1/namespaces/leaving", &Value::Null);
}

#[test]
fn nothing_is_written_where_nothing_happens() {
    let files = tempfile::tempdir().unwrap();
    let (policy, log) = (files.path().join("policy.yaml"), files.path().join("audit.log"));
    std::fs::write(&policy, POLICY).unwrap();
    let flag = |name: &str, path: &Path| format!("--{name}={}", path.display());
    let flags = [
        flag("audit-policy-file", &policy),
        flag("audit-log-path", &log),
        "--cluster-cidr=10.244.0.0/16".to_owned(),
    ];
    let flags: Vec<&str> = flags.iter().map(String::as_str).collect();
    let mut cluster = Cluster::start(&flags);
    fill(&cluster);
    let slices = "/apis/discovery.k8s.io/v1/namespaces/two/endpointslices";
    let pods = || {
        let slices = cluster.get(slices)["items"].as_array().cloned().unwrap_or_default();
        let count = |slice: &Value| slice["endpoints"].as_array().map_or(0, Vec::len);
        slices.iter().map(count).sum::<usize>()
    };
    // Three pods of one Service, and one address that was written by hand.
    cluster.until("slices", || pods() == 4);

    let leaving = || cluster.get("/api/v1/namespaces/leaving")["status"]["conditions"].clone();
    cluster.until("the namespace to say what holds it", || !leaving().is_null());

    let settled = settle(&log);
    assert!(settled > 10, "the controllers worked");
    std::thread::sleep(REST);
    let all = written(&log);
    assert_eq!(all[settled..], [""; 0], "somebody writes without need");

    cluster.restart(&flags);
    std::thread::sleep(REST);
    let again = written(&log);
    assert_eq!(again[all.len()..], [""; 0], "a restart is no reason to write");
}
