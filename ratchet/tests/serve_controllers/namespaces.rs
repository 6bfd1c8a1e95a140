//! Tests of namespace deletion: conditions name what blocks it, and it ends when nothing does.

use crate::cluster::{Cluster, text};
use serde_json::{Value, json};

fn condition(namespace: &Value, kind: &str) -> [String; 3] {
    let all = namespace["status"]["conditions"].as_array().cloned().unwrap_or_default();
    let one = all.into_iter().find(|one| one["type"] == kind).unwrap_or_default();
    ["status", "reason", "message"].map(|name| text(&one[name]))
}

#[test]
fn a_finalizer_holds_it_and_is_named() {
    let cluster = Cluster::start(&[]);
    cluster.namespace("held");
    let maps = "/api/v1/namespaces/held/configmaps";
    let map = json!({"metadata": {"name": "a", "finalizers": ["example.com/hold"]}});
    cluster.make(maps, &map);
    cluster.make(maps, &json!({"metadata": {"name": "b"}}));
    let path = "/api/v1/namespaces/held";
    cluster.request("DELETE", path, &Value::Null);
    let conditions = |kind| condition(&cluster.get(path), kind);
    cluster.until("conditions", || conditions("NamespaceFinalizersRemaining")[0] == "True");
    let [_, reason, message] = conditions("NamespaceFinalizersRemaining");
    assert_eq!(reason, "SomeFinalizersRemain");
    assert_eq!(
        message,
        "Some content in the namespace has finalizers remaining: example.com/hold in 1 resource instances"
    );
    let [status, reason, message] = conditions("NamespaceContentRemaining");
    assert_eq!((&*status, &*reason), ("True", "SomeResourcesRemain"));
    assert_eq!(message, "Some resources are remaining: configmaps. has 1 resource instances");
    for kind in [
        "NamespaceDeletionDiscoveryFailure",
        "NamespaceDeletionGroupVersionParsingFailure",
        "NamespaceDeletionContentFailure",
    ] {
        assert_eq!(conditions(kind)[0], "False", "{kind}");
    }
    assert!(!cluster.is_there(&format!("{maps}/b")));
    cluster.change(&format!("{maps}/a"), |map| map["metadata"]["finalizers"] = Value::Null);
    cluster.until("it to go", || !cluster.is_there(path));
}

#[test]
fn pods_end_in_their_own_time_before_anything_else_goes() {
    let cluster = Cluster::start(&[]);
    cluster.namespace("slow");
    let pods = "/api/v1/namespaces/slow/pods";
    let spec = json!({"nodeName": "n", "terminationGracePeriodSeconds": 60, "containers": [{"name": "c", "image": "x"}]});
    cluster.make(pods, &json!({"metadata": {"name": "p"}, "spec": spec}));
    let map = "/api/v1/namespaces/slow/configmaps";
    cluster.make(map, &json!({"metadata": {"name": "needed"}}));
    let path = "/api/v1/namespaces/slow";
    cluster.request("DELETE", path, &Value::Null);
    let remaining = || condition(&cluster.get(path), "NamespaceContentRemaining");
    cluster.until("conditions", || remaining()[0] == "True");
    assert_eq!(remaining()[2], "Some resources are remaining: pods. has 1 resource instances");
    assert!(cluster.is_there(&format!("{map}/needed")), "the pod may need it");
    let pod = cluster.get(&format!("{pods}/p"));
    assert_eq!(pod["metadata"]["deletionGracePeriodSeconds"], 60);
    // The kubelet reports that it has ended.
    cluster.request("DELETE", &format!("{pods}/p"), &json!({"gracePeriodSeconds": 0}));
    cluster.until("it to go", || !cluster.is_there(path));
}
