//! Properties of applies by several managers over generated configurations.
#![allow(clippy::unwrap_used, reason = "a test may panic")]

mod object_server;

use object_server::{ObjectServer, tree};
use proptest::prelude::*;
use ratchet_apply::FieldSet;
use ratchet_object::{Node, Value};

const SCHEMA: &str = "{type: object, properties: {spec: {type: object, properties: {
    text: {type: string},
    set: {type: array, x-kubernetes-list-type: set, items: {type: string}},
    map: {type: array, x-kubernetes-list-type: map, x-kubernetes-list-map-keys: [k],
        items: {type: object, properties: {k: {type: string}, v: {type: integer}, w: {type: integer},
            in: {type: array, x-kubernetes-list-type: set, items: {type: integer}}}}},
    plain: {type: array, items: {type: string}},
    atomic: {type: object, x-kubernetes-map-type: atomic, additionalProperties: {type: integer}},
    struct: {type: object, properties: {a: {type: integer}, b: {type: integer}, deep: {type: object, properties: {c: {type: integer}}}}},
    labels: {type: object, additionalProperties: {type: string}},
    any: {x-kubernetes-preserve-unknown-fields: true}}}}}";

const FIELDS: [&str; 8] = ["text", "set", "map", "plain", "atomic", "struct", "labels", "any"];

fn letters() -> impl Strategy<Value = Vec<&'static str>> {
    proptest::sample::subsequence(vec!["a", "b", "c", "d"], 1..4).prop_shuffle()
}

fn small() -> impl Strategy<Value = i64> {
    0_i64..3
}

/// A map with some of these members, each a small number; never empty.
fn numbers(names: &'static [&'static str]) -> impl Strategy<Value = Node<'static>> {
    let names = proptest::sample::subsequence(names, 1..=names.len());
    (names, small()).prop_map(|(names, number)| {
        Node::map(names.into_iter().map(|name| (name, Node::int(number))))
    })
}

fn texts(letters: Vec<&'static str>) -> Node<'static> {
    Node::list(letters.into_iter().map(Node::string).collect())
}

fn items() -> impl Strategy<Value = Node<'static>> {
    let item = (numbers(&["v", "w"]), proptest::option::of(Just(())), small());
    (letters(), proptest::collection::vec(item, 4)).prop_map(|(keys, items)| {
        let item = |(key, (mut node, has_set, number)): (&'static str, (Node<'static>, _, _))| {
            node.set("k", Node::string(key));
            if Option::is_some(&has_set) {
                node.set("in", Node::list(vec![Node::int(number)]));
            }
            node
        };
        Node::list(keys.into_iter().zip(items).map(item).collect())
    })
}

/// A value for a field of the schema.
fn value(field: &str) -> BoxedStrategy<Node<'static>> {
    match field {
        "text" => proptest::sample::select(vec!["x", "z"]).prop_map(Node::string).boxed(),
        "set" | "plain" => letters().prop_map(texts).boxed(),
        "map" => items().boxed(),
        "atomic" => numbers(&["a", "b"]).boxed(),
        "struct" => (numbers(&["a", "b"]), proptest::option::of(small()))
            .prop_map(|(mut node, deep)| {
                if let Some(deep) = deep {
                    node.set("deep", Node::map([("c", Node::int(deep))]));
                }
                node
            })
            .boxed(),
        "labels" => (letters(), proptest::sample::select(vec!["1", "2"]))
            .prop_map(|(keys, text)| {
                Node::map(keys.into_iter().map(|key| (key, Node::string(text))))
            })
            .boxed(),
        _ => (numbers(&["p", "q"]), letters())
            .prop_map(|(node, list)| Node::map([("n", node), ("l", texts(list))]))
            .boxed(),
    }
}

