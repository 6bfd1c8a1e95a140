//! Constructing and changing trees: members are replaced in place, new ones are appended.

use crate::{Entry, Node, Span, Value};
use alloc::borrow::Cow;
use alloc::vec::Vec;

impl<'t> Node<'t> {
    /// A value without a source span.
    pub fn new(value: Value<'t>) -> Self {
        Self { value, span: Span::default() }
    }

    /// A text value.
    pub fn string(text: impl Into<Cow<'t, str>>) -> Self {
        Self::new(Value::Text(text.into()))
    }

    /// An integer value.
    pub fn int(number: i64) -> Self {
        Self::new(Value::Int(number))
    }

    /// A boolean value.
    pub fn bool(truth: bool) -> Self {
        Self::new(Value::Bool(truth))
    }

    /// A list value.
    pub fn list(items: Vec<Self>) -> Self {
        Self::new(Value::List(items))
    }

    /// An empty map.
    pub fn empty_map() -> Self {
        Self::new(Value::Map(Vec::new()))
    }

    /// A map with these members.
    pub fn map<K: Into<Cow<'t, str>>>(members: impl IntoIterator<Item = (K, Self)>) -> Self {
        let entry = |(key, node): (K, Self)| Entry::new(key, node);
        Self::new(Value::Map(members.into_iter().map(entry).collect()))
    }

    /// Whether this is `null`.
    pub fn is_null(&self) -> bool {
        matches!(self.value, Value::Null)
    }

    /// The integer, if this is one.
    pub fn as_int(&self) -> Option<i64> {
        match self.value {
            Value::Int(number) => Some(number),
            _ => None,
        }
    }

    /// The boolean, if this is one.
    pub fn as_bool(&self) -> Option<bool> {
        match self.value {
            Value::Bool(truth) => Some(truth),
            _ => None,
        }
    }

    /// The value at the path `names`, if all its members exist.
    pub fn find(&self, names: &[&str]) -> Option<&Self> {
        names.iter().try_fold(self, |node, name| node.get(name))
    }

    /// The text at the path `names`; empty if there is none.
    pub fn text_at(&self, names: &[&str]) -> &str {
        self.find(names).and_then(Self::text).unwrap_or_default()
    }

    /// The member `name`, mutably.
    pub fn get_mut(&mut self, name: &str) -> Option<&mut Self> {
        self.entries_mut()?
            .iter_mut()
            .find(|entry| entry.is_named(name))
            .map(|entry| &mut entry.node)
    }

    /// The value at the path `names`, mutably, if all its members exist.
    pub fn find_mut(&mut self, names: &[&str]) -> Option<&mut Self> {
        names.iter().try_fold(self, |node, name| node.get_mut(name))
    }

    /// The members, mutably, if this is a map.
    pub fn entries_mut(&mut self) -> Option<&mut Vec<Entry<'t>>> {
        match &mut self.value {
            Value::Map(entries) => Some(entries),
            _ => None,
        }
    }

    /// The items, mutably, if this is a list.
    pub fn items_mut(&mut self) -> Option<&mut Vec<Self>> {
        match &mut self.value {
            Value::List(items) => Some(items),
            _ => None,
        }
    }

    /// Sets the member `name`; anything but a map becomes one.
    pub fn set(&mut self, name: impl Into<Cow<'t, str>>, node: Self) {
        let name = name.into();
        match self.get_mut(&name) {
            Some(existing) => *existing = node,
            None => self.members().push(Entry::new(name, node)),
        }
    }

    /// Removes the member `name` and returns it.
    pub fn remove(&mut self, name: &str) -> Option<Self> {
        let entries = self.entries_mut()?;
        let at = entries.iter().position(|entry| entry.is_named(name))?;
        Some(entries.remove(at).node)
    }

    /// The member `name` as a map, created if it is absent or `null`.
    pub fn map_mut(&mut self, name: &'static str) -> &mut Self {
        let at = self.entries().iter().position(|entry| entry.is_named(name));
        let members = self.members();
        let at = at.unwrap_or(members.len());
        if at == members.len() {
            members.push(Entry::new(name, Self::empty_map()));
        }
        // In bounds: the member was found, or has just been pushed.
        #[allow(clippy::indexing_slicing, reason = "the position was found or made above")]
        let node = &mut members[at].node;
        if node.is_null() {
            *node = Self::empty_map();
        }
        node
    }

    fn members(&mut self) -> &mut Vec<Entry<'t>> {
        if !matches!(self.value, Value::Map(_)) {
            self.value = Value::Map(Vec::new());
        }
        match &mut self.value {
            Value::Map(entries) => entries,
            _ => unreachable!("made a map above"),
        }
    }
}

impl<'t> Entry<'t> {
    /// A member without a source span.
    pub fn new(key: impl Into<Cow<'t, str>>, node: Node<'t>) -> Self {
        Self { key: key.into(), key_span: Span::default(), node }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::string::ToString;

    #[test]
    fn members_are_set_made_and_removed() {
        let mut node = Node::map([("a", Node::int(1))]);
        node.set("b", Node::string("x"));
        node.set("a", Node::bool(true));
        node.map_mut("c").set("d", Node::list(alloc::vec![Node::int(2)]));
        assert_eq!(node.to_string(), r#"{"a":true,"b":"x","c":{"d":[2]}}"#);
        assert_eq!(node.remove("b"), Some(Node::string("x")));
        assert_eq!(node.remove("b"), None);
        assert_eq!(node.find(&["c", "d"]).map(|list| list.items().len()), Some(1));
    }

    #[test]
    fn null_becomes_a_map_when_something_goes_below_it() {
        let mut node = Node::map([("metadata", Node::new(Value::Null))]);
        node.map_mut("metadata").set("name", Node::string("x"));
        assert_eq!(node.metadata().name(), "x");
    }
}
