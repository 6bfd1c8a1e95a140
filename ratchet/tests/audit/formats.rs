//! Formats of reports: each is what its readers expect, also where names are hostile.

use super::harness::{Folder, run_in};
use ratchet_object::{Limits, decode};
use serde_json::{Value, json};
use std::collections::BTreeSet;

/// A name that breaks out of most formats.
const HOSTILE: &str = "a\\\"b\n</testcase>]]>&#x0;{}=,\u{1b}[31m";

/// Objects of every state, one with a hostile name and owner, and a document that cannot be read.
fn dump() -> Folder {
    let service = |name: &str, ip: &str, annotations: Value| {
        json!({
            "apiVersion": "v1", "kind": "Service", "metadata": {"name": name, "namespace": "shop", "annotations": annotations},
            "spec": {"ports": [{"port": 80}], "externalIPs": [ip]},
        })
    };
    let pod = json!({
        "apiVersion": "v1", "kind": "Pod", "metadata": {"name": "p", "namespace": HOSTILE},
        "spec": {"containers": [{"name": "c", "image": "x"}], "dnsConfig": {"nameservers": ["010.0.0.1"]}},
    });
    let node = json!({"apiVersion": "v1", "kind": "Node", "metadata": {"name": "n"}, "spec": {"podCIDR": "10.0.0.0/08", "podCIDRs": ["10.0.0.0/08"]}});
    let items = [
        service("refused", "192.0.2.010", json!({})),
        service(HOSTILE, "192.0.2.020", json!({"meta.helm.sh/release-name": HOSTILE})),
        service("warned", "192.0.2.1", json!({})),
        pod,
        node,
    ];
    let folder = Folder::with(&[("broken.yaml", "{a: [\n")]);
    folder.write(
        "dump.json",
        json!({"apiVersion": "v1", "kind": "List", "items": items}).to_string(),
    );
    folder
}

fn audit(folder: &Folder, format: &str) -> super::Output {
    let output = run_in(&folder.path(""), &["audit", "-f", ".", "-o", format], b"", &[]);
    assert_eq!(output.code, 2, "{format}: {}", output.stderr);
    output
}

#[test]
fn sarif_has_the_members_that_its_readers_need() {
    let report = audit(&dump(), "sarif").json();
    assert_eq!(report["version"], "2.1.0");
    assert!(report["$schema"].as_str().unwrap().contains("sarif-2.1.0"));
    let run = &report["runs"][0];
    assert_eq!(run["tool"]["driver"]["name"], "ratchet");
    assert_eq!(run["invocations"][0]["executionSuccessful"], false);
    let rules = run["tool"]["driver"]["rules"].as_array().unwrap();
    let ids: BTreeSet<&str> = rules.iter().map(|rule| rule["id"].as_str().unwrap()).collect();
    assert_eq!(ids.len(), rules.len(), "an id is there twice");
    for rule in rules {
        for text in ["shortDescription", "fullDescription", "help"] {
            assert!(!rule[text]["text"].as_str().unwrap().is_empty(), "{rule}");
        }
    }
    let results = run["results"].as_array().unwrap();
    assert!(results.len() >= 5, "{results:?}");
    let mut prints = BTreeSet::new();
    for result in results {
        assert!(ids.contains(result["ruleId"].as_str().unwrap()), "{result}");
        assert!(matches!(result["level"].as_str(), Some("error" | "warning")), "{result}");
        assert!(!result["message"]["text"].as_str().unwrap().is_empty(), "{result}");
        let place = &result["locations"][0]["physicalLocation"];
        let uri = place["artifactLocation"]["uri"].as_str().unwrap();
        let is_uri = |c: char| c.is_ascii_alphanumeric() || "/.-_~+@%".contains(c);
        assert!(uri.starts_with("api/v1/") && uri.chars().all(is_uri), "{uri}");
        assert_eq!(place["region"]["startLine"], 1);
        prints.insert(result["partialFingerprints"]["ratchet/v1"].as_str().unwrap());
    }
    assert_eq!(prints.len(), results.len(), "two findings have one fingerprint");
}

/// Checks that a text is one well-formed XML element with what it needs around it; returns the names of all elements.
fn elements(xml: &str) -> Vec<String> {
    let rest = xml.strip_prefix("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n").unwrap();
    let is_text = |text: &str| {
        let is_char = |c: char| matches!(c, '\t' | '\n' | '\r' | ' '..='\u{fffd}' | '\u{10000}'..);
        let entities = ["amp;", "lt;", "gt;", "quot;", "#10;"];
        let mut parts = text.split('&').skip(1);
        text.chars().all(is_char)
            && !text.contains("]]>")
            && parts.all(|part| entities.iter().any(|entity| part.starts_with(entity)))
    };
    let (mut open, mut all): (Vec<String>, Vec<String>) = (Vec::new(), Vec::new());
    for piece in rest.split('<').skip(1) {
        let (tag, text) = piece.split_once('>').unwrap_or_else(|| panic!("{piece}"));
        assert!(is_text(text), "{text}");
        if let Some(name) = tag.strip_prefix('/') {
            assert_eq!(open.pop().as_deref(), Some(name));
            continue;
        }
        let (tag, is_empty) = tag.strip_suffix('/').map_or((tag, false), |tag| (tag, true));
        let (name, attributes) = tag.split_once(' ').unwrap_or((tag, ""));
        assert!(name.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'-'), "{name}");
        let mut rest = attributes;
        while !rest.is_empty() {
            let (name, after) = rest.split_once("=\"").unwrap_or_else(|| panic!("{rest}"));
            assert!(name.bytes().all(|byte| byte.is_ascii_lowercase()), "{name}");
            let (value, after) = after.split_once('"').unwrap();
            assert!(is_text(value), "{value}");
            rest = after.trim_start();
        }
        all.push(name.to_owned());
        if !is_empty {
            open.push(name.to_owned());
        }
    }
    assert!(open.is_empty(), "{open:?} are not closed");
    all
}

