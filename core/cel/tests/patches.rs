//! Tests of the messages that mutations construct: types, errors with their places, values and costs.

#![allow(clippy::expect_used, reason = "a helper of a test may fail like a test")]

mod world;

use ratchet_cel::{Budget, Environment, PER_CALL_LIMIT, Type, Value};
use world::{Object, decoded};

fn environment() -> Environment {
    world::environment().with_patch_types()
}

fn errors(text: &str) -> String {
    environment().compile(text).expect_err(text).to_string()
}

/// The value, as Rust prints it, and its cost.
fn evaluated(text: &str) -> (Result<String, String>, u64) {
    let decoded = decoded();
    let world = Object(Value::of(decoded.documents.first().expect("one document")));
    let program = environment().compile(text).unwrap_or_else(|issues| panic!("{text}: {issues}"));
    let mut budget = Budget::new(PER_CALL_LIMIT);
    let value = program.evaluate(&world, &mut budget);
    let value = value.map(|value| world::format_value(&value)).map_err(|error| error.message);
    (value, budget.spent())
}

#[test]
fn a_message_has_the_type_of_its_name() {
    for (text, name) in [
        ("Object{}", "Object"),
        ("Object.spec.containers{name: 'x'}", "Object.spec.containers"),
        ("[JSONPatch{op: 'add', path: '/a', value: 1}]", "list(JSONPatch)"),
        ("[JSONPatch{op: 'add'}] + [JSONPatch{op: 'add'}]", "list(JSONPatch)"),
        ("['x'].map(k, JSONPatch{op: k})", "list(JSONPatch)"),
        ("[JSONPatch{op: 'x'}].filter(x, false)", "list(JSONPatch)"),
        ("true ? Object{a: 1} : Object{b: 2}", "Object"),
        ("Object{a: 1}.a", "dyn"),
        ("[]", "list(dyn)"),
        ("jsonpatch.escapeKey('a')", "string"),
    ] {
        let program = environment().compile(text).unwrap_or_else(|issues| panic!("{issues}"));
        assert_eq!(program.result().full_name(), name, "{text}");
    }
    assert_eq!(environment().compile("Object{}").unwrap().result(), &Type::object("Object"));
}

#[test]
fn errors_have_the_places_of_the_reference() {
    for (text, error) in [
        (
            "[JSONPatch{op: 1, path: '/data/k'}]",
            "ERROR: <input>:1:14: expected type of field 'op' is 'string' but provided type is 'int'\n | [JSONPatch{op: 1, path: '/data/k'}]\n | .............^",
        ),
        (
            "JSONPatch{nope: 1}",
            "ERROR: <input>:1:15: expected type of field 'nope' is '' but provided type is 'int'\n | JSONPatch{nope: 1}\n | ..............^",
        ),
        (
            "Object{data: nope}",
            "ERROR: <input>:1:14: undeclared reference to 'nope' (in container '')\n | Object{data: nope}\n | .............^",
        ),
        (
            "[JSONPatch{op: 'remove', path: '/a'}, 'x']",
            "ERROR: <input>:1:39: expected type 'JSONPatch' but found 'string'\n | [JSONPatch{op: 'remove', path: '/a'}, 'x']\n | ......................................^",
        ),
        (
            "Object{?a: 1}",
            "ERROR: <input>:1:12: expected type 'optional_type(int)' but found 'int'\n | Object{?a: 1}\n | ...........^",
        ),
        (
            "Objects{}",
            "ERROR: <input>:1:8: undeclared reference to 'Objects' (in container '')\n | Objects{}\n | .......^",
        ),
        ("int{}", "ERROR: <input>:1:4: 'int' is not a message type\n | int{}\n | ...^"),
    ] {
        assert_eq!(errors(text), error, "{text}");
    }
    assert_eq!(errors("Object"), "reference to undefined type: Object");
    let plain = world::environment();
    let error = plain.compile("Object{} == Object{}").unwrap_err().to_string();
    assert!(error.contains("undeclared reference to 'Object'"), "{error}");
    assert!(plain.compile("jsonpatch.escapeKey('a')").is_err(), "mutations only");
}

#[test]
fn values_are_constructed_compared_and_paid_for() {
    for (text, value, cost) in [
        ("Object{a: 1, b: 'x'} == Object{b: 'x', a: 1}", "true", 81),
        ("Object{a: 1} == Object{a: 2}", "false", 81),
        ("dyn(Object{a: 1}) == dyn(Object.a{a: 1})", "false", 83),
        ("Object{a: 1, a: 2}.a", "2", 42),
        ("Object{?a: optional.none(), b: 1}.b", "1", 43),
        ("Object{?a: optional.of(1)}.a", "1", 43),
        ("has(Object{a: 1}.a) && !has(Object{a: 1}.b)", "true", 83),
        ("Object{a: 1}.b == null", "true", 43),
        ("JSONPatch{op: 'add', path: '/a'} == JSONPatch{op: 'add', path: '/a'}", "true", 81),
        ("jsonpatch.escapeKey('k8s.io/my~label')", "\"k8s.io~1my~0label\"", 2),
        ("type(Object.spec{}) == type(Object.spec{})", "true", 83),
    ] {
        let (found, spent) = evaluated(text);
        assert_eq!(found, Ok(value.to_string()), "{text}");
        assert_eq!(spent, cost, "{text}");
    }
}

#[test]
fn operations_are_checked_again_when_they_are_made() {
    for (text, error) in [
        ("JSONPatch{op: dyn(1)}", "unexpected type int64 for JSONPatchType 'op' field"),
        (
            "JSONPatch{from: dyn(null)}",
            "unexpected type structpb.NullValue for JSONPatchType 'from' field",
        ),
        ("JSONPatch{nope: dyn(1)}", "unexpected JSONPatchType field: nope"),
        ("Object{?a: dyn(1)}", "cannot initialize optional entry 'a' from non-optional value 1"),
        ("Object{a: [1][5]}", "index out of bounds: 5"),
    ] {
        assert_eq!(evaluated(text).0, Err(error.to_string()), "{text}");
    }
}

#[test]
fn depth_is_bounded() {
    let mut text = String::from("1");
    for _ in 0..60 {
        text = format!("Object{{a: {text}}}");
    }
    assert!(environment().compile(&text).is_ok_and(|program| program.height() > 60));
    let chained = format!("[{}].map(a, Object{{a: a}})", "1,".repeat(40).trim_end_matches(','));
    assert!(evaluated(&chained).0.is_ok());
}

#[test]
fn a_key_may_be_optional() {
    let error = errors("object.data[");
    assert!(
        error.contains(
            "mismatched input '<EOF>' expecting {'[', '{', '(', '.', '-', '!', '?', 'true'"
        ),
        "{error}"
    );
}
