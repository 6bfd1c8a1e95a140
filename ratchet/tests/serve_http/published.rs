//! Tests of what the API publishes of custom resources: discovery, OpenAPI and tables.

use crate::client::{Answer, Client};
use crate::server::Server;
use hyper::Method;
use serde_json::{Value, json};

const DEFINITIONS: &str = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
const AGGREGATED: &str = "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList";
const TABLE: &str = "application/json;as=Table;v=v1;g=meta.k8s.io";
const PROTOBUF: &str = "application/com.github.proto-openapi.spec.v2.v1.0+protobuf";

/// A definition with a version for each name, the first one stored.
fn definition(group: &str, versions: &[&str]) -> Value {
    let spec = json!({
        "type": "object",
        "description": "what is wanted",
        "required": ["size"],
        "properties": {
            "size": {"type": "integer", "description": "how large", "default": 3},
            "tags": {"type": "array", "items": {"type": "string"}, "x-kubernetes-list-type": "set"},
            "port": {"x-kubernetes-int-or-string": true},
            "note": {"type": "string", "nullable": true},
        },
    });
    let status = json!({"type": "object", "x-kubernetes-preserve-unknown-fields": true});
    let version = |(index, name): (usize, &&str)| {
        json!({
            "name": name,
            "served": true,
            "storage": index == 0,
            "schema": {"openAPIV3Schema": {
                "type": "object",
                "description": "a widget",
                "properties": {"spec": spec, "status": status},
            }},
            "subresources": {
                "status": {},
                "scale": {"specReplicasPath": ".spec.size", "statusReplicasPath": ".status.size"},
            },
            "additionalPrinterColumns": [
                {"name": "Size", "type": "integer", "jsonPath": ".spec.size"},
                {"name": "Note", "type": "string", "jsonPath": ".spec.note", "priority": 1},
                {"name": "Age", "type": "date", "jsonPath": ".metadata.creationTimestamp"},
            ],
        })
    };
    json!({
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": format!("widgets.{group}")},
        "spec": {
            "group": group,
            "scope": "Namespaced",
            "names": {
                "plural": "widgets",
                "kind": "Widget",
                "listKind": "Widgetry",
                "shortNames": ["wg"],
                "categories": ["all"],
            },
            "versions": versions.iter().enumerate().map(version).collect::<Vec<_>>(),
        },
    })
}

async fn define(client: &Client, definition: Value) {
    let made = client.post(DEFINITIONS, definition).await;
    assert_eq!(made.code, 201, "{}", made.text());
}

/// The group in an aggregated document.
fn group_of<'d>(document: &'d Value, group: &str) -> Option<&'d Value> {
    document["items"].as_array()?.iter().find(|item| item["metadata"]["name"] == group)
}

