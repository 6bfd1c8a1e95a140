//! What a plugin is told: the request, and the cluster that it may ask.

use alloc::string::String;
use alloc::vec::Vec;
use ratchet_access::{Attempt, Resource, Target, User};
use ratchet_object::Node;

/// What would happen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Operation {
    /// Something is made.
    Create,
    /// Something is changed.
    Update,
    /// Something goes.
    Delete,
}

impl Operation {
    /// The word in messages and metrics.
    pub fn word(self) -> &'static str {
        match self {
            Self::Create => "CREATE",
            Self::Update => "UPDATE",
            Self::Delete => "DELETE",
        }
    }
}

/// A request that is about to be admitted.
#[derive(Clone, Copy, Debug)]
pub struct Request<'a> {
    /// What would happen.
    pub operation: Operation,
    /// API group.
    pub group: &'a str,
    /// API version.
    pub version: &'a str,
    /// The plural in the URL.
    pub resource: &'a str,
    /// The subresource; empty for the object itself.
    pub subresource: &'a str,
    /// The namespace; empty for what lives in the cluster.
    pub namespace: &'a str,
    /// The name of the object; empty if it has yet to be generated.
    pub name: &'a str,
    /// Who asks.
    pub user: &'a User,
    /// The minor release that the server emulates: some plugins grew.
    pub minor: u8,
    /// The object that is there, for updates and deletions.
    pub old: Option<&'a Node<'a>>,
}

impl Request<'_> {
    /// Whether it is about the objects of a resource themselves.
    pub fn is_on(&self, group: &str, resource: &str) -> bool {
        self.is_on_part(group, resource, "")
    }

    /// Whether it is about a subresource.
    pub fn is_on_part(&self, group: &str, resource: &str, subresource: &str) -> bool {
        (self.group, self.resource, self.subresource) == (group, resource, subresource)
    }

    /// Whether something is made.
    pub fn is_create(&self) -> bool {
        self.operation == Operation::Create
    }

    /// Whether something is changed.
    pub fn is_update(&self) -> bool {
        self.operation == Operation::Update
    }
}

/// Why a plugin refuses.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Denial {
    /// 403: what stands after `pods "x" is forbidden: `.
    Forbidden(String),
    /// 403 with a cause of this type beside the text.
    ForbiddenBecause(String, &'static str),
    /// 404: something of the core group that the object needs.
    NotFound {
        /// The plural.
        resource: &'static str,
        /// The name.
        name: String,
    },
}

impl Denial {
    /// 403.
    pub fn forbidden(text: impl Into<String>) -> Self {
        Self::Forbidden(text.into())
    }
}

/// Whom a certificate is asked for.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Subject {
    /// The common name.
    pub common_name: String,
    /// The organizations, which are groups.
    pub organizations: Vec<String>,
}

/// The cluster as of now: plugins ask, the door answers from its cache.
pub trait Cluster {
    /// One object; the namespace is empty for what lives in the cluster.
    fn object(
        &self,
        group: &str,
        resource: &str,
        namespace: &str,
        name: &str,
    ) -> Option<Node<'static>>;

    /// All objects of a resource in a namespace, or in the cluster, in the order of their names.
    fn objects(&self, group: &str, resource: &str, namespace: &str) -> Vec<Node<'static>>;

    /// Whether the authorizers allow it; if not, what they say.
    fn decide(&self, attempt: &Attempt<'_>) -> Result<(), String>;

    /// The resource that has a kind: version is ignored where the kind is known; whether it lives in namespaces.
    fn resource_of(&self, group: &str, version: &str, kind: &str) -> Option<(String, bool)>;

    /// The subject in the PEM text of a certificate signing request, or what is wrong with it.
    fn subject_of(&self, request: &str) -> Result<Subject, String>;

    /// Five random letters for a name.
    fn suffix(&self) -> String;
}

/// Whether the requester may do something to a resource of the cluster.
pub(crate) fn may(
    cluster: &dyn Cluster,
    user: &User,
    verb: &str,
    resource: Resource<'_>,
) -> Result<(), String> {
    cluster.decide(&Attempt { user, verb, target: Target::Resource(resource) })
}
