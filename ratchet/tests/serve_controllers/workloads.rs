//! Tests with all released components: nodes register, pods are scheduled and run, Services find them, and all of it goes again.

use crate::cluster::{Cluster, text};
use crate::components::{Component, TOKENS};
use serde_json::{Value, json};

const DEPLOYMENTS: &str = "/apis/apps/v1/namespaces/shop/deployments";
const PODS: &str = "/api/v1/namespaces/shop/pods";
const SLICES: &str = "/apis/discovery.k8s.io/v1/namespaces/shop/endpointslices";

fn items(cluster: &Cluster, path: &str) -> Vec<Value> {
    cluster.get(path)["items"].as_array().cloned().unwrap_or_default()
}

/// Whether a node or a pod has the condition `Ready`.
fn is_ready(object: &Value) -> bool {
    let conditions = object["status"]["conditions"].as_array();
    conditions.into_iter().flatten().any(|one| one["type"] == "Ready" && one["status"] == "True")
}

/// Starts a server for which each node may change what is its own, and nothing else.
fn start() -> Cluster {
    let tokens = tempfile::NamedTempFile::new().unwrap();
    std::fs::write(tokens.path(), TOKENS).unwrap();
    Cluster::start(&[
        "--controllers=",
        "--authorization-mode=Node,RBAC",
        "--enable-admission-plugins=NodeRestriction",
        "--token-auth-file",
        tokens.path().to_str().unwrap(),
    ])
}

/// The running pods, and the ready addresses in the slices of the Service.
fn running(cluster: &Cluster) -> (usize, usize) {
    let pods = items(cluster, PODS);
    let running = pods.iter().filter(|pod| pod["status"]["phase"] == "Running" && is_ready(pod));
    let slices =
        items(cluster, &format!("{SLICES}?labelSelector=kubernetes.io/service-name%3Dweb"));
    let endpoints = slices.iter().filter_map(|slice| slice["endpoints"].as_array()).flatten();
    let ready = endpoints.filter(|endpoint| endpoint["conditions"]["ready"] == true);
    (running.count(), ready.count())
}

#[test]
#[ignore = "needs RATCHET_KUBE_COMPONENTS"]
fn released_components_run_a_deployment() {
    let cluster = start();
    let _manager = Component::manager(&cluster);
    let _scheduler = Component::scheduler(&cluster);
    let _kubelets = ["hollow-1", "hollow-2"].map(|name| Component::hollow_kubelet(&cluster, name));
    cluster.until("two nodes", || {
        items(&cluster, "/api/v1/nodes").iter().filter(|node| is_ready(node)).count() == 2
    });

    cluster.namespace("shop");
    let labels = json!({"app": "web"});
    cluster.make(
        "/api/v1/namespaces/shop/services",
        &json!({"metadata": {"name": "web"}, "spec": {"selector": labels, "ports": [{"port": 80}]}}),
    );
    cluster.make(
        DEPLOYMENTS,
        &json!({
            "metadata": {"name": "web"},
            "spec": {
                "replicas": 4,
                "selector": {"matchLabels": labels},
                "template": {
                    "metadata": {"labels": labels},
                    "spec": {
                        "terminationGracePeriodSeconds": 1,
                        "containers": [{"name": "main", "image": "image"}],
                    },
                },
            },
        }),
    );
    let web = format!("{DEPLOYMENTS}/web");
    cluster.until("a Deployment that is available", || {
        cluster.get(&web)["status"]["availableReplicas"] == 4
    });
    cluster.until("four pods and endpoints", || running(&cluster) == (4, 4));
    for pod in items(&cluster, PODS) {
        let node = text(&pod["spec"]["nodeName"]);
        assert!(["hollow-1", "hollow-2"].contains(&node.as_str()), "{pod}");
    }

    let scale = format!("{web}/scale");
    for replicas in [6, 1] {
        cluster.change(&scale, |scale| scale["spec"]["replicas"] = json!(replicas));
        cluster.until("the new size", || running(&cluster) == (replicas, replicas));
    }

    cluster.request("DELETE", &web, &json!({"propagationPolicy": "Foreground"}));
    cluster.until("nothing of the Deployment", || {
        !cluster.is_there(&web) && items(&cluster, PODS).is_empty() && running(&cluster) == (0, 0)
    });
    cluster.request("DELETE", "/api/v1/namespaces/shop", &Value::Null);
    cluster.until("no namespace", || !cluster.is_there("/api/v1/namespaces/shop"));
}
