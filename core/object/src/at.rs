//! `At`: a value together with its path and span.

use crate::{Equality, Members, Node, Path, Slot, Span, Value};

/// A value, or its absence, with its path and span. Rules receive these, so that no rule can misname
/// a field or forget that it may be missing.
#[derive(Clone, Copy, Debug)]
pub struct At<'a> {
    node: Option<&'a Node<'a>>,
    path: Path<'a>,
    /// The enclosing object; none once the path was replaced by [`At::with_path`].
    root: Option<&'a Node<'a>>,
    near: Span,
    span_override: Option<Span>,
}

impl<'a> At<'a> {
    /// The root of a tree, with an empty path.
    pub fn root(node: &'a Node<'a>) -> Self {
        let path = Path::default();
        Self { node: Some(node), path, root: Some(node), near: node.span, span_override: None }
    }

    /// The same value under another path: where Kubernetes reports a field under a different name than
    /// the one a person wrote.
    #[must_use]
    pub fn with_path(self, path: Path<'a>) -> Self {
        Self { path, root: None, ..self }
    }

    /// The same value with another span: a value of the stored object has no position in the text of
    /// the new one.
    #[must_use]
    pub fn pointing_at(self, span: Span) -> Self {
        Self { span_override: Some(span), ..self }
    }

    /// The path of this value in the object.
    pub fn path(&self) -> &Path<'a> {
        &self.path
    }

    /// The span to report: the value's own, or that of its nearest ancestor that was written.
    pub fn span(&self) -> Span {
        self.span_override.or(self.node.map(|node| node.span)).unwrap_or(self.near)
    }

    /// The value, if it is set and not `null`.
    pub fn node(&self) -> Option<&'a Node<'a>> {
        self.node.filter(|node| !matches!(node.value, Value::Null))
    }

    /// Whether the value is set and not `null`.
    pub fn is_set(&self) -> bool {
        self.node().is_some()
    }

    /// The text of this value. Absence and `null` are the empty text, as in Kubernetes' own types;
    /// a value that is not text gives none, and decoding has refused it before.
    pub fn text(&self) -> Option<&'a str> {
        match self.node() {
            None => Some(""),
            Some(node) => node.text(),
        }
    }

    /// The text of this value; empty if it is absent or not text.
    pub fn text_or_empty(&self) -> &'a str {
        self.text().unwrap_or_default()
    }

    /// Whether the value is `true`.
    pub fn is_true(&self) -> bool {
        self.truth() == Some(true)
    }

    /// The boolean, if this is one.
    pub fn truth(&self) -> Option<bool> {
        match self.node()?.value {
            Value::Bool(truth) => Some(truth),
            _ => None,
        }
    }

    /// The integer, if this is one.
    pub fn int(&self) -> Option<i64> {
        match self.node()?.value {
            Value::Int(number) => Some(number),
            _ => None,
        }
    }

    /// The field `name` below.
    #[must_use]
    pub fn field(&self, name: &'a str) -> Self {
        let mut below = *self;
        below.enter(name);
        below
    }

    /// The field at the end of `names`, one below the other.
    #[must_use]
    pub fn descend(&self, names: &[&'a str]) -> Self {
        let mut below = *self;
        names.iter().for_each(|name| below.enter(name));
        below
    }

    /// Goes down to the field `name` in place: a path is long, and copying it costs more than looking the field up.
    fn enter(&mut self, name: &'a str) {
        self.near = self.span();
        self.span_override = None;
        self.node = self.node.and_then(|node| node.get(name));
        self.path.push(name);
    }

    /// The entry `key` of a map with free keys.
    #[must_use]
    pub fn key(&self, key: &'a str) -> Self {
        self.entry(key, self.node.and_then(|node| node.get(key)))
    }

    /// The same entry, found among the members of this map: for a caller who looks many up.
    #[must_use]
    pub fn key_among(&self, members: &mut Members<'a>, key: &'a str) -> Self {
        self.entry(key, members.get(key))
    }

    fn entry(&self, key: &'a str, node: Option<&'a Node<'a>>) -> Self {
        let path = self.path.key(key);
        Self { node, path, root: self.root, near: self.span(), span_override: None }
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
            span_override: None,
        })
    }

    /// The entries of a map with free keys, in the order they were written.
    pub fn entries(&self) -> impl ExactSizeIterator<Item = (&'a str, At<'a>)> + use<'a> {
        let (path, root, near) = (self.path, self.root, self.span());
        let entries = self.node.map(Node::entries).unwrap_or_default();
        entries.iter().map(move |entry| {
            let path = path.key(&entry.key);
            let at = At { node: Some(&entry.node), path, root, near, span_override: None };
            (entry.key.as_ref(), at)
        })
    }

    /// The number of items or entries.
    pub fn len(&self) -> usize {
        self.node.map_or(0, |node| node.items().len())
    }

    /// Whether there are no items or entries.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The enclosing object; none once the path was replaced by [`At::with_path`].
    pub fn object(&self) -> Option<&'a Node<'a>> {
        self.root
    }

    /// The Go type information that the enclosing object's schema has for this field.
    pub fn slot(&self) -> Slot {
        let root = self.root.filter(|_| !self.path.is_full());
        let slot = root.map_or(Slot::UNKNOWN, Slot::of_object);
        self.path.steps().fold(slot, Slot::step)
    }

    /// Whether both values are equal as `equality.Semantic.DeepEqual` compares Go's types: empty and absent lists are
    /// equal, a pointer to an empty value and a nil pointer are not.
    pub fn equals(&self, other: &At<'_>) -> bool {
        self.slot().equal(self.node, other.node, Equality::Semantic)
    }

    /// Whether this is the zero value of its Go type.
    pub fn is_zero(&self) -> bool {
        self.slot().equal(self.node, None, Equality::Semantic)
    }
}