#[tokio::test]
async fn a_definition_is_in_discovery_when_its_write_is_answered() {
    let client = Server::shared().admin().await;
    let group = "discovered.example.com";
    let before = client.get_as("/apis", AGGREGATED).await;
    assert!(group_of(&before.json(), group).is_none());
    define(&client, definition(group, &["v1beta1", "v10", "v2", "foo"])).await;

    let versions = client.get(&format!("/apis/{group}")).await.json();
    let names: Vec<_> = versions["versions"].as_array().unwrap().iter().collect();
    let names: Vec<_> = names.iter().map(|version| version["version"].as_str().unwrap()).collect();
    assert_eq!(names, ["v10", "v2", "v1beta1", "foo"]);
    assert_eq!(versions["preferredVersion"]["groupVersion"], format!("{group}/v10"));
    let groups = client.get("/apis").await.json();
    let listed = groups["groups"].as_array().unwrap().iter().find(|item| item["name"] == group);
    assert_eq!(listed.unwrap()["versions"], versions["versions"]);

    let list = client.get(&format!("/apis/{group}/v2")).await.json();
    let resources = list["resources"].as_array().unwrap();
    let names: Vec<_> = resources.iter().map(|one| one["name"].as_str().unwrap()).collect();
    assert_eq!(names, ["widgets", "widgets/status", "widgets/scale"]);
    let verbs =
        json!(["delete", "deletecollection", "get", "list", "patch", "create", "update", "watch"]);
    assert_eq!(resources[0]["verbs"], verbs);
    assert_eq!(resources[0]["shortNames"], json!(["wg"]));
    assert_eq!(resources[0]["singularName"], "widget");
    assert_eq!(resources[0]["storageVersionHash"].as_str().unwrap().len(), 12);
    assert_eq!(resources[2]["group"], "autoscaling");

    let after = client.get_as("/apis", AGGREGATED).await;
    assert_ne!(before.header("etag"), after.header("etag"));
    let document = after.json();
    let found = group_of(&document, group).unwrap();
    let version = &found["versions"][1];
    assert_eq!((&version["version"], &version["freshness"]), (&json!("v2"), &json!("Current")));
    let resource = &version["resources"][0];
    let kind = json!({"group": group, "version": "v2", "kind": "Widget"});
    assert_eq!(resource["responseKind"], kind);
    assert_eq!(resource["scope"], "Namespaced");
    assert_eq!(resource["subresources"][0]["responseKind"], kind);
    assert_eq!(resource["subresources"][1]["responseKind"]["kind"], "Scale");

    let names = json!({"spec": {"names": {"shortNames": ["wdg"]}}});
    client.patch(&format!("{DEFINITIONS}/widgets.{group}"), names).await;
    let list = client.get(&format!("/apis/{group}/v2")).await.json();
    assert_eq!(list["resources"][0]["shortNames"], json!(["wdg"]));
    assert_ne!(client.get_as("/apis", AGGREGATED).await.header("etag"), after.header("etag"));

    client.delete(&format!("{DEFINITIONS}/widgets.{group}")).await;
    wait_until_gone(&client, &format!("/apis/{group}")).await;
    let document = client.get_as("/apis", AGGREGATED).await.json();
    assert!(group_of(&document, group).is_none());
    assert_eq!(client.get(&format!("/openapi/v3/apis/{group}/v2")).await.code, 404);
}

/// The task that follows definitions makes a number of steps at a time; deletions keep it at work.
#[tokio::test]
async fn a_definition_is_in_force_when_its_write_is_answered_though_others_go() {
    let server = Server::start();
    let client = server.admin().await;
    let group = "busy.example.com";
    define(&client, definition(group, &["v1"])).await;
    let mut others = Vec::new();
    for one in 0..4 {
        let client = server.admin().await;
        others.push(tokio::spawn(async move {
            for round in 0..20 {
                let group = format!("going-{one}-{round}.example.com");
                define(&client, definition(&group, &["v1"])).await;
                let objects = format!("/apis/{group}/v1/namespaces/default/widgets");
                let object = json!({
                    "apiVersion": format!("{group}/v1"), "kind": "Widget",
                    "metadata": {"name": "one"}, "spec": {"size": 1},
                });
                assert_eq!(client.post(&objects, object).await.code, 201);
                let gone = client.delete(&format!("{DEFINITIONS}/widgets.{group}")).await;
                assert_eq!(gone.code, 200, "{}", gone.text());
            }
        }));
    }
    // Whoever asks between the write and its effect must not leave old documents behind.
    let asking = server.admin().await;
    let asking = tokio::spawn(async move {
        loop {
            asking.get(&format!("/apis/{group}/v1")).await;
        }
    });
    let mut count = 0;
    while count < 20 || !others.iter().all(tokio::task::JoinHandle::is_finished) {
        let short = json!([format!("w{count}")]);
        let names = json!({"spec": {"names": {"shortNames": short}}});
        let patched = client.patch(&format!("{DEFINITIONS}/widgets.{group}"), names).await;
        assert_eq!(patched.code, 200, "{}", patched.text());
        let list = client.get(&format!("/apis/{group}/v1")).await.json();
        assert_eq!(list["resources"][0]["shortNames"], short, "after {count} patches");
        count += 1;
    }
    asking.abort();
    for other in others {
        other.await.unwrap();
    }
}

async fn wait_until_gone(client: &Client, path: &str) -> Answer {
    for _ in 0..600 {
        let answer = client.get(path).await;
        if answer.code == 404 {
            return answer;
        }
        tokio::time::sleep(std::time::Duration::from_millis(50)).await;
    }
    panic!("{path} is still served");
}

