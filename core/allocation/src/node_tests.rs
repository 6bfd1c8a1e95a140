//! Tests of pod CIDRs: flags, allocation, and sequences of nodes coming and going.

use crate::{MaskSizes, NodeRanges};
use alloc::collections::BTreeMap;
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use core::net::IpAddr;
use proptest::prelude::*;
use ratchet_net::CidrText;

fn ranges(cluster: &str, size: u8, services: &[&str]) -> NodeRanges {
    let sizes = match cluster.contains(',') {
        true => MaskSizes { v4: Some(size), ..MaskSizes::default() },
        false => MaskSizes { any: Some(size), ..MaskSizes::default() },
    };
    let services: Vec<_> = services.iter().map(ToString::to_string).collect();
    NodeRanges::new(cluster, sizes, &services).unwrap()
}

#[test]
fn flags_that_make_no_sense_are_refused_in_the_words_of_the_reference() {
    let (any, v4, v6) = (Some(26), Some(25), Some(70));
    let single = "usage of --node-cidr-mask-size-ipv4 and --node-cidr-mask-size-ipv6 is not allowed if --node-cidr-mask-size is set. For dual-stack clusters please unset it and use IPFamily specific flags";
    let larger = "Controller: Invalid --cluster-cidr, mask size of cluster CIDR must be less than or equal to --node-cidr-mask-size configured for CIDR family";
    let table = [
        ("", None, None, None, "invalid CIDR[0]: <nil> (invalid CIDR address: )"),
        ("10.0.0.0/8,x", None, None, None, "invalid CIDR[1]: <nil> (invalid CIDR address: x)"),
        (
            "10.0.0.0/8,11.0.0.0/8",
            None,
            None,
            None,
            "len of ClusterCIDRs==2 and they are not configured as dual stack (at least one from each IPFamily",
        ),
        (
            "10.0.0.0/8,fd00::/60,11.0.0.0/8",
            None,
            None,
            None,
            "length of clusterCIDRs is:3 more than max allowed of 2",
        ),
        (
            "10.0.0.0/8,fd00::/60",
            any,
            None,
            None,
            "usage of --node-cidr-mask-size is not allowed with dual-stack clusters",
        ),
        ("10.0.0.0/8", any, v4, None, single),
        ("10.0.0.0/8", any, None, v6, single),
        (
            "fd00::/60",
            None,
            v4,
            None,
            "usage of --node-cidr-mask-size-ipv4 is not allowed for a single-stack IPv6 cluster",
        ),
        (
            "10.0.0.0/8",
            None,
            None,
            v6,
            "usage of --node-cidr-mask-size-ipv6 is not allowed for a single-stack IPv4 cluster",
        ),
        ("10.0.0.0/27", any, None, None, larger),
        ("10.0.0.0/25", None, None, None, larger),
        ("fd00::/47", None, None, None, "New CIDR set failed; the node CIDR size is too big"),
        ("10.0.0.0/8", Some(33), None, None, "the node CIDR mask size 33 is larger than 32 bits"),
    ];
    for (cluster, any, v4, v6, expected) in table {
        let created = NodeRanges::new(cluster, MaskSizes { any, v4, v6 }, &[]);
        assert_eq!(created.err().as_deref(), Some(expected), "{cluster}");
    }
}

#[test]
fn nodes_get_canonical_parts_one_after_another() {
    let sizes = MaskSizes::default();
    let mut ranges = NodeRanges::new("10.244.0.0/16,fd00:0010::/60", sizes, &[]).unwrap();
    assert_eq!(ranges.allocate("a").unwrap(), ["10.244.0.0/24", "fd00:10::/64"]);
    assert_eq!(ranges.allocate("b").unwrap(), ["10.244.1.0/24", "fd00:10:0:1::/64"]);
    // Requested again before it was stored: the same.
    assert_eq!(ranges.allocate("a").unwrap(), ["10.244.0.0/24", "fd00:10::/64"]);
    assert!(ranges.release("a") && !ranges.release("a"));
    // A released subnet is not allocated again while there is another.
    assert_eq!(ranges.allocate("c").unwrap(), ["10.244.2.0/24", "fd00:10:0:2::/64"]);
}

#[test]
fn an_odd_cluster_network_is_read_as_the_network_it_denotes() {
    let mut ranges = ranges("010.000.0.77/24", 26, &[]);
    assert_eq!(ranges.allocate("a").unwrap(), ["10.0.0.0/26"]);
}

#[test]
fn services_keep_their_addresses() {
    let mut inside = ranges("10.0.0.0/24", 26, &["10.0.0.64/27", "fd00::/112"]);
    let got: Vec<_> = ["a", "b", "c"].iter().map(|node| inside.allocate(node).unwrap()).collect();
    assert_eq!(got.concat(), ["10.0.0.0/26", "10.0.0.128/26", "10.0.0.192/26"]);
    let full = inside.allocate("d").unwrap_err();
    assert_eq!(
        full,
        "failed to allocate cidr from cluster cidr at idx:0: CIDR allocation failed; there are no remaining CIDRs left to allocate in the accepted range"
    );
    assert!(ranges("10.0.0.0/24", 26, &["10.0.0.0/8"]).allocate("a").is_err());
}

#[test]
fn what_a_node_has_is_respected_in_every_spelling() {
    for spelled in
        ["10.0.0.64/26", "010.00.0.064/026", "10.0.0.77/26", "::ffff:10.0.0.64/122", "10.0.0.64/32"]
    {
        let mut ranges = ranges("10.0.0.0/25", 26, &[]);
        assert!(ranges.occupy("old", &[spelled]).is_empty(), "{spelled}");
        assert_eq!(ranges.allocate("a").unwrap(), ["10.0.0.0/26"], "{spelled}");
        assert!(ranges.allocate("b").is_err(), "{spelled}");
        ranges.release("old");
        assert_eq!(ranges.allocate("b").unwrap(), ["10.0.0.64/26"], "{spelled}");
    }
}

