//! An object and the time it is printed at, with field access where absent and `null` are the same.

use crate::age;
use alloc::string::String;
use alloc::vec::Vec;
use ratchet_object::{Node, Value};

/// The cells of one object.
pub(crate) type Cells = Vec<Node<'static>>;

/// Printed for a missing value.
pub(crate) const NONE: &str = "<none>";
/// Printed for an unknown value.
pub(crate) const UNKNOWN: &str = "<unknown>";
/// Printed for a value that is not set.
pub(crate) const UNSET: &str = "<unset>";

/// An object and the time it is printed at.
#[derive(Clone, Copy)]
pub(crate) struct PrintedObject<'a> {
    pub(crate) object: &'a Node<'a>,
    /// The Unix time in seconds.
    pub(crate) now: i64,
}

impl<'a> PrintedObject<'a> {
    /// The value at `names`, unless it is absent or `null`.
    pub(crate) fn at(&self, names: &[&str]) -> Option<&'a Node<'a>> {
        at(self.object, names)
    }

    /// The string at `names`; empty if there is none.
    pub(crate) fn text(&self, names: &[&str]) -> &'a str {
        self.object.text_at(names)
    }

    /// The string at `names` as a cell.
    pub(crate) fn cell(&self, names: &[&str]) -> Node<'static> {
        text(self.text(names))
    }

    /// The string at `names` as a cell; `absent` if it is not set.
    pub(crate) fn cell_or(&self, names: &[&str], absent: &str) -> Node<'static> {
        text(self.at(names).map_or(absent, |node| node.text().unwrap_or_default()))
    }

    /// The integer at `names`; 0 if there is none.
    pub(crate) fn int(&self, names: &[&str]) -> i64 {
        int(self.object, names)
    }

    /// The boolean at `names`; false if there is none.
    pub(crate) fn flag(&self, names: &[&str]) -> bool {
        flag(self.object, names)
    }

    /// The items at `names`; empty if there is no list.
    pub(crate) fn items(&self, names: &[&str]) -> &'a [Node<'a>] {
        items(self.object, names)
    }

    /// The number of items or members at `names`.
    pub(crate) fn count(&self, names: &[&str]) -> i64 {
        let node = self.at(names);
        count(node.map_or(0, |node| node.items().len().max(node.entries().len())))
    }

    /// The name of the object, as a cell.
    pub(crate) fn name(&self) -> Node<'static> {
        self.cell(&["metadata", "name"])
    }

    /// The annotation `key`, if the object has it.
    pub(crate) fn annotation(&self, key: &str) -> Option<&'a str> {
        self.at(&["metadata", "annotations", key])?.text()
    }

    /// Whether the object is being deleted.
    pub(crate) fn is_terminating(&self) -> bool {
        self.at(&["metadata", "deletionTimestamp"]).is_some()
    }

    /// The age of the object, as a cell.
    pub(crate) fn age(&self) -> Node<'static> {
        text(self.since(&["metadata", "creationTimestamp"]))
    }

    /// The timestamp at `names`, if there is one.
    pub(crate) fn time(&self, names: &[&str]) -> Option<i64> {
        age::seconds(self.text(names))
    }

    /// The duration since the timestamp at `names`.
    pub(crate) fn since(&self, names: &[&str]) -> String {
        age::since(self.time(names), self.now)
    }

    /// The first condition of this type.
    pub(crate) fn condition(&self, kind: &str) -> Option<&'a Node<'a>> {
        let mut conditions = self.items(&["status", "conditions"]).iter();
        conditions.find(|condition| condition.text_at(&["type"]) == kind)
    }

    /// Whether the first condition of this type is true.
    pub(crate) fn is_condition_true(&self, kind: &str) -> bool {
        self.condition(kind).is_some_and(|condition| condition.text_at(&["status"]) == "True")
    }
}

/// The value at `names`, unless it is absent or `null`.
pub(crate) fn at<'a>(node: &'a Node<'a>, names: &[&str]) -> Option<&'a Node<'a>> {
    node.find(names).filter(|node| !node.is_null())
}

/// The integer at `names`; 0 if there is none.
pub(crate) fn int(node: &Node<'_>, names: &[&str]) -> i64 {
    node.find(names).and_then(Node::as_int).unwrap_or_default()
}

/// The boolean at `names`; false if there is none.
pub(crate) fn flag(node: &Node<'_>, names: &[&str]) -> bool {
    node.find(names).and_then(Node::as_bool).unwrap_or_default()
}

/// The items at `names`; empty if there is no list.
pub(crate) fn items<'a>(node: &'a Node<'a>, names: &[&str]) -> &'a [Node<'a>] {
    node.find(names).map(Node::items).unwrap_or_default()
}

/// A length as an integer of the tree.
pub(crate) fn count(length: usize) -> i64 {
    i64::try_from(length).unwrap_or(i64::MAX)
}

/// A string as a cell.
pub(crate) fn text(text: impl Into<String>) -> Node<'static> {
    Node::string(text.into())
}

/// `text`, or `absent` if it is empty.
pub(crate) fn or<'t>(text: &'t str, absent: &'t str) -> &'t str {
    if text.is_empty() { absent } else { text }
}

/// A value that is a string or a number: a quantity, a port, a percentage.
pub(crate) fn amount(node: &Node<'_>) -> String {
    match &node.value {
        Value::Text(text) => text.as_ref().into(),
        Value::Int(_) | Value::Float(_) => node.to_json(),
        _ => "0".into(),
    }
}

/// The strings of a list, joined.
pub(crate) fn joined(items: &[Node<'_>], between: &str) -> String {
    let texts: Vec<&str> = items.iter().filter_map(Node::text).collect();
    texts.join(between)
}
