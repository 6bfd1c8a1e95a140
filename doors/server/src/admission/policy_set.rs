//! The policies and bindings of the cluster, each compiled once.

use crate::cache::{Cache, ResourceCache};
use crate::status::StatusError;
use arc_swap::ArcSwap;
use ratchet_policy::{Binding, Policies, Policy, Reader};
use std::collections::HashMap;
use std::sync::{Arc, OnceLock};

const GROUP: &str = "admissionregistration.k8s.io";
/// What stored expressions may use: everything that this server knows.
const VERSION: (u32, u32) = (1, 36);

/// What was read from one object, by its key, and the revision it was read at.
type Read<T> = HashMap<Arc<str>, (u64, Arc<T>)>;

/// The policies as of the last change of a policy or a binding.
pub struct PolicySet {
    /// Policies, bindings.
    resource_caches: [Arc<ResourceCache>; 2],
    /// Made when the first policy is read: most servers have none.
    reader: OnceLock<Reader>,
    bound: ArcSwap<Bound>,
}

#[derive(Default)]
struct Bound {
    revisions: Option<[u64; 2]>,
    policies: Read<Policy>,
    bindings: Read<Binding>,
    all: Arc<Policies>,
}

impl PolicySet {
    /// Reads policies and bindings from the cache.
    pub(crate) fn new(cache: &Cache) -> Self {
        let resource_cache = |plural: &str| cache.resource_cache(&format!("{plural}.{GROUP}")).unwrap_or_default();
        let names = ["validatingadmissionpolicies", "validatingadmissionpolicybindings"];
        let (reader, bound) = (OnceLock::new(), ArcSwap::default());
        Self { resource_caches: names.map(resource_cache), reader, bound }
    }

    /// The policies as they are now: what was acknowledged is in force. Where one cannot be read, nobody knows what it
    /// forbids.
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
        let policies = read(&policies.items, &known.policies, |node| {
            self.reader.get_or_init(|| Reader::new(VERSION)).policy(node)
        });
        let bindings = read(&bindings.items, &known.bindings, Binding::read);
        let all = |read: &Read<Policy>| read.values().map(|(_, own)| own.clone()).collect();
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

/// Reads what has changed; the rest is as it was.
fn read<T>(
    items: &crate::cache::Items,
    known: &Read<T>,
    make: impl Fn(&ratchet_object::Node<'_>) -> T,
) -> Read<T> {
    let one = |item: &Arc<crate::cache::Item>| {
        let read = known.get(&item.key).filter(|(revision, _)| *revision == item.revision);
        let read = read.cloned();
        let read = read.unwrap_or_else(|| (item.revision, Arc::new(make(&item.node()))));
        (item.key.clone(), read)
    };
    items.values().map(one).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cache::{Item, Now, Unreadable};

    fn put(resource_cache: &ResourceCache, revision: u64, name: &str, value: &str) {
        let item = Item::stored(name.into(), revision, value.as_bytes()).unwrap();
        resource_cache.apply(vec![(revision, name.into(), Now::Item(item))]);
    }

    #[test]
    fn policies_are_in_force_at_once_and_compiled_once() {
        let resource_caches: [Arc<ResourceCache>; 2] = std::array::from_fn(|_| Arc::default());
        let book = PolicySet {
            resource_caches: resource_caches.clone(),
            reader: OnceLock::new(),
            bound: ArcSwap::default(),
        };
        assert!(book.now().unwrap().is_empty());
        let policy = r#"{"metadata":{"name":"p"},"spec":{"validations":[{"expression":"true"}]}}"#;
        put(&resource_caches[0], 3, "p", policy);
        assert!(book.now().unwrap().is_empty(), "nothing binds it");
        let binding = r#"{"metadata":{"name":"b"},"spec":{"policyName":"p"}}"#;
        put(&resource_caches[1], 4, "b", binding);
        assert!(!book.now().unwrap().is_empty());
        let compiled = |book: &PolicySet| book.bound.load().policies.get("p").unwrap().1.clone();
        let first = compiled(&book);
        put(&resource_caches[1], 5, "c", r#"{"metadata":{"name":"c"},"spec":{"policyName":"p"}}"#);
        assert!(!book.now().unwrap().is_empty());
        assert!(Arc::ptr_eq(&first, &compiled(&book)), "a binding is no reason to compile");
        put(&resource_caches[0], 6, "p", policy);
        assert!(!book.now().unwrap().is_empty());
        assert!(!Arc::ptr_eq(&first, &compiled(&book)));
        resource_caches[1].apply(vec![(7, "b".into(), Now::Gone), (8, "c".into(), Now::Gone)]);
        assert!(book.now().unwrap().is_empty());
        let lost = Unreadable { key: "/registry/x".into(), why: "odd".into() };
        resource_caches[0].apply(vec![(9, "p".into(), Now::Unreadable(Arc::new(lost)))]);
        assert_eq!(book.now().unwrap_err().code, 500, "nobody knows what it forbids");
    }
}
