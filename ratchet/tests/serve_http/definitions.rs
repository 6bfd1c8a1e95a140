//! Tests of CustomResourceDefinitions: an API comes, changes and goes with the writes of its definition.

use crate::client::{Answer, Client, text};
use crate::server::Server;
use hyper::Method;
use ratchet_store::Query;
use serde_json::{Value, json};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

pub(crate) const DEFINITIONS: &str = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";

/// A group that no other test uses.
pub(crate) fn group() -> String {
    static COUNT: AtomicUsize = AtomicUsize::new(0);
    format!("g{}.example.com", COUNT.fetch_add(1, Ordering::Relaxed))
}

/// A definition of widgets with one version.
pub(crate) fn widgets(group: &str, schema: Value) -> Value {
    let version = json!({"name": "v1", "served": true, "storage": true, "schema": {"openAPIV3Schema": schema}});
    json!({
        "metadata": {"name": format!("widgets.{group}")},
        "spec": {
            "group": group,
            "scope": "Namespaced",
            "names": {"plural": "widgets", "kind": "Widget", "shortNames": ["wg"]},
            "versions": [version],
        },
    })
}

/// A schema whose spec has these properties.
pub(crate) fn spec(properties: Value) -> Value {
    json!({"type": "object", "properties": {"spec": {"type": "object", "properties": properties}}})
}

/// A schema that keeps everything.
pub(crate) fn open() -> Value {
    json!({"type": "object", "x-kubernetes-preserve-unknown-fields": true})
}

pub(crate) fn widget(group: &str, name: &str, spec: Value) -> Value {
    json!({"apiVersion": format!("{group}/v1"), "kind": "Widget", "metadata": {"name": name}, "spec": spec})
}

pub(crate) async fn created(client: &Client, path: &str, object: Value) -> Answer {
    let answer = client.post(path, object).await;
    assert_eq!(answer.code, 201, "{}", answer.text());
    answer
}

/// The path of widgets in the default namespace.
pub(crate) fn widgets_path(group: &str) -> String {
    format!("/apis/{group}/v1/namespaces/default/widgets")
}

fn conditions(definition: &Value) -> Vec<(String, String, String)> {
    let list = definition["status"]["conditions"].as_array().cloned().unwrap_or_default();
    let short = |condition: &Value| {
        (text(&condition["type"]), text(&condition["status"]), text(&condition["reason"]))
    };
    list.iter().map(short).collect()
}

fn condition(definition: &Value, wanted: &str) -> (String, String) {
    let found = conditions(definition).into_iter().find(|(name, ..)| name == wanted);
    found.map(|(_, status, reason)| (status, reason)).unwrap_or_default()
}

#[tokio::test]
async fn an_api_is_there_when_its_definition_is_answered() {
    let client = Server::shared().admin().await;
    let group = group();
    let path = widgets_path(&group);
    assert_eq!(client.get(&path).await.text(), "404 page not found\n");
    let made = created(&client, DEFINITIONS, widgets(&group, open())).await;
    assert_eq!(
        made.json()["status"],
        json!({"conditions": null, "acceptedNames": {"plural": "", "kind": ""}, "storedVersions": ["v1"]}),
        "controllers write the rest"
    );
    let object = created(&client, &path, widget(&group, "a", json!({"x": 1}))).await.json();
    assert_eq!((&object["metadata"]["generation"], &object["spec"]), (&json!(1), &json!({"x": 1})));
    let list = client.get(&path).await.json();
    assert_eq!(
        (text(&list["kind"]), &list["metadata"]["continue"]),
        ("WidgetList".into(), &json!(""))
    );
    let definition = client.get(&format!("{DEFINITIONS}/widgets.{group}")).await.json();
    let accepted =
        |name: &str, reason: &str| (name.to_owned(), "True".to_owned(), reason.to_owned());
    assert_eq!(
        conditions(&definition),
        [accepted("NamesAccepted", "NoConflicts"), accepted("Established", "InitialNamesAccepted")]
    );
    // As in the reference, the status was written after the answer.
    let mut stale = made.json();
    stale["metadata"]["labels"] = json!({"a": "b"});
    let stale = client.put(&format!("{DEFINITIONS}/widgets.{group}"), stale).await;
    assert_eq!(stale.code, 409, "{}", stale.text());
    let query = format!("watch=1&timeoutSeconds=5&fieldSelector=metadata.name%3Dwidgets.{group}");
    let watch = format!("{DEFINITIONS}?{query}&resourceVersion={}", made.version());
    let event = client.watch(&watch).await.next().await.unwrap();
    assert_eq!(condition(&event["object"], "Established").0, "True", "{event}");
}

