//! Tests of webhooks behind Services: which address is dialed, and what is told if there is none.

use crate::hook::{Hook, Reply};
use crate::own_address::own_address;
use crate::server::Server;
use crate::stage::{Stage, turn_on};
use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use ratchet_server::{ServiceRouting, WebhookCredentials, WebhookUser, WebhookUsers};
use serde_json::{Value, json};

const START: &str = "Internal error occurred: failed calling webhook \"v.example.com\": failed to call webhook: Post ";
const SLICES: &str = "/apis/discovery.k8s.io/v1/namespaces/routed/endpointslices";
const SERVICES: &str = "/api/v1/namespaces/routed/services";

/// A server with this routing, and a Service without a selector in the namespace `routed`.
async fn stage(routing: ServiceRouting, services: &[&str]) -> Stage {
    let server = Server::start_with(move |config| {
        turn_on(config);
        config.aggregation.routing = routing;
    });
    // Its folder stays as long as it runs.
    let stage = Stage::on(Box::leak(Box::new(server))).await;
    stage.client.post("/api/v1/namespaces", json!({"metadata": {"name": "routed"}})).await;
    for name in services {
        let ports = json!([{"name": "https", "port": 443, "targetPort": 9443}]);
        let service = json!({"metadata": {"name": name}, "spec": {"ports": ports}});
        let made = stage.client.post(SERVICES, service).await;
        assert_eq!(made.code, 201, "{}", made.text());
    }
    stage
}

async fn create_slice(stage: &Stage, service: &str, address: &str, port: u16) {
    let metadata =
        json!({"name": format!("{service}-1"), "labels": {"kubernetes.io/service-name": service}});
    let slice = json!({"metadata": metadata, "addressType": "IPv4",
        "endpoints": [{"addresses": [address]}], "ports": [{"name": "https", "port": port}]});
    let made = stage.client.post(SLICES, slice).await;
    assert_eq!(made.code, 201, "{}", made.text());
}

fn client_config(stage: &Stage, service: &str, port: u16, webhook: &str) -> Value {
    let service =
        json!({"namespace": "routed", "name": service, "port": port, "path": stage.path(webhook)});
    json!({"timeoutSeconds": 3, "clientConfig": {"caBundle": stage.hook.bundle, "service": service}})
}

#[tokio::test]
async fn a_ready_endpoint_stands_in_for_the_cluster_ip() {
    let address = own_address().to_string();
    let stage = stage(ServiceRouting::Automatic, &["hook", "other"]).await;
    let port = stage.hook.port;
    create_slice(&stage, "hook", &address, port).await;
    let config = client_config(&stage, "hook", 443, "v");
    let path = stage.validating(config, |_| Reply::deny("reached")).await;
    let message = "admission webhook \"v.example.com\" denied the request: reached";
    assert_eq!(stage.make("a", json!({})).await.refusal(), (400, message.to_owned()));
    assert_eq!(stage.client.delete(&path).await.code, 200);

    let config = client_config(&stage, "hook", 443, "m");
    let add = json!([{"op": "add", "path": "/data", "value": {"by": "webhook"}}]);
    let path = stage.mutating(config, move |_| Reply::patch(add.clone())).await;
    let made = stage.make("b", json!({})).await;
    assert_eq!(made.json()["data"], json!({"by": "webhook"}), "{}", made.text());
    assert_eq!(stage.client.delete(&path).await.code, 200);

    // The certificate must be for the Service, whoever is behind it.
    create_slice(&stage, "other", &address, port).await;
    let path = stage.validating(client_config(&stage, "other", 443, "v"), |_| Reply::allow()).await;
    let (code, message) = stage.make("c", json!({})).await.refusal();
    let url = format!("\"https://other.routed.svc:443{}?timeout=3s\": ", stage.path("v"));
    assert_eq!(code, 500);
    assert!(
        message.starts_with(&format!(
            "{START}{url}tls: failed to verify certificate: x509: certificate is valid for "
        )),
        "{message}"
    );
    assert!(message.ends_with(", not other.routed.svc"), "{message}");
    assert_eq!(stage.client.delete(&path).await.code, 200);

    let mut config = client_config(&stage, "hook", 443, "v");
    let stranger = rcgen::generate_simple_self_signed(["hook.routed.svc".to_owned()]).unwrap();
    config["clientConfig"]["caBundle"] = json!(BASE64_STANDARD.encode(stranger.cert.pem()));
    let path = stage.validating(config, |_| Reply::allow()).await;
    let (_, message) = stage.make("d", json!({})).await.refusal();
    assert!(
        message.contains(
            "tls: failed to verify certificate: x509: certificate signed by unknown authority"
        ),
        "{message}"
    );
    assert_eq!(stage.client.delete(&path).await.code, 200);

    // Where nobody listens, the endpoint is named.
    let patch = json!({"ports": [{"name": "https", "port": 1}]});
    assert_eq!(stage.client.patch(&format!("{SLICES}/other-1"), patch).await.code, 200);
    stage.validating(client_config(&stage, "other", 443, "v"), |_| Reply::allow()).await;
    let refused = stage.make("e", json!({})).await.refusal();
    let why = format!("dial tcp {address}:1: connect: connection refused");
    assert_eq!(refused, (500, format!("{START}{url}{why}")));
}

