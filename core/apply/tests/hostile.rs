//! Hostile objects and configurations: each answer comes soon, and none is huge.
#![allow(clippy::unwrap_used, reason = "a test may panic")]

mod object_server;

use object_server::{ObjectServer, tree};
use ratchet_apply::FieldSet;
use ratchet_object::{Limits, Node, decode_json};

const SCHEMA: &str = "{type: object, properties: {spec: {type: object, properties: {
    set: {type: array, x-kubernetes-list-type: set, items: {type: string}},
    map: {type: array, x-kubernetes-list-type: map, x-kubernetes-list-map-keys: [k], items: {type: object, properties: {k: {type: string}}}},
    any: {x-kubernetes-preserve-unknown-fields: true},
    labels: {type: object, additionalProperties: {type: string}}}}}}";

fn thing(spec: &str) -> Node<'static> {
    let text = format!(
        r#"{{"apiVersion":"example.com/v1","kind":"Thing","metadata":{{"name":"x"}},"spec":{{{spec}}}}}"#
    );
    decode_json(&text, Limits::DEFAULT).unwrap().documents.remove(0).into_owned()
}

#[test]
fn deep_trees() {
    let deep = |leaf: &str| {
        let (open, close) = (r#"{"a":"#.repeat(240), "}".repeat(240));
        thing(&format!(r#""any":{open}{leaf}{close}"#))
    };
    let mut server = ObjectServer::custom(SCHEMA);
    server.apply_tree("m1", &deep("1"), false).unwrap();
    let error = server.apply_tree("m2", &deep("2"), false).unwrap_err();
    assert_eq!(error.conflicts().len(), 1);
    server.apply_tree("m2", &deep("2"), true).unwrap();
    server.put("u1", &deep("3").to_json());
    server.apply_tree("m1", &thing(""), false).unwrap();
    assert_eq!(server.managers().len(), 3, "the maps around what u1 took are still m2's");
}

#[test]
fn wide_maps_and_lists() {
    let labels = |value: &str, step: usize| {
        let members: Vec<String> =
            (0..30_000).step_by(step).map(|n| format!(r#""k{n}":"{value}""#)).collect();
        format!(r#""labels":{{{}}}"#, members.join(","))
    };
    let items = |from: usize| {
        let keys: Vec<String> =
            (from..from + 8_000).rev().map(|n| format!(r#"{{"k":"{n}"}}"#)).collect();
        format!(r#""map":[{}]"#, keys.join(","))
    };
    let mut server = ObjectServer::custom(SCHEMA);
    server.apply_tree("m1", &thing(&labels("1", 1)), false).unwrap();
    server.apply_tree("m2", &thing(&items(0)), false).unwrap();
    server.apply_tree("m3", &thing(&items(4_000)), false).unwrap();
    let error = server.apply_tree("m4", &thing(&labels("2", 3)), false).unwrap_err();
    assert_eq!(error.conflicts().len(), 10_000);
    server.apply_tree("m2", &thing(""), false).unwrap();
    assert_eq!(server.value(&["spec", "map"]).matches("\"k\"").count(), 8_000);
}

#[test]
fn one_item_a_thousand_times() {
    let repeated: Vec<&str> = vec![r#""a""#; 20_000];
    let set = thing(&format!(r#""set":[{}]"#, repeated.join(",")));
    let mut server = ObjectServer::custom(SCHEMA);
    let error = server.apply_tree("m1", &set, false).unwrap_err();
    assert_eq!(error.to_string().lines().count(), 1001, "a thousand are enough");
    server.put("u1", &set.to_json());
    server.apply_tree("m1", &thing(r#""set":["a","b"]"#), true).unwrap();
    assert_eq!(server.value(&["spec", "set"]), r#"["a","b"]"#);
}

#[test]
fn long_names_in_many_paths() {
    let long = "x".repeat(100_000);
    let spec = |value: &str| {
        let members: Vec<String> = (0..1_000).map(|n| format!(r#""k{n}":{value}"#)).collect();
        thing(&format!(r#""any":{{"{long}":{{{}}}}}"#, members.join(",")))
    };
    let mut server = ObjectServer::custom(SCHEMA);
    server.apply_tree("m1", &spec("1"), false).unwrap();
    let error = server.apply_tree("m2", &spec("2"), false).unwrap_err();
    assert!(error.to_string().len() < 4 << 20);
    let unknown: Vec<String> =
        (0..500).map(|_| format!(r#"{{"k":"{long}","banana":1}}"#)).take(20).collect();
    let error = server
        .apply_tree("m1", &thing(&format!(r#""map":[{}]"#, unknown.join(","))), false)
        .unwrap_err();
    assert!(error.to_string().len() < 8 << 20);
}

#[test]
fn thousands_of_entries() {
    let entries: Vec<String> = (0..3_000)
        .map(|n| format!(r#"{{"manager":"m{n}","operation":"Apply","apiVersion":"example.com/v1","fieldsType":"FieldsV1","fieldsV1":{{"f:spec":{{"f:labels":{{"f:k{n}":{{}}}}}}}}}}"#))
        .collect();
    let members: Vec<String> = (0..30_000).map(|n| format!(r#""k{n}":"1""#)).collect();
    let object = format!(
        r#"{{"apiVersion":"example.com/v1","kind":"Thing","metadata":{{"name":"x","managedFields":[{}]}},"spec":{{"labels":{{{}}}}}}}"#,
        entries.join(","),
        members.join(",")
    );
    let mut server = ObjectServer::custom(SCHEMA);
    server.put("u0", r#"{"apiVersion":"example.com/v1","kind":"Thing","metadata":{"name":"x"}}"#);
    server.put("u1", &object);
    assert_eq!(server.managers().len(), 1, "all was new, and nobody else has it");
    let cleared = object.replace(r#":"1""#, r#":"2""#);
    server.put("u2", &cleared);
    assert_eq!(server.managers().len(), 1);
}

#[test]
fn field_sets_as_deep_as_an_object_may_be() {
    let (open, close) = (r#"{"f:a":"#.repeat(250), "}".repeat(250));
    let fields = tree(&format!("{open}{{}}{close}"));
    let set = FieldSet::decode(&fields).unwrap();
    assert_eq!(set.len(), 1);
    assert_eq!(set.union(&set).difference(&set), FieldSet::EMPTY);
    assert_eq!(set.encode().to_json(), fields.to_json());
}
