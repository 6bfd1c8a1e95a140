//! `TypedList` and `TypedMap`: lists and maps of a tree, together with their declared types.

use super::{DeclType, Fields, Topology};
use ratchet_object::{Entry, Node};

/// The items of a list in a tree, with their declared type.
#[derive(Clone, Copy, Debug)]
pub struct TypedList<'t> {
    pub(crate) nodes: &'t [Node<'t>],
    pub(crate) items: &'t DeclType,
    pub(crate) topology: &'t Topology,
}

/// The members of an object or map in a tree, with their declared types.
#[derive(Clone, Copy, Debug)]
pub struct TypedMap<'t> {
    pub(crate) entries: &'t [Entry<'t>],
    pub(crate) members: Members<'t>,
}

/// The types of members.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Members<'t> {
    /// Those of an object.
    Fields(&'t Fields),
    /// One for all values of a map.
    Values(&'t DeclType),
}
