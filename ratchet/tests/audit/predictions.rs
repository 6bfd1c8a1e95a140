//! What the audit foretells comes true: every judged write is tried on a strict server, in both behaviors.

use super::legacy::{Stored, fill};
use super::{Cluster, OLD};
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};

/// Number of generated objects; `cargo xtask predictions` tries more.
fn count() -> usize {
    std::env::var("RATCHET_PREDICTIONS").map_or(96, |text| text.parse().unwrap())
}

/// The refused operations of every object, as the audit foretells them.
fn foretold(report: &Value) -> BTreeMap<String, BTreeSet<String>> {
    let mut all: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for finding in report["findings"].as_array().unwrap() {
        let object = &finding["object"];
        let key =
            format!("{} {}", object["kind"].as_str().unwrap(), object["name"].as_str().unwrap());
        let refuses = finding["refuses"].as_array().unwrap().iter();
        all.entry(key).or_default().extend(refuses.map(|row| row.as_str().unwrap().to_owned()));
    }
    all
}

fn get(cluster: &Cluster, path: &str) -> Value {
    let (code, body) = cluster.server.get(path);
    assert_eq!(code, 200, "{path}: {body}");
    serde_json::from_str(&body).unwrap()
}

/// Tries an update; `true` if it is refused as invalid or forbidden.
fn put(cluster: &Cluster, path: &str, body: &Value) -> bool {
    refused(cluster.server.request("PUT", path, &body.to_string()), path)
}

fn refused((code, body): (u16, String), path: &str) -> bool {
    match code {
        200 | 201 => false,
        403 | 422 => true,
        _ => panic!("{path}: {code} {body}"),
    }
}

/// Tries every operation that is judged for an object, and returns those that the server refuses.
fn refused_operations(cluster: &Cluster, stored: &Stored) -> BTreeSet<String> {
    let path = stored.path();
    let mut refuses = BTreeSet::new();
    let mut note = |operation: &str, is_refused: bool| {
        if is_refused {
            refuses.insert(operation.to_owned());
        }
    };
    let object = get(cluster, &path);
    note("update", put(cluster, &path, &object));
    if matches!(stored.kind(), "Deployment" | "StatefulSet" | "ReplicaSet") {
        let mut scale = get(cluster, &format!("{path}/scale"));
        scale["spec"]["replicas"] = json!(scale["spec"]["replicas"].as_i64().unwrap_or(0) + 1);
        note("scale", put(cluster, &format!("{path}/scale"), &scale));
    }
    if !matches!(stored.kind(), "Endpoints" | "EndpointSlice" | "NetworkPolicy") {
        let object = get(cluster, &path);
        note("status", put(cluster, &format!("{path}/status"), &object));
    }
    let mut object = get(cluster, &path);
    object["metadata"]["labels"]["touched"] = json!("true");
    note("label", put(cluster, &path, &object));
    let mut object = get(cluster, &path);
    if object["metadata"].get("finalizers").is_some() {
        object["metadata"].as_object_mut().unwrap().remove("finalizers");
        note("finalizer", put(cluster, &path, &object));
    }
    // Created again: where the original is gone, or under another name if it cannot go.
    let mut again = get(cluster, &path);
    let metadata = again["metadata"].as_object_mut().unwrap();
    for name in ["uid", "resourceVersion", "creationTimestamp", "managedFields", "generation"] {
        metadata.remove(name);
    }
    if metadata.contains_key("finalizers") {
        metadata.insert("name".into(), json!(format!("{}-again", stored.name())));
    } else {
        let (code, body) = cluster.server.request(
            "DELETE",
            &format!("{path}?gracePeriodSeconds=0&propagationPolicy=Background"),
            "",
        );
        assert!(code == 200 || code == 202, "{path}: {body}");
    }
    // The server chooses labels of pods of a Job, by its new uid.
    if stored.kind() == "Job" {
        again["spec"].as_object_mut().unwrap().remove("selector");
        again["spec"]["template"]["metadata"].as_object_mut().unwrap().remove("labels");
        again["metadata"].as_object_mut().unwrap().remove("labels");
    }
    note(
        "create",
        refused(cluster.server.request("POST", &stored.list, &again.to_string()), &path),
    );
    refuses
}

fn predictions_come_true(behavior: &str) {
    let cluster = Cluster::start(OLD);
    let objects = fill(&cluster, count());
    let plugins = "--enable-admission-plugins=DenyServiceExternalIPs";
    let audit = cluster.audit(&["-o", "json", "--behavior", behavior, plugins]);
    assert_eq!(audit.code, 1, "{}", audit.stderr);
    let report = audit.json();
    let foretold = foretold(&report);
    let strict = [
        "--behavior",
        behavior,
        plugins,
        "--controllers=",
        "--disable-admission-plugins=ServiceAccount",
    ];
    let cluster = cluster.restart(&strict);
    let mut wrong = Vec::new();
    let (mut frozen, mut recreated) = (0, 0);
    for stored in &objects {
        let key = format!("{} {}", stored.kind(), stored.name());
        let wanted = foretold.get(&key).cloned().unwrap_or_default();
        let happened = refused_operations(&cluster, stored);
        frozen += usize::from(happened.iter().any(|operation| operation != "create"));
        recreated += usize::from(happened.len() == 1 && happened.contains("create"));
        if wanted != happened {
            wrong.push(format!(
                "{key}: foretold {wanted:?}, happened {happened:?}: {}",
                stored.object["spec"]
            ));
        }
    }
    assert!(wrong.is_empty(), "{} of {}:\n{}", wrong.len(), objects.len(), wrong.join("\n"));
    assert!(recreated > objects.len() / 10, "only {recreated} objects could not be created again");
    // The proposal freezes nothing; released Kubernetes does.
    assert_eq!(frozen > 0, behavior == "released", "{frozen} objects are frozen");
    let states = |name: &str| report["summary"][name].as_u64().unwrap();
    assert_eq!(states("frozen"), frozen as u64);
}

#[test]
fn predictions_come_true_as_released() {
    predictions_come_true("released");
}

#[test]
fn predictions_come_true_as_proposed() {
    predictions_come_true("proposal");
}
