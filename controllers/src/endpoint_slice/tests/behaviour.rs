//! Tests of the content of slices for each pod and Service.

use crate::endpoint_slice::testing::World;
use crate::testing::node;
use ratchet_object::Node;

const PLAIN: &str = "{clusterIP: 10.96.0.1, ipFamilies: [IPv4], selector: {app: web}, ports: [{name: http, port: 80, targetPort: 8080}]}";

fn world() -> World {
    let mut world = World::new(PLAIN);
    world.add_pod("p", "n1", &["10.0.0.1"]);
    world
}

fn conditions(world: &World) -> String {
    let slices = world.parsed_slices();
    let endpoint = slices[0].endpoints.first().map(|endpoint| {
        [endpoint.ready, endpoint.serving, endpoint.terminating]
            .map(|is| if is == Some(true) { '1' } else { '0' })
    });
    endpoint.map(String::from_iter).unwrap_or_default()
}

#[test]
fn a_slice_is_written_as_the_reference_writes_it() {
    let mut world = world();
    world.service.map_mut("metadata").set("labels", node("{team: a}"));
    assert_eq!(world.settle(), (1, 0, 0));
    let (_, slice) = world.slices.iter().next().expect("there");
    let mut slice = Node::clone(slice);
    slice.map_mut("metadata").remove("name");
    slice.map_mut("metadata").remove("uid");
    let expected = node(
        "apiVersion: discovery.k8s.io/v1
kind: EndpointSlice
metadata:
  generateName: web-
  namespace: shop
  labels: {team: a, kubernetes.io/service-name: web, endpointslice.kubernetes.io/managed-by: endpointslice-controller.k8s.io}
  annotations: {endpoints.kubernetes.io/last-change-trigger-time: '2026-02-03T04:05:06Z'}
  ownerReferences: [{apiVersion: v1, kind: Service, name: web, uid: s1, controller: true, blockOwnerDeletion: true}]
addressType: IPv4
ports: [{name: http, port: 8080, protocol: TCP}]
endpoints:
- addresses: [10.0.0.1]
  conditions: {ready: true, serving: true, terminating: false}
  targetRef: {kind: Pod, namespace: shop, name: p, uid: u-p}
  nodeName: n1
  zone: z1
",
    );
    assert_eq!(slice, expected, "{slice}");
}

#[test]
fn conditions_follow_the_pod_and_what_the_service_publishes() {
    for (publishes, ready, deleted, expected) in [
        (false, true, false, "110"),
        (false, false, false, "000"),
        (false, true, true, "011"),
        (false, false, true, "001"),
        (true, true, false, "110"),
        (true, false, false, "100"),
        (true, true, true, "111"),
        (true, false, true, "101"),
    ] {
        let mut world = world();
        world.service.map_mut("spec").set("publishNotReadyAddresses", Node::bool(publishes));
        if !ready {
            world.unready("p");
        }
        if deleted {
            world.set("p", &["metadata", "deletionTimestamp"], "'2026-01-01T00:00:00Z'");
        }
        world.settle();
        assert_eq!(conditions(&world), expected, "{publishes} {ready} {deleted}");
    }
}

#[test]
fn pods_that_are_over_or_have_no_address_are_no_endpoints() {
    type Change = fn(&mut World);
    let cases: [(&str, Change, bool); 8] = [
        ("running", |_| {}, true),
        ("pending", |w| w.set("p", &["status", "phase"], "Pending"), true),
        ("failed", |w| w.set("p", &["status", "phase"], "Failed"), false),
        ("succeeded", |w| w.set("p", &["status", "phase"], "Succeeded"), false),
        ("no address", |w| w.set("p", &["status", "podIPs"], "[]"), false),
        (
            "the old field only",
            |w| {
                w.set("p", &["status", "podIPs"], "null");
                w.set("p", &["status", "podIP"], "010.0.0.1");
            },
            true,
        ),
        ("unreadable", |w| w.set("p", &["status", "podIPs"], "[{ip: what}]"), false),
        ("no conditions", |w| w.set("p", &["status", "conditions"], "null"), true),
    ];
    for (name, change, expected) in cases {
        let mut world = world();
        change(&mut world);
        assert_eq!(world.settle(), (1, 0, 0), "{name}");
        assert_eq!(!world.addresses().is_empty(), expected, "{name}");
    }
}

