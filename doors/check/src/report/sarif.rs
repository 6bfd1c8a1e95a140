//! SARIF 2.1.0, for code scanning: stable rule ids, fingerprints that survive edits.

use super::{Report, json as plain, remarks};
use crate::finding::{Passage, Ruling, Severity};
use crate::policies::RULES as OWN_RULES;
use crate::{Finding, Judged, Outcome, Summary};
use ratchet_engine::{RULES, Rule};
use serde_json::{Value, json};
use std::io::{self, Write};

#[derive(Default)]
pub(crate) struct Sarif {
    any: bool,
}

impl Report for Sarif {
    fn begin(&mut self, out: &mut dyn Write) -> io::Result<()> {
        let rules: Vec<Value> = RULES.iter().chain(OWN_RULES).map(|rule| described(rule)).collect();
        let driver = json!({
            "name": "ratchet",
            "semanticVersion": env!("CARGO_PKG_VERSION"),
            "rules": rules,
        });
        write!(
            out,
            "{{\"$schema\":\"https://json.schemastore.org/sarif-2.1.0.json\",\"version\":\"2.1.0\",\"runs\":[{{\"tool\":{{\"driver\":{driver}}},\"columnKind\":\"unicodeCodePoints\",\"results\":["
        )
    }

    fn object(&mut self, judged: &Judged, out: &mut dyn Write) -> io::Result<()> {
        for finding in &judged.findings {
            let comma = if std::mem::replace(&mut self.any, true) { "," } else { "" };
            write!(out, "{comma}\n{}", result(judged, finding))?;
        }
        Ok(())
    }

    fn end(&mut self, summary: &Summary, out: &mut dyn Write) -> io::Result<()> {
        let invocation = json!([{"executionSuccessful": summary.unreadable == 0}]);
        writeln!(out, "\n],\"invocations\":{invocation}}}]}}")
    }
}

fn described(rule: &Rule) -> Value {
    json!({
        "id": rule.id,
        "name": rule.title,
        "shortDescription": {"text": rule.title},
        "fullDescription": {"text": rule.demands},
        "help": {"text": format!("{}\n\n{}\n\n{}", rule.why, rule.fix, rule.versions)},
        "properties": {"tags": ["kubernetes", rule.origin.to_string()], "security-severity": severity(rule)},
    })
}

/// GitHub sorts alerts by this number.
fn severity(rule: &Rule) -> &'static str {
    match rule.origin {
        ratchet_engine::Origin::Kep(_) | ratchet_engine::Origin::PodSecurity => "7.0",
        ratchet_engine::Origin::Api => "3.0",
    }
}

fn result(judged: &Judged, finding: &Finding) -> Value {
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
    if let Outcome::Refused { message } = &judged.outcome {
        text.push_str(&format!("\nThe API answers: {message}"));
    }
    let mut result = json!({
        "ruleId": finding.rule.id,
        "level": level,
        "message": {"text": text},
        "locations": [{"physicalLocation": {
            "artifactLocation": {"uri": uri(&judged.file)},
            "region": {
                "startLine": finding.start.line,
                "startColumn": finding.start.column,
                "endLine": finding.end.line,
                "endColumn": finding.end.column.max(finding.start.column),
            },
        }}],
        "partialFingerprints": {"ratchet/v1": finding.fingerprint},
    });
    if let (Some(ruling), Some(members)) = (&finding.policy, result.as_object_mut()) {
        members.insert("properties".into(), json!({"policy": plain::ruling(ruling)}));
        members.insert("relatedLocations".into(), related(ruling));
    }
    result
}

/// Where the policy's expression stands.
fn related(ruling: &Ruling) -> Value {
    let place = |label: &Passage| {
        json!({
            "message": {"text": format!("{} of policy {}", label.field, ruling.policy)},
            "physicalLocation": {
                "artifactLocation": {"uri": uri(&label.file)},
                "region": {"startLine": label.start.line, "startColumn": label.start.column},
            },
        })
    };
    ruling.label.iter().map(place).collect()
}

/// A relative reference: letters that a URI may not hold are escaped.
fn uri(path: &str) -> String {
    let mut out = String::with_capacity(path.len());
    for byte in path.bytes() {
        match byte {
            b'A'..=b'Z'
            | b'a'..=b'z'
            | b'0'..=b'9'
            | b'/'
            | b'.'
            | b'-'
            | b'_'
            | b'~'
            | b'+'
            | b'@' => {
                out.push(char::from(byte));
            }
            b'\\' => out.push('/'),
            other => out.push_str(&format!("%{other:02X}")),
        }
    }
    out
}
