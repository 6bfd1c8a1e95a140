//! Tests of garbage collection: dependents go after their owner, before it, or stay.

use crate::cluster::{Cluster, owner, text};
use serde_json::{Value, json};
use std::time::Duration;

const DEPLOYMENTS: &str = "/apis/apps/v1/namespaces/default/deployments";
const SETS: &str = "/apis/apps/v1/namespaces/default/replicasets";
const PODS: &str = "/api/v1/namespaces/default/pods";
const MAPS: &str = "/api/v1/namespaces/default/configmaps";

fn workload(name: &str, owners: &Value) -> Value {
    let template = json!({
        "metadata": {"labels": {"app": name}},
        "spec": {"containers": [{"name": "c", "image": "x"}]},
    });
    let selector = json!({"matchLabels": {"app": name}});
    json!({
        "metadata": {"name": name, "ownerReferences": owners},
        "spec": {"selector": selector, "template": template},
    })
}

/// A Deployment with a ReplicaSet with a Pod.
fn grow(cluster: &Cluster, name: &str) {
    let uid = cluster.make(DEPLOYMENTS, &workload(name, &json!([])));
    let owners = json!([owner("apps/v1", "Deployment", name, &uid, true)]);
    let uid = cluster.make(SETS, &workload(name, &owners));
    let owners = json!([owner("apps/v1", "ReplicaSet", name, &uid, true)]);
    let pod = json!({
        "metadata": {"name": name, "ownerReferences": owners},
        "spec": {"containers": [{"name": "c", "image": "x"}]},
    });
    cluster.until("an account", || cluster.try_request("POST", PODS, &pod).0 != 403);
}

fn map(name: &str, owners: &Value) -> Value {
    json!({"metadata": {"name": name, "ownerReferences": owners}})
}

fn map_owner(name: &str, uid: &str, blocks: bool) -> Value {
    owner("v1", "ConfigMap", name, uid, blocks)
}

fn delete(cluster: &Cluster, collection: &str, name: &str, policy: &str) -> Value {
    let options = json!({"kind": "DeleteOptions", "apiVersion": "v1", "propagationPolicy": policy});
    cluster.request("DELETE", &format!("{collection}/{name}"), &options)
}

fn owners_of(cluster: &Cluster, path: &str) -> usize {
    let object = cluster.get(path);
    object["metadata"]["ownerReferences"].as_array().map_or(0, Vec::len)
}

#[test]
fn the_three_ways_of_a_deployment() {
    let cluster = Cluster::start(&[]);
    let is_there =
        |name: &str| [DEPLOYMENTS, SETS, PODS].map(|of| cluster.is_there(&format!("{of}/{name}")));
    for (name, policy) in [("back", "Background"), ("fore", "Foreground")] {
        grow(&cluster, name);
        delete(&cluster, DEPLOYMENTS, name, policy);
        cluster.until("all to go", || is_there(name) == [false; 3]);
    }
    grow(&cluster, "alone");
    delete(&cluster, DEPLOYMENTS, "alone", "Orphan");
    cluster.until("the owner to go", || is_there("alone") == [false, true, true]);
    assert_eq!(owners_of(&cluster, &format!("{SETS}/alone")), 0);
    assert_eq!(owners_of(&cluster, &format!("{PODS}/alone")), 1);
}

#[test]
fn in_the_foreground_an_owner_waits_for_those_that_block_it() {
    let cluster = Cluster::start(&[]);
    let uid = cluster.make(MAPS, &map("owner", &json!([])));
    for (name, blocks) in [("blocks", true), ("follows", false)] {
        let mut held = map(name, &json!([map_owner("owner", &uid, blocks)]));
        held["metadata"]["finalizers"] = json!(["example.com/hold"]);
        cluster.make(MAPS, &held);
    }
    // The garbage collector has seen them before the deletion.
    let answer = delete(&cluster, MAPS, "owner", "Foreground");
    assert_eq!(answer["metadata"]["finalizers"], json!(["foregroundDeletion"]));
    let path = |name: &str| format!("{MAPS}/{name}");
    let is_deleted =
        |name: &str| !cluster.get(&path(name))["metadata"]["deletionTimestamp"].is_null();
    cluster.until("the blocking one to be deleted", || is_deleted("blocks"));
    std::thread::sleep(Duration::from_millis(500));
    assert!(cluster.is_there(&path("owner")), "it waits");
    cluster.change(&path("blocks"), |map| map["metadata"]["finalizers"] = Value::Null);
    cluster.until("the owner to go", || !cluster.is_there(&path("owner")));
    // Deletion does not wait for the other one, but it goes as well.
    cluster.until("the follower to be deleted", || is_deleted("follows"));
}

