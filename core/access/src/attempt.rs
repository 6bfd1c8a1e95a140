//! What someone tries to do, and what is said about it.

use crate::User;
use alloc::string::String;

/// What someone tries to do.
#[derive(Clone, Copy, Debug)]
pub struct Attempt<'a> {
    /// Who.
    pub user: &'a User,
    /// `get`, `list`, `create` …; for paths the method in lower case.
    pub verb: &'a str,
    /// With what.
    pub target: Target<'a>,
}

/// What an attempt is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Target<'a> {
    /// Objects of a resource.
    Resource(Resource<'a>),
    /// A path that is no resource.
    Path(&'a str),
}

/// Objects of a resource; empty texts where the request says nothing.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Resource<'a> {
    /// The API group; empty for the core.
    pub group: &'a str,
    /// The version.
    pub version: &'a str,
    /// The resource: the plural in lower case.
    pub resource: &'a str,
    /// The subresource.
    pub subresource: &'a str,
    /// The namespace; empty for cluster-wide attempts.
    pub namespace: &'a str,
    /// The object's name; empty for collections and for new objects.
    pub name: &'a str,
    /// The field selector, as the request spells it. Only nodes are judged by it.
    pub field_selector: &'a str,
}

impl<'a> Attempt<'a> {
    /// The resource, if the attempt is about one.
    pub fn resource(&self) -> Option<&Resource<'a>> {
        match &self.target {
            Target::Resource(resource) => Some(resource),
            Target::Path(_) => None,
        }
    }

    /// The namespace; empty for paths and cluster-wide attempts.
    pub fn namespace(&self) -> &'a str {
        self.resource().map_or("", |resource| resource.namespace)
    }
}

/// What an authorizer says. Several are asked in turn; the first that has an opinion wins.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Decision {
    /// Yes.
    Allow {
        /// Why, for the audit log.
        reason: String,
    },
    /// Ask the next one; if there is none, no.
    NoOpinion {
        /// What to tell the user behind the refusal; often empty.
        reason: String,
    },
    /// No, whatever others say.
    Deny {
        /// What to tell the user behind the refusal.
        reason: String,
    },
}

impl Decision {
    /// Whether this is a yes.
    pub fn is_allowed(&self) -> bool {
        matches!(self, Self::Allow { .. })
    }

    /// The reason.
    pub fn reason(&self) -> &str {
        match self {
            Self::Allow { reason } | Self::NoOpinion { reason } | Self::Deny { reason } => reason,
        }
    }
}
