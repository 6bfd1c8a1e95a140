//! Plan of the write that brings the Endpoints of a Service in line with its pods: a pure function.

use super::subsets::{EndpointAddress, Subset, repacked, truncate};
use crate::Shared;
use crate::labels::{annotations, labels};
use crate::pod::Pod;
use crate::service::{HEADLESS, Service};
use crate::slices::{Port, Reference, Write, annotate};
use crate::trigger;
use jiff::Timestamp;
use ratchet_object::Node;
use std::collections::BTreeMap;

/// The label with the controller of an Endpoints object.
const MANAGED_BY: &str = "endpoints.kubernetes.io/managed-by";
const CONTROLLER: &str = "endpoint-controller";

/// The annotation of truncated Endpoints.
const OVER_CAPACITY: &str = "endpoints.kubernetes.io/over-capacity";

/// The maximum number of addresses in an Endpoints object.
const MAX_ADDRESSES: usize = 1000;

/// The inputs of a plan.
pub(crate) struct EndpointsInputs<'a> {
    pub(crate) service: &'a Service<'a>,
    /// The pods that the Service selects.
    pub(crate) pods: &'a [Pod<'a>],
    /// The existing Endpoints of the same name.
    pub(crate) endpoints: Option<&'a Shared>,
    /// When the change happened that triggers the write.
    pub(crate) trigger: Option<Timestamp>,
}

/// The necessary write, if any. Once it is applied, the plan is empty.
pub(crate) fn plan(inputs: &EndpointsInputs<'_>) -> Option<Write> {
    let mut subsets = repacked(desired_subsets(inputs.service, inputs.pods));
    let is_truncated = truncate(&mut subsets, MAX_ADDRESSES);
    let labels = desired_labels(inputs.service);
    if inputs
        .endpoints
        .is_some_and(|current| is_up_to_date(current, &subsets, &labels, is_truncated))
    {
        return None;
    }
    let mut node = match inputs.endpoints {
        Some(current) => Node::clone(current),
        None => Node::empty_map(),
    };
    node.set("apiVersion", Node::string("v1"));
    node.set("kind", Node::string("Endpoints"));
    let metadata = node.map_mut("metadata");
    metadata.set("name", Node::string(inputs.service.name.to_owned()));
    metadata.set("namespace", Node::string(inputs.service.namespace.to_owned()));
    let labels = labels.into_iter();
    metadata.set("labels", Node::map(labels.map(|(name, value)| (name, Node::string(value)))));
    annotate(&mut node, trigger::ANNOTATION, inputs.trigger.map(|time| time.to_string()));
    annotate(&mut node, OVER_CAPACITY, is_truncated.then(|| "truncated".to_owned()));
    node.set("subsets", Node::list(subsets.iter().map(Subset::to_node).collect()));
    Some(match inputs.endpoints {
        Some(_) => Write::Update(node),
        None => Write::Create(node),
    })
}

/// Whether the object is up to date. Another order of subsets means the same.
fn is_up_to_date(
    current: &Node<'_>,
    subsets: &[Subset],
    desired: &BTreeMap<String, String>,
    is_truncated: bool,
) -> bool {
    let current_subsets = Subset::all_from_node(current);
    let same_labels = labels(current).count() == desired.len()
        && labels(current).all(|(name, value)| {
            desired.get(name).is_some_and(|desired_value| desired_value == value)
        });
    let has_annotation = annotations(current).any(|(name, _)| name == OVER_CAPACITY);
    same_labels
        && has_annotation == is_truncated
        && (current_subsets == subsets || repacked(current_subsets) == subsets)
}

fn desired_labels(service: &Service<'_>) -> BTreeMap<String, String> {
    let owned = |(name, value): (&&str, &&str)| ((*name).to_owned(), (*value).to_owned());
    let mut labels: BTreeMap<_, _> = service.labels.iter().map(owned).collect();
    labels.remove(HEADLESS);
    if service.is_headless() {
        labels.insert(HEADLESS.to_owned(), String::new());
    }
    labels.insert(MANAGED_BY.to_owned(), CONTROLLER.to_owned());
    labels
}

/// One subset for each pod and port.
fn desired_subsets(service: &Service<'_>, pods: &[Pod<'_>]) -> Vec<Subset> {
    let mut subsets = Vec::new();
    for pod in pods.iter().filter(|pod| pod.can_be_endpoint()) {
        if pod.is_deleted && !service.publishes_all {
            continue;
        }
        let Some(address) = address(service, pod) else { continue };
        let is_ready = service.publishes_all || pod.is_ready;
        let mut add = |ports: Vec<Port>| {
            let (ready, unready) = if is_ready {
                (vec![address.clone()], vec![])
            } else {
                (vec![], vec![address.clone()])
            };
            subsets.push(Subset { ready, unready, ports });
        };
        if service.ports.is_empty() && service.cluster_ip == "None" {
            add(Vec::new());
        }
        service
            .ports
            .iter()
            .filter_map(|service_port| port(pod, service_port))
            .for_each(|port| add(vec![port]));
    }
    subsets
}

fn port(pod: &Pod<'_>, service_port: &crate::service::ServicePort<'_>) -> Option<Port> {
    Some(Port {
        name: service_port.name.to_owned(),
        protocol: service_port.protocol.to_owned(),
        port: Some(pod.port(service_port)?),
        app_protocol: service_port.app_protocol.map(str::to_owned),
    })
}

/// The first address of the single family that Endpoints support.
fn address(service: &Service<'_>, pod: &Pod<'_>) -> Option<EndpointAddress> {
    let family = service.first_family(pod.first_family());
    Some(EndpointAddress {
        ip: pod.addresses_of(family).into_iter().next()?,
        hostname: pod.hostname_for(service).unwrap_or_default().to_owned(),
        node_name: (!pod.node_name.is_empty()).then(|| pod.node_name.to_owned()),
        target: Some(Reference::pod(pod.namespace, pod.name, pod.uid)),
    })
}
