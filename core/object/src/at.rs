//! A value together with the place it was read from.

use crate::{Equality, Node, Path, Slot, Span, Value};

/// A value, or its absence, and where it stands. Rules receive these, so that no rule can misname
/// a field or forget that it may be missing.
#[derive(Clone, Copy, Debug)]
pub struct At<'a> {
    node: Option<&'a Node<'a>>,
    path: Path<'a>,
    /// The object around it, unless the path is not its own.
    root: Option<&'a Node<'a>>,
    near: Span,
    shown: Option<Span>,
}

impl<'a> At<'a> {
    /// The root of a tree.
    pub fn root(node: &'a Node<'a>) -> Self {
        let path = Path::default();
        Self { node: Some(node), path, root: Some(node), near: node.span, shown: None }
    }

    /// The same value under another name: where Kubernetes names a field differently from the
    /// place that a person wrote it to.
    #[must_use]
    pub fn named(self, path: Path<'a>) -> Self {
        Self { path, root: None, ..self }
    }

    /// The same value, pointing elsewhere: a value of the stored object has no place in the text of
    /// the new one.
    #[must_use]
    pub fn pointing_at(self, span: Span) -> Self {
        Self { shown: Some(span), ..self }
    }

    /// Where this value stands in the object.
    pub fn path(&self) -> &Path<'a> {
        &self.path
    }

    /// Where to point in the text: the value, or the nearest thing around it that was written.
    pub fn span(&self) -> Span {
        self.shown.or(self.node.map(|node| node.span)).unwrap_or(self.near)
    }

    /// The value, if it is there and not `null`.
    pub fn node(&self) -> Option<&'a Node<'a>> {
        self.node.filter(|node| !matches!(node.value, Value::Null))
    }

    /// Whether it is there and not `null`.
    pub fn is_set(&self) -> bool {
        self.node().is_some()
    }

    /// The text here. Absence and `null` read as empty, as they do in Kubernetes' own types;
    /// what is not text reads as none, and decoding has refused it before.
    pub fn text(&self) -> Option<&'a str> {
        match self.node() {
            None => Some(""),
            Some(node) => node.text(),
        }
    }

    /// The text here, where empty, absent and misshapen are all the same to the reader.
    pub fn text_or_empty(&self) -> &'a str {
        self.text().unwrap_or_default()
    }

    /// Whether it is there and `true`.
    pub fn is_true(&self) -> bool {
        self.truth() == Some(true)
    }

    /// The truth value, if it is there.
    pub fn truth(&self) -> Option<bool> {
        match self.node()?.value {
            Value::Bool(truth) => Some(truth),
            _ => None,
        }
    }

    /// The whole number, if it is there.
    pub fn int(&self) -> Option<i64> {
        match self.node()?.value {
            Value::Int(number) => Some(number),
            _ => None,
        }
    }

    /// The field `name` below.
    #[must_use]
    pub fn field(&self, name: &'a str) -> Self {
        self.down(self.node.and_then(|node| node.get(name)), self.path.field(name))
    }

    /// The field at the end of `names`, one below the other.
    #[must_use]
    pub fn descend(&self, names: &[&'a str]) -> Self {
        names.iter().fold(*self, |at, name| at.field(name))
    }

    /// The entry `key` of a map with free keys.
    #[must_use]
    pub fn key(&self, key: &'a str) -> Self {
        self.down(self.node.and_then(|node| node.get(key)), self.path.key(key))
    }

    /// The items below, in order; an absent list has none.
    pub fn items(&self) -> impl ExactSizeIterator<Item = At<'a>> + use<'a> {
        let (path, root, near) = (self.path, self.root, self.span());
        let items = self.node.map(Node::items).unwrap_or_default();
        items.iter().enumerate().map(move |(index, node)| At {
            node: Some(node),
            path: path.index(index),
            root,
            near,
            shown: None,
        })
    }

    /// The entries of a map with free keys, in the order they were written.
    pub fn entries(&self) -> impl ExactSizeIterator<Item = (&'a str, At<'a>)> + use<'a> {
        let (path, root, near) = (self.path, self.root, self.span());
        let entries = self.node.map(Node::entries).unwrap_or_default();
        entries.iter().map(move |entry| {
            let path = path.key(&entry.key);
            let at = At { node: Some(&entry.node), path, root, near, shown: None };
            (entry.key.as_ref(), at)
        })
    }

    /// How many items stand below.
    pub fn len(&self) -> usize {
        self.node.map_or(0, |node| node.items().len())
    }

    /// Whether no item stands below.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    fn down(&self, node: Option<&'a Node<'a>>, path: Path<'a>) -> Self {
        Self { node, path, root: self.root, near: self.span(), shown: None }
    }

    /// The whole object that this place is in; none where the path is not its own.
    pub fn object(&self) -> Option<&'a Node<'a>> {
        self.root
    }

    /// What the schema of the object around it says of this place.
    pub fn slot(&self) -> Slot {
        let root = self.root.filter(|_| !self.path.is_full());
        let slot = root.map_or(Slot::UNKNOWN, Slot::of_object);
        self.path.steps().iter().fold(slot, |slot, step| slot.step(*step))
    }

    /// Whether this place holds what `other` does, as `equality.Semantic.DeepEqual` compares Go's types: empty and
    /// absent lists are one, a pointer to nothing and no pointer are two.
    pub fn equals(&self, other: &At<'_>) -> bool {
        self.slot().equal(self.node, other.node, Equality::Semantic)
    }

    /// Whether this place holds what Go has where nobody set anything.
    pub fn is_zero(&self) -> bool {
        self.slot().equal(self.node, None, Equality::Semantic)
    }
}
