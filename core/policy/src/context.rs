//! `PolicyContext`: what policies need beside stored objects; the door provides it.

use crate::{GroupVersionKind, GroupVersionResource};
use alloc::string::String;
use alloc::sync::Arc;
use alloc::vec::Vec;
use ratchet_cel::library::authz::Authorize;
use ratchet_object::{ClusterReader, NoCluster, Node};

/// Namespaces, as they are stored.
pub(crate) const NAMESPACES: GroupVersionResource<'_> =
    GroupVersionResource::any_version("", "namespaces");

/// The cluster as policies see it: namespaces and parameters are read from the [`ClusterReader`].
pub trait PolicyContext: ClusterReader {
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

/// Another group or version that serves the objects of the requested resource (`matchPolicy: Equivalent`).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Equivalent {
    /// The API group that serves them.
    pub group: String,
    /// The version that they are served in.
    pub version: String,
    /// The plural name there.
    pub resource: String,
    /// The kind of its objects (of the subresource, if there is one): group, version, kind.
    pub kind: (String, String, String),
}

impl PolicyContext for NoCluster {}
