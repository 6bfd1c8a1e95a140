//! Set operations: union, intersection, difference, and what a filter leaves.

use super::{FieldNode, FieldSet};
use crate::path_element::PathElement;
use crate::reset_fields::Filter;
use alloc::vec::Vec;
use core::cmp::Ordering;

impl<'a> FieldSet<'a> {
    /// The fields that are in either set.
    #[must_use]
    pub fn union(&self, other: &Self) -> Self {
        let mut united = self.clone();
        united.unite(other.clone());
        united
    }

    /// The fields that are in both sets.
    #[must_use]
    pub fn intersection(&self, other: &FieldSet<'_>) -> Self {
        let mut nodes = Vec::new();
        let mut counterparts = Counterparts::new(self, other);
        for node in &self.nodes {
            let Some(other) = counterparts.next(&node.element) else { continue };
            let children = node.children.intersection(&other.children);
            push(&mut nodes, &node.element, node.is_member && other.is_member, children);
        }
        Self { nodes }
    }

    /// Whether all fields of this set are in the other.
    #[must_use]
    pub fn is_subset(&self, other: &FieldSet<'_>) -> bool {
        let mut counterparts = Counterparts::new(self, other);
        self.nodes.iter().all(|node| {
            let other = counterparts.next(&node.element);
            other.is_some_and(|other| {
                (other.is_member || !node.is_member) && node.children.is_subset(&other.children)
            })
        })
    }

    /// The fields of this set that are not in the other. A field is removed without what is below it.
    #[must_use]
    pub fn difference(&self, other: &FieldSet<'_>) -> Self {
        let mut left = self.clone();
        left.subtract(other, Depth::Field);
        left
    }

    /// The fields of this set that are neither in the other nor below one that is.
    #[must_use]
    pub fn recursive_difference(&self, other: &FieldSet<'_>) -> Self {
        let mut left = self.clone();
        left.subtract(other, Depth::Below);
        left
    }

    /// Adds the fields of another set.
    pub(crate) fn unite(&mut self, other: Self) {
        if self.is_empty() {
            *self = other;
            return;
        }
        if other.is_empty() {
            return;
        }
        let (mine, mut theirs) =
            (core::mem::take(&mut self.nodes), other.nodes.into_iter().peekable());
        self.nodes.reserve(mine.len().max(theirs.len()));
        for mut node in mine {
            while let Some(before) = theirs.next_if(|other| other.element < node.element) {
                self.nodes.push(before);
            }
            if let Some(same) = theirs.next_if(|other| other.element == node.element) {
                node.is_member |= same.is_member;
                node.children.unite(same.children);
            }
            self.nodes.push(node);
        }
        self.nodes.extend(theirs);
    }

    /// Removes the fields of another set.
    pub(crate) fn subtract(&mut self, other: &FieldSet<'_>, depth: Depth) {
        if other.is_empty() {
            return;
        }
        if self.nodes.len() > other.nodes.len().saturating_mul(MUCH_LARGER) {
            for other in &other.nodes {
                if let Ok(at) = self.position(&other.element)
                    && let Some(node) = self.nodes.get_mut(at)
                {
                    node.lose(other, depth);
                }
            }
        } else {
            let mut counterparts = Counterparts::new(self, other);
            for node in &mut self.nodes {
                if let Some(other) = counterparts.next(&node.element) {
                    node.lose(other, depth);
                }
            }
        }
        self.nodes.retain(|node| node.is_member || !node.children.is_empty());
    }

    /// What a filter leaves of this set.
    #[must_use]
    pub(crate) fn filtered(mut self, filter: Filter<'_>) -> Self {
        match filter {
            Filter::Exclude(paths) => {
                self.subtract(&FieldSet::of_paths(paths), Depth::Below);
                self
            }
            Filter::Include(patterns) => self.matching(patterns.to_vec()),
        }
    }

    /// What is at or below these patterns, each of which has at least one element.
    fn matching(&self, patterns: Vec<&str>) -> Self {
        let mut nodes = Vec::new();
        for node in &self.nodes {
            let split = |pattern| str::split_once(pattern, '.').unwrap_or((pattern, ""));
            let matching = patterns.iter().map(|pattern| split(*pattern));
            let below: Vec<&str> = matching
                .filter(|(first, _)| matches(first, &node.element))
                .map(|(_, rest)| rest)
                .collect();
            if below.contains(&"") {
                nodes.push(node.clone());
            } else if !below.is_empty() {
                let children = node.children.matching(below);
                push(&mut nodes, &node.element, node.is_member, children);
            }
        }
        Self { nodes }
    }
}

