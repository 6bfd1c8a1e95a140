//! Comparison of two values of a type: which fields were added, modified and removed.

use super::{Level, Sides, has_items, has_members, items, zip_members};
use crate::field_set::{FieldSet, SetBuilder};
use crate::path_element::PathElement;
use crate::reset_fields::Filter;
use crate::schema::{Atom, ListType, MapType, One, TypeRef};
use crate::value;
use alloc::vec::Vec;
use core::cmp::Ordering;
use ratchet_object::{Node, Value};

/// What differs between two values.
#[derive(Clone, Debug, Default)]
pub(crate) struct Comparison<'a> {
    pub(crate) removed: FieldSet<'a>,
    pub(crate) modified: FieldSet<'a>,
    pub(crate) added: FieldSet<'a>,
}

impl Comparison<'_> {
    /// What a filter leaves.
    pub(crate) fn filtered(self, filter: Option<Filter<'_>>) -> Self {
        let Some(filter) = filter else { return self };
        Self {
            removed: self.removed.filtered(filter),
            modified: self.modified.filtered(filter),
            added: self.added.filtered(filter),
        }
    }
}

/// Compares two objects of a type.
pub(crate) fn compare<'a>(
    one: &'a Node<'a>,
    other: &'a Node<'a>,
    ty: TypeRef<'a>,
) -> Comparison<'a> {
    values((Some(one), Some(other)), ty, Level::Object).below
}

/// What happened to a value itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Fate {
    Unchanged,
    Removed,
    Modified,
    Added,
}

/// What happened to a value, and below it.
struct Delta<'a> {
    fate: Fate,
    below: Comparison<'a>,
}

impl Delta<'_> {
    fn leaf(sides: Sides<'_, '_>) -> Self {
        let fate = match sides {
            (None, _) => Fate::Added,
            (_, None) => Fate::Removed,
            (Some(one), Some(other)) if value::equal(one, other) => Fate::Unchanged,
            _ => Fate::Modified,
        };
        Self { fate, below: Comparison::default() }
    }
}

fn values<'a>(sides: Sides<'a, 'a>, ty: TypeRef<'a>, level: Level) -> Delta<'a> {
    match sides {
        (None, Some(other)) => {
            let below = Comparison { added: fields(other, ty, level), ..Comparison::default() };
            return Delta { fate: Fate::Added, below };
        }
        (Some(one), None) => {
            let below = Comparison { removed: fields(one, ty, level), ..Comparison::default() };
            return Delta { fate: Fate::Removed, below };
        }
        _ => {}
    }
    let atom = ty.atom();
    let (left, right) = (atom.deduce(sides.0), atom.deduce(sides.1));
    let delta = by_atom(sides, right, level);
    if left.is_same(&right) {
        return delta;
    }
    // A value that became one of another sort is compared as either.
    let as_before = by_atom(sides, left, level);
    let both = |a: &FieldSet<'a>, b: &FieldSet<'a>| a.union(b);
    Delta {
        fate: if delta.fate == Fate::Unchanged { as_before.fate } else { delta.fate },
        below: Comparison {
            removed: both(&delta.below.removed, &as_before.below.removed),
            modified: both(&delta.below.modified, &as_before.below.modified),
            added: both(&delta.below.added, &as_before.below.added),
        },
    }
}

/// All fields below a value that stands alone, as that of a new object: there is nothing to compare.
fn fields<'a>(node: &'a Node<'a>, ty: TypeRef<'a>, level: Level) -> FieldSet<'a> {
    // Nothing is below most values, whatever their type.
    if node.entries().is_empty() && node.items().is_empty() {
        return FieldSet::EMPTY;
    }
    match ty.atom().deduce(Some(node)).first() {
        One::Map(map) if !map.is_atomic => {
            let mut set = SetBuilder::with_capacity(node.entries().len());
            for entry in node.entries() {
                let name = entry.key.as_ref();
                if let Some((level, ty)) = level.member(name).zip(map.member(name)) {
                    set.push(PathElement::Field(name), true, fields(&entry.node, ty, level));
                }
            }
            set.build()
        }
        One::List(list) if !list.is_atomic() => {
            let mut set = SetBuilder::with_capacity(node.items().len());
            let mut items = items::sorted_items(&list, node.items()).into_iter().peekable();
            while let Some((element, index)) = items.next() {
                let mut below = match node.items().get(index) {
                    Some(item) => fields(item, list.items, Level::Inside),
                    None => FieldSet::default(),
                };
                // Duplicates are one value.
                while items.next_if(|(next, _)| *next == element).is_some() {
                    below = FieldSet::default();
                }
                set.push(element, true, below);
            }
            set.build()
        }
        _ => FieldSet::EMPTY,
    }
}

fn by_atom<'a>(sides: Sides<'a, 'a>, atom: Atom<'a>, level: Level) -> Delta<'a> {
    let (one, other) = sides;
    let below = match atom.first() {
        One::Map(map) if !map.is_atomic && (has_members(one) || has_members(other)) => {
            members(sides, map, level)
        }
        One::List(list) if !list.is_atomic() && (has_items(one) || has_items(other)) => {
            list_items(sides, &list)
        }
        // Also what is empty on both sides: nothing and empty are different.
        _ => return Delta::leaf(sides),
    };
    Delta { fate: Fate::Unchanged, below }
}

