//! The graph of owners and dependents, and the effects of every change in it.

use super::absent::AbsentOwners;
use super::identity::{Identity, ObjectKind, ObservedObject, Owner};
use super::uid::Uid;
use hashbrown::{DefaultHashBuilder, HashTable};
use std::collections::{BTreeSet, HashSet};
use std::hash::BuildHasher;

/// An object in the graph.
#[derive(Clone, Debug)]
pub(super) struct Vertex {
    pub(super) identity: Identity,
    pub(super) owners: Box<[Owner]>,
    dependents: BTreeSet<Uid>,
    /// Whether it has a deletion timestamp.
    pub(super) deleting: bool,
    /// Whether it waits for the deletion of its dependents.
    pub(super) foreground: bool,
    orphan: bool,
    /// Whether it is known from owner references only, and was not observed yet.
    pub(super) is_virtual: bool,
}

/// What a change of the graph requires.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Effect {
    /// Check whether this object must be deleted.
    AttemptToDelete(Uid),
    /// The same, but with a delay, because it was checked a moment ago.
    RetryDelete(Uid),
    /// Remove this object from the owner references of its dependents.
    Orphan(Uid),
    /// The object names an owner in another namespace.
    InvalidOwnerNamespace {
        /// The object.
        dependent: Identity,
        /// The owner it names.
        owner: Owner,
    },
}

/// The vertices by the uid that each has. Boxed, because a table has room for up to twice its entries.
#[derive(Debug, Default)]
struct Vertices {
    table: HashTable<Box<Vertex>>,
    hasher: DefaultHashBuilder,
}

impl Vertices {
    fn get(&self, uid: &Uid) -> Option<&Vertex> {
        let found = self.table.find(self.hasher.hash_one(uid), |one| one.identity.uid == *uid);
        found.map(|vertex| &**vertex)
    }

    fn get_mut(&mut self, uid: &Uid) -> Option<&mut Vertex> {
        let hash = self.hasher.hash_one(uid);
        self.table.find_mut(hash, |one| one.identity.uid == *uid).map(|vertex| &mut **vertex)
    }

    fn iter(&self) -> impl Iterator<Item = &Vertex> {
        self.table.iter().map(|vertex| &**vertex)
    }

    /// Adds a vertex whose uid is not there.
    fn insert(&mut self, vertex: Vertex) {
        let Self { table, hasher } = self;
        let hash = hasher.hash_one(&vertex.identity.uid);
        table.insert_unique(hash, Box::new(vertex), |one| hasher.hash_one(&one.identity.uid));
    }

    fn remove(&mut self, uid: &Uid) -> Option<Vertex> {
        let hash = self.hasher.hash_one(uid);
        let entry = self.table.find_entry(hash, |one| one.identity.uid == *uid).ok()?;
        Some(*entry.remove().0)
    }
}

/// All objects that were observed or are named as owners.
#[derive(Debug, Default)]
pub(super) struct Graph {
    vertices: Vertices,
    /// Owners that the API reported as absent.
    pub(super) absent: AbsentOwners,
}

impl Vertex {
    fn new(observed: ObservedObject) -> Self {
        Self {
            identity: observed.identity,
            owners: observed.owners,
            dependents: BTreeSet::new(),
            deleting: observed.deleting,
            foreground: observed.foreground,
            orphan: observed.orphan,
            is_virtual: false,
        }
    }

    fn new_virtual(identity: Identity) -> Self {
        Self {
            identity,
            owners: Box::default(),
            dependents: BTreeSet::new(),
            deleting: false,
            foreground: false,
            orphan: false,
            is_virtual: true,
        }
    }

    /// Whether this object blocks the deletion of the owner.
    fn blocks(&self, owner: &Uid) -> bool {
        self.owners.iter().any(|reference| reference.uid == *owner && reference.blocks)
    }
}

impl Graph {
    pub(super) fn get(&self, uid: &Uid) -> Option<&Vertex> {
        self.vertices.get(uid)
    }

    /// The uids of the observed objects of a kind.
    pub(super) fn uids(&self, kind: &ObjectKind) -> HashSet<Uid> {
        let is_observed = |vertex: &&Vertex| !vertex.is_virtual && *vertex.identity.kind == *kind;
        let observed = self.vertices.iter().filter(is_observed);
        observed.map(|vertex| vertex.identity.uid.clone()).collect()
    }

    /// The dependents of this object.
    pub(super) fn dependents(&self, uid: &Uid) -> impl Iterator<Item = &Vertex> {
        let all = self.get(uid).map(|vertex| &vertex.dependents);
        all.into_iter().flatten().filter_map(|uid| self.get(uid))
    }

    /// The dependents that block the deletion of this object.
    pub(super) fn blocking(&self, uid: &Uid) -> impl Iterator<Item = &Vertex> {
        self.dependents(uid).filter(move |dependent| dependent.blocks(uid))
    }

