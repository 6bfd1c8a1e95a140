//! Fuzz target `cel`: expressions are refused with a message or evaluated within their budget, alike each time.

#![allow(clippy::unwrap_used, reason = "a helper of a test may fail like a test")]

use ratchet_cel::{Activation, Budget, Environment, EvalErrorKind, Type, Value};
use ratchet_object::{Limits, decode_json};
use std::sync::LazyLock;

const WORDS: &[&str] = &[
    "object",
    ".metadata",
    ".name",
    ".labels",
    ".list",
    ".number",
    "oldObject",
    "(",
    ")",
    "[",
    "]",
    "{",
    "}",
    ",",
    ":",
    "?",
    ".?",
    "[?",
    ".",
    "1",
    "1u",
    "1.5",
    "'a'",
    "\"b\"",
    "b'x'",
    "r'\\'",
    "+",
    "-",
    "*",
    "/",
    "%",
    "==",
    "!=",
    "<",
    "<=",
    " in ",
    " && ",
    " || ",
    "!",
    "true",
    "false",
    "null",
    "x",
    "y",
    ".map(x, ",
    ".filter(x, ",
    ".all(x, ",
    ".exists(x, ",
    ".exists_one(x, ",
    ".all(x, y, ",
    ".transformMap(x, y, ",
    "has(",
    "size(",
    "string(",
    "int(",
    "dyn(",
    "type(",
    "duration('1s')",
    "timestamp(0)",
    "optional.of(",
    "optional.none()",
    ".optMap(x, ",
    ".orValue(",
    ".matches('a+')",
    ".startsWith(",
    ".split(',')",
    ".join()",
    ".replace('', 'a')",
    "ip('10.0.0.1')",
    "cidr('10.0.0.0/8')",
    ".containsIP(",
    "quantity('1Ki')",
    ".format([",
    "//",
    "\n",
    "é",
    "\u{0}",
];

const OBJECT: &str =
    r#"{"metadata":{"name":"a","labels":{"a":"b","c":"d"}},"list":[1,2,{"x":[]}],"number":1.5}"#;

/// Little enough that every input is done at once.
const UNITS: u64 = 20_000;

struct Object<'t>(Value<'t>);

impl<'t> Activation<'t> for Object<'t> {
    fn variable(&self, name: &str) -> Option<Value<'t>> {
        (name == "object").then(|| self.0.clone())
    }
}

#[test]
fn cel() {
    ratchet_fuzz::fuzz!("cel", WORDS, check);
}

static ENVIRONMENT: LazyLock<Environment> = LazyLock::new(|| {
    Environment::kubernetes((1, 36)).with("object", Type::Dyn).with("oldObject", Type::Dyn)
});

fn check(text: &str) {
    let program = match ENVIRONMENT.compile(text) {
        Ok(program) => program,
        Err(issues) => {
            assert!(!issues.issues.is_empty());
            assert!(!issues.to_string().is_empty());
            return;
        }
    };
    let decoded = decode_json(OBJECT, Limits::DEFAULT).unwrap();
    let world = Object(Value::of(decoded.documents.first().unwrap()));
    let mut budget = Budget::new(UNITS);
    let first = program.evaluate(&world, &mut budget);
    let mut again = Budget::new(UNITS);
    let second = program.evaluate(&world, &mut again);
    assert_eq!(budget.spent(), again.spent(), "alike each time");
    match (&first, &second) {
        (Ok(one), Ok(other)) => assert_eq!(format!("{one:?}"), format!("{other:?}")),
        (Err(one), Err(other)) => assert_eq!(one, other),
        _ => panic!("once a value, once an error"),
    }
    // What ends within a budget ends alike within a larger one; what needs it all needs it all.
    let enough = Budget::new(UNITS * 2);
    let cut = first.as_ref().is_err_and(|error| error.kind == EvalErrorKind::OverBudget);
    if !cut && budget.spent() > 0 {
        let mut larger = enough;
        let third = program.evaluate(&world, &mut larger);
        assert_eq!(larger.spent(), budget.spent());
        assert_eq!(third.is_ok(), first.is_ok());
        let short = program.evaluate(&world, &mut Budget::new(budget.spent() - 1));
        assert!(short.is_err_and(|error| error.kind == EvalErrorKind::OverBudget));
    }
}
