//! Kubernetes' own fixtures of every kind: protobuf decodes to the same tree as JSON.
//!
//! The fixtures are not part of this repository: `RATCHET_FIXTURES` names their folders, such as
//! `testdata/HEAD` of k8s.io/api, and `cargo xtask ci` runs the test where it is set.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    reason = "a helper of a test may fail like a test"
)]

use ratchet_object::{Limits, Node, Value, decode, proto, schema};
use std::collections::BTreeSet;
use std::io::Write;
use std::path::Path;

#[test]
#[ignore = "needs RATCHET_FIXTURES"]
fn protobuf_says_what_json_says() {
    let folders = std::env::var_os("RATCHET_FIXTURES").expect("RATCHET_FIXTURES is not set");
    let (mut compared, mut differences) = (BTreeSet::new(), Vec::new());
    for folder in std::env::split_paths(&folders) {
        for entry in std::fs::read_dir(&folder).unwrap() {
            let path = entry.unwrap().path();
            if path.extension().is_some_and(|end| end == "pb") {
                compared.extend(compare(&path, &mut differences));
            }
        }
    }
    let without = schema::KINDS.iter().map(|row| match row.group {
        "" => (row.version.to_owned(), row.kind.to_owned()),
        group => (format!("{group}/{}", row.version), row.kind.to_owned()),
    });
    let without: Vec<_> = without.filter(|kind| !compared.contains(kind)).collect();
    report(&format!("{} kinds compared; no fixture for {without:?}", compared.len()));
    assert!(!compared.is_empty());
    assert!(differences.is_empty(), "{}:\n{}", differences.len(), differences.join("\n"));
}

/// Compares one pair of files; returns the kind, if it is one that is decoded.
fn compare(path: &Path, differences: &mut Vec<String>) -> Option<(String, String)> {
    let bytes = std::fs::read(path).unwrap();
    let json = std::fs::read_to_string(path.with_extension("json")).unwrap();
    let json = decode(&json, Limits::DEFAULT).unwrap().documents.remove(0);
    let with_path = |message: &str| format!("{}: {message}", path.display());
    let node = match proto::decode(&bytes, Limits::DEFAULT) {
        Ok(node) => node,
        // Responses of the API server, and a WatchEvent, whose envelope is empty.
        Err(error)
            if ["has no protobuf form", "does not name a kind"]
                .iter()
                .any(|phrase| error.message.contains(phrase)) =>
        {
            return None;
        }
        Err(error) => {
            differences.push(with_path(&error.to_string()));
            return None;
        }
    };
    differ(&with_path(""), &node, &json, differences);
    for tree in [&node, &json] {
        let again = proto::decode(&proto::encode(tree).unwrap(), Limits::DEFAULT).unwrap();
        differ(&with_path("written again: "), &again, &json, differences);
    }
    Some((json.text_at(&["apiVersion"]).to_owned(), json.text_at(&["kind"]).to_owned()))
}

fn differ(path: &str, one: &Node<'_>, other: &Node<'_>, differences: &mut Vec<String>) {
    match (&one.value, &other.value) {
        (Value::Map(_), Value::Map(_)) => {
            let names = |node: &Node<'_>| {
                node.entries().iter().map(|entry| entry.key.to_string()).collect::<BTreeSet<_>>()
            };
            for name in &names(one) | &names(other) {
                let path = format!("{path}.{name}");
                match (one.get(&name), other.get(&name)) {
                    (Some(one), Some(other)) => differ(&path, one, other, differences),
                    (one, other) => differences.push(format!(
                        "{path}: {:?} is not {:?}",
                        one.map(Node::to_json),
                        other.map(Node::to_json)
                    )),
                }
            }
        }
        (Value::List(a), Value::List(b)) if a.len() == b.len() => {
            for (index, (a, b)) in a.iter().zip(b).enumerate() {
                differ(&format!("{path}[{index}]"), a, b, differences);
            }
        }
        _ if one == other => {}
        _ => differences.push(format!("{path}: {one} is not {other}")),
    }
}

fn report(text: &str) {
    // Not `eprintln!`, whose output is captured for tests that pass; an error here does no harm.
    let _ = writeln!(std::io::stderr(), "fixtures: {text}");
}
