//! What must be written so that the slices of a Service show its pods: a plain function.

use super::desired;
use super::hints;
use super::pack::{Draft, pack};
use super::topology::Ratios;
use crate::Shared;
use crate::addresses::{FAMILIES, name_of};
use crate::pod::Pod;
use crate::service::{HEADLESS, Service};
use crate::slices::{
    Endpoint, MANAGED_BY, SERVICE_NAME, Slice, Write, annotate, is_owned, owner, prefix,
};
use crate::trigger;
use jiff::Timestamp;
use ratchet_net::Family;
use std::collections::BTreeMap;

/// How this controller signs its slices.
pub(super) const CONTROLLER: &str = "endpointslice-controller.k8s.io";

/// All that a plan is made from.
pub(crate) struct Inputs<'a> {
    pub(crate) service: &'a Service<'a>,
    /// The pods that it selects.
    pub(crate) pods: &'a [Pod<'a>],
    /// The zone of a node, empty if it has none; nothing if there is no such node.
    pub(crate) zone: &'a dyn Fn(&str) -> Option<String>,
    /// How much of the cluster is in each zone, if that is known.
    pub(crate) ratios: Option<&'a Ratios>,
    /// The slices that this controller keeps for the Service, without those that are being
    /// deleted, in the order of their names.
    pub(crate) slices: &'a [Shared],
    /// When that happened for which slices are written.
    pub(crate) trigger: Option<Timestamp>,
}

/// What becomes of the slices of one family.
#[derive(Default)]
struct Outcome {
    drafts: Vec<Draft>,
    doomed: Vec<Slice>,
}

/// What must be written. Once it is, the plan is empty.
pub(crate) fn plan(inputs: &Inputs<'_>) -> Vec<Write> {
    let families = inputs.service.families();
    let existing: Vec<_> = inputs.slices.iter().map(Slice::read).collect();
    let labels = labels(inputs.service);
    let mut writes = Vec::new();
    for family in &families {
        let name = name_of(*family);
        let slices = existing.iter().filter(|slice| slice.address_type == name);
        let outcome = of_family(inputs, *family, slices.cloned().collect(), &labels);
        writes.extend(finish(inputs, outcome));
    }
    let is_served = |slice: &&Slice| {
        let family = FAMILIES.iter().find(|(_, name)| *name == slice.address_type);
        family.is_some_and(|(family, _)| families.contains(family))
    };
    let strange = existing.iter().filter(|slice| !is_served(slice));
    writes.extend(strange.filter_map(|slice| slice.origin.clone()).map(Write::Delete));
    writes
}

fn labels(service: &Service<'_>) -> BTreeMap<String, String> {
    let mut labels: BTreeMap<_, _> = service
        .labels
        .iter()
        .map(|(name, value)| ((*name).to_owned(), (*value).to_owned()))
        .collect();
    labels.remove(HEADLESS);
    if service.is_headless() {
        labels.insert(HEADLESS.to_owned(), String::new());
    }
    labels.insert(SERVICE_NAME.to_owned(), service.name.to_owned());
    labels.insert(MANAGED_BY.to_owned(), CONTROLLER.to_owned());
    labels
}

fn of_family(
    inputs: &Inputs<'_>,
    family: Family,
    existing: Vec<Slice>,
    labels: &BTreeMap<String, String>,
) -> Outcome {
    let blank = Slice {
        origin: None,
        address_type: name_of(family).to_owned(),
        labels: labels.clone(),
        ports: Vec::new(),
        endpoints: Vec::new(),
    };
    let spreads = inputs.service.spreads;
    let same = |new: &Endpoint, old: &Endpoint| {
        new.same_but_hints(old) && (spreads || new.hints == old.hints)
    };
    // Slices of an older Service of this name are left to go with it.
    let (own, foreign): (Vec<_>, Vec<_>) =
        existing.into_iter().partition(|slice| is_own(inputs.service, slice));
    let mut outcome = Outcome { doomed: foreign, ..Outcome::default() };
    let mut by_ports: BTreeMap<_, Vec<Slice>> = BTreeMap::new();
    for slice in own {
        by_ports.entry(slice.ports.clone()).or_default().push(slice);
    }
    for (ports, wanted) in desired::of(inputs, family) {
        let there = by_ports.remove(&ports).unwrap_or_default();
        let packed = pack(there, wanted, labels, same, &Slice { ports, ..blank.clone() });
        outcome.drafts.extend(packed.drafts);
        outcome.doomed.extend(packed.empty);
    }
    outcome.doomed.extend(by_ports.into_values().flatten());
    keep_one(&mut outcome, inputs.service, &blank);
    if spreads {
        hints::spread(&mut outcome.drafts, inputs.ratios);
    }
    outcome
}

fn is_own(service: &Service<'_>, slice: &Slice) -> bool {
    slice.origin.as_ref().is_some_and(|origin| is_owned(origin, "Service", service.uid))
}

/// A Service without endpoints has one slice that says so.
fn keep_one(outcome: &mut Outcome, service: &Service<'_>, blank: &Slice) {
    if !outcome.drafts.is_empty() {
        return;
    }
    let says_so = |slice: &Slice| {
        slice.ports.is_empty()
            && slice.endpoints.is_empty()
            && slice.labels == blank.labels
            && is_own(service, slice)
    };
    match outcome.doomed.iter().position(says_so) {
        Some(at) => {
            let slice = outcome.doomed.remove(at);
            outcome.drafts.push(Draft { slice, is_changed: false });
        }
        None => outcome.drafts.push(Draft { slice: blank.clone(), is_changed: true }),
    }
}

/// Turns drafts into writes: slices that would go are used again for those that would come.
fn finish(inputs: &Inputs<'_>, outcome: Outcome) -> Vec<Write> {
    let Outcome { mut drafts, mut doomed } = outcome;
    for draft in drafts.iter_mut().filter(|draft| draft.slice.origin.is_none()) {
        if let Some(at) = doomed.iter().position(|slice| is_own(inputs.service, slice)) {
            draft.slice.origin = doomed.remove(at).origin;
        }
    }
    let (mut creates, mut updates) = (Vec::new(), Vec::new());
    for Draft { slice, .. } in drafts {
        match slice.origin {
            // Nothing is made for a Service that goes: its slices are being collected.
            None if inputs.service.is_deleted => {}
            None => creates.push(Write::Create(to_node(inputs, &slice))),
            Some(_) if slice.is_as_found() => {}
            Some(_) => updates.push(Write::Update(to_node(inputs, &slice))),
        }
    }
    let deletes = doomed.into_iter().filter_map(|slice| slice.origin).map(Write::Delete);
    creates.into_iter().chain(updates).chain(deletes).collect()
}

fn to_node(inputs: &Inputs<'_>, slice: &Slice) -> ratchet_object::Node<'static> {
    let service = inputs.service;
    let owner = owner("Service", service.name, service.uid);
    let mut node = slice.to_node(service.namespace, &prefix(service.name), owner);
    annotate(&mut node, trigger::ANNOTATION, inputs.trigger.map(|time| time.to_string()));
    node
}
