//! Field sets: which fields of an object a manager owns.

mod json;
mod operations;

pub(crate) use operations::Depth;

use crate::path_element::PathElement;
use alloc::vec::Vec;
use core::fmt;

/// A set of fields: a tree of path elements, each of which may itself be in the set.
///
/// Elements borrow their names from the trees they were found in, so that a set of a thousand fields holds no text.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FieldSet<'a> {
    /// Sorted by element. Each is in the set, or has something below it that is.
    nodes: Vec<FieldNode<'a>>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
struct FieldNode<'a> {
    element: PathElement<'a>,
    /// Whether the field itself is in the set.
    is_member: bool,
    /// The fields below it.
    children: FieldSet<'a>,
}

impl<'a> FieldSet<'a> {
    /// A set without fields.
    pub const EMPTY: Self = Self { nodes: Vec::new() };

    /// The set of the fields at these paths of field names.
    pub(crate) fn of_paths(paths: &[&'a [&'a str]]) -> Self {
        let mut set = Self::EMPTY;
        for path in paths {
            set.insert_names(path);
        }
        set
    }

    /// Adds the field at a path of field names.
    pub(crate) fn insert_names(&mut self, path: &[&'a str]) {
        let [name, below @ ..] = path else { return };
        let element = PathElement::Field(name);
        let at = match self.position(&element) {
            Ok(at) => at,
            Err(at) => {
                let node = FieldNode { element, is_member: false, children: Self::EMPTY };
                self.nodes.insert(at, node);
                at
            }
        };
        let Some(node) = self.nodes.get_mut(at) else { return };
        match below {
            [] => node.is_member = true,
            below => node.children.insert_names(below),
        }
    }

    /// Removes the field at a path of field names, not what is below it.
    pub(crate) fn remove_names(&mut self, path: &[&str]) {
        let [name, below @ ..] = path else { return };
        let Ok(at) = self.position(&PathElement::Field(name)) else { return };
        let Some(node) = self.nodes.get_mut(at) else { return };
        match below {
            [] => node.is_member = false,
            below => node.children.remove_names(below),
        }
        if !node.is_member && node.children.is_empty() {
            self.nodes.remove(at);
        }
    }

    /// Whether there are no fields.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.nodes.is_empty()
    }

    /// The number of fields.
    #[must_use]
    pub fn len(&self) -> usize {
        self.nodes.iter().map(|node| usize::from(node.is_member) + node.children.len()).sum()
    }

    /// Whether the field at a path is in the set; nobody owns the whole object.
    #[must_use]
    pub fn has(&self, path: &[PathElement<'_>]) -> bool {
        match path {
            [] => false,
            [last] => self.node(last).is_some_and(|node| node.is_member),
            [first, below @ ..] => self.node(first).is_some_and(|node| node.children.has(below)),
        }
    }

    /// Whether the field at a path of field names is in the set.
    #[must_use]
    pub fn has_names(&self, path: &[&str]) -> bool {
        let path: Vec<PathElement<'_>> = path.iter().map(|name| PathElement::Field(name)).collect();
        self.has(&path)
    }

    /// Whether the element itself is in the set, and the fields below it.
    pub(crate) fn below(&self, element: &PathElement<'_>) -> (bool, &Self) {
        static EMPTY: FieldSet<'static> = FieldSet::EMPTY;
        self.node(element).map_or((false, &EMPTY), |node| (node.is_member, &node.children))
    }

    /// The elements in order, each with whether it is in the set itself, and the fields below it.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (&PathElement<'a>, bool, &Self)> {
        self.nodes.iter().map(|node| (&node.element, node.is_member, &node.children))
    }

    /// The same, to be changed; an element must stay in the set, or keep something below it that is.
    pub(crate) fn iter_mut(
        &mut self,
    ) -> impl Iterator<Item = (&PathElement<'a>, &mut bool, &mut Self)> {
        self.nodes.iter_mut().map(|node| (&node.element, &mut node.is_member, &mut node.children))
    }

    /// Calls `visit` with the path of every field: those of an object first, then what is below them.
    pub fn for_each(&self, visit: &mut dyn FnMut(&FieldPath<'_>)) {
        self.walk(&mut Vec::new(), visit);
    }

    fn walk<'s>(
        &'s self,
        path: &mut Vec<&'s PathElement<'a>>,
        visit: &mut dyn FnMut(&FieldPath<'_>),
    ) {
        for node in self.nodes.iter().filter(|node| node.is_member) {
            path.push(&node.element);
            visit(&FieldPath(path));
            path.pop();
        }
        for node in &self.nodes {
            path.push(&node.element);
            node.children.walk(path, visit);
            path.pop();
        }
    }

    fn node(&self, element: &PathElement<'_>) -> Option<&FieldNode<'a>> {
        self.nodes.get(self.position(element).ok()?)
    }

    fn position(&self, element: &PathElement<'_>) -> Result<usize, usize> {
        self.nodes.binary_search_by(|node| node.element.cmp(element))
    }
}

/// The path of a field, displayed as in messages: `.spec.ports[port=80,protocol="TCP"]`.
#[derive(Clone, Copy, Debug)]
pub struct FieldPath<'p>(&'p [&'p PathElement<'p>]);

impl<'p> FieldPath<'p> {
    /// The elements from the root.
    pub fn elements(&self) -> &'p [&'p PathElement<'p>] {
        self.0
    }
}

impl fmt::Display for FieldPath<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|element| element.fmt(f))
    }
}

/// Collects the elements of one level in any order.
#[derive(Debug, Default)]
pub(crate) struct SetBuilder<'a> {
    nodes: Vec<FieldNode<'a>>,
}

impl<'a> SetBuilder<'a> {
    /// A builder with room for so many elements.
    pub(crate) fn with_capacity(elements: usize) -> Self {
        Self { nodes: Vec::with_capacity(elements) }
    }

    /// Adds an element, unless neither it nor anything below it is in the set.
    pub(crate) fn push(
        &mut self,
        element: PathElement<'a>,
        is_member: bool,
        children: FieldSet<'a>,
    ) {
        if is_member || !children.is_empty() {
            self.nodes.push(FieldNode { element, is_member, children });
        }
    }

    /// The set of all that was added; an element that was added twice has the fields of both.
    pub(crate) fn build(self) -> FieldSet<'a> {
        let mut nodes = self.nodes;
        if nodes.is_sorted_by(|a, b| a.element < b.element) {
            return FieldSet { nodes };
        }
        nodes.sort_by(|a, b| a.element.cmp(&b.element));
        let mut unique: Vec<FieldNode<'a>> = Vec::with_capacity(nodes.len());
        for node in nodes {
            match unique.last_mut() {
                Some(last) if last.element == node.element => {
                    last.is_member |= node.is_member;
                    last.children.unite(node.children);
                }
                _ => unique.push(node),
            }
        }
        FieldSet { nodes: unique }
    }
}
