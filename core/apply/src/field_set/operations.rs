//! Set operations: union, intersection, difference, and what a filter leaves.

use super::{FieldNode, FieldSet};
use crate::path_element::PathElement;
use crate::reset_fields::Filter;
use alloc::vec::Vec;
use core::cmp::Ordering;

/// Two sorted lists of elements side by side.
struct Pairs<'s, 'a, 'b> {
    one: &'s [FieldNode<'a>],
    other: &'s [FieldNode<'b>],
}

impl<'s, 'a, 'b> Iterator for Pairs<'s, 'a, 'b> {
    type Item = (Option<&'s FieldNode<'a>>, Option<&'s FieldNode<'b>>);

    fn next(&mut self) -> Option<Self::Item> {
        let order = match (self.one.first(), self.other.first()) {
            (None, None) => return None,
            (Some(_), None) => Ordering::Less,
            (None, Some(_)) => Ordering::Greater,
            (Some(one), Some(other)) => one.element.cmp(&other.element),
        };
        let one = if order.is_le() { self.one.split_off_first() } else { None };
        let other = if order.is_ge() { self.other.split_off_first() } else { None };
        Some((one, other))
    }
}

fn pairs<'s, 'a, 'b>(one: &'s FieldSet<'a>, other: &'s FieldSet<'b>) -> Pairs<'s, 'a, 'b> {
    Pairs { one: &one.nodes, other: &other.nodes }
}

/// From how many times as many elements on it is quicker to look each one up.
const MUCH_LARGER: usize = 16;

/// The elements of one set, each with its counterpart in another.
///
/// A search for each where the other is much larger: a thousand small sets are compared with one large change.
fn with_counterparts<'s, 'a, 'b>(
    one: &'s FieldSet<'a>,
    other: &'s FieldSet<'b>,
) -> impl Iterator<Item = (&'s FieldNode<'a>, Option<&'s FieldNode<'b>>)> {
    let is_search = other.nodes.len() > one.nodes.len().saturating_mul(MUCH_LARGER);
    let searched = if is_search { one.nodes.as_slice() } else { &[] };
    let merged = if is_search { None } else { Some(pairs(one, other)) };
    let searched = searched.iter().map(|node| (node, other.node(&node.element)));
    let merged = merged.into_iter().flatten().filter_map(|(one, other)| Some((one?, other)));
    searched.chain(merged)
}

impl<'a> FieldSet<'a> {
    /// The fields that are in either set.
    #[must_use]
    pub fn union(&self, other: &Self) -> Self {
        if other.is_empty() {
            return self.clone();
        }
        let mut nodes = Vec::with_capacity(self.nodes.len().max(other.nodes.len()));
        for pair in pairs(self, other) {
            match pair {
                (Some(one), Some(other)) => nodes.push(FieldNode {
                    element: one.element.clone(),
                    is_member: one.is_member || other.is_member,
                    children: one.children.union(&other.children),
                }),
                (one, other) => nodes.extend(one.or(other).cloned()),
            }
        }
        Self { nodes }
    }

    /// The fields that are in both sets.
    #[must_use]
    pub fn intersection(&self, other: &FieldSet<'_>) -> Self {
        let mut nodes = Vec::new();
        for (one, other) in with_counterparts(self, other) {
            let Some(other) = other else { continue };
            let children = one.children.intersection(&other.children);
            push(&mut nodes, &one.element, one.is_member && other.is_member, children);
        }
        Self { nodes }
    }

    /// The fields of this set that are not in the other. A field is removed without what is below it.
    #[must_use]
    pub fn difference(&self, other: &FieldSet<'_>) -> Self {
        self.without(other, false)
    }

    /// The fields of this set that are neither in the other nor below one that is.
    #[must_use]
    pub fn recursive_difference(&self, other: &FieldSet<'_>) -> Self {
        self.without(other, true)
    }

    fn without(&self, other: &FieldSet<'_>, with_children: bool) -> Self {
        if other.is_empty() {
            return self.clone();
        }
        let mut nodes = Vec::new();
        for (one, other) in with_counterparts(self, other) {
            match other {
                None => nodes.push(one.clone()),
                Some(other) if with_children && other.is_member => {}
                Some(other) => {
                    let children = one.children.without(&other.children, with_children);
                    push(&mut nodes, &one.element, one.is_member && !other.is_member, children);
                }
            }
        }
        Self { nodes }
    }

    /// What a filter leaves of this set.
    #[must_use]
    pub(crate) fn filtered(&self, filter: Filter<'_>) -> Self {
        match filter {
            Filter::Exclude(paths) => self.recursive_difference(&FieldSet::of_paths(paths)),
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
        let filtered = |filter| with(set, "{}", |set, _| set.filtered(filter).encode().to_json());
        assert_eq!(filtered(Filter::Exclude(&[&["spec"], &["other"]])), r#"{"f:status":{}}"#);
        assert_eq!(
            filtered(Filter::Include(&["spec.containers.*.resources"])),
            r#"{"f:spec":{".":{},"f:containers":{"k:{\"name\":\"c\"}":{".":{},"f:resources":{"f:limits":{}}}}}}"#
        );
    }
}
