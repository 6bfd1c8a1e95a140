//! The merge of an applied configuration into a live object.

use super::{Level, Sides, has_items, has_members, items, zip_members};
use crate::path_element::PathElement;
use crate::schema::{ListType, MapType, One, TypeRef};
use crate::value::owned;
use alloc::string::String;
use alloc::vec;
use alloc::vec::Vec;
use ratchet_object::{Entry, Node, Value};

/// The live object with all that the configuration says. Nothing is removed; members are sorted by name.
pub(crate) fn merge<'a>(
    live: &'a Node<'a>,
    config: &'a Node<'a>,
    ty: TypeRef<'a>,
) -> Node<'static> {
    both(live, config, ty, Level::Object)
}

fn either<'a>(sides: Sides<'a, 'a>, ty: TypeRef<'a>, level: Level) -> Option<Node<'static>> {
    match sides {
        (Some(live), Some(config)) => Some(both(live, config, ty, level)),
        (one, other) => one.or(other).map(owned),
    }
}

fn both<'a>(
    live: &'a Node<'a>,
    config: &'a Node<'a>,
    ty: TypeRef<'a>,
    level: Level,
) -> Node<'static> {
    let sides @ (one, other) = (Some(live), Some(config));
    match ty.atom().deduce(other).first() {
        One::Map(map) if !map.is_atomic && (has_members(one) || has_members(other)) => {
            members(sides, map, level)
        }
        One::List(list) if !list.is_atomic() && (has_items(one) || has_items(other)) => {
            Node::list(Lists::new(live, config, &list).merge())
        }
        _ => owned(config),
    }
}

fn members<'a>(sides: Sides<'a, 'a>, map: MapType<'a>, level: Level) -> Node<'static> {
    let mut entries = Vec::new();
    for (name, live, config) in zip_members(sides) {
        let Some(level) = level.member(name) else { continue };
        let merged = match map.member(name) {
            Some(ty) => either((live, config), ty, level),
            None => live.or(config).map(owned),
        };
        entries.extend(merged.map(|node| Entry::new(String::from(name), node)));
    }
    Node::new(Value::Map(entries))
}

/// Two lists whose items have elements, numbered so that equal elements have the same number.
struct Lists<'a> {
    ty: TypeRef<'a>,
    live: Vec<(usize, &'a Node<'a>)>,
    config: Vec<(usize, &'a Node<'a>)>,
    /// The items of each element.
    found: Vec<Found<'a>>,
}

#[derive(Clone, Copy, Default)]
struct Found<'a> {
    live: LiveItem<'a>,
    config: Option<&'a Node<'a>>,
    is_merged: bool,
}

#[derive(Clone, Copy, Default)]
enum LiveItem<'a> {
    #[default]
    Absent,
    One(&'a Node<'a>),
    /// Several items have this element: the configuration's takes the place of all.
    Several,
}