#[tokio::test]
async fn a_definition_is_one_commit() {
    let client = Server::shared().admin().await;
    let group = group();
    let made = created(&client, DEFINITIONS, widgets(&group, open())).await;
    let path = format!("{DEFINITIONS}/widgets.{group}");
    let query = format!("watch=1&timeoutSeconds=1&fieldSelector=metadata.name%3Dwidgets.{group}");
    let watch = format!("{DEFINITIONS}?{query}&resourceVersion={}", made.version());
    let events = client.watch(&watch).await.all().await;
    assert_eq!(events.len(), 1, "{events:?}");
    assert_eq!(events[0]["object"], client.get(&path).await.json());
}

#[tokio::test(flavor = "multi_thread")]
async fn of_many_who_want_a_name_one_gets_it() {
    let client = Server::shared().admin().await;
    let group = group();
    let definition = |number: usize| {
        let mut definition = widgets(&group, open());
        definition["metadata"]["name"] = json!(format!("w{number}s.{group}"));
        let names = json!({"plural": format!("w{number}s"), "kind": "Widget", "listKind": format!("W{number}List")});
        definition["spec"]["names"] = names;
        definition
    };
    let one = async |number| created(&client, DEFINITIONS, definition(number)).await;
    tokio::join!(one(0), one(1), one(2), one(3), one(4), one(5), one(6), one(7));
    let mut accepted = Vec::new();
    for number in 0..8 {
        let path = format!("{DEFINITIONS}/w{number}s.{group}");
        let definition = client.get(&path).await.json();
        match condition(&definition, "NamesAccepted") {
            (status, _) if status == "True" => accepted.push(path),
            (status, reason) => {
                assert_eq!((&*status, &*reason), ("False", "KindConflict"));
                assert_eq!(definition["status"]["acceptedNames"]["kind"], "");
            }
        }
    }
    assert_eq!(accepted.len(), 1, "{accepted:?}");
    // When it goes, another one has the name.
    assert_eq!(client.delete(&accepted[0]).await.code, 200);
    let mut heirs = 0;
    for number in 0..8 {
        let definition = client.get(&format!("{DEFINITIONS}/w{number}s.{group}")).await;
        heirs += usize::from(condition(&definition.json(), "Established").0 == "True");
    }
    assert_eq!(heirs, 1);
}

#[tokio::test]
async fn a_changed_schema_holds_for_what_is_stored() {
    let client = Server::shared().admin().await;
    let (group, path) = {
        let group = group();
        (group.clone(), widgets_path(&group))
    };
    let both = json!({"a": {"type": "string"}, "b": {"type": "string"}});
    created(&client, DEFINITIONS, widgets(&group, spec(both))).await;
    let sent = widget(&group, "a", json!({"a": "x", "b": "y", "c": "z"}));
    let made = created(&client, &path, sent).await;
    assert_eq!(made.header("warning"), "299 - \"unknown field \\\"spec.c\\\"\"");
    let definition = format!("{DEFINITIONS}/widgets.{group}");
    let schema = |properties: Value| {
        let version = json!({"name": "v1", "served": true, "storage": true, "schema": {"openAPIV3Schema": spec(properties)}});
        json!({"spec": {"versions": [version]}})
    };
    let spec_of = async || client.get(&format!("{path}/a")).await.json()["spec"].clone();
    let narrow = json!({"a": {"type": "string"}, "d": {"type": "integer", "default": 7}});
    assert_eq!(client.patch(&definition, schema(narrow)).await.code, 200);
    assert_eq!(spec_of().await, json!({"a": "x", "d": 7}), "pruned and completed when it is read");
    assert_eq!(client.get(&path).await.json()["items"][0]["spec"], json!({"a": "x", "d": 7}));
    let wide = json!({"a": {"type": "string"}, "b": {"type": "string"}});
    assert_eq!(client.patch(&definition, schema(wide)).await.code, 200);
    assert_eq!(spec_of().await, json!({"a": "x", "b": "y"}), "nothing was lost");
    // A write stores what is answered.
    let before = client.get(&format!("{path}/a")).await.version();
    let same = client.patch(&format!("{path}/a"), json!({"spec": {"a": "x"}})).await;
    assert_eq!(same.version(), before, "{}", same.text());
    let strict = json!({"a": {"type": "string", "maxLength": 1, "x-kubernetes-validations": [{"rule": "self != 'q'"}]}});
    assert_eq!(client.patch(&definition, schema(strict)).await.code, 200);
    let refused = client.patch(&format!("{path}/a"), json!({"spec": {"a": "q"}})).await;
    let message = format!(
        "Widget.{group} \"a\" is invalid: spec.a: Invalid value: \"q\": failed rule: self != 'q'"
    );
    assert_eq!(refused.refusal(), (422, message));
}

