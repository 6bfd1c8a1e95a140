//! The documents of a text, for targets whose input is several objects.

use crate::{Choices, tree};
use ratchet_object::{Limits, Node, decode, split_documents};

/// All documents of a text; `None` if one cannot be decoded, or if there is none.
#[must_use]
pub fn documents(text: &str) -> Option<Vec<Node<'static>>> {
    let limits = Limits { nodes: 2_000, ..Limits::DEFAULT };
    let mut documents = Vec::new();
    for piece in split_documents(text) {
        let decoded = decode(piece.text, limits).ok()?;
        documents.extend(decoded.documents.into_iter().map(Node::into_owned));
    }
    (!documents.is_empty()).then_some(documents)
}

/// The tree of a text that a target knows; an empty map if it is none.
#[must_use]
pub fn node(text: &str) -> Node<'static> {
    let decoded = decode(text, Limits::DEFAULT).ok();
    decoded
        .and_then(|mut decoded| decoded.documents.pop())
        .map_or_else(Node::empty_map, Node::into_owned)
}

/// A tree with something else somewhere in it.
#[must_use]
pub fn grafted(node: &Node<'static>, choices: &mut Choices<'_>) -> Node<'static> {
    let mut grafted = node.clone();
    tree::graft(&mut grafted, choices);
    grafted
}
