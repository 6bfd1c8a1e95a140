//! Plan of the writes that bring the EndpointSlices of a Service in line with its pods: a pure
//! function.

use super::desired;
use super::hints;
use super::inputs::SliceInputs;
use super::pack::{Draft, pack};
use crate::addresses::{FAMILIES, family_name};
use crate::service::{HEADLESS, Service};
use crate::slices::{
    Endpoint, MANAGED_BY, SERVICE_NAME, Slice, Write, annotate, is_owned, owner, prefix,
};
use crate::trigger;
use ratchet_net::Family;
use std::collections::BTreeMap;

/// The value of the managed-by label of this controller's slices.
pub(super) const CONTROLLER: &str = "endpointslice-controller.k8s.io";

/// The slices of one family.
#[derive(Default)]
struct FamilyPlan {
    drafts: Vec<Draft>,
    obsolete: Vec<Slice>,
}

/// The necessary writes. Once they are applied, the plan is empty.
pub(crate) fn plan(inputs: &SliceInputs<'_>) -> Vec<Write> {
    let families = inputs.service.families();
    let existing: Vec<_> = inputs.slices.iter().map(Slice::from_node).collect();
    let labels = labels(inputs.service);
    let mut writes = Vec::new();
    for family in &families {
        let name = family_name(*family);
        let slices = existing.iter().filter(|slice| slice.address_type == name);
        let family_plan = plan_family(inputs, *family, slices.cloned().collect(), &labels);
        writes.extend(finish(inputs, family_plan));
    }
    let is_served = |slice: &&Slice| {
        let family = FAMILIES.iter().find(|(_, name)| *name == slice.address_type);
        family.is_some_and(|(family, _)| families.contains(family))
    };
    let unserved = existing.iter().filter(|slice| !is_served(slice));
    writes.extend(unserved.filter_map(|slice| slice.origin.clone()).map(Write::Delete));
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

fn plan_family(
    inputs: &SliceInputs<'_>,
    family: Family,
    existing: Vec<Slice>,
    labels: &BTreeMap<String, String>,
) -> FamilyPlan {
    let blank = Slice {
        origin: None,
        address_type: family_name(family).to_owned(),
        labels: labels.clone(),
        ports: Vec::new(),
        endpoints: Vec::new(),
    };
    let wants_topology_hints = inputs.service.wants_topology_hints;
    let is_same = |new: &Endpoint, old: &Endpoint| {
        new.equals_except_hints(old) && (wants_topology_hints || new.hints == old.hints)
    };
    // Slices of a deleted Service of the same name are left to be collected with it.
    let (own, foreign): (Vec<_>, Vec<_>) =
        existing.into_iter().partition(|slice| is_own(inputs.service, slice));
    let mut family_plan = FamilyPlan { obsolete: foreign, ..FamilyPlan::default() };
    let mut by_ports: BTreeMap<_, Vec<Slice>> = BTreeMap::new();
    for slice in own {
        by_ports.entry(slice.ports.clone()).or_default().push(slice);
    }
    for (ports, endpoints) in desired::endpoints_by_ports(inputs, family) {
        let reusable = by_ports.remove(&ports).unwrap_or_default();
        let packed = pack(reusable, endpoints, labels, is_same, &Slice { ports, ..blank.clone() });
        family_plan.drafts.extend(packed.drafts);
        family_plan.obsolete.extend(packed.empty);
    }
    family_plan.obsolete.extend(by_ports.into_values().flatten());
    ensure_placeholder(&mut family_plan, inputs.service, &blank);
    if wants_topology_hints {
        hints::spread(&mut family_plan.drafts, inputs.ratios);
    }
    family_plan
}

fn is_own(service: &Service<'_>, slice: &Slice) -> bool {
    slice.origin.as_ref().is_some_and(|origin| is_owned(origin, "Service", service.uid))
}

/// A Service without endpoints has one empty slice.
fn ensure_placeholder(family_plan: &mut FamilyPlan, service: &Service<'_>, blank: &Slice) {
    if !family_plan.drafts.is_empty() {
        return;
    }
    let is_placeholder = |slice: &Slice| {
        slice.ports.is_empty()
            && slice.endpoints.is_empty()
            && slice.labels == blank.labels
            && is_own(service, slice)
    };
    match family_plan.obsolete.iter().position(is_placeholder) {
        Some(index) => {
            let slice = family_plan.obsolete.remove(index);
            family_plan.drafts.push(Draft { slice, is_changed: false });
        }
        None => family_plan.drafts.push(Draft { slice: blank.clone(), is_changed: true }),
    }
}

/// Turns drafts into writes: slices to be deleted are reused for those to be created.
fn finish(inputs: &SliceInputs<'_>, family_plan: FamilyPlan) -> Vec<Write> {
    let FamilyPlan { mut drafts, mut obsolete } = family_plan;
    for draft in drafts.iter_mut().filter(|draft| draft.slice.origin.is_none()) {
        if let Some(index) = obsolete.iter().position(|slice| is_own(inputs.service, slice)) {
            draft.slice.origin = obsolete.remove(index).origin;
        }
    }
    let (mut creates, mut updates) = (Vec::new(), Vec::new());
    for Draft { slice, .. } in drafts {
        match slice.origin {
            // Nothing is created for a Service that is being deleted: its slices are being
            // collected.
            None if inputs.service.is_deleted => {}
            None => creates.push(Write::Create(to_node(inputs, &slice))),
            Some(_) if slice.is_unchanged() => {}
            Some(_) => updates.push(Write::Update(to_node(inputs, &slice))),
        }
    }
    let deletes = obsolete.into_iter().filter_map(|slice| slice.origin).map(Write::Delete);
    creates.into_iter().chain(updates).chain(deletes).collect()
}

fn to_node(inputs: &SliceInputs<'_>, slice: &Slice) -> ratchet_object::Node<'static> {
    let service = inputs.service;
    let owner = owner("Service", service.name, service.uid);
    let mut node = slice.to_node(service.namespace, &prefix(service.name), owner);
    annotate(&mut node, trigger::ANNOTATION, inputs.trigger.map(|time| time.to_string()));
    node
}
