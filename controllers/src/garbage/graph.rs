//! The graph of owners and dependents, and what every change in it asks for.

use super::absent::Absent;
use super::identity::{Identity, Owner, Seen, Uid};
use std::collections::{BTreeSet, HashMap, HashSet};
use std::sync::Arc;

/// An object in the graph.
#[derive(Clone, Debug)]
pub(super) struct Vertex {
    pub(super) identity: Identity,
    pub(super) owners: Vec<Owner>,
    pub(super) dependents: BTreeSet<Uid>,
    /// Whether it was deleted, and is only held.
    pub(super) deleting: bool,
    /// Whether it waits until its dependents are gone.
    pub(super) foreground: bool,
    orphan: bool,
    /// Whether others speak of it, but nobody has seen it.
    pub(super) rumour: bool,
}

/// What a change asks for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Effect {
    /// See whether this object must go.
    Judge(Uid),
    /// The same, but it was judged a moment ago.
    JudgeLater(Uid),
    /// Make the dependents of this object let go of it.
    Orphan(Uid),
    /// The object names an owner in another namespace.
    Astray {
        /// The object.
        dependent: Identity,
        /// Whom it names.
        owner: Owner,
    },
}

/// All objects that were seen, and those of which others speak.
#[derive(Debug, Default)]
pub(super) struct Graph {
    vertices: HashMap<Uid, Vertex>,
    /// Owners of which the API said that they are not there.
    pub(super) absent: Absent,
}

impl Vertex {
    fn of(seen: &Seen) -> Self {
        Self {
            identity: seen.identity.clone(),
            owners: seen.owners.clone(),
            dependents: BTreeSet::new(),
            deleting: seen.deleting,
            foreground: seen.foreground,
            orphan: seen.orphan,
            rumour: false,
        }
    }

    fn rumour(identity: Identity) -> Self {
        Self {
            identity,
            owners: Vec::new(),
            dependents: BTreeSet::new(),
            deleting: false,
            foreground: false,
            orphan: false,
            rumour: true,
        }
    }

    /// Whether the owner waits for this object.
    fn blocks(&self, owner: &str) -> bool {
        self.owners.iter().any(|reference| &*reference.uid == owner && reference.blocks)
    }
}

impl Graph {
    /// What is known of this object.
    pub(super) fn get(&self, uid: &str) -> Option<&Vertex> {
        self.vertices.get(uid)
    }

    /// The objects of which this one is an owner.
    pub(super) fn dependents(&self, uid: &str) -> impl Iterator<Item = &Vertex> {
        let all = self.get(uid).map(|vertex| &vertex.dependents);
        all.into_iter().flatten().filter_map(|uid| self.get(uid))
    }

    /// The dependents for which this object waits.
    pub(super) fn blocking(&self, uid: &str) -> impl Iterator<Item = &Vertex> {
        self.dependents(uid).filter(move |dependent| dependent.blocks(uid))
    }

    /// An object was seen, new or changed.
    pub(super) fn see(&mut self, seen: &Seen) -> Vec<Effect> {
        let mut effects = Vec::new();
        let uid = &seen.identity.uid;
        self.confirm(&seen.identity, &mut effects);
        let before = self.vertices.get(uid).map_or((false, false), |old| {
            // Until now nobody knew what the object itself says.
            (old.orphan, old.foreground)
        });
        match self.vertices.get_mut(uid) {
            None => {
                self.vertices.insert(uid.clone(), Vertex::of(seen));
                self.attach(&seen.identity, &seen.owners, &mut effects);
            }
            Some(vertex) => {
                let old = std::mem::replace(&mut vertex.owners, seen.owners.clone());
                vertex.deleting = seen.deleting;
                vertex.foreground = seen.foreground;
                vertex.orphan = seen.orphan;
                self.change_owners(seen, &old, &mut effects);
            }
        }
        if seen.orphan && !before.0 {
            effects.push(Effect::Orphan(uid.clone()));
        } else if seen.foreground && !before.1 {
            let dependents = self.dependents(uid).map(|vertex| vertex.identity.uid.clone());
            effects.extend(dependents.map(Effect::Judge));
            effects.push(Effect::Judge(uid.clone()));
        }
        effects
    }

