//! Expansion of list documents into their items.

use ratchet_object::{Entry, Node, Span, Value};

/// Kind and apiVersion that a list implies for its items: the items of a `v1` `PodList` are Pods and may omit both.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ListHead {
    /// The kind of the items; empty for a plain `List`, whose items have their own.
    pub kind: String,
    /// Their `apiVersion`.
    pub api_version: String,
}

impl ListHead {
    /// The head of a list by its `kind` and `apiVersion`; `None` if the kind is not a list's.
    pub fn new(kind: &str, api_version: &str) -> Option<Self> {
        let kind = kind.strip_suffix("List")?.to_owned();
        Some(Self { kind, api_version: api_version.to_owned() })
    }

    /// Adds the list's kind and apiVersion to an item without them.
    pub fn apply<'t>(&self, mut item: Node<'t>) -> Node<'t> {
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

/// The objects of a node; a list is expanded, also one inside another.
pub(crate) fn objects_of(node: Node<'_>) -> Vec<Node<'_>> {
    let text = |name: &str| node.get(name).and_then(Node::text).unwrap_or_default();
    let Some(head) = ListHead::new(text("kind"), text("apiVersion")) else { return vec![node] };
    let is_plain_list = head.kind.is_empty();
    // A custom kind may end in `List` and hold anything; then it is an ordinary object.
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
    items.into_iter().flat_map(|item| objects_of(head.apply(item))).collect()
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
