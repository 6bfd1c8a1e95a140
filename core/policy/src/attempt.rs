//! What all policies share about one attempt: its namespace, and its objects in the version that a policy matched.

use crate::context::NAMESPACES;
use crate::matching::MatchKind;
use crate::request::namespace_object;
use crate::{Attributes, PolicyContext};
use alloc::borrow::ToOwned;
use alloc::format;
use alloc::string::String;
use ratchet_object::Node;

/// The namespace of an attempt, looked up once, when it is first needed.
pub(crate) struct NamespaceLookup<'a> {
    /// Its name; empty for cluster-scoped objects, namespaces included.
    name: &'a str,
    /// The object that expressions see, once it was looked up.
    object: Option<Option<Node<'static>>>,
    /// Whether it is known to exist.
    exists: bool,
}

impl<'a> NamespaceLookup<'a> {
    pub(crate) fn new(attributes: &Attributes<'a>) -> Self {
        let kind = &attributes.kind;
        let is_namespace = (kind.group, kind.version, kind.kind) == ("", "v1", "Namespace");
        let name = if is_namespace { "" } else { attributes.effective_namespace() };
        Self { name, object: None, exists: false }
    }

    /// Looks the namespace up, its existence alone unless it `is_needed`; the error is its name.
    pub(crate) fn find(
        &mut self,
        cluster: &dyn PolicyContext,
        is_needed: bool,
    ) -> Result<(), String> {
        if self.object.is_some() || !is_needed && self.exists {
            return Ok(());
        }
        let missing = || self.name.to_owned();
        if self.name.is_empty() {
            self.object = Some(None);
        } else if is_needed {
            let namespace = cluster.get(&NAMESPACES, "", self.name).ok_or_else(missing)?;
            self.object = Some(Some(namespace_object(namespace)));
        } else {
            self.exists = cluster.exists(&NAMESPACES, "", self.name);
            return if self.exists { Ok(()) } else { Err(missing()) };
        }
        Ok(())
    }

    /// `namespaceObject`, if it was looked up and there is one.
    pub(crate) fn object(&self) -> Option<&Node<'static>> {
        self.object.as_ref()?.as_ref()
    }
}

/// The object and the stored object in the version that a policy matched; none where they already have it.
pub(crate) struct VersionedObjects {
    pub(crate) object: Option<Node<'static>>,
    pub(crate) old: Option<Node<'static>>,
}

impl VersionedObjects {
    pub(crate) fn convert(
        attributes: &Attributes<'_>,
        matched: &MatchKind,
        cluster: &dyn PolicyContext,
    ) -> Result<Self, String> {
        let MatchKind::Equivalent(other) = matched else {
            return Ok(Self { object: None, old: None });
        };
        let kind = other.kind_name();
        let convert = |node: Option<&Node<'_>>| match node {
            None => Ok(None),
            Some(node) => cluster.converted(node, &kind).map(Some).ok_or_else(|| {
                format!("failed to convert object version: unable to convert to {kind}")
            }),
        };
        Ok(Self { object: convert(attributes.object)?, old: convert(attributes.old)? })
    }
}
