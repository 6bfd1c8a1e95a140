//! The endpoints that a Service should have, grouped by the ports of its pods.

use super::inputs::SliceInputs;
use crate::pod::Pod;
use crate::service::{Distribution, Service};
use crate::slices::{Endpoint, EndpointKey, Hints, Port, Reference};
use ratchet_net::Family;
use std::collections::BTreeMap;

/// Endpoints by identity.
pub(super) type Endpoints = BTreeMap<EndpointKey, Endpoint>;

/// The desired endpoints of one family. Pods that resolve the named ports of the Service
/// differently belong in separate slices.
pub(super) fn endpoints_by_ports(
    inputs: &SliceInputs<'_>,
    family: Family,
) -> BTreeMap<Vec<Port>, Endpoints> {
    let mut by_ports: BTreeMap<Vec<Port>, Endpoints> = BTreeMap::new();
    for pod in inputs.pods.iter().filter(|pod| pod.can_be_endpoint()) {
        let addresses = pod.addresses_of(family);
        let group = by_ports.entry(ports(inputs.service, pod)).or_default();
        // A pod on an unknown node may be a leftover, unless the Service publishes not-ready
        // addresses.
        let zone = (inputs.zone)(pod.node_name);
        if addresses.is_empty() || (zone.is_none() && !inputs.service.publishes_all) {
            continue;
        }
        let endpoint = endpoint(inputs.service, pod, addresses, zone);
        group.insert(endpoint.key(), endpoint);
    }
    by_ports
}

/// The ports of the Service resolved for this pod; those that the pod lacks are left out.
fn ports(service: &Service<'_>, pod: &Pod<'_>) -> Vec<Port> {
    let resolved = service.ports.iter().filter_map(|service_port| {
        Some(Port {
            name: service_port.name.to_owned(),
            protocol: service_port.protocol.to_owned(),
            port: Some(pod.port(service_port)?),
            app_protocol: service_port.app_protocol.map(str::to_owned),
        })
    });
    let mut ports: Vec<_> = resolved.collect();
    ports.sort();
    ports
}

fn endpoint(
    service: &Service<'_>,
    pod: &Pod<'_>,
    addresses: Vec<String>,
    zone: Option<String>,
) -> Endpoint {
    let non_empty = |text: &str| (!text.is_empty()).then(|| text.to_owned());
    let mut endpoint = Endpoint {
        addresses,
        // A terminating pod is not ready, even while it still serves.
        ready: Some(service.publishes_all || (pod.is_ready && !pod.is_deleted)),
        serving: Some(pod.is_ready),
        terminating: Some(pod.is_deleted),
        hostname: pod.hostname_for(service).map(str::to_owned),
        target: Some(Reference::pod(pod.namespace, pod.name, pod.uid)),
        node_name: non_empty(pod.node_name),
        zone: zone.filter(|zone| !zone.is_empty()),
        hints: None,
    };
    endpoint.hints = hints(service, &endpoint);
    endpoint
}

/// Hints for nearby clients, if `trafficDistribution` prefers that.
fn hints(service: &Service<'_>, endpoint: &Endpoint) -> Option<Hints> {
    if service.wants_topology_hints || !endpoint.is_ready() {
        return None;
    }
    let zones = Vec::from_iter(endpoint.zone.clone());
    let nodes = Vec::from_iter(endpoint.node_name.clone());
    let hints = match service.distribution {
        Distribution::Anywhere => return None,
        Distribution::SameZone => Hints { zones, nodes: Vec::new() },
        Distribution::SameNode => Hints { zones, nodes },
    };
    (hints != Hints::default()).then_some(hints)
}
