//! Services that lead to an extension server: cluster IPs, endpoints, names, and what is missing on the way.

use super::extension::Extension;
use super::flunders::GROUP;
use super::own_address::own_address;
use super::world::{NAME, SERVICES, World, flunders, wait_for};
use serde_json::{Value, json};

const MERGE: &str = "Content-Type: application/merge-patch+json\r\n";
const SLICES: &str = "/apis/discovery.k8s.io/v1/namespaces/wardle/endpointslices";

/// A Service without a selector; the cluster IP that it got.
fn create_service(world: &World) -> String {
    world.create("/api/v1/namespaces", &json!({"metadata": {"name": "wardle"}}));
    let ports = json!([{"name": "https", "port": 443, "targetPort": 8443}]);
    let service = json!({"metadata": {"name": "api"}, "spec": {"ports": ports}});
    let made = world.create("/api/v1/namespaces/wardle/services", &service);
    made["spec"]["clusterIP"].as_str().unwrap().to_owned()
}

/// Creates an EndpointSlice of the Service.
fn create_slice(world: &World, address: &str, port: u16, is_ready: bool) {
    let labels = json!({"kubernetes.io/service-name": "api"});
    let slice = json!({"metadata": {"name": "api-1", "labels": labels}, "addressType": "IPv4",
        "endpoints": [{"addresses": [address], "conditions": {"ready": is_ready}}],
        "ports": [{"name": "https", "port": port}]});
    world.create(SLICES, &slice);
}

fn delete_slice(world: &World) {
    assert_eq!(world.server.request("DELETE", &format!("{SLICES}/api-1"), "").0, 200);
}

fn patch(world: &World, path: &str, patch: &Value) {
    let (code, body) = world.server.request_with_headers(MERGE, "PATCH", path, &patch.to_string());
    assert_eq!(code, 200, "{body}");
}

#[test]
fn an_endpoint_stands_in_for_the_cluster_ip() {
    let address = own_address().to_string();
    let world = World::new();
    let extension = world.extension("aggregated");
    let cluster_ip = create_service(&world);
    world.create(SERVICES, &world.api_service(443));
    world.wait_for_reason("EndpointsNotFound");
    create_slice(&world, &address, extension.port, false);
    world.wait_for_reason("MissingEndpoints");
    patch(&world, &format!("{SLICES}/api-1"), &json!({"endpoints": [{"addresses": [address]}]}));
    let condition = world.wait_for_reason("Passed");
    assert_eq!(condition["message"], "all checks passed");

    // It is the cluster IP that was asked, as far as anybody can tell.
    let reported = world.json(&format!("/apis/{GROUP}/v1alpha1/whoami"));
    let host = json!([format!("{cluster_ip}:443")]);
    assert_eq!(reported["headers"]["x-forwarded-host"], host);
    let resources = world.json(&format!("/apis/{GROUP}/v1alpha1"));
    assert_eq!(resources["resources"][0]["name"], "flunders");
    let mut watch = world.server.stream("GET", &format!("{}?watch=1", flunders("default")), "");
    assert!(watch.head().starts_with("HTTP/1.1 200"));
    let flunder = json!({"apiVersion": format!("{GROUP}/v1alpha1"), "kind": "Flunder", "metadata": {"name": "one"}});
    world.create(&flunders("default"), &flunder);
    assert!(watch.until("\"name\":\"one\"").contains("ADDED"));
    assert_eq!(world.json(&flunders("default"))["items"].as_array().unwrap().len(), 1);

    delete_slice(&world);
    let condition = world.wait_for_reason("EndpointsNotFound");
    assert_eq!(condition["message"], "cannot find endpointslices for service/api in \"wardle\"");
    let (code, body) = world.server.get(&flunders("default"));
    assert_eq!((code, body.as_str()), (503, "service unavailable\n"));
    create_slice(&world, &address, extension.port, true);
    world.wait_for_reason("Passed");
    assert_eq!(world.server.get(&flunders("default")).0, 200);

    // The endpoint is there, and nobody behind it.
    let port = extension.port;
    drop(extension);
    world.server.get(&flunders("default"));
    world.wait_for_reason("FailedDiscoveryCheck");
    let url = format!("https://{cluster_ip}:443/apis/{GROUP}/v1alpha1");
    let message = format!(
        "failing or missing response from {url}: Get \"{url}\": dial tcp {address}:{port}: connect: connection refused"
    );
    // The first look may have found a connection that was still being closed.
    wait_for(|| (world.condition()["message"] == message).then_some(()));
    let _again = Extension::start(&world.pki(), port, "aggregated");
    world.wait_for_reason("Passed");
    assert_eq!(world.server.get(&flunders("default")).0, 200);
}

