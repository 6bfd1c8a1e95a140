//! Own certificates: two replicas rotate authorities and certificates under load without a failed call.

use crate::replica::Replica;
use crate::world::{World, until};
use serde_json::{Value, json};
use std::path::Path;

const SECRET: &str = "/api/v1/namespaces/ratchet-system/secrets/ratchet-webhook-certs";
const CONFIGURATIONS: &str =
    "/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations";

/// A configuration that calls one replica for Services, and refuses what it does not answer.
fn configuration(name: &str, replica: &Replica) -> Value {
    json!({"metadata": {"name": name}, "webhooks": [{
        "name": format!("{name}.example.com"),
        "admissionReviewVersions": ["v1"],
        "sideEffects": "None",
        "failurePolicy": "Fail",
        "timeoutSeconds": 30,
        "clientConfig": {"url": format!("https://{}/validate", replica.address)},
        "rules": [{"apiGroups": [""], "apiVersions": ["v1"], "resources": ["services"],
            "operations": ["CREATE"]}],
        "namespaceSelector": {"matchLabels": {"kubernetes.io/metadata.name": "shop"}}}]})
}

/// Calls that go through all webhooks: one that they admit, and one that they refuse. Returns what failed.
fn call(world: &World) -> Result<(), String> {
    let path = "/api/v1/namespaces/shop/services?dryRun=All";
    let service = |ips: &[&str]| {
        json!({"metadata": {"name": "web"}, "spec": {"ports": [{"port": 80}], "externalIPs": ips}})
            .to_string()
    };
    let (code, text) = world.server.request("POST", path, &service(&[]));
    if code != 201 {
        return Err(format!("{code} {text}"));
    }
    let (code, text) = world.server.request("POST", path, &service(&["192.0.2.1"]));
    match code == 403 && text.contains("denied the request") {
        true => Ok(()),
        false => Err(format!("{code} {text}")),
    }
}

/// Calls until something has happened; no call may fail.
fn load_until(world: &World, what: &str, mut happened: impl FnMut() -> bool) -> usize {
    let mut calls = 0;
    until(what, || {
        for _ in 0..5 {
            call(world)
                .unwrap_or_else(|error| panic!("after {calls} calls, before {what}: {error}"));
            calls += 2;
        }
        happened().then_some(calls)
    })
}

fn start(world: &World, file: &Path) -> Replica {
    let flag = |name: &str, path: &Path| format!("--{name}={}", path.display());
    Replica::start(&[
        "--self-signed".into(),
        "--namespace=ratchet-system".into(),
        "--webhook-configuration-name=one,two".into(),
        "--ca-validity=60s".into(),
        "--cert-validity=30s".into(),
        flag("kubeconfig", &world.kubeconfig()),
        flag("config", file),
    ])
}

#[test]
fn certificates_rotate_under_load_and_a_killed_replica_is_survived() {
    let world = World::start();
    world.namespace("ratchet-system", &json!({}));
    world.namespace("shop", &json!({}));
    let file = world.dir.path().join("webhook.yaml");
    let text =
        "apiVersion: ratchet/v1alpha1\nkind: WebhookConfiguration\nexternalIPs: {allow: []}\n";
    std::fs::write(&file, text).unwrap();
    let (one, two) = (start(&world, &file), start(&world, &file));
    for (name, replica) in [("one", &one), ("two", &two)] {
        world.create(CONFIGURATIONS, &configuration(name, replica));
    }
    until("the first certificates", || call(&world).ok());
    let secret = || world.get(SECRET)["data"].clone();
    let bundle = |name: &str| {
        let found = world.get(&format!("{CONFIGURATIONS}/{name}"));
        found["webhooks"][0]["clientConfig"]["caBundle"].as_str().unwrap_or_default().to_owned()
    };
    let first = secret();
    assert_eq!(
        (bundle("one"), bundle("two")),
        (bundle("two"), first["ca.crt"].as_str().unwrap().into())
    );

    load_until(&world, "the first renewal", || secret()["tls.crt"] != first["tls.crt"]);
    assert_eq!(secret()["ca.key"], first["ca.key"], "of the same authority");
    load_until(&world, "the second authority", || !secret()["ca-next.crt"].is_null());
    load_until(&world, "its first certificate", || secret()["ca.key"] != first["ca.key"]);
    let second = secret();
    assert!(second["ca-next.crt"].is_null());
    let calls =
        load_until(&world, "the renewal after it", || secret()["tls.crt"] != second["tls.crt"]);
    assert!(calls > 0);

    // Whichever replica held the Lease, the other one goes on.
    drop(one);
    let (code, text) = world.server.request("DELETE", &format!("{CONFIGURATIONS}/one"), "");
    assert_eq!(code, 200, "{text}");
    let third = secret();
    load_until(&world, "a renewal by the other", || secret()["tls.crt"] != third["tls.crt"]);
    let lease =
        world.get("/apis/coordination.k8s.io/v1/namespaces/ratchet-system/leases/ratchet-webhook");
    assert!(!lease["spec"]["holderIdentity"].as_str().unwrap().is_empty(), "{lease}");
    assert!(!two.log().contains("PRIVATE KEY"));
}
