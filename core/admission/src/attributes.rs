//! The inputs of admission plugins: `Attributes` of a request, and `PluginContext`.

use alloc::string::String;
use alloc::vec::Vec;
use ratchet_access::{Resource, Target, User};
use ratchet_object::{ClusterReader, Node, Operation};

/// The attributes of an admission request (`admission.Attributes`).
#[derive(Clone, Copy, Debug)]
pub struct Attributes<'a> {
    /// What the request does to the object.
    pub operation: Operation,
    /// The API group.
    pub group: &'a str,
    /// The API version.
    pub version: &'a str,
    /// The plural resource name in the URL.
    pub resource: &'a str,
    /// The subresource; empty for the object itself.
    pub subresource: &'a str,
    /// The namespace; empty for cluster-scoped objects.
    pub namespace: &'a str,
    /// The name of the object; empty if it has yet to be generated.
    pub name: &'a str,
    /// The user of the request.
    pub user: &'a User,
    /// The minor release that the server emulates: some plugins differ by release.
    pub minor: u8,
    /// The stored object, for updates and deletions.
    pub old: Option<&'a Node<'a>>,
}

impl Attributes<'_> {
    /// Whether the request is about the objects of a resource themselves.
    pub fn is_on(&self, group: &str, resource: &str) -> bool {
        self.is_on_part(group, resource, "")
    }

    /// Whether the request is about a subresource.
    pub fn is_on_part(&self, group: &str, resource: &str, subresource: &str) -> bool {
        (self.group, self.resource, self.subresource) == (group, resource, subresource)
    }

    /// Whether the operation is `Create`.
    pub fn is_create(&self) -> bool {
        self.operation == Operation::Create
    }

    /// Whether the operation is `Update`.
    pub fn is_update(&self) -> bool {
        self.operation == Operation::Update
    }
}

/// The refusal of a plugin.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Denial {
    /// 403: the text after `pods "x" is forbidden: `.
    Forbidden(String),
    /// 403 with a cause of this type beside the text.
    ForbiddenBecause(String, &'static str),
    /// 404: an object of the core group that the request needs.
    NotFound {
        /// The plural resource name.
        resource: &'static str,
        /// The name of the missing object.
        name: String,
    },
}

impl Denial {
    /// A 403 with this text.
    pub fn forbidden(text: impl Into<String>) -> Self {
        Self::Forbidden(text.into())
    }
}

/// The subject of a certificate signing request.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Subject {
    /// `CN`, which is the name of the user.
    pub common_name: String,
    /// Each `O`, which is a group of the user.
    pub organizations: Vec<String>,
}

/// The cluster as plugins see it: the objects of the [`ClusterReader`], and what a plugin's initializer gives it.
pub trait PluginContext: ClusterReader {
    /// Whether the authorizers allow the attempt; the error is their reason.
    fn decide(&self, attributes: &ratchet_access::Attributes<'_>) -> Result<(), String>;

    /// The subject in the PEM text of a certificate signing request, or the error.
    fn subject_of(&self, request: &str) -> Result<Subject, String>;

    /// Five random letters for a generated name.
    fn suffix(&self) -> String;
}

/// Whether the user may do something to a resource.
pub(crate) fn may(
    cluster: &dyn PluginContext,
    user: &User,
    verb: &str,
    resource: Resource<'_>,
) -> Result<(), String> {
    let target = Target::Resource(resource);
    cluster.decide(&ratchet_access::Attributes { user, verb, target })
}
