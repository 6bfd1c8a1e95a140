//! Ownership: what a write does to the field sets of all managers.

use crate::converter::{Converter, is_group_version};
use crate::field_set::{Depth, FieldSet};
use crate::managed::{Managed, ManagerId, Owner};
use crate::prune::prune;
use crate::reset_fields::ResetFields;
use crate::schema::TypeRef;
use crate::typed::{
    Comparison, Duplicates, compare, is_same_object, merge, reconcile, to_field_set, validate,
};
use alloc::borrow::Cow;
use alloc::collections::BTreeSet;
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use ratchet_object::Node;

/// An object that fits its type.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Typed<'a> {
    pub(crate) object: &'a Node<'a>,
    pub(crate) ty: TypeRef<'a>,
}

/// Who writes, and when.
pub(crate) struct Writer<'a> {
    pub(crate) id: ManagerId<'a>,
    pub(crate) now: &'a str,
}

/// What a write needs to know about the kind and the endpoint.
#[derive(Clone, Copy)]
pub(crate) struct Updater<'a> {
    pub(crate) converter: &'a dyn Converter,
    pub(crate) reset_fields: Option<ResetFields<'a>>,
    /// The version of the request.
    pub(crate) api_version: &'a str,
}

/// The outcome of an apply.
pub(crate) struct Outcome<'a> {
    pub(crate) object: Node<'static>,
    /// Whether the object differs from the live one.
    pub(crate) is_changed: bool,
    pub(crate) managed: Managed<'a>,
}

/// Why an apply failed.
#[derive(Debug)]
pub(crate) enum ApplyFailure<'a> {
    /// Others own what it would change, sorted by manager.
    Conflicts(Vec<FieldConflicts<'a>>),
    Failed(String),
}

impl From<String> for ApplyFailure<'_> {
    fn from(message: String) -> Self {
        Self::Failed(message)
    }
}

/// The fields that an apply would take from a manager.
#[derive(Clone, Debug)]
pub(crate) struct FieldConflicts<'a> {
    /// The manager as conflicts name it.
    pub(crate) manager: String,
    pub(crate) fields: FieldSet<'a>,
}

/// What a manager loses by a write.
struct Loss<'a> {
    key: String,
    /// What it owns and the write changes.
    conflicts: FieldSet<'a>,
    /// What it owns and the write removes.
    removed: FieldSet<'a>,
}

/// The outcome of a conversion.
pub(crate) enum Conversion<'a> {
    /// The object has the version already.
    Same,
    /// The kind does not have the version.
    Missing,
    /// The object in the version, and its type there.
    Done(Node<'static>, TypeRef<'a>),
}

/// Fields that nobody owns: they belong to the server.
const STRIPPED: &[&[&str]] = &[
    &["apiVersion"],
    &["kind"],
    &["metadata"],
    &["metadata", "name"],
    &["metadata", "namespace"],
    &["metadata", "creationTimestamp"],
    &["metadata", "selfLink"],
    &["metadata", "uid"],
    &["metadata", "generation"],
    &["metadata", "managedFields"],
    &["metadata", "resourceVersion"],
];

fn strip(set: &mut FieldSet<'_>) {
    STRIPPED.iter().for_each(|path| set.remove_names(path));
}

