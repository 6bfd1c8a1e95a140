//! Tests of the offsets that evaluation errors carry.
#![allow(clippy::expect_used, reason = "a test may fail so")]

use ratchet_cel::{Activation, Budget, Environment, PER_CALL_LIMIT, Type, Value};
use ratchet_object::{Limits, Node, decode_json};

struct ObjectWorld<'t>(&'t Node<'t>);

impl<'t> Activation<'t> for ObjectWorld<'t> {
    fn variable(&self, name: &str) -> Option<Value<'t>> {
        (name == "object").then(|| Value::of(self.0))
    }
}

/// The expression, with `^` in front of the failing part, and a part of the message.
const CASES: &[(&str, &str)] = &[
    ("1 ^/ object.zero", "division by zero"),
    ("object.^nope", "no such key: nope"),
    ("object.list.^nope.deeper", "unsupported index type 'string' in list"),
    ("object.list^[7]", "index out of bounds: 7"),
    ("true &&\n  'é' == object.^nope", "no such key: nope"),
    ("object.list.all(x, 10 ^/ (x - 1) > 0)", "division by zero"),
    ("int^(object.name) > 1", "type conversion error"),
    ("ip^(object.name).family() == 4", "IP Address \"web\" parse error"),
    ("object.name ^+ object.zero == 'x'", "no such overload"),
    ("object.list.size() > 1 ? object.list^[9] == 1 : true", "index out of bounds: 9"),
];

#[test]
fn a_fault_knows_its_place() {
    let text = r#"{"zero": 0, "name": "web", "list": [1, 2]}"#;
    let decoded = decode_json(text, Limits::STORED).expect("reads");
    let object = decoded.documents.into_iter().next().expect("an object");
    let environment = Environment::kubernetes((1, 36)).with("object", Type::Dyn);
    for (marked, phrase) in CASES {
        let at = marked.chars().position(|letter| letter == '^').expect("a mark");
        let expression = marked.replace('^', "");
        let program = environment.compile(&expression).expect("compiles");
        let mut budget = Budget::new(PER_CALL_LIMIT);
        let error = program.evaluate(&ObjectWorld(&object), &mut budget).expect_err(&expression);
        assert!(error.message.contains(phrase), "{expression}: {error}");
        assert_eq!(error.at, u32::try_from(at).ok(), "{expression}: {error}");
    }
}