#[tokio::test]
async fn names_belong_to_who_came_first_until_they_are_free() {
    let client = Server::shared().admin().await;
    let group = group();
    created(&client, DEFINITIONS, widgets(&group, open())).await;
    let mut gadgets = widgets(&group, open());
    gadgets["metadata"]["name"] = json!(format!("gadgets.{group}"));
    gadgets["spec"]["names"] = json!({"plural": "gadgets", "kind": "Gadget", "shortNames": ["wg"]});
    created(&client, DEFINITIONS, gadgets).await;
    let definition = format!("{DEFINITIONS}/gadgets.{group}");
    let refused = client.get(&definition).await.json();
    assert_eq!(condition(&refused, "NamesAccepted"), ("False".into(), "ShortNamesConflict".into()));
    let path = format!("/apis/{group}/v1/gadgets");
    assert_eq!(client.get(&path).await.code, 404);
    assert_eq!(client.delete(&format!("{DEFINITIONS}/widgets.{group}")).await.code, 200);
    let accepted = client.get(&definition).await.json();
    assert_eq!(condition(&accepted, "Established"), ("True".into(), "InitialNamesAccepted".into()));
    assert_eq!(client.get(&path).await.code, 200);
}

#[tokio::test]
async fn a_definition_goes_after_its_objects() {
    let client = Server::shared().admin().await;
    let group = group();
    let path = widgets_path(&group);
    created(&client, DEFINITIONS, widgets(&group, open())).await;
    for name in ["a", "b", "held"] {
        let mut object = widget(&group, name, json!({}));
        if name == "held" {
            object["metadata"]["finalizers"] = json!(["example.com/hold"]);
        }
        created(&client, &path, object).await;
    }
    let definition = format!("{DEFINITIONS}/widgets.{group}");
    let deleted = client.delete(&definition).await.json();
    assert_eq!(
        condition(&deleted, "Terminating"),
        ("True".into(), "InstanceDeletionPending".into())
    );
    assert_eq!(
        deleted["metadata"]["finalizers"],
        json!(["customresourcecleanup.apiextensions.k8s.io"])
    );
    let terminating = client.get(&definition).await.json();
    assert_eq!(
        condition(&terminating, "Terminating"),
        ("True".into(), "InstanceDeletionInProgress".into())
    );
    let list = client.get(&path).await;
    assert_eq!(list.names(), ["held"], "what is held is served until it goes");
    assert_eq!(list.json()["items"][0]["metadata"]["generation"], json!(2));
    let refused = client.post(&path, widget(&group, "new", json!({}))).await;
    let why = "create not allowed while custom resource definition is terminating";
    assert_eq!(refused.refusal(), (403, format!("widgets.{group} \"new\" is forbidden: {why}")));
    let held = format!("{path}/held");
    let freed = client.patch(&held, json!({"metadata": {"finalizers": null}})).await;
    assert_eq!(freed.code, 200);
    gone(&client, &definition).await;
    assert_eq!(client.get(&path).await.text(), "404 page not found\n");
    created(&client, DEFINITIONS, widgets(&group, open())).await;
    assert!(client.get(&path).await.names().is_empty());
}

