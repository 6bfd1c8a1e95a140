//! What policies must be told about the cluster: the door that judges with them says it.

use crate::{KindName, ResourceName};
use alloc::string::String;
use alloc::sync::Arc;
use alloc::vec::Vec;
use ratchet_cel::library::authz::Authorize;
use ratchet_object::Node;

/// What policies ask about the cluster. Everything but namespaces and parameters may be left as it is.
pub trait Surroundings {
    /// A namespace, as it is stored.
    fn namespace(&self, name: &str) -> Option<Node<'static>>;

    /// Whether there is a namespace.
    fn has_namespace(&self, name: &str) -> bool {
        self.namespace(name).is_some()
    }

    /// How a kind of parameters is served; none if it is not.
    fn served(&self, kind: &KindName<'_>) -> Option<Served>;

    /// A parameter, with `apiVersion` and `kind`; `namespace` is empty if the kind is in none.
    fn parameter(&self, kind: &KindName<'_>, namespace: &str, name: &str) -> Option<Node<'static>>;

    /// All parameters of a kind, with `apiVersion` and `kind`, in the order of their names; `namespace` is empty if
    /// the kind is in none.
    fn parameters(&self, kind: &KindName<'_>, namespace: &str) -> Vec<Node<'static>>;

    /// The other names of a resource: the same objects in other groups and versions.
    fn equivalents(&self, resource: &ResourceName<'_>, subresource: &str) -> Vec<Equivalent> {
        let _ = (resource, subresource);
        Vec::new()
    }

    /// An object in another version; none if that cannot be.
    fn converted(&self, object: &Node<'_>, kind: &KindName<'_>) -> Option<Node<'static>> {
        let _ = (object, kind);
        None
    }

    /// Who decides what the user of the attempt, or a service account, may do; without anybody expressions that ask
    /// fail.
    fn authorizer(&self) -> Option<Arc<dyn Authorize>> {
        None
    }

    /// A clock that only goes forward, in nanoseconds: how long expressions take is measured with it.
    fn nanoseconds(&self) -> u64 {
        0
    }
}

/// How a kind is served.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Served {
    /// Whether its objects are in namespaces.
    pub namespaced: bool,
}

/// Another name of a resource.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Equivalent {
    /// Its group.
    pub group: String,
    /// Its version.
    pub version: String,
    /// The resource.
    pub resource: String,
    /// The kind that objects have there (that of the part, if one is meant): group, version, kind.
    pub kind: (String, String, String),
}
