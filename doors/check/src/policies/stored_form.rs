//! The stored form of an object, which is what policies see.

use ratchet_object::{Node, Object, Value, canonicalize, defaults, schema};

/// Metadata that an update preserves from the stored object where the new one omits it.
const PRESERVED_METADATA: [&str; 4] = ["uid", "creationTimestamp", "generation", "resourceVersion"];

/// The object as the API server would store it: with defaults, canonical values, and the stored status, because a
/// write of the object does not write the status. Fields that a server generates (uid, timestamps, allocated addresses)
/// and mutations of other admission plugins are missing.
pub fn as_stored(object: &Object<'_>, old: Option<&Node<'_>>) -> Node<'static> {
    let mut node = object.node().clone().into_owned();
    let (group, version) = split(object.api_version());
    let Some(row) = schema::kind(group, version, object.kind_name()) else { return node };
    defaults::apply(group, version, object.kind_name(), &mut node);
    let has_status = schema::type_of(row.ty).field("status").is_some();
    match old {
        Some(old) if has_status => copy_from(&mut node, old, "status"),
        // A Node is the only kind that is created with a status: kubelets describe themselves in it.
        None if has_status && object.kind_name() != "Node" => drop(node.remove("status")),
        _ => {}
    }
    if let (Some(old), Some(Value::Map(_))) =
        (old.and_then(|old| old.get("metadata")), node.get("metadata").map(|node| &node.value))
    {
        for name in PRESERVED_METADATA {
            let metadata = node.map_mut("metadata");
            if metadata.get(name).is_none() {
                copy_from(metadata, old, name);
            }
        }
    }
    if (group, object.kind_name()) == ("", "Namespace") {
        as_namespace(&mut node);
    }
    fill_lists(group, object.kind_name(), &mut node);
    canonicalize(&mut node, row.ty);
    node
}

/// Singular fields that later got a list, which the API server fills from the field: kind, parent of both, field, list,
/// and the item's field; empty where items are scalars.
const LISTS: &[(&str, &str, &str, &str, &str)] = &[
    ("Pod", "status", "podIP", "podIPs", "ip"),
    ("Service", "spec", "clusterIP", "clusterIPs", ""),
];

fn fill_lists(group: &str, kind: &str, node: &mut Node<'static>) {
    for &(_, member, single, list, item) in
        LISTS.iter().filter(|row| group.is_empty() && row.0 == kind)
    {
        let text = node.text_at(&[member, single]).to_owned();
        let is_absent = node.find(&[member, list]).is_none_or(|list| list.items().is_empty());
        if text.is_empty() || !is_absent {
            continue;
        }
        let text = Node::string(text);
        let value = if item.is_empty() { text } else { Node::map([(item, text)]) };
        node.map_mut(member).set(list, Node::list(vec![value]));
    }
}

/// Sets the finalizer and phase that every namespace gets on creation.
fn as_namespace(node: &mut Node<'static>) {
    let spec = node.map_mut("spec");
    if spec.get("finalizers").is_none_or(|list| list.items().is_empty()) {
        spec.set("finalizers", Node::list(vec![Node::string("kubernetes")]));
    }
    let status = node.map_mut("status");
    if status.get("phase").is_none() {
        status.set("phase", Node::string("Active"));
    }
}

fn copy_from(node: &mut Node<'static>, old: &Node<'_>, name: &'static str) {
    match old.get(name) {
        Some(value) => node.set(name, value.clone().into_owned()),
        None => drop(node.remove(name)),
    }
}

/// Group and version of an `apiVersion`.
pub(crate) fn split(api_version: &str) -> (&str, &str) {
    api_version.rsplit_once('/').unwrap_or(("", api_version))
}

#[cfg(test)]
mod tests {
    use super::*;
    use ratchet_object::{Limits, decode};

    fn object(text: &str) -> Object<'_> {
        Object::new(decode(text, Limits::DEFAULT).unwrap().documents.remove(0))
    }

    #[test]
    fn defaults_are_there_and_a_written_status_is_not() {
        let text = "{apiVersion: apps/v1, kind: Deployment, metadata: {name: a}, spec: {template: {}}, status: {replicas: 4}}";
        let new = as_stored(&object(text), None);
        assert_eq!(new.find(&["spec", "replicas"]).and_then(Node::as_int), Some(1));
        assert_eq!(new.find(&["status", "replicas"]), None);
        let stored = object("{metadata: {uid: u}, status: {replicas: 7}}");
        let changed = as_stored(&object(text), Some(stored.node()));
        assert_eq!(changed.find(&["status", "replicas"]).and_then(Node::as_int), Some(7));
        assert_eq!(changed.text_at(&["metadata", "uid"]), "u");
    }

    #[test]
    fn what_is_not_built_in_is_left_as_it_is() {
        let text = "{apiVersion: example.com/v1, kind: Widget, status: {a: 1}}";
        assert_eq!(&as_stored(&object(text), None), object(text).node());
    }

    #[test]
    fn a_namespace_has_its_label() {
        let node =
            as_stored(&object("{apiVersion: v1, kind: Namespace, metadata: {name: a}}"), None);
        let label = ["metadata", "labels", "kubernetes.io/metadata.name"];
        assert_eq!(node.text_at(&label), "a");
        assert_eq!(node.text_at(&["status", "phase"]), "Active");
    }
}
