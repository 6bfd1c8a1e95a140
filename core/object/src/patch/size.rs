//! The size of a tree, so that a small patch cannot make a huge object.

use super::PatchError;
use crate::{Limits, Node, Value};
use alloc::format;

/// The number of values, bytes and levels of a tree; bytes are about those of its JSON.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Size {
    pub(super) values: usize,
    pub(super) bytes: usize,
    pub(super) depth: usize,
}

impl Size {
    pub(super) fn of(node: &Node<'_>) -> Self {
        let mut size = Self { values: 1, bytes: 1, depth: 0 };
        match &node.value {
            Value::Null | Value::Bool(_) => size.bytes = 5,
            Value::Int(_) | Value::Float(_) => size.bytes = 8,
            Value::Text(text) => size.bytes = text.len() + 2,
            Value::List(items) => items.iter().for_each(|item| size.add(Self::of(item), 1)),
            Value::Map(entries) => {
                entries.iter().for_each(|entry| {
                    size.add(Self::of(&entry.node), entry.key.len() + 4);
                });
            }
        }
        size
    }

    fn add(&mut self, inner: Self, around: usize) {
        self.values += inner.values;
        self.bytes += inner.bytes + around;
        self.depth = self.depth.max(inner.depth + 1);
    }
}

/// The patched object, unless it exceeds the limits of a request body.
pub(super) fn bounded(node: Node<'static>) -> Result<Node<'static>, PatchError> {
    let limits = Limits::DEFAULT;
    let size = Size::of(&node);
    if size.bytes > limits.bytes {
        let text = format!("the patched object is larger than {} bytes", limits.bytes);
        return Err(PatchError::TooLarge(text));
    }
    if size.values > limits.nodes {
        let text = format!("the patched object has more than {} values", limits.nodes);
        return Err(PatchError::TooLarge(text));
    }
    too_deep(size.depth)?;
    Ok(node)
}

/// Refuses a depth that no decoder accepts.
pub(super) fn too_deep(depth: usize) -> Result<(), PatchError> {
    let deepest = Limits::DEFAULT.depth;
    if depth > deepest {
        let text = format!("the patched object is nested deeper than {deepest} levels");
        return Err(PatchError::TooLarge(text));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::vec;

    #[test]
    fn everything_is_counted() {
        let node = Node::map([("a", Node::list(vec![Node::int(1), Node::string("xyz")]))]);
        let size = Size::of(&node);
        assert_eq!((size.values, size.depth), (4, 2));
        assert!(size.bytes >= "{\"a\":[1,\"xyz\"]}".len());
        assert_eq!(Size::of(&Node::int(1)).depth, 0);
    }

    #[test]
    fn the_limits_are_those_of_what_is_sent() {
        assert!(bounded(Node::list(vec![Node::int(1); 1000])).is_ok());
        let many = Node::list(vec![Node::int(1); Limits::DEFAULT.nodes]);
        assert!(matches!(bounded(many), Err(PatchError::TooLarge(_))));
        let large = Node::string("x".repeat(Limits::DEFAULT.bytes));
        assert!(matches!(bounded(large), Err(PatchError::TooLarge(_))));
        let mut deep = Node::int(1);
        for _ in 0..=Limits::DEFAULT.depth {
            deep = Node::list(vec![deep]);
        }
        assert!(matches!(bounded(deep), Err(PatchError::TooLarge(_))));
    }
}
