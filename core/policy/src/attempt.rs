//! What somebody tries to do to an object, as policies see it.

use core::fmt;
use ratchet_access::User;
use ratchet_object::Node;

/// A kind, by its full name. Shown as Go shows it: `apps/v1, Kind=Deployment`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct KindName<'a> {
    /// The API group; empty for the core.
    pub group: &'a str,
    /// The version.
    pub version: &'a str,
    /// The kind.
    pub kind: &'a str,
}

impl fmt::Display for KindName<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}, Kind={}", self.group, self.version, self.kind)
    }
}

/// A resource, by its full name. Shown as Go shows it: `apps/v1, Resource=deployments`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ResourceName<'a> {
    /// The API group; empty for the core.
    pub group: &'a str,
    /// The version.
    pub version: &'a str,
    /// The resource: the plural in lower case.
    pub resource: &'a str,
}

impl fmt::Display for ResourceName<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}, Resource={}", self.group, self.version, self.resource)
    }
}

/// What is done.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Operation {
    /// An object is made, or something is sent to a part of one that is never stored.
    Create,
    /// An object is changed, whole or in part.
    Update,
    /// An object goes.
    Delete,
    /// A connection is made to what an object stands for.
    Connect,
}

impl Operation {
    /// The word in rules and in `request.operation`.
    pub fn word(self) -> &'static str {
        match self {
            Self::Create => "CREATE",
            Self::Update => "UPDATE",
            Self::Delete => "DELETE",
            Self::Connect => "CONNECT",
        }
    }
}

/// What somebody tries to do to an object.
#[derive(Clone, Copy, Debug)]
pub struct Attempt<'a> {
    /// What is done.
    pub operation: Operation,
    /// The kind of the object that was sent: for parts of an object that of the part (`Scale`, `Binding`, `PodExecOptions`).
    pub kind: KindName<'a>,
    /// The resource of the URL.
    pub resource: ResourceName<'a>,
    /// The part of the URL: `status`, `scale`, `exec`; empty for the object itself.
    pub subresource: &'a str,
    /// The object's name; empty if it is yet to be generated.
    pub name: &'a str,
    /// The object's namespace; empty for what is in none (namespaces too: that a namespace counts as being in itself
    /// is known here).
    pub namespace: &'a str,
    /// The object as it would be stored: with defaults, `apiVersion` and `kind`. None when it goes.
    pub object: Option<&'a Node<'a>>,
    /// The object as it is stored, with `apiVersion` and `kind`. None when it is made, and for connections.
    pub old: Option<&'a Node<'a>>,
    /// What the request says about how it is done (`CreateOptions` and so on), with `apiVersion` and `kind`.
    pub options: Option<&'a Node<'a>>,
    /// Who tries.
    pub user: &'a User,
    /// Whether nothing is stored, whatever comes of it.
    pub dry_run: bool,
}

impl<'a> Attempt<'a> {
    /// The namespace that matters: a namespace is in itself.
    pub(crate) fn space(&self) -> &'a str {
        let is_namespace = (self.resource.group, self.resource.resource) == ("", "namespaces");
        if is_namespace && self.namespace.is_empty() {
            self.name_of_object()
        } else {
            self.namespace
        }
    }

    fn name_of_object(&self) -> &'a str {
        if !self.name.is_empty() {
            return self.name;
        }
        self.object.map_or("", |object| object.text_at(&["metadata", "name"]))
    }
}
