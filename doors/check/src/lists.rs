//! The objects of a document: itself, or the items of a list.

use crate::documents::DocumentRef;
use ratchet_object::{Entry, Node, Span, Value};

/// What a list says of its items: a `PodList` of `v1` holds Pods, which need not say so.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct ListHead {
    /// The kind of the items; empty where each says it itself.
    pub(crate) kind: String,
    /// Their `apiVersion`.
    pub(crate) api_version: String,
}

impl ListHead {
    /// The head of a list by its `kind` and `apiVersion`, if the kind is one of a list.
    pub(crate) fn new(kind: &str, api_version: &str) -> Option<Self> {
        let kind = kind.strip_suffix("List")?.to_owned();
        Some(Self { kind, api_version: api_version.to_owned() })
    }

    /// An item with what its list says of it.
    pub(crate) fn lend<'t>(&self, mut item: Node<'t>) -> Node<'t> {
        let is_bare = item.get("kind").is_none() && !self.kind.is_empty();
        let span = Span { start: item.span.start, end: item.span.start };
        if let (true, Value::Map(entries)) = (is_bare, &mut item.value) {
            for (key, text) in [("kind", &self.kind), ("apiVersion", &self.api_version)] {
                let node = Node { value: Value::Text(text.clone().into()), span };
                entries.push(Entry { key: key.into(), key_span: span, node });
            }
        }
        item
    }
}

/// The objects of a sheet, with what its list says of them.
pub(crate) fn objects_in<'t>(sheet: &DocumentRef<'_>, documents: Vec<Node<'t>>) -> Vec<Node<'t>> {
    let lend = |node| match sheet.list {
        Some(head) => head.lend(node),
        None => node,
    };
    documents.into_iter().map(lend).flat_map(objects_of).collect()
}

/// The objects of a document; a list is taken apart, also one inside another.
fn objects_of(node: Node<'_>) -> Vec<Node<'_>> {
    let word = |name: &str| node.get(name).and_then(Node::text).unwrap_or_default();
    let Some(head) = ListHead::new(word("kind"), word("apiVersion")) else { return vec![node] };
    let is_plain_list = head.kind.is_empty();
    // A custom kind may be called a list and hold anything; then it is an object like others.
    let holds_objects = node.get("items").is_some_and(|items| {
        matches!(items.value, Value::List(_))
            && items.items().iter().all(|item| matches!(item.value, Value::Map(_)))
    });
    if !holds_objects {
        return if is_plain_list { Vec::new() } else { vec![node] };
    }
    let Value::Map(entries) = node.value else { return Vec::new() };
    let items =
        entries.into_iter().find(|entry| entry.key == "items").map(|entry| entry.node.value);
    let Some(Value::List(items)) = items else { return Vec::new() };
    items.into_iter().flat_map(|item| objects_of(head.lend(item))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use ratchet_object::{Limits, decode};

    fn kinds(text: &str) -> Vec<String> {
        let node = decode(text, Limits::DEFAULT).unwrap().documents.remove(0);
        let kind =
            |node: &Node<'_>| node.get("kind").and_then(Node::text).unwrap_or("?").to_owned();
        objects_of(node).iter().map(kind).collect()
    }

    #[test]
    fn lists_give_their_items_and_lend_them_their_kind() {
        assert_eq!(
            kinds("{kind: List, items: [{kind: Pod}, {kind: PodList, items: [{}]}]}"),
            ["Pod", "Pod"]
        );
        assert_eq!(kinds("{kind: List, items: null}"), Vec::<String>::new());
        assert_eq!(kinds("{kind: List}"), Vec::<String>::new());
        assert_eq!(kinds("{kind: IPAllowList, items: [1.2.3.4]}"), ["IPAllowList"]);
        assert_eq!(kinds("{kind: Pod, items: [{}]}"), ["Pod"]);
    }
}
