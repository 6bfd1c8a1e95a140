//! Plan of the writes that mirror custom Endpoints into EndpointSlices: a pure function.

use crate::Shared;
use crate::addresses::{Address, family_name};
use crate::endpoints::{EndpointAddress, LEADER, Subset, repacked};
use crate::labels::{annotations, labels};
use crate::slices::{
    Endpoint, EndpointKey, MANAGED_BY, Port, SERVICE_NAME, Slice, Write, annotate_all, is_owned,
    owner, prefix,
};
use crate::trigger;
use ratchet_object::Node;
use std::collections::BTreeMap;

/// The value of the managed-by label of this controller's slices.
pub(super) const CONTROLLER: &str = "endpointslicemirroring-controller.k8s.io";

/// Endpoints with this label, set to true, are not mirrored.
const SKIP: &str = "endpointslice.kubernetes.io/skip-mirror";

/// Annotations that concern the Endpoints only.
const NOT_MIRRORED: [&str; 2] =
    [trigger::ANNOTATION, "kubectl.kubernetes.io/last-applied-configuration"];

/// The maximum number of addresses mirrored per subset.
pub(super) const MAX_ADDRESSES: usize = 1000;

/// Endpoints by family and ports: each group becomes one slice.
type Groups = BTreeMap<(&'static str, Vec<Port>), BTreeMap<EndpointKey, Endpoint>>;

/// The necessary writes, and the numbers of skipped addresses.
#[derive(Debug, Default)]
pub(crate) struct Plan {
    pub(crate) writes: Vec<Write>,
    /// Addresses that cannot be parsed.
    pub(crate) invalid: usize,
    /// Addresses above the maximum.
    pub(crate) excess: usize,
}

pub(super) fn is_mirrored(endpoints: &Node<'_>) -> bool {
    labels(endpoints).all(|label| label != (SKIP, "true"))
        && annotations(endpoints).all(|(name, _)| name != LEADER)
}

/// The necessary writes. Once they are applied, the plan is empty.
pub(crate) fn plan(endpoints: &Node<'_>, slices: &[Shared]) -> Plan {
    let mut plan = Plan::default();
    let mut groups = Groups::new();
    let subsets = Subset::all_from_node(endpoints).into_iter();
    let subsets = subsets.map(|subset| plan.canonical(subset)).collect();
    for subset in repacked(subsets) {
        plan.excess += subset.len().saturating_sub(MAX_ADDRESSES);
        group(subset, &mut groups);
    }
    plan.writes = writes(endpoints, groups, slices);
    plan
}

impl Plan {
    /// The subset with canonical addresses, so that two forms of one address are equal.
    fn canonical(&mut self, subset: Subset) -> Subset {
        let mut canonicalize = |list: Vec<EndpointAddress>| -> Vec<EndpointAddress> {
            let before = list.len();
            let valid = list.into_iter().filter_map(|address| {
                Some(EndpointAddress { ip: Address::parse(&address.ip)?.text(), ..address })
            });
            let valid: Vec<_> = valid.collect();
            self.invalid += before - valid.len();
            valid
        };
        Subset {
            ready: canonicalize(subset.ready),
            unready: canonicalize(subset.unready),
            ports: subset.ports,
        }
    }
}

fn group(subset: Subset, groups: &mut Groups) {
    let Subset { ready, unready, ports } = subset;
    let ready = ready.into_iter().map(|address| (address, true));
    let all = ready.chain(unready.into_iter().map(|address| (address, false)));
    for (address, is_ready) in all.take(MAX_ADDRESSES) {
        let Some(family) = Address::parse(&address.ip).map(|address| address.family()) else {
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
        let group = groups.entry((family_name(family), ports.clone())).or_default();
        let key = endpoint.key();
        // An address that is not ready in one subset is not ready.
        let was_unready = group.get(&key).is_some_and(|existing| !existing.is_ready());
        if !was_unready && (group.len() < MAX_ADDRESSES || group.contains_key(&key)) {
            group.insert(key, endpoint);
        }
    }
}

fn writes(endpoints: &Node<'_>, groups: Groups, slices: &[Shared]) -> Vec<Write> {
    let mut existing: BTreeMap<_, Vec<Slice>> = BTreeMap::new();
    for slice in slices.iter().map(Slice::from_node) {
        let key = (slice.address_type.clone(), slice.ports.clone());
        existing.entry(key).or_default().push(slice);
    }
    let mirror = MirroredMetadata::from_endpoints(endpoints);
    let (mut drafts, mut obsolete) = (Vec::new(), Vec::new());
    for ((family, ports), endpoints) in groups {
        let current = existing.remove(&(family.to_owned(), ports.clone())).unwrap_or_default();
        let mut current = current.into_iter();
        let first = current.next();
        obsolete.extend(current);
        let slice = Slice {
            origin: first.as_ref().and_then(|first| first.origin.clone()),
            address_type: family.to_owned(),
            labels: mirror.labels.clone(),
            ports,
            endpoints: preserve_order(first, endpoints),
        };
        drafts.push(slice);
    }
    obsolete.extend(existing.into_values().flatten());
    for draft in drafts.iter_mut().filter(|draft| draft.origin.is_none()) {
        let index = obsolete.iter().position(|slice| slice.address_type == draft.address_type);
        draft.origin = index.and_then(|index| obsolete.remove(index).origin);
    }
    let is_deleted = !endpoints.metadata().deletion_timestamp().is_empty();
    drafts.retain(|draft| !mirror.is_up_to_date(draft) && (draft.origin.is_some() || !is_deleted));
    drafts.sort_by_key(|draft| draft.origin.is_some());
    let writes = drafts.iter().map(|draft| mirror.write(draft));
    let deletes = obsolete.into_iter().filter_map(|slice| slice.origin).map(Write::Delete);
    writes.chain(deletes).collect()
}

/// The endpoints, with existing ones in their current order.
fn preserve_order(
    slice: Option<Slice>,
    mut desired: BTreeMap<EndpointKey, Endpoint>,
) -> Vec<Endpoint> {
    let current = slice.map(|slice| slice.endpoints).unwrap_or_default();
    let retained = current.iter().filter_map(|endpoint| desired.remove(&endpoint.key()));
    let mut endpoints: Vec<_> = retained.collect();
    endpoints.extend(desired.into_values());
    endpoints
}

/// What all slices of an Endpoints object inherit from it.
struct MirroredMetadata<'n> {
    namespace: &'n str,
    name: &'n str,
    uid: &'n str,
    labels: BTreeMap<String, String>,
    annotations: BTreeMap<String, String>,
}

impl<'n> MirroredMetadata<'n> {
    fn from_endpoints(endpoints: &'n Node<'_>) -> Self {
        let owned = |(name, value): (&str, &str)| (name.to_owned(), value.to_owned());
        let name = endpoints.metadata().name();
        let mut labels: BTreeMap<_, _> = labels(endpoints).map(owned).collect();
        labels.insert(SERVICE_NAME.to_owned(), name.to_owned());
        labels.insert(MANAGED_BY.to_owned(), CONTROLLER.to_owned());
        let annotations = annotations(endpoints).filter(|(name, _)| !NOT_MIRRORED.contains(name));
        Self {
            namespace: endpoints.metadata().namespace(),
            name,
            uid: endpoints.metadata().uid(),
            labels,
            annotations: annotations.map(owned).collect(),
        }
    }

    /// Whether the slice in the API is up to date.
    fn is_up_to_date(&self, draft: &Slice) -> bool {
        let Some(origin) = &draft.origin else { return false };
        let current_annotations = annotations(origin);
        let same_annotations = annotations(origin).count() == self.annotations.len()
            && current_annotations.into_iter().all(|(name, value)| {
                self.annotations.get(name).is_some_and(|expected| expected == value)
            });
        same_annotations && draft.is_unchanged() && is_owned(origin, "Endpoints", self.uid)
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
