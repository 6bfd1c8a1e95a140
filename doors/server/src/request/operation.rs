//! The operation of a resource request, derived from the authorized `RequestInfo` and the resource's catalog row.

mod custom;

pub(crate) use custom::Unrouted;

use crate::registry::{Routes, ServedResource};
use crate::request::{PathVerb, RequestInfo, ResourcePath, connects};
use crate::status::{About, StatusError};
use http::Method;
use ratchet_catalog::Resource;

/// What a request does with a resource.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Operation {
    /// Reads an object.
    Get,
    /// Lists a collection.
    List,
    /// Watches a collection.
    Watch,
    /// Creates an object.
    Create,
    /// Replaces or patches an object.
    Update,
    /// Deletes an object.
    Delete,
    /// Deletes the objects of a collection.
    DeleteCollection,
    /// Reads or writes a subresource.
    Subresource,
    /// Connects to a kubelet, pod, Service or node.
    Connect,
}

/// The operations by verb.
const OPERATIONS: [(&str, Operation); 8] = [
    ("get", Operation::Get),
    ("list", Operation::List),
    ("watch", Operation::Watch),
    ("create", Operation::Create),
    ("update", Operation::Update),
    ("patch", Operation::Update),
    ("delete", Operation::Delete),
    ("deletecollection", Operation::DeleteCollection),
];

/// Verbs of item paths.
const ITEM_VERBS: [&str; 4] = ["get", "update", "patch", "delete"];
/// Verbs of collection paths.
const COLLECTION_VERBS: [&str; 4] = ["list", "watch", "create", "deletecollection"];
/// Verbs of collection paths across all namespaces.
const ALL_NAMESPACES_VERBS: [&str; 2] = ["list", "watch"];

impl Operation {
    /// The operation of a request for a resource.
    pub(crate) fn of_resource(
        info: &RequestInfo,
        path: &ResourcePath,
        method: &Method,
        resource: &ServedResource,
    ) -> Result<Self, Unrouted> {
        match resource.routes() {
            Routes::Installed => {
                Self::of(info, path, method, &resource.row()).map_err(Unrouted::Status)
            }
            Routes::Handler => Self::of_handler(info, path, resource),
        }
    }

    /// The operation, or 404 where the path does not exist, or 405 where the path has no such method.
    pub(crate) fn of(
        info: &RequestInfo,
        path: &ResourcePath,
        method: &Method,
        row: &Resource<'_>,
    ) -> Result<Self, StatusError> {
        if !in_scope(path, row) || path.path_verb == Some(PathVerb::Proxy) {
            return Err(StatusError::no_resource());
        }
        match path.subresource.is_empty() {
            true => Self::of_object(info, path, method, row),
            false => Self::of_subresource(info, path, method, row),
        }
    }

    fn of_subresource(
        info: &RequestInfo,
        path: &ResourcePath,
        method: &Method,
        row: &Resource<'_>,
    ) -> Result<Self, StatusError> {
        let Some(subresource) = row.subresource(&path.subresource) else {
            return Err(StatusError::no_resource());
        };
        let is_proxy = subresource.name == "proxy";
        if path.path_verb.is_some() || (!path.rest.is_empty() && !is_proxy) {
            return Err(StatusError::no_resource());
        }
        let is_allowed = match *method {
            // HEAD and OPTIONS are only forwarded to proxied backends.
            Method::HEAD | Method::OPTIONS => is_proxy,
            _ => subresource.allows(info.verb),
        };
        match is_allowed {
            false => Err(StatusError::method_not_allowed()),
            true if connects(subresource.name) => Ok(Self::Connect),
            true => Ok(Self::Subresource),
        }
    }

    fn of_object(
        info: &RequestInfo,
        path: &ResourcePath,
        method: &Method,
        row: &Resource<'_>,
    ) -> Result<Self, StatusError> {
        let is_watched = path.path_verb == Some(PathVerb::Watch);
        let verbs: &[&str] = match path.is_item {
            _ if is_watched => &["watch"],
            true => &ITEM_VERBS,
            false if row.namespaced && path.namespace.is_empty() => &ALL_NAMESPACES_VERBS,
            false => &COLLECTION_VERBS,
        };
        if !verbs.iter().any(|verb| row.allows(verb)) {
            return Err(StatusError::no_resource());
        }
        let has_method = match *method {
            Method::HEAD => false,
            Method::GET => true,
            _ => !is_watched,
        };
        let found = OPERATIONS.iter().find(|(verb, _)| *verb == info.verb);
        match found {
            Some((verb, operation)) if has_method && verbs.contains(verb) && row.allows(verb) => {
                Ok(*operation)
            }
            // A list that is asked to watch knows its resource.
            Some(("watch", _)) if !is_watched && has_method && row.allows("list") => {
                let about = About { group: row.group, resource: row.plural, name: "" };
                Err(StatusError::method_not_supported(about, "watch"))
            }
            _ => Err(StatusError::method_not_allowed()),
        }
    }
}

/// Whether the path fits the scope of the resource: a cluster-scoped resource has no namespace in its path, and an
/// item of a namespaced one needs it.
fn in_scope(path: &ResourcePath, row: &Resource<'_>) -> bool {
    match (row.namespaced, path.is_item) {
        (_, true) if path.name.is_empty() => false,
        (false, _) => !path.in_namespace,
        (true, true) => !path.namespace.is_empty(),
        (true, false) => true,
    }
}

#[cfg(test)]
mod tests;
