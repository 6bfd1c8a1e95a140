//! APIServices of what the server serves itself, and APIServices that are refused.

use super::world::{SERVICES, World};
use serde_json::{Value, json};

#[test]
fn what_is_built_in_has_an_api_service() {
    let world = World::new();
    let core = world.json(&format!("{SERVICES}/v1."));
    assert_eq!(
        core["metadata"]["labels"],
        json!({"kube-aggregator.kubernetes.io/automanaged": "onstart"})
    );
    let spec = json!({"groupPriorityMinimum": 18000, "version": "v1", "versionPriority": 1});
    assert_eq!(core["spec"], spec);
    let condition = &core["status"]["conditions"][0];
    assert_eq!((&condition["type"], &condition["status"]), (&json!("Available"), &json!("True")));
    assert_eq!(
        (&condition["reason"], &condition["message"]),
        (&json!("Local"), &json!("Local APIServices are always available"))
    );
    let apps = world.json(&format!("{SERVICES}/v1.apps"));
    let spec = json!({"group": "apps", "groupPriorityMinimum": 17800, "version": "v1", "versionPriority": 15});
    assert_eq!(apps["spec"], spec);
    let names = world.json(SERVICES);
    let names: Vec<&str> = names["items"]
        .as_array()
        .unwrap()
        .iter()
        .map(|one| one["metadata"]["name"].as_str().unwrap())
        .collect();
    assert!(
        names.contains(&"v2.autoscaling") && !names.contains(&"v1.apiregistration.k8s.io"),
        "{names:?}"
    );
    assert_eq!(names.len(), 21);
    // One that was deleted stays so until the server starts again, and what it is about is served.
    assert_eq!(world.server.request("DELETE", &format!("{SERVICES}/v1.apps"), "").0, 200);
    std::thread::sleep(std::time::Duration::from_millis(300));
    assert_eq!(world.server.get(&format!("{SERVICES}/v1.apps")).0, 404);
    assert_eq!(world.server.get("/apis/apps/v1/deployments").0, 200);
}

#[test]
fn wrong_api_services_are_refused_in_the_words_of_the_reference() {
    let world = World::new();
    let reported = |spec: Value| {
        let object = json!({"metadata": {"name": "v1.a"}, "spec": spec}).to_string();
        let (code, body) = world.server.request("POST", SERVICES, &object);
        assert_eq!(code, 422, "{body}");
        let status: Value = serde_json::from_str(&body).unwrap();
        let causes = status["details"]["causes"].as_array().unwrap();
        let cause = |cause: &Value| {
            format!("{}: {}", cause["field"].as_str().unwrap(), cause["message"].as_str().unwrap())
        };
        causes.iter().map(cause).collect::<Vec<_>>()
    };
    assert_eq!(
        reported(json!({"version": "v1", "group": "a"})),
        [
            "spec.groupPriorityMinimum: Invalid value: 0: must be positive and less than 20000",
            "spec.versionPriority: Invalid value: 0: must be positive and less than 1000",
        ]
    );
    let priorities = json!({"groupPriorityMinimum": 1, "versionPriority": 1});
    let with = |more: Value| {
        let mut spec = priorities.clone();
        spec.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        reported(spec)
    };
    assert_eq!(
        with(json!({"version": "v2", "group": ""})),
        [
            "metadata.name: Invalid value: \"v1.a\": must be `spec.version+\".\"+spec.group`: \"v2.\"",
            "spec.group: Required value: only v1 may have an empty group and it better be legacy kube",
        ]
    );
    assert_eq!(
        with(
            json!({"version": "v1", "group": "a", "caBundle": "YWJj", "insecureSkipTLSVerify": true})
        ),
        [
            "spec.caBundle: Invalid value: \"3 bytes\": local APIServices may not have a caBundle",
            "spec.insecureSkipTLSVerify: Invalid value: true: local APIServices may not have insecureSkipTLSVerify",
        ]
    );
    assert_eq!(
        with(
            json!({"version": "v1", "group": "a", "caBundle": "YWJj", "insecureSkipTLSVerify": true, "service": {"port": 70000}})
        ),
        [
            "spec.service.namespace: Required value",
            "spec.service.name: Required value",
            "spec.service.port: Invalid value: 70000: port is not valid: must be between 1 and 65535, inclusive",
            "spec.insecureSkipTLSVerify: Invalid value: true: may not be true if caBundle is present",
        ]
    );
}
