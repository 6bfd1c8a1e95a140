//! `MutatingPolicySet`: the mutating admission policies and their bindings, each compiled once.

use super::policy_set::{Compiled, GROUP, VERSION, compile_changed};
use crate::status::StatusError;
use crate::storage::cache::{Cache, ResourceCache};
use arc_swap::ArcSwap;
use ratchet_policy::{Binding, MutatingPolicies, MutatingPolicy, Reader};
use std::sync::{Arc, OnceLock};

/// The policies as of the last change of a policy or binding.
pub struct MutatingPolicySet {
    /// The caches of policies and bindings.
    resource_caches: [Arc<ResourceCache>; 2],
    /// Created for the first policy: most clusters have none.
    reader: OnceLock<Reader>,
    bound: ArcSwap<Bound>,
}

#[derive(Default)]
struct Bound {
    revisions: Option<[u64; 2]>,
    policies: Compiled<MutatingPolicy>,
    bindings: Compiled<Binding>,
    all: Arc<MutatingPolicies>,
}

impl MutatingPolicySet {
    /// Uses the caches of policies and bindings.
    pub(crate) fn new(cache: &Cache) -> Self {
        let resource_cache = |plural: &str| cache.resource_cache(&format!("{plural}.{GROUP}"));
        let names = ["mutatingadmissionpolicies", "mutatingadmissionpolicybindings"];
        let (reader, bound) = (OnceLock::new(), ArcSwap::default());
        Self { resource_caches: names.map(resource_cache), reader, bound }
    }

    /// The current policies, including every acknowledged one. Fails if one cannot be decoded: what it should have
    /// changed would be missing.
    pub(crate) fn now(&self) -> Result<Arc<MutatingPolicies>, StatusError> {
        let snapshots = self.resource_caches.each_ref().map(|cache| cache.now());
        if let Some(found) = snapshots.iter().find_map(|snapshot| snapshot.unreadable_within("")) {
            return Err(found.into());
        }
        let revisions = Some(snapshots.each_ref().map(|snapshot| snapshot.revision));
        let known = self.bound.load();
        if known.revisions == revisions {
            return Ok(known.all.clone());
        }
        let [policies, bindings] = &snapshots;
        let policies = compile_changed(&policies.items, &known.policies, |node| {
            self.reader.get_or_init(|| Reader::new(VERSION)).mutating_policy(node)
        });
        let bindings = compile_changed(&bindings.items, &known.bindings, Binding::from_object);
        let all = Arc::new(MutatingPolicies::new(
            policies.values().map(|(_, policy)| policy.clone()).collect(),
            bindings.values().map(|(_, binding)| binding.clone()).collect(),
        ));
        let bound = Bound { revisions, policies, bindings, all: all.clone() };
        self.bound.store(Arc::new(bound));
        Ok(all)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::storage::cache::{Item, ObjectState};

    #[test]
    fn policies_are_in_force_when_they_are_bound() {
        let resource_caches: [Arc<ResourceCache>; 2] = std::array::from_fn(|_| Arc::default());
        let set = MutatingPolicySet {
            resource_caches: resource_caches.clone(),
            reader: OnceLock::new(),
            bound: ArcSwap::default(),
        };
        let put = |index: usize, revision: u64, name: &str, value: &str| {
            let item = Item::stored(name.into(), revision, value.as_bytes()).unwrap();
            resource_caches[index].apply(vec![(revision, name.into(), ObjectState::Item(item))]);
        };
        put(0, 3, "p", r#"{"metadata":{"name":"p"},"spec":{"mutations":[]}}"#);
        assert!(set.now().unwrap().is_empty(), "nothing binds it");
        put(1, 4, "b", r#"{"metadata":{"name":"b"},"spec":{"policyName":"p"}}"#);
        assert!(!set.now().unwrap().is_empty());
    }
}