#[tokio::test]
async fn with_aggregator_routing_an_endpoint_is_needed() {
    let address = own_address().to_string();
    let stage = stage(ServiceRouting::Endpoint, &["hook", "wide"]).await;
    let port = stage.hook.port;
    let external = json!({"metadata": {"name": "away"},
        "spec": {"type": "ExternalName", "externalName": "localhost"}});
    assert_eq!(stage.client.post(SERVICES, external).await.code, 201);
    let url = |name: &str, port: u16| {
        format!("\"https://{name}.routed.svc:{port}{}?timeout=3s\": ", stage.path("v"))
    };
    for (name, port, why) in [
        ("gone", 443, "service \"gone\" not found"),
        ("hook", 444, "no service port 444 found for service \"hook\""),
        ("hook", 443, "no endpoints available for service \"hook\""),
        ("away", 443, "unsupported service type \"ExternalName\""),
    ] {
        let config = client_config(&stage, name, port, "v");
        let path = stage.validating(config, |_| Reply::allow()).await;
        let refused = stage.make("a", json!({})).await.refusal();
        assert_eq!(refused, (500, format!("{START}{}{why}", url(name, port))));
        assert_eq!(stage.client.delete(&path).await.code, 200);
    }
    // Endpoints come, and are used at once; the one that goes is not asked for again once its connection is closed.
    let config = client_config(&stage, "wide", 443, "v");
    stage.validating(config, |_| Reply::deny("reached")).await;
    let (code, _) = stage.make("b", json!({})).await.refusal();
    assert_eq!(code, 500);
    create_slice(&stage, "wide", &address, port).await;
    let (code, message) = stage.make("b", json!({})).await.refusal();
    assert_eq!(code, 400, "{message}");
}

#[tokio::test]
async fn a_kubeconfig_says_who_calls_a_webhook() {
    let server = Server::start_with(|config| {
        turn_on(config);
        let credentials = WebhookCredentials { token: "secret".into(), ..Default::default() };
        let user = WebhookUser::new(credentials).unwrap();
        config.backends.webhook_users.validating = WebhookUsers::new(
            [(format!("*.home.svc:{}", Hook::shared().port), user)],
            String::new(),
        );
    });
    let stage = Stage::on(&server).await;
    stage.client.post("/api/v1/namespaces", json!({"metadata": {"name": "home"}})).await;
    let service = json!({"metadata": {"name": "hook"},
        "spec": {"type": "ExternalName", "externalName": "localhost"}});
    assert_eq!(stage.client.post("/api/v1/namespaces/home/services", service).await.code, 201);
    let config = |name: &str| {
        let service = json!({"namespace": "home", "name": "hook", "port": stage.hook.port, "path": stage.path(name)});
        json!({"clientConfig": {"caBundle": stage.hook.bundle, "service": service}})
    };
    stage.validating(config("v"), |_| Reply::allow()).await;
    stage.mutating(config("m"), |_| Reply::allow()).await;
    assert_eq!(stage.make("a", json!({})).await.code, 201);
    assert_eq!(stage.hook.authorizations(&stage.path("v")), ["Bearer secret"]);
    assert_eq!(stage.hook.authorizations(&stage.path("m")), [""], "it has no kubeconfig");
}

#[tokio::test]
async fn the_kubernetes_service_is_this_server() {
    let stage = Stage::new().await;
    let service = json!({"namespace": "default", "name": "kubernetes", "path": "/hook"});
    stage.validating(json!({"clientConfig": {"service": service}}), |_| Reply::allow()).await;
    let (code, message) = stage.make("a", json!({})).await.refusal();
    let why = "failed to call webhook: the server could not find the requested resource";
    let start = START.split("failed to call").next().unwrap();
    assert_eq!((code, message), (500, format!("{start}{why}")));
}
