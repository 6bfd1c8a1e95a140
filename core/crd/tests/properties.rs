//! Properties of schemas and objects that nobody wrote.

#![allow(clippy::unwrap_used, reason = "a helper of a test may fail like a test")]

use proptest::prelude::*;
use ratchet_crd::{CustomResource, Environments, Strategy as Resource};
use ratchet_engine::Verdict;
use ratchet_object::{Node, Value};
use std::sync::LazyLock;

static ENVIRONMENTS: LazyLock<Environments> = LazyLock::new(|| Environments::of_release(36));

const NAMES: [&str; 4] = ["a", "b", "c", "k"];

fn text(text: &str) -> Node<'static> {
    Node::string(text.to_owned())
}

fn flag(truth: bool) -> Node<'static> {
    Node::new(Value::Bool(truth))
}

/// Any value, with few names, so that schemas and objects meet.
fn value() -> impl Strategy<Value = Node<'static>> {
    let leaf = prop_oneof![
        Just(Node::new(Value::Null)),
        any::<bool>().prop_map(flag),
        (-3_i64..9).prop_map(Node::int),
        (-3.0_f64..9.0).prop_map(|number| Node::new(Value::Float(number))),
        "[abxy]{0,4}".prop_map(|string| text(&string)),
    ];
    leaf.prop_recursive(3, 24, 4, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Node::list),
            prop::collection::btree_map(prop::sample::select(&NAMES[..]), inner, 0..4)
                .prop_map(Node::map),
        ]
    })
}

fn scalar_schema() -> impl Strategy<Value = Node<'static>> {
    let string =
        (0_i64..4, any::<bool>(), any::<bool>()).prop_map(|(most, nullable, defaulted)| {
            let mut schema = Node::map([("type", text("string")), ("maxLength", Node::int(most))]);
            if nullable {
                schema.set("nullable", flag(true));
            }
            if defaulted {
                schema.set("default", text(""));
            }
            schema
        });
    let integer = (-2_i64..5).prop_map(|least| {
        Node::map([
            ("type", text("integer")),
            ("minimum", Node::int(least)),
            ("default", Node::int(least)),
        ])
    });
    let others = prop::sample::select(&["boolean", "number"][..])
        .prop_map(|name| Node::map([("type", text(name))]));
    let either = Just(Node::map([("x-kubernetes-int-or-string", flag(true))]));
    prop_oneof![string, integer, others, either]
}

/// Structural schemas.
fn schema() -> impl Strategy<Value = Node<'static>> {
    scalar_schema().prop_recursive(3, 20, 4, |inner| {
        let properties =
            prop::collection::btree_map(prop::sample::select(&NAMES[..]), inner.clone(), 0..4);
        let object =
            (properties, any::<bool>(), any::<bool>()).prop_map(|(properties, open, required)| {
                let mut schema =
                    Node::map([("type", text("object")), ("properties", Node::map(properties))]);
                if open {
                    schema.set("x-kubernetes-preserve-unknown-fields", flag(true));
                }
                if required {
                    schema.set("required", Node::list(vec![text("a")]));
                }
                schema
            });
        let map = inner.clone().prop_map(|inner| {
            Node::map([("type", text("object")), ("additionalProperties", inner)])
        });
        let list = (inner, 0_i64..4).prop_map(|(inner, most)| {
            Node::map([("type", text("array")), ("items", inner), ("maxItems", Node::int(most))])
        });
        let keyed = Just(Node::map([
            ("type", text("array")),
            ("x-kubernetes-list-type", text("map")),
            ("x-kubernetes-list-map-keys", Node::list(vec![text("k")])),
            (
                "items",
                Node::map([
                    ("type", text("object")),
                    ("required", Node::list(vec![text("k")])),
                    (
                        "properties",
                        Node::map([
                            ("k", Node::map([("type", text("string"))])),
                            (
                                "a",
                                Node::map([("type", text("integer")), ("default", Node::int(1))]),
                            ),
                        ]),
                    ),
                ]),
            ),
        ]));
        prop_oneof![3 => object, 1 => map, 1 => list, 1 => keyed]
    })
}