/// A configuration with some of these fields.
fn config(fields: Vec<&'static str>) -> impl Strategy<Value = Node<'static>> {
    let count = fields.len();
    proptest::sample::subsequence(fields, 0..=count).prop_flat_map(|fields| {
        let values: Vec<BoxedStrategy<Node<'static>>> =
            fields.iter().map(|field| value(field)).collect();
        values.prop_map(move |values| {
            let mut object = tree("{apiVersion: example.com/v1, kind: Thing, metadata: {name: x}}");
            if !values.is_empty() {
                object.set("spec", Node::map(fields.iter().copied().zip(values)));
            }
            object
        })
    })
}

fn configs(count: usize) -> impl Strategy<Value = Vec<(usize, Node<'static>)>> {
    proptest::collection::vec((0_usize..3, config(FIELDS.to_vec())), 1..count)
}

const MANAGERS: [&str; 3] = ["m1", "m2", "m3"];

/// The object without entries.
fn bare(server: &ObjectServer) -> Node<'static> {
    let mut object = server.object.clone().unwrap();
    object.get_mut("metadata").map(|metadata| metadata.remove("managedFields"));
    object
}

/// The entries without their times.
fn timeless(server: &ObjectServer) -> Vec<String> {
    let mut entries: Vec<String> = server
        .managers()
        .into_iter()
        .map(|line| {
            line.split(' ')
                .filter(|word| !word.contains(':') || word.contains('{'))
                .collect::<Vec<_>>()
                .join(" ")
                .replace(" none", "")
        })
        .collect();
    entries.sort();
    entries
}

/// The fields of all entries, or of one manager, as sorted paths.
fn owned(server: &ObjectServer, manager: Option<&str>) -> Vec<String> {
    let object = server.object.as_ref().unwrap();
    let mut paths = Vec::new();
    let entries = object.find(&["metadata", "managedFields"]).map(Node::items).unwrap_or_default();
    for entry in entries {
        if manager.is_none_or(|manager| entry.text_at(&["manager"]) == manager) {
            let set = FieldSet::decode(entry.get("fieldsV1").unwrap()).unwrap();
            set.for_each(&mut |path| paths.push(path.to_string()));
        }
    }
    paths.sort();
    paths.dedup();
    paths
}

/// The leaves of a value, each with its path as field sets have it.
fn leaves(node: &Node<'_>, path: &str, out: &mut Vec<(String, String)>) {
    let is_whole = ["plain", "atomic"].iter().any(|name| path.ends_with(&format!(".{name}")))
        || path.ends_with(".any.l");
    match &node.value {
        Value::Map(entries) if !is_whole && !entries.is_empty() => {
            for entry in entries {
                leaves(&entry.node, &format!("{path}.{}", entry.key), out);
            }
        }
        Value::List(items) if !is_whole && !items.is_empty() => {
            for item in items {
                let element = match item.text_at(&["k"]) {
                    "" => format!("[={item}]"),
                    key => format!("[k={key:?}]"),
                };
                leaves(item, &format!("{path}{element}"), out);
            }
        }
        _ => out.push((path.to_owned(), node.to_json())),
    }
}

fn spec_leaves(object: &Node<'_>) -> Vec<(String, String)> {
    let mut out = Vec::new();
    if let Some(spec) = object.get("spec") {
        leaves(spec, ".spec", &mut out);
    }
    out
}

/// Lists as sets: their order depends on who came first.
fn unordered(node: &Node<'_>) -> Vec<(String, String)> {
    let mut out = spec_leaves(node);
    out.sort();
    out
}

