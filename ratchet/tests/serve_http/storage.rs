//! Tests of the server on a failing store, and on one with unreadable objects.

use crate::client::{Client, text};
use crate::definitions::{DEFINITIONS, created, open, widgets};
use crate::server::Server;
use hyper::Method;
use serde_json::{Value, json};
use std::io::ErrorKind;
use std::time::Duration;

const FORMS: &[&str] = &[
    "application/json",
    "application/json;pretty=1",
    "application/yaml",
    "application/vnd.kubernetes.protobuf",
    "application/json;as=Table;v=v1;g=meta.k8s.io",
    "application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io",
];

/// The status codes of the three health checks.
async fn health(client: &Client) -> [u16; 3] {
    let mut codes = [0; 3];
    for (code, path) in codes.iter_mut().zip(["/livez", "/readyz", "/healthz"]) {
        *code = client.get(path).await.code;
    }
    codes
}

/// The value of a metric without labels, or with these.
async fn metric(client: &Client, name: &str) -> f64 {
    let answer = client.get("/metrics").await;
    let line = answer.text().lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(' '));
    line.and_then(|value| value.parse().ok()).unwrap_or(-1.0)
}

async fn until(client: &Client, name: &str, wanted: f64) {
    for _ in 0..1200 {
        if metric(client, name).await == wanted {
            return;
        }
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    panic!("{name} never was {wanted}");
}

fn map(name: &str) -> Value {
    json!({"metadata": {"name": name}, "data": {"a": "b"}})
}

#[tokio::test]
async fn a_full_disk_is_told_and_recovers_by_itself() {
    let server = Server::start();
    let client = server.admin().await;
    let (_, maps) = client.namespace().await;
    client.map(&maps, "a").await;
    assert_eq!(metric(&client, "ratchet_storage_write_failures_total").await, 0.0);
    server.disk.writes(Some(ErrorKind::StorageFull));
    let refused = client.post(&maps, map("b")).await;
    assert_eq!(
        refused.refusal(),
        (503, "the store has no room: nothing was written, and reads go on".to_owned())
    );
    assert_eq!(health(&client).await, [200; 3], "it can be read, and waits for room");
    assert_eq!(client.get(&maps).await.names(), ["a"]);
    assert_eq!(metric(&client, r#"ratchet_storage_state{state="full"}"#).await, 1.0);
    assert!(metric(&client, "ratchet_storage_write_failures_total").await >= 1.0);
    server.disk.writes(None);
    until(&client, r#"ratchet_storage_state{state="sound"}"#, 1.0).await;
    client.map(&maps, "b").await;
    assert_eq!(client.get(&maps).await.names(), ["a", "b"]);
}

#[tokio::test]
async fn a_store_that_cannot_flush_is_neither_ready_nor_alive_until_it_can() {
    let server = Server::start();
    let client = server.admin().await;
    let (_, maps) = client.namespace().await;
    client.map(&maps, "a").await;
    assert_eq!(health(&client).await, [200; 3]);
    server.disk.flushes(Some(ErrorKind::Other));
    for _ in 0..2 {
        let refused = client.post(&maps, map("b")).await;
        let message = "Internal error occurred: the store failed".to_owned();
        assert_eq!(refused.refusal(), (500, message), "no file is named");
    }
    assert_eq!(health(&client).await, [500; 3]);
    let whole = client.get("/readyz").await;
    assert!(whole.text().contains("[-]etcd failed: reason withheld\n"), "{}", whole.text());
    assert!(whole.text().contains("[-]etcd-readiness failed"), "{}", whole.text());
    assert!(whole.text().contains("[+]informer-sync ok"), "{}", whole.text());
    let alone = client.get("/livez/etcd").await;
    assert_eq!(alone.code, 500);
    assert!(!alone.text().contains("state.redb") && alone.text().contains("the log says why"));
    assert_eq!(metric(&client, r#"ratchet_storage_state{state="broken"}"#).await, 1.0);
    // What is in memory can still be read, in every form.
    for form in FORMS {
        let list = client.get_as(&maps, form).await;
        assert_eq!(list.code, 200, "{form}");
    }
    assert_eq!(client.get(&maps).await.names(), ["a"]);
    // The disk works again: the whole file is rewritten.
    server.disk.flushes(None);
    until(&client, r#"ratchet_storage_state{state="sound"}"#, 1.0).await;
    assert_eq!(health(&client).await, [200; 3]);
    client.map(&maps, "c").await;
    let names = client.get(&maps).await.names();
    assert!(names.contains(&"a".to_owned()) && names.contains(&"c".to_owned()), "{names:?}");
}

#[tokio::test]
async fn a_disk_that_becomes_read_only_is_still_read_and_used_again_by_itself() {
    let server = Server::start();
    let client = server.admin().await;
    let (_, maps) = client.namespace().await;
    client.map(&maps, "a").await;
    server.disk.writes(Some(ErrorKind::ReadOnlyFilesystem));
    for _ in 0..2 {
        let refused = client.post(&maps, map("b")).await;
        let message = "Internal error occurred: the store failed".to_owned();
        assert_eq!(refused.refusal(), (500, message));
        assert_eq!(client.get(&maps).await.names(), ["a"]);
    }
    assert_eq!(health(&client).await, [500; 3], "it is not only full");
    assert_eq!(metric(&client, r#"ratchet_storage_state{state="broken"}"#).await, 1.0);
    server.disk.writes(None);
    until(&client, r#"ratchet_storage_state{state="sound"}"#, 1.0).await;
    assert_eq!(health(&client).await, [200; 3]);
    client.map(&maps, "b").await;
    assert_eq!(client.get(&maps).await.names(), ["a", "b"]);
}

#[tokio::test]
async fn a_slow_disk_delays_writes_and_nothing_else() {
    let server = Server::start();
    let client = server.admin().await;
    let (_, maps) = client.namespace().await;
    client.map(&maps, "a").await;
    server.disk.hold_flushes(true);
    let write = |number: usize| {
        let (client, maps) = (client.clone(), maps.clone());
        tokio::spawn(async move { client.post(&maps, map(&format!("b{number}"))).await.code })
    };
    let writers: Vec<_> = (0..3).map(write).collect();
    for _ in 0..10 {
        assert_eq!(health(&client).await, [200; 3], "slow is not broken");
        assert_eq!(client.get(&maps).await.names(), ["a"], "nothing is seen before it is kept");
        assert_eq!(client.get(&format!("{maps}/a")).await.code, 200);
    }
    assert!(writers.iter().all(|writer| !writer.is_finished()), "acknowledged and not flushed");
    server.disk.hold_flushes(false);
    for writer in writers {
        assert_eq!(writer.await.unwrap(), 201);
    }
    assert_eq!(client.get(&maps).await.names(), ["a", "b0", "b1", "b2"]);
}

#[tokio::test]
async fn writes_that_wait_for_a_slow_disk_end_with_their_time_and_leave_nothing() {
    let server = Server::start();
    let client = server.admin().await;
    let (_, maps) = client.namespace().await;
    server.disk.hold_flushes(true);
    let write = |name: String, query: &str| {
        let (client, path) = (client.clone(), format!("{maps}{query}"));
        tokio::spawn(async move {
            let large = json!({"metadata": {"name": name}, "data": {"x": "y".repeat(100_000)}});
            client.post(&path, large).await.code
        })
    };
    let first = write("first".to_owned(), "");
    // Until the store has taken it.
    while !server.disk.is_holding_a_flush() {
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    let others: Vec<_> = (0..40).map(|n| write(format!("late-{n}"), "?timeout=1s")).collect();
    for other in others {
        assert_eq!(other.await.unwrap(), 504);
    }
    assert_eq!(health(&client).await, [200; 3]);
    server.disk.hold_flushes(false);
    assert_eq!(first.await.unwrap(), 201);
    client.map(&maps, "next").await;
    assert_eq!(client.get(&maps).await.names(), ["first", "next"]);
}

/// A stored value that no request could have written.
const BROKEN: (&str, &str) = ("/registry/configmaps/bad/x", r#"{"metadata":{"name":"x"}"#);

#[tokio::test]
async fn what_cannot_be_read_is_told_and_never_an_empty_object() {
    let deep = format!(
        r#"{{"metadata":{{"name":"y","namespace":"deep"}},"data":{}1{}}}"#,
        "[".repeat(500),
        "]".repeat(500)
    );
    let found = vec![
        (BROKEN.0, BROKEN.1.to_owned()),
        ("/registry/configmaps/deep/y", deep),
        ("/registry/configmaps/good/z", r#"{"metadata":{"name":"z","namespace":"good"}}"#.into()),
    ];
    let server = Server::start_on(found, |_| ());
    let client = server.admin().await;
    let maps = |namespace: &str| format!("/api/v1/namespaces/{namespace}/configmaps");
    let message =
        |key: &str| format!("Internal error occurred: the stored value of {key} cannot be read");
    let whole = "/api/v1/configmaps".to_owned();
    for (path, key) in [
        (maps("bad"), BROKEN.0),
        (maps("deep"), "/registry/configmaps/deep/y"),
        (whole.clone(), BROKEN.0),
        (format!("{}/x", maps("bad")), BROKEN.0),
        (format!("{}/y", maps("deep")), "/registry/configmaps/deep/y"),
        (format!("{whole}?labelSelector=a%3Db"), BROKEN.0),
        (format!("{whole}?limit=1"), BROKEN.0),
        (format!("{whole}?resourceVersion=0"), BROKEN.0),
    ] {
        for form in FORMS {
            let answer = client.get_as(&path, form).await;
            assert_eq!(answer.code, 500, "{path} as {form}");
            if !form.contains("yaml") && !form.contains("protobuf") {
                assert_eq!(answer.refusal().1, message(key), "{path} as {form}");
            }
        }
    }
    for method in [Method::PUT, Method::DELETE, Method::PATCH] {
        let kind = match method {
            Method::PATCH => "application/merge-patch+json",
            _ => "application/json",
        };
        let object = json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "x"}});
        let body = if method == Method::DELETE { String::new() } else { object.to_string() };
        let path = format!("{}/x", maps("bad"));
        let answer = client.send(method.clone(), &path, &[("content-type", kind)], body).await;
        assert_eq!(answer.refusal(), (500, message(BROKEN.0)), "{method}");
    }
    let events = client.watch(&format!("{}?watch=1", maps("bad"))).await.all().await;
    assert_eq!(events.len(), 1, "{events:?}");
    assert_eq!(
        (text(&events[0]["type"]).as_str(), &events[0]["object"]["code"]),
        ("ERROR", &json!(500))
    );
    assert_eq!(client.get(&maps("good")).await.names(), ["z"], "others do not suffer");
    for key in [BROKEN.0, "/registry/configmaps/deep/y"] {
        let name = format!("ratchet_storage_unreadable_objects{{key=\"{key}\"}}");
        assert_eq!(metric(&client, &name).await, 1.0, "{key}");
    }
    assert_eq!(health(&client).await, [200; 3]);
}

#[tokio::test]
async fn a_policy_that_cannot_be_read_lets_nothing_pass() {
    let key = "/registry/validatingadmissionpolicies.admissionregistration.k8s.io/p";
    let server = Server::start_on(vec![(key, "{}".to_owned())], |config| {
        config.plugins.push("ValidatingAdmissionPolicy");
    });
    let client = server.admin().await;
    let refused = client.post("/api/v1/namespaces/default/configmaps", map("a")).await;
    assert_eq!(refused.code, 500, "{}", refused.text());
    assert!(refused.refusal().1.contains(key), "{}", refused.text());
}

#[tokio::test]
async fn a_definition_whose_objects_cannot_be_read_stays_and_says_so() {
    let key = "/registry/widgets.lost.example.com/default/x";
    let server = Server::start_on(vec![(key, "{}".to_owned())], |_| ());
    let client = server.admin().await;
    created(&client, DEFINITIONS, widgets("lost.example.com", open())).await;
    let path = format!("{DEFINITIONS}/widgets.lost.example.com");
    let deleted = client.delete(&path).await;
    assert_eq!(deleted.code, 200, "{}", deleted.text());
    let definition = client.get(&path).await.json();
    let conditions = definition["status"]["conditions"].as_array().unwrap();
    let found = conditions.iter().find(|condition| condition["type"] == "Terminating").unwrap();
    let message = format!(
        "could not list instances: Internal error occurred: the stored value of {key} cannot be read"
    );
    assert_eq!(
        (&found["status"], &found["reason"], &found["message"]),
        (&json!("True"), &json!("InstanceDeletionFailed"), &json!(message))
    );
}

/// Chained anchors: a few lines of YAML whose tree is thousands of levels deep.
fn chained(brackets: usize, anchors: usize) -> String {
    let (open, close) = ("[".repeat(brackets), "]".repeat(brackets));
    let mut body = String::from("apiVersion: v1\nkind: ConfigMap\nmetadata: {name: deep}\n");
    body += &format!("a0: &a0 {open}x{close}\n");
    for at in 1..anchors {
        body += &format!("a{at}: &a{at} {open}*a{}{close}\n", at - 1);
    }
    body
}

#[tokio::test]
async fn anchors_do_not_make_a_deep_object() {
    let client = Server::shared().admin().await;
    let (_, maps) = client.namespace().await;
    let yaml = [("content-type", "application/yaml")];
    let body = chained(240, 12);
    assert!(body.len() < 7_000);
    let refused = client.send(Method::POST, &maps, &yaml, body).await;
    assert_eq!(refused.code, 400, "{}", refused.text());
    assert!(refused.text().contains("nested deeper than 250 levels"), "{}", refused.text());
}

#[tokio::test]
async fn the_deepest_object_is_read_back_in_every_form() {
    let server = Server::start();
    let client = server.admin().await;
    let revisions = "/apis/apps/v1/namespaces/default/controllerrevisions";
    // The data of a ControllerRevision may be anything.
    let body = |levels: usize| {
        let (open, close) = ("[".repeat(levels), "]".repeat(levels));
        format!(
            r#"{{"apiVersion":"apps/v1","kind":"ControllerRevision","metadata":{{"name":"deep"}},"revision":1,"data":{{"a":{open}1{close}}}}}"#
        )
    };
    let json = [("content-type", "application/json")];
    let refused = client.send(Method::POST, revisions, &json, body(249)).await;
    assert_eq!(refused.code, 400, "{}", refused.text());
    let made = client.send(Method::POST, revisions, &json, body(248)).await;
    assert_eq!(made.code, 201, "{}", made.text());
    let (open, close) = ("[".repeat(248), "]".repeat(248));
    for path in [revisions.to_owned(), format!("{revisions}/deep")] {
        for form in FORMS {
            // One object is no list.
            let form = match path == revisions {
                true => (*form).to_owned(),
                false => form.replace("MetadataList", "Metadata"),
            };
            let answer = client.get_as(&path, &form).await;
            assert_eq!(answer.code, 200, "{path} as {form}");
            assert!(answer.body.len() > 200, "{path} as {form}: {} bytes", answer.body.len());
            let body_text = String::from_utf8_lossy(&answer.body);
            assert!(body_text.contains("deep"), "{path} as {form}");
        }
        assert!(client.get(&path).await.text().contains(&format!("{open}1{close}")));
    }
    // Nor does a patch make it deeper.
    let deeper = json!([{"op": "copy", "from": "/data", "path": "/data/b"}]).to_string();
    let patch = [("content-type", "application/json-patch+json")];
    let path = format!("{revisions}/deep");
    let refused = client.send(Method::PATCH, &path, &patch, deeper).await;
    assert_eq!(refused.code, 413, "{}", refused.text());
    // The JSON of other people does not go so deep.
    let mut events = client.watch(&format!("{revisions}?watch=1")).await;
    assert!(events.bytes().await.unwrap().starts_with(br#"{"type":"ADDED","object":"#));
}
