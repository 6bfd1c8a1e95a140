//! Who an object is, and who it says its owners are.

use ratchet_object::Node;
use std::collections::BTreeSet;
use std::fmt;
use std::sync::Arc;

/// The finalizer of who waits until his dependents are gone.
pub(super) const FOREGROUND: &str = "foregroundDeletion";

/// The finalizer of who waits until his dependents have let go of him.
pub(super) const ORPHAN: &str = "orphan";

/// What no other object ever has.
pub(super) type Uid = Arc<str>;

/// Where an object is, and which one it is.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct Identity {
    pub(super) kind: Arc<str>,
    pub(super) api_version: Arc<str>,
    /// Empty if it stands in none, or if that is not known.
    pub(super) namespace: Arc<str>,
    pub(super) name: Arc<str>,
    pub(super) uid: Uid,
}

/// What an object says about one of its owners.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Owner {
    pub(super) kind: Arc<str>,
    pub(super) api_version: Arc<str>,
    pub(super) name: Arc<str>,
    pub(super) uid: Uid,
    /// Whether the owner, where it waits for its dependents, waits for this one.
    pub(super) blocks: bool,
}

/// What is known of an object from its metadata.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Seen {
    pub(super) identity: Identity,
    pub(super) owners: Vec<Owner>,
    /// Whether it was deleted, and is only held.
    pub(super) deleting: bool,
    /// Whether it waits until its dependents are gone.
    pub(super) foreground: bool,
    /// Whether it waits until its dependents have let go of it.
    pub(super) orphan: bool,
}

impl Owner {
    /// Who is meant, if the owner stands in this namespace.
    pub(super) fn within(&self, namespace: &Arc<str>) -> Identity {
        let Self { kind, api_version, name, uid, .. } = self.clone();
        Identity { kind, api_version, namespace: namespace.clone(), name, uid }
    }

    /// Whether this one is meant, wherever it stands.
    pub(super) fn means(&self, identity: &Identity) -> bool {
        (&self.uid, &self.name, &self.kind, &self.api_version)
            == (&identity.uid, &identity.name, &identity.kind, &identity.api_version)
    }

    fn read(node: &Node<'_>, words: &mut Words) -> Self {
        Self {
            kind: words.known(node.text_at(&["kind"])),
            api_version: words.known(node.text_at(&["apiVersion"])),
            name: node.text_at(&["name"]).into(),
            uid: node.text_at(&["uid"]).into(),
            blocks: node.get("blockOwnerDeletion").and_then(Node::as_bool) == Some(true),
        }
    }
}

impl Seen {
    /// Reads the metadata of an object of this kind.
    pub(super) fn read(
        node: &Node<'_>,
        api_version: &Arc<str>,
        kind: &Arc<str>,
        words: &mut Words,
    ) -> Self {
        let at = |name: &str| node.text_at(&["metadata", name]);
        let owners = owner_nodes(node).iter().map(|owner| Owner::read(owner, words)).collect();
        let deleting = is_deleted(node);
        Self {
            identity: Identity {
                kind: kind.clone(),
                api_version: api_version.clone(),
                namespace: words.known(at("namespace")),
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

/// Words that many objects share, kept once.
#[derive(Debug, Default)]
pub(super) struct Words(BTreeSet<Arc<str>>);

impl Words {
    /// The word.
    pub(super) fn known(&mut self, word: &str) -> Arc<str> {
        match self.0.get(word) {
            Some(known) => known.clone(),
            None => {
                let new: Arc<str> = word.into();
                self.0.insert(new.clone());
                new
            }
        }
    }
}

impl fmt::Display for Identity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { kind, api_version, namespace, name, uid } = self;
        write!(f, "[{api_version}/{kind}, namespace: {namespace}, name: {name}, uid: {uid}]")
    }
}

/// The references to owners, as they stand in an object.
pub(super) fn owner_nodes<'n, 't>(object: &'n Node<'t>) -> &'n [Node<'t>] {
    object.find(&["metadata", "ownerReferences"]).map(Node::items).unwrap_or_default()
}

/// The owners that an object names.
pub(super) fn owners(object: &Node<'_>) -> Vec<Owner> {
    let mut words = Words::default();
    owner_nodes(object).iter().map(|owner| Owner::read(owner, &mut words)).collect()
}

/// Whether an object was deleted and is only held.
pub(super) fn is_deleted(object: &Node<'_>) -> bool {
    !object.text_at(&["metadata", "deletionTimestamp"]).is_empty()
}

/// Whether this finalizer holds the object.
pub(super) fn has_finalizer(object: &Node<'_>, name: &str) -> bool {
    finalizers(object).iter().any(|one| one.text() == Some(name))
}

/// The finalizers of an object.
pub(super) fn finalizers<'n, 't>(object: &'n Node<'t>) -> &'n [Node<'t>] {
    object.find(&["metadata", "finalizers"]).map(Node::items).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::client::read;

    #[test]
    fn metadata_is_all_that_is_read() {
        let text = r#"{"metadata":{"name":"p","namespace":"shop","uid":"1","deletionTimestamp":"t",
            "finalizers":["a","foregroundDeletion"],"ownerReferences":[
            {"apiVersion":"apps/v1","kind":"ReplicaSet","name":"r","uid":"2","blockOwnerDeletion":true},
            {"apiVersion":"v1","kind":"Node","name":"n","uid":"3"}]}}"#;
        let node = read(text.as_bytes()).expect("reads");
        let mut words = Words::default();
        let seen = Seen::read(&node, &"v1".into(), &"Pod".into(), &mut words);
        assert_eq!(seen.identity.to_string(), "[v1/Pod, namespace: shop, name: p, uid: 1]");
        assert_eq!((seen.deleting, seen.foreground, seen.orphan), (true, true, false));
        let blocks: Vec<_> = seen.owners.iter().map(|owner| (&*owner.uid, owner.blocks)).collect();
        assert_eq!(blocks, [("2", true), ("3", false)]);
        assert_eq!(owners(&node), seen.owners);
    }

    #[test]
    fn a_finalizer_counts_only_where_something_was_deleted() {
        let text = r#"{"metadata":{"uid":"1","finalizers":["orphan","foregroundDeletion"]}}"#;
        let node = read(text.as_bytes()).expect("reads");
        let seen = Seen::read(&node, &"v1".into(), &"Pod".into(), &mut Words::default());
        assert_eq!((seen.deleting, seen.foreground, seen.orphan), (false, false, false));
    }

    #[test]
    fn an_owner_means_one_object_in_every_coordinate() {
        let node = read(
            br#"{"metadata":{"ownerReferences":[{"apiVersion":"v1","kind":"K","name":"n","uid":"u"}]}}"#,
        );
        let owner = owners(&node.expect("reads")).remove(0);
        let meant = owner.within(&"shop".into());
        assert!(owner.means(&meant));
        for other in [
            Identity { kind: "L".into(), ..meant.clone() },
            Identity { api_version: "v2".into(), ..meant.clone() },
            Identity { name: "m".into(), ..meant.clone() },
            Identity { uid: "v".into(), ..meant.clone() },
        ] {
            assert!(!owner.means(&other), "{other}");
        }
        assert!(owner.means(&Identity { namespace: "".into(), ..meant }));
    }
}
