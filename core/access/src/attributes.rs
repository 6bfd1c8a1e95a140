//! Authorization attributes of a request, and the decision about it.

use crate::User;
use alloc::string::String;

/// The attributes of a request (`authorizer.Attributes`).
#[derive(Clone, Copy, Debug)]
pub struct Attributes<'a> {
    /// The user whose access is decided.
    pub user: &'a User,
    /// `get`, `list`, `create` …; for paths the HTTP method in lower case.
    pub verb: &'a str,
    /// The resource or path.
    pub target: Target<'a>,
}

/// The object of an attempt.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Target<'a> {
    /// Objects of a resource.
    Resource(Resource<'a>),
    /// A non-resource path.
    Path(&'a str),
}

/// Objects of a resource; empty strings where the request has no value.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Resource<'a> {
    /// The API group; empty for the core group.
    pub group: &'a str,
    /// The API version, such as `v1`; no authorizer depends on it.
    pub version: &'a str,
    /// The plural resource name in lower case.
    pub resource: &'a str,
    /// The subresource, such as `status`; empty for the object itself.
    pub subresource: &'a str,
    /// The namespace; empty for cluster-wide attempts.
    pub namespace: &'a str,
    /// The object's name; empty for collections and for new objects.
    pub name: &'a str,
    /// The field selector as in the request. Only the node authorizer uses it.
    pub field_selector: &'a str,
}

impl<'a> Attributes<'a> {
    /// The resource, if the attempt has one.
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

/// The decision of an authorizer. Authorizers are asked in turn; the first that allows or denies wins.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Decision {
    /// Allowed.
    Allow {
        /// The reason for the audit log.
        reason: String,
    },
    /// Left to the next authorizer; refused if there is none.
    NoOpinion {
        /// The reason at the end of the error message; often empty.
        reason: String,
    },
    /// Denied, whatever other authorizers decide.
    Deny {
        /// The reason at the end of the error message.
        reason: String,
    },
}

impl Decision {
    /// Whether the decision is `Allow`.
    pub fn is_allowed(&self) -> bool {
        matches!(self, Self::Allow { .. })
    }

    /// The reason, whatever the decision.
    pub fn reason(&self) -> &str {
        match self {
            Self::Allow { reason } | Self::NoOpinion { reason } | Self::Deny { reason } => reason,
        }
    }
}
