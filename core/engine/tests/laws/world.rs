//! `WORLDS`, valid objects of every kind, each with its slots for values.

use crate::laws::sample::{Families, ValueKind};
use crate::laws::slot::Slot;
use ratchet_engine::Part;
use ratchet_object::{KINDS, Kind};
use serde_json::{Value as Json, json};
use std::sync::LazyLock;

/// A valid object and its slots.
#[derive(Debug)]
pub(crate) struct World {
    pub(crate) name: String,
    pub(crate) kind: &'static Kind<'static>,
    pub(crate) base: Json,
    pub(crate) slots: Vec<Slot>,
}

/// Every world. A kind has several where slots exclude one another.
pub(crate) static WORLDS: LazyLock<Vec<World>> = LazyLock::new(|| {
    let mut all: Vec<World> = other_kinds().into();
    all.extend(services());
    all.extend(slices());
    all.extend(pods());
    for kind in KINDS.iter().filter(|kind| kind.pod.is_some_and(|place| !place.0.is_empty())) {
        all.push(controller(kind));
    }
    all
});

impl World {
    fn new(kind: &str, variant: &str, body: Json, slots: impl Into<Vec<Slot>>) -> Self {
        let kind = KINDS.iter().find(|row| row.name == kind).unwrap();
        let version = match kind.group {
            "" => kind.versions[0].to_owned(),
            group => format!("{group}/{}", kind.versions[0]),
        };
        let mut base = json!({
            "apiVersion": version,
            "kind": kind.name,
            "metadata": { "name": "web", "namespace": "shop", "labels": { "app": "web" } },
        });
        let members = body.as_object().unwrap().clone();
        base.as_object_mut().unwrap().extend(members);
        Self { name: format!("{}{variant}", kind.name), kind, base, slots: slots.into() }
    }

    /// The object itself, then each of its subresources.
    pub(crate) fn parts(&self) -> impl Iterator<Item = Part> + use<> {
        let subs = self.kind.subresources.iter().map(|name| Part::Sub(name));
        std::iter::once(Part::Main).chain(subs)
    }

    /// The JSON pointer to its pod.
    pub(crate) fn pod(&self) -> Option<String> {
        self.kind.pod.map(|place| pointer(place.0))
    }
}

fn pointer(names: &[&str]) -> String {
    names.iter().map(|name| format!("/{name}")).collect()
}

