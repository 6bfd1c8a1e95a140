//! The addresses and node ports that a Service has, derived from the Service itself.

use crate::spec::Spec;
use alloc::collections::BTreeSet;
use alloc::string::String;
use core::net::IpAddr;
use ratchet_net::IpText;

/// The addresses and node ports of one Service.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct ServiceAllocations {
    pub(crate) addresses: BTreeSet<IpAddr>,
    pub(crate) ports: BTreeSet<(u16, String)>,
}

impl ServiceAllocations {
    /// The allocations of a Service. Fields that its type does not use count for nothing.
    pub(crate) fn of(spec: &Spec) -> Self {
        let mut allocations = Self::default();
        if !spec.is_external_name() && !spec.is_headless() {
            let parse = |ip: &String| IpText::parse(ip).ok().map(|ip| ip.addr());
            allocations.addresses = spec.cluster_ips.iter().filter_map(parse).collect();
        }
        if spec.may_have_node_ports() {
            let stated = spec.ports.iter().map(|port| (port.node_port, port.protocol.as_str()));
            let health = spec.has_health_port().then_some((spec.health_port, "TCP"));
            allocations.ports = stated
                .chain(health)
                .filter_map(|(number, protocol)| {
                    let port = u16::try_from(number).ok().filter(|port| *port != 0)?;
                    Some((port, protocol.into()))
                })
                .collect();
        }
        allocations
    }

    /// The node ports, whatever their protocols.
    pub(crate) fn numbers(&self) -> BTreeSet<u16> {
        self.ports.iter().map(|(number, _)| *number).collect()
    }
}
