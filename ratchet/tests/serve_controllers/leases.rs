//! Tests of leader election: the Lease decides which of several servers runs the controllers.

use crate::cluster::{Cluster, text};
use serde_json::json;
use std::time::Duration;

const LEASES: &str = "/apis/coordination.k8s.io/v1/namespaces/kube-system/leases";
const LEASE: &str =
    "/apis/coordination.k8s.io/v1/namespaces/kube-system/leases/ratchet-controllers";
const QUICK: &[&str] = &[
    "--leader-elect",
    "--leader-elect-lease-duration=3s",
    "--leader-elect-renew-deadline=2s",
    "--leader-elect-retry-period=500ms",
];

fn works(cluster: &Cluster, name: &str) -> bool {
    cluster.make("/api/v1/namespaces", &json!({"metadata": {"name": name}}));
    std::thread::sleep(Duration::from_millis(1500));
    cluster.is_there(&format!("/api/v1/namespaces/{name}/serviceaccounts/default"))
}

#[test]
fn alone_a_server_needs_none() {
    let cluster = Cluster::start(&[]);
    cluster.namespace("a");
    assert!(!cluster.is_there(LEASE));
}

#[test]
fn who_loses_it_stops_and_takes_it_again_when_its_holder_is_silent() {
    let cluster = Cluster::start(QUICK);
    cluster.until("the lease", || cluster.is_there(LEASE));
    let own = text(&cluster.get(LEASE)["spec"]["holderIdentity"]);
    assert!(!own.is_empty());
    assert!(works(&cluster, "a"));
    let metrics = || cluster.server.get("/metrics").1;
    assert!(metrics().contains(r#"leader_election_master_status{name="ratchet-controllers"} 1"#));
    // Another server holds it, and renews it for a while.
    for round in 0..6 {
        cluster.change(LEASE, |lease| {
            lease["spec"]["holderIdentity"] = json!("other");
            lease["spec"]["renewTime"] = json!(format!("2026-01-01T00:00:0{round}.000000Z"));
        });
        std::thread::sleep(Duration::from_millis(700));
    }
    assert!(metrics().contains(r#"leader_election_master_status{name="ratchet-controllers"} 0"#));
    cluster
        .change(LEASE, |lease| lease["spec"]["renewTime"] = json!("2026-01-02T00:00:00.000000Z"));
    assert!(!works(&cluster, "b"), "another server runs the controllers");
    cluster.until("the lease", || text(&cluster.get(LEASE)["spec"]["holderIdentity"]) == own);
    assert!(cluster.get(LEASE)["spec"]["leaseTransitions"].as_u64() >= Some(1));
    let account = "/api/v1/namespaces/b/serviceaccounts/default";
    cluster.until("what was left undone", || cluster.is_there(account));
}

#[test]
fn who_stops_gives_it_up_at_once() {
    let mut cluster = Cluster::start(&["--leader-elect"]);
    cluster.until("the lease", || cluster.is_there(LEASE));
    cluster.restart(&["--controllers="]);
    assert_eq!(text(&cluster.get(LEASE)["spec"]["holderIdentity"]), "");
    assert_eq!(cluster.get(LEASES)["items"].as_array().unwrap().len(), 1);
}