#[test]
fn a_pod_on_an_unknown_node_waits_unless_all_are_published() {
    for (on, publishes, expected) in
        [("gone", false, 0), ("gone", true, 1), ("", false, 0), ("", true, 1), ("n1", false, 1)]
    {
        let mut world = World::new(PLAIN);
        world.service.map_mut("spec").set("publishNotReadyAddresses", Node::bool(publishes));
        world.add_pod("p", on, &["10.0.0.1"]);
        world.settle();
        assert_eq!(world.addresses().len(), expected, "{on:?} {publishes}");
    }
    let mut world = World::new(PLAIN);
    world.add_pod("p", "late", &["10.0.0.1"]);
    world.settle();
    world.add_node("late", "z9");
    assert_eq!(world.settle(), (0, 1, 0), "the empty slice is used");
    assert_eq!(world.parsed_slices()[0].endpoints[0].zone.as_deref(), Some("z9"));
    world.add_node("late", "");
    assert_eq!(world.settle(), (0, 1, 0));
    assert_eq!(world.parsed_slices()[0].endpoints[0].zone, None);
}

#[test]
fn addresses_are_canonical_and_each_stands_once() {
    for (ips, expected) in [
        (&["010.000.0.1"][..], &["10.0.0.1"][..]),
        (&["::ffff:10.0.0.1"], &["10.0.0.1"]),
        (&["::FFFF:0A00:0001"], &["10.0.0.1"]),
        (&["10.0.0.1", "010.0.0.1", "::ffff:10.0.0.1"], &["10.0.0.1"]),
        (&["bad", "10.0.0.1", "10.0.0.1/24"], &["10.0.0.1"]),
        (&["2001:DB8::1"], &[]),
    ] {
        let mut world = World::new(PLAIN);
        world.add_pod("p", "n1", ips);
        world.settle();
        assert_eq!(world.addresses(), expected, "{ips:?}");
    }
}

#[test]
fn an_address_that_is_spelled_otherwise_is_the_same_endpoint() {
    let mut world = world();
    world.settle();
    for text in ["[{ip: 010.0.0.01}]", "[{ip: '::ffff:10.0.0.1'}]", "[{ip: '0:0::FFFF:10.0.0.1'}]"]
    {
        world.set("p", &["status", "podIPs"], text);
        assert_eq!(world.settle(), (0, 0, 0), "{text}");
    }
}

#[test]
fn each_family_of_the_service_has_its_slices() {
    let ips = ["10.0.0.1", "2001:DB8::1"];
    for (spec, v4, v6) in [
        ("{clusterIP: 10.96.0.1, ipFamilies: [IPv4]}", true, false),
        ("{clusterIP: 'fd00::1', ipFamilies: [IPv6]}", false, true),
        ("{clusterIP: 10.96.0.1, ipFamilies: [IPv4, IPv6]}", true, true),
        ("{clusterIP: 10.96.0.1}", true, false),
        ("{clusterIP: 'fd00::1'}", false, true),
        ("{clusterIP: None}", true, true),
    ] {
        let mut world = World::new(spec);
        world.service.map_mut("spec").set("selector", node("{app: web}"));
        world.add_pod("p", "n1", &ips);
        world.settle();
        let slices = world.parsed_slices();
        let of = |kind: &str| {
            let slice = slices.iter().find(|slice| slice.address_type == kind);
            slice.map(|slice| slice.endpoints[0].addresses.clone())
        };
        assert_eq!(of("IPv4"), v4.then(|| vec!["10.0.0.1".to_owned()]), "{spec}");
        assert_eq!(of("IPv6"), v6.then(|| vec!["2001:db8::1".to_owned()]), "{spec}");
    }
}

