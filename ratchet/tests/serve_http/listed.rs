//! Tests of definitions in built-in groups: discovery names their versions, and no request finds their resources.

use crate::definitions::{DEFINITIONS, created, open, widgets, widgets_path};
use crate::server::Server;
use serde_json::{Value, json};

const AGGREGATED: &str = "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList";

fn versions(group: &Value) -> Vec<&str> {
    let versions = group["versions"].as_array().unwrap();
    versions.iter().map(|version| version["version"].as_str().unwrap()).collect()
}

#[tokio::test]
async fn versions_of_a_built_in_group_are_named_and_not_found() {
    // Not the shared one: others look at its groups.
    let server = Server::start();
    let client = server.admin().await;
    let group = "storage.k8s.io";
    let mut definition = widgets(group, open());
    definition["metadata"]["annotations"] =
        json!({"api-approved.kubernetes.io": "unapproved, a test"});
    let mut other = definition["spec"]["versions"][0].clone();
    (other["name"], other["storage"]) = (json!("v9"), json!(false));
    definition["spec"]["versions"].as_array_mut().unwrap().push(other);
    created(&client, DEFINITIONS, definition).await;

    // The priority of what is defined is higher.
    let path = format!("/apis/{group}");
    let stated = client.get(&path).await.json();
    assert_eq!(versions(&stated), ["v9", "v1"]);
    assert_eq!(stated["preferredVersion"]["version"], "v9");
    let all = client.get("/apis").await.json();
    let all = all["groups"].as_array().unwrap();
    let at = all.iter().position(|one| one["name"] == group).unwrap();
    assert_eq!(versions(&all[at]), ["v9", "v1"]);
    assert_eq!(all[at - 1]["name"], "rbac.authorization.k8s.io", "the group stays where it is");
    let all = client.get_as("/apis", AGGREGATED).await.json();
    let all = all["items"].as_array().unwrap();
    let at = all.iter().position(|one| one["metadata"]["name"] == group).unwrap();
    assert_eq!(versions(&all[at]), ["v9", "v1"]);
    assert_eq!(all[at - 1]["metadata"]["name"], "rbac.authorization.k8s.io");
    let of_version = |at: usize, version: usize| {
        let resources = all[at]["versions"][version]["resources"].as_array().unwrap();
        resources.iter().map(|one| one["resource"].clone()).collect::<Vec<_>>()
    };
    assert_eq!(of_version(at, 0), ["widgets"]);
    assert!(!of_version(at, 1).contains(&json!("widgets")), "what is built in stays as it is");

    let services = "/apis/apiregistration.k8s.io/v1/apiservices";
    let service = client.get(&format!("{services}/v9.{group}")).await.json();
    assert_eq!(
        service["spec"],
        json!({"group": group, "version": "v9", "groupPriorityMinimum": 1000, "versionPriority": 100})
    );
    let index = client.get("/openapi/v3").await.json();
    assert!(index["paths"][format!("apis/{group}/v9")].is_object());

    let missing = (404, "the server could not find the requested resource".to_owned());
    let objects = widgets_path(group);
    for path in [format!("{path}/v9"), objects.replace("/v1/", "/v9/"), objects] {
        assert_eq!(client.get(&path).await.refusal(), missing, "{path}");
    }
    assert_eq!(client.get(&format!("{path}/v1")).await.code, 200);
    assert_eq!(client.delete(&format!("{DEFINITIONS}/widgets.{group}")).await.code, 200);
    assert_eq!(versions(&client.get(&path).await.json()), ["v1"]);
}
