//! The few moves that all defaults are made of: fill a gap, and go down without making one up.

use crate::{Node, Value};

/// Fills in one object, whatever stands in it.
pub(super) type Filler = fn(&mut Node<'_>);

/// A field, and what it says where its writer says nothing.
pub(super) struct Gap {
    name: &'static str,
    silence: Silence,
    fill: Fill,
}

/// What counts as nothing.
#[derive(Clone, Copy)]
enum Silence {
    /// Only absence: an optional field, whose zero is a choice.
    Nil,
    /// Also the zero of its type, which a plain Go field cannot tell from absence.
    Zero,
}

/// A value to fill in.
pub(super) enum Fill {
    Text(&'static str),
    Int(i64),
    Bool(bool),
    Map,
}

/// A gap only where the field is absent or null.
pub(super) const fn nil(name: &'static str, fill: Fill) -> Gap {
    Gap { name, silence: Silence::Nil, fill }
}

/// A gap also where the field is empty or zero.
pub(super) const fn zero(name: &'static str, fill: Fill) -> Gap {
    Gap { name, silence: Silence::Zero, fill }
}

/// Fills the gaps of an object; what is no object stays as it is.
pub(super) fn fill(node: &mut Node<'_>, gaps: &[Gap]) {
    for gap in gaps {
        let silent = match gap.silence {
            Silence::Nil => is_nil(node, gap.name),
            Silence::Zero => is_zero(node, gap.name),
        };
        if silent {
            put(node, gap.name, gap.fill.node());
        }
    }
}

impl Fill {
    fn node<'t>(&self) -> Node<'t> {
        match *self {
            Self::Text(text) => Node::string(text),
            Self::Int(number) => Node::int(number),
            Self::Bool(truth) => Node::bool(truth),
            Self::Map => Node::empty_map(),
        }
    }
}

/// Sets a field of an object; what is no object stays as it is.
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
    node.get(name).is_none_or(|node| match &node.value {
        Value::Null | Value::Int(0) | Value::Bool(false) => true,
        Value::Text(text) => text.is_empty(),
        Value::Float(number) => *number == 0.0,
        _ => false,
    })
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

/// Whether a list can be put here without losing something misshapen.
pub(super) fn is_list_or_nil(node: &Node<'_>, name: &str) -> bool {
    node.get(name).is_none_or(|list| matches!(list.value, Value::Null | Value::List(_)))
}

/// Whether members can be put here without losing something misshapen.
pub(super) fn is_map_or_nil(node: &Node<'_>, name: &str) -> bool {
    node.get(name).is_none_or(|map| matches!(map.value, Value::Null | Value::Map(_)))
}

/// Whether a field is this text.
pub(super) fn is_text(node: &Node<'_>, name: &str, text: &str) -> bool {
    node.get(name).and_then(Node::text) == Some(text)
}

/// Goes to an object that is there or not: a pointer in Go.
pub(super) fn within(node: &mut Node<'_>, name: &str, filler: Filler) {
    if let Some(below) = node.get_mut(name)
        && matches!(below.value, Value::Map(_))
    {
        filler(below);
    }
}

/// Goes to an object that is always there in Go, and so is made if something fills it.
pub(super) fn inside(node: &mut Node<'_>, name: &'static str, filler: Filler) {
    if !matches!(node.value, Value::Map(_)) {
        return;
    }
    match node.get_mut(name) {
        Some(below) => always(below, filler),
        None => {
            let mut fresh = Node::empty_map();
            filler(&mut fresh);
            if !fresh.entries().is_empty() {
                node.set(name, fresh);
            }
        }
    }
}

/// Goes to every object of a list.
pub(super) fn each(node: &mut Node<'_>, name: &str, filler: Filler) {
    for item in node.get_mut(name).and_then(Node::items_mut).into_iter().flatten() {
        always(item, filler);
    }
}

/// Goes to every object of a map with free keys.
pub(super) fn each_value(node: &mut Node<'_>, name: &str, filler: Filler) {
    for entry in node.get_mut(name).and_then(Node::entries_mut).into_iter().flatten() {
        always(&mut entry.node, filler);
    }
}

/// Null reads as an object without members, where Go has no pointer to be nil.
fn always(node: &mut Node<'_>, filler: Filler) {
    match node.value {
        Value::Map(_) => filler(node),
        Value::Null => {
            let mut fresh = Node::empty_map();
            filler(&mut fresh);
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

    const GAPS: &[Gap] = &[nil("nil", Fill::Int(3)), zero("zero", Fill::Text("x"))];

    #[test]
    fn zero_is_silence_only_where_go_cannot_tell() {
        let filled = |mut node: Node<'static>| {
            fill(&mut node, GAPS);
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
        let filler: Filler = |node| fill(node, GAPS);
        let mut node = Node::empty_map();
        within(&mut node, "pointer", filler);
        each(&mut node, "list", filler);
        inside(&mut node, "empty", |_| {});
        assert_eq!(node.to_string(), "{}");
        inside(&mut node, "value", filler);
        assert_eq!(node.to_string(), r#"{"value":{"nil":3,"zero":"x"}}"#);
        let mut node = Node::map([("value", Node::int(1))]);
        inside(&mut node, "value", filler);
        assert_eq!(node.to_string(), r#"{"value":1}"#);
    }
}
