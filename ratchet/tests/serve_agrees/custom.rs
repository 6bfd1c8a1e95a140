//! Custom objects get the answers that `ratchet check` gives, which `doors_agree` holds against the same file.

use crate::server::Ground;
use ratchet_engine::{ApiConfig, Behavior, Release};
use ratchet_object::{Limits, decode};
use serde_json::{Value as Json, json};

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn custom_objects_get_one_answer() {
    let text = include_str!("../custom_objects.yaml");
    let documents = decode(text, Limits::DEFAULT).unwrap().documents;
    let documents: Vec<Json> =
        documents.iter().map(|node| serde_json::from_str(&node.to_json()).unwrap()).collect();
    let (definition, cases) = documents.split_first().unwrap();
    let ground = Ground::new();
    let client = ground.open(ApiConfig::of(Release::REFERENCE, Behavior::Released)).await;
    let path = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
    let created = client.send("POST", path, definition).await;
    assert!(created.is_done(), "{}", created.message());
    let collection = "/apis/example.com/v1/namespaces/default/widgets";
    let mut wrong = Vec::new();
    for case in cases {
        let manifest = |object: &Json| {
            let mut object = object.clone();
            object["apiVersion"] = json!("example.com/v1");
            object["kind"] = json!("Widget");
            object
        };
        let mut new = manifest(&case["new"]);
        let answer = match &case["old"] {
            Json::Null => {
                let path = format!("{collection}?fieldValidation=Strict");
                client.send("POST", &path, &new).await
            }
            old => {
                let stored = client.send("POST", collection, &manifest(old)).await;
                assert!(stored.is_done(), "{}: {}", case["case"], stored.message());
                new["metadata"]["resourceVersion"] =
                    stored.body["metadata"]["resourceVersion"].clone();
                let path = format!("{collection}/a?fieldValidation=Strict");
                client.send("PUT", &path, &new).await
            }
        };
        let message = (!answer.is_done()).then(|| answer.message().to_owned());
        let wanted: Vec<&str> =
            case["warnings"].as_array().into_iter().flatten().filter_map(Json::as_str).collect();
        if message.as_deref() != case["status"].as_str() || answer.warnings != wanted {
            wrong.push(format!("{}: {message:?} {:?}", case["case"], answer.warnings));
        }
        let bare = json!([{"op": "replace", "path": "/metadata/finalizers", "value": []}]);
        let patch = [("content-type", "application/json-patch+json")];
        let path = format!("{collection}/a");
        client.request("PATCH", &path, &patch, bare.to_string()).await;
        client.send("DELETE", &path, &json!({})).await;
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
