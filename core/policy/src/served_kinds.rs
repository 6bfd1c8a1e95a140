//! `ServedKinds`: the kinds that a server offers beside the built-in ones, with the schemas that it publishes.

use crate::GroupVersionKind;
use crate::openapi_types::declare;
use crate::type_check::{kinds, param_kind};
use alloc::collections::{BTreeMap, BTreeSet};
use alloc::string::String;
use alloc::sync::Arc;
use alloc::vec::Vec;
use ratchet_cel::decl::DeclType;
use ratchet_object::{Node, schema};

/// Group, version and kind.
type KindName = (String, String, String);

/// A resource that is served, and the kind of its objects.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ServedKind {
    /// The API group.
    pub group: String,
    /// The API version.
    pub version: String,
    /// The plural name, as in URLs.
    pub resource: String,
    /// The kind of its objects.
    pub kind: String,
}

/// Kinds that are not built in: those of definitions and of extension servers.
#[derive(Clone, Debug, Default)]
pub struct ServedKinds {
    kinds: Vec<ServedKind>,
    schemas: BTreeMap<KindName, Arc<DeclType>>,
}

impl ServedKinds {
    /// Of these kinds the ones that are not built in.
    pub fn new(kinds: impl IntoIterator<Item = ServedKind>) -> Self {
        let is_built_in =
            |kind: &ServedKind| schema::kind(&kind.group, &kind.version, &kind.kind).is_some();
        let kinds = kinds.into_iter().filter(|kind| !is_built_in(kind)).collect();
        Self { kinds, schemas: BTreeMap::new() }
    }

    /// The groups and versions whose OpenAPI documents say what the type check of a policy has to know.
    pub fn missing(&self, policy: &Node<'_>) -> BTreeSet<(String, String)> {
        let named = kinds(policy, self).into_iter().chain(param_kind(policy));
        let named = named.filter(|kind| {
            schema::kind(kind.group, kind.version, kind.kind).is_none()
                && !self.schemas.contains_key(&name(*kind))
        });
        named.map(|kind| (kind.group.into(), kind.version.into())).collect()
    }

    /// Takes the schemas of the kinds that the type check of a policy needs from an OpenAPI v3 document.
    pub fn describe(&mut self, policy: &Node<'_>, document: &Node<'_>) {
        let named: BTreeSet<KindName> =
            kinds(policy, self).into_iter().chain(param_kind(policy)).map(name).collect();
        for (group, version, kind) in named {
            let wanted = GroupVersionKind { group: &group, version: &version, kind: &kind };
            if let Some(ty) = declare(document, wanted) {
                self.schemas.insert((group, version, kind), Arc::new(ty));
            }
        }
    }

    /// The kinds of a resource; an empty group is any group.
    pub(crate) fn named<'s>(
        &'s self,
        group: &str,
        version: &str,
        resource: &str,
    ) -> impl Iterator<Item = GroupVersionKind<'s>> {
        let found = self.kinds.iter().filter(move |kind| {
            (group.is_empty() || kind.group == group)
                && (kind.version.as_str(), kind.resource.as_str()) == (version, resource)
        });
        found.map(|kind| GroupVersionKind {
            group: &kind.group,
            version: &kind.version,
            kind: &kind.kind,
        })
    }

    /// The schema of a kind, if a document described it.
    pub(crate) fn schema(&self, kind: GroupVersionKind<'_>) -> Option<Arc<DeclType>> {
        self.schemas.get(&name(kind)).cloned()
    }
}

fn name(kind: GroupVersionKind<'_>) -> KindName {
    (kind.group.into(), kind.version.into(), kind.kind.into())
}
