//! Discovery and OpenAPI documents that an extension server has a part in.

use super::flunders::GROUP;
use super::world::{NAME, SERVICES, World, wait_for};
use serde_json::{Value, json};

const AGGREGATED: &str =
    "Accept: application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList\r\n";

fn aggregated(world: &World) -> Value {
    let (code, body) = world.server.request_with_headers(AGGREGATED, "GET", "/apis", "");
    assert_eq!(code, 200, "{body}");
    serde_json::from_str(&body).unwrap()
}

fn version(document: &Value) -> Option<Value> {
    let groups = document["items"].as_array().unwrap().iter();
    let mut own = groups.filter(|group| group["metadata"]["name"] == GROUP);
    own.next().map(|group| group["versions"][0].clone())
}

#[test]
fn groups_and_versions_are_in_the_order_of_their_priorities() {
    for form in ["aggregated", "legacy"] {
        let (world, extension) = World::available(form);
        let list = world.json("/apis");
        let names: Vec<&str> = list["groups"]
            .as_array()
            .unwrap()
            .iter()
            .map(|group| group["name"].as_str().unwrap())
            .collect();
        assert_eq!(names.first(), Some(&"apiregistration.k8s.io"));
        assert_eq!(names.last(), Some(&GROUP), "2000 is less than what is built in has");
        let group = world.json(&format!("/apis/{GROUP}"));
        let preferred = json!({"groupVersion": format!("{GROUP}/v1alpha1"), "version": "v1alpha1"});
        assert_eq!((&group["kind"], &group["preferredVersion"]), (&json!("APIGroup"), &preferred));
        let resources = world.json(&format!("/apis/{GROUP}/v1alpha1"));
        assert_eq!(resources["resources"][0]["name"], "flunders");

        let found = wait_for(|| {
            version(&aggregated(&world)).filter(|version| version["freshness"] == "Current")
        });
        let resource = &found["resources"][0];
        assert_eq!(
            (&resource["resource"], &resource["scope"]),
            (&json!("flunders"), &json!("Namespaced"))
        );
        assert_eq!(resource["shortNames"], json!(["fl"]));
        let document = aggregated(&world);
        let groups = document["items"].as_array().unwrap();
        assert_eq!(groups[0]["metadata"]["name"], "apiregistration.k8s.io");
        assert_eq!(groups.last().unwrap()["metadata"]["name"], GROUP);

        // A group that is more important than all but the first.
        let path = format!("{SERVICES}/{NAME}");
        let merge = "Content-Type: application/merge-patch+json\r\n";
        let patch = json!({"spec": {"groupPriorityMinimum": 20000}}).to_string();
        assert_eq!(world.server.request_with_headers(merge, "PATCH", &path, &patch).0, 200);
        assert_eq!(world.json("/apis")["groups"][1]["name"], GROUP);
        assert_eq!(aggregated(&world)["items"][1]["metadata"]["name"], GROUP);
        assert!(world.server.get("/").1.contains(&format!("/apis/{GROUP}/v1alpha1")));

        drop(extension);
        let stale = wait_for(|| {
            // A request that is not answered is a reason to look.
            world.server.get(&super::world::flunders("default"));
            world.condition()["reason"]
                .as_str()
                .filter(|reason| *reason == "FailedDiscoveryCheck")?;
            version(&aggregated(&world)).filter(|version| version["freshness"] == "Stale")
        });
        assert_eq!(stale["resources"][0]["resource"], "flunders", "what was known is told");
        assert_eq!(world.server.request("DELETE", &path, "").0, 200);
        let names = world.json("/apis").to_string();
        assert!(!names.contains(GROUP), "{names}");
        assert!(version(&aggregated(&world)).is_none());
    }
}

#[test]
fn a_server_with_one_sort_of_openapi_is_in_both_or_in_the_newer() {
    let key = format!("apis/{GROUP}/v1alpha1");
    let path = format!("/apis/{GROUP}/v1alpha1/flunders");
    let url_of = |world: &World| {
        let index = world.json("/openapi/v3");
        index["paths"]
            .get(&key)
            .map(|found| found["serverRelativeURL"].as_str().unwrap().to_owned())
    };
    let (world, extension) = World::available("v2");
    let url = wait_for(|| url_of(&world));
    assert!(url.starts_with(&format!("/openapi/v3/{key}?hash=")), "{url}");
    let document = world.json(&url);
    assert_eq!(document["openapi"], "3.0.0");
    let schema = &document["components"]["schemas"]["com.example.Flunder"];
    assert_eq!(schema["description"], "A flunder of Wardle.");
    assert_eq!(document["paths"][&path]["get"]["operationId"], "listFlunders");
    let other = format!("/openapi/v3/{key}?hash=0");
    assert_eq!(world.server.get(&other).0, 301);
    assert!(world.json("/openapi/v2")["paths"].get(&path).is_some());
    // It was converted here, and stays while the server is away.
    drop(extension);
    assert_eq!(world.json(&url), document);
    assert_eq!(world.server.request("DELETE", &format!("{SERVICES}/{NAME}"), "").0, 200);
    assert_eq!(world.server.get(&url).0, 404);
    assert!(url_of(&world).is_none());

    let (world, _extension) = World::available("v3");
    let url = wait_for(|| url_of(&world));
    assert_eq!(url, format!("/openapi/v3/{key}?hash=F"));
    assert!(world.json(&url)["components"]["schemas"].get("com.example.Flunder").is_some());
    assert!(world.json("/openapi/v2")["paths"].get(&path).is_none(), "as in the reference");
}

#[test]
fn openapi_documents_are_joined() {
    let (world, _extension) = World::available("aggregated");
    let key = format!("apis/{GROUP}/v1alpha1");
    let index = wait_for(|| {
        let index = world.json("/openapi/v3");
        index["paths"].get(&key).map(|found| found["serverRelativeURL"].clone())
    });
    assert_eq!(index, format!("/openapi/v3/{key}?hash=F"));
    assert!(world.json("/openapi/v3")["paths"].get("api/v1").is_some());
    let document = world.json(&format!("/openapi/v3/{key}"));
    assert!(document["components"]["schemas"].get("com.example.Flunder").is_some());
    let path = format!("/apis/{GROUP}/v1alpha1/flunders");
    let joined = wait_for(|| {
        let document = world.json("/openapi/v2");
        document["paths"].get(&path).is_some().then_some(document)
    });
    assert!(joined["definitions"].get("com.example.Flunder").is_some());
    assert!(joined["definitions"].get("com.example.Unused").is_none());
    assert!(joined["definitions"].get("io.k8s.api.core.v1.Pod").is_some());
    assert_ne!(joined["paths"]["/version/"]["get"]["operationId"], "theirs");
}