    /// Whether an object waits for itself: for a dependent that waits for its own, and so on back to it.
    pub(super) fn waits_for_itself(&self, uid: &Uid) -> bool {
        let mut seen = BTreeSet::new();
        let mut open = vec![uid];
        while let Some(at) = open.pop() {
            for vertex in self.blocking(at).filter(|vertex| vertex.foreground) {
                if vertex.identity.uid == *uid {
                    return true;
                }
                if seen.insert(&vertex.identity.uid) {
                    open.push(&vertex.identity.uid);
                }
            }
        }
        false
    }

    /// Adds or updates an observed object.
    pub(super) fn observe(&mut self, observed: ObservedObject) -> Vec<Effect> {
        let mut effects = Vec::new();
        let ObservedObject { identity, owners, orphan, foreground, .. } = observed.clone();
        let uid = &identity.uid;
        self.confirm(&identity, &mut effects);
        let before = self.vertices.get(uid).map_or((false, false), |old| {
            // A virtual vertex has neither finalizer yet.
            (old.orphan, old.foreground)
        });
        match self.vertices.get_mut(uid) {
            None => {
                self.vertices.insert(Vertex::new(observed));
                self.attach(&identity, &owners, &mut effects);
            }
            Some(vertex) => {
                vertex.deleting = observed.deleting;
                vertex.foreground = foreground;
                vertex.orphan = orphan;
                let old = std::mem::replace(&mut vertex.owners, observed.owners);
                self.change_owners(&identity, &owners, &old, &mut effects);
            }
        }
        if orphan && !before.0 {
            effects.push(Effect::Orphan(uid.clone()));
        } else if foreground && !before.1 {
            let dependents = self.dependents(uid).map(|vertex| vertex.identity.uid.clone());
            effects.extend(dependents.map(Effect::AttemptToDelete));
            effects.push(Effect::AttemptToDelete(uid.clone()));
        }
        effects
    }

    /// Removes a deleted object.
    pub(super) fn remove_uid(&mut self, uid: &Uid) -> Vec<Effect> {
        let mut effects = Vec::new();
        if let Some(vertex) = self.vertices.get(uid) {
            let identity = vertex.identity.clone();
            self.remove_vertex(&identity, &mut effects);
        }
        effects
    }

    /// Handles the API's answer that there is no such object.
    pub(super) fn mark_absent(&mut self, identity: &Identity) -> Vec<Effect> {
        let mut effects = Vec::new();
        let Some(vertex) = self.vertices.get(&identity.uid) else { return effects };
        let (matching, others) = self.partition(&identity.uid, identity);
        if vertex.is_virtual && others.is_empty()
            || !vertex.is_virtual && vertex.identity == *identity
        {
            self.remove_vertex(identity, &mut effects);
            return effects;
        }
        // Some dependents name another object with this uid, which may exist.
        let is_replaced = vertex.is_virtual && vertex.identity == *identity;
        if !matching.is_empty() {
            self.absent.add(identity.clone());
            effects.extend(matching.into_iter().map(Effect::AttemptToDelete));
        }
        if is_replaced
            && let Some(other) = self.other_identity(&others, identity)
            && let Some(vertex) = self.vertices.get_mut(&identity.uid)
        {
            vertex.identity = other;
            effects.push(Effect::RetryDelete(identity.uid.clone()));
        }
        effects
    }

    /// Turns a virtual vertex into an observed one: dependents that named another identity must be
    /// checked.
    fn confirm(&mut self, observed: &Identity, effects: &mut Vec<Effect>) {
        let Some(vertex) = self.vertices.get(&observed.uid).filter(|vertex| vertex.is_virtual)
        else {
            return;
        };
        if vertex.identity != *observed {
            let (_, others) = self.partition(&observed.uid, observed);
            for uid in others {
                self.report_invalid_namespace(&uid, observed, effects);
                effects.push(Effect::AttemptToDelete(uid));
            }
        }
        if let Some(vertex) = self.vertices.get_mut(&observed.uid) {
            vertex.identity = observed.clone();
            vertex.is_virtual = false;
        }
    }

    /// Reports a dependent that names an owner in another namespace.
    fn report_invalid_namespace(
        &self,
        dependent: &Uid,
        owner: &Identity,
        effects: &mut Vec<Effect>,
    ) {
        let Some(vertex) = self.get(dependent) else { return };
        if owner.namespace.is_empty() || vertex.identity.namespace == owner.namespace {
            return;
        }
        let reference = vertex.owners.iter().find(|reference| reference.uid == owner.uid);
        if let Some(owner) = reference.cloned() {
            effects
                .push(Effect::InvalidOwnerNamespace { dependent: vertex.identity.clone(), owner });
        }
    }

