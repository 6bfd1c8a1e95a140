//! Strategic merge patch: maps are merged by the kind's schema and by directives in the patch.

use super::PatchError;
use super::directives::{
    DELETE_FROM, PATCH, RETAIN_KEYS, SET_ORDER, bad_deletion, bad_order, bad_patch_type,
    bad_retain_keys, bad_type, discard_nulls, internal, into_items, list_named, remove_directives,
};
use super::members::Members;
use super::merge_keys::{MergeRule, merge_rule};
use super::size::bounded;
use super::strategic_list::{ListRule, merge_list};
use super::strategic_order::{
    check_order, holds_maps, in_order, lenient_order_indices, order_indices,
};
use crate::schema::{Shape, TypeRow, type_of};
use crate::{Entry, Node, Value};
use alloc::collections::BTreeSet;
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

/// Applies a strategic merge patch to an object of the kind whose type is `kind_type`.
///
/// Errors that the API server reports as its own failure (a list item without its merge key, an unknown
/// `$patch`) are [`PatchError::Internal`], and reach clients as a 500 there, too.
pub fn strategic_merge(
    original: Node<'static>,
    patch: &Node<'_>,
    kind_type: &'static TypeRow,
) -> Result<Node<'static>, PatchError> {
    let mut patched = original;
    match patch.value {
        Value::Null => {}
        Value::Map(_) => {
            merge_map(&mut patched, patch.clone().into_owned(), Schema::Struct(kind_type))?;
        }
        _ => {
            return Err(PatchError::BadRequest(format!(
                "json: cannot unmarshal {} into Go value of type map[string]interface {{}}",
                patch.type_name()
            )));
        }
    }
    bounded(patched)
}

/// The schema of a map's members.
#[derive(Clone, Copy, Debug)]
pub(super) enum Schema {
    /// An object of this type.
    Struct(&'static TypeRow),
    /// Another type, with its name in Go.
    Other(&'static str),
}

/// The type of values that are JSON of any type; it has no fields.
static ANY: TypeRow = TypeRow { name: "RawExtension", id: "", fields: &[] };

struct Field {
    shape: &'static Shape,
    rule: Option<&'static MergeRule>,
}

impl Schema {
    pub(super) fn of(shape: &'static Shape) -> Self {
        match shape {
            Shape::Object(type_index) => Self::Struct(type_of(*type_index)),
            Shape::Any | Shape::OneOf(_) => Self::Struct(&ANY),
            Shape::Map(_) => Self::Other("map"),
            Shape::List(_) | Shape::Bytes => Self::Other("slice"),
            Shape::String => Self::Other("string"),
            Shape::Int32 => Self::Other("int32"),
            Shape::Int64 => Self::Other("int64"),
            Shape::Float => Self::Other("float64"),
            Shape::Bool => Self::Other("bool"),
            Shape::Time | Shape::MicroTime | Shape::Quantity | Shape::IntOrString => {
                Self::Other("struct")
            }
        }
    }

    /// Go's `reflect.Kind` of the type.
    pub(super) fn sort(self) -> &'static str {
        match self {
            Self::Struct(_) => "struct",
            Self::Other(sort) => sort,
        }
    }

    /// A field, by its exact name or, failing that, by its name in any case.
    fn field(self, name: &str) -> Result<Field, PatchError> {
        let row = match self {
            Self::Struct(row) => row,
            Self::Other(sort) => {
                return Err(internal(format!(
                    "merging an object in json but data type is not struct, instead is: {sort}"
                )));
            }
        };
        let found = row
            .field(name)
            .or_else(|| row.fields.iter().find(|field| field.name.eq_ignore_ascii_case(name)));
        let Some(field) = found else {
            return Err(internal(format!(
                "unable to find api field in struct {} for the json field {name:?}",
                row.name
            )));
        };
        Ok(Field { shape: &field.shape, rule: merge_rule(row.id, field.name) })
    }

    fn list(self, name: &str) -> Result<ListRule, PatchError> {
        let field = self.field(name)?;
        let item = match field.shape {
            Shape::List(Shape::List(_)) => return Err(internal("unexpected slice of slice")),
            Shape::List(item) => Self::of(item),
            _ => {
                let sort = self.sort();
                return Err(internal(format!("expected slice or array type, but got: {sort}")));
            }
        };
        let merges = field.rule.is_some_and(MergeRule::merges);
        Ok(ListRule { key: field.rule.map_or("", |rule| rule.key), merges, item })
    }
}

/// Merges the members of `patch` into the map `target`.
pub(super) fn merge_map(
    target: &mut Node<'static>,
    mut patch: Node<'static>,
    schema: Schema,
) -> Result<(), PatchError> {
    if let Some(directive) = patch.get(PATCH) {
        match directive.text() {
            Some("replace") => {
                patch.remove(PATCH);
                *target = patch;
            }
            Some("delete") => *target = Node::empty_map(),
            _ => return Err(bad_patch_type(directive, &patch)),
        }
        return Ok(());
    }
    let mut members = Members::of(target);
    let mut patch = Members::of(&mut patch);
    retain_keys(&mut members, &mut patch)?;
    merge_ordered(&mut members, &mut patch, schema)?;
    for entry in patch.into_entries() {
        merge_member(&mut members, entry, schema)?;
    }
    members.into_map(target);
    Ok(())
}

/// `$retainKeys`: members of the original that it does not name are removed.
fn retain_keys(members: &mut Members, patch: &mut Members) -> Result<(), PatchError> {
    let Some(keys) = patch.remove(RETAIN_KEYS) else { return Ok(()) };
    let Value::List(keys) = &keys.value else { return Err(bad_retain_keys()) };
    let retained: BTreeSet<&str> = keys.iter().filter_map(Node::text).collect();
    let is_retained = |entry: &Entry<'_>| {
        entry.node.is_null()
            || entry.key.starts_with(DELETE_FROM)
            || entry.key.starts_with(SET_ORDER)
            || retained.contains(&*entry.key)
    };
    if !patch.iter().all(is_retained) {
        return Err(bad_retain_keys());
    }
    members.retain(|name| retained.contains(name));
    Ok(())
}

