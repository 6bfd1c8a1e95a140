//! Labels of namespaces: from a watch, from a live lookup, and without a cluster.

use crate::replica::{BAD, Called, review};
use crate::world::{World, until};
use serde_json::{Value, json};

/// The number of refusals that are only warned about.
fn warnings(response: &Value) -> usize {
    let all = response["warnings"].as_array().map_or(&[][..], Vec::as_slice);
    all.iter()
        .filter(|one| one.as_str().is_some_and(|text| text.starts_with("would violate")))
        .count()
}

#[test]
fn labels_of_namespaces_are_followed_and_the_last_known_ones_outlive_the_api_server() {
    let mut world = World::start();
    world.namespace("calm", &json!({"ratchet/mode": "warn", "team": "blue"}));
    let called = Called::start(Some(&world), "rules: {RTC-IP: enforce}\n", &[]);
    until("readiness", || (called.get("/readyz").0 == 200).then_some(()));
    let response = called.response(&review("calm", "a", BAD));
    assert_eq!((response["allowed"].as_bool(), warnings(&response)), (Some(true), 1), "{response}");
    assert_eq!(called.response(&review("default", "a", BAD))["allowed"], json!(false));

    // A namespace that was made a moment ago is looked up.
    world.namespace("new", &json!({"ratchet/RTC-IP": "off"}));
    let response = called.response(&review("new", "a", BAD));
    assert_eq!((response["allowed"].as_bool(), warnings(&response)), (Some(true), 0), "{response}");
    let absent = called.response(&review("absent", "a", BAD));
    assert_eq!(absent["allowed"], json!(false), "no labels, no other mode");
    assert!(called.has_metric("ratchet_webhook_namespace_lookups_total{result=\"absent\"} 1"));

    // A change comes by the watch.
    world.patch(
        "/api/v1/namespaces/calm",
        &json!({"metadata": {"labels": {"ratchet/mode": "off"}}}),
    );
    until("the new label", || {
        let response = called.response(&review("calm", "a", BAD));
        (response["allowed"] == json!(true) && warnings(&response) == 0).then_some(())
    });
    until("the metric", || called.has_metric("ratchet_webhook_namespaces_cached 6").then_some(()));
    assert!(
        called.has_metric("ratchet_webhook_namespace_watch_connected{resource=\"namespaces\"} 1")
    );

    world.server.signal("KILL");
    world.server.wait();
    until("the broken watch", || {
        called.get("/readyz?verbose").2.contains("the watch of namespaces is broken").then_some(())
    });
    assert_eq!(called.get("/readyz").0, 200, "a replica that judges is not taken away");
    assert_eq!(called.response(&review("calm", "a", BAD))["allowed"], json!(true));
    let (code, _, text) = called.review(&review("unknown", "a", BAD));
    assert_eq!(code, 500, "what cannot be known gets no verdict: {text}");
}

#[test]
fn without_a_cluster_namespaces_have_no_labels_and_the_log_says_so_once() {
    let called = Called::start(None, "rules: {RTC-IP: warn}\n", &[]);
    assert_eq!(called.get("/readyz").0, 200);
    let response = called.response(&review("shop", "web", BAD));
    assert_eq!((response["allowed"].as_bool(), warnings(&response)), (Some(true), 1), "{response}");
    let log = called.replica.log();
    assert_eq!(log.matches("namespaces count as unlabelled").count(), 1, "{log}");
    // A finding is a line with all that is needed to find its cause.
    let line = log.lines().find(|line| line.contains("\"message\":\"finding\"")).unwrap();
    let line: Value = serde_json::from_str(line).unwrap();
    for (field, value) in [
        ("uid", "uid-web"),
        ("user", "ann"),
        ("kind", "Service"),
        ("namespace", "shop"),
        ("name", "web"),
        ("rule", "RTC-IP-001"),
        ("field", "spec.clusterIPs[0]"),
        ("mode", "warn"),
        ("verdict", "warned"),
    ] {
        assert_eq!(line[field], json!(value), "{field} of {line}");
    }
}
