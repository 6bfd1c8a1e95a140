//! Allocation of pod CIDRs for nodes: subnets of the cluster's networks, each for one node only.

use crate::subnets::{Block, Subnets};
use alloc::collections::BTreeMap;
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use ratchet_net::Family;

/// The node mask sizes of the flags; none where they are not set.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct MaskSizes {
    /// For the one family of the cluster.
    pub any: Option<u8>,
    /// For IPv4.
    pub v4: Option<u8>,
    /// For IPv6.
    pub v6: Option<u8>,
}

const DEFAULT_V4: u8 = 24;
const DEFAULT_V6: u8 = 64;

/// The subnets of a node: the index of the network, and the first and last subnet.
type SubnetRun = (usize, (u128, u128));

/// The pod networks of a cluster, and which node has which subnets.
#[derive(Clone, Debug)]
pub struct NodeRanges {
    networks: Vec<Subnets>,
    nodes: BTreeMap<String, Vec<SubnetRun>>,
}

impl NodeRanges {
    /// The networks of the flags, without the Service networks.
    pub fn new(cluster: &str, sizes: MaskSizes, services: &[String]) -> Result<Self, String> {
        let mut blocks = Vec::new();
        for (at, text) in cluster.trim().split(',').enumerate() {
            let invalid = || format!("invalid CIDR[{at}]: <nil> (invalid CIDR address: {text})");
            blocks.push(Block::parse(text).ok_or_else(invalid)?);
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
        let (v4, v6) = sizes.resolve(count > 1, is_v6)?;
        let cut =
            |block: Block| Subnets::new(block, if block.family == Family::V4 { v4 } else { v6 });
        let mut networks = blocks.into_iter().map(cut).collect::<Result<Vec<_>, _>>()?;
        for block in services.iter().filter_map(|text| Block::parse(text)) {
            for network in &mut networks {
                if let Some(parts) = network.overlap(&block) {
                    network.occupy(parts);
                }
            }
        }
        Ok(Self { networks, nodes: BTreeMap::new() })
    }

    /// Records that the node has these CIDRs, however they are spelled. Those that are malformed, or
    /// outside this cluster's networks, are returned: they are never allocated from here.
    pub fn occupy<'t>(&mut self, node: &str, cidrs: &[&'t str]) -> Vec<&'t str> {
        let (mut subnets, mut unknown) = (Vec::new(), Vec::new());
        for text in cidrs {
            let before = subnets.len();
            if let Some(block) = Block::parse(text) {
                let touched = self.networks.iter().enumerate();
                subnets.extend(
                    touched.filter_map(|(at, network)| Some((at, network.overlap(&block)?))),
                );
            }
            if subnets.len() == before {
                unknown.push(*text);
            }
        }
        for (at, parts) in &subnets {
            if let Some(network) = self.networks.get_mut(*at) {
                network.occupy(*parts);
            }
        }
        // The earlier allocations are released only now, so that nothing is free in between.
        self.release(node);
        if !subnets.is_empty() {
            self.nodes.insert(node.to_string(), subnets);
        }
        unknown
    }

    /// A CIDR of each family for the node, in canonical text. A node that has an allocation
    /// gets it again. If one family is exhausted it gets none, and an error.
    pub fn allocate(&mut self, node: &str) -> Result<Vec<String>, String> {
        if let Some(subnets) = self.nodes.get(node) {
            return Ok(self.texts(subnets));
        }
        let mut subnets = Vec::new();
        for at in 0..self.networks.len() {
            match self.networks.get_mut(at).and_then(Subnets::take) {
                Some(part) => subnets.push((at, (part, part))),
                None => {
                    self.give_back(subnets);
                    return Err(format!(
                        "failed to allocate cidr from cluster cidr at idx:{at}: CIDR allocation failed; there are no remaining CIDRs left to allocate in the accepted range"
                    ));
                }
            }
        }
        let texts = self.texts(&subnets);
        self.nodes.insert(node.to_string(), subnets);
        Ok(texts)
    }

    /// Releases the node's CIDRs: it was deleted, or was not updated. Whether it had any.
    pub fn release(&mut self, node: &str) -> bool {
        let subnets = self.nodes.remove(node);
        let had = subnets.is_some();
        self.give_back(subnets.unwrap_or_default());
        had
    }

    fn give_back(&mut self, subnets: Vec<SubnetRun>) {
        for (at, parts) in subnets {
            if let Some(network) = self.networks.get_mut(at) {
                network.release(parts);
            }
        }
    }

    fn texts(&self, subnets: &[SubnetRun]) -> Vec<String> {
        let text = |(at, (first, _)): &SubnetRun| Some(self.networks.get(*at)?.text(*first));
        subnets.iter().filter_map(text).collect()
    }
}

impl MaskSizes {
    /// The mask sizes that the flags result in.
    fn resolve(self, is_dual: bool, is_v6: bool) -> Result<(u8, u8), &'static str> {
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
        Ok((own(self.v4, DEFAULT_V4), own(self.v6, DEFAULT_V6)))
    }
}