#[test]
fn one_owner_is_enough_and_the_others_are_forgotten() {
    let cluster = Cluster::start(&[]);
    let one = cluster.make(MAPS, &map("one", &json!([])));
    let two = cluster.make(MAPS, &map("two", &json!([])));
    let owners = json!([map_owner("one", &one, true), map_owner("two", &two, true)]);
    cluster.make(MAPS, &map("child", &owners));
    let child = format!("{MAPS}/child");
    delete(&cluster, MAPS, "one", "Foreground");
    cluster.until("the first to go", || !cluster.is_there(&format!("{MAPS}/one")));
    cluster.until("it to be forgotten", || owners_of(&cluster, &child) == 1);
    delete(&cluster, MAPS, "two", "Background");
    cluster.until("the child to go", || !cluster.is_there(&child));
}

#[test]
fn who_names_an_owner_that_never_was_goes_and_who_names_a_stranger_stays() {
    let cluster = Cluster::start(&[]);
    let nobody = "00000000-0000-4000-8000-000000000000";
    let absent = json!([map_owner("absent", nobody, false)]);
    cluster.make(MAPS, &map("stray", &absent));
    // The same name, but another uid: another owner.
    cluster.make(MAPS, &map("here", &json!([])));
    cluster.make(MAPS, &map("mistaken", &json!([map_owner("here", nobody, false)])));
    let foreign = json!([owner("example.com/v1", "Thing", "x", nobody, false)]);
    cluster.make(MAPS, &map("foreign", &foreign));
    for name in ["stray", "mistaken"] {
        cluster.until(name, || !cluster.is_there(&format!("{MAPS}/{name}")));
    }
    std::thread::sleep(Duration::from_millis(500));
    for name in ["here", "foreign"] {
        assert!(cluster.is_there(&format!("{MAPS}/{name}")), "{name}");
    }
}

#[test]
fn an_owner_of_another_namespace_is_none_and_that_is_told() {
    let cluster = Cluster::start(&[]);
    cluster.namespace("far");
    let far = "/api/v1/namespaces/far/configmaps";
    let uid = cluster.make(far, &map("owner", &json!([])));
    // The owner is known before somebody names it.
    std::thread::sleep(Duration::from_secs(1));
    let child = cluster.make(MAPS, &map("child", &json!([map_owner("owner", &uid, false)])));
    cluster.until("the child to go", || !cluster.is_there(&format!("{MAPS}/child")));
    assert!(cluster.is_there(&format!("{far}/owner")));
    let events = || cluster.get("/api/v1/namespaces/default/events")["items"].clone();
    let is_reported = |event: &Value| event["reason"] == "OwnerRefInvalidNamespace";
    let find = || events().as_array().unwrap().iter().find(|event| is_reported(event)).cloned();
    cluster.until("an event", || find().is_some());
    let event = find().unwrap();
    assert_eq!(text(&event["involvedObject"]["uid"]), child);
    assert_eq!(
        text(&event["message"]),
        format!(
            "ownerRef [v1/ConfigMap, namespace: default, name: owner, uid: {uid}] does not exist in namespace \"default\""
        )
    );
}

#[test]
fn a_circle_of_owners_goes_in_the_foreground() {
    let cluster = Cluster::start(&[]);
    let one = cluster.make(MAPS, &map("one", &json!([])));
    let owners = json!([map_owner("one", &one, true)]);
    let two = cluster.make(MAPS, &map("two", &owners));
    cluster.change(&format!("{MAPS}/one"), |map| {
        map["metadata"]["ownerReferences"] = json!([map_owner("two", &two, true)]);
    });
    delete(&cluster, MAPS, "one", "Foreground");
    for name in ["one", "two"] {
        cluster.until(name, || !cluster.is_there(&format!("{MAPS}/{name}")));
    }
}

#[test]
fn what_began_before_a_restart_is_finished_after_it() {
    let mut cluster = Cluster::start(&["--controllers=serviceaccount"]);
    for (name, policy) in [("back", "Background"), ("fore", "Foreground"), ("alone", "Orphan")] {
        grow(&cluster, name);
        delete(&cluster, DEPLOYMENTS, name, policy);
    }
    assert!(cluster.is_there(&format!("{DEPLOYMENTS}/fore")));
    cluster.restart(&[]);
    for name in ["back", "fore"] {
        cluster.until(name, || !cluster.is_there(&format!("{PODS}/{name}")));
        cluster.until(name, || !cluster.is_there(&format!("{DEPLOYMENTS}/{name}")));
    }
    cluster.until("the owner to go", || !cluster.is_there(&format!("{DEPLOYMENTS}/alone")));
    assert_eq!(owners_of(&cluster, &format!("{SETS}/alone")), 0);
}
