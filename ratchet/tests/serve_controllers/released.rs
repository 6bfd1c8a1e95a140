//! Tests with the released kube-controller-manager: failures of its controllers are visible in events and conditions.

use crate::cluster::{Cluster, text};
use crate::components::Component;
use serde_json::{Value, json};

/// A Deployment whose readiness probes name another host.
fn deployment(host: &str) -> Value {
    let probe = json!({"httpGet": {"host": host, "port": 80}});
    let container = json!({"name": "main", "image": "image", "readinessProbe": probe});
    json!({
        "metadata": {"name": "web"},
        "spec": {
            "selector": {"matchLabels": {"app": "web"}},
            "template": {
                "metadata": {"labels": {"app": "web"}},
                "spec": {"containers": [container]},
            },
        },
    })
}

#[test]
#[ignore = "needs RATCHET_KUBE_COMPONENTS"]
fn released_controllers_tell_why_pods_cannot_be_created() {
    let cluster = Cluster::start(&["--controllers", ""]);
    let _manager = Component::manager(&cluster);
    let labels = json!({"pod-security.kubernetes.io/enforce": "baseline"});
    cluster.make("/api/v1/namespaces", &json!({"metadata": {"name": "guarded", "labels": labels}}));
    let home = "/apis/apps/v1/namespaces/guarded/deployments";
    cluster.make(home, &deployment("169.254.169.254"));
    let failure = || {
        let conditions = cluster.get(&format!("{home}/web"))["status"]["conditions"].clone();
        let all = conditions.as_array().cloned().unwrap_or_default();
        all.into_iter().find(|one| one["type"] == "ReplicaFailure")
    };
    cluster.until("a condition", || failure().is_some());
    let failure = failure().unwrap();
    assert_eq!(
        (text(&failure["status"]), text(&failure["reason"])),
        ("True".to_owned(), "FailedCreate".to_owned())
    );
    let message = text(&failure["message"]);
    assert!(message.contains(r#"violates PodSecurity "baseline:latest""#), "{message}");
    assert!(message.contains("169.254.169.254"), "{message}");
    // The same stands in an event of the ReplicaSet.
    let events = "/api/v1/namespaces/guarded/events?fieldSelector=reason%3DFailedCreate";
    cluster.until("an event", || {
        let events = cluster.get(events)["items"].as_array().cloned().unwrap_or_default();
        events.iter().any(|event| {
            event["involvedObject"]["kind"] == "ReplicaSet"
                && text(&event["message"]).contains("violates PodSecurity")
        })
    });
    // Where nothing is violated, pods come.
    cluster.make("/api/v1/namespaces", &json!({"metadata": {"name": "open"}}));
    cluster.make("/apis/apps/v1/namespaces/open/deployments", &deployment("169.254.169.254"));
    let pods = "/api/v1/namespaces/open/pods";
    cluster
        .until("a pod", || cluster.get(pods)["items"].as_array().is_some_and(|all| all.len() == 1));
}