/// Merges the lists that come with a `$setElementOrder`, and removes them from the patch.
fn merge_ordered(
    members: &mut Members,
    patch: &mut Members,
    schema: Schema,
) -> Result<(), PatchError> {
    let directives: Vec<String> = patch
        .iter()
        .filter(|entry| entry.key.starts_with(SET_ORDER))
        .map(|entry| entry.key.clone().into_owned())
        .collect();
    for directive in directives {
        let Some(order) = patch.remove(&directive) else { continue };
        let order = into_items(order)?;
        let name = list_named(&directive, SET_ORDER).flatten().ok_or_else(bad_order)?;
        let original = list_of(members, name)?;
        let changes = list_of(patch, name)?;
        let rule = schema.list(name)?;
        check_order(changes.as_deref().unwrap_or_default(), &order, rule.key)?;
        if original.is_none() && changes.is_none() {
            continue;
        }
        let on_server = original.as_deref().unwrap_or_default();
        holds_maps(&[on_server, changes.as_deref().unwrap_or_default()])?;
        let mut on_server = lenient_order_indices(on_server, rule.key);
        let merged = match (original, changes) {
            (Some(original), Some(changes)) if rule.merges => {
                let merged = merge_list(original, changes, &rule, false)?;
                on_server = merged.server;
                merged.items
            }
            (Some(_), Some(changes)) => changes,
            (None, Some(mut changes)) => {
                changes.retain_mut(remove_directives);
                changes
            }
            (original, None) => original.unwrap_or_default(),
        };
        let ordered = in_order(merged, &order_indices(&order, rule.key)?, &on_server, rule.key)?;
        members.set(String::from(name).into(), Node::list(ordered));
        patch.remove(name);
    }
    Ok(())
}

fn list_of(members: &Members, name: &str) -> Result<Option<Vec<Node<'static>>>, PatchError> {
    members.get(name).cloned().map(into_items).transpose()
}

/// Merges one member of the patch that is not a directive, except for deletions.
fn merge_member(
    members: &mut Members,
    entry: Entry<'static>,
    schema: Schema,
) -> Result<(), PatchError> {
    let deletion = list_named(&entry.key, DELETE_FROM);
    let name = match deletion {
        None | Some(Some("")) => &*entry.key,
        Some(Some(name)) => name,
        Some(None) => return Err(bad_deletion()),
    };
    let mut change = entry.node;
    if change.is_null() {
        members.remove(name);
        return Ok(());
    }
    let current = members.get_mut(name);
    match (current, &change.value) {
        (Some(current), Value::Map(_)) if matches!(current.value, Value::Map(_)) => {
            let field = schema.field(name)?;
            if field.rule.is_some_and(MergeRule::replaces) {
                *current = change;
                return Ok(());
            }
            merge_map(current, change, Schema::of(field.shape))
        }
        (Some(current), Value::List(_)) if matches!(current.value, Value::List(_)) => {
            let rule = schema.list(name)?;
            if !rule.merges && deletion.is_none() {
                *current = change;
                return Ok(());
            }
            let original = into_items(core::mem::replace(current, Node::list(Vec::new())))?;
            let merged = merge_list(original, into_items(change)?, &rule, deletion.is_some())?;
            *current = Node::list(merged.items);
            Ok(())
        }
        (current, value) => {
            // A deletion from an absent list changes nothing; between scalars of one type it replaces, as it happens to
            // do in the reference.
            let same_scalar = current.is_some_and(|current| is_same_sort(&current.value, value));
            if deletion.is_some() && !same_scalar {
                return Ok(());
            }
            discard_nulls(&mut change);
            let name = String::from(name);
            if remove_directives(&mut change) {
                members.set(name.into(), change);
            } else {
                members.remove(&name);
            }
            Ok(())
        }
    }
}

fn is_same_sort(one: &Value<'_>, other: &Value<'_>) -> bool {
    core::mem::discriminant(one) == core::mem::discriminant(other)
}

/// The items of a list must be maps where it has a merge key.
pub(super) fn must_be_map(item: &Node<'static>) -> Result<(), PatchError> {
    match item.value {
        Value::Map(_) => Ok(()),
        _ => Err(bad_type(super::directives::GO_MAP, item)),
    }
}
