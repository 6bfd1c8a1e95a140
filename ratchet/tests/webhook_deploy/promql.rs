//! Names of metrics in a PromQL expression, and whether its brackets close.

/// Words that are no metrics: functions, operators and keywords that our expressions use.
const WORDS: &[&str] = &[
    "absent",
    "bool",
    "by",
    "count",
    "histogram_quantile",
    "increase",
    "max",
    "min",
    "on",
    "rate",
    "sort_desc",
    "sum",
    "time",
    "without",
];

/// The metrics of an expression; panics if it is not well-formed.
pub(crate) fn metrics(expression: &str) -> Vec<String> {
    let mut open = Vec::new();
    let mut names = Vec::new();
    let mut rest = expression;
    while let Some(letter) = rest.chars().next() {
        let is_name = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == ':';
        let word = rest.split(|c| !is_name(c)).next().unwrap_or_default();
        if letter == '"' {
            let end =
                rest[1..].find('"').unwrap_or_else(|| panic!("a quote is open: {expression}"));
            rest = &rest[end + 2..];
            continue;
        }
        if word.is_empty() {
            match letter {
                '(' | '[' | '{' => open.push(letter),
                ')' | ']' | '}' => {
                    let opened = open.pop().unwrap_or_else(|| panic!("closed twice: {expression}"));
                    assert!(
                        matches!((opened, letter), ('(', ')') | ('[', ']') | ('{', '}')),
                        "{expression}"
                    );
                }
                _ => {}
            }
            rest = &rest[letter.len_utf8()..];
            continue;
        }
        let after = rest[word.len()..].trim_start();
        // Labels stand in braces or after `by`, durations in brackets, numbers begin with a digit.
        let is_list = names.last().is_some_and(|last: &String| last == "by" || last == "without");
        let is_inside = matches!(open.last(), Some('{' | '['));
        let is_number = letter.is_ascii_digit();
        let is_word = WORDS.contains(&word) && (after.starts_with('(') || word == "by");
        if is_word || (!is_inside && !is_number && !is_list) {
            names.push(word.to_owned());
        }
        rest = &rest[word.len()..];
        if is_list && rest.trim_start().starts_with(')') {
            names.retain(|name| name != "by" && name != "without");
        }
    }
    assert!(open.is_empty(), "a bracket is open: {expression}");
    names.retain(|name| !WORDS.contains(&name.as_str()));
    names
}

#[test]
fn metrics_are_found() {
    let text =
        r#"sum by (le, pod) (rate(a_total{x="b_total", y=~"c"}[5m])) / min(d_e) - time() > 7 * 24"#;
    assert_eq!(metrics(text), ["a_total", "d_e"]);
    assert_eq!(metrics("absent(x_y)"), ["x_y"]);
}