#[test]
fn what_is_strange_is_told_and_holds_nothing() {
    let mut ranges = ranges("10.0.0.0/25", 26, &[]);
    assert_eq!(
        ranges.occupy("a", &["rubbish", "10.0.1.0/26", "10.0.0.0/26"]),
        ["rubbish", "10.0.1.0/26"]
    );
    assert_eq!(ranges.allocate("b").unwrap(), ["10.0.0.64/26"]);
}

#[test]
fn a_part_that_two_nodes_claim_is_free_when_both_are_gone() {
    let mut ranges = ranges("10.0.0.0/25", 26, &["10.0.0.64/26"]);
    ranges.occupy("a", &["10.0.0.0/26"]);
    ranges.occupy("b", &["10.0.0.0/25"]);
    ranges.release("a");
    assert!(ranges.allocate("c").is_err());
    ranges.release("b");
    assert_eq!(ranges.allocate("c").unwrap(), ["10.0.0.0/26"]);
}

#[test]
fn one_exhausted_family_costs_the_other_nothing() {
    let mut ranges = ranges("10.0.0.0/25,fd00::/64", 26, &[]);
    assert!(ranges.allocate("a").is_ok());
    for _ in 0..5 {
        assert!(ranges.allocate("b").unwrap_err().contains("idx:1"));
    }
    ranges.release("a");
    assert!(ranges.allocate("b").is_ok());
}

#[test]
fn the_largest_networks_cost_nothing() {
    let mut ranges = ranges("0.0.0.0/0", 32, &["10.0.0.0/8"]);
    ranges.occupy("a", &["0.0.0.0/1"]);
    assert_eq!(ranges.allocate("b").unwrap(), ["128.0.0.0/32"]);
}

/// The events of a cluster.
#[derive(Clone, Debug)]
enum Step {
    Join(u8),
    Leave(u8),
    /// The controller restarts, and finds the nodes' CIDRs in another spelling.
    Restart(u8),
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let step = prop_oneof![
        5 => (0_u8..12).prop_map(Step::Join),
        3 => (0_u8..12).prop_map(Step::Leave),
        1 => (0_u8..3).prop_map(Step::Restart),
    ];
    proptest::collection::vec(step, 0..60)
}

/// The same network in another spelling.
fn respelled(text: &str, how: u8) -> String {
    let (address, length) = text.split_once('/').unwrap();
    match (how, address.parse::<IpAddr>().unwrap()) {
        (1, IpAddr::V4(ip)) => {
            let [a, b, c, d] = ip.octets();
            format!("{a:03}.{b:03}.{c:03}.{d:03}/{length}")
        }
        (2, IpAddr::V4(ip)) => {
            format!("::FFFF:{ip}/{}", length.parse::<u8>().unwrap() + 96)
        }
        (_, IpAddr::V6(ip)) if how > 0 => {
            let parts: Vec<_> = ip.segments().iter().map(|part| format!("{part:04X}")).collect();
            format!("{}/{length}", parts.join(":"))
        }
        _ => text.to_string(),
    }
}

fn overlap(one: &str, other: &str) -> bool {
    let (one, other) = (CidrText::parse(one).unwrap(), CidrText::parse(other).unwrap());
    one.contains_network(&other) || other.contains_network(&one)
}

proptest! {
    #[test]
    fn no_two_nodes_ever_share_an_address(steps in steps(), is_dual in any::<bool>()) {
        let make = || match is_dual {
            true => ranges("10.0.0.0/21,fd00::/61", 24, &["10.0.1.0/25", "fd00::/112"]),
            false => ranges("10.0.0.0/21", 24, &["10.0.1.0/25"]),
        };
        let mut ranges = make();
        let mut nodes: BTreeMap<u8, Vec<String>> = BTreeMap::new();
        for step in steps {
            match step {
                Step::Join(node) if nodes.contains_key(&node) => {
                    let cidrs: Vec<&str> = nodes[&node].iter().map(String::as_str).collect();
                    prop_assert!(ranges.occupy(&node.to_string(), &cidrs).is_empty());
                }
                Step::Join(node) => match ranges.allocate(&node.to_string()) {
                    Ok(cidrs) => { nodes.insert(node, cidrs); }
                    // Seven subnets are left of eight, and as many of the other family.
                    Err(_) => prop_assert_eq!(nodes.len(), 7),
                },
                Step::Leave(node) => {
                    nodes.remove(&node);
                    ranges.release(&node.to_string());
                }
                Step::Restart(how) => {
                    ranges = make();
                    for (node, cidrs) in &nodes {
                        let spelled: Vec<_> = cidrs.iter().map(|text| respelled(text, how)).collect();
                        let spelled: Vec<&str> = spelled.iter().map(String::as_str).collect();
                        prop_assert!(ranges.occupy(&node.to_string(), &spelled).is_empty());
                    }
                }
            }
            let all: Vec<&String> = nodes.values().flatten().collect();
            for (at, one) in all.iter().enumerate() {
                prop_assert!(CidrText::parse(one).unwrap().is_canonical_network(), "{}", one);
                prop_assert!(!overlap(one, "10.0.1.0/25") && !overlap(one, "fd00::/112"));
                for other in &all[at + 1..] {
                    prop_assert!(!overlap(one, other), "{} and {}", one, other);
                }
            }
        }
    }
}