    /// An object is gone.
    pub(super) fn lose(&mut self, uid: &str) -> Vec<Effect> {
        let mut effects = Vec::new();
        if let Some(vertex) = self.vertices.get(uid) {
            let identity = vertex.identity.clone();
            self.take_out(&identity, &mut effects);
        }
        effects
    }

    /// Everything of a kind was listed: what was seen before and is not in the list is gone.
    pub(super) fn replace(
        &mut self,
        api_version: &Arc<str>,
        kind: &Arc<str>,
        all: &[Seen],
    ) -> Vec<Effect> {
        let there: HashSet<&Uid> = all.iter().map(|seen| &seen.identity.uid).collect();
        let gone = self.vertices.values().filter(|vertex| {
            let Identity { kind: own, api_version: version, uid, .. } = &vertex.identity;
            !vertex.rumour && own == kind && version == api_version && !there.contains(uid)
        });
        let gone: Vec<_> = gone.map(|vertex| vertex.identity.uid.clone()).collect();
        let mut effects: Vec<_> = gone.iter().flat_map(|uid| self.lose(uid)).collect();
        all.iter().for_each(|seen| effects.extend(self.see(seen)));
        effects
    }

    /// The API says that there is no such object.
    pub(super) fn refute(&mut self, identity: &Identity) -> Vec<Effect> {
        let mut effects = Vec::new();
        let Some(vertex) = self.vertices.get(&identity.uid) else { return effects };
        let (matching, others) = self.partition(&identity.uid, identity);
        if vertex.rumour && others.is_empty() || !vertex.rumour && vertex.identity == *identity {
            self.take_out(identity, &mut effects);
            return effects;
        }
        // Some mean another object with this uid, which may be there.
        let is_replaced = vertex.rumour && vertex.identity == *identity;
        if !matching.is_empty() {
            self.absent.add(identity.clone());
            effects.extend(matching.into_iter().map(Effect::Judge));
        }
        if is_replaced
            && let Some(other) = self.other_identity(&others, identity)
            && let Some(vertex) = self.vertices.get_mut(&identity.uid)
        {
            vertex.identity = other;
            effects.push(Effect::JudgeLater(identity.uid.clone()));
        }
        effects
    }

    /// A rumour was seen to be true: who meant another one than was seen must be judged.
    fn confirm(&mut self, seen: &Identity, effects: &mut Vec<Effect>) {
        let Some(vertex) = self.vertices.get(&seen.uid).filter(|vertex| vertex.rumour) else {
            return;
        };
        if vertex.identity != *seen {
            let (_, others) = self.partition(&seen.uid, seen);
            for uid in others {
                self.tell_astray(&uid, seen, effects);
                effects.push(Effect::Judge(uid));
            }
        }
        if let Some(vertex) = self.vertices.get_mut(&seen.uid) {
            vertex.identity = seen.clone();
            vertex.rumour = false;
        }
    }

    /// Tells of a dependent that names an owner of another namespace.
    fn tell_astray(&self, dependent: &str, owner: &Identity, effects: &mut Vec<Effect>) {
        let Some(vertex) = self.get(dependent) else { return };
        if owner.namespace.is_empty() || vertex.identity.namespace == owner.namespace {
            return;
        }
        let named = vertex.owners.iter().find(|reference| reference.uid == owner.uid);
        if let Some(owner) = named.cloned() {
            effects.push(Effect::Astray { dependent: vertex.identity.clone(), owner });
        }
    }

    /// Adds the object to the dependents of these owners.
    fn attach(&mut self, identity: &Identity, owners: &[Owner], effects: &mut Vec<Effect>) {
        let mut is_doubtful = false;
        for owner in owners {
            let Some(vertex) = self.vertices.get_mut(&owner.uid) else {
                let mut rumour = Vertex::rumour(owner.within(&identity.namespace));
                rumour.dependents.insert(identity.uid.clone());
                self.vertices.insert(owner.uid.clone(), rumour);
                effects.push(Effect::Judge(owner.uid.clone()));
                continue;
            };
            vertex.dependents.insert(identity.uid.clone());
            if is_doubtful {
                continue;
            }
            let (known, is_seen) = (vertex.identity.clone(), !vertex.rumour);
            let elsewhere = known.namespace != identity.namespace;
            if !known.namespace.is_empty() && elsewhere && is_seen {
                self.tell_astray(&identity.uid, &known, effects);
            }
            // A rumour that stands in no namespace may be a namespaced one that somebody without
            // a namespace named.
            is_doubtful =
                elsewhere && (!known.namespace.is_empty() || !is_seen) || !owner.means(&known);
        }
        if is_doubtful {
            effects.push(Effect::Judge(identity.uid.clone()));
        }
    }

