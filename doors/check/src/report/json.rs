//! One JSON document, stable and versioned.

use super::Report;
use crate::{Config, Finding, Judged, Outcome, Ruling, Summary};
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

/// What the findings were found with.
pub(crate) fn head(config: &Config) -> Value {
    let policy = &config.policy;
    json!({
        "targetVersion": policy.release.to_string(),
        "emulatedVersion": policy.emulated.to_string(),
        "behavior": policy.behavior.to_string(),
    })
}

/// One object and what there is to say about it.
pub(crate) fn object(judged: &Judged) -> Value {
    let (outcome, message) = match &judged.outcome {
        Outcome::Admitted => ("admitted", None),
        Outcome::Warned => ("warned", None),
        Outcome::Refused { message } => ("refused", Some(message.as_str())),
        Outcome::Skipped { why } => ("skipped", Some(why.as_str())),
        Outcome::Unreadable => ("unreadable", None),
    };
    let object = &judged.object;
    json!({
        "file": &*judged.file,
        "line": judged.line,
        "apiVersion": object.api_version,
        "kind": object.kind,
        "namespace": object.namespace,
        "name": object.name,
        "outcome": outcome,
        "message": message,
        "suppressed": judged.suppressed,
        "findings": judged.findings.iter().map(finding).collect::<Vec<_>>(),
    })
}

fn finding(finding: &Finding) -> Value {
    json!({
        "rule": finding.rule.id,
        "severity": finding.severity.word(),
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
        "policy": finding.policy.as_deref().map(ruling),
    })
}

/// The policy that says something.
pub(crate) fn ruling(ruling: &Ruling) -> Value {
    let label = ruling.label.as_ref();
    json!({
        "name": ruling.policy,
        "binding": ruling.binding,
        "validation": ruling.validation,
        "action": ruling.action,
        "file": label.map(|label| &*label.file),
        "line": label.map(|label| label.start.line),
        "column": label.map(|label| label.start.column),
        "field": label.map(|label| &label.field),
    })
}

/// The numbers.
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

/// Whether an object has anything to say; the many that are clean are only counted.
pub(crate) fn is_worth_a_row(judged: &Judged) -> bool {
    !judged.findings.is_empty()
        || judged.suppressed > 0
        || matches!(judged.outcome, Outcome::Skipped { .. })
}

impl Report for Json {
    fn begin(&mut self, out: &mut dyn Write) -> io::Result<()> {
        write!(out, "{{\n\"version\": \"{VERSION}\",\n\"policy\": {},\n\"objects\": [", self.head)
    }

    fn object(&mut self, judged: &Judged, out: &mut dyn Write) -> io::Result<()> {
        if !is_worth_a_row(judged) {
            return Ok(());
        }
        let comma = if std::mem::replace(&mut self.any, true) { "," } else { "" };
        write!(out, "{comma}\n{}", object(judged))
    }

    fn end(&mut self, numbers: &Summary, out: &mut dyn Write) -> io::Result<()> {
        writeln!(out, "\n],\n\"summary\": {}\n}}", summary(numbers))
    }
}