#[tokio::test]
async fn a_stored_version_that_is_not_served_has_no_hash() {
    let client = Server::shared().admin().await;
    let mut hidden = definition("hidden.example.com", &["v1", "v2"]);
    hidden["spec"]["versions"][0]["served"] = json!(false);
    define(&client, hidden).await;
    let list = client.get("/apis/hidden.example.com/v2").await.json();
    assert!(list["resources"][0]["storageVersionHash"].is_null(), "{list}");
    assert_eq!(client.get("/apis/hidden.example.com/v1").await.code, 404);
}

#[tokio::test]
async fn documents_of_other_groups_stay_as_they_are() {
    let client = Server::shared().admin().await;
    define(&client, definition("stays.example.com", &["v1"])).await;
    let hash = |index: &Value, path: &str| {
        let url = index["paths"][path]["serverRelativeURL"].as_str().unwrap_or_default();
        url.split_once("hash=").map(|(_, hash)| hash.to_owned())
    };
    let before = client.get("/openapi/v3").await.json();
    define(&client, definition("comes.example.com", &["v1"])).await;
    let after = client.get("/openapi/v3").await.json();
    for path in ["api/v1", "apis/apps/v1", "apis/stays.example.com/v1"] {
        assert!(hash(&before, path).is_some(), "{path}");
        assert_eq!(hash(&before, path), hash(&after, path), "{path}");
    }
    assert_eq!(hash(&before, "apis/comes.example.com/v1"), None);
    let path = "apis/comes.example.com/v1";
    let known = hash(&after, path).unwrap();
    let document = client.get(&format!("/openapi/v3/{path}?hash={known}")).await;
    assert_eq!((document.code, document.header("etag")), (200, &*format!("\"{known}\"")));
    assert_eq!(document.header("cache-control"), "public, immutable");
    let tag = [("if-none-match", document.header("etag"))];
    let again = client.send(Method::GET, &format!("/openapi/v3/{path}"), &tag, "").await;
    assert_eq!(again.code, 304);

    // Another description is another document, of this group version alone.
    let mut changed = client.get(&format!("{DEFINITIONS}/widgets.comes.example.com")).await.json();
    let schema = &mut changed["spec"]["versions"][0]["schema"]["openAPIV3Schema"];
    schema["description"] = json!("another widget");
    let put = client.put(&format!("{DEFINITIONS}/widgets.comes.example.com"), changed).await;
    assert_eq!(put.code, 200, "{}", put.text());
    let last = client.get("/openapi/v3").await.json();
    assert_ne!(hash(&last, path), Some(known.clone()));
    assert_eq!(
        hash(&last, "apis/stays.example.com/v1"),
        hash(&before, "apis/stays.example.com/v1")
    );
    let moved = client.get(&format!("/openapi/v3/{path}?hash={known}")).await;
    assert_eq!(moved.code, 301);
}