    fn change_owners(&mut self, seen: &Seen, old: &[Owner], effects: &mut Vec<Effect>) {
        let new = &seen.owners;
        let has = |list: &[Owner], uid: &Uid| list.iter().any(|owner| owner.uid == *uid);
        // Who waited for this object and need not any more must be judged.
        for owner in old.iter().filter(|owner| owner.blocks) {
            let still = new.iter().any(|one| one.uid == owner.uid && one.blocks);
            if !still && self.vertices.contains_key(&owner.uid) {
                effects.push(Effect::Judge(owner.uid.clone()));
            }
        }
        let added: Vec<_> = new.iter().filter(|owner| !has(old, &owner.uid)).cloned().collect();
        self.attach(&seen.identity, &added, effects);
        for owner in old.iter().filter(|owner| !has(new, &owner.uid)) {
            self.detach(&owner.uid, &seen.identity.uid);
        }
    }

    fn detach(&mut self, owner: &str, dependent: &str) {
        if let Some(vertex) = self.vertices.get_mut(owner) {
            vertex.dependents.remove(dependent);
        }
    }

    /// Takes an object out: its dependents must be judged, and owners that wait for it.
    fn take_out(&mut self, identity: &Identity, effects: &mut Vec<Effect>) {
        let Some(vertex) = self.vertices.remove(&identity.uid) else { return };
        vertex.owners.iter().for_each(|owner| self.detach(&owner.uid, &identity.uid));
        if !vertex.dependents.is_empty() {
            self.absent.add(identity.clone());
        }
        effects.extend(vertex.dependents.into_iter().map(Effect::Judge));
        for owner in vertex.owners {
            if self.get(&owner.uid).is_some_and(|owner| owner.foreground) {
                effects.push(Effect::Judge(owner.uid));
            }
        }
    }

    /// The dependents that mean this identity, and those that mean another one by its uid. A
    /// dependent may be both.
    fn partition(&self, uid: &str, identity: &Identity) -> (Vec<Uid>, Vec<Uid>) {
        let (mut matching, mut others) = (Vec::new(), Vec::new());
        for dependent in self.dependents(uid) {
            let own = &dependent.identity;
            let is_far = !identity.namespace.is_empty() && identity.namespace != own.namespace;
            let named = || dependent.owners.iter().filter(|owner| *owner.uid == *uid);
            if !is_far && named().any(|owner| owner.means(identity)) {
                matching.push(own.uid.clone());
            }
            if is_far || named().any(|owner| !owner.means(identity)) {
                others.push(own.uid.clone());
            }
        }
        (matching, others)
    }

    /// Another identity that these dependents mean by the uid: the next one in order, so that all
    /// of them have their turn.
    fn other_identity(&self, dependents: &[Uid], absent: &Identity) -> Option<Identity> {
        let mut all = BTreeSet::new();
        for vertex in dependents.iter().filter_map(|uid| self.get(uid)) {
            let namespace = &vertex.identity.namespace;
            for owner in vertex.owners.iter().filter(|owner| owner.uid == absent.uid) {
                let mut other = owner.within(namespace);
                let is_same_kind =
                    (&other.kind, &other.api_version) == (&absent.kind, &absent.api_version);
                if absent.namespace.is_empty() && is_same_kind {
                    // We know that objects of this kind stand in no namespace.
                    other.namespace = absent.namespace.clone();
                }
                all.insert(other);
            }
        }
        all.remove(absent);
        all.range(absent.clone()..).next().or_else(|| all.first()).cloned()
    }
}
