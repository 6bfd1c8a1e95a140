//! The endpoints that a Service should have, by the ports that its pods offer.

use super::Inputs;
use crate::pod::Pod;
use crate::service::{Distribution, Service};
use crate::slices::{Endpoint, EndpointKey, Hints, Port, Reference};
use ratchet_net::Family;
use std::collections::BTreeMap;

/// Endpoints, each once.
pub(super) type Endpoints = BTreeMap<EndpointKey, Endpoint>;

/// The endpoints of one family. Pods that find other ports under the names of the Service stand
/// in slices of their own.
pub(super) fn of(inputs: &Inputs<'_>, family: Family) -> BTreeMap<Vec<Port>, Endpoints> {
    let mut by_ports: BTreeMap<Vec<Port>, Endpoints> = BTreeMap::new();
    for pod in inputs.pods.iter().filter(|pod| pod.is_placed()) {
        let addresses = pod.texts_of(family);
        let group = by_ports.entry(ports(inputs.service, pod)).or_default();
        // A pod whose node is not known may be a leftover, unless the user wants all there is.
        let zone = (inputs.zone)(pod.node_name);
        if addresses.is_empty() || (zone.is_none() && !inputs.service.publishes_all) {
            continue;
        }
        let endpoint = endpoint(inputs.service, pod, addresses, zone);
        group.insert(endpoint.key(), endpoint);
    }
    by_ports
}

/// The ports of the Service as this pod has them; those that it lacks are left out.
fn ports(service: &Service<'_>, pod: &Pod<'_>) -> Vec<Port> {
    let found = service.ports.iter().filter_map(|wanted| {
        Some(Port {
            name: wanted.name.to_owned(),
            protocol: wanted.protocol.to_owned(),
            port: Some(pod.port(wanted)?),
            app_protocol: wanted.app_protocol.map(str::to_owned),
        })
    });
    let mut ports: Vec<_> = found.collect();
    ports.sort();
    ports
}

fn endpoint(
    service: &Service<'_>,
    pod: &Pod<'_>,
    addresses: Vec<String>,
    zone: Option<String>,
) -> Endpoint {
    let some = |text: &str| (!text.is_empty()).then(|| text.to_owned());
    let mut endpoint = Endpoint {
        addresses,
        // A pod that goes is not ready any more, even while it still serves.
        ready: Some(service.publishes_all || (pod.is_ready && !pod.is_deleted)),
        serving: Some(pod.is_ready),
        terminating: Some(pod.is_deleted),
        hostname: pod.hostname_for(service).map(str::to_owned),
        target: Some(Reference::pod(pod.namespace, pod.name, pod.uid)),
        node_name: some(pod.node_name),
        zone: zone.filter(|zone| !zone.is_empty()),
        hints: None,
    };
    endpoint.hints = hints(service, &endpoint);
    endpoint
}

/// Those who are near shall come first, if the Service prefers that.
fn hints(service: &Service<'_>, endpoint: &Endpoint) -> Option<Hints> {
    if service.spreads || !endpoint.is_ready() {
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
