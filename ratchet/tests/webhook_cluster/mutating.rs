//! `/mutate`, called by an API server: what controllers write becomes canonical, what people write stays.

use crate::replica::Called;
use crate::world::{World, until};
use serde_json::{Value, json};

const CONFIGURATIONS: &str = "/apis/admissionregistration.k8s.io/v1/mutatingwebhookconfigurations";
const NODE: &str = "system:node:n1";
const MANAGER: &str = "system:kube-controller-manager";
const ENDPOINTS: &str = "system:serviceaccount:kube-system:endpoint-controller";

/// A write of a controller: who, method, path, body, and what must be there afterwards by JSON pointer.
struct Write {
    user: &'static str,
    method: &'static str,
    path: &'static str,
    body: Value,
    wanted: Vec<(&'static str, &'static str, &'static str)>,
}

/// Every kind of value that controllers write: the pointer, the text that is sent and its canonical form.
fn writes(name: &str) -> Vec<Write> {
    let named = |rest: Value| {
        let mut object = rest;
        object["metadata"] = json!({"name": name});
        object
    };
    vec![
        Write {
            user: NODE,
            method: "PATCH",
            path: "/api/v1/namespaces/shop/pods/NAME/status",
            body: json!({"status": {"podIP": "010.0.0.2", "podIPs": [{"ip": "010.0.0.2"}],
                "hostIP": "192.0.2.01", "hostIPs": [{"ip": "192.0.2.01"}]}}),
            wanted: vec![
                ("/status/podIP", "010.0.0.2", "10.0.0.2"),
                ("/status/podIPs/0/ip", "010.0.0.2", "10.0.0.2"),
                ("/status/hostIP", "192.0.2.01", "192.0.2.1"),
            ],
        },
        Write {
            user: ENDPOINTS,
            method: "POST",
            path: "/api/v1/namespaces/shop/endpoints",
            body: named(json!({"subsets": [{"addresses": [{"ip": "010.0.0.3"}],
                "notReadyAddresses": [{"ip": "2001:DB8::1"}], "ports": [{"port": 80}]}]})),
            wanted: vec![
                ("/subsets/0/addresses/0/ip", "010.0.0.3", "10.0.0.3"),
                ("/subsets/0/notReadyAddresses/0/ip", "2001:DB8::1", "2001:db8::1"),
            ],
        },
        Write {
            user: MANAGER,
            method: "POST",
            path: "/apis/discovery.k8s.io/v1/namespaces/shop/endpointslices",
            body: named(
                json!({"addressType": "IPv6", "endpoints": [{"addresses": ["2001:DB8:0::4"]}]}),
            ),
            wanted: vec![("/endpoints/0/addresses/0", "2001:DB8:0::4", "2001:db8::4")],
        },
        Write {
            user: MANAGER,
            method: "PATCH",
            path: "/api/v1/nodes/NAME",
            body: json!({"spec": {"podCIDR": "010.1.0.0/16", "podCIDRs": ["010.1.0.0/16"]}}),
            wanted: vec![
                ("/spec/podCIDR", "010.1.0.0/16", "10.1.0.0/16"),
                ("/spec/podCIDRs/0", "010.1.0.0/16", "10.1.0.0/16"),
            ],
        },
        Write {
            user: MANAGER,
            method: "PATCH",
            path: "/api/v1/namespaces/shop/services/NAME/status",
            body: json!({"status": {"loadBalancer": {"ingress": [{"ip": "192.0.2.010"}]}}}),
            wanted: vec![("/status/loadBalancer/ingress/0/ip", "192.0.2.010", "192.0.2.10")],
        },
        Write {
            user: MANAGER,
            method: "PATCH",
            path: "/apis/networking.k8s.io/v1/namespaces/shop/ingresses/NAME/status",
            body: json!({"status": {"loadBalancer": {"ingress": [{"ip": "192.0.2.011"}]}}}),
            wanted: vec![("/status/loadBalancer/ingress/0/ip", "192.0.2.011", "192.0.2.11")],
        },
    ]
}

/// Objects of this name with what people write, which has an address that is not canonical.
fn prepare(world: &World, name: &str) {
    let metadata = json!({"name": name});
    let shop = "/api/v1/namespaces/shop";
    let spec = json!({"automountServiceAccountToken": false, "hostAliases": [{"ip": "010.9.9.9"}],
        "containers": [{"name": "c", "image": "i"}]});
    world.create(&format!("{shop}/pods"), &json!({"metadata": metadata, "spec": spec}));
    let spec =
        json!({"type": "LoadBalancer", "ports": [{"port": 80}], "externalIPs": ["192.0.2.09"]});
    world.create(&format!("{shop}/services"), &json!({"metadata": metadata, "spec": spec}));
    world.create("/api/v1/nodes", &json!({"metadata": metadata}));
    let spec = json!({"defaultBackend": {"service": {"name": "web", "port": {"number": 80}}}});
    let ingresses = "/apis/networking.k8s.io/v1/namespaces/shop/ingresses";
    world.create(ingresses, &json!({"metadata": metadata, "spec": spec}));
}

/// Makes all writes for a name; `canonical` says whether their values must have changed.
fn check(world: &World, name: &str, user: Option<&str>, canonical: bool) {
    for Write { user: own, method, path, body, wanted } in writes(name) {
        let (user, path) = (user.unwrap_or(own), path.replace("NAME", name));
        let (code, object) = world.request_as(user, method, &path, &body);
        // Slices of type IPv6 take canonical addresses only, whatever the gate says.
        if path.ends_with("/endpointslices") && !canonical {
            assert_eq!(code, 422, "{user} {path}: {object}");
            continue;
        }
        assert!(code < 300, "{user} {method} {path}: {code} {object}");
        for (pointer, sent, clean) in wanted {
            let wanted = if canonical { clean } else { sent };
            assert_eq!(object.pointer(pointer), Some(&json!(wanted)), "{user} {path}: {object}");
        }
    }
}

#[test]
fn controllers_write_canonical_addresses_and_people_what_they_like() {
    let world = World::start_with(&[
        "--feature-gates=StrictIPCIDRValidation=false",
        "--disable-admission-plugins=NodeRestriction",
        "--controllers=",
    ]);
    world.namespace("shop", &json!({}));
    let account = json!({"metadata": {"name": "default"}});
    world.create("/api/v1/namespaces/shop/serviceaccounts", &account);
    let called = Called::start(Some(&world), "rules: {RTC-API: off}\n", &[]);
    until("readiness", || (called.get("/readyz").0 == 200).then_some(()));
    let users = format!("--canonicalize-users={MANAGER},{ENDPOINTS},system:node:*");
    world.create(CONFIGURATIONS, &called.manifest(&[&users]));

    // It is called, and does nothing until the configuration names the controllers.
    prepare(&world, "first");
    check(&world, "first", None, false);
    assert!(called.has_metric("ratchet_webhook_reviews_total{verdict=\"allowed\"} "));

    called.configure(&format!(
        "canonicalize: {{users: [{MANAGER}, {ENDPOINTS}, 'system:node:*']}}\n"
    ));
    until("the new file", || called.replica.log().contains("configuration replaced").then_some(()));
    prepare(&world, "second");
    check(&world, "second", None, true);
    prepare(&world, "third");
    check(&world, "third", Some("ann"), false);

    // A controller that updates an object leaves what people wrote into it, and what is stored.
    let path = "/api/v1/namespaces/shop/services/second";
    let label = json!({"metadata": {"labels": {"a": "b"}}});
    let (code, service) = world.request_as(MANAGER, "PATCH", path, &label);
    assert_eq!((code, &service["spec"]["externalIPs"]), (200, &json!(["192.0.2.09"])), "{service}");
    let pod = world.get("/api/v1/namespaces/shop/pods/second");
    assert_eq!(pod["spec"]["hostAliases"][0]["ip"], json!("010.9.9.9"));
    let (code, endpoints) =
        world.request_as(ENDPOINTS, "PATCH", "/api/v1/namespaces/shop/endpoints/third", &label);
    assert_eq!(code, 200, "{endpoints}");
    assert_eq!(endpoints["subsets"][0]["addresses"][0]["ip"], json!("010.0.0.3"), "{endpoints}");
}
