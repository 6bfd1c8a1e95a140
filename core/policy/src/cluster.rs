//! The cluster state that policies need; the door provides it.

use crate::{GroupVersionKind, GroupVersionResource};
use alloc::string::String;
use alloc::sync::Arc;
use alloc::vec::Vec;
use ratchet_cel::library::authz::Authorize;
use ratchet_object::Node;

/// The cluster as policies see it. Everything but namespaces and parameters has a default.
pub trait ClusterReader {
    /// A stored namespace.
    fn namespace(&self, name: &str) -> Option<Node<'static>>;

    /// Whether a namespace exists.
    fn has_namespace(&self, name: &str) -> bool {
        self.namespace(name).is_some()
    }

    /// How a kind of parameters is served; none if it is not.
    fn served(&self, kind: &GroupVersionKind<'_>) -> Option<Served>;

    /// A parameter, with `apiVersion` and `kind`; `namespace` is empty for cluster-scoped kinds.
    fn parameter(
        &self,
        kind: &GroupVersionKind<'_>,
        namespace: &str,
        name: &str,
    ) -> Option<Node<'static>>;

    /// All parameters of a kind, with `apiVersion` and `kind`, sorted by name; `namespace` is empty for
    /// cluster-scoped kinds.
    fn parameters(&self, kind: &GroupVersionKind<'_>, namespace: &str) -> Vec<Node<'static>>;

    /// The equivalent resources: the same objects in other groups and versions.
    fn equivalents(
        &self,
        resource: &GroupVersionResource<'_>,
        subresource: &str,
    ) -> Vec<Equivalent> {
        let _ = (resource, subresource);
        Vec::new()
    }

    /// An object in another version; none if it cannot be converted.
    fn converted(&self, object: &Node<'_>, kind: &GroupVersionKind<'_>) -> Option<Node<'static>> {
        let _ = (object, kind);
        None
    }

    /// The authorizer of the user of the attempt and of service accounts; without one, expressions that use it
    /// fail.
    fn authorizer(&self) -> Option<Arc<dyn Authorize>> {
        None
    }

    /// A monotonic clock in nanoseconds, to measure evaluations.
    fn nanoseconds(&self) -> u64 {
        0
    }
}

/// How a kind is served.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Served {
    /// Whether its objects are namespaced.
    pub namespaced: bool,
}

/// An equivalent resource.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Equivalent {
    /// The group.
    pub group: String,
    /// The version.
    pub version: String,
    /// The resource.
    pub resource: String,
    /// The kind of its objects (of the subresource, if there is one): group, version, kind.
    pub kind: (String, String, String),
}
