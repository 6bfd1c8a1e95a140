//! Findings as Events and reports, and reviews as spans.

use crate::replica::{BAD, Called, review};
use crate::world::{World, until};
use serde_json::{Value, json};
use std::io::{Read, Write};
use std::net::TcpListener;
use std::sync::mpsc;

/// A definition of reports without a schema, which takes what the real ones take.
fn definition(group: &str, version: &str, kind: &str, plural: &str, scope: &str) -> Value {
    let schema = json!({"openAPIV3Schema": {"type": "object",
        "x-kubernetes-preserve-unknown-fields": true}});
    json!({"apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
        "metadata": {"name": format!("{plural}.{group}")},
        "spec": {"group": group, "scope": scope, "names": {"kind": kind, "plural": plural},
            "versions": [{"name": version, "served": true, "storage": true, "schema": schema}]}})
}

#[test]
fn findings_become_events_and_reports_and_a_dry_run_has_no_effects() {
    let world = World::start();
    let definitions = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
    for (group, version, kind, plural) in [
        ("wgpolicyk8s.io", "v1alpha2", "PolicyReport", "policyreports"),
        ("openreports.io", "v1alpha1", "Report", "reports"),
    ] {
        world.create(definitions, &definition(group, version, kind, plural, "Namespaced"));
        let path = format!("/apis/{group}/{version}/namespaces/shop/{plural}");
        until("the kind", || (world.server.get(&path).0 == 200).then_some(()));
    }
    world.namespace("shop", &json!({}));
    let flags = ["--events", "--reports"];
    let called = Called::start(Some(&world), "rules: {RTC-IP: audit}\n", &flags);
    let mut dry = review("shop", "dry", BAD);
    dry["request"]["dryRun"] = json!(true);
    assert_eq!(called.response(&dry)["allowed"], json!(true));
    for _ in 0..3 {
        assert_eq!(called.response(&review("shop", "web", BAD))["allowed"], json!(true));
    }
    let events = || world.get("/api/v1/namespaces/shop/events")["items"].clone();
    let events = until("an event", || Some(events()).filter(|events| events != &json!([])));
    let event = &events[0];
    assert_eq!(event["involvedObject"]["name"], json!("web"), "{events}");
    assert_eq!(event["reason"], json!("PolicyViolation"));
    assert!(
        event["message"].as_str().unwrap().starts_with("RTC-IP-001: spec.clusterIP"),
        "{event}"
    );

    let paths = [
        "/apis/wgpolicyk8s.io/v1alpha2/namespaces/shop/policyreports/ratchet-webhook",
        "/apis/openreports.io/v1alpha1/namespaces/shop/reports/ratchet-webhook",
    ];
    for path in paths {
        let report = until("a report", || Some(world.get(path)).filter(|found| !found.is_null()));
        let result = &report["results"][0];
        assert_eq!(result["policy"], json!("RTC-IP-001"), "{report}");
        assert_eq!(result["resources"][0]["name"], json!("web"));
        assert_eq!(result["properties"]["field"], json!("spec.clusterIPs[0]"));
        assert!(report["summary"]["warn"].as_u64().unwrap() > 0, "{report}");
        assert!(!report.to_string().contains("\"dry\""), "{report}");
    }
    // What is repaired is no longer reported.
    assert_eq!(called.response(&review("shop", "web", "10.0.0.1"))["allowed"], json!(true));
    for path in paths {
        until("an empty report", || (world.get(path)["summary"]["warn"] == json!(0)).then_some(()));
    }
    let events = world.get("/api/v1/namespaces/shop/events");
    assert_eq!(events.to_string().matches("\"PolicyViolation\"").count(), 1, "once each: {events}");
    assert!(called.has_metric("ratchet_webhook_events_total{result=\"written\"} 1"));
}

#[test]
fn reports_are_written_once_their_kind_exists_and_only_then() {
    let world = World::start();
    world.namespace("shop", &json!({}));
    let called = Called::start(Some(&world), "rules: {RTC-IP: warn}\n", &["--reports"]);
    let find = || called.response(&review("shop", "web", BAD))["allowed"] == json!(true);
    assert!(find());
    let definitions = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
    let report = definition("openreports.io", "v1alpha1", "Report", "reports", "Namespaced");
    world.create(definitions, &report);
    let path = "/apis/openreports.io/v1alpha1/namespaces/shop/reports/ratchet-webhook";
    until("a report", || (find() && !world.get(path).is_null()).then_some(()));
    // Without a kind there is nothing to fail: the other one was never written.
    assert!(called.has_metric("ratchet_webhook_reports_total{result=\"written\"} "));
    assert!(!called.has_metric("ratchet_webhook_reports_total{result=\"error\"} "));
    let events = world.get("/api/v1/namespaces/shop/events");
    assert!(!events.to_string().contains("PolicyViolation"), "no --events, no Events: {events}");
}

