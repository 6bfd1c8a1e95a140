//! What expressions see of the request and of its namespace.

use crate::matching::Met;
use crate::{Attempt, KindName, ResourceName};
use alloc::vec::Vec;
use ratchet_object::{Entry, Node, Value};

/// `request`: as a webhook would be sent it, but for the objects. What is empty is not there.
pub(crate) fn request(attempt: &Attempt<'_>, met: &Met) -> Node<'static> {
    let (kind, resource) = match met {
        Met::As(other) => (other.kind_name(), other.name()),
        Met::Yes | Met::No => (attempt.kind, attempt.resource),
    };
    // The converter of the reference leaves the objects in, empty.
    let mut members = alloc::vec![
        member("uid", text("")),
        member("kind", kind_node(&kind)),
        member("resource", resource_node(&resource)),
    ];
    set(&mut members, "subResource", attempt.subresource);
    members.push(member("requestKind", kind_node(&attempt.kind)));
    members.push(member("requestResource", resource_node(&attempt.resource)));
    set(&mut members, "requestSubResource", attempt.subresource);
    set(&mut members, "name", attempt.name);
    set(&mut members, "namespace", attempt.space());
    members.push(member("operation", Node::string(attempt.operation.word())));
    members.push(member("userInfo", user(attempt)));
    members.push(member("object", Node::new(Value::Null)));
    members.push(member("oldObject", Node::new(Value::Null)));
    members.push(member("dryRun", Node::bool(attempt.dry_run)));
    let options = attempt.options.map(|options| options.clone().into_owned());
    members.push(member("options", options.unwrap_or_else(|| Node::new(Value::Null))));
    Node::new(Value::Map(members))
}

fn text(text: &str) -> Node<'static> {
    Node::string(alloc::string::String::from(text))
}

fn member(name: &'static str, node: Node<'static>) -> Entry<'static> {
    Entry::new(name, node)
}

fn set(members: &mut Vec<Entry<'static>>, name: &'static str, value: &str) {
    if !value.is_empty() {
        members.push(member(name, text(value)));
    }
}

fn kind_node(name: &KindName<'_>) -> Node<'static> {
    let KindName { group, version, kind } = name;
    Node::map([("group", text(group)), ("version", text(version)), ("kind", text(kind))])
}

fn resource_node(name: &ResourceName<'_>) -> Node<'static> {
    let ResourceName { group, version, resource } = name;
    Node::map([("group", text(group)), ("version", text(version)), ("resource", text(resource))])
}

fn user(attempt: &Attempt<'_>) -> Node<'static> {
    let user = attempt.user;
    let list =
        |texts: &[alloc::string::String]| Node::list(texts.iter().map(|own| text(own)).collect());
    let mut members = Vec::new();
    set(&mut members, "username", &user.name);
    set(&mut members, "uid", &user.uid);
    if !user.groups.is_empty() {
        members.push(member("groups", list(&user.groups)));
    }
    if !user.extra.is_empty() {
        let extra = user.extra.iter().map(|(key, values)| (key.clone(), list(values)));
        members.push(member("extra", Node::map(extra)));
    }
    Node::new(Value::Map(members))
}

/// What expressions see of a namespace's metadata.
const SHOWN: [&str; 12] = [
    "name",
    "generateName",
    "namespace",
    "uid",
    "resourceVersion",
    "generation",
    "creationTimestamp",
    "deletionTimestamp",
    "deletionGracePeriodSeconds",
    "labels",
    "annotations",
    "finalizers",
];

/// `namespaceObject`: metadata without who manages or owns it, spec and status.
pub(crate) fn namespace_object(mut namespace: Node<'static>) -> Node<'static> {
    let mut metadata = namespace.remove("metadata").unwrap_or_else(Node::empty_map);
    if let Some(entries) = metadata.entries_mut() {
        entries.retain(|entry| SHOWN.contains(&entry.key.as_ref()));
    }
    let part = |namespace: &mut Node<'static>, name| {
        namespace.remove(name).unwrap_or_else(Node::empty_map)
    };
    let (spec, status) = (part(&mut namespace, "spec"), part(&mut namespace, "status"));
    Node::map([("metadata", metadata), ("spec", spec), ("status", status)])
}
