//! Identities of objects and their owner references.

use super::uid::Uid;
use ratchet_object::Node;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::sync::Arc;

/// The finalizer of an object that waits for the deletion of its dependents.
pub(super) const FOREGROUND: &str = "foregroundDeletion";

/// The finalizer of an object that waits until its dependents are orphaned.
pub(super) const ORPHAN: &str = "orphan";

/// A kind in a version, which all its objects share.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct ObjectKind {
    pub(super) kind: Box<str>,
    pub(super) api_version: Box<str>,
}

/// The coordinates of one object.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct Identity {
    pub(super) kind: Arc<ObjectKind>,
    /// Empty if the object is cluster-scoped, or if that is not known.
    pub(super) namespace: Arc<str>,
    pub(super) name: Arc<str>,
    pub(super) uid: Uid,
}

/// One owner reference.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Owner {
    pub(super) kind: Arc<ObjectKind>,
    pub(super) name: Arc<str>,
    pub(super) uid: Uid,
    /// `blockOwnerDeletion`: whether a foreground deletion of the owner waits for this dependent.
    pub(super) blocks: bool,
}

/// The parts of an object's metadata that the graph needs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct ObservedObject {
    pub(super) identity: Identity,
    pub(super) owners: Box<[Owner]>,
    /// Whether it has a deletion timestamp.
    pub(super) deleting: bool,
    /// Whether it waits for the deletion of its dependents.
    pub(super) foreground: bool,
    /// Whether it waits until its dependents are orphaned.
    pub(super) orphan: bool,
}

impl Owner {
    /// The identity of the owner, if it is in this namespace.
    pub(super) fn in_namespace(&self, namespace: &Arc<str>) -> Identity {
        let Self { kind, name, uid, .. } = self.clone();
        Identity { kind, namespace: namespace.clone(), name, uid }
    }

    /// Whether the reference names this object, in whatever namespace.
    pub(super) fn matches(&self, identity: &Identity) -> bool {
        (&self.uid, &self.name, &self.kind) == (&identity.uid, &identity.name, &identity.kind)
    }

    fn from_node(node: &Node<'_>, interner: &mut Interner) -> Self {
        Self {
            kind: interner.intern_kind(node.text_at(&["apiVersion"]), node.text_at(&["kind"])),
            name: node.text_at(&["name"]).into(),
            uid: node.text_at(&["uid"]).into(),
            blocks: node.get("blockOwnerDeletion").and_then(Node::as_bool) == Some(true),
        }
    }
}

impl ObservedObject {
    /// Parses the metadata of an object of this kind.
    pub(super) fn from_node(
        node: &Node<'_>,
        kind: &Arc<ObjectKind>,
        interner: &mut Interner,
    ) -> Self {
        let at = |name: &str| node.text_at(&["metadata", name]);
        let owners =
            owner_nodes(node).iter().map(|owner| Owner::from_node(owner, interner)).collect();
        let deleting = is_deleted(node);
        Self {
            identity: Identity {
                kind: kind.clone(),
                namespace: interner.intern(at("namespace")),
                name: at("name").into(),
                uid: at("uid").into(),
            },
            owners,
            deleting,
            foreground: deleting && has_finalizer(node, FOREGROUND),
            orphan: deleting && has_finalizer(node, ORPHAN),
        }
    }
}

/// Interned strings that many objects share.
#[derive(Debug, Default)]
pub(super) struct Interner {
    texts: BTreeSet<Arc<str>>,
    /// The kinds of each version.
    kinds: BTreeMap<Box<str>, BTreeMap<Box<str>, Arc<ObjectKind>>>,
    /// How many there are, and how many there may be before those that nobody uses are dropped.
    count: usize,
    sweep_at: usize,
}

/// Fewer are not worth a search.
const MIN_SWEEP: usize = 1024;

impl Interner {
    /// The shared copy of a string.
    pub(super) fn intern(&mut self, text: &str) -> Arc<str> {
        match self.texts.get(text) {
            Some(shared) => shared.clone(),
            None => {
                self.make_room();
                let new: Arc<str> = text.into();
                self.texts.insert(new.clone());
                new
            }
        }
    }

    /// Counts one more, and drops what nobody uses any more: owner references may name anything.
    fn make_room(&mut self) {
        if self.count >= self.sweep_at.max(MIN_SWEEP) {
            self.texts.retain(|text| Arc::strong_count(text) > 1);
            self.kinds.retain(|_, kinds| {
                kinds.retain(|_, kind| Arc::strong_count(kind) > 1);
                !kinds.is_empty()
            });
            self.count = self.texts.len() + self.kinds.values().map(BTreeMap::len).sum::<usize>();
            self.sweep_at = self.count * 2;
        }
        self.count += 1;
    }

