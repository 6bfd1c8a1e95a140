//! Tables of expressions with the results of kube-apiserver's evaluator: value, type, cost, messages.

mod world;

use ratchet_cel::{Budget, PER_CALL_LIMIT, Value};
use world::{Object, decoded, environment, format_value};

fn plain(cell: &str) -> String {
    cell.replace("\\n", "\n").replace("\\t", "\t").replace("\\\\", "\\")
}

fn rows(table: &'static str) -> impl Iterator<Item = Vec<String>> {
    table.lines().map(|line| line.split('\t').map(unescaped).collect())
}

/// A cell, with `\\`, `\n` and `\t` as escapes.
fn unescaped(cell: &str) -> String {
    let mut out = String::new();
    let mut letters = cell.chars();
    while let Some(letter) = letters.next() {
        match letter {
            '\\' => out.push_str(&plain(&format!("\\{}", letters.next().unwrap_or('\\')))),
            other => out.push(other),
        }
    }
    out
}

#[test]
fn values_types_and_costs() {
    let decoded = decoded();
    let tree = decoded.documents.first().expect("one document");
    let world = Object(Value::of(tree));
    let environment = environment();
    let mut count = 0;
    for row in rows(include_str!("tables/values.tsv")) {
        let [text, ty, expected, cost] = row.as_slice() else { panic!("four cells: {row:?}") };
        count += 1;
        let program = match environment.compile(text) {
            Ok(program) => program,
            Err(issues) => {
                assert!(issues.instantiation, "{text}: {issues}");
                assert_eq!(format!("!! {issues}"), *expected, "{text}");
                continue;
            }
        };
        assert_eq!(program.result().full_name(), *ty, "{text}");
        let mut budget = Budget::new(PER_CALL_LIMIT);
        let formatted = match program.evaluate(&world, &mut budget) {
            Ok(value) => format_value(&value),
            Err(error) => format!("! {error}"),
        };
        assert_eq!(formatted, *expected, "{text}");
        assert_eq!(budget.spent().to_string(), *cost, "{text}");
        // One unit less than it needs cuts it off; exactly enough does not.
        let needed = budget.spent();
        if needed > 0 {
            let cut = program.evaluate(&world, &mut Budget::new(needed - 1)).map(|_| ());
            assert_eq!(cut.unwrap_err().message, ratchet_cel::OVER_BUDGET, "{text}");
        }
    }
    assert!(count > 500, "{count} rows");
}

#[test]
fn words_for_what_is_wrong() {
    let environment = environment();
    let mut count = 0;
    for row in rows(include_str!("tables/issues.tsv")) {
        let [text, expected] = row.as_slice() else { panic!("two cells: {row:?}") };
        count += 1;
        match environment.compile(text) {
            Ok(_) => panic!("{text} compiles"),
            Err(issues) if expected.contains("Syntax error") => {
                let first = expected.lines().next().unwrap_or_default();
                assert_eq!(issues.to_string().lines().next().unwrap_or_default(), first, "{text}");
            }
            Err(issues) => assert_eq!(issues.to_string(), *expected, "{text}"),
        }
    }
    assert!(count > 150, "{count} rows");
}
