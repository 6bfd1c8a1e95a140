//! The SARIF 2.1.0 report for code scanning, with stable rule ids and one location per node.

use crate::judge::{AuditedNode, Finding};
use crate::{RULES, Rule, Summary, Weight};
use ratchet_formats::escape_control;
use ratchet_formats::sarif::uri;
use serde_json::{Value, json};
use std::io::{self, Write};

pub(crate) fn write(
    audited: &[AuditedNode],
    summary: &Summary,
    out: &mut dyn Write,
) -> io::Result<()> {
    let rules: Vec<Value> = RULES.iter().map(|rule| rule_json(rule)).collect();
    let driver =
        json!({"name": "ratchet", "semanticVersion": env!("CARGO_PKG_VERSION"), "rules": rules});
    let results: Vec<Value> = audited
        .iter()
        .flat_map(|one| one.findings.iter().map(move |finding| result(one, finding)))
        .collect();
    let report = json!({
        "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
        "version": "2.1.0",
        "runs": [{
            "tool": {"driver": driver},
            "columnKind": "unicodeCodePoints",
            "results": results,
            "invocations": [{"executionSuccessful": summary.unknown == 0 && summary.nodes > 0}],
        }],
    });
    writeln!(out, "{}", escape_control(&report.to_string()))
}

fn rule_json(rule: &Rule) -> Value {
    json!({
        "id": rule.id,
        "name": rule.title,
        "shortDescription": {"text": rule.title},
        "fullDescription": {"text": rule.why},
        "help": {"text": rule.fix},
        "properties": {"tags": ["kubernetes", "KEP-4872"], "security-severity": severity(rule)},
    })
}

/// GitHub sorts alerts by this number.
fn severity(rule: &Rule) -> &'static str {
    match rule.weight {
        Weight::Fails => "7.0",
        Weight::Unknown => "5.0",
        Weight::Warns => "3.0",
    }
}

fn result(one: &AuditedNode, finding: &Finding) -> Value {
    let level = match finding.rule.weight {
        Weight::Fails => "error",
        Weight::Unknown | Weight::Warns => "warning",
    };
    let node = one.kubelet.node.as_str();
    let mut text = format!("{node}: {}", finding.message);
    for line in one.fix(finding).iter().chain(&one.evidence) {
        text.push('\n');
        text.push_str(line);
    }
    // An alert needs a file; a node has none, so its name is used.
    let place = one
        .file
        .as_ref()
        .map_or_else(|| format!("nodes/{node}"), |file| file.display().to_string());
    json!({
        "ruleId": finding.rule.id,
        "level": level,
        "message": {"text": text},
        "locations": [{
            "physicalLocation": {
                "artifactLocation": {"uri": uri(&place)},
                "region": {"startLine": 1, "startColumn": 1},
            },
            "logicalLocations": [{"name": node, "kind": "resource", "fullyQualifiedName": format!("nodes/{node}")}],
        }],
        "partialFingerprints": {"ratchet/v1": format!("{}:{node}", finding.rule.id)},
    })
}
