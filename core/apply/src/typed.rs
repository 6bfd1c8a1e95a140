//! Walks over values and their types: validation, field sets, comparison, merge and removal.

mod compare;
mod items;
mod merge;
mod reconcile;
mod remove;
mod to_field_set;
mod validate;

pub(crate) use compare::{Comparison, compare};
pub(crate) use merge::merge;
pub(crate) use reconcile::{name_fields, reconcile};
pub(crate) use remove::remove;
pub(crate) use to_field_set::to_field_set;
pub(crate) use validate::{Duplicates, validate};

use crate::value::{equal, sorted};
use alloc::vec::Vec;
use core::cmp::Ordering;
use ratchet_object::{Entry, Node};

/// Where in an object a walk is: `metadata.managedFields` of the object itself is never looked at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Level {
    /// At the root, where `metadata` is.
    Object,
    /// In its metadata, where `managedFields` are.
    Metadata,
    /// Anything below.
    Inside,
}

impl Level {
    /// The level of a member; none if it is passed over.
    fn member(self, name: &str) -> Option<Self> {
        match (self, name) {
            (Self::Object, "metadata") => Some(Self::Metadata),
            (Self::Metadata, "managedFields") => None,
            _ => Some(Self::Inside),
        }
    }
}

/// Two values at the same place, of which one may be absent: the old one and the new one, or that of the live object
/// and that of the configuration.
type Sides<'a, 't> = (Option<&'a Node<'t>>, Option<&'a Node<'t>>);

/// The members of two maps side by side, in the order of their names. What is no map has no members.
fn zip_members<'a, 't>(
    (one, other): Sides<'a, 't>,
) -> Vec<(&'a str, Option<&'a Node<'t>>, Option<&'a Node<'t>>)> {
    let members = |node: Option<&'a Node<'t>>| sorted(node.map(Node::entries).unwrap_or_default());
    let (one, other) = (members(one), members(other));
    let (mut one, mut other): (&[&'a Entry<'t>], &[&'a Entry<'t>]) = (&one, &other);
    let mut zipped = Vec::with_capacity(one.len().max(other.len()));
    loop {
        let order = match (one.first(), other.first()) {
            (None, None) => return zipped,
            (Some(_), None) => Ordering::Less,
            (None, Some(_)) => Ordering::Greater,
            (Some(one), Some(other)) => one.key.cmp(&other.key),
        };
        let left = if order.is_le() { one.split_off_first() } else { None };
        let right = if order.is_ge() { other.split_off_first() } else { None };
        let Some(name) = left.or(right).map(|entry| entry.key.as_ref()) else { return zipped };
        zipped.push((name, left.map(|entry| &entry.node), right.map(|entry| &entry.node)));
    }
}

/// Whether a value is a map that is not empty.
fn has_members(node: Option<&Node<'_>>) -> bool {
    node.is_some_and(|node| !node.entries().is_empty())
}

/// Whether a value is a list that is not empty.
fn has_items(node: Option<&Node<'_>>) -> bool {
    node.is_some_and(|node| !node.items().is_empty())
}

/// Whether two objects are equal, apart from `metadata.managedFields`.
pub(crate) fn is_same_object(one: &Node<'_>, other: &Node<'_>) -> bool {
    is_same(Some(one), Some(other), Level::Object)
}

fn is_same(one: Option<&Node<'_>>, other: Option<&Node<'_>>, level: Level) -> bool {
    match (one, other) {
        (Some(one), Some(other)) if level == Level::Inside => equal(one, other),
        (Some(one), Some(other)) => {
            zip_members((Some(one), Some(other))).into_iter().all(|(name, one, other)| match level
                .member(name)
            {
                Some(level) => is_same(one, other, level),
                None => true,
            })
        }
        (one, other) => one.is_none() && other.is_none(),
    }
}
