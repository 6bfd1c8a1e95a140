//! The operation of a request for a custom resource.
//!
//! The reference routes these by hand, and answers what it does not serve otherwise than for built-in resources.

use super::Operation;
use crate::registry::ServedResource;
use crate::request::{RequestInfo, ResourcePath};
use crate::status::StatusError;

/// Why a request for a resource is not served.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Unrouted {
    /// There is no such page: the scope differs.
    NoPage,
    /// Another answer.
    Status(StatusError),
}

/// Verbs that may go across all namespaces.
const ALL_NAMESPACES_VERBS: [&str; 2] = ["list", "watch"];

/// What can be done with `status` and `scale` of a custom object.
const SUBRESOURCE_VERBS: [&str; 3] = ["get", "update", "patch"];

impl Operation {
    /// The operation of a request that one handler takes, whatever its path.
    pub(super) fn of_handler(
        info: &RequestInfo,
        path: &ResourcePath,
        resource: &ServedResource,
    ) -> Result<Self, Unrouted> {
        let (row, verb) = (resource.row(), info.verb);
        let is_in_scope = match (row.namespaced, path.namespace.is_empty()) {
            (true, true) => ALL_NAMESPACES_VERBS.contains(&verb),
            (false, is_cluster_wide) => is_cluster_wide,
            (true, false) => true,
        };
        if !is_in_scope {
            return Err(Unrouted::NoPage);
        }
        let about = resource.about(&path.name);
        let unsupported = || Unrouted::Status(StatusError::method_not_supported(about, verb));
        if !path.subresource.is_empty() {
            return match row.subresource(&path.subresource) {
                Some(_) if SUBRESOURCE_VERBS.contains(&verb) => Ok(Self::Subresource),
                Some(_) => Err(unsupported()),
                None => Err(Unrouted::Status(StatusError::not_found(about))),
            };
        }
        match verb {
            "get" => Ok(Self::Get),
            "list" => Ok(Self::List),
            "watch" => Ok(Self::Watch),
            "create" => Ok(Self::Create),
            "update" | "patch" if path.name.is_empty() => {
                Err(Unrouted::Status(StatusError::bad_request("name must be provided")))
            }
            "update" | "patch" => Ok(Self::Update),
            "delete" => Ok(Self::Delete),
            "deletecollection" => Ok(Self::DeleteCollection),
            _ => Err(unsupported()),
        }
    }
}
