//! Tests of YAML documents and the trees they become.

use super::*;
use alloc::string::ToString;

/// A tree in JSON, for comparing.
fn json(node: &Node<'_>) -> String {
    match &node.value {
        Value::Null => "null".into(),
        Value::Bool(truth) => truth.to_string(),
        Value::Int(number) => number.to_string(),
        Value::Float(number) => number.to_string(),
        Value::Text(text) => format!("{text:?}"),
        Value::List(items) => format!("[{}]", items.iter().map(json).collect::<Vec<_>>().join(",")),
        Value::Map(entries) => {
            let member = |entry: &Entry<'_>| format!("{:?}:{}", entry.key, json(&entry.node));
            format!("{{{}}}", entries.iter().map(member).collect::<Vec<_>>().join(","))
        }
    }
}

fn parsed_json(text: &str) -> String {
    match parse(text, Limits::DEFAULT) {
        Ok(decoded) => decoded.documents.iter().map(json).collect::<Vec<_>>().join(" "),
        Err(error) => format!("error at {}: {}", error.offset, error.message),
    }
}

#[test]
fn words_numbers_and_quotes() {
    assert_eq!(
        parsed_json("a: yes\nb: 'yes'\nc: 0777\nd: \"0777\"\ne:\nf: !!str 5\ng: 1_0"),
        r#"{"a":true,"b":"yes","c":511,"d":"0777","e":null,"f":"5","g":10}"#
    );
    assert_eq!(parsed_json("a: |\n  x\n  y\nb: >\n  x\n  y\n"), r#"{"a":"x\ny\n","b":"x y\n"}"#);
    assert_eq!(parsed_json("a: !!binary aGVsbG8="), r#"{"a":"hello"}"#);
    assert!(parsed_json("a: !!int x").contains("!!int"));
    assert!(parsed_json("a: .inf").contains("infinity"));
}

#[test]
fn keys_that_are_not_text_get_names() {
    assert_eq!(parsed_json("on: 1\n2: b\n1.5: c"), r#"{"true":1,"2":"b","1.5":"c"}"#);
    assert!(parsed_json("? [a]\n: b").contains("scalar"));
    assert!(parsed_json("~: b").contains("name must be"));
}

#[test]
fn aliases_repeat_and_merge_keys_merge() {
    assert_eq!(parsed_json("a: &x {p: 1}\nb: *x"), r#"{"a":{"p":1},"b":{"p":1}}"#);
    assert_eq!(
        parsed_json("base: &b {p: 1, q: 2}\nc:\n  <<: *b\n  q: 3"),
        r#"{"base":{"p":1,"q":2},"c":{"p":1,"q":3}}"#
    );
    assert_eq!(
        parsed_json("a: &a {p: 1}\nb: &b {p: 2, q: 2}\nc: {<<: [*a, *b]}"),
        r#"{"a":{"p":1},"b":{"p":2,"q":2},"c":{"p":1,"q":2}}"#
    );
    assert!(parsed_json("<<: 5").contains("merge key"));
    assert!(parsed_json("a: *nope").starts_with("error"));
}

#[test]
fn repeated_members_are_reported_with_their_path() {
    let text = "spec:\n  list:\n  - a: 1\n    a: 2\n  x: 1\n  x: 2\n";
    let decoded = parse(text, Limits::DEFAULT).unwrap();
    let paths: Vec<&str> = decoded.repeated.iter().map(|repeated| repeated.path.as_str()).collect();
    assert_eq!(paths, ["spec.list[0].a", "spec.x"]);
    assert_eq!(json(&decoded.documents[0]), r#"{"spec":{"list":[{"a":2}],"x":2}}"#);
}

#[test]
fn spans_point_at_what_was_written() {
    let text = "spec:\n  ips:\n  - 1.2.3.04 # odd\n  - \"::1\"\n";
    let decoded = parse(text, Limits::DEFAULT).unwrap();
    let ips = decoded.documents[0].get("spec").unwrap().get("ips").unwrap();
    let spellings: Vec<&str> = ips
        .items()
        .iter()
        .map(|item| &text[item.span.start as usize..item.span.end as usize])
        .collect();
    assert_eq!(spellings, ["1.2.3.04", "\"::1\""]);
}

#[test]
fn broken_documents_say_where() {
    for text in ["a: [1, 2", "a:\n\t- b", "a: b: c", "\"abc", "a: 'x\n", "}{", "- a\nb: c"] {
        assert!(parsed_json(text).starts_with("error at"), "{text}: {}", parsed_json(text));
    }
}

#[test]
fn a_few_lines_cannot_become_millions_of_values() {
    let mut text = String::from("a0: &a0 [x,x,x,x,x,x,x,x,x,x]\n");
    for level in 1..12 {
        let before = level - 1;
        let aliases = alloc::vec![format!("*a{before}"); 10].join(",");
        text.push_str(&format!("a{level}: &a{level} [{aliases}]\n"));
    }
    assert!(parsed_json(&text).contains("more than"));
    let deep = "[".repeat(400) + &"]".repeat(400);
    assert!(parsed_json(&deep).starts_with("error at"));
}

#[test]
fn an_empty_document_holds_nothing() {
    assert_eq!(parsed_json(""), "");
    assert_eq!(parsed_json("# only a comment\n"), "");
}

#[test]
fn a_long_text_cannot_be_repeated_into_gigabytes() {
    let long = "\\u00e9".repeat(50_000);
    let text = format!("a: &x \"{long}\"\nb: [{}]\n", alloc::vec!["*x"; 20_000].join(","));
    assert!(parsed_json(&text).contains("aliases repeat"), "{}", &parsed_json(&text)[..80]);
}

#[test]
fn repeated_members_are_reported_so_often_as_a_person_reads() {
    let text = "a: 1\n".repeat(5_000);
    assert_eq!(parse(&text, Limits::DEFAULT).unwrap().repeated.len(), MAX_REPEATED);
}
