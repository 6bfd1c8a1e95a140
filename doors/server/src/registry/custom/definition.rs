//! `Definition`: a stored CustomResourceDefinition, compiled when its objects are first asked for.

use super::super::row::storage_name;
use super::converter::{Converter, Unavailable};
use super::webhook::{ConversionClient, WebhookConverter};
use crate::storage::cache::Item;
use ratchet_crd::definition::{
    CLEANUP_FINALIZER, Conversion, CustomResourceDefinition, Termination,
};
use ratchet_crd::{CustomResource, Environments};
use ratchet_object::Node;
use std::sync::atomic::{self, AtomicU64};
use std::sync::{Arc, OnceLock};

/// The CEL environments of rules, made for the first definition that is compiled.
#[derive(Debug)]
pub(crate) struct SharedEnvironments {
    minor: u32,
    made: OnceLock<Environments>,
}

impl SharedEnvironments {
    /// Those of a release, given by its minor number.
    pub(crate) fn of_release(minor: u32) -> Arc<Self> {
        Arc::new(Self { minor, made: OnceLock::new() })
    }

    fn get(&self) -> &Environments {
        self.made.get_or_init(|| Environments::of_release(self.minor))
    }
}

/// A definition at one revision.
#[derive(Debug)]
pub(crate) struct Definition {
    /// The definition without its schemas.
    pub(crate) view: CustomResourceDefinition,
    /// Whether its objects must be deleted before it goes.
    pub(crate) has_cleanup_finalizer: bool,
    /// The time at which its deletion began; empty if it has not begun.
    pub(crate) deleted_at: String,
    /// The stored definition.
    item: Arc<Item>,
    uid: String,
    generation: i64,
    environments: Arc<SharedEnvironments>,
    compiled: OnceLock<Arc<CustomResource>>,
    /// Converts objects by a webhook, if the definition has one.
    converter: Option<Arc<dyn Converter>>,
    /// The revision at which all remaining objects were held by finalizers.
    held_at: AtomicU64,
}

impl Definition {
    /// Reads a stored definition.
    pub(crate) fn read(item: &Arc<Item>, environments: &Arc<SharedEnvironments>) -> Self {
        item.read(|node| {
            let view = CustomResourceDefinition::from_node(node);
            let converter: Option<Arc<dyn Converter>> = match view.conversion {
                Conversion::None => None,
                Conversion::Webhook(_) => Some(Arc::new(Unavailable)),
            };
            let metadata = node.metadata();
            let finalizers = metadata.finalizers();
            Self {
                view,
                has_cleanup_finalizer: finalizers
                    .iter()
                    .any(|finalizer| finalizer.text() == Some(CLEANUP_FINALIZER)),
                deleted_at: metadata.deletion_timestamp().to_owned(),
                item: item.clone(),
                uid: metadata.uid().to_owned(),
                generation: metadata.generation().unwrap_or_default(),
                environments: environments.clone(),
                compiled: OnceLock::new(),
                converter,
                held_at: AtomicU64::new(0),
            }
        })
    }

    /// The same definition with what calls its webhook, if it has one.
    pub(crate) fn with_webhooks(self, webhooks: &Arc<ConversionClient>) -> Self {
        let converter = self.item.read(|node| WebhookConverter::of(node, webhooks));
        Self { converter: converter.or(self.converter), ..self }
    }

    /// The revision at which it was stored.
    pub(crate) fn revision(&self) -> u64 {
        self.item.revision
    }

    /// The definition as a tree.
    pub(crate) fn node(&self) -> Node<'static> {
        self.item.node()
    }

    /// The definition compiled for its objects; that is done once.
    pub(crate) fn compiled(&self) -> &Arc<CustomResource> {
        self.compiled.get_or_init(|| {
            let compile = |node: &Node<'_>| CustomResource::compile(node, self.environments.get());
            Arc::new(self.item.read(compile))
        })
    }

    /// Whether that is done already.
    pub(crate) fn is_compiled(&self) -> bool {
        self.compiled.get().is_some()
    }

    /// The webhook that converts objects, if there is one.
    pub(crate) fn converter(&self) -> Option<&Arc<dyn Converter>> {
        self.converter.as_ref()
    }

    /// Whether new objects are refused.
    pub(crate) fn is_terminating(&self) -> bool {
        self.view.is_true("Terminating")
    }

    /// Whether its objects have to be looked at again: they are not all held by finalizers as of this revision.
    pub(crate) fn has_news(&self, revision: u64) -> bool {
        self.held_at.load(atomic::Ordering::Relaxed) != revision
    }

    /// Remembers that all its objects were held by finalizers at a revision.
    pub(crate) fn set_held_at(&self, revision: u64) {
        self.held_at.store(revision, atomic::Ordering::Relaxed);
    }

    /// Whether it defines the very resources that another revision of it defines: then nothing is compiled again, and
    /// watches go on.
    pub(crate) fn defines_the_same(&self, other: &Self) -> bool {
        self.uid == other.uid
            && self.generation == other.generation
            && self.view.accepted_names == other.view.accepted_names
            && self.view.is_established() == other.view.is_established()
    }

    /// Whether its group is one that this server has from the start. Such a definition is accepted and discovery names
    /// it, but the reference looks for the resources of the group among the built-in ones only, in whatever version.
    pub(crate) fn has_built_in_group(&self) -> bool {
        let group = self.view.group.as_str();
        ratchet_catalog::RESOURCES.iter().any(|row| row.group == group)
    }

    /// Whether built-in resources have this version of its group, which discovery knows only with them. The group of
    /// APIServices is in none of these lists.
    pub(crate) fn has_built_in_version(&self, version: &str) -> bool {
        let group = self.view.group.as_str();
        let mut rows = ratchet_catalog::RESOURCES.iter();
        group == "apiregistration.k8s.io"
            || rows.any(|row| (row.group, row.version) == (group, version))
    }

    /// Whether a built-in resource has its names: what is stored under them is not its own.
    pub(crate) fn overlaps_built_in(&self) -> bool {
        let (group, plural) = (self.view.group.as_str(), self.view.names.plural.as_str());
        ratchet_catalog::RESOURCES.iter().any(|row| (row.group, row.plural) == (group, plural))
    }

    /// How the deletion of a definition ends whose names a built-in resource has. The reference stores most built-in
    /// objects elsewhere, and finds none.
    pub(crate) fn overlapping_end(&self) -> Termination {
        const SAME_PLACE: [(&str, &str); 2] = [
            ("apiextensions.k8s.io", "customresourcedefinitions"),
            ("apiregistration.k8s.io", "apiservices"),
        ];
        match SAME_PLACE.contains(&(self.view.group.as_str(), self.view.names.plural.as_str())) {
            true => Termination::Overlapping,
            false => Termination::Completed,
        }
    }

    /// The name under which its objects are stored.
    pub(crate) fn storage_name(&self) -> String {
        storage_name(&self.view.group, &self.view.names.plural)
    }
}
