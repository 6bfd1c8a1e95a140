//! Properties of plans over random clusters, with addresses in random forms.

use crate::Shared;
use crate::client::parse_json;
use crate::endpoint_slice::testing::World;
use crate::endpoints;
use crate::pod::Pod;
use crate::service::Service;
use crate::slices::Write;
use crate::testing::node;
use proptest::prelude::*;
use ratchet_net::IpText;
use ratchet_object::Node;
use std::collections::{BTreeMap, BTreeSet};
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

/// An address from a small pool, so that repeats occur, in one of its text forms.
fn address_text() -> impl Strategy<Value = (IpAddr, String)> {
    let v4 = (0u8..40, 0usize..5).prop_map(|(last, how)| {
        let address = Ipv4Addr::new(10, 1, 2, last);
        let text = match how {
            0 => address.to_string(),
            1 => format!("010.1.2.{last:03}"),
            2 => format!("::ffff:10.1.2.{last}"),
            3 => format!("::FFFF:0A01:{:04X}", 0x0200 | u16::from(last)),
            _ => format!("0:0:0:0:0:ffff:10.01.002.{last}"),
        };
        (IpAddr::V4(address), text)
    });
    let v6 = (0u16..40, 0usize..4).prop_map(|(last, how)| {
        let address = Ipv6Addr::new(0x2001, 0xdb8, 0, 0, 0, 0, 0, last);
        let text = match how {
            0 => address.to_string(),
            1 => format!("2001:DB8::{last:x}"),
            2 => format!("2001:0db8:0:0:0000:0:0:{last:04x}"),
            _ => format!("2001:db8:0::0.0.0.{last}"),
        };
        (IpAddr::V6(address), text)
    });
    prop_oneof![v4, v6]
}

/// Addresses and state of a random pod.
#[derive(Clone, Debug)]
struct RandomPod {
    addresses: Vec<(IpAddr, String)>,
    unreadable: bool,
    on: usize,
    state: usize,
    port: u16,
}

fn random_pod() -> impl Strategy<Value = RandomPod> {
    let parts =
        (prop::collection::vec(address_text(), 0..3), any::<bool>(), 0usize..4, 0usize..6, 1u16..3);
    parts.prop_map(|(addresses, unreadable, on, state, port)| RandomPod {
        addresses,
        unreadable,
        on,
        state,
        port,
    })
}

fn service() -> impl Strategy<Value = String> {
    let families =
        prop_oneof![Just("[IPv4]"), Just("[IPv6]"), Just("[IPv4, IPv6]"), Just("[IPv6, IPv4]")];
    let ip = prop_oneof![Just("None"), Just("10.96.0.1")];
    let ports = prop_oneof![
        Just("[]"),
        Just("[{port: 80}]"),
        Just("[{name: a, port: 80, targetPort: web}, {name: b, port: 81}]"),
    ];
    let near = prop_oneof![Just("PreferClose"), Just("PreferSameNode"), Just("")];
    (families, ip, ports, near, any::<bool>()).prop_map(|(families, ip, ports, near, publishes)| {
        format!(
            "{{clusterIP: {ip}, ipFamilies: {families}, selector: {{app: web}}, ports: {ports}, trafficDistribution: '{near}', publishNotReadyAddresses: {publishes}}}"
        )
    })
}

fn apply(world: &mut World, number: usize, pod_state: Option<&RandomPod>) {
    let name = format!("p{number:03}");
    let Some(pod_state) = pod_state else {
        world.pods.remove(&name);
        return;
    };
    let mut ips: Vec<_> = pod_state.addresses.iter().map(|(_, text)| text.as_str()).collect();
    if pod_state.unreadable {
        ips.insert(0, "10.1.2.3.4");
    }
    world.add_pod(&name, ["n1", "n2", "nowhere", ""][pod_state.on], &ips);
    world.set(
        &name,
        &["spec", "containers"],
        &format!("[{{ports: [{{name: web, containerPort: {}}}]}}]", pod_state.port),
    );
    match pod_state.state {
        0 => world.unready(&name),
        1 => world.set(&name, &["metadata", "deletionTimestamp"], "'2026-01-01T00:00:00Z'"),
        2 => world.set(&name, &["status", "phase"], "Failed"),
        _ => {}
    }
}

