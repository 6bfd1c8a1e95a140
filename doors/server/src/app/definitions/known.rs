//! `Known`: the definitions as of one revision, found by name, by group and by the names that they have.

use crate::registry::custom::Definition;
use crate::storage::cache::ROOT;
use imbl::{OrdMap, OrdSet};
use ratchet_crd::definition::{CustomResourceDefinition, Names};
use std::collections::BTreeSet;
use std::sync::Arc;

/// The name under which definitions are stored.
pub(super) const STORAGE: &str = "customresourcedefinitions.apiextensions.k8s.io";

/// The store key of a definition.
pub(super) fn key(name: &str) -> String {
    format!("{ROOT}{STORAGE}/{name}")
}

/// Definitions by name. A copy shares everything; a change costs the same however many there are.
#[derive(Clone, Default)]
pub(super) struct Known {
    by_name: OrdMap<Arc<str>, Arc<Definition>>,
    /// Who has which accepted name: group and name with a slash between them, then the definition.
    holders: OrdSet<(Arc<str>, Arc<str>)>,
    /// Group and name of those that do not have all the names that they ask for.
    waiting: OrdSet<(Arc<str>, Arc<str>)>,
    /// Those that are being deleted, and whose objects must go first.
    deleted: OrdSet<Arc<str>>,
    /// The revision of the definitions; none before the first look at them.
    pub(super) revision: Option<u64>,
}

impl Known {
    /// The definition of this name.
    pub(super) fn get(&self, name: &str) -> Option<&Arc<Definition>> {
        self.by_name.get(name)
    }

    /// All definitions.
    pub(super) fn all(&self) -> impl Iterator<Item = (&Arc<str>, &Arc<Definition>)> {
        self.by_name.iter()
    }

    /// Adds or replaces a definition.
    pub(super) fn insert(&mut self, name: &Arc<str>, definition: Arc<Definition>) {
        self.remove(name);
        let view = &definition.view;
        for held in names(&view.accepted_names) {
            self.holders.insert((held_key(&view.group, held), name.clone()));
        }
        if view.names != view.accepted_names {
            self.waiting.insert((view.group.as_str().into(), name.clone()));
        }
        if !definition.deleted_at.is_empty() && definition.has_cleanup_finalizer {
            self.deleted.insert(name.clone());
        }
        self.by_name.insert(name.clone(), definition);
    }

    /// Removes a definition.
    pub(super) fn remove(&mut self, name: &Arc<str>) -> Option<Arc<Definition>> {
        let definition = self.by_name.remove(name)?;
        let view = &definition.view;
        for held in names(&view.accepted_names) {
            self.holders.remove(&(held_key(&view.group, held), name.clone()));
        }
        self.waiting.remove(&(view.group.as_str().into(), name.clone()));
        self.deleted.remove(name);
        Some(definition)
    }

    /// The definitions of the same group that have a name which this one asks for: no others matter for its review.
    pub(super) fn rivals(&self, view: &CustomResourceDefinition) -> Vec<&Arc<Definition>> {
        let mut found: BTreeSet<&Arc<str>> = BTreeSet::new();
        for wanted in names(&view.names) {
            let key = held_key(&view.group, wanted);
            let holders = self.holders.range((key.clone(), Arc::<str>::from(""))..);
            found.extend(holders.take_while(|(held, _)| *held == key).map(|(_, name)| name));
        }
        found.into_iter().filter_map(|name| self.by_name.get(name)).collect()
    }

    /// The definitions of a group that do not have all their names, which may be free now.
    pub(super) fn waiting<'k>(&'k self, group: &str) -> impl Iterator<Item = Arc<str>> + 'k {
        let group: Arc<str> = group.into();
        let waiting = self.waiting.range((group.clone(), Arc::<str>::from(""))..);
        waiting.take_while(move |(of, _)| *of == group).map(|(_, name)| name.clone())
    }

    /// The definitions that are being deleted, and whose objects must go first.
    pub(super) fn deleted(&self) -> impl Iterator<Item = &Arc<Definition>> {
        self.deleted.iter().filter_map(|name| self.by_name.get(name))
    }
}

/// All names of a definition that others may not have, too.
fn names(names: &Names) -> impl Iterator<Item = &str> {
    let single = [&names.plural, &names.singular, &names.kind, &names.list_kind];
    single.into_iter().chain(&names.short_names).map(String::as_str).filter(|name| !name.is_empty())
}

/// A name in a group; neither contains a slash.
fn held_key(group: &str, name: &str) -> Arc<str> {
    format!("{group}/{name}").into()
}
