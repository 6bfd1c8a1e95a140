//! Property tests: for any sequence of Services, nothing is shared, nothing is lost, all is canonical.

use crate::testing::{Server, node_ports};
use crate::{Ranges, release};
use alloc::collections::BTreeSet;
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use core::net::IpAddr;
use proptest::prelude::*;
use ratchet_object::Node;

/// Ranges that are soon full.
fn ranges() -> impl Strategy<Value = Ranges> {
    let networks = prop_oneof![
        Just(("10.0.0.0/28", Some("fd00::/124"))),
        Just(("fd00::/123", Some("10.0.0.0/27"))),
        Just(("10.0.0.0/29", None)),
    ];
    (networks, prop_oneof![Just(30005_u16), Just(30030)])
        .prop_map(|((one, other), last)| Ranges::new(one, other, (30000, last)).unwrap())
}

fn port() -> impl Strategy<Value = String> {
    let node_port = prop_oneof![3 => Just(0_u16), 1 => 29999_u16..30008];
    let protocol = prop_oneof![Just("TCP"), Just("UDP")];
    (0..4, 80..83, protocol, node_port).prop_map(|(name, port, protocol, node_port)| {
        format!(
            r#"{{"name":"p{name}","port":{port},"protocol":"{protocol}","nodePort":{node_port}}}"#
        )
    })
}

/// A random spec, valid or not.
fn spec() -> impl Strategy<Value = String> {
    let kind = prop_oneof!["ClusterIP", "NodePort", "LoadBalancer", "ExternalName"];
    let address = prop_oneof![
        6 => Just(String::new()),
        1 => Just(r#""clusterIP":"None","#.to_string()),
        2 => (1_u8..9).prop_map(|last| format!(r#""clusterIP":"10.0.0.{last}","#)),
        1 => (1_u8..9).prop_map(|last| format!(r#""clusterIP":"010.0.00.{last}","#)),
        1 => (1_u8..9).prop_map(|last| format!(r#""clusterIP":"::FFFF:10.0.0.{last}","#)),
        1 => (1_u8..9).prop_map(|last| format!(r#""clusterIP":"fd00::{last}","#)),
        1 => (1_u8..9).prop_map(|last| format!(r#""clusterIP":"FD00:0::000{last}","#)),
    ];
    let policy = prop_oneof!["SingleStack", "PreferDualStack", "RequireDualStack"];
    let policy = proptest::option::of(policy)
        .prop_map(|policy| policy.map(|policy| format!(r#""ipFamilyPolicy":"{policy}","#)));
    let traffic = prop_oneof!["Local", "Cluster"];
    let ports = proptest::collection::vec(port(), 1..4);
    (kind, address, policy, traffic, any::<bool>(), ports).prop_map(
        |(kind, address, policy, traffic, allocates, ports)| {
            let policy = policy.unwrap_or_default();
            let outside = match kind.as_str() {
                "LoadBalancer" => format!(
                    r#""externalTrafficPolicy":"{traffic}","allocateLoadBalancerNodePorts":{allocates},"#
                ),
                _ => String::new(),
            };
            let ports = ports.join(",");
            format!(r#"{{{address}{policy}{outside}"type":"{kind}","ports":[{ports}]}}"#)
        },
    )
}

/// The addresses of a Service, as they are spelled.
fn addresses(service: &Node<'_>) -> Vec<String> {
    let list = service.find(&["spec", "clusterIPs"]).map(Node::items).unwrap_or_default();
    list.iter().map(|ip| ip.text().unwrap().to_string()).collect()
}

proptest! {
    #[test]
    fn nothing_is_shared_and_nothing_is_lost(
        ranges in ranges(),
        steps in proptest::collection::vec((spec(), proptest::option::of(0_usize..8)), 1..24),
        seed in any::<u64>(),
    ) {
        let mut server = Server::legacy(ranges);
        let mut stored: Vec<Node<'static>> = Vec::new();
        for (index, (spec, at)) in steps.iter().enumerate() {
            let at = at.filter(|at| *at < stored.len());
            if (seed >> (index % 64)) & 3 == 3 && at.is_some() {
                let deleted = stored.remove(at.unwrap());
                server.delete(&deleted);
                continue;
            }
            // The ledger itself refuses double allocations and foreign releases.
            let old = at.map(|at| stored[at].clone());
            let Ok(created) = server.put(spec, old.as_ref()) else { continue };
            let stated = addresses(&created);
            let first = stated.first().map_or("", String::as_str);
            prop_assert_eq!(created.text_at(&["spec", "clusterIP"]), first);
            for ip in stated.iter().filter(|ip| !spec.contains(ip.as_str()) && *ip != "None") {
                let is_kept = old.as_ref().is_some_and(|old| addresses(old).contains(ip));
                let parsed: Option<IpAddr> = ip.parse().ok();
                prop_assert!(is_kept || parsed.is_some_and(|parsed| parsed.to_string() == *ip), "{}", ip);
            }
            match at {
                Some(at) => stored[at] = created,
                None => stored.push(created),
            }
            let mut numbers = BTreeSet::new();
            for service in &stored {
                let allocations = release(service);
                for number in allocations.give_numbers {
                    prop_assert!(numbers.insert(number), "two Services have {}", number);
                }
            }
        }
        for service in &stored {
            let has_node_ports = matches!(service.text_at(&["spec", "type"]), "NodePort" | "LoadBalancer");
            prop_assert!(has_node_ports || node_ports(service).iter().all(|port| *port == 0)
                || service.text_at(&["spec", "type"]) == "ExternalName");
            server.delete(service);
        }
        prop_assert!(server.is_idle());
    }
}
