//! Directives of strategic merge patch among the members of a patch, and its errors.

use super::PatchError;
use super::go_text::GoText;
use crate::{Node, Value};
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

/// What to do with the enclosing map: `delete`, `replace` or `merge`.
pub(super) const PATCH: &str = "$patch";
/// The members that the enclosing map retains.
pub(super) const RETAIN_KEYS: &str = "$retainKeys";
/// Prefix of a list of scalars: items to delete.
pub(super) const DELETE_FROM: &str = "$deleteFromPrimitiveList";
/// Prefix of a list: the order of its items.
pub(super) const SET_ORDER: &str = "$setElementOrder";

/// The list that a directive applies to, if the member is that directive at all; `Some(None)` if
/// it names no list.
pub(super) fn list_named<'k>(member: &'k str, directive: &str) -> Option<Option<&'k str>> {
    let rest = member.strip_prefix(directive)?;
    Some(rest.strip_prefix('/'))
}

/// Removes every map with a `$patch` from a new value; false if the value is such a map itself.
pub(super) fn remove_directives(node: &mut Node<'static>) -> bool {
    match &mut node.value {
        Value::Map(entries) => {
            if entries.iter().any(|entry| entry.key == PATCH) {
                return false;
            }
            entries.retain_mut(|entry| remove_directives(&mut entry.node));
        }
        Value::List(items) => items.retain_mut(remove_directives),
        _ => {}
    }
    true
}

/// Removes the members that are `null` from a new value, at every depth.
pub(super) fn discard_nulls(node: &mut Node<'static>) {
    match &mut node.value {
        Value::Map(entries) => {
            entries.retain(|entry| !entry.node.is_null());
            entries.iter_mut().for_each(|entry| discard_nulls(&mut entry.node));
        }
        Value::List(items) => items.iter_mut().for_each(discard_nulls),
        _ => {}
    }
}

pub(super) fn bad_request(text: &str) -> PatchError {
    PatchError::BadRequest(text.into())
}

pub(super) fn bad_order() -> PatchError {
    bad_request("invalid patch format of setElementOrder list")
}

pub(super) fn bad_deletion() -> PatchError {
    bad_request("invalid patch format of primitive list")
}

pub(super) fn bad_retain_keys() -> PatchError {
    bad_request("invalid patch format of retainKeys")
}

pub(super) fn internal(text: impl Into<String>) -> PatchError {
    PatchError::Internal(text.into())
}

pub(super) fn no_merge_key(item: &Node<'_>, key: &str) -> PatchError {
    internal(format!("map: {} does not contain declared merge key: {key}", GoText(item)))
}

pub(super) fn bad_type(expected: &str, actual: &Node<'_>) -> PatchError {
    internal(format!("expected a {expected}, but received a {}", go_type(actual)))
}

/// The error for a `$patch` with an unknown value, or one that is not allowed there.
pub(super) fn bad_patch_type(directive: &Node<'_>, holder: &Node<'_>) -> PatchError {
    let formatted = match &directive.value {
        Value::Null => "%!s(<nil>)".into(),
        Value::Bool(_) | Value::Int(_) | Value::Float(_) => {
            format!("%!s({}={})", go_type(directive), GoText(directive))
        }
        _ => format!("{}", GoText(directive)),
    };
    internal(format!("unknown patch type: {formatted} in map: {}", GoText(holder)))
}

pub(super) const GO_MAP: &str = "map[string]interface {}";
pub(super) const GO_LIST: &str = "[]interface {}";

fn go_type(node: &Node<'_>) -> &'static str {
    match node.value {
        Value::Null => "%!s(<nil>)",
        Value::Bool(_) => "bool",
        Value::Int(_) => "int64",
        Value::Float(_) => "float64",
        Value::Text(_) => "string",
        Value::List(_) => GO_LIST,
        Value::Map(_) => GO_MAP,
    }
}

/// The items of a list, or the error of Go's type assertion.
pub(super) fn into_items(node: Node<'static>) -> Result<Vec<Node<'static>>, PatchError> {
    match node.value {
        Value::List(items) => Ok(items),
        _ => Err(bad_type(GO_LIST, &node)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::vec;

    #[test]
    fn lists_are_named_behind_a_slash() {
        assert_eq!(list_named("$setElementOrder/a/b", SET_ORDER), Some(Some("a/b")));
        assert_eq!(list_named("$setElementOrder", SET_ORDER), Some(None));
        assert_eq!(list_named("$setElementOrderX/a", SET_ORDER), Some(None));
        assert_eq!(list_named("containers", SET_ORDER), None);
    }

    #[test]
    fn new_values_lose_directives_and_nulls() {
        let marked = || Node::map([(PATCH, Node::string("delete"))]);
        let mut node = Node::map([
            ("a", Node::list(vec![marked(), Node::int(1)])),
            ("b", marked()),
            ("c", Node::map([("d", Node::new(Value::Null))])),
        ]);
        assert!(remove_directives(&mut node));
        discard_nulls(&mut node);
        assert_eq!(node.to_json(), r#"{"a":[1],"c":{}}"#);
        assert!(!remove_directives(&mut marked()));
    }
}
