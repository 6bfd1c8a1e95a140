//! The status of a new definition, written together with the definition.

use super::conditions::has_valid_ca_bundle;
use super::known::Known;
use super::{Definitions, lock};
use crate::status::StatusError;
use crate::storage::cache::{Stored, storable};
use ratchet_crd::definition::{CustomResourceDefinition, sync_status};
use ratchet_object::Node;
use std::collections::BTreeSet;
use std::sync::Arc;
use tokio::sync::MutexGuard;

/// A new definition as it is stored. While it lives, nobody else in its group is given names.
pub(crate) struct Established<'d> {
    /// The definition with its status.
    pub(crate) value: Stored,
    definitions: &'d Definitions,
    _naming: Vec<MutexGuard<'d, ()>>,
}

impl Established<'_> {
    /// Says at which revision it was stored, and is in the cache: its status is up to date. Returns the revision of the
    /// answer, which has no status yet, as in the reference: an older one, so that whoever watches from there is told
    /// of the status, and whoever writes the definition back without it gets a conflict.
    pub(crate) fn stored_at(self, revision: u64) -> u64 {
        lock(&self.definitions.established).insert(revision);
        revision.saturating_sub(1)
    }
}

impl Definitions {
    /// Gives a new definition its names and conditions. The controllers of the reference write them one after the
    /// other, each with a commit of its own; nobody can tell, but it takes longer.
    pub(crate) async fn establish(
        &self,
        mut node: Node<'static>,
        now: &str,
    ) -> Result<Established<'_>, StatusError> {
        let view = CustomResourceDefinition::from_node(&node);
        let naming = self.naming.lock_all([view.group.as_str()]).await;
        // The task that follows the definitions may not have seen the newest ones.
        let mut known = Known::clone(&self.known.load());
        self.catch_up(&mut known, &self.cache.now());
        let rivals = known.rivals(&view);
        let rivals = rivals.iter().map(|rival| &rival.view);
        sync_status(&mut node, rivals, has_valid_ca_bundle(&view), now);
        Ok(Established { value: storable(&node)?, definitions: self, _naming: naming })
    }

    /// Leaves those definitions out whose status was written together with them.
    pub(super) fn without_established(&self, known: &Known, sets: [&mut BTreeSet<Arc<str>>; 2]) {
        let mut established = lock(&self.established);
        let is_written = |name: &Arc<str>| {
            known.get(name).is_some_and(|definition| established.contains(&definition.revision()))
        };
        for names in sets {
            names.retain(|name| !is_written(name));
        }
        let seen = known.revision.unwrap_or_default();
        established.retain(|revision| *revision > seen);
    }
}