/// What goes with a field.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Depth {
    /// Nothing.
    Field,
    /// All that is below it.
    Below,
}

impl FieldNode<'_> {
    fn lose(&mut self, other: &FieldNode<'_>, depth: Depth) {
        if other.is_member && depth == Depth::Below {
            self.children = FieldSet::EMPTY;
        }
        self.is_member &= !other.is_member;
        self.children.subtract(&other.children, depth);
    }
}

/// From how many times as many elements on it is quicker to look each one up.
const MUCH_LARGER: usize = 16;

/// The counterparts of a set's elements in another set, asked for in order.
///
/// Each is searched for where the other set is much larger: a thousand small sets may meet one large change.
struct Counterparts<'s, 'b> {
    other: &'s FieldSet<'b>,
    rest: &'s [FieldNode<'b>],
    is_search: bool,
}

impl<'s, 'b> Counterparts<'s, 'b> {
    fn new(one: &FieldSet<'_>, other: &'s FieldSet<'b>) -> Self {
        let is_search = other.nodes.len() > one.nodes.len().saturating_mul(MUCH_LARGER);
        Self { other, rest: &other.nodes, is_search }
    }

    fn next(&mut self, element: &PathElement<'_>) -> Option<&'s FieldNode<'b>> {
        if self.is_search {
            return self.other.node(element);
        }
        while let [first, rest @ ..] = self.rest {
            match first.element.cmp(element) {
                Ordering::Less => self.rest = rest,
                Ordering::Equal => return Some(first),
                Ordering::Greater => return None,
            }
        }
        None
    }
}

/// Any element, in a pattern.
const ANY: &str = "*";

fn matches(pattern: &str, element: &PathElement<'_>) -> bool {
    pattern == ANY || matches!(element, PathElement::Field(name) if *name == pattern)
}

fn push<'a>(
    nodes: &mut Vec<FieldNode<'a>>,
    element: &PathElement<'a>,
    is_member: bool,
    children: FieldSet<'a>,
) {
    if is_member || !children.is_empty() {
        nodes.push(FieldNode { element: element.clone(), is_member, children });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ratchet_object::{Limits, Node, decode};

    fn tree(text: &str) -> Node<'_> {
        decode(text, Limits::DEFAULT).unwrap().documents.remove(0)
    }

    /// Applies an operation to two sets, and writes the result.
    fn with(
        one: &str,
        other: &str,
        operation: impl Fn(&FieldSet<'_>, &FieldSet<'_>) -> alloc::string::String,
    ) -> alloc::string::String {
        let (one, other) = (tree(one), tree(other));
        operation(&FieldSet::decode(&one).unwrap(), &FieldSet::decode(&other).unwrap())
    }

    const ONE: &str = "{f:a: {}, f:b: {.: {}, f:x: {}, f:y: {}}, f:c: {f:z: {}}}";
    const OTHER: &str = "{f:a: {f:q: {}}, f:b: {f:x: {}}, f:c: {}, f:d: {}}";

    #[test]
    fn operations() {
        assert_eq!(
            with(ONE, OTHER, |one, other| one.union(other).encode().to_json()),
            r#"{"f:a":{".":{},"f:q":{}},"f:b":{".":{},"f:x":{},"f:y":{}},"f:c":{".":{},"f:z":{}},"f:d":{}}"#
        );
        assert_eq!(
            with(ONE, OTHER, |one, other| one.intersection(other).encode().to_json()),
            r#"{"f:b":{"f:x":{}}}"#
        );
        assert_eq!(
            with(ONE, OTHER, |one, other| one.difference(other).encode().to_json()),
            r#"{"f:a":{},"f:b":{".":{},"f:y":{}},"f:c":{"f:z":{}}}"#
        );
        assert_eq!(
            with(ONE, OTHER, |one, other| one.recursive_difference(other).encode().to_json()),
            r#"{"f:a":{},"f:b":{".":{},"f:y":{}}}"#
        );
    }

    #[test]
    fn filters() {
        let set = "{f:spec: {.: {}, f:containers: {'k:{\"name\":\"c\"}': {.: {}, f:image: {}, f:resources: {f:limits: {}}}}}, f:status: {}}";
        let filtered =
            |filter| with(set, "{}", |set, _| set.clone().filtered(filter).encode().to_json());
        assert_eq!(filtered(Filter::Exclude(&[&["spec"], &["other"]])), r#"{"f:status":{}}"#);
        assert_eq!(
            filtered(Filter::Include(&["spec.containers.*.resources"])),
            r#"{"f:spec":{".":{},"f:containers":{"k:{\"name\":\"c\"}":{".":{},"f:resources":{"f:limits":{}}}}}}"#
        );
    }
}
