//! Tests of the tree: it has what a map has, counts, and leaves no small nodes behind.

use super::*;
use proptest::prelude::*;
use std::collections::BTreeMap;

fn item(key: &str, revision: u64) -> Arc<Item> {
    let item = Item::stored(key.into(), revision, br#"{"metadata":{"name":"x"}}"#);
    Arc::new(item.unwrap())
}

fn key(number: usize) -> String {
    format!("n{}/{:05}", number % 3, number)
}

fn first(node: &Node) -> &str {
    match node {
        Node::Leaf(items) => &items.as_slice()[0].key,
        Node::Branch(children) => first(&children.as_slice()[0].node),
    }
}

/// The number of objects, and the height of all leaves; panics where counts, bounds or heights are wrong.
fn check(node: &Node) -> (usize, usize) {
    match node {
        Node::Leaf(items) => (items.len(), 0),
        Node::Branch(children) => {
            assert!(children.len() > 0 && children.len() <= MAX_ENTRIES);
            let below: Vec<(usize, usize)> = children
                .iter()
                .map(|child| {
                    let (count, height) = check(&child.node);
                    assert_eq!(count, child.count);
                    assert!(first(&child.node) >= &*child.first);
                    (count, height)
                })
                .collect();
            assert!(below.iter().all(|(_, height)| *height == below[0].1));
            (below.iter().map(|(count, _)| count).sum(), below[0].1 + 1)
        }
    }
}

fn same(items: &Items, model: &BTreeMap<String, u64>) {
    assert_eq!(check(&items.root).0, items.len());
    assert_eq!(items.len(), model.len());
    assert_eq!(items.bytes(), items.values().map(|item| item.size()).sum::<usize>());
    let listed = items.values().map(|item| (item.key.to_string(), item.revision));
    assert!(listed.eq(model.iter().map(|(key, revision)| (key.clone(), *revision))));
}

#[test]
fn objects_are_found_counted_and_listed_from_any_place() {
    let (mut items, mut model) = (Items::default(), BTreeMap::new());
    for number in (0..2000).map(|number| number * 7 % 2000) {
        assert!(items.insert(item(&key(number), 1)).is_none());
        model.insert(key(number), 1);
    }
    same(&items, &model);
    for place in ["", "n0/", "n0/00333", "n0/003335", "n1/", "n10", "n2/01999", "z"] {
        let after = model.range(place.to_owned()..);
        assert!(
            items.starting_at(place).map(|item| &*item.key).eq(after.map(|(key, _)| key.as_str()))
        );
        assert_eq!(items.rank(place), model.range(..place.to_owned()).count(), "{place}");
    }
    for (prefix, count) in [("", 2000), ("n0/", 667), ("n1/", 667), ("n2/", 666), ("n", 2000)] {
        assert_eq!(items.count_within(prefix), count, "{prefix}");
    }
    assert!(items.get("n0/00333").is_some() && items.get("n0/00334").is_none());
    assert_eq!(items.keys().next().map(|key| &**key), Some("n0/00000"));
}

#[test]
fn keys_in_order_fill_their_nodes() {
    let mut items = Items::default();
    (0..3200).for_each(|number| drop(items.insert(item(&format!("{number:05}"), 1))));
    let Node::Branch(children) = &*items.root else { panic!("it has one node") };
    let is_full = |child: &&Child| match &*child.node {
        Node::Branch(leaves) => leaves.iter().all(|leaf| leaf.count == MAX_ENTRIES),
        Node::Leaf(_) => false,
    };
    assert!(children.iter().rev().skip(1).all(|child| is_full(&child)));
}

#[test]
fn what_is_deleted_leaves_no_small_nodes_behind() {
    let mut items = Items::default();
    (0..5000).for_each(|number| drop(items.insert(item(&format!("{number:05}"), 1))));
    for number in (0..5000).filter(|number| number % 50 != 0) {
        assert!(items.remove(&format!("{number:05}")).is_some());
    }
    assert_eq!((items.len(), check(&items.root)), (100, (100, 1)), "a hundred need no more");
    (0..5000).for_each(|number| drop(items.remove(&format!("{number:05}"))));
    assert!(items.is_empty() && items.values().next().is_none());
    assert!(items.insert(item("a", 1)).is_none() && items.get("a").is_some());
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(32))]

    #[test]
    fn any_changes_leave_what_a_map_has(
        changes in proptest::collection::vec((0..400_usize, 0..3_u8), 0..600),
    ) {
        let (mut items, mut model) = (Items::default(), BTreeMap::new());
        let (mut copy, mut copied) = (items.clone(), model.clone());
        for (revision, (number, action)) in (1..).zip(changes) {
            let key = key(number);
            let (old, before) = match action {
                0 => (items.remove(&key), model.remove(&key)),
                _ => (items.insert(item(&key, revision)), model.insert(key, revision)),
            };
            prop_assert_eq!(old.map(|item| item.revision), before);
            if revision == 300 {
                (copy, copied) = (items.clone(), model.clone());
            }
        }
        same(&items, &model);
        same(&copy, &copied);
        for number in 0..400 {
            let key = key(number);
            let near = items.near(&key).map(|item| item.key.to_string());
            prop_assert_eq!(near.is_none(), model.is_empty());
            let Some(near) = near else { continue };
            let between = match near < key {
                true => model.range(near.clone()..key.clone()).count(),
                false => model.range(key.clone()..=near.clone()).count(),
            };
            prop_assert_eq!(between, 1, "{} is beside {}", near, key);
        }
    }
}
