//! Tests of node networks through the API: allocated once, stable over restarts, released with the node.

use crate::cluster::{Cluster, text};
use serde_json::{Value, json};
use std::collections::BTreeSet;

const NODES: &str = "/api/v1/nodes";
const FLAGS: &[&str] = &[
    "--cluster-cidr=10.244.0.0/21,fd00:10::/60",
    "--service-cluster-ip-range=10.244.1.0/25",
    "--feature-gates=StrictIPCIDRValidation=false",
];

fn cidrs(cluster: &Cluster, node: &str) -> Vec<String> {
    let spec = cluster.get(&format!("{NODES}/{node}"))["spec"].clone();
    let all: Vec<_> = spec["podCIDRs"].as_array().into_iter().flatten().map(text).collect();
    assert_eq!(text(&spec["podCIDR"]), all.first().cloned().unwrap_or_default());
    all
}

fn join(cluster: &Cluster, name: &str) -> Vec<String> {
    cluster.make(NODES, &json!({"metadata": {"name": name}}));
    cluster.until("networks", || cidrs(cluster, name).len() == 2);
    cidrs(cluster, name)
}

#[test]
fn no_two_nodes_share_one_also_after_a_restart() {
    let mut cluster = Cluster::start(FLAGS);
    // A network that was stored when nobody minded how it was spelled.
    let odd = json!({"metadata": {"name": "odd"}, "spec": {"podCIDR": "010.244.000.000/24", "podCIDRs": ["010.244.000.000/24"]}});
    cluster.make(NODES, &odd);
    let mut given = BTreeSet::from(["10.244.0.0/24".to_owned(), "10.244.1.0/24".to_owned()]);
    for number in 0..3 {
        for network in join(&cluster, &format!("a{number}")) {
            assert!(given.insert(network.clone()), "{network}");
        }
    }
    let before = cidrs(&cluster, "a0");
    cluster.restart(FLAGS);
    for number in 0..3 {
        for network in join(&cluster, &format!("b{number}")) {
            assert!(given.insert(network.clone()), "{network}");
        }
    }
    assert_eq!(cidrs(&cluster, "a0"), before);
    // Six of eight are given, one is the Services', one the odd node's: the next must wait.
    cluster.make(NODES, &json!({"metadata": {"name": "late"}}));
    let is_reported = |event: &Value| event["reason"] == "CIDRNotAvailable";
    let events = || cluster.get("/api/v1/namespaces/default/events")["items"].clone();
    cluster.until("an event", || events().as_array().unwrap().iter().any(is_reported));
    assert!(cidrs(&cluster, "late").is_empty());
    cluster.request("DELETE", &format!("{NODES}/a1"), &Value::Null);
    cluster.until("a network", || cidrs(&cluster, "late").len() == 2);
}
