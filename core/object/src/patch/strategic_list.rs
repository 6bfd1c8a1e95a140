//! Lists in strategic merge patch: objects are matched by their merge key, scalars by value.

use super::PatchError;
use super::directives::{PATCH, bad_patch_type, internal, no_merge_key};
use super::strategic::{Schema, merge_map};
use super::strategic_order::{
    Key, OrderIndices, holds_maps, in_order, key_of, lenient_order_indices,
};
use crate::Node;
use alloc::collections::BTreeSet;
use alloc::format;
use alloc::vec::Vec;

/// How the schema merges a list.
pub(super) struct ListRule {
    /// The member that identifies items; empty if there is none.
    pub(super) key: &'static str,
    /// Whether the list is merged; otherwise it is replaced.
    pub(super) merges: bool,
    /// The schema of its items.
    pub(super) item: Schema,
}

type Items = Vec<Node<'static>>;

pub(super) struct Merged {
    /// The merged items, in order.
    pub(super) items: Items,
    /// The order that a `$setElementOrder` takes for the server's. It is not quite that: in the
    /// reference, new items take the indices that deleted ones leave in the original list.
    pub(super) server: OrderIndices,
}

/// Merges a list of the patch into the current list.
pub(super) fn merge_list(
    original: Items,
    patch: Items,
    rule: &ListRule,
    is_deletion: bool,
) -> Result<Merged, PatchError> {
    if original.is_empty() && patch.is_empty() {
        return Ok(Merged { items: original, server: OrderIndices::new() });
    }
    let is_map = holds_maps(&[&original, &patch])?;
    if !is_map && is_deletion {
        let deleted =
            patch.iter().map(|item| key_of(item, "")).collect::<Result<BTreeSet<_>, _>>()?;
        let server = lenient_order_indices(&original, "");
        return Ok(Merged { items: retain_items(original, |key| !deleted.contains(key))?, server });
    }
    if !is_map {
        let (on_server, in_patch) =
            (lenient_order_indices(&original, ""), lenient_order_indices(&patch, ""));
        let merged = without_repeats(original.into_iter().chain(patch))?;
        let items = in_order(merged, &in_patch, &on_server, rule.key)?;
        return Ok(Merged { items, server: on_server });
    }
    if rule.key.is_empty() {
        let sort = rule.item.sort();
        return Err(internal(format!("cannot merge lists without merge key for {sort}")));
    }
    let count = original.len();
    let (original, patch) = apply_special(original, patch, rule.key)?;
    let (on_server, in_patch) =
        (lenient_order_indices(&original, rule.key), lenient_order_indices(&patch, rule.key));
    let merged = merge_items(original, patch, rule, on_server.clone())?;
    let considered = merged.get(..count).unwrap_or(&merged);
    let server = lenient_order_indices(considered, rule.key);
    Ok(Merged { items: in_order(merged, &in_patch, &on_server, rule.key)?, server })
}

fn retain_items(items: Items, keeps: impl Fn(&Key) -> bool) -> Result<Items, PatchError> {
    let mut retained = Vec::new();
    for item in items {
        if keeps(&key_of(&item, "")?) {
            retained.push(item);
        }
    }
    Ok(retained)
}

fn without_repeats(items: impl Iterator<Item = Node<'static>>) -> Result<Items, PatchError> {
    let mut seen = BTreeSet::new();
    let mut retained = Vec::new();
    for item in items {
        if seen.insert(key_of(&item, "")?) {
            retained.push(item);
        }
    }
    Ok(retained)
}

/// Applies items with a `$patch`: they delete items of the original, or replace it as a whole.
fn apply_special(original: Items, patch: Items, key: &str) -> Result<(Items, Items), PatchError> {
    let mut plain = Vec::new();
    let mut deleted = BTreeSet::new();
    let mut replace = false;
    for item in patch {
        let Some(directive) = item.get(PATCH) else {
            plain.push(item);
            continue;
        };
        match directive.text() {
            Some("delete") if item.get(key).is_none() => return Err(no_merge_key(&item, key)),
            Some("delete") => {
                deleted.insert(key_of(&item, key)?);
            }
            Some("replace") => replace = true,
            Some("merge") => {
                return Err(internal("merging lists cannot yet be specified in the patch"));
            }
            _ => return Err(bad_patch_type(directive, &item)),
        }
    }
    if replace {
        return Ok((plain, Vec::new()));
    }
    let mut retained = Vec::new();
    for item in original {
        // An item without the key does not match; that it lacks the key is reported later.
        let is_deleted = !deleted.is_empty()
            && item.get(key).is_some()
            && deleted.contains(&key_of(&item, key)?);
        if !is_deleted {
            retained.push(item);
        }
    }
    Ok((retained, plain))
}

/// Merges each item of the patch into the item with the same key, or appends it.
fn merge_items(
    original: Items,
    patch: Items,
    rule: &ListRule,
    mut indices: OrderIndices,
) -> Result<Items, PatchError> {
    let mut merged = original;
    for item in patch {
        let key = key_of(&item, rule.key)?;
        match indices.get(&key).and_then(|index| merged.get_mut(*index)) {
            Some(current) => merge_map(current, item, rule.item)?,
            None => {
                indices.insert(key, merged.len());
                merged.push(item);
            }
        }
    }
    Ok(merged)
}