/// Whatever was written is canonical, and is an address of the pod that it names.
fn assert_address_of_pod(text: &str, pod: &str, pods: &BTreeMap<usize, RandomPod>) {
    let address = IpText::parse(text).expect("an address");
    assert!(address.is_canonical(), "{text}");
    let number: usize = pod.trim_start_matches('p').parse().expect("a number");
    let known = &pods[&number].addresses;
    assert!(known.iter().any(|(known, _)| *known == address.addr()), "{text} of {pod}");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn slices_are_canonical_true_complete_and_settled(
        spec in service(),
        spreads in any::<bool>(),
        steps in prop::collection::vec((0usize..30, prop::option::weighted(0.8, random_pod())), 1..60),
        pauses in prop::collection::btree_set(0usize..60, 0..6),
    ) {
        let mut world = World::new(&spec);
        if spreads {
            let annotations = node("{service.kubernetes.io/topology-mode: Auto}");
            world.service.map_mut("metadata").set("annotations", annotations);
        }
        let mut pods = BTreeMap::new();
        for (at, (number, pod_state)) in steps.iter().enumerate() {
            apply(&mut world, *number, pod_state.as_ref());
            match pod_state {
                Some(pod_state) => drop(pods.insert(*number, pod_state.clone())),
                None => drop(pods.remove(number)),
            }
            if pauses.contains(&at) || at + 1 == steps.len() {
                // `settle` checks that nothing is left to do.
                world.settle();
                check_slices(&world, &pods);
            }
        }
    }

    #[test]
    fn a_single_change_writes_a_single_slice(
        count in 1usize..320,
        which in any::<prop::sample::Index>(),
        how in 0usize..3,
    ) {
        let mut world = World::new("{clusterIP: None, ipFamilies: [IPv4], selector: {app: web}, ports: [{port: 80}]}");
        world.add_pods(0..count);
        world.settle();
        let pod = format!("p{:04}", which.index(count));
        match how {
            0 => world.unready(&pod),
            1 => drop(world.pods.remove(&pod)),
            _ => world.add_pods(count..count + 1),
        }
        let (created, updated, deleted) = world.settle();
        prop_assert_eq!(created + updated + deleted, 1);
    }

    #[test]
    fn endpoints_are_canonical_true_and_settled(
        spec in service(),
        likes in prop::collection::vec(random_pod(), 0..40),
    ) {
        let mut world = World::new(&spec);
        let pods: BTreeMap<_, _> = likes.into_iter().enumerate().collect();
        pods.iter().for_each(|(number, pod_state)| apply(&mut world, *number, Some(pod_state)));
        let service = Service::from_node(&world.service);
        let parsed_pods: Vec<_> = world.pods.values().map(Pod::from_node).collect();
        let plan = |endpoints: Option<&Shared>| endpoints::plan(&endpoints::EndpointsInputs {
            service: &service,
            pods: &parsed_pods,
            endpoints,
            trigger: None,
        });
        let Some(Write::Create(made)) = plan(None) else { panic!("must be made") };
        let made = Shared::new(parse_json(made.to_json().as_bytes()).expect("reads").into_owned());
        prop_assert_eq!(plan(Some(&made)), None);
        let mut seen = BTreeSet::new();
        for subset in endpoints::Subset::all_from_node(&made) {
            for address in subset.ready.iter().chain(&subset.unready) {
                let pod = address.target.as_ref().map(|target| target.get("name").to_owned());
                let pod = pod.expect("a pod");
                assert_address_of_pod(&address.ip, &pod, &pods);
                let ports = format!("{:?}", subset.ports);
                prop_assert!(seen.insert((pod, ports)), "a pod stands once for its ports");
            }
        }
    }

    #[test]
    fn mirrored_slices_are_canonical_true_and_settled(
        subsets in prop::collection::vec(
            (prop::collection::vec((address_text(), any::<bool>(), any::<bool>()), 0..12), 0u16..3), 0..4,
        ),
    ) {
        let mut known = BTreeSet::new();
        let mut list = Vec::new();
        for (addresses, port) in &subsets {
            let (mut ready, mut unready) = (Vec::new(), Vec::new());
            for ((address, text), is_ready, spoilt) in addresses {
                let text = if *spoilt { format!("{text}x") } else { text.clone() };
                if !spoilt {
                    known.insert(*address);
                }
                let into = if *is_ready { &mut ready } else { &mut unready };
                into.push(Node::map([("ip", Node::string(text))]));
            }
            let mut subset = Node::map([
                ("addresses", Node::list(ready)),
                ("notReadyAddresses", Node::list(unready)),
            ]);
            if *port > 0 {
                subset.set("ports", node(&format!("[{{port: {port}}}]")));
            }
            list.push(subset);
        }
        let mut endpoints = node("{metadata: {name: db, namespace: shop, uid: e}}");
        endpoints.set("subsets", Node::list(list));
        let mut slices: Vec<Shared> = Vec::new();
        for write in crate::mirroring::plan(&endpoints, &slices).writes {
            let Write::Create(mut made) = write else { panic!("nothing is there yet") };
            made.map_mut("metadata").set("name", Node::string(format!("db-{}", slices.len())));
            slices.push(Shared::new(parse_json(made.to_json().as_bytes()).expect("reads").into_owned()));
        }
        prop_assert!(crate::mirroring::plan(&endpoints, &slices).writes.is_empty());
        let mut written = BTreeSet::new();
        for slice in slices.iter().map(crate::slices::Slice::from_node) {
            let mut once = BTreeSet::new();
            for text in slice.endpoints.iter().flat_map(|endpoint| &endpoint.addresses) {
                let address = IpText::parse(text).expect("an address");
                prop_assert!(address.is_canonical() && once.insert(text.clone()), "{}", text);
                prop_assert_eq!(address.addr().is_ipv4(), slice.address_type == "IPv4");
                written.insert(address.addr());
            }
        }
        prop_assert_eq!(written, known);
    }
}

