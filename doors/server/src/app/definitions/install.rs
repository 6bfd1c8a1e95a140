//! `Installed`: the resources of all definitions that are served.

use super::known::Known;
use crate::registry::ServedResource;
use crate::registry::custom::{Definition, resources_of};
use crate::storage::cache::Cache;
use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;

/// A definition, and the resources of its served versions.
type InstalledDefinition = (Arc<Definition>, Vec<Arc<ServedResource>>);

/// The resources that are served, by definition.
#[derive(Default)]
pub(super) struct Installed {
    by_name: HashMap<Arc<str>, InstalledDefinition>,
    /// The definitions that changed or went since they were last looked at here.
    changed: BTreeSet<Arc<str>>,
}

/// What is served no longer, and what is served from now on.
#[derive(Default)]
pub(super) struct Exchange {
    pub(super) removed: Vec<Arc<ServedResource>>,
    pub(super) added: Vec<Arc<ServedResource>>,
}

impl Exchange {
    /// Whether everything stays as it is.
    pub(super) fn is_empty(&self) -> bool {
        self.removed.is_empty() && self.added.is_empty()
    }
}

impl Installed {
    /// Remembers definitions that changed or went.
    pub(super) fn note<'n>(&mut self, names: impl IntoIterator<Item = &'n Arc<str>>) {
        self.changed.extend(names.into_iter().cloned());
    }

    /// What the changed definitions replace. The resources of a definition that defines the same as before stay: what
    /// is compiled stays, and watches go on.
    pub(super) fn update(&mut self, known: &Known, cache: &Cache) -> Exchange {
        let mut exchange = Exchange::default();
        for name in std::mem::take(&mut self.changed) {
            let new = known.get(&name);
            let is_same = |(old, _): &InstalledDefinition| {
                new.is_some_and(|definition| old.defines_the_same(definition))
            };
            if self.by_name.get(&name).is_some_and(is_same) {
                continue;
            }
            if let Some((_, old)) = self.by_name.remove(&name) {
                exchange.removed.extend(old);
            }
            if let Some(definition) = new {
                let resources = resources_of(definition, cache);
                exchange.added.extend(resources.iter().cloned());
                self.by_name.insert(name, (definition.clone(), resources));
            }
        }
        exchange
    }
}
