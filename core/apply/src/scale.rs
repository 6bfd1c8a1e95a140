//! Entries of scale subresources: who owns the replicas of an object owns those of its Scale.

use crate::entry::{ManagedFieldsEntry, Operation, managed_fields};
use crate::field_set::FieldSet;
use crate::managed::{Managed, Owner};
use alloc::borrow::Cow;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use ratchet_object::Node;

/// The `apiVersion` of entries that were written through a scale subresource.
const SCALE_VERSION: &str = "autoscaling/v1";

/// Where a Scale has its replicas.
const REPLICAS: &[&str] = &["spec", "replicas"];

/// Where an object has its replicas, version by version.
#[derive(Clone, Copy, Debug)]
pub struct ReplicasPath<'a> {
    /// A version of the object.
    pub api_version: &'a str,
    /// The path of the replicas; none if objects of this version cannot be scaled.
    pub path: Option<&'a [&'a str]>,
}

/// Translates entries between an object and its Scale.
#[derive(Clone, Copy, Debug)]
pub struct ScaleHandler<'a> {
    /// The object.
    pub parent: &'a Node<'a>,
    /// The version of the request, in terms of the object.
    pub api_version: &'a str,
    /// All versions of the object.
    pub mappings: &'a [ReplicasPath<'a>],
}

impl<'a> ScaleHandler<'a> {
    /// The entries of the Scale: those that own the replicas.
    pub fn to_subresource(&self) -> Result<Vec<ManagedFieldsEntry>, String> {
        let mut managed = Managed::decode(managed_fields(self.parent))?;
        managed.owners.retain(|_, owner| {
            let path = self.mapping(&owner.api_version).and_then(|mapping| mapping.path);
            path.is_some_and(|path| owner.set.has_names(path))
        });
        for owner in managed.owners.values_mut() {
            owner.set = FieldSet::of_paths(&[REPLICAS]);
            owner.api_version = SCALE_VERSION.into();
        }
        Ok(managed.encode())
    }

    /// The entries of the object after a write of its Scale.
    pub fn to_parent(&self, scale: &Node<'_>) -> Result<Vec<ManagedFieldsEntry>, String> {
        let mut managed = Managed::decode(managed_fields(self.parent))?;
        let mut scale = Managed::decode(managed_fields(scale))?;
        managed.owners.retain(|key, owner| {
            let Some(mapping) = self.mapping(&owner.api_version) else { return false };
            let Some(path) = mapping.path.filter(|path| owner.set.has_names(path)) else {
                return true;
            };
            // Those whom the Scale knows already keep what they have; the others have lost the replicas.
            if scale.owners.remove(key).is_none() {
                owner.set = owner.set.difference(&FieldSet::of_paths(&[path]));
            }
            !owner.set.is_empty()
        });
        let path = self.mapping(self.api_version).and_then(|mapping| mapping.path);
        let set = path.map_or(FieldSet::EMPTY, |path| FieldSet::of_paths(&[path]));
        let mut entries = managed.clone();
        for (key, owner) in &scale.owners {
            if owner.set.has_names(REPLICAS) {
                // The time is that of the object's entry, which a new one does not have.
                let time = managed.owners.get(key).and_then(|owner| owner.time.clone());
                let owner = Owner {
                    id: owned_id(owner),
                    set: set.clone(),
                    api_version: Cow::Borrowed(self.api_version),
                    time,
                };
                entries.owners.insert(key.clone(), owner);
            }
        }
        Ok(entries.encode())
    }

    fn mapping(&self, api_version: &str) -> Option<&ReplicasPath<'a>> {
        self.mappings.iter().find(|mapping| mapping.api_version == api_version)
    }
}

fn owned_id(owner: &Owner<'_>) -> crate::managed::ManagerId<'static> {
    let own = |text: &str| Cow::Owned(text.to_string());
    crate::managed::ManagerId {
        manager: own(&owner.id.manager),
        operation: if owner.id.operation == Operation::Apply {
            Operation::Apply
        } else {
            Operation::Update
        },
        api_version: own(&owner.id.api_version),
        subresource: own(&owner.id.subresource),
    }
}
