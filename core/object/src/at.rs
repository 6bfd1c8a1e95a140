//! A value together with the place it was read from.

use crate::{Node, Path, Span, Value};

/// A value, or its absence, and where it stands. Rules receive these, so that no rule can misname
/// a field or forget that it may be missing.
#[derive(Clone, Copy, Debug)]
pub struct At<'a> {
    node: Option<&'a Node<'a>>,
    path: Path<'a>,
    near: Span,
    shown: Option<Span>,
}

impl<'a> At<'a> {
    /// The root of a tree.
    pub fn root(node: &'a Node<'a>) -> Self {
        Self { node: Some(node), path: Path::default(), near: node.span, shown: None }
    }

    /// The same value under another name: where Kubernetes names a field differently from the
    /// place that a person wrote it to.
    #[must_use]
    pub fn named(self, path: Path<'a>) -> Self {
        Self { path, ..self }
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
        let (path, near) = (self.path, self.span());
        let items = self.node.map(Node::items).unwrap_or_default();
        items.iter().enumerate().map(move |(index, node)| At {
            node: Some(node),
            path: path.index(index),
            near,
            shown: None,
        })
    }

    /// The entries of a map with free keys, in the order they were written.
    pub fn entries(&self) -> impl ExactSizeIterator<Item = (&'a str, At<'a>)> + use<'a> {
        let (path, near) = (self.path, self.span());
        let entries = self.node.map(Node::entries).unwrap_or_default();
        entries.iter().map(move |entry| {
            let at = At { node: Some(&entry.node), path: path.key(&entry.key), near, shown: None };
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
        Self { node, path, near: self.span(), shown: None }
    }
}

/// Whether two places hold the same, as Kubernetes compares: absent, `null` and empty are one.
pub fn same(one: Option<&Node<'_>>, other: Option<&Node<'_>>) -> bool {
    match (one.filter(|node| !is_hollow(node)), other.filter(|node| !is_hollow(node))) {
        (None, None) => true,
        (Some(one), Some(other)) => same_value(one, other),
        _ => false,
    }
}

fn is_hollow(node: &Node<'_>) -> bool {
    match &node.value {
        Value::Null => true,
        Value::Text(text) => text.is_empty(),
        Value::List(items) => items.is_empty(),
        Value::Map(entries) => entries.iter().all(|entry| is_hollow(&entry.node)),
        Value::Bool(_) | Value::Int(_) | Value::Float(_) => false,
    }
}

fn same_value(one: &Node<'_>, other: &Node<'_>) -> bool {
    match (&one.value, &other.value) {
        (Value::List(a), Value::List(b)) => {
            a.len() == b.len() && a.iter().zip(b).all(|(a, b)| same(Some(a), Some(b)))
        }
        (Value::Map(a), Value::Map(b)) => {
            a.iter().all(|entry| same(Some(&entry.node), other.get(&entry.key)))
                && b.iter()
                    .all(|entry| one.get(&entry.key).is_some() || same(None, Some(&entry.node)))
        }
        _ => one == other,
    }
}
