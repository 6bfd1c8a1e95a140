//! `Retained`: an object as a store holds it, as a tree or, where there are many, as text.

use crate::client::parse_json;
use crate::store::Shared;
use ratchet_object::Node;
use std::sync::Arc;

/// An object in a store.
///
/// A tree takes five times the memory of its JSON text, and reading the text takes microseconds. Collections with an
/// object for every pod are retained as text.
#[derive(Clone, Debug)]
pub(crate) enum Retained {
    Tree(Shared),
    Text(Arc<str>),
}

impl Retained {
    /// The object as text.
    pub(crate) fn text(node: &Node<'_>) -> Self {
        Self::Text(node.to_json().into())
    }

    /// Whether both are the same version of the same object: one that was deleted and created again is another.
    pub(crate) fn is_version_of(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Text(text), Self::Text(other)) => text == other,
            (one, other) => {
                let (one, other) = (one.read(), other.read());
                let version = |node: &Node<'_>| {
                    let metadata = node.metadata();
                    (metadata.uid().to_owned(), metadata.resource_version().to_owned())
                };
                // Without a version, only the objects themselves can tell.
                let (before, now) = (version(&one), version(&other));
                before == now && (!now.1.is_empty() || one == other)
            }
        }
    }

    /// The object as a tree.
    pub(crate) fn read(&self) -> Shared {
        match self {
            Self::Tree(node) => node.clone(),
            // What was written as JSON can be read as JSON; nothing could be done about it here.
            Self::Text(text) => Arc::new(
                parse_json(text.as_bytes()).map_or_else(|_| Node::empty_map(), Node::into_interned),
            ),
        }
    }
}

impl From<Shared> for Retained {
    fn from(node: Shared) -> Self {
        Self::Tree(node)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::node;

    #[test]
    fn text_is_read_as_the_object_that_was_written() {
        let object = node(
            r#"{metadata: {name: "a\"b", labels: {a: b}}, spec: {n: 1, list: [null, true, {}]}}"#,
        );
        assert_eq!(*Retained::text(&object).read(), object);
        assert_eq!(*Retained::from(Arc::new(object.clone())).read(), object);
    }
}