#[test]
fn a_family_that_is_given_up_loses_its_slices() {
    let mut world =
        World::new("{clusterIP: 10.96.0.1, ipFamilies: [IPv4, IPv6], selector: {app: web}}");
    world.add_pod("p", "n1", &["10.0.0.1", "2001:db8::1"]);
    assert_eq!(world.settle(), (2, 0, 0));
    world.service.map_mut("spec").set("ipFamilies", node("[IPv4]"));
    assert_eq!(world.settle(), (0, 0, 1));
    assert_eq!(world.addresses(), ["10.0.0.1"]);
}

#[test]
fn ports_are_found_by_number_or_by_name() {
    let containers = "[{name: a, ports: [{name: web, containerPort: 8080}, {name: dns, containerPort: 53, protocol: UDP}]}]";
    let sidecar = "[{name: s, restartPolicy: Always, ports: [{name: side, containerPort: 9000}]}, {name: i, ports: [{name: once, containerPort: 9001}]}]";
    for (port, expected) in [
        ("{port: 80}", "[{\"name\":\"\",\"port\":80,\"protocol\":\"TCP\"}]"),
        ("{port: 80, targetPort: 8081}", "[{\"name\":\"\",\"port\":8081,\"protocol\":\"TCP\"}]"),
        (
            "{name: x, port: 80, targetPort: web}",
            "[{\"name\":\"x\",\"port\":8080,\"protocol\":\"TCP\"}]",
        ),
        ("{port: 80, targetPort: web, protocol: UDP}", "[]"),
        (
            "{port: 53, targetPort: dns, protocol: UDP}",
            "[{\"name\":\"\",\"port\":53,\"protocol\":\"UDP\"}]",
        ),
        ("{port: 80, targetPort: side}", "[{\"name\":\"\",\"port\":9000,\"protocol\":\"TCP\"}]"),
        ("{port: 80, targetPort: once}", "[]"),
        ("{port: 80, targetPort: none}", "[]"),
        (
            "{port: 80, appProtocol: kubernetes.io/h2c}",
            "[{\"name\":\"\",\"port\":80,\"protocol\":\"TCP\",\"appProtocol\":\"kubernetes.io/h2c\"}]",
        ),
    ] {
        let mut world = world();
        world.service.map_mut("spec").set("ports", node(&format!("[{port}]")));
        world.set("p", &["spec", "containers"], containers);
        world.set("p", &["spec", "initContainers"], sidecar);
        world.settle();
        let (_, slice) = world.slices.iter().next().expect("there");
        assert_eq!(slice.get("ports").map(Node::to_json).as_deref(), Some(expected), "{port}");
        assert_eq!(
            world.addresses().len(),
            1,
            "a pod without the port is there without it: {port}"
        );
    }
}

#[test]
fn pods_with_other_ports_stand_in_other_slices() {
    let mut world = World::new(PLAIN);
    world.service.map_mut("spec").set("ports", node("[{port: 80, targetPort: web}]"));
    for (pod, port) in [("a", 80), ("b", 81), ("c", 80)] {
        world.add_pod(pod, "n1", &[&format!("10.0.0.{}", pod.as_bytes()[0])]);
        let text = format!("[{{ports: [{{name: web, containerPort: {port}}}]}}]");
        world.set(pod, &["spec", "containers"], &text);
    }
    assert_eq!(world.settle(), (2, 0, 0));
    let mut sizes: Vec<_> = world
        .parsed_slices()
        .iter()
        .map(|slice| (slice.ports[0].port, slice.endpoints.len()))
        .collect();
    sizes.sort_unstable();
    assert_eq!(sizes, [(Some(80), 2), (Some(81), 1)]);
    world.pods.remove("b");
    assert_eq!(world.settle(), (0, 0, 1));
}

#[test]
fn headless_services_say_so_and_need_no_ports() {
    let mut world = World::new("{clusterIP: None, ipFamilies: [IPv4], selector: {app: web}}");
    world.settle();
    world.add_pod("p", "n1", &["10.0.0.1"]);
    assert_eq!(world.settle(), (0, 1, 0), "the empty slice is used");
    let slice = &world.parsed_slices()[0];
    assert_eq!(slice.labels.get("service.kubernetes.io/headless").map(String::as_str), Some(""));
    assert_eq!((slice.ports.len(), slice.endpoints.len()), (0, 1));
}

