//! The condition `Available`, and what requests are told meanwhile.

use super::extension::Extension;
use super::flunders::GROUP;
use super::world::{NAME, SERVICES, World, flunders};
use serde_json::json;

#[test]
fn a_server_goes_away_and_comes_back() {
    let world = World::new();
    world.create(SERVICES, &world.api_service(1));
    let condition = world.wait_for_reason("ServiceNotFound");
    assert_eq!(condition["message"], "service/api in \"wardle\" is not present");
    let (code, body) = world.server.get(&flunders("default"));
    assert_eq!((code, body.as_str()), (503, "service unavailable\n"));
    let metrics = world.server.get("/metrics").1;
    assert!(metrics.contains(&format!("aggregator_unavailable_apiservice{{name=\"{NAME}\"}} 1")));
    assert!(metrics.contains("aggregator_unavailable_apiservice{name=\"v1.apps\"} 0"));

    world.create_service();
    let condition = world.wait_for_reason("FailedDiscoveryCheck");
    let message = condition["message"].as_str().unwrap();
    let url = format!("https://localhost:1/apis/{GROUP}/v1alpha1");
    assert!(
        message.starts_with(&format!(
            "failing or missing response from {url}: Get \"{url}\": dial tcp "
        )),
        "{message}"
    );

    let extension = world.extension("aggregated");
    let patch = json!({"spec": {"service": {"port": extension.port}}}).to_string();
    let merge = "Content-Type: application/merge-patch+json\r\n";
    let path = format!("{SERVICES}/{NAME}");
    let (code, body) = world.server.request_with_headers(merge, "PATCH", &path, &patch);
    assert_eq!(code, 200, "{body}");
    let condition = world.wait_for_reason("Passed");
    assert_eq!(
        (&condition["status"], &condition["message"]),
        (&json!("True"), &json!("all checks passed"))
    );
    assert_eq!(world.server.get(&flunders("default")).0, 200);

    let port = extension.port;
    drop(extension);
    // Before the next look: the dial itself fails.
    let (code, body) = world.server.get(&flunders("default"));
    assert_eq!(code, 503, "{body}");
    let is_told =
        body.starts_with("error trying to reach service: ") || body == "service unavailable\n";
    assert!(is_told, "{body}");
    world.wait_for_reason("FailedDiscoveryCheck");
    assert_eq!(world.server.get(&flunders("default")).1, "service unavailable\n");
    let metrics = world.server.get("/metrics").1;
    let counted = format!(
        "aggregator_unavailable_apiservice_total{{name=\"{NAME}\",reason=\"FailedDiscoveryCheck\"}} 1"
    );
    assert!(metrics.contains(&counted), "{metrics}");

    let _again = Extension::start(&world.pki(), port, "aggregated");
    world.wait_for_reason("Passed");
    assert_eq!(world.server.get(&flunders("default")).0, 200);

    let (code, _) = world.server.request("DELETE", &path, "");
    assert_eq!(code, 200);
    assert_eq!(world.server.get(&flunders("default")).0, 404);
}

#[test]
fn a_certificate_that_nobody_vouches_for_is_refused() {
    let world = World::new();
    let extension = world.extension("aggregated");
    world.create_service();
    let mut service = world.api_service(extension.port);
    let other = rcgen::generate_simple_self_signed(["api.wardle.svc".to_owned()]).unwrap();
    service["spec"]["caBundle"] =
        json!(base64::Engine::encode(&base64::prelude::BASE64_STANDARD, other.cert.pem()));
    world.create(SERVICES, &service);
    let condition = world.wait_for_reason("FailedDiscoveryCheck");
    let message = condition["message"].as_str().unwrap();
    assert!(message.contains("tls: failed to verify certificate: x509: "), "{message}");
    let patch = json!({"spec": {"caBundle": null, "insecureSkipTLSVerify": true}}).to_string();
    let merge = "Content-Type: application/merge-patch+json\r\n";
    let path = format!("{SERVICES}/{NAME}");
    let (code, body) = world.server.request_with_headers(merge, "PATCH", &path, &patch);
    assert_eq!(code, 200, "{body}");
    world.wait_for_reason("Passed");
}

#[test]
fn a_service_without_endpoints_is_told() {
    let world = World::new();
    world.create("/api/v1/namespaces", &json!({"metadata": {"name": "wardle"}}));
    let service =
        json!({"metadata": {"name": "api"}, "spec": {"ports": [{"name": "https", "port": 443}]}});
    world.create("/api/v1/namespaces/wardle/services", &service);
    world.create(SERVICES, &world.api_service(444));
    let condition = world.wait_for_reason("ServicePortError");
    assert_eq!(condition["message"], "service/api in \"wardle\" is not listening on port 444");
    let patch = json!({"spec": {"service": {"port": 443}}}).to_string();
    let merge = "Content-Type: application/merge-patch+json\r\n";
    let path = format!("{SERVICES}/{NAME}");
    let (code, body) = world.server.request_with_headers(merge, "PATCH", &path, &patch);
    assert_eq!(code, 200, "{body}");
    let condition = world.wait_for_reason("EndpointsNotFound");
    assert_eq!(condition["message"], "cannot find endpointslices for service/api in \"wardle\"");
    let slice = json!({"metadata": {"name": "api-1", "labels": {"kubernetes.io/service-name": "api"}},
        "addressType": "IPv4", "endpoints": [], "ports": [{"name": "https", "port": 8443}]});
    world.create("/apis/discovery.k8s.io/v1/namespaces/wardle/endpointslices", &slice);
    let condition = world.wait_for_reason("MissingEndpoints");
    let message =
        "endpointslices for service/api in \"wardle\" have no addresses with port name \"https\"";
    assert_eq!(condition["message"], message);
}
