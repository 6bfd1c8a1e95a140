//! The document tree: values in source order, each with its span.

use crate::{Members, Span};
use alloc::borrow::Cow;
use alloc::vec::Vec;

/// A value and its source span. Texts borrow from the document wherever it spells them without escapes.
#[derive(Clone, Debug)]
pub struct Node<'t> {
    /// The value itself.
    pub value: Value<'t>,
    /// Its bytes in the source text.
    pub span: Span,
}

/// The values that JSON and YAML documents hold.
#[derive(Clone, Debug)]
pub enum Value<'t> {
    /// `null`.
    Null,
    /// `true` or `false`.
    Bool(bool),
    /// A whole number that fits 64 bits.
    Int(i64),
    /// Any other number.
    Float(f64),
    /// A string, borrowed from the source where possible.
    Text(Cow<'t, str>),
    /// Items in order.
    List(Vec<Node<'t>>),
    /// Members in source order; keys are unique (the last duplicate wins).
    Map(Vec<Entry<'t>>),
}

/// A member of a map.
#[derive(Clone, Debug)]
pub struct Entry<'t> {
    /// The member's name, with escapes resolved.
    pub key: Cow<'t, str>,
    /// The bytes of the key in the source text.
    pub key_span: Span,
    /// The value under the key.
    pub node: Node<'t>,
}

impl Entry<'_> {
    /// Whether this is the member `name`. Fields of Kubernetes often have one length and seldom one end, so that the last
    /// byte spares most comparisons of whole names.
    #[inline]
    pub fn is_named(&self, name: &str) -> bool {
        let key = &*self.key;
        key.len() == name.len() && key.as_bytes().last() == name.as_bytes().last() && key == name
    }
}

impl<'t> Node<'t> {
    /// The member `name`, if this is a map that has it.
    pub fn get(&self, name: &str) -> Option<&Self> {
        self.entries().iter().find(|entry| entry.is_named(name)).map(|entry| &entry.node)
    }

    /// The members; none if this is not a map.
    pub fn entries(&self) -> &[Entry<'t>] {
        match &self.value {
            Value::Map(entries) => entries,
            _ => &[],
        }
    }

    /// The items; none if this is not a list.
    pub fn items(&self) -> &[Self] {
        match &self.value {
            Value::List(items) => items,
            _ => &[],
        }
    }

    /// The text, if this is text.
    pub fn text(&self) -> Option<&str> {
        match &self.value {
            Value::Text(text) => Some(text),
            _ => None,
        }
    }

    /// The name of this value's type in Kubernetes' decoding errors.
    pub fn type_name(&self) -> &'static str {
        match self.value {
            Value::Null => "null",
            Value::Bool(_) => "bool",
            Value::Int(_) | Value::Float(_) => "number",
            Value::Text(_) => "string",
            Value::List(_) => "array",
            Value::Map(_) => "object",
        }
    }

    /// The same tree with all texts owned.
    pub fn into_owned(self) -> Node<'static> {
        let value = match self.value {
            Value::Null => Value::Null,
            Value::Bool(truth) => Value::Bool(truth),
            Value::Int(number) => Value::Int(number),
            Value::Float(number) => Value::Float(number),
            Value::Text(text) => Value::Text(Cow::Owned(text.into_owned())),
            Value::List(items) => Value::List(items.into_iter().map(Node::into_owned).collect()),
            Value::Map(entries) => Value::Map(entries.into_iter().map(Entry::into_owned).collect()),
        };
        Node { value, span: self.span }
    }
}

impl Entry<'_> {
    fn into_owned(self) -> Entry<'static> {
        Entry {
            key: Cow::Owned(self.key.into_owned()),
            key_span: self.key_span,
            node: self.node.into_owned(),
        }
    }
}

/// Semantic equality: spans and the order of members do not count.
impl PartialEq for Node<'_> {
    fn eq(&self, other: &Self) -> bool {
        self.value == other.value
    }
}

impl PartialEq for Value<'_> {
    fn eq(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Null, Self::Null) => true,
            (Self::Bool(a), Self::Bool(b)) => a == b,
            (Self::Int(a), Self::Int(b)) => a == b,
            (Self::Float(a), Self::Float(b)) => a == b,
            (Self::Text(a), Self::Text(b)) => a == b,
            (Self::List(a), Self::List(b)) => a == b,
            (Self::Map(a), Self::Map(b)) => {
                let mut members = Members::new(b);
                a.len() == b.len()
                    && a.iter().all(|entry| members.get(&entry.key) == Some(&entry.node))
            }
            _ => false,
        }
    }
}
