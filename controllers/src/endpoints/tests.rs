//! Tests of Endpoints plans, one per behaviour.

use super::subsets::{EndpointAddress, Subset, repacked, truncate};
use super::{EndpointsInputs, plan};
use crate::Shared;
use crate::client::parse_json;
use crate::pod::Pod;
use crate::service::Service;
use crate::slices::Write;
use crate::testing::{node, pod};
use ratchet_object::Node;
use std::collections::BTreeMap;

const SPEC: &str = "{clusterIP: 10.96.0.1, ipFamilies: [IPv4], selector: {app: web}, ports: [{name: http, port: 80, targetPort: 8080}]}";

/// A Service, its pods and its Endpoints.
struct World {
    service: Node<'static>,
    pods: BTreeMap<String, Node<'static>>,
    endpoints: Option<Shared>,
}

impl World {
    fn new(spec: &str) -> Self {
        let mut service = node("{metadata: {name: web, namespace: shop, uid: s1}}");
        service.set("spec", node(spec));
        Self { service, pods: BTreeMap::new(), endpoints: None }
    }

    fn add(&mut self, name: &str, ips: &[&str]) {
        self.pods.insert(name.to_owned(), pod(name, "n1", ips));
    }

    fn change(&mut self, name: &str, change: impl FnOnce(&mut Node<'static>)) {
        change(self.pods.get_mut(name).expect("there"));
    }

    fn plan(&self) -> Option<Write> {
        let service = Service::from_node(&self.service);
        let pods: Vec<_> = self.pods.values().map(Pod::from_node).collect();
        let trigger = "2026-02-03T04:05:06Z".parse().ok();
        plan(&EndpointsInputs {
            service: &service,
            pods: &pods,
            endpoints: self.endpoints.as_ref(),
            trigger,
        })
    }

    /// Applies the plan, and returns whether there was something to do.
    fn settle(&mut self) -> bool {
        let written = match self.plan() {
            None => return false,
            Some(Write::Create(node)) => {
                assert!(self.endpoints.is_none());
                node
            }
            Some(Write::Update(node)) => {
                assert!(self.endpoints.is_some());
                node
            }
            Some(Write::Delete(_)) => panic!("nothing to delete"),
        };
        let written = parse_json(written.to_json().as_bytes()).expect("reads").into_owned();
        self.endpoints = Some(Shared::new(written));
        assert_eq!(self.plan(), None, "a second plan");
        true
    }

    fn subsets(&mut self) -> String {
        self.settle();
        let endpoints = self.endpoints.as_ref().expect("there");
        let subsets = Subset::all_from_node(endpoints);
        let show = |list: &[EndpointAddress]| {
            list.iter().map(|address| address.ip.as_str()).collect::<Vec<_>>().join(",")
        };
        let formatted = subsets.iter().map(|subset| {
            let ports: Vec<_> = subset
                .ports
                .iter()
                .map(|port| format!("{}{}", port.name, port.port.unwrap_or_default()))
                .collect();
            format!("{}|{}|{}", show(&subset.ready), show(&subset.unready), ports.join(","))
        });
        formatted.collect::<Vec<_>>().join(" ")
    }
}

fn unready(pod: &mut Node<'static>) {
    pod.map_mut("status").set("conditions", node("[{type: Ready, status: 'False'}]"));
}

fn deleted(pod: &mut Node<'static>) {
    pod.map_mut("metadata").set("deletionTimestamp", Node::string("2026-01-01T00:00:00Z"));
}

#[test]
fn endpoints_are_written_as_the_reference_writes_them() {
    let mut world = World::new(SPEC);
    world.service.map_mut("metadata").set("labels", node("{team: a}"));
    world.add("p", &["10.0.0.1"]);
    assert!(world.settle());
    let expected = node(
        "apiVersion: v1
kind: Endpoints
metadata:
  name: web
  namespace: shop
  labels: {team: a, endpoints.kubernetes.io/managed-by: endpoint-controller}
  annotations: {endpoints.kubernetes.io/last-change-trigger-time: '2026-02-03T04:05:06Z'}
subsets:
- addresses: [{ip: 10.0.0.1, nodeName: n1, targetRef: {kind: Pod, namespace: shop, name: p, uid: u-p}}]
  ports: [{name: http, port: 8080, protocol: TCP}]
",
    );
    let written = world.endpoints.expect("there");
    assert_eq!(*written, expected, "{written}");
}

#[test]
fn pods_stand_where_their_state_puts_them() {
    type Change = fn(&mut Node<'static>);
    let cases: [(&str, Change, &str, &str); 6] = [
        ("ready", |_| {}, "10.0.0.1||http8080", "10.0.0.1||http8080"),
        ("unready", unready, "|10.0.0.1|http8080", "10.0.0.1||http8080"),
        ("going", deleted, "", "10.0.0.1||http8080"),
        ("failed", |pod| pod.map_mut("status").set("phase", Node::string("Failed")), "", ""),
        ("succeeded", |pod| pod.map_mut("status").set("phase", Node::string("Succeeded")), "", ""),
        ("no address", |pod| drop(pod.map_mut("status").remove("podIPs")), "", ""),
    ];
    for (name, change, plain, publishing) in cases {
        for (publishes, expected) in [(false, plain), (true, publishing)] {
            let mut world = World::new(SPEC);
            world.service.map_mut("spec").set("publishNotReadyAddresses", Node::bool(publishes));
            world.add("p", &["10.0.0.1"]);
            world.change("p", change);
            assert_eq!(world.subsets(), expected, "{name} {publishes}");
        }
    }
}

#[test]
fn the_first_address_of_the_first_family_is_taken_and_written_canonically() {
    let both = &["10.0.0.1", "2001:DB8::1"][..];
    for (spec, ips, expected) in [
        ("{clusterIP: 10.96.0.1, ipFamilies: [IPv4, IPv6]}", both, "10.0.0.1"),
        ("{clusterIP: 'fd00::1', ipFamilies: [IPv6, IPv4]}", both, "2001:db8::1"),
        ("{clusterIP: 10.96.0.1}", both, "10.0.0.1"),
        ("{clusterIP: 'fd00::1'}", both, "2001:db8::1"),
        ("{clusterIP: None}", both, "10.0.0.1"),
        ("{clusterIP: None}", &["2001:DB8::1", "10.0.0.1"], "2001:db8::1"),
        ("{clusterIP: None, ipFamilies: [IPv4]}", &["2001:DB8::1"], ""),
        ("{clusterIP: None, ipFamilies: [IPv4]}", &["010.0.0.01"], "10.0.0.1"),
        ("{clusterIP: None, ipFamilies: [IPv4]}", &["::ffff:10.0.0.1"], "10.0.0.1"),
        ("{clusterIP: None, ipFamilies: [IPv4]}", &["what"], ""),
        ("{clusterIP: None, ipFamilies: [IPv4]}", &["what", "10.0.0.1"], "10.0.0.1"),
    ] {
        let mut world = World::new(spec);
        world.add("p", ips);
        world.service.map_mut("spec").set("ports", node("[{port: 80}]"));
        let subsets = world.subsets();
        assert_eq!(subsets.split('|').next(), Some(expected), "{spec} {ips:?}");
    }
}

#[test]
fn headless_services_need_no_ports_and_say_so() {
    let mut world = World::new("{clusterIP: None, ipFamilies: [IPv4], selector: {app: web}}");
    world.add("p", &["10.0.0.1"]);
    world.add("q", &["10.0.0.2"]);
    world.change("q", unready);
    assert_eq!(world.subsets(), "10.0.0.1|10.0.0.2|");
    let endpoints = world.endpoints.as_ref().expect("there");
    let headless = ["metadata", "labels", "service.kubernetes.io/headless"];
    assert_eq!(endpoints.find(&headless).and_then(Node::text), Some(""));
    let mut world = World::new("{clusterIP: 10.96.0.1, ipFamilies: [IPv4], selector: {app: web}}");
    world.add("p", &["10.0.0.1"]);
    assert_eq!(world.subsets(), "", "no ports, no endpoints");
}

#[test]
fn addresses_that_offer_the_same_stand_together() {
    let mut world = World::new(SPEC);
    let ports = "[{name: a, port: 80, targetPort: a}, {name: b, port: 81, targetPort: b}]";
    world.service.map_mut("spec").set("ports", node(ports));
    let (a, b) = ("{name: a, containerPort: 1}", "{name: b, containerPort: 2}");
    for (pod, ports) in [
        ("p", format!("{a}, {b}")),
        ("q", a.to_owned()),
        ("r", format!("{a}, {b}")),
        ("s", String::new()),
    ] {
        world.add(pod, &[&format!("10.0.0.{}", pod.as_bytes()[0])]);
        let containers = node(&format!("[{{ports: [{ports}]}}]"));
        world.change(pod, |pod| pod.map_mut("spec").set("containers", containers));
    }
    assert_eq!(world.subsets(), "10.0.0.112,10.0.0.113,10.0.0.114||a1 10.0.0.112,10.0.0.114||b2");
    world.pods.remove("q");
    assert_eq!(world.subsets(), "10.0.0.112,10.0.0.114||a1,b2");
}

#[test]
fn the_same_endpoints_in_another_order_are_left_alone() {
    let mut world = World::new(SPEC);
    for (pod, ip) in [("p", "10.0.0.1"), ("q", "10.0.0.2")] {
        world.add(pod, &[ip]);
    }
    world.settle();
    let mut endpoints = Node::clone(world.endpoints.as_ref().expect("there"));
    let subset = endpoints.find(&["subsets"]).expect("there").items()[0].clone();
    let (mut one, mut two) = (subset.clone(), subset);
    one.get_mut("addresses").and_then(Node::items_mut).expect("a list").truncate(1);
    two.get_mut("addresses").and_then(Node::items_mut).expect("a list").remove(0);
    let versioned = two.get_mut("addresses").and_then(Node::items_mut).expect("a list");
    versioned[0].map_mut("targetRef").set("resourceVersion", Node::string("7"));
    endpoints.set("subsets", Node::list(vec![two, one]));
    world.endpoints = Some(Shared::new(endpoints));
    assert!(!world.settle());
}

#[test]
fn what_others_wrote_is_put_right_and_their_annotations_stay() {
    type Change = fn(&mut Node<'static>);
    let cases: [(&str, Change, bool); 5] = [
        ("nothing", |_| {}, false),
        (
            "another label",
            |it| it.map_mut("metadata").map_mut("labels").set("x", Node::string("y")),
            true,
        ),
        (
            "an annotation",
            |it| it.map_mut("metadata").map_mut("annotations").set("x", Node::string("y")),
            false,
        ),
        (
            "over capacity",
            |it| {
                let name = "endpoints.kubernetes.io/over-capacity";
                it.map_mut("metadata").map_mut("annotations").set(name, Node::string("truncated"));
            },
            true,
        ),
        (
            "a spelling",
            |it| {
                let text = it.to_json().replace("10.0.0.1", "010.0.0.1");
                *it = parse_json(text.as_bytes()).expect("reads").into_owned();
            },
            true,
        ),
    ];
    for (name, change, expected) in cases {
        let mut world = World::new(SPEC);
        world.add("p", &["10.0.0.1"]);
        world.settle();
        let mut endpoints = Node::clone(world.endpoints.as_ref().expect("there"));
        change(&mut endpoints);
        let annotation = endpoints.metadata().annotation("x").unwrap_or_default().to_owned();
        world.endpoints = Some(Shared::new(endpoints));
        assert_eq!(world.settle(), expected, "{name}");
        let now = world.endpoints.as_ref().expect("there");
        assert_eq!(now.metadata().annotation("x").unwrap_or_default(), annotation, "{name}");
    }
}

#[test]
fn no_more_than_a_thousand_addresses_and_it_is_said() {
    let over = ["metadata", "annotations", "endpoints.kubernetes.io/over-capacity"];
    let mut world = World::new(SPEC);
    for n in 0..1003 {
        world.add(&format!("p{n:04}"), &[&format!("10.0.{}.{}", n / 250, n % 250 + 1)]);
    }
    world.settle();
    let endpoints = world.endpoints.clone().expect("there");
    assert_eq!(Subset::all_from_node(&endpoints)[0].len(), 1000);
    assert_eq!(endpoints.text_at(&over), "truncated");
    for n in 0..3 {
        world.pods.remove(&format!("p{n:04}"));
    }
    assert!(world.settle());
    let endpoints = world.endpoints.clone().expect("there");
    assert_eq!(Subset::all_from_node(&endpoints)[0].len(), 1000);
    assert_eq!(endpoints.find(&over), None);
}

fn subset(ready: usize, unready: usize) -> Subset {
    let address = |n: usize| EndpointAddress {
        ip: format!("10.0.0.{n}"),
        hostname: String::new(),
        node_name: None,
        target: None,
    };
    Subset {
        ready: (0..ready).map(address).collect(),
        unready: (0..unready).map(address).collect(),
        ports: Vec::new(),
    }
}

#[test]
fn what_is_cut_is_cut_in_proportion_and_the_unready_first() {
    for (before, most, expected) in [
        (&[(5, 5)][..], 10, &[(5, 5)][..]),
        (&[(5, 5)], 8, &[(5, 3)]),
        (&[(5, 5)], 5, &[(5, 0)]),
        (&[(5, 5)], 3, &[(3, 0)]),
        (&[(6, 1), (3, 4)], 6, &[(4, 0), (2, 0)]),
        (&[(2, 6), (2, 2)], 8, &[(2, 3), (2, 1)]),
        (&[(1, 0), (1, 0), (1, 0)], 2, &[(1, 0), (1, 0), (0, 0)]),
    ] {
        let mut subsets: Vec<_> = before.iter().map(|(a, b)| subset(*a, *b)).collect();
        let cut = truncate(&mut subsets, most);
        let sizes: Vec<_> =
            subsets.iter().map(|subset| (subset.ready.len(), subset.unready.len())).collect();
        assert_eq!(sizes, expected, "{before:?}");
        assert_eq!(cut, before != expected);
    }
}

#[test]
fn who_is_not_ready_in_one_place_is_not_ready() {
    let packed = repacked(vec![subset(2, 0), subset(0, 1)]);
    assert_eq!(packed.len(), 1);
    assert_eq!((packed[0].ready.len(), packed[0].unready.len()), (1, 1));
    assert_eq!(repacked(packed.clone()), packed);
}
