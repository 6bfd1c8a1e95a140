//! Baseline files: known findings that do not count, so that an existing repository can start with strict checks.

use crate::Outcome;
use crate::finding::CheckedObject;
use crate::inspect::outcome;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::path::Path;

/// Known findings by fingerprint, each with its description and number of occurrences.
#[derive(Debug, Default)]
pub(crate) struct Baseline {
    known: BTreeMap<String, (String, u64)>,
}

const VERSION: u64 = 1;

impl Baseline {
    /// Reads a baseline file.
    pub(crate) fn read(path: &Path) -> Result<Self, String> {
        let failed = |why: &dyn std::fmt::Display| format!("--baseline {}: {why}", path.display());
        let text = std::fs::read_to_string(path).map_err(|error| failed(&error))?;
        let file: Value = serde_json::from_str(&text).map_err(|error| failed(&error))?;
        if file.get("version").and_then(Value::as_u64) != Some(VERSION) {
            return Err(failed(
                &"not a baseline of version 1: write a new one with --write-baseline",
            ));
        }
        let rows =
            file.get("findings").and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
        let text = |row: &Value, name: &str| {
            row.get(name).and_then(Value::as_str).unwrap_or_default().to_owned()
        };
        let known =
            rows.iter().map(|row| (text(row, "fingerprint"), (text(row, "about"), 0))).collect();
        Ok(Self { known })
    }

    /// Removes known findings from a checked object.
    pub(crate) fn apply(&mut self, checked: &mut CheckedObject) {
        // A baseline cannot suppress that a document is unreadable.
        if checked.outcome == Outcome::Unreadable {
            return;
        }
        let before = checked.findings.len();
        checked.findings.retain(|finding| match self.known.get_mut(&finding.fingerprint) {
            Some((_, occurrences)) => {
                *occurrences += 1;
                false
            }
            None => true,
        });
        checked.suppressed += before - checked.findings.len();
        if before != checked.findings.len() {
            let message = match &checked.outcome {
                Outcome::Refused { message } => Some(message.clone()),
                _ => None,
            };
            checked.outcome = outcome(&checked.findings, message);
        }
    }

    /// Descriptions of known findings that did not occur; they can be removed from the file.
    pub(crate) fn stale(&self) -> impl Iterator<Item = &str> {
        self.known
            .values()
            .filter(|(_, occurrences)| *occurrences == 0)
            .map(|(about, _)| about.as_str())
    }

    /// Adds an object's findings to the baseline.
    pub(crate) fn record(&mut self, checked: &CheckedObject) {
        if checked.outcome == Outcome::Unreadable {
            return;
        }
        for finding in &checked.findings {
            let about = format!(
                "{} {}: {} {}: {}",
                finding.rule.id,
                checked.file,
                checked.object.kind,
                checked.object.name,
                finding.message
            );
            self.known.insert(finding.fingerprint.clone(), (about, 1));
        }
    }

    /// Writes the baseline file.
    pub(crate) fn write(&self, path: &Path) -> Result<(), String> {
        let rows: Vec<Value> = self
            .known
            .iter()
            .map(|(fingerprint, (about, _))| json!({"fingerprint": fingerprint, "about": about}))
            .collect();
        let file = json!({"version": VERSION, "findings": rows});
        std::fs::write(path, format!("{file:#}\n"))
            .map_err(|error| format!("--write-baseline {}: {error}", path.display()))
    }
}