#[test]
fn whoever_forges_a_review_does_not_choose_the_path_that_is_written_to() {
    let world = World::start();
    world.namespace("shop", &json!({}));
    // Without labels of namespaces there is nothing that would be looked up before.
    let file = "rules: {RTC-IP: audit}\nnamespaceLabels: false\n";
    let called = Called::start(Some(&world), file, &["--events"]);
    for namespace in ["shop/pods?x=", "..", "shop%2f.."] {
        let forged = review(namespace, "forged", BAD);
        assert_eq!(called.response(&forged)["allowed"], json!(true));
    }
    assert_eq!(called.response(&review("shop", "web", BAD))["allowed"], json!(true));
    // They are written in order: those before it were left out, and none failed.
    until("the last one", || {
        called.has_metric("ratchet_webhook_events_total{result=\"written\"} 1").then_some(())
    });
    assert!(!called.has_metric("ratchet_webhook_events_total{result=\"error\"} "));
}

/// A collector that hands on the body of every request.
fn collector() -> (String, mpsc::Receiver<String>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let endpoint = format!("http://{}/v1/traces", listener.local_addr().unwrap());
    let (sender, receiver) = mpsc::channel();
    std::thread::spawn(move || {
        for stream in listener.incoming() {
            let mut stream = stream.unwrap();
            let mut text = Vec::new();
            let mut buffer = [0; 4096];
            let body = loop {
                let count = stream.read(&mut buffer).unwrap();
                text.extend_from_slice(&buffer[..count]);
                let all = String::from_utf8_lossy(&text).into_owned();
                let Some((head, body)) = all.split_once("\r\n\r\n") else { continue };
                let length = head.lines().find_map(|line| line.strip_prefix("content-length: "));
                if body.len() >= length.unwrap().parse().unwrap() {
                    assert!(head.starts_with("POST /v1/traces HTTP/1.1"), "{head}");
                    break body.to_owned();
                }
                assert!(count > 0, "{all}");
            };
            stream.write_all(b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}").unwrap();
            if sender.send(body).is_err() {
                return;
            }
        }
    });
    (endpoint, receiver)
}

#[test]
fn reviews_are_traced_below_the_span_of_their_caller() {
    let (endpoint, bodies) = collector();
    let called = Called::start(None, "", &[&format!("--tracing-endpoint={endpoint}")]);
    let parent = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";
    let (code, _, _) = called.send(&review("shop", "web", BAD), ("traceparent", parent));
    assert_eq!(code, 200);
    let body: Value = serde_json::from_str(&bodies.recv().unwrap()).unwrap();
    let span = &body["resourceSpans"][0]["scopeSpans"][0]["spans"][0];
    assert_eq!(span["traceId"], json!("0af7651916cd43dd8448eb211c80319c"), "{body}");
    assert_eq!(span["parentSpanId"], json!("b7ad6b7169203331"));
    let attributes = span["attributes"].to_string();
    for value in ["uid-web", "Service", "shop", "denied"] {
        assert!(attributes.contains(&format!("\"stringValue\":\"{value}\"")), "{attributes}");
    }
    let duration = |name: &str| span[name].as_str().unwrap().parse::<u128>().unwrap();
    assert!(duration("endTimeUnixNano") > duration("startTimeUnixNano"));
    // A caller that is not sampled is not traced.
    let parent = "00-0af7651916cd43dd8448eb211c80319d-b7ad6b7169203331-00";
    called.send(&review("shop", "web", BAD), ("traceparent", parent));
    called.review(&review("shop", "third", BAD));
    let body = bodies.recv().unwrap();
    assert!(body.contains("uid-third") && !body.contains("211c80319d"), "{body}");
    until("the metric", || {
        called.has_metric("ratchet_webhook_spans_total{result=\"exported\"} 2").then_some(())
    });
}