#[test]
fn hostnames_are_told_where_the_pod_is_meant() {
    for (hostname, subdomain, expected) in
        [("h", "web", Some("h")), ("h", "other", None), ("", "web", None), ("h", "", None)]
    {
        let mut world = world();
        world.set("p", &["spec", "hostname"], &format!("'{hostname}'"));
        world.set("p", &["spec", "subdomain"], &format!("'{subdomain}'"));
        world.settle();
        assert_eq!(world.parsed_slices()[0].endpoints[0].hostname.as_deref(), expected);
    }
}

#[test]
fn a_service_without_endpoints_has_one_empty_slice() {
    let mut world = World::new(PLAIN);
    assert_eq!(world.settle(), (1, 0, 0));
    let slice = world.slices.values().next().expect("there");
    assert_eq!(slice.get("ports").map(Node::to_json).as_deref(), Some("[]"));
    assert_eq!(slice.get("endpoints").map(Node::to_json).as_deref(), Some("[]"));
    world.add_pods(0..3);
    assert_eq!(world.settle(), (0, 1, 0));
    world.pods.clear();
    assert_eq!(world.settle(), (0, 1, 0));
    assert!(world.addresses().is_empty());
}

#[test]
fn labels_of_the_service_are_followed_but_not_the_reserved_ones() {
    let mut world = world();
    world.settle();
    let labels = "{team: b, kubernetes.io/service-name: evil, endpointslice.kubernetes.io/managed-by: me, service.kubernetes.io/headless: 'x'}";
    world.service.map_mut("metadata").set("labels", node(labels));
    assert_eq!(world.settle(), (0, 1, 0));
    let slice = &world.parsed_slices()[0];
    let labels: Vec<_> =
        slice.labels.iter().map(|(name, value)| format!("{name}={value}")).collect();
    assert_eq!(
        labels,
        [
            "endpointslice.kubernetes.io/managed-by=endpointslice-controller.k8s.io",
            "kubernetes.io/service-name=web",
            "team=b",
        ]
    );
}

#[test]
fn slices_of_an_older_service_of_this_name_are_replaced() {
    let mut world = world();
    world.settle();
    world.service.map_mut("metadata").set("uid", Node::string("s2"));
    assert_eq!(world.settle(), (1, 0, 1));
}

#[test]
fn nothing_is_made_for_a_service_that_goes() {
    let mut world = world();
    world
        .service
        .map_mut("metadata")
        .set("deletionTimestamp", Node::string("2026-01-01T00:00:00Z"));
    assert_eq!(world.settle(), (0, 0, 0));
}

#[test]
fn who_is_near_is_hinted_at_if_the_service_prefers_it() {
    let zone = r#","hints":{"forZones":[{"name":"z1"}]}}"#;
    let both = r#","hints":{"forZones":[{"name":"z1"}],"forNodes":[{"name":"n1"}]}}"#;
    let plain = r#""zone":"z1"}"#;
    for (wanted, expected) in [
        ("PreferClose", zone),
        ("PreferSameZone", zone),
        ("PreferSameNode", both),
        ("Whatever", plain),
        ("", plain),
    ] {
        let mut world = world();
        world.settle();
        world.service.map_mut("spec").set("trafficDistribution", Node::string(wanted.to_owned()));
        let done = world.settle();
        assert!(world.endpoint().ends_with(expected), "{wanted}: {}", world.endpoint());
        assert_eq!(done, (0, usize::from(expected != plain), 0), "{wanted}");
        world.unready("p");
        world.settle();
        assert!(!world.endpoint().contains("hints"), "{wanted}");
    }
}

#[test]
fn hints_go_when_nobody_asks_for_them_any_more() {
    let mut world = world();
    world.service.map_mut("spec").set("trafficDistribution", Node::string("PreferSameNode"));
    world.settle();
    world.service.map_mut("spec").set("trafficDistribution", Node::string("PreferSameZone"));
    assert_eq!(world.settle(), (0, 1, 0));
    assert!(!world.endpoint().contains("forNodes"));
    world.service.map_mut("spec").remove("trafficDistribution");
    assert_eq!(world.settle(), (0, 1, 0));
    assert!(!world.endpoint().contains("hints"));
}
