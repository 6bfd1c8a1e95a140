//! The JSON report, in a versioned format.

use super::format::Report;
use crate::{CheckedObject, Config, Finding, Outcome, PolicyDecision, Summary};
use serde_json::{Value, json};
use std::io::{self, Write};

/// The version of the format: it changes when a member is renamed or removed.
pub(crate) const VERSION: &str = "ratchet.check/v1";

pub(crate) struct Json {
    head: Value,
    any: bool,
}

impl Json {
    pub(crate) fn new(config: &Config) -> Self {
        Self { head: head(config), any: false }
    }
}

/// The API configuration of the check.
pub(crate) fn head(config: &Config) -> Value {
    let config = &config.api_config;
    json!({
        "targetVersion": config.release.to_string(),
        "emulatedVersion": config.emulated.to_string(),
        "behavior": config.behavior.to_string(),
    })
}

/// One object with its findings.
pub(crate) fn object(checked: &CheckedObject) -> Value {
    let (outcome, message) = match &checked.outcome {
        Outcome::Admitted => ("admitted", None),
        Outcome::Warned => ("warned", None),
        Outcome::Refused { message } => ("refused", Some(message.as_str())),
        Outcome::Skipped { why } => ("skipped", Some(why.as_str())),
        Outcome::Unreadable => ("unreadable", None),
    };
    let object = &checked.object;
    json!({
        "file": &*checked.file,
        "line": checked.line,
        "apiVersion": object.api_version,
        "kind": object.kind,
        "namespace": object.namespace,
        "name": object.name,
        "outcome": outcome,
        "message": message,
        "suppressed": checked.suppressed,
        "findings": checked.findings.iter().map(finding).collect::<Vec<_>>(),
    })
}

fn finding(finding: &Finding) -> Value {
    json!({
        "rule": finding.rule.id,
        "severity": finding.severity.as_str(),
        "message": finding.message,
        "field": finding.field,
        "line": finding.start.line,
        "column": finding.start.column,
        "endLine": finding.end.line,
        "endColumn": finding.end.column,
        "fix": finding.fix,
        "hint": finding.hint,
        "help": finding.rule.fix,
        "notes": finding.notes,
        "fingerprint": finding.fingerprint,
        "policy": finding.policy.as_deref().map(decision),
    })
}

/// The policy decision behind a finding.
pub(crate) fn decision(decision: &PolicyDecision) -> Value {
    let label = decision.expression.as_ref();
    json!({
        "name": decision.policy,
        "binding": decision.binding,
        "validation": decision.validation,
        "action": decision.action,
        "file": label.map(|label| &*label.file),
        "line": label.map(|label| label.start.line),
        "column": label.map(|label| label.start.column),
        "field": label.map(|label| &label.field),
    })
}

/// The counts at the end of the report.
pub(crate) fn summary(summary: &Summary) -> Value {
    json!({
        "objects": summary.objects,
        "refused": summary.refused,
        "warned": summary.warned,
        "unreadable": summary.unreadable,
        "skipped": summary.skipped,
        "suppressed": summary.suppressed,
        "staleBaseline": summary.stale,
    })
}

/// Whether an object is listed; clean objects are only counted.
pub(crate) fn is_worth_a_row(checked: &CheckedObject) -> bool {
    !checked.findings.is_empty()
        || checked.suppressed > 0
        || matches!(checked.outcome, Outcome::Skipped { .. })
}

impl Report for Json {
    fn begin(&mut self, out: &mut dyn Write) -> io::Result<()> {
        write!(out, "{{\n\"version\": \"{VERSION}\",\n\"policy\": {},\n\"objects\": [", self.head)
    }

    fn object(&mut self, checked: &CheckedObject, out: &mut dyn Write) -> io::Result<()> {
        if !is_worth_a_row(checked) {
            return Ok(());
        }
        let comma = if std::mem::replace(&mut self.any, true) { "," } else { "" };
        write!(out, "{comma}\n{}", object(checked))
    }

    fn end(&mut self, numbers: &Summary, out: &mut dyn Write) -> io::Result<()> {
        writeln!(out, "\n],\n\"summary\": {}\n}}", summary(numbers))
    }
}