async fn gone(client: &Client, path: &str) {
    for _ in 0..200 {
        if client.get(path).await.code == 404 {
            return;
        }
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    panic!("{path} stays");
}

#[tokio::test]
async fn nothing_is_created_once_a_definition_goes() {
    let server = Server::shared();
    let client = server.admin().await;
    let group = group();
    let path = widgets_path(&group);
    created(&client, DEFINITIONS, widgets(&group, open())).await;
    let creators: Vec<_> = (0..8)
        .map(|number| {
            let (client, path, group) = (client.clone(), path.clone(), group.clone());
            tokio::spawn(async move {
                for round in 0..40 {
                    let name = format!("w-{number}-{round}");
                    let code = client.post(&path, widget(&group, &name, json!({}))).await.code;
                    assert!([201, 403, 404].contains(&code), "{code}");
                }
            })
        })
        .collect();
    tokio::time::sleep(Duration::from_millis(30)).await;
    let definition = format!("{DEFINITIONS}/widgets.{group}");
    assert_eq!(client.delete(&definition).await.code, 200);
    for creator in creators {
        creator.await.unwrap();
    }
    gone(&client, &definition).await;
    let left = server.store.list(Query::under(&format!("/registry/widgets.{group}/"))).await;
    let left: Vec<_> = left.unwrap().records.into_iter().map(|record| record.key).collect();
    assert!(left.is_empty(), "{left:?}");
}

#[tokio::test]
async fn a_restarted_server_serves_what_was_defined() {
    let server = Server::start();
    let client = server.admin().await;
    let group = group();
    let path = widgets_path(&group);
    let schema = spec(json!({"a": {"type": "string", "default": "d"}}));
    created(&client, DEFINITIONS, widgets(&group, schema)).await;
    created(&client, &path, widget(&group, "a", json!({}))).await;
    let again = server.start_again();
    let client = again.admin().await;
    assert_eq!(client.get(&format!("{path}/a")).await.json()["spec"], json!({"a": "d"}));
    let refused = client.post(&path, widget(&group, "b", json!({"a": 1}))).await;
    assert_eq!(refused.code, 422, "{}", refused.text());
}

#[tokio::test]
async fn a_definition_of_built_in_names_takes_nothing_with_it() {
    let client = Server::shared().admin().await;
    let mut definition = widgets("networking.k8s.io", open());
    definition["metadata"] = json!({
        "name": "ingresses.networking.k8s.io",
        "annotations": {"api-approved.kubernetes.io": "unapproved, a test"},
    });
    definition["spec"]["names"] = json!({"plural": "ingresses", "kind": "Odd"});
    let mut other = definition["spec"]["versions"][0].clone();
    (other["name"], other["storage"]) = (json!("v2"), json!(false));
    definition["spec"]["versions"].as_array_mut().unwrap().push(other);
    created(&client, DEFINITIONS, definition).await;
    let stored = client.get(&format!("{DEFINITIONS}/ingresses.networking.k8s.io")).await.json();
    assert_eq!(condition(&stored, "Established").0, "True");
    let path = "/apis/networking.k8s.io/v1/namespaces/default/ingresses";
    let backend = json!({"service": {"name": "s", "port": {"number": 1}}});
    let ingress = json!({"metadata": {"name": "kept"}, "spec": {"defaultBackend": backend}});
    created(&client, path, ingress).await;
    // The group is built in: nothing else is looked for in it, whatever the version.
    let kinds = async |version: &str| {
        let list = client.get(&format!("/apis/networking.k8s.io/{version}")).await.json();
        let resources = list["resources"].as_array().cloned().unwrap_or_default();
        let named = resources.iter().filter(|row| row["name"] == "ingresses");
        named.map(|row| text(&row["kind"])).collect::<Vec<_>>()
    };
    assert_eq!(kinds("v1").await, ["Ingress"]);
    let others = path.replace("/v1/", "/v2/");
    let odd =
        json!({"apiVersion": "networking.k8s.io/v2", "kind": "Odd", "metadata": {"name": "own"}});
    let missing = (404, "the server could not find the requested resource".to_owned());
    assert_eq!(client.get("/apis/networking.k8s.io/v2").await.refusal(), missing);
    assert_eq!(client.get(&others).await.refusal(), missing);
    assert_eq!(client.post(&others, odd).await.refusal(), missing);
    assert_eq!(client.get(path).await.names(), ["kept"]);
    let definition = format!("{DEFINITIONS}/ingresses.networking.k8s.io");
    assert_eq!(client.delete(&definition).await.code, 200);
    gone(&client, &definition).await;
    assert_eq!(client.get(&format!("{path}/kept")).await.code, 200);
    // So are other names in it.
    let mut definition = widgets("networking.k8s.io", open());
    definition["metadata"]["annotations"] =
        json!({"api-approved.kubernetes.io": "unapproved, a test"});
    created(&client, DEFINITIONS, definition).await;
    assert_eq!(client.get(&widgets_path("networking.k8s.io")).await.refusal(), missing);
    let list = client.get("/apis/networking.k8s.io/v1").await.json();
    assert!(list["resources"].as_array().unwrap().iter().all(|row| row["kind"] != "Widget"));
    assert_eq!(client.delete(&format!("{DEFINITIONS}/widgets.networking.k8s.io")).await.code, 200);
}

#[tokio::test]
async fn watches_end_when_their_definition_changes() {
    let client = Server::shared().admin().await;
    let group = group();
    let path = widgets_path(&group);
    created(&client, DEFINITIONS, widgets(&group, open())).await;
    created(&client, &path, widget(&group, "a", json!({"x": 1}))).await;
    let mut events = client.watch(&format!("{path}?watch=1")).await;
    assert_eq!(events.short().await.0, "ADDED");
    client.patch(&format!("{path}/a"), json!({"spec": {"x": 2}})).await;
    let event = events.next().await.unwrap();
    assert_eq!(
        (text(&event["type"]), &event["object"]["spec"]),
        ("MODIFIED".into(), &json!({"x": 2}))
    );
    // Labels of a definition change nothing.
    let definition = format!("{DEFINITIONS}/widgets.{group}");
    client.patch(&definition, json!({"metadata": {"labels": {"a": "b"}}})).await;
    client.send(Method::DELETE, &format!("{path}/a"), &[], "").await;
    assert_eq!(events.short().await.0, "DELETED");
    client.patch(&definition, json!({"spec": {"names": {"shortNames": ["x"]}}})).await;
    assert!(events.next().await.is_none(), "clients begin again");
}