impl<'a> Lists<'a> {
    fn new(live: &'a Node<'a>, config: &'a Node<'a>, list: &ListType<'a>) -> Self {
        let (live, config) = (live.items(), config.items());
        let side = |nodes: &'a [Node<'a>], is_live: bool| {
            let items = items::sorted_items(list, nodes).into_iter();
            items.map(move |(element, index)| (element, is_live, index))
        };
        let mut all: Vec<(PathElement<'a>, bool, usize)> = side(live, true).collect();
        all.extend(side(config, false));
        all.sort_by(|a, b| a.0.cmp(&b.0));

        let mut found: Vec<Found<'a>> = Vec::new();
        let mut live_numbers = vec![None; live.len()];
        let mut config_numbers = vec![None; config.len()];
        let mut last: Option<PathElement<'a>> = None;
        for (element, is_live, index) in all {
            if last.as_ref() != Some(&element) {
                found.push(Found::default());
                last = Some(element);
            }
            let (number, Some(item)) = (found.len() - 1, found.last_mut()) else { continue };
            if is_live {
                item.live = match (item.live, live.get(index)) {
                    (LiveItem::Absent, Some(node)) => LiveItem::One(node),
                    _ => LiveItem::Several,
                };
                live_numbers.get_mut(index).map(|slot| slot.replace(number));
            } else if item.config.is_none() {
                item.config = config.get(index);
                config_numbers.get_mut(index).map(|slot| slot.replace(number));
            }
        }
        let numbered = |numbers: Vec<Option<usize>>, nodes: &'a [Node<'a>]| {
            let pairs = numbers.into_iter().zip(nodes);
            pairs.filter_map(|(number, node)| Some((number?, node))).collect()
        };
        Self {
            ty: list.items,
            live: numbered(live_numbers, live),
            config: numbered(config_numbers, config),
            found,
        }
    }

    /// The items of the configuration in their order; what only the live list has keeps its place among its neighbours.
    fn merge(mut self) -> Vec<Node<'static>> {
        let (live, config) = (core::mem::take(&mut self.live), core::mem::take(&mut self.config));
        let mut out = Vec::with_capacity(live.len().max(config.len()));
        let in_both: Vec<usize> =
            config.iter().map(|item| item.0).filter(|number| self.is_live(*number)).collect();
        let mut shared = in_both.into_iter().peekable();
        let (mut live, mut config) = (live.iter().peekable(), config.iter().peekable());
        loop {
            let (left, right) = (live.peek().map(|item| **item), config.peek().map(|item| **item));
            if let (Some((left, _)), Some((right, _))) = (left, right) {
                if left == right {
                    out.extend(self.take(left));
                    live.next();
                    config.next();
                    shared.next();
                    continue;
                }
                let is_another = shared.peek().is_some_and(|next| *next != left);
                if self.is_applied(left) && is_another {
                    // Both have it, but the configuration has it later.
                    live.next();
                    continue;
                }
            }
            if let Some((number, node)) = left {
                if !self.is_applied(number) {
                    out.push(owned(node));
                    live.next();
                    continue;
                }
                // Without anything left to apply it was merged.
                if self.is_merged(number) || right.is_none() {
                    live.next();
                }
            }
            match right {
                Some((number, _)) => {
                    out.extend(self.take(number));
                    config.next();
                    shared.next_if_eq(&number);
                }
                None if left.is_none() => return out,
                None => {}
            }
        }
    }

    fn is_live(&self, number: usize) -> bool {
        let found = self.found.get(number);
        found.is_some_and(|found| !matches!(found.live, LiveItem::Absent))
    }

    fn is_applied(&self, number: usize) -> bool {
        self.found.get(number).is_some_and(|found| found.config.is_some())
    }

    fn is_merged(&self, number: usize) -> bool {
        self.found.get(number).is_some_and(|found| found.is_merged)
    }

    /// The merged item with this number.
    fn take(&mut self, number: usize) -> Option<Node<'static>> {
        let found = self.found.get_mut(number)?;
        found.is_merged = true;
        match found.live {
            LiveItem::One(live) => either((Some(live), found.config), self.ty, Level::Inside),
            LiveItem::Absent | LiveItem::Several => found.config.map(owned),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ratchet_object::{Limits, decode};

    fn tree(text: &str) -> Node<'_> {
        decode(text, Limits::DEFAULT).unwrap().documents.remove(0)
    }

    const SCHEMA: &str = "{type: object, properties: {
        set: {type: array, x-kubernetes-list-type: set, items: {type: string}},
        map: {type: array, x-kubernetes-list-type: map, x-kubernetes-list-map-keys: [k],
            items: {type: object, properties: {k: {type: string}, v: {type: integer}, w: {type: integer}}}},
        plain: {type: array, items: {type: string}},
        atomic: {type: object, x-kubernetes-map-type: atomic, properties: {a: {type: integer}, b: {type: integer}}},
        struct: {type: object, properties: {a: {type: integer}, b: {type: integer}}},
        any: {x-kubernetes-preserve-unknown-fields: true}}}";

    fn merged(live: &str, config: &str) -> String {
        let (schema, live, config) = (tree(SCHEMA), tree(live), tree(config));
        merge(&live, &config, TypeRef::custom(&schema)).to_json()
    }

    #[test]
    fn the_order_of_the_configuration_counts() {
        for (live, config, list) in [
            ("[A, B, C]", "[C, D, A]", r#"["B","C","D","A"]"#),
            ("[b]", "[a, b]", r#"["a","b"]"#),
            ("[a, b, c]", "[c, b, a]", r#"["c","b","a"]"#),
            ("[a, b, c]", "[]", r#"["a","b","c"]"#),
            ("[]", "[a]", r#"["a"]"#),
            ("[1, 2, a, b]", "[b, x, a]", r#"["1","2","b","x","a"]"#),
            ("[a, x, b, y]", "[a, b]", r#"["a","x","b","y"]"#),
            ("[x, a, y, b]", "[b, a]", r#"["x","y","b","a"]"#),
        ] {
            let quoted = |list: &str| {
                let letters = list.chars().map(|c| {
                    if c.is_alphanumeric() { alloc::format!("'{c}'") } else { String::from(c) }
                });
                letters.collect::<String>()
            };
            let (live, config) = (quoted(live), quoted(config));
            let merged =
                merged(&alloc::format!("{{set: {live}}}"), &alloc::format!("{{set: {config}}}"));
            assert_eq!(merged, alloc::format!(r#"{{"set":{list}}}"#), "{live} and {config}");
        }
    }

    #[test]
    fn items_with_one_key_are_merged() {
        assert_eq!(
            merged("{map: [{k: a, v: 1}, {k: b, v: 2}]}", "{map: [{k: b, w: 3}]}"),
            r#"{"map":[{"k":"a","v":1},{"k":"b","v":2,"w":3}]}"#
        );
        assert_eq!(
            merged("{map: [{k: a, v: 1}, {k: a, v: 2}, {k: b}]}", "{map: [{k: a, w: 3}]}"),
            r#"{"map":[{"k":"a","w":3},{"k":"b"}]}"#,
            "of duplicates that the configuration names, one is left"
        );
        assert_eq!(
            merged("{map: [{k: a, v: 1}, {k: a, v: 2}]}", "{map: [{k: b}]}"),
            r#"{"map":[{"k":"a","v":1},{"k":"a","v":2},{"k":"b"}]}"#,
            "others stay"
        );
    }

    #[test]
    fn what_is_atomic_is_replaced_and_what_is_granular_is_merged() {
        for (live, config, result) in [
            ("{atomic: {a: 1}}", "{atomic: {b: 2}}", r#"{"atomic":{"b":2}}"#),
            ("{struct: {a: 1}}", "{struct: {b: 2}}", r#"{"struct":{"a":1,"b":2}}"#),
            ("{struct: {a: 1}}", "{struct: {}}", r#"{"struct":{"a":1}}"#),
            ("{struct: {a: 1}}", "{struct: null}", r#"{"struct":{"a":1}}"#),
            ("{struct: {a: 1}}", "{struct: {a: null}}", r#"{"struct":{"a":null}}"#),
            ("{struct: {}}", "{struct: null}", r#"{"struct":null}"#),
            ("{plain: [a]}", "{plain: [b]}", r#"{"plain":["b"]}"#),
            ("{plain: [a]}", "{plain: null}", r#"{"plain":null}"#),
            ("{set: [a]}", "{set: null}", r#"{"set":["a"]}"#),
            ("{any: {a: {b: 1}}}", "{any: {a: {c: 2}}}", r#"{"any":{"a":{"b":1,"c":2}}}"#),
            ("{any: {a: 1}}", "{any: 7}", r#"{"any":7}"#),
            ("{any: [1]}", "{any: {a: 1}}", r#"{"any":{"a":1}}"#),
            ("{any: [1]}", "{any: null}", r#"{"any":null}"#),
            ("{any: {a: 1}}", "{any: null}", r#"{"any":{"a":1}}"#),
        ] {
            assert_eq!(merged(live, config), result, "{live} and {config}");
        }
    }

    #[test]
    fn managed_fields_of_the_object_are_left_out() {
        let object = "{metadata: {name: x, managedFields: [{manager: m}]}}";
        assert_eq!(
            merged(object, "{metadata: {labels: {a: b}}}"),
            r#"{"metadata":{"labels":{"a":"b"},"name":"x"}}"#
        );
    }
}
