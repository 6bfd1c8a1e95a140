//! Which networks nodes give to their pods: parts of the cluster's, each of one node only.

use crate::subnets::{Block, Subnets};
use alloc::collections::BTreeMap;
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use ratchet_net::Family;

/// How long the prefixes of nodes are, as flags say it; none where they say nothing.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct MaskSizes {
    /// For the one family of the cluster.
    pub any: Option<u8>,
    /// For IPv4.
    pub v4: Option<u8>,
    /// For IPv6.
    pub v6: Option<u8>,
}

const USUAL_V4: u8 = 24;
const USUAL_V6: u8 = 64;

/// The parts that a node holds: of which network, from which to which.
type Held = (usize, (u128, u128));

/// The networks of a cluster's pods, and who holds which parts.
#[derive(Clone, Debug)]
pub struct NodeRanges {
    networks: Vec<Subnets>,
    nodes: BTreeMap<String, Vec<Held>>,
}

impl NodeRanges {
    /// The networks of the flags, without what Services are given from.
    pub fn new(cluster: &str, sizes: MaskSizes, services: &[String]) -> Result<Self, String> {
        let mut blocks = Vec::new();
        for (at, text) in cluster.trim().split(',').enumerate() {
            let unread = || format!("invalid CIDR[{at}]: <nil> (invalid CIDR address: {text})");
            blocks.push(Block::read(text).ok_or_else(unread)?);
        }
        let count = blocks.len();
        let has = |family| blocks.iter().any(|block| block.family == family);
        if count > 1 && !(has(Family::V4) && has(Family::V6)) {
            return Err(format!(
                "len of ClusterCIDRs=={count} and they are not configured as dual stack (at least one from each IPFamily"
            ));
        }
        if count > 2 {
            return Err(format!("length of clusterCIDRs is:{count} more than max allowed of 2"));
        }
        let is_v6 = !has(Family::V4);
        let (v4, v6) = sizes.settle(count > 1, is_v6)?;
        let cut =
            |block: Block| Subnets::new(block, if block.family == Family::V4 { v4 } else { v6 });
        let mut networks = blocks.into_iter().map(cut).collect::<Result<Vec<_>, _>>()?;
        for block in services.iter().filter_map(|text| Block::read(text)) {
            for network in &mut networks {
                if let Some(parts) = network.touched(&block) {
                    network.occupy(parts);
                }
            }
        }
        Ok(Self { networks, nodes: BTreeMap::new() })
    }

    /// The node has these networks, however they are spelled. Those that cannot be read, or that
    /// are not of this cluster, are handed back: nothing else can have them from here.
    pub fn occupy<'t>(&mut self, node: &str, cidrs: &[&'t str]) -> Vec<&'t str> {
        let (mut held, mut strange) = (Vec::new(), Vec::new());
        for text in cidrs {
            let before = held.len();
            if let Some(block) = Block::read(text) {
                let touched = self.networks.iter().enumerate();
                held.extend(
                    touched.filter_map(|(at, network)| Some((at, network.touched(&block)?))),
                );
            }
            if held.len() == before {
                strange.push(*text);
            }
        }
        for (at, parts) in &held {
            if let Some(network) = self.networks.get_mut(*at) {
                network.occupy(*parts);
            }
        }
        // What it held before is given back only now, so that nothing is free in between.
        self.release(node);
        if !held.is_empty() {
            self.nodes.insert(node.to_string(), held);
        }
        strange
    }

    /// A network of each kind for the node, in canonical text. What it was given before and has
    /// not given back it is given again. If one kind is exhausted it gets none, and is told why.
    pub fn allocate(&mut self, node: &str) -> Result<Vec<String>, String> {
        if let Some(held) = self.nodes.get(node) {
            return Ok(self.texts(held));
        }
        let mut held = Vec::new();
        for at in 0..self.networks.len() {
            match self.networks.get_mut(at).and_then(Subnets::take) {
                Some(part) => held.push((at, (part, part))),
                None => {
                    self.give_back(held);
                    return Err(format!(
                        "failed to allocate cidr from cluster cidr at idx:{at}: CIDR allocation failed; there are no remaining CIDRs left to allocate in the accepted range"
                    ));
                }
            }
        }
        let texts = self.texts(&held);
        self.nodes.insert(node.to_string(), held);
        Ok(texts)
    }

    /// The node is gone, or has not got what it was to get. Whether it held anything.
    pub fn release(&mut self, node: &str) -> bool {
        let held = self.nodes.remove(node);
        let had = held.is_some();
        self.give_back(held.unwrap_or_default());
        had
    }

    fn give_back(&mut self, held: Vec<Held>) {
        for (at, parts) in held {
            if let Some(network) = self.networks.get_mut(at) {
                network.release(parts);
            }
        }
    }

    fn texts(&self, held: &[Held]) -> Vec<String> {
        let text = |(at, (first, _)): &Held| Some(self.networks.get(*at)?.text(*first));
        held.iter().filter_map(text).collect()
    }
}

impl MaskSizes {
    /// What the flags mean together.
    fn settle(self, is_dual: bool, is_v6: bool) -> Result<(u8, u8), &'static str> {
        if is_dual && self.any.is_some() {
            return Err("usage of --node-cidr-mask-size is not allowed with dual-stack clusters");
        }
        if self.any.is_some() && (self.v4.is_some() || self.v6.is_some()) {
            return Err(
                "usage of --node-cidr-mask-size-ipv4 and --node-cidr-mask-size-ipv6 is not allowed if --node-cidr-mask-size is set. For dual-stack clusters please unset it and use IPFamily specific flags",
            );
        }
        if !is_dual && is_v6 && self.v4.is_some() {
            return Err(
                "usage of --node-cidr-mask-size-ipv4 is not allowed for a single-stack IPv6 cluster",
            );
        }
        if !is_dual && !is_v6 && self.v6.is_some() {
            return Err(
                "usage of --node-cidr-mask-size-ipv6 is not allowed for a single-stack IPv4 cluster",
            );
        }
        let own = |size: Option<u8>, usual| self.any.or(size).unwrap_or(usual);
        Ok((own(self.v4, USUAL_V4), own(self.v6, USUAL_V6)))
    }
}
