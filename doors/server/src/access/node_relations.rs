//! The node authorizer's graph as an index of the cache: it contains an object exactly as long as the cache does.

use crate::storage::cache::{Index, Item};
use ratchet_access::{NodeGraph, Resource, Source};
use std::sync::{PoisonError, RwLock};

/// The graph as of the last change applied to the cache.
#[derive(Debug, Default)]
pub(crate) struct NodeRelations(RwLock<NodeGraph>);

impl NodeRelations {
    /// Whether the object is related to the node.
    pub(crate) fn is_related(&self, node: &str, target: &Resource<'_>) -> bool {
        self.0.read().unwrap_or_else(PoisonError::into_inner).is_related(node, target)
    }
}

impl Index for NodeRelations {
    fn update(&self, resource: &str, key: &str, item: Option<&Item>) {
        let (plural, group) = resource.split_once('.').unwrap_or((resource, ""));
        let Some(source) = Source::of(group, plural) else { return };
        let (namespace, name) = key.split_once('/').unwrap_or(("", key));
        // Most objects without a relation are recognized by their text, without decoding.
        let member = format!("\"{}\"", source.member());
        let has_member = |item: &&Item| item.contains(&member);
        let set = |object: Option<&ratchet_object::Node<'_>>| {
            let mut graph = self.0.write().unwrap_or_else(PoisonError::into_inner);
            graph.set(source, namespace, name, object);
        };
        match item.filter(has_member) {
            Some(item) => item.read(|object| set(Some(object))),
            None => set(None),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn secret(relations: &NodeRelations, node: &str) -> bool {
        let target =
            Resource { resource: "secrets", namespace: "a", name: "s", ..Resource::default() };
        relations.is_related(node, &target)
    }

    #[test]
    fn objects_count_as_long_as_they_are_in_the_cache() {
        let relations = NodeRelations::default();
        let item = |text: &str| Item::stored("a/p".into(), 7, text.as_bytes()).unwrap();
        let unbound =
            r#"{"metadata":{"name":"p"},"spec":{"volumes":[{"secret":{"secretName":"s"}}]}}"#;
        let bound = unbound.replace(r#""spec":{"#, r#""spec":{"nodeName":"n1","#);
        relations.update("pods", "a/p", Some(&item(unbound)));
        assert!(!secret(&relations, "n1"));
        relations.update("pods", "a/p", Some(&item(&bound)));
        assert!(secret(&relations, "n1") && !secret(&relations, "n2"));
        relations.update("deployments.apps", "a/p", None);
        assert!(secret(&relations, "n1"), "another resource of the same name");
        relations.update("pods", "a/p", None);
        assert!(!secret(&relations, "n1"));
        relations.update("pods", "a/p", Some(&item(&bound)));
        relations.update("pods", "a/p", Some(&item(unbound)));
        assert!(!secret(&relations, "n1"), "another pod of the same name");
    }
}