    /// The shared copy of a kind.
    pub(super) fn intern_kind(&mut self, api_version: &str, kind: &str) -> Arc<ObjectKind> {
        let known = self.kinds.get(api_version).and_then(|kinds| kinds.get(kind));
        if let Some(shared) = known {
            return shared.clone();
        }
        self.make_room();
        let new = Arc::new(ObjectKind { kind: kind.into(), api_version: api_version.into() });
        let kinds = self.kinds.entry(api_version.into()).or_default();
        kinds.insert(kind.into(), new.clone());
        new
    }
}

impl fmt::Display for Identity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { kind, namespace, name, uid } = self;
        let ObjectKind { kind, api_version } = &**kind;
        write!(f, "[{api_version}/{kind}, namespace: {namespace}, name: {name}, uid: {uid}]")
    }
}

/// The owner references of an object.
pub(super) fn owner_nodes<'n, 't>(object: &'n Node<'t>) -> &'n [Node<'t>] {
    object.metadata().owner_references()
}

/// The parsed owner references of an object.
pub(super) fn owners(object: &Node<'_>) -> Box<[Owner]> {
    let mut interner = Interner::default();
    owner_nodes(object).iter().map(|owner| Owner::from_node(owner, &mut interner)).collect()
}

/// Whether an object has a deletion timestamp.
pub(super) fn is_deleted(object: &Node<'_>) -> bool {
    !object.metadata().deletion_timestamp().is_empty()
}

pub(super) fn has_finalizer(object: &Node<'_>, name: &str) -> bool {
    finalizers(object).iter().any(|one| one.text() == Some(name))
}

pub(super) fn finalizers<'n, 't>(object: &'n Node<'t>) -> &'n [Node<'t>] {
    object.metadata().finalizers()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::client::parse_json;

    #[test]
    fn metadata_is_all_that_is_read() {
        let text = r#"{"metadata":{"name":"p","namespace":"shop","uid":"1","deletionTimestamp":"t",
            "finalizers":["a","foregroundDeletion"],"ownerReferences":[
            {"apiVersion":"apps/v1","kind":"ReplicaSet","name":"r","uid":"2","blockOwnerDeletion":true},
            {"apiVersion":"v1","kind":"Node","name":"n","uid":"3"}]}}"#;
        let node = parse_json(text.as_bytes()).expect("reads");
        let mut interner = Interner::default();
        let kind = interner.intern_kind("v1", "Pod");
        let observed = ObservedObject::from_node(&node, &kind, &mut interner);
        assert_eq!(observed.identity.to_string(), "[v1/Pod, namespace: shop, name: p, uid: 1]");
        assert_eq!((observed.deleting, observed.foreground, observed.orphan), (true, true, false));
        let blocks: Vec<_> =
            observed.owners.iter().map(|owner| (owner.uid.clone(), owner.blocks)).collect();
        assert_eq!(blocks, [("2".into(), true), ("3".into(), false)]);
        assert_eq!(owners(&node), observed.owners);
    }

    #[test]
    fn what_nobody_uses_is_dropped() {
        let mut interner = Interner::default();
        let (text, kind) = (interner.intern("shop"), interner.intern_kind("v1", "Pod"));
        for number in 0..10 * MIN_SWEEP {
            let name = number.to_string();
            interner.intern(&name);
            interner.intern_kind(&name, "K");
            interner.intern_kind("v1", &name);
        }
        assert!(interner.texts.len() + interner.kinds.len() <= 2 * MIN_SWEEP);
        assert!(interner.kinds["v1"].len() <= 2 * MIN_SWEEP);
        assert!(Arc::ptr_eq(&interner.intern("shop"), &text));
        assert!(Arc::ptr_eq(&interner.intern_kind("v1", "Pod"), &kind));
    }

    #[test]
    fn a_finalizer_counts_only_where_something_was_deleted() {
        let text = r#"{"metadata":{"uid":"1","finalizers":["orphan","foregroundDeletion"]}}"#;
        let node = parse_json(text.as_bytes()).expect("reads");
        let mut interner = Interner::default();
        let kind = interner.intern_kind("v1", "Pod");
        let observed = ObservedObject::from_node(&node, &kind, &mut interner);
        assert_eq!(
            (observed.deleting, observed.foreground, observed.orphan),
            (false, false, false)
        );
    }

    #[test]
    fn an_owner_means_one_object_in_every_coordinate() {
        let node = parse_json(
            br#"{"metadata":{"ownerReferences":[{"apiVersion":"v1","kind":"K","name":"n","uid":"u"}]}}"#,
        );
        let owner = owners(&node.expect("reads"))[0].clone();
        let identity = owner.in_namespace(&"shop".into());
        assert!(owner.matches(&identity));
        let kind = |api_version, kind| Interner::default().intern_kind(api_version, kind);
        for other in [
            Identity { kind: kind("v1", "L"), ..identity.clone() },
            Identity { kind: kind("v2", "K"), ..identity.clone() },
            Identity { name: "m".into(), ..identity.clone() },
            Identity { uid: Uid::from("v"), ..identity.clone() },
        ] {
            assert!(!owner.matches(&other), "{other}");
        }
        assert!(owner.matches(&Identity { namespace: "".into(), ..identity }));
    }
}
