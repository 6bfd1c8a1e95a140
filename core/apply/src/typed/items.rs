//! Items of lists: the path element of each.

use crate::path_element::{KeyField, PathElement};
use crate::schema::{Keys, ListType, Relation, borrowed};
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use core::fmt::Write;
use ratchet_net::Quoted;
use ratchet_object::{Node, Value};

/// The path element of an item of a set or of a list with keys; or why it can have none.
pub(super) fn element<'a>(
    list: &ListType<'a>,
    item: &'a Node<'a>,
) -> Result<PathElement<'a>, String> {
    match list.relation {
        Relation::Atomic => Err("invalid indexing of non-associative list".to_string()),
        Relation::Set => set_element(item),
        Relation::Map(keys) => key_element(keys, item),
    }
}

fn set_element<'a>(item: &'a Node<'a>) -> Result<PathElement<'a>, String> {
    let fault = match item.value {
        Value::Map(_) => "associative list without keys has an element that's a map type",
        Value::List(_) => "not supported: associative list with lists as elements",
        Value::Null => "associative list without keys has an element that's an explicit null",
        _ => return Ok(PathElement::Value(borrowed(&item.value))),
    };
    Err(fault.to_string())
}

fn key_element<'a>(keys: Keys<'a>, item: &'a Node<'a>) -> Result<PathElement<'a>, String> {
    match item.value {
        Value::Map(_) => {}
        Value::Null => {
            return Err("associative list with keys may not have a null element".to_string());
        }
        _ => return Err("associative list with keys may not have non-map elements".to_string()),
    }
    let count = keys.len();
    let mut fields = Vec::with_capacity(count);
    for (index, name) in (0..count).filter_map(|index| Some((index, keys.name(index)?))) {
        let value = item.get(name).map(|node| borrowed(&node.value));
        // Without a value it is another item than one that has it.
        if let Some(value) = value.or_else(|| keys.default(index)) {
            fields.push(KeyField { name: name.into(), value });
        }
    }
    if fields.is_empty() && count > 0 {
        return Err(format!(
            "associative list with keys has an element that omits all key fields {} (and doesn't have default values for any key fields)",
            quoted_names(keys)
        ));
    }
    Ok(PathElement::key(fields))
}

/// The names as Go's `%q` prints a list: `["a" "b"]`.
fn quoted_names(keys: Keys<'_>) -> String {
    let mut out = String::from("[");
    for name in (0..keys.len()).filter_map(|index| keys.name(index)) {
        let _ = write!(out, "{}{}", if out.len() == 1 { "" } else { " " }, Quoted(name));
    }
    out.push(']');
    out
}

/// The items of a list with their elements, sorted by element, equal ones in their order. Items that can have no
/// element are left out: validation has refused them before.
pub(super) fn sorted_items<'a>(
    list: &ListType<'a>,
    items: &'a [Node<'a>],
) -> Vec<(PathElement<'a>, usize)> {
    let mut sorted: Vec<(PathElement<'a>, usize)> = items
        .iter()
        .enumerate()
        .filter_map(|(index, item)| Some((element(list, item).ok()?, index)))
        .collect();
    // Stable, so that equal elements stay in their order.
    sorted.sort_by(|a, b| a.0.cmp(&b.0));
    sorted
}
