//! A small cluster for tests of plans, to which the writes of a plan can be applied.

use crate::Shared;
use crate::endpoint_slice::topology::{ZONE, ratios};
use crate::endpoint_slice::{SliceInputs, plan};
use crate::labels::label;
use crate::pod::Pod;
use crate::service::Service;
use crate::slices::{Slice, Write};
use crate::testing::{node, pod};
use ratchet_object::Node;
use std::collections::BTreeMap;

/// A Service, its pods, the nodes and the slices.
pub(crate) struct World {
    pub(crate) service: Node<'static>,
    pub(crate) pods: BTreeMap<String, Node<'static>>,
    pub(crate) nodes: BTreeMap<String, Node<'static>>,
    pub(crate) slices: BTreeMap<String, Shared>,
    created: usize,
}

impl World {
    /// A Service with this spec, and two nodes in two zones.
    pub(crate) fn new(spec: &str) -> Self {
        let mut service = node(
            "{metadata: {name: web, namespace: shop, uid: s1, creationTimestamp: '2026-01-01T00:00:00Z'}}",
        );
        service.set("spec", node(spec));
        let mut world = Self {
            service,
            pods: BTreeMap::new(),
            nodes: BTreeMap::new(),
            slices: BTreeMap::new(),
            created: 0,
        };
        world.add_node("n1", "z1");
        world.add_node("n2", "z2");
        world
    }

    pub(crate) fn add_node(&mut self, name: &str, zone: &str) {
        let text = format!(
            "{{metadata: {{name: {name}, labels: {{'{ZONE}': '{zone}'}}}}, status: {{allocatable: {{cpu: '4'}}, conditions: [{{type: Ready, status: 'True'}}]}}}}"
        );
        self.nodes.insert(name.to_owned(), node(&text));
    }

    /// Adds a ready pod on a node.
    pub(crate) fn add_pod(&mut self, name: &str, on: &str, ips: &[&str]) {
        self.pods.insert(name.to_owned(), pod(name, on, ips));
    }

    pub(crate) fn add_pods(&mut self, numbers: std::ops::Range<usize>) {
        for n in numbers {
            let ip = format!("10.0.{}.{}", n / 250, n % 250 + 1);
            self.add_pod(&format!("p{n:04}"), ["n1", "n2"][n % 2], &[&ip]);
        }
    }

    pub(crate) fn set(&mut self, pod: &str, path: &[&'static str], value: &str) {
        let (last, path) = path.split_last().expect("a path");
        let mut target = self.pods.get_mut(pod).expect("there");
        for name in path {
            target = target.map_mut(name);
        }
        target.set(*last, node(value));
    }

    pub(crate) fn unready(&mut self, pod: &str) {
        self.set(pod, &["status", "conditions"], "[{type: Ready, status: 'False'}]");
    }

    pub(crate) fn plan(&self) -> Vec<Write> {
        let service = Service::from_node(&self.service);
        let pods: Vec<_> = self.pods.values().map(Pod::from_node).collect();
        let slices: Vec<_> = self.slices.values().cloned().collect();
        let zone = |name: &str| {
            let node = self.nodes.get(name)?;
            Some(label(node, ZONE).unwrap_or_default().to_owned())
        };
        let cpu_ratios = ratios(self.nodes.values());
        plan(&SliceInputs {
            service: &service,
            pods: &pods,
            zone: &zone,
            ratios: cpu_ratios.as_ref().filter(|_| service.wants_topology_hints),
            slices: &slices,
            trigger: "2026-02-03T04:05:06Z".parse().ok(),
        })
    }

    /// Applies the plan, checks that a second plan is empty, and returns the numbers of creates,
    /// updates and deletes.
    pub(crate) fn settle(&mut self) -> (usize, usize, usize) {
        let (mut counts, writes) = ((0, 0, 0), self.plan());
        for write in writes {
            match write {
                Write::Create(node) => {
                    counts.0 += 1;
                    self.created += 1;
                    // Names have no order that plans could rely on.
                    let name = format!("web-{:03}", (self.created * 617) % 1000);
                    self.put(&name, node);
                }
                Write::Update(node) => {
                    counts.1 += 1;
                    let name = node.metadata().name().to_owned();
                    assert!(self.slices.contains_key(&name), "an update of what is there");
                    self.put(&name, node);
                }
                Write::Delete(node) => {
                    counts.2 += 1;
                    let removed = self.slices.remove(node.metadata().name());
                    assert!(removed.is_some(), "a deletion of what is there");
                }
            }
        }
        let again = self.plan();
        assert!(again.is_empty(), "a second plan after {counts:?}: {again:?}");
        counts
    }

    fn put(&mut self, name: &str, mut node: Node<'static>) {
        node.map_mut("metadata").set("name", Node::string(name.to_owned()));
        node.map_mut("metadata").set("uid", Node::string(format!("uid of {name}")));
        // Encoded and decoded, as it comes back over the wire.
        let decoded =
            crate::client::parse_json(node.to_json().as_bytes()).expect("reads").into_owned();
        self.slices.insert(name.to_owned(), Shared::new(decoded));
    }

    pub(crate) fn parsed_slices(&self) -> Vec<Slice> {
        self.slices.values().map(Slice::from_node).collect()
    }

    /// All addresses, sorted.
    pub(crate) fn addresses(&self) -> Vec<String> {
        let slices = self.parsed_slices();
        let endpoints = slices.iter().flat_map(|slice| &slice.endpoints);
        let mut all: Vec<_> = endpoints.flat_map(|endpoint| endpoint.addresses.clone()).collect();
        all.sort();
        all
    }

    /// The only endpoint, as JSON.
    pub(crate) fn endpoint(&self) -> String {
        let slices = self.parsed_slices();
        let endpoints: Vec<_> = slices.iter().flat_map(|slice| &slice.endpoints).collect();
        assert_eq!(endpoints.len(), 1);
        endpoints[0].to_node().to_json()
    }
}
