//! What must be written so that slices show hand-made Endpoints: a plain function.

use crate::Shared;
use crate::addresses::{Address, name_of};
use crate::endpoints::{LEADER, Subset, SubsetAddress, repacked};
use crate::labels::{annotations, labels};
use crate::slices::{
    Endpoint, EndpointKey, MANAGED_BY, Port, SERVICE_NAME, Slice, Write, annotate_all, is_owned,
    owner, prefix,
};
use crate::trigger;
use ratchet_object::Node;
use std::collections::BTreeMap;

/// How this controller signs its slices.
pub(super) const CONTROLLER: &str = "endpointslicemirroring-controller.k8s.io";

/// Endpoints with this label, set to true, are not mirrored.
const SKIP: &str = "endpointslice.kubernetes.io/skip-mirror";

/// Annotations that say something of the Endpoints only.
const OWN: [&str; 2] = [trigger::ANNOTATION, "kubectl.kubernetes.io/last-applied-configuration"];

/// No more addresses of a subset are mirrored.
pub(super) const MOST: usize = 1000;

/// Endpoints of one family that offer the same ports: they stand in one slice.
type Groups = BTreeMap<(&'static str, Vec<Port>), BTreeMap<EndpointKey, Endpoint>>;

/// What must be written, and what could not be mirrored.
#[derive(Debug, Default)]
pub(crate) struct Plan {
    pub(crate) writes: Vec<Write>,
    /// How many addresses cannot be read.
    pub(crate) unreadable: usize,
    /// How many were too many.
    pub(crate) excess: usize,
}

/// Whether Endpoints are to be mirrored at all.
pub(super) fn is_mirrored(endpoints: &Node<'_>) -> bool {
    labels(endpoints).all(|label| label != (SKIP, "true"))
        && annotations(endpoints).all(|(name, _)| name != LEADER)
}

/// What must be written. Once it is, the plan is empty.
pub(crate) fn plan(endpoints: &Node<'_>, slices: &[Shared]) -> Plan {
    let mut plan = Plan::default();
    let mut groups = Groups::new();
    let subsets = Subset::read_all(endpoints).into_iter();
    let subsets = subsets.map(|subset| plan.canonical(subset)).collect();
    for subset in repacked(subsets) {
        plan.excess += subset.len().saturating_sub(MOST);
        group(subset, &mut groups);
    }
    plan.writes = writes(endpoints, groups, slices);
    plan
}

impl Plan {
    /// The subset with canonical addresses, so that two spellings of one are one.
    fn canonical(&mut self, subset: Subset) -> Subset {
        let mut read = |list: Vec<SubsetAddress>| -> Vec<SubsetAddress> {
            let before = list.len();
            let known = list.into_iter().filter_map(|address| {
                Some(SubsetAddress { ip: Address::read(&address.ip)?.text(), ..address })
            });
            let known: Vec<_> = known.collect();
            self.unreadable += before - known.len();
            known
        };
        Subset { ready: read(subset.ready), unready: read(subset.unready), ports: subset.ports }
    }
}

fn group(subset: Subset, groups: &mut Groups) {
    let Subset { ready, unready, ports } = subset;
    let ready = ready.into_iter().map(|address| (address, true));
    let all = ready.chain(unready.into_iter().map(|address| (address, false)));
    for (address, is_ready) in all.take(MOST) {
        let Some(family) = Address::read(&address.ip).map(|address| address.family()) else {
            continue;
        };
        let endpoint = Endpoint {
            addresses: vec![address.ip],
            ready: Some(is_ready),
            hostname: Some(address.hostname).filter(|name| !name.is_empty()),
            target: address.target,
            node_name: address.node_name,
            ..Endpoint::default()
        };
        let group = groups.entry((name_of(family), ports.clone())).or_default();
        let key = endpoint.key();
        // Who is not ready in one place is not ready.
        let was_unready = group.get(&key).is_some_and(|known| !known.is_ready());
        if !was_unready && (group.len() < MOST || group.contains_key(&key)) {
            group.insert(key, endpoint);
        }
    }
}

fn writes(endpoints: &Node<'_>, groups: Groups, slices: &[Shared]) -> Vec<Write> {
    let mut existing: BTreeMap<_, Vec<Slice>> = BTreeMap::new();
    for slice in slices.iter().map(Slice::read) {
        let key = (slice.address_type.clone(), slice.ports.clone());
        existing.entry(key).or_default().push(slice);
    }
    let mirror = Mirror::of(endpoints);
    let (mut drafts, mut doomed) = (Vec::new(), Vec::new());
    for ((family, ports), wanted) in groups {
        let there = existing.remove(&(family.to_owned(), ports.clone())).unwrap_or_default();
        let mut there = there.into_iter();
        let first = there.next();
        doomed.extend(there);
        let slice = Slice {
            origin: first.as_ref().and_then(|first| first.origin.clone()),
            address_type: family.to_owned(),
            labels: mirror.labels.clone(),
            ports,
            endpoints: in_place(first, wanted),
        };
        drafts.push(slice);
    }
    doomed.extend(existing.into_values().flatten());
    for draft in drafts.iter_mut().filter(|draft| draft.origin.is_none()) {
        let at = doomed.iter().position(|slice| slice.address_type == draft.address_type);
        draft.origin = at.and_then(|at| doomed.remove(at).origin);
    }
    let is_deleted = !endpoints.text_at(&["metadata", "deletionTimestamp"]).is_empty();
    drafts.retain(|draft| !mirror.is_so(draft) && (draft.origin.is_some() || !is_deleted));
    drafts.sort_by_key(|draft| draft.origin.is_some());
    let writes = drafts.iter().map(|draft| mirror.write(draft));
    let deletes = doomed.into_iter().filter_map(|slice| slice.origin).map(Write::Delete);
    writes.chain(deletes).collect()
}

/// The endpoints, those that are there already in the order in which they stand.
fn in_place(slice: Option<Slice>, mut wanted: BTreeMap<EndpointKey, Endpoint>) -> Vec<Endpoint> {
    let there = slice.map(|slice| slice.endpoints).unwrap_or_default();
    let kept = there.iter().filter_map(|endpoint| wanted.remove(&endpoint.key()));
    let mut endpoints: Vec<_> = kept.collect();
    endpoints.extend(wanted.into_values());
    endpoints
}

/// What all slices of an Endpoints object have from it.
struct Mirror<'n> {
    namespace: &'n str,
    name: &'n str,
    uid: &'n str,
    labels: BTreeMap<String, String>,
    annotations: BTreeMap<String, String>,
}