fn other_kinds() -> [World; 8] {
    let config = |direction: &str, peers: &str, cidr: u8| {
        let block = |name: &str| format!("spec.{direction}[].{peers}[].ipBlock.{name}");
        let cidrs = Slot::field(cidr, &format!("/spec/{direction}/0/{peers}"));
        let excepts =
            Slot::field(cidr + 1, &format!("/spec/{direction}/1/{peers}/0/ipBlock/except"));
        [
            cidrs.error_path(&block("cidr")).group("ipBlock"),
            excepts.error_path(&block("except[]")).group("ipBlock").families(Families::V4),
        ]
    };
    let level = |mode: &str| {
        let slot = Slot::name(
            ValueKind::Level,
            &format!("/metadata/labels/pod-security.kubernetes.io~1{mode}"),
        );
        slot.error_path(&format!("metadata.labels[pod-security.kubernetes.io/{mode}]"))
    };
    let blocks = |peers: &str| {
        json!([
            { peers: [{ "podSelector": {} }] },
            { peers: [{ "ipBlock": { "cidr": "10.0.0.0/8" } }] },
        ])
    };
    let subset = json!({ "addresses": [{ "ip": "10.9.8.7" }], "ports": [{ "port": 80 }] });
    let in_subsets = |number, list| Slot::field(number, list).group("subsets");
    let balancers = "/status/loadBalancer/ingress";
    let device = json!({ "driver": "d", "pool": "p", "device": "x", "networkData": {} });
    let result = json!({ "request": "r", "driver": "d", "pool": "p", "device": "x" });
    let request = json!({ "name": "r", "exactly": { "deviceClassName": "c" } });
    [
        World::new(
            "Endpoints",
            "",
            json!({ "subsets": [subset] }),
            [in_subsets(1, "/subsets/0/addresses"), in_subsets(2, "/subsets/0/notReadyAddresses")],
        ),
        World::new("Namespace", "", json!({}), [level("enforce")]),
        World::new(
            "Node",
            "",
            json!({ "spec": {} }),
            [Slot::field(4, "/spec/podCIDRs").twin("/spec/podCIDR")],
        ),
        World::new(
            "Node",
            " without a list",
            json!({ "spec": {} }),
            [Slot::field(3, "/spec/podCIDR")
                .error_path("spec.podCIDRs[]")
                .warning_path("spec.podCIDRs[]")],
        ),
        World::new(
            "Ingress",
            "",
            json!({ "spec": { "rules": [{}] } }),
            [
                Slot::name(ValueKind::Host, "/spec/rules/0/host"),
                Slot::field(16, balancers).warning_path("status.loadBalancer.ingress[]"),
            ],
        ),
        World::new(
            "NetworkPolicy",
            "",
            json!({ "spec": {
                "podSelector": {}, "egress": blocks("to"), "ingress": blocks("from"),
            } }),
            [config("egress", "to", 18), config("ingress", "from", 20)].concat(),
        ),
        World::new(
            "ServiceCIDR",
            "",
            json!({ "spec": { "cidrs": ["10.96.0.0/12"] } }),
            [Slot::field(22, "/spec/cidrs").pair()],
        ),
        World::new(
            "ResourceClaim",
            "",
            json!({ "spec": { "devices": { "requests": [request] } }, "status": {
                "allocation": { "devices": { "results": [result] } }, "devices": [device],
            } }),
            [Slot::field(24, "/status/devices/0/networkData/ips")],
        ),
    ]
}

fn services() -> [World; 4] {
    const ANNOTATION: &str = "service.beta.kubernetes.io/load-balancer-source-ranges";
    // Two families are allowed, so that the allocator reports no error about their number.
    let body = || json!({ "spec": { "type": "LoadBalancer", "ipFamilyPolicy": "PreferDualStack", "ports": [{ "port": 80 }] } });
    let first = "spec.clusterIPs[]";
    let balancers = "/status/loadBalancer/ingress";
    let annotation = format!("/metadata/annotations/{}", ANNOTATION.replace('/', "~1"));
    [
        World::new(
            "Service",
            "",
            body(),
            [
                Slot::field(12, "/spec/clusterIPs").twin("/spec/clusterIP"),
                Slot::field(13, "/spec/externalIPs").shadow(first),
                Slot::field(14, "/spec/loadBalancerSourceRanges")
                    .error_path("spec.LoadBalancerSourceRanges[]")
                    .shadow(first),
                Slot::field(15, balancers).warning_path("status.loadBalancer.ingress[]"),
            ],
        ),
        World::new(
            "Service",
            " without a list",
            body(),
            [
                Slot::field(11, "/spec/clusterIP").error_path(first).warning_path(first),
                Slot::field(13, "/spec/externalIPs").shadow(first),
            ],
        ),
        World::new(
            "Service",
            " with an annotation",
            body(),
            // The API does not warn about this annotation before it refuses it.
            [Slot::field(14, &annotation)
                .text()
                .error_path(&format!("metadata.annotations[{ANNOTATION}]"))
                .without_warning()
                .shadow(first)],
        ),
        World::new(
            "Service",
            " with named balancers",
            body(),
            [Slot::hostnames(ValueKind::Balancer, balancers)],
        ),
    ]
}

