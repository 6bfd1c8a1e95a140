//! Tests of mirroring plans, one per behaviour.

use super::plan::{MAX_ADDRESSES, Plan, is_mirrored, plan};
use crate::Shared;
use crate::client::parse_json;
use crate::slices::{Slice, Write};
use crate::testing::node;
use ratchet_object::Node;
use std::collections::BTreeMap;

/// Custom Endpoints, and their slices.
struct World {
    endpoints: Node<'static>,
    slices: BTreeMap<String, Shared>,
    made: usize,
}

impl World {
    fn new(subsets: &str) -> Self {
        let mut endpoints = node("{metadata: {name: db, namespace: shop, uid: e1}}");
        endpoints.set("subsets", node(subsets));
        Self { endpoints, slices: BTreeMap::new(), made: 0 }
    }

    fn plan(&self) -> Plan {
        plan(&self.endpoints, &self.slices.values().cloned().collect::<Vec<_>>())
    }

    /// Applies the plan, and returns the numbers of creates, updates and deletes.
    fn settle(&mut self) -> (usize, usize, usize) {
        let mut done = (0, 0, 0);
        for write in self.plan().writes {
            match write {
                Write::Create(node) => {
                    done.0 += 1;
                    self.made += 1;
                    self.put(&format!("db-{:03}", (self.made * 617) % 1000), node);
                }
                Write::Update(node) => {
                    done.1 += 1;
                    let name = node.metadata().name().to_owned();
                    assert!(self.slices.contains_key(&name));
                    self.put(&name, node);
                }
                Write::Delete(node) => {
                    done.2 += 1;
                    assert!(self.slices.remove(node.metadata().name()).is_some());
                }
            }
        }
        let again = self.plan().writes;
        assert!(again.is_empty(), "a second plan after {done:?}: {again:?}");
        done
    }

    fn put(&mut self, name: &str, mut node: Node<'static>) {
        node.map_mut("metadata").set("name", Node::string(name.to_owned()));
        let decoded = parse_json(node.to_json().as_bytes()).expect("reads").into_owned();
        self.slices.insert(name.to_owned(), Shared::new(decoded));
    }

    fn formatted(&self) -> Vec<String> {
        let format_slice = |slice: &Shared| {
            let slice = Slice::from_node(slice);
            let endpoints = slice.endpoints.iter().map(|endpoint| {
                let mark = if endpoint.is_ready() { "" } else { "!" };
                format!("{mark}{}", endpoint.addresses.join("+"))
            });
            let mut endpoints: Vec<_> = endpoints.collect();
            endpoints.sort();
            let ports: Vec<_> =
                slice.ports.iter().map(|port| port.port.unwrap_or_default().to_string()).collect();
            format!("{} {} {}", slice.address_type, ports.join(","), endpoints.join(" "))
        };
        let mut formatted: Vec<_> = self.slices.values().map(format_slice).collect();
        formatted.sort();
        formatted
    }
}

#[test]
fn a_slice_is_written_as_the_reference_writes_it() {
    let subsets = "[{addresses: [{ip: 010.0.0.1, hostname: h, nodeName: n1, targetRef: {kind: Pod, name: p, namespace: shop}}], ports: [{name: http, port: 80}]}]";
    let mut world = World::new(subsets);
    let metadata = world.endpoints.map_mut("metadata");
    metadata.set("labels", node("{team: a, kubernetes.io/service-name: evil}"));
    metadata.set("annotations", node("{note: x, kubectl.kubernetes.io/last-applied-configuration: '{}', endpoints.kubernetes.io/last-change-trigger-time: '2026-01-01T00:00:00Z'}"));
    assert_eq!(world.settle(), (1, 0, 0));
    let mut slice = Node::clone(world.slices.values().next().expect("there"));
    slice.map_mut("metadata").remove("name");
    let expected = node(
        "apiVersion: discovery.k8s.io/v1
kind: EndpointSlice
metadata:
  generateName: db-
  namespace: shop
  labels: {team: a, kubernetes.io/service-name: db, endpointslice.kubernetes.io/managed-by: endpointslicemirroring-controller.k8s.io}
  annotations: {note: x}
  ownerReferences: [{apiVersion: v1, kind: Endpoints, name: db, uid: e1, controller: true, blockOwnerDeletion: true}]
addressType: IPv4
ports: [{name: http, port: 80, protocol: TCP}]
endpoints:
- addresses: [10.0.0.1]
  conditions: {ready: true}
  hostname: h
  targetRef: {kind: Pod, name: p, namespace: shop}
  nodeName: n1
",
    );
    assert_eq!(slice, expected, "{slice}");
}