impl<'n> Mirror<'n> {
    fn of(endpoints: &'n Node<'_>) -> Self {
        let owned = |(name, value): (&str, &str)| (name.to_owned(), value.to_owned());
        let name = endpoints.text_at(&["metadata", "name"]);
        let mut labels: BTreeMap<_, _> = labels(endpoints).map(owned).collect();
        labels.insert(SERVICE_NAME.to_owned(), name.to_owned());
        labels.insert(MANAGED_BY.to_owned(), CONTROLLER.to_owned());
        let annotations = annotations(endpoints).filter(|(name, _)| !OWN.contains(name));
        Self {
            namespace: endpoints.text_at(&["metadata", "namespace"]),
            name,
            uid: endpoints.text_at(&["metadata", "uid"]),
            labels,
            annotations: annotations.map(owned).collect(),
        }
    }

    /// Whether the slice in the API is just so.
    fn is_so(&self, draft: &Slice) -> bool {
        let Some(origin) = &draft.origin else { return false };
        let found = annotations(origin);
        let same = annotations(origin).count() == self.annotations.len()
            && found.into_iter().all(|(name, value)| {
                self.annotations.get(name).is_some_and(|known| known == value)
            });
        same && draft.is_as_found() && is_owned(origin, "Endpoints", self.uid)
    }

    fn write(&self, draft: &Slice) -> Write {
        let owner = owner("Endpoints", self.name, self.uid);
        let mut node = draft.to_node(self.namespace, &prefix(self.name), owner);
        annotate_all(&mut node, &self.annotations);
        match draft.origin {
            Some(_) => Write::Update(node),
            None => Write::Create(node),
        }
    }
}