#[test]
fn junit_is_well_formed_and_its_numbers_are_right() {
    let output = audit(&dump(), "junit");
    let all = elements(&output.stdout);
    let count = |name: &str| all.iter().filter(|element| *element == name).count();
    let attribute = |name: &str| -> usize {
        let (_, rest) = output.stdout.split_once(&format!(" {name}=\"")).unwrap();
        rest.split('"').next().unwrap().parse().unwrap()
    };
    assert_eq!((count("testsuites"), count("testsuite")), (1, 1));
    assert_eq!(attribute("tests"), count("testcase"));
    assert_eq!(attribute("failures"), count("failure"));
    assert_eq!((attribute("errors"), count("error")), (1, 1));
    assert!(count("failure") >= 4 && count("system-out") >= 1, "{all:?}");
    assert!(output.stdout.contains("broken.yaml"), "{}", output.stdout);
}

/// The labels of a sample as `name="value"` pairs, with the value unescaped.
fn labels(mut text: &str) -> Vec<(String, String)> {
    let mut all = Vec::new();
    while !text.is_empty() {
        let (name, rest) = text.split_once("=\"").unwrap();
        let mut value = String::new();
        let mut letters = rest.char_indices();
        let end = loop {
            let (at, letter) = letters.next().unwrap();
            match letter {
                '"' => break at,
                '\\' => match letters.next().unwrap().1 {
                    'n' => value.push('\n'),
                    escaped @ ('\\' | '"') => value.push(escaped),
                    other => panic!("\\{other} is no escape"),
                },
                letter => value.push(letter),
            }
        };
        all.push((name.to_owned(), value));
        text = rest[end + 1..].trim_start_matches(',');
    }
    all
}

#[test]
fn prometheus_reads_the_metrics() {
    let output = audit(&dump(), "prometheus");
    let mut series = BTreeSet::new();
    let mut current = String::new();
    let mut heads = BTreeSet::new();
    for line in output.stdout.lines() {
        if let Some(rest) = line.strip_prefix("# HELP ") {
            let (name, help) = rest.split_once(' ').unwrap();
            assert!(heads.insert(name.to_owned()) && !help.is_empty(), "{line}");
            name.clone_into(&mut current);
            continue;
        }
        if let Some(rest) = line.strip_prefix("# TYPE ") {
            assert_eq!(rest, format!("{current} gauge"));
            continue;
        }
        let (id, value) = line.rsplit_once(' ').unwrap();
        let (name, rest) = id.split_once('{').unwrap_or((id, ""));
        assert_eq!(name, current, "a sample stands under another metric");
        labels(rest.strip_suffix('}').unwrap_or(rest));
        assert!(value.parse::<f64>().unwrap() >= 0.0, "{line}");
        assert!(series.insert(id.to_owned()), "{id} is there twice");
    }
    assert!(series.contains("ratchet_audit_unseen"), "{series:?}");
    let frozen = "ratchet_audit_objects{target=\"1.36\",state=\"frozen\"}";
    assert!(series.contains(frozen), "{series:?}");
}

#[test]
fn policy_reports_have_one_namespace_each_and_yaml_is_the_json() {
    let folder = dump();
    let list = audit(&folder, "policyreport").json();
    let mut places = BTreeSet::new();
    for report in list["items"].as_array().unwrap() {
        assert_eq!(report["apiVersion"], "wgpolicyk8s.io/v1alpha2");
        let place = report["metadata"].get("namespace").and_then(Value::as_str);
        let kind = if place.is_some() { "PolicyReport" } else { "ClusterPolicyReport" };
        assert_eq!(report["kind"], kind);
        assert!(places.insert(place.unwrap_or_default().to_owned()));
        let results = report["results"].as_array().unwrap();
        for outcome in ["fail", "warn"] {
            let number = results.iter().filter(|row| row["result"] == outcome).count();
            assert_eq!(report["summary"][outcome], number, "{report}");
        }
        for row in results {
            assert_eq!(row["resources"][0]["namespace"], place.unwrap_or_default());
            assert!(row["timestamp"]["seconds"].is_i64() && row["policy"].is_string(), "{row}");
        }
    }
    assert_eq!(places, BTreeSet::from([String::new(), HOSTILE.to_owned(), "shop".to_owned()]));
    let yaml = audit(&folder, "yaml").stdout;
    let decoded = decode(&yaml, Limits::STORED).unwrap().documents.remove(0);
    let yaml: Value = serde_json::from_str(&decoded.to_json()).unwrap();
    assert_eq!(yaml, audit(&folder, "json").json());
}
