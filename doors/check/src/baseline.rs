//! Findings that are known already: a baseline lets a check start strict in a house that is not.

use crate::Outcome;
use crate::finding::Judged;
use crate::inspect::outcome;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::path::Path;

/// Known findings, by fingerprint, with how often each was met.
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
        let word = |row: &Value, name: &str| {
            row.get(name).and_then(Value::as_str).unwrap_or_default().to_owned()
        };
        let known =
            rows.iter().map(|row| (word(row, "fingerprint"), (word(row, "about"), 0))).collect();
        Ok(Self { known })
    }

    /// Takes what is known out of what was found.
    pub(crate) fn apply(&mut self, judged: &mut Judged) {
        // What could not be judged cannot be known.
        if judged.outcome == Outcome::Unreadable {
            return;
        }
        let before = judged.findings.len();
        judged.findings.retain(|finding| match self.known.get_mut(&finding.fingerprint) {
            Some((_, met)) => {
                *met += 1;
                false
            }
            None => true,
        });
        judged.suppressed += before - judged.findings.len();
        if before != judged.findings.len() {
            let message = match &judged.outcome {
                Outcome::Refused { message } => Some(message.clone()),
                _ => None,
            };
            judged.outcome = outcome(&judged.findings, message);
        }
    }

    /// Known findings that were not met: they can be taken out of the file.
    pub(crate) fn stale(&self) -> impl Iterator<Item = &str> {
        self.known.values().filter(|(_, met)| *met == 0).map(|(about, _)| about.as_str())
    }

    /// Remembers what was found.
    pub(crate) fn record(&mut self, judged: &Judged) {
        if judged.outcome == Outcome::Unreadable {
            return;
        }
        for finding in &judged.findings {
            let about = format!(
                "{} {}: {} {}: {}",
                finding.rule.id,
                judged.file,
                judged.object.kind,
                judged.object.name,
                finding.message
            );
            self.known.insert(finding.fingerprint.clone(), (about, 1));
        }
    }

    /// Writes what was remembered.
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
