//! Tests of hostile expressions: depth, size, and noise.

#![allow(clippy::expect_used, reason = "a helper of a test may fail like a test")]

mod world;

use proptest::prelude::*;
use ratchet_cel::{Activation, Budget, Environment, EvalErrorKind, Type, Value};
use ratchet_object::{Limits, decode_json};
use world::{Object, decoded, environment};

/// Runs in a thread with as little stack as servers give.
fn with_little_stack(run: impl FnOnce() + Send) {
    std::thread::scope(|scope| {
        let thread = std::thread::Builder::new().stack_size(2 << 20).spawn_scoped(scope, run);
        thread.expect("a thread").join().expect("no panic");
    });
}

fn try_out(environment: &Environment, text: &str) {
    let decoded = decoded();
    let tree = decoded.documents.first().expect("one document");
    let world = Object(Value::of(tree));
    if let Ok(program) = environment.compile(text) {
        let mut budget = Budget::new(10_000);
        let _ = program.evaluate(&world, &mut budget);
    }
}

#[test]
fn depth_is_refused_or_survived() {
    with_little_stack(|| {
        let environment = environment();
        for depth in [50, 127, 249, 1_000, 20_000] {
            for (open, middle, close) in [
                ("(", "1", ")"),
                ("[", "1", "]"),
                ("{1:", "1", "}"),
                ("dyn(", "1", ")"),
                ("!", "true", ""),
                ("-", "(1)", ""),
                ("true ? 1 : ", "2", ""),
                ("[1].map(x, ", "x", ")"),
                ("[1].all(x, true && ", "true", ")"),
                ("optional.of(", "1", ")"),
                ("1 + (", "1", ")"),
                ("[1][", "0", "]"),
                ("object[?", "'a'", "]"),
            ] {
                let text = format!("{}{middle}{}", open.repeat(depth), close.repeat(depth));
                try_out(&environment, &text);
            }
            for (start, more) in [
                ("1", "+1"),
                ("1", " < 1"),
                ("object", ".a"),
                ("object", "[0]"),
                ("true", " && true"),
                ("true", " || false"),
                ("[1]", "+[1]"),
            ] {
                try_out(&environment, &format!("{start}{}", more.repeat(depth)));
            }
        }
        for (open, close) in [("[1].map(x, ", ")"), ("[1].all(x, true && ", ")"), ("{1: ", "}")] {
            let (open, close) = (open.repeat(115), close.repeat(115));
            let (members, sum, order) = (".a".repeat(120), "+1".repeat(120), " < 1".repeat(120));
            try_out(&environment, &format!("{open}object{members}{sum}{order}{close}"));
        }
    });
}

#[test]
fn macros_that_double_are_refused() {
    let environment = environment();
    let text = format!("optional.of(1){}", ".optMap(x, x)".repeat(60));
    let issues = environment.compile(&text).unwrap_err().to_string();
    assert!(issues.contains("expression is too large once its macros are expanded"), "{issues}");
}

#[test]
fn long_expressions_are_refused() {
    let issues = environment().compile(&"1 ".repeat(60_000)).unwrap_err().to_string();
    assert_eq!(
        issues,
        "ERROR: <input>:-1:0: expression code point size exceeds limit: size: 120000, limit 100000"
    );
}

#[test]
fn loops_and_growing_texts_end_with_the_budget() {
    let environment = Environment::kubernetes((1, 36)).with("object", Type::Dyn);
    let long: String = "x".repeat(1 << 20);
    let world = Object(Value::from(long.as_str()));
    let numbers = format!("[{}]", vec!["1"; 1_000].join(","));
    for text in [
        format!("{numbers}.all(a, {numbers}.all(b, {numbers}.all(c, true)))"),
        format!("{numbers}.map(a, object + object + object)"),
        format!("{numbers}.map(a, {numbers}.map(b, {numbers}.map(c, c))).size()"),
    ] {
        let program = environment.compile(&text).expect("compiles");
        let error = program.evaluate(&world, &mut Budget::new(1_000_000)).map(|_| ()).unwrap_err();
        assert_eq!(error.kind, EvalErrorKind::OverBudget);
    }
}

