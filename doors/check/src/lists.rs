//! The objects of a document: itself, or the items of a list.

use ratchet_object::{Entry, Node, Span, Value};

/// A list is taken apart, also one inside another.
pub(crate) fn objects_of(node: Node<'_>) -> Vec<Node<'_>> {
    let kind = node.get("kind").and_then(Node::text).unwrap_or_default();
    let stem = match kind.strip_suffix("List") {
        Some(stem)
            if node.get("items").is_some_and(|items| matches!(items.value, Value::List(_))) =>
        {
            stem.to_owned()
        }
        _ => return vec![node],
    };
    let api_version = node.get("apiVersion").and_then(Node::text).unwrap_or_default().to_owned();
    let Value::Map(entries) = node.value else { return Vec::new() };
    let items =
        entries.into_iter().find(|entry| entry.key == "items").map(|entry| entry.node.value);
    let Some(Value::List(items)) = items else { return Vec::new() };
    items.into_iter().flat_map(|item| objects_of(typed(item, &stem, &api_version))).collect()
}

/// Items of a `PodList` need not say that they are Pods.
fn typed<'t>(mut item: Node<'t>, kind: &str, api_version: &str) -> Node<'t> {
    let is_bare = item.get("kind").is_none() && !kind.is_empty();
    if let (true, Value::Map(entries)) = (is_bare, &mut item.value) {
        for (key, text) in [("kind", kind), ("apiVersion", api_version)] {
            let span = Span { start: item.span.start, end: item.span.start };
            let node = Node { value: Value::Text(text.to_owned().into()), span };
            entries.push(Entry { key: key.into(), key_span: span, node });
        }
    }
    item
}
