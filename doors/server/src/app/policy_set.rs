//! `PolicySet`: the admission policies of one type and their bindings, each compiled once.

use crate::status::StatusError;
use crate::storage::cache::{Cache, ResourceCache};
use arc_swap::ArcSwap;
use ratchet_object::Node;
use ratchet_policy::{Binding, MutatingPolicies, MutatingPolicy, Policies, Policy, Reader};
use std::collections::HashMap;
use std::sync::{Arc, OnceLock};

pub(super) const GROUP: &str = "admissionregistration.k8s.io";
/// The version of the CEL environment for stored expressions: the newest.
pub(super) const VERSION: (u32, u32) = (1, 36);

/// Compiled objects by key, with the revision they were compiled at.
pub(super) type Compiled<T> = HashMap<Arc<str>, (u64, Arc<T>)>;

/// The type of the policies of a set.
pub trait PolicyType {
    /// A compiled policy.
    type Policy;
    /// Policies with their bindings.
    type Bound: Default;
    /// The resources of policies and bindings.
    const RESOURCES: [&'static str; 2];
    /// Compiles a policy.
    fn compile(reader: &Reader, policy: &Node<'_>) -> Self::Policy;
    /// Binds policies.
    fn bind(policies: Vec<Arc<Self::Policy>>, bindings: Vec<Arc<Binding>>) -> Self::Bound;
}

/// ValidatingAdmissionPolicies.
pub struct Validating;

impl PolicyType for Validating {
    type Policy = Policy;
    type Bound = Policies;
    const RESOURCES: [&'static str; 2] =
        ["validatingadmissionpolicies", "validatingadmissionpolicybindings"];

    fn compile(reader: &Reader, policy: &Node<'_>) -> Policy {
        reader.policy(policy)
    }

    fn bind(policies: Vec<Arc<Policy>>, bindings: Vec<Arc<Binding>>) -> Policies {
        Policies::new(policies, bindings)
    }
}

/// MutatingAdmissionPolicies.
pub struct Mutating;

impl PolicyType for Mutating {
    type Policy = MutatingPolicy;
    type Bound = MutatingPolicies;
    const RESOURCES: [&'static str; 2] =
        ["mutatingadmissionpolicies", "mutatingadmissionpolicybindings"];

    fn compile(reader: &Reader, policy: &Node<'_>) -> MutatingPolicy {
        reader.mutating_policy(policy)
    }

    fn bind(policies: Vec<Arc<MutatingPolicy>>, bindings: Vec<Arc<Binding>>) -> MutatingPolicies {
        MutatingPolicies::new(policies, bindings)
    }
}

/// The policies of a type as of the last change of a policy or binding.
pub struct PolicySet<T: PolicyType> {
    /// The caches of policies and bindings.
    resource_caches: [Arc<ResourceCache>; 2],
    /// Created for the first policy: most clusters have none.
    reader: OnceLock<Reader>,
    current: ArcSwap<Current<T>>,
}

struct Current<T: PolicyType> {
    revisions: Option<[u64; 2]>,
    policies: Compiled<T::Policy>,
    bindings: Compiled<Binding>,
    bound: Arc<T::Bound>,
}

impl<T: PolicyType> PolicySet<T> {
    /// Uses the caches of policies and bindings.
    pub(crate) fn new(cache: &Cache) -> Self {
        let resource_cache = |plural: &str| cache.resource_cache(&format!("{plural}.{GROUP}"));
        Self::over(T::RESOURCES.map(resource_cache))
    }

    fn over(resource_caches: [Arc<ResourceCache>; 2]) -> Self {
        let current = Current {
            revisions: None,
            policies: Compiled::new(),
            bindings: Compiled::new(),
            bound: Arc::default(),
        };
        Self { resource_caches, reader: OnceLock::new(), current: ArcSwap::from_pointee(current) }
    }

    /// The current policies, including every acknowledged one. Fails if one cannot be decoded: it may deny the request,
    /// or what it should have changed would be missing.
    pub(crate) fn now(&self) -> Result<Arc<T::Bound>, StatusError> {
        let snapshots = self.resource_caches.each_ref().map(|cache| cache.now());
        if let Some(found) = snapshots.iter().find_map(|snapshot| snapshot.unreadable_within("")) {
            return Err(found.into());
        }
        let revisions = Some(snapshots.each_ref().map(|snapshot| snapshot.revision));
        let known = self.current.load();
        if known.revisions == revisions {
            return Ok(known.bound.clone());
        }
        let [policies, bindings] = &snapshots;
        let policies = compile_changed(&policies.items, &known.policies, |node| {
            T::compile(self.reader.get_or_init(|| Reader::new(VERSION)), node)
        });
        let bindings = compile_changed(&bindings.items, &known.bindings, Binding::from_object);
        let bound = Arc::new(T::bind(all(&policies), all(&bindings)));
        let current = Current { revisions, policies, bindings, bound: bound.clone() };
        self.current.store(Arc::new(current));
        Ok(bound)
    }
}

fn all<T>(compiled: &Compiled<T>) -> Vec<Arc<T>> {
    compiled.values().map(|(_, own)| own.clone()).collect()
}

/// Compiles the changed objects and keeps the others.
pub(super) fn compile_changed<T>(
    items: &crate::storage::cache::Items,
    known: &Compiled<T>,
    make: impl Fn(&Node<'_>) -> T,
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
        let set = PolicySet::<Validating>::over(resource_caches.clone());
        assert!(set.now().unwrap().is_empty());
        let policy = r#"{"metadata":{"name":"p"},"spec":{"validations":[{"expression":"true"}]}}"#;
        put(&resource_caches[0], 3, "p", policy);
        assert!(set.now().unwrap().is_empty(), "nothing binds it");
        let binding = r#"{"metadata":{"name":"b"},"spec":{"policyName":"p"}}"#;
        put(&resource_caches[1], 4, "b", binding);
        assert!(!set.now().unwrap().is_empty());
        let compiled = || set.current.load().policies.get("p").unwrap().1.clone();
        let first = compiled();
        put(&resource_caches[1], 5, "c", r#"{"metadata":{"name":"c"},"spec":{"policyName":"p"}}"#);
        assert!(!set.now().unwrap().is_empty());
        assert!(Arc::ptr_eq(&first, &compiled()), "a binding is no reason to compile");
        put(&resource_caches[0], 6, "p", policy);
        assert!(!set.now().unwrap().is_empty());
        assert!(!Arc::ptr_eq(&first, &compiled()));
        resource_caches[1].apply(vec![
            (7, "b".into(), ObjectState::Deleted),
            (8, "c".into(), ObjectState::Deleted),
        ]);
        assert!(set.now().unwrap().is_empty());
        let lost = Unreadable { key: "/registry/x".into(), why: "odd".into() };
        resource_caches[0].apply(vec![(9, "p".into(), ObjectState::Unreadable(Arc::new(lost)))]);
        assert_eq!(set.now().unwrap_err().code, 500, "nobody knows what it forbids");
    }

    #[test]
    fn mutating_policies_are_in_force_when_they_are_bound() {
        let resource_caches: [Arc<ResourceCache>; 2] = std::array::from_fn(|_| Arc::default());
        let set = PolicySet::<Mutating>::over(resource_caches.clone());
        let policy = r#"{"metadata":{"name":"p"},"spec":{"mutations":[]}}"#;
        put(&resource_caches[0], 3, "p", policy);
        assert!(set.now().unwrap().is_empty(), "nothing binds it");
        put(&resource_caches[1], 4, "b", r#"{"metadata":{"name":"b"},"spec":{"policyName":"p"}}"#);
        assert!(!set.now().unwrap().is_empty());
    }
}
