//! The SARIF 2.1.0 report for code scanning, with stable rule ids and fingerprints.

use super::format::Report;
use super::json as plain;
use super::text::remarks;
use crate::finding::{PolicyDecision, Severity, SourceLocation};
use crate::policies::RULES as OWN_RULES;
use crate::{CheckedObject, Finding, Outcome, Summary};
use ratchet_engine::RULES;
use ratchet_formats::sarif::{self, uri};
use serde_json::{Value, json};
use std::io::{self, Write};

#[derive(Default)]
pub(crate) struct Sarif {
    any: bool,
}

impl Report for Sarif {
    fn begin(&mut self, out: &mut dyn Write) -> io::Result<()> {
        let rules: Vec<Value> =
            RULES.iter().chain(OWN_RULES).map(|rule| sarif::rule(rule)).collect();
        sarif::begin(out, &rules)
    }

    fn object(&mut self, checked: &CheckedObject, out: &mut dyn Write) -> io::Result<()> {
        for finding in &checked.findings {
            let comma = if std::mem::replace(&mut self.any, true) { "," } else { "" };
            write!(out, "{comma}\n{}", result(checked, finding))?;
        }
        Ok(())
    }

    fn end(&mut self, summary: &Summary, out: &mut dyn Write) -> io::Result<()> {
        sarif::end(out, summary.unreadable == 0)
    }
}

fn result(checked: &CheckedObject, finding: &Finding) -> Value {
    let level = match finding.severity {
        Severity::Error => "error",
        Severity::Warning => "warning",
        Severity::Note => "note",
    };
    let mut text = finding.message.clone();
    if let Some(fix) = &finding.fix {
        text.push_str(&format!("\nwrite {fix}"));
    }
    for note in finding.hint.iter().cloned().chain(remarks(finding)) {
        text.push_str(&format!("\n{note}"));
    }
    if let Outcome::Refused { message } = &checked.outcome {
        text.push_str(&format!("\nThe API answers: {message}"));
    }
    let mut result = json!({
        "ruleId": finding.rule.id,
        "level": level,
        "message": {"text": text},
        "locations": [{"physicalLocation": {
            "artifactLocation": {"uri": uri(&checked.file)},
            "region": {
                "startLine": finding.start.line,
                "startColumn": finding.start.column,
                "endLine": finding.end.line,
                "endColumn": finding.end.column.max(finding.start.column),
            },
        }}],
        "partialFingerprints": {"ratchet/v1": finding.fingerprint},
    });
    if let (Some(decision), Some(members)) = (&finding.policy, result.as_object_mut()) {
        members.insert("properties".into(), json!({"policy": plain::decision(decision)}));
        members.insert("relatedLocations".into(), related(decision));
    }
    result
}

/// The location of the policy's expression.
fn related(decision: &PolicyDecision) -> Value {
    let place = |label: &SourceLocation| {
        json!({
            "message": {"text": format!("{} of policy {}", label.field, decision.policy)},
            "physicalLocation": {
                "artifactLocation": {"uri": uri(&label.file)},
                "region": {"startLine": label.start.line, "startColumn": label.start.column},
            },
        })
    };
    decision.expression.iter().map(place).collect()
}