fn slices() -> [World; 4] {
    let slice = |families: &str, address: &str| json!({ "addressType": families, "endpoints": [{ "addresses": [address] }] });
    let list = "/endpoints/0/addresses";
    let addresses = || Slot::field(23, list).shadow("addressType");
    [
        World::new(
            "EndpointSlice",
            " of IPv4",
            slice("IPv4", "10.9.8.7"),
            [addresses().families(Families::V4)],
        ),
        World::new(
            "EndpointSlice",
            " of IPv6",
            slice("IPv6", "2001:db8::9"),
            [addresses().families(Families::V6).newer()],
        ),
        World::new(
            "EndpointSlice",
            " of names",
            slice("FQDN", "a.example.com"),
            [Slot::names(ValueKind::Qualified, list).shadow("addressType")],
        ),
        World::new(
            "IPAddress",
            "",
            json!({
                "metadata": { "name": "10.9.8.7", "labels": { "app": "web" } },
                "spec": { "parentRef": { "resource": "services", "name": "web" } },
            }),
            [Slot::field(17, "/metadata/name")],
        ),
    ]
}

/// A pod that passes the restricted level.
fn pod() -> Json {
    json!({
        "metadata": { "labels": { "app": "web" } },
        "spec": {
            "securityContext": {
                "runAsNonRoot": true, "seccompProfile": { "type": "RuntimeDefault" },
            },
            "containers": [{
                "name": "web",
                "image": "registry.example/web:1",
                "securityContext": {
                    "allowPrivilegeEscalation": false, "capabilities": { "drop": ["ALL"] },
                },
            }],
        },
    })
}

/// The slots of a pod at a path, apart from its names.
fn spec_slots(place: &[&str]) -> Vec<Slot> {
    let at = |rest: &str| format!("{}/spec/{rest}", pointer(place));
    vec![
        Slot::field(5, &at("dnsConfig/nameservers")),
        Slot::field(6, &at("hostAliases")),
        Slot::names(ValueKind::Search, &at("dnsConfig/searches")),
    ]
}

/// The slots of the names of a pod at a path.
fn name_slots(place: &[&str]) -> [Slot; 2] {
    ["hostname", "subdomain"]
        .map(|name| Slot::name(ValueKind::Label, &format!("{}/spec/{name}", pointer(place))))
}

fn pods() -> [World; 2] {
    let spec = json!({ "spec": pod()["spec"] });
    let mut slots = spec_slots(&[]);
    slots.extend(name_slots(&[]));
    // Errors of a status have the path of the entry, warnings that of its `ip`.
    slots.push(
        Slot::field(8, "/status/hostIPs").twin("/status/hostIP").error_path("status.hostIPs[]"),
    );
    slots.push(
        Slot::field(10, "/status/podIPs").twin("/status/podIP").error_path("status.podIPs[]"),
    );
    [
        World::new("Pod", "", spec.clone(), slots),
        World::new(
            "Pod",
            " without lists",
            spec,
            [
                Slot::field(7, "/status/hostIP"),
                Slot::field(9, "/status/podIP")
                    .error_path("status.podIPs[]")
                    .warning_path("status.podIPs[].ip"),
            ],
        ),
    ]
}

fn controller(kind: &'static Kind<'static>) -> World {
    let place = kind.pod.unwrap().0;
    let mut body = json!({});
    crate::laws::slot::put(&mut body, &pointer(place), pod());
    if kind.subresources.contains(&"scale") {
        crate::laws::slot::put(&mut body, "/spec/replicas", json!(1));
    }
    // Required fields of the kind.
    match kind.name {
        "DaemonSet" | "Deployment" | "ReplicaSet" | "StatefulSet" => {
            let selector = json!({ "matchLabels": { "app": "web" } });
            crate::laws::slot::put(&mut body, "/spec/selector", selector);
        }
        "Job" | "CronJob" => {
            let restarts = format!("{}/spec/restartPolicy", pointer(place));
            crate::laws::slot::put(&mut body, &restarts, json!("Never"));
        }
        _ => {}
    }
    if kind.name == "CronJob" {
        crate::laws::slot::put(&mut body, "/spec/schedule", json!("@daily"));
    }
    let mut slots = spec_slots(place);
    // The controller of StatefulSets gives pods other names, and since 1.36 nobody looks at these.
    if kind.name != "StatefulSet" {
        slots.extend(name_slots(place));
    }
    World::new(kind.name, "", body, slots)
}
