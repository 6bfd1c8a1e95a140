//! The `autoscaling/v1` Scale of a workload.

use ratchet_object::{Entry, GroupVersionKind, Node};

/// The only kind of bodies that is not that of a resource.
pub(crate) const SCALE: GroupVersionKind<'static> =
    GroupVersionKind { group: "autoscaling", version: "v1", kind: "Scale" };

/// The Scale of a workload: replica counts and selector.
pub(crate) fn scale_from(object: &Node<'static>) -> Node<'static> {
    let from = |name: &str| object.find(&["metadata", name]).cloned();
    let names = ["name", "namespace", "uid", "resourceVersion", "creationTimestamp"];
    let metadata = names.into_iter().filter_map(|name| Some((name, from(name)?)));
    let count = |side: &str| object.find(&[side, "replicas"]).and_then(Node::as_int).unwrap_or(0);
    let mut status = Node::map([("replicas", Node::int(count("status")))]);
    let selector = selector_text(object);
    if !selector.is_empty() {
        status.set("selector", Node::string(selector));
    }
    let mut spec = Node::empty_map();
    if count("spec") != 0 {
        spec.set("replicas", Node::int(count("spec")));
    }
    Node::map([
        ("kind", Node::string("Scale")),
        ("apiVersion", Node::string("autoscaling/v1")),
        ("metadata", Node::map(metadata)),
        ("spec", spec),
        ("status", status),
    ])
}

/// The selector of a workload in query syntax.
fn selector_text(object: &Node<'_>) -> String {
    let Some(selector) = object.find(&["spec", "selector"]) else { return String::new() };
    let is_plain =
        selector.get("matchLabels").is_none() && selector.get("matchExpressions").is_none();
    let labels = if is_plain { Some(selector) } else { selector.get("matchLabels") };
    let equal =
        |entry: &Entry<'_>| format!("{}={}", entry.key, entry.node.text().unwrap_or_default());
    let mut parts: Vec<String> =
        labels.map(Node::entries).unwrap_or_default().iter().map(equal).collect();
    for expression in selector.get("matchExpressions").map(Node::items).unwrap_or_default() {
        let key = expression.text_at(&["key"]);
        let values: Vec<&str> = expression
            .get("values")
            .map(Node::items)
            .unwrap_or_default()
            .iter()
            .filter_map(Node::text)
            .collect();
        let values = values.join(",");
        parts.push(match expression.text_at(&["operator"]) {
            "In" => format!("{key} in ({values})"),
            "NotIn" => format!("{key} notin ({values})"),
            "DoesNotExist" => format!("!{key}"),
            _ => key.to_owned(),
        });
    }
    parts.sort();
    parts.join(",")
}
