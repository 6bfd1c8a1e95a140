//! Shared test helpers: objects and attempts in one line each.

use crate::{Attributes, RbacAuthorizer, Resource, Target, User};
use alloc::borrow::ToOwned;
use alloc::vec::Vec;
use ratchet_object::{Limits, Node, decode};

/// Decodes one line of YAML.
pub(crate) fn node(text: &str) -> Node<'static> {
    decode(text, Limits::DEFAULT).expect("YAML").documents.remove(0).into_owned()
}

/// A user with groups.
pub(crate) fn user(name: &str, groups: &[&str]) -> User {
    let groups = groups.iter().map(|group| (*group).to_owned()).collect();
    User { name: name.into(), groups, ..User::default() }
}

/// `verb group/resource[/subresource]` in `namespace`, on `name`.
pub(crate) fn attributes<'a>(
    user: &'a User,
    verb: &'a str,
    resource: &'a str,
    namespace: &'a str,
    name: &'a str,
) -> Attributes<'a> {
    let (group, resource) = resource.split_once(':').unwrap_or(("", resource));
    let (resource, subresource) = resource.split_once('/').unwrap_or((resource, ""));
    let rest = Resource::default();
    let target = Resource { group, resource, subresource, namespace, name, ..rest };
    Attributes { user, verb, target: Target::Resource(target) }
}

/// The authorizer of these Roles, ClusterRoles and their bindings.
pub(crate) fn authorizer_of(objects: &[Node<'_>]) -> RbacAuthorizer {
    let of = |kind: &'static str| -> Vec<&Node<'_>> {
        objects.iter().filter(|object| object.text_at(&["kind"]) == kind).collect()
    };
    RbacAuthorizer::new(of("ClusterRole"), of("Role"), of("ClusterRoleBinding"), of("RoleBinding"))
}