/// The comparison of one level, element by element.
#[derive(Default)]
struct Builder<'a> {
    removed: SetBuilder<'a>,
    modified: SetBuilder<'a>,
    added: SetBuilder<'a>,
}

impl<'a> Builder<'a> {
    fn push(&mut self, element: &PathElement<'a>, delta: Delta<'a>) {
        let Delta { fate, below } = delta;
        let sets = [
            (&mut self.removed, Fate::Removed, below.removed),
            (&mut self.modified, Fate::Modified, below.modified),
            (&mut self.added, Fate::Added, below.added),
        ];
        for (set, in_it, below) in sets {
            if fate == in_it || !below.is_empty() {
                set.push(element.clone(), fate == in_it, below);
            }
        }
    }

    fn push_leaf(&mut self, element: &PathElement<'a>, fate: Fate) {
        self.push(element, Delta { fate, below: Comparison::default() });
    }

    fn build(self) -> Comparison<'a> {
        Comparison {
            removed: self.removed.build(),
            modified: self.modified.build(),
            added: self.added.build(),
        }
    }
}

fn members<'a>(sides: Sides<'a, 'a>, map: MapType<'a>, level: Level) -> Comparison<'a> {
    let mut builder = Builder::default();
    for (name, one, other) in zip_members(sides) {
        let Some(level) = level.member(name) else { continue };
        if is_equal_leaf(one, other) {
            continue;
        }
        let Some(ty) = map.member(name) else { continue };
        builder.push(&PathElement::Field(name), values((one, other), ty, level));
    }
    builder.build()
}

/// Whether two values are equal without parts of their own, so that their type does not matter.
fn is_equal_leaf(one: Option<&Node<'_>>, other: Option<&Node<'_>>) -> bool {
    let is_leaf = |node: &Node<'_>| match &node.value {
        Value::Map(_) => false,
        Value::List(items) => {
            items.iter().all(|item| !matches!(item.value, Value::List(_) | Value::Map(_)))
        }
        _ => true,
    };
    one.zip(other).is_some_and(|(one, other)| is_leaf(one) && value::equal(one, other))
}

fn list_items<'a>((one, other): Sides<'a, 'a>, list: &ListType<'a>) -> Comparison<'a> {
    let mut builder = Builder::default();
    let (one, other) = (Groups::new(one, list), Groups::new(other, list));
    let (mut before, mut after) = (one.sorted.as_slice(), other.sorted.as_slice());
    loop {
        let order = match (before.first(), after.first()) {
            (None, None) => return builder.build(),
            (Some(_), None) => Ordering::Less,
            (None, Some(_)) => Ordering::Greater,
            (Some(one), Some(other)) => one.0.cmp(&other.0),
        };
        let left = if order.is_le() { one.take(&mut before) } else { &[] };
        let right = if order.is_ge() { other.take(&mut after) } else { &[] };
        if let Some((element, _)) = left.first().or(right.first()) {
            group(&mut builder, element, &one.nodes(left), &other.nodes(right), list);
        }
    }
}

/// Items sorted by their elements; that several have the same one is unusual.
struct Groups<'a> {
    items: &'a [Node<'a>],
    sorted: Vec<(PathElement<'a>, usize)>,
}

impl<'a> Groups<'a> {
    fn new(node: Option<&'a Node<'a>>, list: &ListType<'a>) -> Self {
        let items = node.map(Node::items).unwrap_or_default();
        Self { items, sorted: items::sorted_items(list, items) }
    }

    /// Takes the first items, which have the same element, off the rest.
    fn take<'s>(
        &self,
        rest: &mut &'s [(PathElement<'a>, usize)],
    ) -> &'s [(PathElement<'a>, usize)] {
        let is_same =
            |item: &&(PathElement<'a>, usize)| rest.first().is_some_and(|first| first.0 == item.0);
        let count = rest.iter().take_while(is_same).count();
        let (group, after) = rest.split_at_checked(count).unwrap_or((rest, &[]));
        *rest = after;
        group
    }

    fn nodes(&self, group: &[(PathElement<'a>, usize)]) -> Vec<&'a Node<'a>> {
        group.iter().filter_map(|(_, index)| self.items.get(*index)).collect()
    }
}

fn group<'a>(
    builder: &mut Builder<'a>,
    element: &PathElement<'a>,
    before: &[&'a Node<'a>],
    after: &[&'a Node<'a>],
    list: &ListType<'a>,
) {
    let item = |one, other| values((one, other), list.items, Level::Inside);
    match (before, after) {
        ([] | [_], [] | [_]) => {
            builder.push(element, item(before.first().copied(), after.first().copied()));
        }
        // Duplicates are one value.
        ([_, _, ..], [_, _, ..]) => {
            let is_same = before.len() == after.len()
                && before.iter().zip(after).all(|(one, other)| value::equal(one, other));
            builder.push_leaf(element, if is_same { Fate::Unchanged } else { Fate::Modified });
        }
        ([_, _, ..], _) => {
            if let [after] = after {
                builder.push(element, item(None, Some(after)));
            }
            builder.push_leaf(element, Fate::Removed);
        }
        (_, [_, _, ..]) => {
            if let [before] = before {
                builder.push(element, item(Some(before), None));
            }
            builder.push_leaf(element, Fate::Added);
        }
    }
}
