//! Which operation answers a request: taken from the value that was authorised, and from the row of the resource.

use crate::connect;
use crate::request::{PathVerb, RequestInfo, ResourcePath};
use crate::status::StatusError;
use http::Method;
use ratchet_catalog::Resource;

/// What a request does with a resource.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Operation {
    /// Shows an object.
    Get,
    /// Shows a collection.
    List,
    /// Shows what happens to a collection.
    Watch,
    /// Makes an object.
    Create,
    /// Replaces or patches an object.
    Update,
    /// Removes an object.
    Delete,
    /// Removes the objects of a collection.
    DeleteCollection,
    /// Does something with a part of an object.
    Part,
    /// Connects with what is behind the server.
    Connect,
}

/// What verbs do with objects and collections.
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

/// Verbs that paths of objects have.
const OF_ITEMS: [&str; 4] = ["get", "update", "patch", "delete"];
/// Verbs that paths of collections have.
const OF_COLLECTIONS: [&str; 4] = ["list", "watch", "create", "deletecollection"];
/// Verbs that collections over all namespaces have.
const OF_ALL_NAMESPACES: [&str; 2] = ["list", "watch"];

impl Operation {
    /// What a request does, or that there is no such path (404), or no such method there (405).
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
            false => Self::of_part(info, path, method, row),
        }
    }

    fn of_part(
        info: &RequestInfo,
        path: &ResourcePath,
        method: &Method,
        row: &Resource<'_>,
    ) -> Result<Self, StatusError> {
        let Some(below) = row.subresource(&path.subresource) else {
            return Err(StatusError::no_resource());
        };
        let is_proxy = below.name == "proxy";
        if path.path_verb.is_some() || (!path.rest.is_empty() && !is_proxy) {
            return Err(StatusError::no_resource());
        }
        let is_allowed = match *method {
            // Only what is behind the server is asked for heads and options.
            Method::HEAD | Method::OPTIONS => is_proxy,
            _ => below.allows(info.verb),
        };
        match is_allowed {
            false => Err(StatusError::method_not_allowed()),
            true if connect::connects(below.name) => Ok(Self::Connect),
            true => Ok(Self::Part),
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
            true => &OF_ITEMS,
            false if row.namespaced && path.namespace.is_empty() => &OF_ALL_NAMESPACES,
            false => &OF_COLLECTIONS,
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
            _ => Err(StatusError::method_not_allowed()),
        }
    }
}

/// Whether objects of the resource are where the path leads: what lives in the cluster has no namespace in its path,
/// and what lives in a namespace needs one to be named.
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