fn resource(spec: Node<'static>) -> CustomResource {
    let root = Node::map([("type", text("object")), ("properties", Node::map([("spec", spec)]))]);
    let version = Node::map([
        ("name", text("v1")),
        ("served", flag(true)),
        ("storage", flag(true)),
        ("schema", Node::map([("openAPIV3Schema", root)])),
    ]);
    let names = Node::map([("plural", text("widgets")), ("kind", text("Widget"))]);
    let spec = Node::map([
        ("group", text("x.io")),
        ("names", names),
        ("versions", Node::list(vec![version])),
    ]);
    CustomResource::compile(&Node::map([("spec", spec)]), &ENVIRONMENTS)
}

fn object(spec: Node<'static>) -> Node<'static> {
    Node::map([
        ("apiVersion", text("x.io/v1")),
        ("kind", text("Widget")),
        ("metadata", Node::map([("name", text("a"))])),
        ("spec", spec),
    ])
}

/// An object as a request brings it: pruned and with its defaults.
fn decoded(strategy: &Resource, spec: Node<'static>) -> Node<'static> {
    let mut object = object(spec);
    strategy.decode(&mut object).unwrap();
    strategy.apply_defaults(&mut object);
    object
}

/// Whether every value of a schema can be compared with an old one: not if it keeps what it does not know, nor if the
/// keys of items may be missing.
fn is_comparable(schema: &Node<'_>) -> bool {
    let text = schema.to_json();
    !["preserve-unknown-fields", "list-map-keys"].iter().any(|name| text.contains(name))
}

proptest! {
    #[test]
    fn pruning_and_defaults_are_done_once(schema in schema(), spec in value()) {
        let resource = resource(schema);
        let strategy = resource.strategy("v1").unwrap();
        let once = decoded(strategy, spec);
        let mut twice = once.clone();
        prop_assert_eq!(strategy.decode(&mut twice).unwrap(), [""; 0]);
        strategy.apply_defaults(&mut twice);
        prop_assert_eq!(once.to_json(), twice.to_json());
    }

    #[test]
    fn what_is_told_as_unknown_is_gone_and_nothing_else(schema in schema(), spec in value()) {
        let resource = resource(schema);
        let strategy = resource.strategy("v1").unwrap();
        let before = object(spec);
        let mut after = before.clone();
        let unknown = strategy.decode(&mut after).unwrap();
        if unknown.is_empty() && !before.to_json().contains("null") {
            prop_assert_eq!(before.to_json(), after.to_json());
        }
        for path in unknown.iter().filter(|path| !path.contains('[')) {
            let names: Vec<&str> = path.split('.').collect();
            prop_assert!(before.find(&names).is_some() && after.find(&names).is_none(), "{path}");
        }
    }

    #[test]
    fn what_did_not_change_is_not_refused(schema in schema(), spec in value()) {
        prop_assume!(is_comparable(&schema));
        let resource = resource(schema);
        let strategy = resource.strategy("v1").unwrap();
        let object = decoded(strategy, spec);
        let mut verdict = Verdict::default();
        strategy.validate_update(&object, &object, &mut verdict);
        prop_assert!(verdict.errors.is_empty(), "{:?}", verdict.errors);
    }

    #[test]
    fn an_update_tells_no_more_than_a_create(schema in schema(), new in value(), old in value()) {
        let resource = resource(schema);
        let strategy = resource.strategy("v1").unwrap();
        let (new, old) = (decoded(strategy, new), decoded(strategy, old));
        let (mut created, mut updated) = (Verdict::default(), Verdict::default());
        strategy.validate(&new, &mut created);
        strategy.validate_update(&new, &old, &mut updated);
        let texts = |verdict: &Verdict| {
            let errors = verdict.errors.iter();
            let errors = errors.map(|error| format!("{}: {}", error.field, error.message()));
            errors.collect::<Vec<_>>()
        };
        let created = texts(&created);
        for error in texts(&updated) {
            prop_assert!(created.contains(&error), "{error}");
        }
    }

    #[test]
    fn the_storage_gives_back_what_it_got(schema in schema(), spec in value()) {
        let resource = resource(schema);
        let strategy = resource.strategy("v1").unwrap();
        let mut object = decoded(strategy, spec);
        object.map_mut("metadata").set("generation", Node::int(1));
        let mut stored = object.clone();
        resource.to_storage(&mut stored).unwrap();
        resource.from_storage(&mut stored, "v1").unwrap();
        prop_assert_eq!(stored.to_json(), object.to_json());
    }
}