impl<'a> Updater<'a> {
    /// Records a write that is no apply: the manager owns what it changed, and nobody else does.
    pub(crate) fn update(
        &self,
        (live, new): (Typed<'a>, Typed<'a>),
        managed: Managed<'a>,
        Writer { id, now }: Writer<'a>,
    ) -> Result<Managed<'a>, String> {
        let mut managed = self.reconciled(managed)?;
        let own = self.filtered(compare(live.object, new.object, live.ty), self.api_version);
        // The manager's own entry loses the fields, too, and gets them back below.
        let losses = self.losses(live, new, &mut managed, &own, None)?;
        take(&mut managed, losses);
        let mut set = own.modified;
        set.unite(own.added);
        let mut set = self.filtered_set(set);
        strip(&mut set);
        if set.is_empty() {
            return Ok(managed);
        }
        let key = id.key();
        if let Some(owner) = managed.owners.remove(&key) {
            set.unite(owner.set);
        }
        let api_version = Cow::Borrowed(self.api_version);
        managed.owners.insert(key, Owner { id, set, api_version, time: Some(now.into()) });
        Ok(managed)
    }

    /// Merges a configuration into the live object.
    pub(crate) fn apply(
        &self,
        (live, config): (Typed<'a>, Typed<'a>),
        managed: Managed<'a>,
        Writer { id, now }: Writer<'a>,
        force: bool,
    ) -> Result<Outcome<'a>, ApplyFailure<'a>> {
        let mut managed = self.reconciled(managed)?;
        let key = id.key();
        let merged = merge(live.object, config.object, live.ty);
        let set = self.filtered_set(to_field_set(config.object, config.ty));
        let last = managed.owners.remove(&key);
        let time = last.as_ref().and_then(|owner| owner.time.clone());
        let api_version = Cow::Borrowed(self.api_version);
        managed.owners.insert(key.clone(), Owner { id, set, api_version, time });
        let new = prune(self, merged, live.ty, &managed, last.as_ref())?;

        let losses = self.changes(live, Typed { object: &new, ty: live.ty }, &mut managed, &key)?;
        let conflicts = conflicts(&managed, &losses);
        if !force && !conflicts.is_empty() {
            return Err(ApplyFailure::Conflicts(conflicts));
        }
        take(&mut managed, losses);
        let is_changed = !is_same_object(live.object, &new);
        if let Some(owner) = managed.owners.get_mut(&key) {
            strip(&mut owner.set);
            if is_changed {
                owner.time = Some(now.into());
            }
        }
        managed.drop_empty();
        Ok(Outcome { object: new, is_changed, managed })
    }

    /// What all managers but the one with this key lose.
    fn changes<'n>(
        &self,
        live: Typed<'n>,
        new: Typed<'n>,
        managed: &mut Managed<'a>,
        key: &str,
    ) -> Result<Vec<Loss<'a>>, String>
    where
        'a: 'n,
    {
        let own = self.filtered(compare(live.object, new.object, live.ty), self.api_version);
        self.losses(live, new, managed, &own, Some(key))
    }

    /// What managers lose by a change, each in its own version. Those of versions that the kind lacks are dropped.
    fn losses<'n>(
        &self,
        live: Typed<'n>,
        new: Typed<'n>,
        managed: &mut Managed<'a>,
        own: &Comparison<'n>,
        except: Option<&str>,
    ) -> Result<Vec<Loss<'a>>, String> {
        let others = managed.owners.iter().filter(|(key, _)| except != Some(key.as_str()));
        let versions: BTreeSet<String> =
            others.map(|(_, owner)| owner.api_version.to_string()).collect();
        let mut losses = Vec::new();
        for version in versions {
            if version == self.api_version {
                lose(managed, &version, except, own, &mut losses);
                continue;
            }
            let before = self.convert(live.object, &version);
            let before =
                before.map_err(|error| format!("failed to convert old object: {error}"))?;
            let after = self.convert(new.object, &version);
            let after = after.map_err(|error| format!("failed to convert new object: {error}"))?;
            if let (Conversion::Done(before, ty), Conversion::Done(after, _)) = (&before, &after) {
                let own = self.filtered(compare(before, after, *ty), &version);
                lose(managed, &version, except, &own, &mut losses);
            } else {
                managed.owners.retain(|key, owner| {
                    owner.api_version != version.as_str() || except == Some(key.as_str())
                });
            }
        }
        losses.sort_by(|a, b| a.key.cmp(&b.key));
        Ok(losses)
    }

    /// The managers with sets that fit the types of today; those of versions that the kind lacks are dropped.
    fn reconciled(&self, managed: Managed<'a>) -> Result<Managed<'a>, String> {
        let mut reconciled = Managed::default();
        for (key, mut owner) in managed.owners {
            if !is_group_version(&owner.api_version) {
                return Err(format!("unexpected GroupVersion string: {}", owner.api_version));
            }
            if let Some(ty) = self.converter.type_of(&owner.api_version) {
                reconcile(&mut owner.set, ty);
                reconciled.owners.insert(key, owner);
            }
        }
        Ok(reconciled)
    }

    /// An object in another version.
    pub(crate) fn convert(
        &self,
        object: &Node<'_>,
        api_version: &str,
    ) -> Result<Conversion<'a>, String> {
        if object.text_at(&["apiVersion"]) == api_version {
            return Ok(Conversion::Same);
        }
        let Some(ty) = self.converter.type_of(api_version) else {
            return Ok(Conversion::Missing);
        };
        let converted = self.converter.convert(object, api_version)?;
        validate(&converted, ty, Duplicates::Refused)?;
        Ok(Conversion::Done(converted, ty))
    }

    fn filtered<'n>(&self, comparison: Comparison<'n>, api_version: &str) -> Comparison<'n> {
        let filter = self.reset_fields.and_then(|reset| reset.filter(api_version));
        comparison.filtered(filter)
    }

    fn filtered_set<'n>(&self, set: FieldSet<'n>) -> FieldSet<'n> {
        match self.reset_fields.and_then(|reset| reset.filter(self.api_version)) {
            Some(filter) => set.filtered(filter),
            None => set,
        }
    }
}

/// What the managers of a version lose.
fn lose<'a>(
    managed: &Managed<'a>,
    version: &str,
    except: Option<&str>,
    change: &Comparison<'_>,
    losses: &mut Vec<Loss<'a>>,
) {
    for (key, owner) in &managed.owners {
        if owner.api_version == version && except != Some(key.as_str()) {
            let mut conflicts = owner.set.intersection(&change.modified);
            conflicts.unite(owner.set.intersection(&change.added));
            let removed = owner.set.intersection(&change.removed);
            if !conflicts.is_empty() || !removed.is_empty() {
                losses.push(Loss { key: key.clone(), conflicts, removed });
            }
        }
    }
}

fn conflicts<'a>(managed: &Managed<'a>, losses: &[Loss<'a>]) -> Vec<FieldConflicts<'a>> {
    let conflicting = losses.iter().filter(|loss| !loss.conflicts.is_empty());
    conflicting
        .filter_map(|loss| {
            let manager = managed.owners.get(&loss.key)?.id.describe();
            Some(FieldConflicts { manager, fields: loss.conflicts.clone() })
        })
        .collect()
}

fn take<'a>(managed: &mut Managed<'a>, losses: Vec<Loss<'a>>) {
    for loss in losses {
        if let Some(owner) = managed.owners.get_mut(&loss.key) {
            owner.set.subtract(&loss.conflicts, Depth::Field);
            owner.set.subtract(&loss.removed, Depth::Field);
        }
    }
    managed.drop_empty();
}