    /// Adds the object to the dependents of these owners.
    fn attach(&mut self, identity: &Identity, owners: &[Owner], effects: &mut Vec<Effect>) {
        let mut needs_check = false;
        for owner in owners {
            let Some(vertex) = self.vertices.get_mut(&owner.uid) else {
                let mut vertex = Vertex::new_virtual(owner.in_namespace(&identity.namespace));
                vertex.dependents.insert(identity.uid.clone());
                self.vertices.insert(vertex);
                effects.push(Effect::AttemptToDelete(owner.uid.clone()));
                continue;
            };
            vertex.dependents.insert(identity.uid.clone());
            if needs_check {
                continue;
            }
            let (owner_identity, is_observed) = (vertex.identity.clone(), !vertex.is_virtual);
            let other_namespace = owner_identity.namespace != identity.namespace;
            if !owner_identity.namespace.is_empty() && other_namespace && is_observed {
                self.report_invalid_namespace(&identity.uid, &owner_identity, effects);
            }
            // A virtual vertex without a namespace may be a namespaced object that a cluster-scoped
            // one named.
            needs_check = other_namespace && (!owner_identity.namespace.is_empty() || !is_observed)
                || !owner.matches(&owner_identity);
        }
        if needs_check {
            effects.push(Effect::AttemptToDelete(identity.uid.clone()));
        }
    }

    fn change_owners(
        &mut self,
        identity: &Identity,
        new: &[Owner],
        old: &[Owner],
        effects: &mut Vec<Effect>,
    ) {
        let has = |list: &[Owner], uid: &Uid| list.iter().any(|owner| owner.uid == *uid);
        // Owners that this object blocked and no longer blocks must be checked.
        for owner in old.iter().filter(|owner| owner.blocks) {
            let still_blocks = new.iter().any(|one| one.uid == owner.uid && one.blocks);
            if !still_blocks && self.vertices.get(&owner.uid).is_some() {
                effects.push(Effect::AttemptToDelete(owner.uid.clone()));
            }
        }
        let added: Vec<_> = new.iter().filter(|owner| !has(old, &owner.uid)).cloned().collect();
        self.attach(identity, &added, effects);
        for owner in old.iter().filter(|owner| !has(new, &owner.uid)) {
            self.detach(&owner.uid, &identity.uid);
        }
    }

    fn detach(&mut self, owner: &Uid, dependent: &Uid) {
        if let Some(vertex) = self.vertices.get_mut(owner) {
            vertex.dependents.remove(dependent);
        }
    }

    /// Removes an object: its dependents must be checked, and owners that wait for it.
    fn remove_vertex(&mut self, identity: &Identity, effects: &mut Vec<Effect>) {
        let Some(vertex) = self.vertices.remove(&identity.uid) else { return };
        vertex.owners.iter().for_each(|owner| self.detach(&owner.uid, &identity.uid));
        if !vertex.dependents.is_empty() {
            self.absent.add(identity.clone());
        }
        effects.extend(vertex.dependents.into_iter().map(Effect::AttemptToDelete));
        for owner in vertex.owners {
            if self.get(&owner.uid).is_some_and(|owner| owner.foreground) {
                effects.push(Effect::AttemptToDelete(owner.uid));
            }
        }
    }

    /// The dependents that name this identity, and those that name another one with its uid. A
    /// dependent may be in both.
    fn partition(&self, uid: &Uid, identity: &Identity) -> (Vec<Uid>, Vec<Uid>) {
        let (mut matching, mut others) = (Vec::new(), Vec::new());
        for dependent in self.dependents(uid) {
            let dependent_identity = &dependent.identity;
            let other_namespace = !identity.namespace.is_empty()
                && identity.namespace != dependent_identity.namespace;
            let references = || dependent.owners.iter().filter(|owner| owner.uid == *uid);
            if !other_namespace && references().any(|owner| owner.matches(identity)) {
                matching.push(dependent_identity.uid.clone());
            }
            if other_namespace || references().any(|owner| !owner.matches(identity)) {
                others.push(dependent_identity.uid.clone());
            }
        }
        (matching, others)
    }

    /// Another identity that these dependents name by the uid: the next one in order, so that each
    /// of them has its turn.
    fn other_identity(&self, dependents: &[Uid], absent: &Identity) -> Option<Identity> {
        let mut all = BTreeSet::new();
        for vertex in dependents.iter().filter_map(|uid| self.get(uid)) {
            let namespace = &vertex.identity.namespace;
            for owner in vertex.owners.iter().filter(|owner| owner.uid == absent.uid) {
                let mut other = owner.in_namespace(namespace);
                if absent.namespace.is_empty() && other.kind == absent.kind {
                    // Objects of this kind are known to be cluster-scoped.
                    other.namespace = absent.namespace.clone();
                }
                all.insert(other);
            }
        }
        all.remove(absent);
        all.range(absent.clone()..).next().or_else(|| all.first()).cloned()
    }
}