#[tokio::test]
async fn openapi_has_the_schemas_of_definitions() {
    let client = Server::shared().admin().await;
    let group = "schemas.example.com";
    define(&client, definition(group, &["v1"])).await;
    let document = client.get(&format!("/openapi/v3/apis/{group}/v1")).await.json();
    let widget = &document["components"]["schemas"]["com.example.schemas.v1.Widget"];
    assert_eq!(widget["description"], "a widget");
    assert_eq!(widget["properties"]["spec"]["properties"]["size"]["default"], 3);
    assert_eq!(widget["x-kubernetes-group-version-kind"][0]["kind"], "Widget");
    let list = &document["components"]["schemas"]["com.example.schemas.v1.Widgetry"];
    assert_eq!(list["required"], json!(["items"]));
    let path = format!("/apis/{group}/v1/namespaces/{{namespace}}/widgets/{{name}}/scale");
    let put = &document["paths"][&path]["put"];
    assert_eq!(put["operationId"], "replaceSchemasExampleComV1NamespacedWidgetScale");

    let v2 = client.get("/openapi/v2").await;
    let document = v2.json();
    let spec = &document["definitions"]["com.example.schemas.v1.Widget"]["properties"]["spec"];
    let expected = json!({
        "description": "what is wanted",
        "type": "object",
        "required": ["size"],
        "properties": {
            "size": {"type": "integer", "description": "how large"},
            "tags": {"type": "array", "items": {"type": "string"}, "x-kubernetes-list-type": "set"},
            "port": {"x-kubernetes-int-or-string": true},
            "note": {},
        },
    });
    assert_eq!(*spec, expected);
    assert!(document["paths"][&path]["patch"].is_object());
    assert!(document["definitions"]["io.k8s.api.core.v1.Pod"].is_object());
    let protobuf = client.get_as("/openapi/v2", PROTOBUF).await;
    let has = |text: &str| protobuf.body.windows(text.len()).any(|part| part == text.as_bytes());
    assert!(has("com.example.schemas.v1.Widgetry") && has("how large") && has(&path));

    define(&client, definition("more-schemas.example.com", &["v1"])).await;
    let later = client.get("/openapi/v2").await;
    assert_ne!(later.header("etag"), v2.header("etag"));
    let document = later.json();
    let names = document["definitions"].as_object().unwrap();
    assert!(names.contains_key("com.example.more-schemas.v1.Widget"));
    assert!(names.contains_key("com.example.schemas.v1.Widget"));
}

#[tokio::test]
async fn tables_have_the_columns_of_the_definition() {
    let client = Server::shared().admin().await;
    let (namespace, _) = client.namespace().await;
    let group = "tables.example.com";
    define(&client, definition(group, &["v1"])).await;
    let path = format!("/apis/{group}/v1/namespaces/{namespace}/widgets");
    let widget = json!({
        "apiVersion": format!("{group}/v1"),
        "kind": "Widget",
        "metadata": {"name": "a"},
        "spec": {"size": 5, "note": "hello"},
    });
    let json = [("content-type", "application/json"), ("accept", TABLE)];
    let made = client.send(Method::POST, &path, &json, widget.to_string()).await;
    assert_eq!(made.code, 201, "{}", made.text());
    let table = made.json();
    let columns: Vec<_> = table["columnDefinitions"].as_array().unwrap().iter().collect();
    let names: Vec<_> = columns.iter().map(|column| column["name"].as_str().unwrap()).collect();
    assert_eq!(names, ["Name", "Size", "Note", "Age"]);
    assert_eq!((&columns[0]["format"], &columns[2]["priority"]), (&json!("name"), &json!(1)));
    let about = "Custom resource definition column (in JSONPath format): .spec.size";
    assert_eq!(columns[1]["description"], about);
    assert_eq!(
        table["rows"][0]["cells"].as_array().unwrap()[..3],
        [json!("a"), json!(5), json!("hello")]
    );

    for (include, kind) in
        [("None", None), ("Metadata", Some("PartialObjectMetadata")), ("Object", Some("Widget"))]
    {
        let table = client.get_as(&format!("{path}?includeObject={include}"), TABLE).await.json();
        assert_eq!(table["kind"], "Table");
        assert_eq!(table["rows"][0]["object"]["kind"].as_str(), kind, "{include}");
    }
    let one = client.get_as(&format!("{path}/a"), TABLE).await.json();
    assert_eq!(one["rows"][0]["cells"][1], 5);
    let mut events = client.watch_as(&format!("{path}?watch=1&timeoutSeconds=2"), TABLE).await;
    let event = events.next().await.unwrap();
    assert_eq!(event["object"]["rows"][0]["cells"][0], "a");
    assert_eq!(event["object"]["columnDefinitions"][1]["name"], "Size");
    let scale = client.get_as(&format!("{path}/a/scale"), TABLE).await.json();
    let names: Vec<_> = scale["columnDefinitions"].as_array().unwrap().iter().collect();
    let names: Vec<_> = names.iter().map(|column| column["name"].as_str().unwrap()).collect();
    assert_eq!(names, ["Name", "Desired", "Available", "Age"]);
    assert_eq!(scale["rows"][0]["cells"][1], 5);
    let list = client.get(&path).await.json();
    assert_eq!(list["kind"], "Widgetry");
}
