//! Extension servers that answer without end, without haste or without sense hold up nobody else.

use super::extension::Extension;
use super::hostile_answers::FORMS;
use super::world::{SERVICES, World, wait_for};
use serde_json::json;
use std::time::{Duration, Instant};

/// The memory that all of them together may take, in kilobytes: the largest documents of each, and what reads them.
const MOST_KILOBYTES: u64 = 400 << 10;

#[test]
fn hostile_servers_hold_no_thread_and_little_memory() {
    let world = World::new();
    world.create_service();
    let threads = world.server.status("Threads");
    let before = world.server.status("VmRSS");
    let _extensions: Vec<Extension> = FORMS
        .into_iter()
        .map(|form| {
            let extension = world.extension(form);
            let mut service = world.api_service(extension.port);
            service["metadata"]["name"] = json!(format!("v1alpha1.{form}.example.com"));
            service["spec"]["group"] = json!(format!("{form}.example.com"));
            world.create(SERVICES, &service);
            extension
        })
        .collect();
    let reason = |form: &str| {
        let service = world.json(&format!("{SERVICES}/v1alpha1.{form}.example.com"));
        service["status"]["conditions"][0].clone()
    };
    // Only the status of a probe counts.
    for form in FORMS.into_iter().filter(|form| *form != "silent") {
        wait_for(|| (reason(form)["reason"] == "Passed").then_some(()));
    }
    let silent = wait_for(|| {
        let condition = reason("silent");
        (condition["reason"] == "FailedDiscoveryCheck").then_some(condition)
    });
    let message = silent["message"].as_str().unwrap();
    let timed_out = "context deadline exceeded (Client.Timeout exceeded while awaiting headers)";
    assert!(message.ends_with(timed_out), "{message}");

    // Their documents are asked for meanwhile: everybody else is served as always.
    let until = Instant::now() + Duration::from_secs(8);
    let mut most = 0;
    while Instant::now() < until {
        for path in ["/apis", "/openapi/v2", "/openapi/v3"] {
            assert_eq!(world.server.get(path).0, 200, "{path}");
        }
        let since = Instant::now();
        assert_eq!(world.server.get("/api/v1/namespaces").0, 200);
        assert!(since.elapsed() < Duration::from_secs(5), "{:?}", since.elapsed());
        most = most.max(world.server.status("VmRSS"));
        std::thread::sleep(Duration::from_millis(100));
    }
    assert!(most < before + MOST_KILOBYTES, "{before} kB before, {most} kB now");
    let now = world.server.status("Threads");
    assert!(now <= threads + 4, "{threads} threads before, {now} now");
    // What is passed on is not gathered: it ends when the client goes.
    let path = "/apis/endless.example.com/v1alpha1/things";
    let mut stream = world.server.stream("GET", path, "");
    assert!(stream.head().starts_with("HTTP/1.1 200"));
    std::thread::sleep(Duration::from_secs(1));
    drop(stream);
    assert!(world.server.status("VmRSS") < before + MOST_KILOBYTES);
    wait_for(|| {
        let index = world.json("/openapi/v3");
        index["paths"].get("apis/openapi-many.example.com/v1alpha1").map(|_| ())
    });
    let document = world.json("/openapi/v2");
    assert!(document["definitions"].get("io.k8s.api.core.v1.Pod").is_some());
}