fn check_slices(world: &World, pods: &BTreeMap<usize, RandomPod>) {
    let mut seen = BTreeSet::new();
    for slice in world.parsed_slices() {
        assert!(slice.endpoints.len() <= 100);
        for endpoint in &slice.endpoints {
            let pod = endpoint.target.as_ref().expect("a pod").get("name").to_owned();
            let once: BTreeSet<_> = endpoint.addresses.iter().collect();
            assert!(!once.is_empty() && once.len() == endpoint.addresses.len());
            for text in &endpoint.addresses {
                assert_address_of_pod(text, &pod, pods);
                let family = IpText::parse(text).expect("an address").family().to_string();
                assert_eq!(family, slice.address_type);
            }
            assert!(seen.insert((pod, slice.address_type.clone())), "an endpoint twice");
        }
    }
    // Every pod that can be an endpoint is one, in each family that it shares with the Service.
    let service = Service::from_node(&world.service);
    let mut wanted = BTreeSet::new();
    for (number, pod_state) in pods {
        let known = pod_state.on < 2 || service.publishes_all;
        for family in service.families() {
            let has =
                pod_state.addresses.iter().any(|(ip, _)| ratchet_net::Family::of(*ip) == family);
            if known && pod_state.state != 2 && has {
                wanted.insert((format!("p{number:03}"), family.to_string()));
            }
        }
    }
    assert_eq!(seen, wanted);
}