/// A new object, applied to by several managers.
fn applied(configs: &[(usize, Node<'static>)]) -> ObjectServer {
    let mut server = ObjectServer::custom(SCHEMA);
    // Somebody owns something: an object without entries is not tracked.
    let first = "{apiVersion: example.com/v1, kind: Thing, metadata: {name: x, labels: {a: b}}}";
    server.apply("m0", first, false).unwrap();
    for (manager, config) in configs {
        server.now += 1;
        // Some conflict, and change nothing.
        let manager = MANAGERS.get(*manager).unwrap();
        let _ = server.apply_tree(manager, config, false);
    }
    server
}

proptest! {
    #[test]
    fn applying_twice_changes_nothing(before in configs(6), last in config(FIELDS.to_vec()), force: bool) {
        let mut server = applied(&before);
        if server.apply_tree("m1", &last, force).is_ok() {
            let (object, entries, writes) = (bare(&server), server.managers(), server.writes);
            server.now += 1;
            server.apply_tree("m1", &last, false).unwrap();
            prop_assert_eq!(bare(&server), object);
            prop_assert_eq!(server.managers(), entries);
            prop_assert_eq!(server.writes, writes);
        }
    }

    #[test]
    fn what_one_manager_owns_no_apply_of_another_removes(before in configs(6), last in config(FIELDS.to_vec())) {
        let mut server = applied(&before);
        let owners: Vec<Vec<String>> = MANAGERS.iter().map(|name| owned(&server, Some(name))).collect();
        let values = spec_leaves(&bare(&server));
        if server.apply_tree("m1", &last, false).is_ok() {
            let after = spec_leaves(&bare(&server));
            for (name, fields) in MANAGERS.iter().zip(&owners).skip(1) {
                prop_assert_eq!(&owned(&server, Some(name)), fields);
                for leaf in values.iter().filter(|leaf| fields.contains(&leaf.0)) {
                    prop_assert!(after.contains(leaf), "{leaf:?} of {name}");
                }
            }
        }
    }

    #[test]
    fn what_is_set_is_owned(before in configs(8), last in config(FIELDS.to_vec())) {
        let mut server = applied(&before);
        server.apply_tree("m1", &last, true).unwrap();
        let owned = owned(&server, None);
        for (path, value) in spec_leaves(&bare(&server)) {
            prop_assert!(owned.contains(&path), "{path} {value} of {owned:?}");
            prop_assert_ne!(value, "null", "{}", path);
        }
    }

    #[test]
    fn what_a_manager_says_is_there(before in configs(6), last in config(FIELDS.to_vec())) {
        let mut server = applied(&before);
        server.apply_tree("m1", &last, true).unwrap();
        let after = spec_leaves(&bare(&server));
        for leaf in spec_leaves(&last) {
            prop_assert!(after.contains(&leaf), "{leaf:?}");
        }
    }

    #[test]
    fn the_order_of_disjoint_applies_does_not_matter(
        before in configs(4),
        one in config(vec!["text", "map", "atomic", "any"]),
        other in config(vec!["set", "plain", "struct", "labels"]),
    ) {
        let run = |order: [(&str, &Node<'static>); 2]| {
            let mut server = applied(&before);
            for (manager, config) in order {
                server.now += 1;
                server.apply_tree(manager, config, true).unwrap();
            }
            server
        };
        let (here, there) = (run([("n1", &one), ("n2", &other)]), run([("n2", &other), ("n1", &one)]));
        prop_assert_eq!(bare(&here), bare(&there));
        prop_assert_eq!(timeless(&here), timeless(&there));
    }

    #[test]
    fn whoever_gives_all_up_leaves_what_others_have(one in config(FIELDS.to_vec()), other in config(FIELDS.to_vec())) {
        let nothing = "{apiVersion: example.com/v1, kind: Thing, metadata: {name: x}}";
        let mut alone = ObjectServer::custom(SCHEMA);
        alone.apply_tree("m2", &other, false).unwrap();
        let mut server = ObjectServer::custom(SCHEMA);
        server.apply_tree("m1", &one, false).unwrap();
        server.apply_tree("m2", &other, true).unwrap();
        server.apply("m1", nothing, false).unwrap();
        prop_assert_eq!(unordered(&bare(&server)), unordered(&bare(&alone)));
        prop_assert_eq!(timeless(&server), timeless(&alone));
    }

    #[test]
    fn an_update_owns_what_it_changed_and_nobody_else_does(before in configs(6), new in config(FIELDS.to_vec())) {
        let mut server = applied(&before);
        let live = spec_leaves(&bare(&server));
        server.put("u1", &new.to_json());
        let own = owned(&server, Some("u1"));
        let others: Vec<String> =
            MANAGERS.iter().flat_map(|name| owned(&server, Some(name))).collect();
        let after = spec_leaves(&bare(&server));
        for leaf in after.iter().filter(|leaf| !live.contains(leaf)) {
            prop_assert!(own.contains(&leaf.0), "{leaf:?} of {own:?}");
            prop_assert!(!others.contains(&leaf.0), "{leaf:?} of {others:?}");
        }
        for leaf in live.iter().filter(|leaf| !after.iter().any(|kept| kept.0 == leaf.0)) {
            prop_assert!(!others.contains(&leaf.0), "{leaf:?} is gone");
        }
    }
}