#[test]
fn addresses_are_canonical_in_the_slices_of_their_family() {
    for (subsets, expected, invalid) in [
        ("[]", &[][..], 0),
        ("[{addresses: [{ip: 10.0.0.1}]}]", &["IPv4  10.0.0.1"], 0),
        (
            "[{addresses: [{ip: 010.0.0.1}, {ip: 10.0.0.1}, {ip: '::ffff:10.0.0.1'}]}]",
            &["IPv4  10.0.0.1"],
            0,
        ),
        (
            "[{addresses: [{ip: 10.0.0.1}, {ip: '2001:DB8::1'}], ports: [{port: 80}]}]",
            &["IPv4 80 10.0.0.1", "IPv6 80 2001:db8::1"],
            0,
        ),
        (
            "[{addresses: [{ip: what}, {ip: 10.0.0.1}], notReadyAddresses: [{ip: 10.0.0.300}]}]",
            &["IPv4  10.0.0.1"],
            2,
        ),
        ("[{addresses: [{ip: what}]}]", &[], 1),
        (
            "[{addresses: [{ip: 10.0.0.1}], notReadyAddresses: [{ip: 10.0.0.2}]}]",
            &["IPv4  !10.0.0.2 10.0.0.1"],
            0,
        ),
        (
            "[{addresses: [{ip: 010.0.0.1}], notReadyAddresses: [{ip: 10.0.0.1}]}]",
            &["IPv4  !10.0.0.1"],
            0,
        ),
        (
            "[{addresses: [{ip: 10.0.0.1}], ports: [{port: 1}]}, {addresses: [{ip: 10.0.0.1}], ports: [{port: 2}]}]",
            &["IPv4 1,2 10.0.0.1"],
            0,
        ),
        (
            "[{addresses: [{ip: 10.0.0.1}], ports: [{port: 1}]}, {addresses: [{ip: 10.0.0.2}], ports: [{port: 2}]}]",
            &["IPv4 1 10.0.0.1", "IPv4 2 10.0.0.2"],
            0,
        ),
        (
            "[{addresses: [{ip: 10.0.0.1, targetRef: {name: a}}, {ip: 010.0.0.1, targetRef: {name: b, uid: b}}]}]",
            &["IPv4  10.0.0.1 10.0.0.1"],
            0,
        ),
    ] {
        let mut world = World::new(subsets);
        world.settle();
        assert_eq!(world.formatted(), expected, "{subsets}");
        assert_eq!(world.plan().invalid, invalid, "{subsets}");
    }
}

#[test]
fn slices_are_kept_while_addresses_change() {
    let mut world = World::new("[{addresses: [{ip: 10.0.0.1}], ports: [{port: 80}]}]");
    assert_eq!(world.settle(), (1, 0, 0));
    for (subsets, done) in [
        ("[{addresses: [{ip: 10.0.0.2}, {ip: 10.0.0.1}], ports: [{port: 80}]}]", (0, 1, 0)),
        ("[{addresses: [{ip: 10.0.0.1}, {ip: 010.0.0.2}], ports: [{port: 80}]}]", (0, 0, 0)),
        (
            "[{addresses: [{ip: 10.0.0.1}], notReadyAddresses: [{ip: 10.0.0.2}], ports: [{port: 80}]}]",
            (0, 1, 0),
        ),
        ("[{addresses: [{ip: 10.0.0.1}], ports: [{port: 81}]}]", (0, 1, 0)),
        ("[{addresses: [{ip: 'fd00::1'}], ports: [{port: 81}]}]", (1, 0, 1)),
        ("[{addresses: [{ip: 'fd00::1'}, {ip: 10.0.0.1}], ports: [{port: 81}]}]", (1, 0, 0)),
        ("[]", (0, 0, 2)),
    ] {
        world.endpoints.set("subsets", node(subsets));
        assert_eq!(world.settle(), done, "{subsets}");
    }
}

#[test]
fn labels_annotations_and_owners_are_followed() {
    let mut world = World::new("[{addresses: [{ip: 10.0.0.1}]}]");
    world.settle();
    for (path, value, done) in [
        ("labels", "{a: b}", (0, 1, 0)),
        ("annotations", "{a: b}", (0, 1, 0)),
        ("annotations", "{a: b, kubectl.kubernetes.io/last-applied-configuration: x}", (0, 0, 0)),
        ("annotations", "{}", (0, 1, 0)),
        ("uid", "e2", (0, 1, 0)),
    ] {
        world.endpoints.map_mut("metadata").set(path, node(value));
        assert_eq!(world.settle(), done, "{path} {value}");
    }
    assert!(world.slices.values().all(|slice| slice.find(&["metadata", "annotations"]).is_none()));
}

#[test]
fn a_second_slice_of_the_same_ports_goes() {
    let mut world = World::new("[{addresses: [{ip: 10.0.0.1}]}]");
    world.settle();
    let slice = Node::clone(world.slices.values().next().expect("there"));
    world.put("db-zzz", slice);
    assert_eq!(world.settle(), (0, 0, 1));
}

#[test]
fn no_more_than_a_thousand_of_a_subset() {
    let addresses: Vec<_> = (0..MAX_ADDRESSES + 7)
        .map(|n| format!("{{ip: 10.0.{}.{}}}", n / 250, n % 250 + 1))
        .collect();
    let mut world = World::new(&format!("[{{addresses: [{}]}}]", addresses.join(", ")));
    world.settle();
    let slices: Vec<_> = world.slices.values().map(Slice::from_node).collect();
    assert_eq!((slices.len(), slices[0].endpoints.len()), (1, MAX_ADDRESSES));
    assert_eq!(world.plan().excess, 7);
}

#[test]
fn nothing_is_made_for_endpoints_that_go() {
    let mut world = World::new("[{addresses: [{ip: 10.0.0.1}]}]");
    let metadata = world.endpoints.map_mut("metadata");
    metadata.set("deletionTimestamp", Node::string("2026-01-01T00:00:00Z"));
    assert_eq!(world.settle(), (0, 0, 0));
}

#[test]
fn some_endpoints_are_not_mirrored() {
    for (metadata, expected) in [
        ("{}", true),
        ("{labels: {endpointslice.kubernetes.io/skip-mirror: 'true'}}", false),
        ("{labels: {endpointslice.kubernetes.io/skip-mirror: 'True'}}", true),
        ("{labels: {endpointslice.kubernetes.io/skip-mirror: 'false'}}", true),
        ("{annotations: {control-plane.alpha.kubernetes.io/leader: ''}}", false),
        ("{annotations: {note: x}}", true),
    ] {
        let mut endpoints = Node::empty_map();
        endpoints.set("metadata", node(metadata));
        assert_eq!(is_mirrored(&endpoints), expected, "{metadata}");
    }
}