#[test]
fn endpoints_of_the_older_kind_lead_there_too() {
    let address = own_address().to_string();
    let world = World::new();
    let extension = world.extension("legacy");
    create_service(&world);
    world.create(SERVICES, &world.api_service(443));
    let subset = json!({"addresses": [{"ip": address}], "ports": [{"name": "https", "port": extension.port}]});
    let endpoints = json!({"metadata": {"name": "api"}, "subsets": [subset]});
    world.create("/api/v1/namespaces/wardle/endpoints", &endpoints);
    world.wait_for_reason("Passed");
    assert_eq!(world.server.get(&flunders("default")).0, 200);
}

#[test]
fn the_flag_means_what_it_does_in_kube_apiserver() {
    let address = own_address().to_string();
    let world = World::with(&["--enable-aggregator-routing"]);
    let extension = world.extension("aggregated");
    create_service(&world);
    create_slice(&world, &address, extension.port, true);
    world.create(SERVICES, &world.api_service(443));
    world.wait_for_reason("Passed");
    let reported = world.json(&format!("/apis/{GROUP}/v1alpha1/whoami"));
    let host = json!([format!("{address}:{}", extension.port)]);
    assert_eq!(reported["headers"]["x-forwarded-host"], host);
    let service = "/api/v1/namespaces/wardle/services/api";
    let external = json!({"spec": {"type": "ExternalName", "externalName": "localhost",
        "clusterIP": "", "clusterIPs": null, "ports": null}});
    patch(&world, service, &external);
    let condition = world.wait_for_reason("FailedDiscoveryCheck");
    assert_eq!(condition["message"], "unsupported service type \"ExternalName\"");
    drop(world);

    let world = World::with(&["--enable-aggregator-routing=false"]);
    let cluster_ip = create_service(&world);
    create_slice(&world, &address, extension.port, true);
    world.create(SERVICES, &world.api_service(443));
    let condition = world.wait_for_reason("FailedDiscoveryCheck");
    let message = condition["message"].as_str().unwrap();
    let start = format!("failing or missing response from https://{cluster_ip}:443/apis/");
    assert!(message.starts_with(&start), "{message}");
    assert!(!message.contains(&address), "{message}");
}

#[test]
fn a_headless_service_cannot_be_routed_to() {
    let address = own_address().to_string();
    let world = World::new();
    world.create("/api/v1/namespaces", &json!({"metadata": {"name": "wardle"}}));
    let spec = json!({"clusterIP": "None", "ports": [{"name": "https", "port": 443}]});
    let service = json!({"metadata": {"name": "api"}, "spec": spec});
    world.create("/api/v1/namespaces/wardle/services", &service);
    create_slice(&world, &address, 8443, true);
    world.create(SERVICES, &world.api_service(443));
    let condition = world.wait_for_reason("FailedDiscoveryCheck");
    assert_eq!(condition["message"], "cannot route to service with ClusterIP \"None\"");
}

#[test]
fn a_certificate_for_another_service_is_refused() {
    let address = own_address().to_string();
    let world = World::new();
    let extension = world.extension("aggregated");
    create_service(&world);
    create_slice(&world, &address, extension.port, true);
    world.create(SERVICES, &world.api_service(443));
    world.wait_for_reason("Passed");
    let ports = json!([{"name": "https", "port": 443}]);
    let service = json!({"metadata": {"name": "other"}, "spec": {"ports": ports}});
    world.create("/api/v1/namespaces/wardle/services", &service);
    let labels = json!({"kubernetes.io/service-name": "other"});
    patch(&world, &format!("{SLICES}/api-1"), &json!({"metadata": {"labels": labels}}));
    world.wait_for_reason("EndpointsNotFound");
    patch(&world, &format!("{SERVICES}/{NAME}"), &json!({"spec": {"service": {"name": "other"}}}));
    let condition = world.wait_for_reason("FailedDiscoveryCheck");
    let message = condition["message"].as_str().unwrap();
    let end = "tls: failed to verify certificate: x509: certificate is valid for api.wardle.svc, not other.wardle.svc";
    assert!(message.ends_with(end), "{message}");
}