#[test]
fn large_objects_are_compared_and_searched_in_time() {
    let count = 30_000;
    let members = |order: &mut dyn Iterator<Item = usize>| {
        let members: Vec<String> = order.map(|n| format!("\"k{n}\":{n}")).collect();
        format!("{{\"m\":{{{}}}}}", members.join(","))
    };
    let (one, other) = (members(&mut (0..count)), members(&mut (0..count).rev()));
    let limits = Limits::STORED;
    let one = decode_json(&one, limits).expect("JSON");
    let other = decode_json(&other, limits).expect("JSON");
    struct Two<'t>(Value<'t>, Value<'t>);
    impl<'t> Activation<'t> for Two<'t> {
        fn variable(&self, name: &str) -> Option<Value<'t>> {
            Some(if name == "object" { self.0.clone() } else { self.1.clone() })
        }
    }
    let world = Two(
        Value::of(one.documents.first().expect("one document")),
        Value::of(other.documents.first().expect("one document")),
    );
    let environment = environment();
    for (text, expected) in [
        ("object == oldObject", true),
        ("object.m.all(k, k in oldObject.m)", true),
        ("object.m.all(k, object.m[k] == oldObject.m[k])", true),
        ("object.m.exists(k, !has(oldObject.m.k77))", false),
    ] {
        let program = environment.compile(text).expect("compiles");
        let value = program.evaluate(&world, &mut Budget::new(10_000_000)).expect("a value");
        assert_eq!(value.as_bool(), Some(expected), "{text}");
    }
    // Comparing everything with everything is cut off, though its cost is low.
    let program = environment.compile("object.m.all(k, object != oldObject || true)");
    let program = program.expect("compiles");
    let error = program.evaluate(&world, &mut Budget::new(10_000_000)).map(|_| ()).unwrap_err();
    assert_eq!(error.kind, EvalErrorKind::OverBudget);
}

/// Fragments of expressions, so that random input comes close to valid ones.
const FRAGMENTS: &[&str] = &[
    "object",
    ".",
    "i",
    "l",
    "m",
    "(",
    ")",
    "[",
    "]",
    "{",
    "}",
    ",",
    ":",
    "?",
    "1",
    "1u",
    "1.5",
    "'a'",
    "b'x'",
    "+",
    "-",
    "*",
    "/",
    "%",
    "==",
    "<",
    "in",
    "&&",
    "||",
    "!",
    "true",
    "null",
    "x",
    ".map(x,",
    ".all(x,",
    "has(",
    "size(",
    "string(",
    ".?",
    "[?",
    "optional.of(",
    ".optMap(x,",
    "type(",
    "\"\"\"",
    "//",
    "\n",
    "duration('1s')",
];

proptest! {
    #![proptest_config(ProptestConfig::with_cases(512))]

    #[test]
    fn noise_never_panics(text in "\\PC{0,60}") {
        try_out(&environment(), &text);
    }

    #[test]
    fn words_never_panic(indices in proptest::collection::vec(0..FRAGMENTS.len(), 0..25)) {
        let text: Vec<&str> = indices.iter().filter_map(|index| FRAGMENTS.get(*index)).copied().collect();
        try_out(&environment(), &text.join(" "));
    }

    #[test]
    fn texts_mean_themselves(text in "\\PC{0,40}") {
        let quoted = format!("{text:?}");
        // Rust escapes some letters differently.
        prop_assume!(!quoted.contains("\\u{"));
        let program = Environment::kubernetes((1, 36)).compile(&quoted);
        let program = program.map_err(|issues| TestCaseError::fail(issues.to_string()))?;
        let value = program.evaluate(&Object(Value::Null), &mut Budget::new(0)).expect("a value");
        prop_assert_eq!(value.as_text(), Some(text.as_str()));
    }

    #[test]
    fn whole_numbers_mean_themselves(number: i64) {
        let program = Environment::kubernetes((1, 36)).compile(&number.to_string()).expect("a number");
        let value = program.evaluate(&Object(Value::Null), &mut Budget::new(0)).expect("a value");
        prop_assert_eq!(value.as_int(), Some(number));
    }

    #[test]
    fn order_and_equality_agree(a: i64, b: u64, c: f64) {
        let values = [Value::Int(a), Value::Uint(b), Value::Double(c)];
        for one in &values {
            for other in &values {
                let equal = one.compare(other) == Some(core::cmp::Ordering::Equal);
                prop_assert_eq!(one.equal(other), equal);
                prop_assert_eq!(one.compare(other).map(core::cmp::Ordering::reverse), other.compare(one));
            }
        }
    }
}
