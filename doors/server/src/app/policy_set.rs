//! `PolicySet`: the admission policies and bindings of the cluster, each compiled once.

use crate::status::StatusError;
use crate::storage::cache::{Cache, ResourceCache};
use arc_swap::ArcSwap;
use ratchet_policy::{Binding, Policies, Policy, Reader};
use std::collections::HashMap;
use std::sync::{Arc, OnceLock};

pub(super) const GROUP: &str = "admissionregistration.k8s.io";
/// The version of the CEL environment for stored expressions: the newest.
pub(super) const VERSION: (u32, u32) = (1, 36);

/// Compiled objects by key, with the revision they were compiled at.
pub(super) type Compiled<T> = HashMap<Arc<str>, (u64, Arc<T>)>;

/// The policies as of the last change of a policy or binding.
pub struct PolicySet {
    /// The caches of policies and bindings.
    resource_caches: [Arc<ResourceCache>; 2],
    /// Created for the first policy: most clusters have none.
    reader: OnceLock<Reader>,
    bound: ArcSwap<Bound>,
}

#[derive(Default)]
struct Bound {
    revisions: Option<[u64; 2]>,
    policies: Compiled<Policy>,
    bindings: Compiled<Binding>,
    all: Arc<Policies>,
}

impl PolicySet {
    /// Uses the caches of policies and bindings.
    pub(crate) fn new(cache: &Cache) -> Self {
        let resource_cache = |plural: &str| cache.resource_cache(&format!("{plural}.{GROUP}"));
        let names = ["validatingadmissionpolicies", "validatingadmissionpolicybindings"];
        let (reader, bound) = (OnceLock::new(), ArcSwap::default());
        Self { resource_caches: names.map(resource_cache), reader, bound }
    }

    /// The current policies, including every acknowledged one. Fails if one cannot be decoded: it may deny the request.
    pub(crate) fn now(&self) -> Result<Arc<Policies>, StatusError> {
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
            self.reader.get_or_init(|| Reader::new(VERSION)).policy(node)
        });
        let bindings = compile_changed(&bindings.items, &known.bindings, Binding::from_object);
        let all =
            |compiled: &Compiled<Policy>| compiled.values().map(|(_, own)| own.clone()).collect();
        let all = Policies::new(
            all(&policies),
            bindings.values().map(|(_, binding)| binding.clone()).collect(),
        );
        let all = Arc::new(all);
        let bound = Bound { revisions, policies, bindings, all: all.clone() };
        self.bound.store(Arc::new(bound));
        Ok(all)
    }
}

/// Compiles the changed objects and keeps the others.
pub(super) fn compile_changed<T>(
    items: &crate::storage::cache::Items,
    known: &Compiled<T>,
    make: impl Fn(&ratchet_object::Node<'_>) -> T,
) -> Compiled<T> {
    let one = |item: &Arc<crate::storage::cache::Item>| {
        let compiled = known.get(&item.key).filter(|(revision, _)| *revision == item.revision);
        let compiled = compiled.cloned();
        let compiled = compiled.unwrap_or_else(|| (item.revision, Arc::new(make(&item.node()))));
        (item.key.clone(), compiled)
    };
    items.values().map(one).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::storage::cache::{Item, ObjectState, Unreadable};

    fn put(resource_cache: &ResourceCache, revision: u64, name: &str, value: &str) {
        let item = Item::stored(name.into(), revision, value.as_bytes()).unwrap();
        resource_cache.apply(vec![(revision, name.into(), ObjectState::Item(item))]);
    }

    #[test]
    fn policies_are_in_force_at_once_and_compiled_once() {
        let resource_caches: [Arc<ResourceCache>; 2] = std::array::from_fn(|_| Arc::default());
        let set = PolicySet {
            resource_caches: resource_caches.clone(),
            reader: OnceLock::new(),
            bound: ArcSwap::default(),
        };
        assert!(set.now().unwrap().is_empty());
        let policy = r#"{"metadata":{"name":"p"},"spec":{"validations":[{"expression":"true"}]}}"#;
        put(&resource_caches[0], 3, "p", policy);
        assert!(set.now().unwrap().is_empty(), "nothing binds it");
        let binding = r#"{"metadata":{"name":"b"},"spec":{"policyName":"p"}}"#;
        put(&resource_caches[1], 4, "b", binding);
        assert!(!set.now().unwrap().is_empty());
        let compiled = |set: &PolicySet| set.bound.load().policies.get("p").unwrap().1.clone();
        let first = compiled(&set);
        put(&resource_caches[1], 5, "c", r#"{"metadata":{"name":"c"},"spec":{"policyName":"p"}}"#);
        assert!(!set.now().unwrap().is_empty());
        assert!(Arc::ptr_eq(&first, &compiled(&set)), "a binding is no reason to compile");
        put(&resource_caches[0], 6, "p", policy);
        assert!(!set.now().unwrap().is_empty());
        assert!(!Arc::ptr_eq(&first, &compiled(&set)));
        resource_caches[1].apply(vec![
            (7, "b".into(), ObjectState::Deleted),
            (8, "c".into(), ObjectState::Deleted),
        ]);
        assert!(set.now().unwrap().is_empty());
        let lost = Unreadable { key: "/registry/x".into(), why: "odd".into() };
        resource_caches[0].apply(vec![(9, "p".into(), ObjectState::Unreadable(Arc::new(lost)))]);
        assert_eq!(set.now().unwrap_err().code, 500, "nobody knows what it forbids");
    }
}
