//! Lists in strategic merge patch: items are told apart by their merge key, scalars by themselves.

use super::PatchError;
use super::directives::{PATCH, bad_patch_type, internal, no_merge_key};
use super::strategic::{Schema, merge_map};
use super::strategic_order::{Key, Places, in_order, key_of, places_found, sort_of};
use crate::Node;
use alloc::collections::BTreeSet;
use alloc::format;
use alloc::vec::Vec;

/// How the schema wants a list to be merged.
pub(super) struct ListRule {
    /// The member that tells items apart; empty if there is none.
    pub(super) key: &'static str,
    /// Whether the list is merged at all; otherwise it is replaced.
    pub(super) merges: bool,
    /// What its items are.
    pub(super) item: Schema,
}

type Items = Vec<Node<'static>>;

/// A list that was merged.
pub(super) struct Merged {
    /// Its items, in order.
    pub(super) items: Items,
    /// The order that a `$setElementOrder` takes for the server's. It is not quite that: in the
    /// reference, new items slip into the places that deleted ones leave in the original list.
    pub(super) server: Places,
}

/// Merges a list of the patch into the list that is there.
pub(super) fn merge_list(
    original: Items,
    patch: Items,
    rule: &ListRule,
    is_deletion: bool,
) -> Result<Merged, PatchError> {
    if original.is_empty() && patch.is_empty() {
        return Ok(Merged { items: original, server: Places::new() });
    }
    let is_map = sort_of(&[&original, &patch])?;
    if !is_map && is_deletion {
        let gone = patch.iter().map(|item| key_of(item, "")).collect::<Result<BTreeSet<_>, _>>()?;
        let server = places_found(&original, "");
        return Ok(Merged { items: keep(original, |key| !gone.contains(key))?, server });
    }
    if !is_map {
        let (on_server, in_patch) = (places_found(&original, ""), places_found(&patch, ""));
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
    let (on_server, in_patch) = (places_found(&original, rule.key), places_found(&patch, rule.key));
    let merged = merge_items(original, patch, rule, on_server.clone())?;
    let seen = merged.get(..count).unwrap_or(&merged);
    let server = places_found(seen, rule.key);
    Ok(Merged { items: in_order(merged, &in_patch, &on_server, rule.key)?, server })
}

fn keep(items: Items, is_kept: impl Fn(&Key) -> bool) -> Result<Items, PatchError> {
    let mut kept = Vec::new();
    for item in items {
        if is_kept(&key_of(&item, "")?) {
            kept.push(item);
        }
    }
    Ok(kept)
}

fn without_repeats(items: impl Iterator<Item = Node<'static>>) -> Result<Items, PatchError> {
    let mut seen = BTreeSet::new();
    let mut kept = Vec::new();
    for item in items {
        if seen.insert(key_of(&item, "")?) {
            kept.push(item);
        }
    }
    Ok(kept)
}

/// Items that carry a `$patch`: they delete items of the original, or replace it as a whole.
fn apply_special(original: Items, patch: Items, key: &str) -> Result<(Items, Items), PatchError> {
    let mut plain = Vec::new();
    let mut gone = BTreeSet::new();
    let mut replace = false;
    for item in patch {
        let Some(directive) = item.get(PATCH) else {
            plain.push(item);
            continue;
        };
        match directive.text() {
            Some("delete") if item.get(key).is_none() => return Err(no_merge_key(&item, key)),
            Some("delete") => {
                gone.insert(key_of(&item, key)?);
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
    let mut kept = Vec::new();
    for item in original {
        // An item without the key is no match; that it lacks the key is found out later.
        let is_gone =
            !gone.is_empty() && item.get(key).is_some() && gone.contains(&key_of(&item, key)?);
        if !is_gone {
            kept.push(item);
        }
    }
    Ok((kept, plain))
}

/// Each item of the patch goes into the item with the same key, or to the end.
fn merge_items(
    original: Items,
    patch: Items,
    rule: &ListRule,
    mut places: Places,
) -> Result<Items, PatchError> {
    let mut merged = original;
    for item in patch {
        let key = key_of(&item, rule.key)?;
        match places.get(&key).and_then(|place| merged.get_mut(*place)) {
            Some(there) => merge_map(there, item, rule.item)?,
            None => {
                places.insert(key, merged.len());
                merged.push(item);
            }
        }
    }
    Ok(merged)
}
