//! What must be written so that the Endpoints of a Service show its pods: a plain function.

use super::subsets::{Address, Subset, repacked, truncated};
use crate::Shared;
use crate::labels::{annotations, labels};
use crate::pod::Pod;
use crate::service::{HEADLESS, Service};
use crate::slices::{Port, Reference, Write, annotate};
use crate::trigger;
use jiff::Timestamp;
use ratchet_object::Node;
use std::collections::BTreeMap;

/// Tells who keeps an Endpoints object.
const MANAGED_BY: &str = "endpoints.kubernetes.io/managed-by";
const CONTROLLER: &str = "endpoint-controller";

/// Tells that not all addresses are there.
const OVER_CAPACITY: &str = "endpoints.kubernetes.io/over-capacity";

/// No Endpoints object holds more addresses.
const MOST: usize = 1000;

/// All that a plan is made from.
pub(crate) struct Inputs<'a> {
    pub(crate) service: &'a Service<'a>,
    /// The pods that it selects.
    pub(crate) pods: &'a [Pod<'a>],
    /// The Endpoints of its name.
    pub(crate) endpoints: Option<&'a Shared>,
    /// When that happened for which they are written.
    pub(crate) trigger: Option<Timestamp>,
}

/// What must be written, if anything. Once it is, the plan is empty.
pub(crate) fn plan(inputs: &Inputs<'_>) -> Option<Write> {
    let mut subsets = repacked(wanted(inputs.service, inputs.pods));
    let is_cut = truncated(&mut subsets, MOST);
    let labels = wanted_labels(inputs.service);
    if inputs.endpoints.is_some_and(|there| is_so(there, &subsets, &labels, is_cut)) {
        return None;
    }
    let mut node = match inputs.endpoints {
        Some(there) => Node::clone(there),
        None => Node::empty_map(),
    };
    node.set("apiVersion", Node::string("v1"));
    node.set("kind", Node::string("Endpoints"));
    let metadata = node.below("metadata");
    metadata.set("name", Node::string(inputs.service.name.to_owned()));
    metadata.set("namespace", Node::string(inputs.service.namespace.to_owned()));
    let labels = labels.into_iter();
    metadata.set("labels", Node::map(labels.map(|(name, value)| (name, Node::string(value)))));
    annotate(&mut node, trigger::ANNOTATION, inputs.trigger.map(|time| time.to_string()));
    annotate(&mut node, OVER_CAPACITY, is_cut.then(|| "truncated".to_owned()));
    node.set("subsets", Node::list(subsets.iter().map(Subset::to_node).collect()));
    Some(match inputs.endpoints {
        Some(_) => Write::Update(node),
        None => Write::Create(node),
    })
}

/// Whether nothing need be written. Others order subsets otherwise, and mean the same.
fn is_so(
    there: &Node<'_>,
    subsets: &[Subset],
    wanted: &BTreeMap<String, String>,
    is_cut: bool,
) -> bool {
    let found = Subset::read_all(there);
    let same_labels = labels(there).count() == wanted.len()
        && labels(there).all(|(name, value)| wanted.get(name).is_some_and(|known| known == value));
    let says_cut = annotations(there).any(|(name, _)| name == OVER_CAPACITY);
    same_labels && says_cut == is_cut && (found == subsets || repacked(found) == subsets)
}

fn wanted_labels(service: &Service<'_>) -> BTreeMap<String, String> {
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
fn wanted(service: &Service<'_>, pods: &[Pod<'_>]) -> Vec<Subset> {
    let mut subsets = Vec::new();
    for pod in pods.iter().filter(|pod| pod.is_placed()) {
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
            .filter_map(|wanted| port(pod, wanted))
            .for_each(|port| add(vec![port]));
    }
    subsets
}

fn port(pod: &Pod<'_>, wanted: &crate::service::ServicePort<'_>) -> Option<Port> {
    Some(Port {
        name: wanted.name.to_owned(),
        protocol: wanted.protocol.to_owned(),
        port: Some(pod.port(wanted)?),
        app_protocol: wanted.app_protocol.map(str::to_owned),
    })
}

/// The first address of the one family that Endpoints have.
fn address(service: &Service<'_>, pod: &Pod<'_>) -> Option<Address> {
    let family = service.first_family(pod.first_family());
    Some(Address {
        ip: pod.texts_of(family).into_iter().next()?,
        hostname: pod.hostname_for(service).unwrap_or_default().to_owned(),
        node_name: (!pod.node_name.is_empty()).then(|| pod.node_name.to_owned()),
        target: Some(Reference::pod(pod.namespace, pod.name, pod.uid)),
    })
}
