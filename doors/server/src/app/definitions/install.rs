//! The resources of all definitions, in the order of discovery.

use super::known::Known;
use crate::registry::ServedResource;
use crate::registry::custom::{Definition, discovery_order, resources_of};
use crate::storage::cache::Cache;
use std::collections::HashMap;
use std::sync::Arc;

/// A definition, and the resources of its served versions.
type InstalledDefinition = (Arc<Definition>, Vec<Arc<ServedResource>>);

/// The resources that are served, by definition.
#[derive(Default)]
pub(super) struct Installed {
    by_name: HashMap<Arc<str>, InstalledDefinition>,
}

impl Installed {
    /// The resources of these definitions, if they are not those that are served already. The resources of a
    /// definition that did not change stay the same: what is compiled stays, and watches go on.
    pub(super) fn update(
        &mut self,
        known: &Known,
        cache: &Cache,
    ) -> Option<Vec<Arc<ServedResource>>> {
        let mut has_changed = false;
        self.by_name.retain(|name, (_, resources)| {
            let is_known = known.contains_key(name);
            has_changed |= !is_known && !resources.is_empty();
            is_known
        });
        for (name, definition) in known {
            let old = self.by_name.get(name);
            if old.is_some_and(|(old, _)| old.defines_the_same(definition)) {
                continue;
            }
            let resources = resources_of(definition, cache);
            has_changed |= !resources.is_empty() || old.is_some_and(|(_, old)| !old.is_empty());
            self.by_name.insert(name.clone(), (definition.clone(), resources));
        }
        if !has_changed {
            return None;
        }
        let all = self.by_name.values().flat_map(|(_, resources)| resources);
        let mut all: Vec<Arc<ServedResource>> = all.cloned().collect();
        all.sort_by(|one, other| discovery_order(&one.row(), &other.row()));
        Some(all)
    }
}
