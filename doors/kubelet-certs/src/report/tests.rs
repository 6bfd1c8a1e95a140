//! Tests of reports about certificates with hostile contents.

use super::*;
use crate::judge::{Finding, Outcome};
use crate::nodes::{Address, Kubelet};
use crate::{Source, rule};
use proptest::prelude::*;
use ratchet_certificate::{Facts, Key, NodeName, Shape};
use serde_json::Value;
use std::time::Duration;

const FORMATS: [OutputFormat; 6] = [
    OutputFormat::Table,
    OutputFormat::Json,
    OutputFormat::Sarif,
    OutputFormat::Markdown,
    OutputFormat::Html,
    OutputFormat::Prometheus,
];

fn config(output: OutputFormat) -> Config {
    Config {
        source: Source::Offline("x".into()),
        names: Vec::new(),
        address_types: Vec::new(),
        authority: None,
        expiry_warning: Duration::ZERO,
        output,
        colour: false,
        progress: false,
        now: 0,
    }
}

fn audited(node: &str, hostile: &str) -> AuditedNode {
    let node = NodeName::new(node).unwrap();
    let facts = Facts {
        common_names: vec![hostile.to_owned(), hostile.to_owned()],
        organizations: vec![hostile.to_owned()],
        subject: hostile.to_owned(),
        issuer: hostile.to_owned(),
        issuer_common_names: vec![hostile.to_owned()],
        dns_names: vec![hostile.to_owned()],
        addresses: Vec::new(),
        other_names: 0,
        not_before: i64::MIN,
        not_after: i64::MAX,
        is_self_issued: true,
        is_ca: false,
        serial: String::new(),
        key: Key::Other(hostile.to_owned()),
        usages: Vec::new(),
    };
    let address = Address { kind: hostile.to_owned(), text: hostile.to_owned() };
    let shape = Shape::of(&facts, &node);
    AuditedNode {
        kubelet: Kubelet {
            node,
            addresses: vec![address],
            host: Some(hostile.to_owned()),
            port: 1,
        },
        via: "direct",
        file: None,
        facts: Some(Box::new(facts)),
        shape: Some(shape),
        today: Some(Err(hostile.to_owned())),
        outcome: Outcome::WouldFail,
        findings: vec![Finding { rule: &rule::NAME, message: hostile.to_owned() }],
        evidence: vec![hostile.to_owned()],
    }
}

fn written(output: OutputFormat, all: &[AuditedNode]) -> String {
    let mut out = Vec::new();
    write(&config(output), all, &Summary::of(all), &mut out).unwrap();
    String::from_utf8(out).unwrap()
}

proptest! {
    #[test]
    fn nothing_steers_a_terminal_or_leaves_its_cell(hostile in "(?s).{0,80}") {
        let all = [audited("a", &hostile), audited("b", "plain")];
        for format in FORMATS {
            let text = written(format, &all);
            prop_assert!(text.chars().all(|c| c == '\n' || !c.is_control()), "{text:?}");
        }
        let table = written(OutputFormat::Table, &all);
        prop_assert!(table.is_ascii());
        let lines: Vec<&str> = table.lines().take(3).collect();
        let column = lines[0].find("ENFORCEMENT").unwrap();
        for line in &lines[1..] {
            prop_assert_eq!(line.get(column..), Some("would fail: common name"));
        }
        let markdown = written(OutputFormat::Markdown, &all);
        for line in markdown.lines().take(4) {
            let bars = line.replace("\\\\", "").replace("\\|", "").matches('|').count();
            prop_assert_eq!(bars, 9, "{}", line);
        }
        for format in [OutputFormat::Json, OutputFormat::Sarif] {
            prop_assert!(serde_json::from_str::<Value>(&written(format, &all)).is_ok());
        }
    }
}

#[test]
fn long_texts_are_cut() {
    let text = written(OutputFormat::Table, &[audited("a", &"x".repeat(100_000))]);
    assert!(text.len() < 10_000, "{}", text.len());
    assert!(text.contains("xxx..."));
}

#[test]
fn nobody_is_reported_in_every_format() {
    for format in FORMATS {
        let text = written(format, &[]);
        assert!(text.ends_with('\n'), "{text}");
    }
    assert!(written(OutputFormat::Table, &[]).contains("0 nodes"));
}

#[test]
fn colour_is_only_where_it_is_wanted() {
    let all = [audited("a", "x")];
    let mut out = Vec::new();
    let config = Config { colour: true, ..config(OutputFormat::Table) };
    write(&config, &all, &Summary::of(&all), &mut out).unwrap();
    assert!(String::from_utf8(out).unwrap().contains("\u{1b}[31mwould fail: common name\u{1b}[0m"));
}

#[test]
fn a_way_out_is_told_once() {
    let all: Vec<AuditedNode> = (0..20).map(|number| audited(&format!("n{number}"), "x")).collect();
    let text = written(OutputFormat::Table, &all);
    assert_eq!(text.matches("Fix: ").count(), 1, "{text}");
    assert!(text.contains("[20 nodes: n0, n1, n2, n3, n4, n5, n6, n7 and 12 more]"), "{text}");
}

#[test]
fn exit_codes_are_those_of_a_check() {
    let summary = |pass, fail, unknown| Summary {
        nodes: pass + fail + unknown,
        pass,
        fail,
        unknown,
        warned: 0,
    };
    for (numbers, code) in
        [((3, 0, 0), 0), ((3, 1, 0), 1), ((3, 0, 1), 2), ((3, 1, 1), 2), ((0, 0, 0), 2)]
    {
        assert_eq!(summary(numbers.0, numbers.1, numbers.2).exit_code(), code, "{numbers:?}");
    }
}
