//! The values of `request` and `namespaceObject`.

use crate::matching::MatchKind;
use crate::{Attributes, GroupVersionKind, GroupVersionResource};
use alloc::vec::Vec;
use ratchet_object::{Entry, Node, Value};

/// `request`: as in an AdmissionReview, but without the objects. Empty fields are omitted.
pub(crate) fn request(attributes: &Attributes<'_>, matched: &MatchKind) -> Node<'static> {
    let (kind, resource) = match matched {
        MatchKind::Equivalent(other) => (other.kind_name(), other.name()),
        MatchKind::Exact | MatchKind::NoMatch => (attributes.kind, attributes.resource),
    };
    request_for(attributes, &kind, &resource)
}

/// The same for a kind and a resource that were matched.
pub(crate) fn request_for(
    attributes: &Attributes<'_>,
    kind: &GroupVersionKind<'_>,
    resource: &GroupVersionResource<'_>,
) -> Node<'static> {
    // The converter of the reference leaves the objects in, as null.
    let mut members = alloc::vec![
        member("uid", text("")),
        member("kind", kind_node(kind)),
        member("resource", resource_node(resource)),
    ];
    set(&mut members, "subResource", attributes.subresource);
    members.push(member("requestKind", kind_node(&attributes.kind)));
    members.push(member("requestResource", resource_node(&attributes.resource)));
    set(&mut members, "requestSubResource", attributes.subresource);
    set(&mut members, "name", attributes.name);
    set(&mut members, "namespace", attributes.effective_namespace());
    members.push(member("operation", Node::string(attributes.operation.as_str())));
    members.push(member("userInfo", user(attributes)));
    members.push(member("object", Node::new(Value::Null)));
    members.push(member("oldObject", Node::new(Value::Null)));
    members.push(member("dryRun", Node::bool(attributes.dry_run)));
    let options = attributes.options.map(|options| options.clone().into_owned());
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

fn kind_node(name: &GroupVersionKind<'_>) -> Node<'static> {
    let GroupVersionKind { group, version, kind } = name;
    Node::map([("group", text(group)), ("version", text(version)), ("kind", text(kind))])
}

fn resource_node(name: &GroupVersionResource<'_>) -> Node<'static> {
    let GroupVersionResource { group, version, resource } = name;
    Node::map([("group", text(group)), ("version", text(version)), ("resource", text(resource))])
}

fn user(attributes: &Attributes<'_>) -> Node<'static> {
    let user = attributes.user;
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

/// The metadata fields of `namespaceObject`.
const METADATA_FIELDS: [&str; 12] = [
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

/// `namespaceObject`: metadata without managed fields and owners, spec and status.
pub(crate) fn namespace_object(mut namespace: Node<'static>) -> Node<'static> {
    let mut metadata = namespace.remove("metadata").unwrap_or_else(Node::empty_map);
    if let Some(entries) = metadata.entries_mut() {
        entries.retain(|entry| METADATA_FIELDS.contains(&entry.key.as_ref()));
    }
    let part = |namespace: &mut Node<'static>, name| {
        namespace.remove(name).unwrap_or_else(Node::empty_map)
    };
    let (spec, status) = (part(&mut namespace, "spec"), part(&mut namespace, "status"));
    Node::map([("metadata", metadata), ("spec", spec), ("status", status)])
}
