//! Pruning: an apply removes what its manager applied before, no longer applies, and nobody else owns.

use crate::field_set::FieldSet;
use crate::managed::{Managed, Owner};
use crate::schema::TypeRef;
use crate::typed::{name_fields, remove, to_field_set};
use crate::updater::{Conversion, Updater};
use alloc::collections::BTreeMap;
use alloc::format;
use alloc::string::String;
use ratchet_object::Node;

/// The merged object without what `last` has and no manager owns now.
pub(crate) fn prune<'a>(
    updater: &Updater<'a>,
    merged: Node<'static>,
    ty: TypeRef<'a>,
    managed: &Managed<'_>,
    last: Option<&Owner<'_>>,
) -> Result<Node<'static>, String> {
    let Some(last) = last.filter(|owner| !owner.set.is_empty()) else { return Ok(merged) };
    let version = last.api_version.as_ref();
    // Who still applies all that it applied before has given up nothing.
    let mut same_version = managed.owners.values().filter(|owner| owner.api_version == version);
    if version == updater.api_version && same_version.any(|owner| last.set.is_subset(&owner.set)) {
        return Ok(merged);
    }
    let converted = updater.convert(&merged, version).map_err(|error| {
        format!("failed to prune fields: failed to convert merged object to last applied version: {error}")
    })?;
    // In the version in which the fields were applied.
    let (merged, ty) = match converted {
        Conversion::Missing => return Ok(merged),
        Conversion::Same => (merged, ty),
        Conversion::Done(converted, ty) => (converted, ty),
    };
    let named = name_fields(&last.set, ty);
    let pruned = remove(&merged, &named, ty);
    let pruned = add_back_owned(updater, &merged, pruned, ty, version, managed)
        .map_err(|error| format!("failed to prune fields: failed add back owned items: {error}"))?;
    let pruned = at_version(updater, pruned, version)
        .map_err(|error| format!("failed to prune fields: failed add back dangling items: failed to convert pruned object to last applied version: {error}"))?;
    // What the manager has not owned is not its to remove.
    let gone = {
        let left = name_fields(&to_field_set(&pruned, ty), ty);
        let all = name_fields(&to_field_set(&merged, ty), ty);
        let gone = all.difference(&left).intersection(&named);
        remove(&merged, &gone, ty)
    };
    at_version(updater, gone, updater.api_version)
        .map_err(|error| format!("failed to prune fields: {error}"))
}

/// An object in a version that the kind has.
fn at_version(
    updater: &Updater<'_>,
    object: Node<'static>,
    version: &str,
) -> Result<Node<'static>, String> {
    Ok(match updater.convert(&object, version)? {
        Conversion::Done(converted, _) => converted,
        Conversion::Same | Conversion::Missing => object,
    })
}

/// The pruned object with what others own, and what the manager owns now. Fields of other versions are looked for there.
fn add_back_owned<'a>(
    updater: &Updater<'a>,
    merged: &Node<'static>,
    pruned: Node<'static>,
    ty: TypeRef<'a>,
    version: &str,
    managed: &Managed<'_>,
) -> Result<Node<'static>, String> {
    let mut owned: BTreeMap<&str, FieldSet<'_>> = BTreeMap::new();
    for owner in managed.owners.values() {
        owned.entry(owner.api_version.as_ref()).or_default().unite(owner.set.clone());
    }
    // The version that was pruned comes first: another one may not be able to be without what is added back.
    let mut pruned = match owned.remove(version) {
        Some(set) => add_back(merged, &pruned, ty, &set),
        None => pruned,
    };
    let mut merged = merged.clone();
    for (version, set) in owned {
        let error = |object: &str, error: String| {
            format!("failed to convert {object} object at version {version}: {error}")
        };
        let converted = updater.convert(&merged, version).map_err(|why| error("merged", why))?;
        let Conversion::Done(converted, ty) = converted else { continue };
        merged = converted;
        let converted = updater.convert(&pruned, version).map_err(|why| error("pruned", why))?;
        if let Conversion::Done(converted, _) = converted {
            pruned = add_back(&merged, &converted, ty, &set);
        }
    }
    Ok(pruned)
}

/// The merged object without what is neither in the pruned one nor owned.
fn add_back<'a>(
    merged: &'a Node<'static>,
    pruned: &'a Node<'static>,
    ty: TypeRef<'a>,
    owned: &FieldSet<'a>,
) -> Node<'static> {
    let all = name_fields(&to_field_set(merged, ty), ty);
    let left = name_fields(&to_field_set(pruned, ty), ty);
    let rest = left.union(&name_fields(owned, ty));
    remove(merged, &all.difference(&rest), ty)
}
