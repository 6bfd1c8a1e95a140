//! The order of a merged list: first the order that the patch sets, then the server's.

use super::PatchError;
use super::directives::{GO_MAP, PATCH, SET_ORDER, bad_type, internal, no_merge_key};
use super::go_text;
use super::strategic::must_be_map;
use crate::{Node, Value};
use alloc::collections::BTreeMap;
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

/// The identity of a list item.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Key {
    Null,
    Bool(bool),
    Int(i64),
    /// A float by its bits, zero without its sign.
    Float(u64),
    Text(String),
}

type Items = Vec<Node<'static>>;

/// The scalar that identifies `item`: its member `key`, or the item itself if there is no key.
pub(super) fn key_of(item: &Node<'static>, key: &str) -> Result<Key, PatchError> {
    let node = if key.is_empty() {
        item
    } else {
        must_be_map(item)?;
        item.get(key).ok_or_else(|| no_merge_key(item, key))?
    };
    match &node.value {
        Value::Null => Ok(Key::Null),
        Value::Bool(truth) => Ok(Key::Bool(*truth)),
        Value::Int(number) => Ok(Key::Int(*number)),
        Value::Float(number) => Ok(Key::Float((number + 0.0).to_bits())),
        Value::Text(text) => Ok(Key::Text(text.clone().into_owned())),
        Value::List(_) | Value::Map(_) => {
            Err(internal(format!("a {} cannot tell the items of a list apart", node.type_name())))
        }
    }
}

/// Whether the items of all these lists are maps; they must be of one type, and not lists.
pub(super) fn holds_maps(lists: &[&[Node<'static>]]) -> Result<bool, PatchError> {
    let mut items = lists.iter().copied().flatten();
    let Some(first) = items.next() else {
        return Err(internal("no elements in any of the given slices"));
    };
    if matches!(first.value, Value::List(_)) {
        return Err(PatchError::Unprocessable("lists of lists are not supported".into()));
    }
    let sort = core::mem::discriminant(&first.value);
    let is_mixed = items.any(|item| core::mem::discriminant(&item.value) != sort);
    if is_mixed || first.is_null() {
        let formatted: Vec<String> = lists.iter().map(|list| go_text::list(list)).collect();
        let formatted = formatted.join(" ");
        return Err(internal(format!("list element types are not identical: [{formatted}]")));
    }
    Ok(matches!(first.value, Value::Map(_)))
}

/// The index of each key in an order; of duplicates the first.
pub(super) type OrderIndices = BTreeMap<Key, usize>;

/// The indices of a list whose items all must have the key.
pub(super) fn order_indices(
    order: &[Node<'static>],
    key: &str,
) -> Result<OrderIndices, PatchError> {
    let mut indices = BTreeMap::new();
    for (index, item) in order.iter().enumerate() {
        indices.entry(key_of(item, key)?).or_insert(index);
    }
    Ok(indices)
}

/// The indices of a list whose items may lack the key; merging them reports it.
pub(super) fn lenient_order_indices(items: &[Node<'static>], key: &str) -> OrderIndices {
    let mut indices = BTreeMap::new();
    for (index, item) in items.iter().enumerate() {
        if let Ok(item_key) = key_of(item, key) {
            indices.entry(item_key).or_insert(index);
        }
    }
    indices
}

/// Orders a merged list: items in `patch` have its order, the others that of the `server`, and between
/// the two the server's order decides where it can.
pub(super) fn in_order(
    merged: Items,
    patch: &OrderIndices,
    server: &OrderIndices,
    key: &str,
) -> Result<Items, PatchError> {
    let mut keyed = Vec::with_capacity(merged.len());
    for item in merged {
        keyed.push((key_of(&item, key)?, item));
    }
    let (mut patched, mut rest): (Vec<_>, Vec<_>) =
        keyed.into_iter().partition(|(key, _)| patch.contains_key(key));
    patched.sort_by_key(|(key, _)| patch.get(key).copied());
    rest.sort_by_key(|(key, _)| server.get(key).copied().unwrap_or(usize::MAX));
    let mut out = Vec::with_capacity(patched.len() + rest.len());
    let mut rest = rest.into_iter().peekable();
    for (key, item) in patched {
        let server_index = server.get(&key);
        let goes_before = |(other, _): &(Key, Node<'static>)| {
            server
                .get(other)
                .zip(server_index)
                .is_some_and(|(other, server_index)| other < server_index)
        };
        while let Some((_, other)) = rest.next_if(goes_before) {
            out.push(other);
        }
        out.push(item);
    }
    out.extend(rest.map(|(_, item)| item));
    Ok(out)
}

/// Checks that a list of the patch follows its `$setElementOrder`: all its items are in it, in the
/// same relative order. Items that delete are ignored.
pub(super) fn check_order(
    patch: &[Node<'static>],
    order: &[Node<'static>],
    key: &str,
) -> Result<(), PatchError> {
    if patch.is_empty() || order.is_empty() {
        return Ok(());
    }
    if !key.is_empty()
        && let Some(scalar) = patch.iter().find(|item| !matches!(item.value, Value::Map(_)))
    {
        return Err(bad_type(GO_MAP, scalar));
    }
    let mut left = order.iter();
    for item in patch.iter().filter(|item| item.get(PATCH).is_none()) {
        let item_key = key_of(item, key)?;
        loop {
            let Some(next) = left.next() else {
                let (patch, order) = (go_text::list(patch), go_text::list(order));
                return Err(internal(format!(
                    "The order in patch list:\n{patch}\n doesn't match {SET_ORDER} list:\n{order}\n"
                )));
            };
            if key_of(next, key)? == item_key {
                break;
            }
        }
    }
    Ok(())
}
