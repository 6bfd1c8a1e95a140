//! Tests of topology-aware hints.

use crate::endpoint_slice::testing::World;
use crate::testing::node;
use ratchet_object::Node;
use std::collections::BTreeMap;

const SPEC: &str =
    "{clusterIP: 10.96.0.1, ipFamilies: [IPv4], selector: {app: web}, ports: [{port: 80}]}";

/// Pods in each of two zones.
fn world(zones: [usize; 2]) -> World {
    let mut world = World::new(SPEC);
    let annotations = node("{service.kubernetes.io/topology-mode: Auto}");
    world.service.map_mut("metadata").set("annotations", annotations);
    for (zone, pods) in zones.into_iter().enumerate() {
        for n in 0..pods {
            let ip = format!("10.{zone}.0.{}", n + 1);
            world.add_pod(&format!("p{zone}-{n}"), ["n1", "n2"][zone], &[&ip]);
        }
    }
    world
}

fn served(world: &World) -> BTreeMap<String, usize> {
    let mut served = BTreeMap::new();
    for endpoint in world.parsed_slices().iter().flat_map(|slice| &slice.endpoints) {
        for zone in endpoint.hints.iter().flat_map(|hints| &hints.zones) {
            *served.entry(zone.clone()).or_default() += 1;
        }
    }
    served
}

fn zones<const N: usize>(counts: [(&str, usize); N]) -> BTreeMap<String, usize> {
    counts.into_iter().map(|(zone, n)| (zone.to_owned(), n)).collect()
}

#[test]
fn zones_are_served_as_much_as_they_have_of_the_cluster() {
    for (pods, expected) in [
        ([3, 3], zones([("z1", 3), ("z2", 3)])),
        ([5, 1], zones([("z1", 3), ("z2", 3)])),
        ([6, 0], zones([("z1", 3), ("z2", 3)])),
        ([1, 0], zones([])),
        ([1, 1], zones([("z1", 1), ("z2", 1)])),
        ([80, 80], zones([("z1", 80), ("z2", 80)])),
    ] {
        let mut world = world(pods);
        world.settle();
        assert_eq!(served(&world), expected, "{pods:?}");
    }
}

#[test]
fn without_zones_or_processors_there_are_no_hints() {
    type Change = fn(&mut World);
    let cases: [(&str, Change); 5] = [
        ("a node without a zone", |world| world.add_node("n3", "")),
        ("one zone only", |world| drop(world.nodes.remove("n2"))),
        ("unknown processors", |world| {
            world.nodes.get_mut("n1").expect("there").map_mut("status").remove("allocatable");
        }),
        ("not ready", |world| {
            world.nodes.get_mut("n1").expect("there").map_mut("status").remove("conditions");
        }),
        ("not asked for", |world| {
            world.service.map_mut("metadata").remove("annotations");
        }),
    ];
    for (name, change) in cases {
        let mut world = world([3, 3]);
        world.settle();
        assert_eq!(served(&world).len(), 2);
        change(&mut world);
        world.settle();
        assert!(served(&world).is_empty(), "{name}");
    }
}

#[test]
fn nodes_without_ordinary_pods_do_not_count() {
    let mut world = world([3, 3]);
    world.add_node("n3", "");
    let labels = world.nodes.get_mut("n3").expect("there").map_mut("metadata").map_mut("labels");
    labels.set("node-role.kubernetes.io/control-plane", Node::string(""));
    world.settle();
    assert_eq!(served(&world), zones([("z1", 3), ("z2", 3)]));
}

#[test]
fn the_older_annotation_counts_first() {
    let mut world = world([3, 3]);
    let annotations = world.service.map_mut("metadata").map_mut("annotations");
    annotations.set("service.kubernetes.io/topology-aware-hints", Node::string("Disabled"));
    world.settle();
    assert!(served(&world).is_empty());
    let annotations = world.service.map_mut("metadata").map_mut("annotations");
    annotations.set("service.kubernetes.io/topology-aware-hints", Node::string("auto"));
    world.service.map_mut("spec").set("trafficDistribution", Node::string("PreferSameNode"));
    world.settle();
    assert_eq!(served(&world).len(), 2);
    assert!(
        world.parsed_slices()[0].endpoints.iter().all(|endpoint| {
            endpoint.hints.as_ref().is_some_and(|hints| hints.nodes.is_empty())
        })
    );
}

#[test]
fn good_hints_stay_when_pods_come_and_go() {
    let mut world = world([120, 120]);
    world.settle();
    let before = world.slices.clone();
    world.unready("p0-7");
    let (created, updated, deleted) = world.settle();
    assert_eq!((created, deleted), (0, 0));
    assert!(updated <= 1, "{updated} of {} slices", before.len());
}
