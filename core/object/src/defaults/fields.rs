//! Helpers to default fields of a tree and to descend into it without creating objects.

use crate::{Entry, Node, Value};

/// Sets the defaults of one object.
pub(super) type Defaulter = fn(&mut Node<'_>);

/// A field and its default.
pub(super) struct FieldDefault {
    name: &'static str,
    unset: Unset,
    value: DefaultValue,
}

/// Which values of a field the default replaces.
#[derive(Clone, Copy)]
enum Unset {
    /// Absent or null: an optional field, whose zero is a choice.
    Nil,
    /// Also the zero value, which a non-pointer Go field cannot tell from absence.
    Zero,
}

/// A default as a constant.
pub(super) enum DefaultValue {
    Text(&'static str),
    Int(i64),
    Bool(bool),
    Map,
}

/// A default for an absent or null field.
pub(super) const fn nil(name: &'static str, value: DefaultValue) -> FieldDefault {
    FieldDefault { name, unset: Unset::Nil, value }
}

/// A default for an absent, empty or zero field.
pub(super) const fn zero(name: &'static str, value: DefaultValue) -> FieldDefault {
    FieldDefault { name, unset: Unset::Zero, value }
}

/// Sets the defaults of an object; anything but a map stays as it is.
pub(super) fn set_defaults(node: &mut Node<'_>, defaults: &[FieldDefault]) {
    let Value::Map(entries) = &mut node.value else { return };
    entries.reserve(defaults.len());
    for default in defaults {
        match entries.iter_mut().find(|entry| entry.is_named(default.name)) {
            Some(entry) if default.unset.is(&entry.node) => entry.node = default.value.node(),
            Some(_) => {}
            None => entries.push(Entry::new(default.name, default.value.node())),
        }
    }
}

impl Unset {
    /// Whether a value counts as not set.
    fn is(self, node: &Node<'_>) -> bool {
        match self {
            Self::Nil => node.is_null(),
            Self::Zero => is_zero_value(node),
        }
    }
}

impl DefaultValue {
    fn node<'t>(&self) -> Node<'t> {
        match *self {
            Self::Text(text) => Node::string(text),
            Self::Int(number) => Node::int(number),
            Self::Bool(truth) => Node::bool(truth),
            Self::Map => Node::empty_map(),
        }
    }
}

/// Sets a field of an object; anything but a map stays as it is.
pub(super) fn put<'t>(node: &mut Node<'t>, name: &'static str, value: Node<'t>) {
    if matches!(node.value, Value::Map(_)) {
        node.set(name, value);
    }
}

/// Whether a field is absent or null.
pub(super) fn is_nil(node: &Node<'_>, name: &str) -> bool {
    node.get(name).is_none_or(Node::is_null)
}

/// Whether a field is absent, null, or the zero of its type.
pub(super) fn is_zero(node: &Node<'_>, name: &str) -> bool {
    node.get(name).is_none_or(is_zero_value)
}

fn is_zero_value(node: &Node<'_>) -> bool {
    match &node.value {
        Value::Null | Value::Int(0) | Value::Bool(false) => true,
        Value::Text(text) => text.is_empty(),
        Value::Float(number) => *number == 0.0,
        _ => false,
    }
}

/// Whether a list or a map is absent, null or empty.
pub(super) fn is_empty(node: &Node<'_>, name: &str) -> bool {
    node.get(name).is_none_or(|node| match &node.value {
        Value::Null => true,
        Value::List(items) => items.is_empty(),
        Value::Map(entries) => entries.is_empty(),
        _ => false,
    })
}

/// Whether a list can be set here without losing a value of the wrong type.
pub(super) fn is_list_or_nil(node: &Node<'_>, name: &str) -> bool {
    node.get(name).is_none_or(|list| matches!(list.value, Value::Null | Value::List(_)))
}

/// Whether members can be set here without losing a value of the wrong type.
pub(super) fn is_map_or_nil(node: &Node<'_>, name: &str) -> bool {
    node.get(name).is_none_or(|map| matches!(map.value, Value::Null | Value::Map(_)))
}

/// Whether a field is this text.
pub(super) fn is_text(node: &Node<'_>, name: &str, text: &str) -> bool {
    node.get(name).and_then(Node::text) == Some(text)
}

/// Descends into a pointer field: an object that may be absent.
pub(super) fn pointer_field(node: &mut Node<'_>, name: &str, defaulter: Defaulter) {
    if let Some(below) = node.get_mut(name)
        && matches!(below.value, Value::Map(_))
    {
        defaulter(below);
    }
}

/// Descends into a struct field: an object that always exists in Go, and so is created if it gets a default.
pub(super) fn struct_field(node: &mut Node<'_>, name: &'static str, defaulter: Defaulter) {
    if !matches!(node.value, Value::Map(_)) {
        return;
    }
    match node.get_mut(name) {
        Some(below) => always(below, defaulter),
        None => {
            let mut fresh = Node::empty_map();
            defaulter(&mut fresh);
            if !fresh.entries().is_empty() {
                node.set(name, fresh);
            }
        }
    }
}

/// Descends into every object of a list.
pub(super) fn each(node: &mut Node<'_>, name: &str, defaulter: Defaulter) {
    for item in node.get_mut(name).and_then(Node::items_mut).into_iter().flatten() {
        always(item, defaulter);
    }
}

/// Descends into every object of a map with free keys.
pub(super) fn each_value(node: &mut Node<'_>, name: &str, defaulter: Defaulter) {
    for entry in node.get_mut(name).and_then(Node::entries_mut).into_iter().flatten() {
        always(&mut entry.node, defaulter);
    }
}

/// Null is an object without members where Go has a struct and no pointer.
fn always(node: &mut Node<'_>, defaulter: Defaulter) {
    match node.value {
        Value::Map(_) => defaulter(node),
        Value::Null => {
            let mut fresh = Node::empty_map();
            defaulter(&mut fresh);
            if !fresh.entries().is_empty() {
                node.value = fresh.value;
            }
        }
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::string::ToString;
    use alloc::vec;

    const GAPS: &[FieldDefault] =
        &[nil("nil", DefaultValue::Int(3)), zero("zero", DefaultValue::Text("x"))];

    #[test]
    fn zero_is_silence_only_where_go_cannot_tell() {
        let filled = |mut node: Node<'static>| {
            set_defaults(&mut node, GAPS);
            node.to_string()
        };
        assert_eq!(filled(Node::empty_map()), r#"{"nil":3,"zero":"x"}"#);
        let zeros = Node::map([("zero", Node::string("")), ("nil", Node::int(0))]);
        assert_eq!(filled(zeros), r#"{"zero":"x","nil":0}"#);
        let nulls = Node::map([("zero", Node::new(Value::Null)), ("nil", Node::new(Value::Null))]);
        assert_eq!(filled(nulls), r#"{"zero":"x","nil":3}"#);
        let misshapen = Node::map([("zero", Node::list(vec![])), ("nil", Node::bool(false))]);
        assert_eq!(filled(misshapen), r#"{"zero":[],"nil":false}"#);
        assert_eq!(filled(Node::int(7)), "7");
    }

    #[test]
    fn only_what_go_always_has_is_made() {
        let defaulter: Defaulter = |node| set_defaults(node, GAPS);
        let mut node = Node::empty_map();
        pointer_field(&mut node, "pointer", defaulter);
        each(&mut node, "list", defaulter);
        struct_field(&mut node, "empty", |_| {});
        assert_eq!(node.to_string(), "{}");
        struct_field(&mut node, "value", defaulter);
        assert_eq!(node.to_string(), r#"{"value":{"nil":3,"zero":"x"}}"#);
        let mut node = Node::map([("value", Node::int(1))]);
        struct_field(&mut node, "value", defaulter);
        assert_eq!(node.to_string(), r#"{"value":1}"#);
    }
}
