//! Earlier audits: findings that a baseline suppresses, and what changed since.

use crate::finding::ObjectId;
use crate::{Finding, VERSION};
use serde::Deserialize;
use std::collections::HashMap;
use std::fs::File;
use std::io::BufReader;
use std::path::Path;

/// The findings of an earlier audit, by fingerprint.
#[derive(Debug, Default)]
pub(crate) struct Known {
    file: String,
    about: HashMap<String, String>,
}

/// What is read of a report.
#[derive(Deserialize)]
struct Report {
    version: String,
    #[serde(default)]
    findings: Vec<Row>,
}

#[derive(Deserialize)]
struct Row {
    fingerprint: String,
    object: ObjectId,
    field: String,
    rule: String,
    message: String,
}

impl Known {
    /// Reads the JSON report of an earlier audit; `flag` names it in errors.
    pub(crate) fn read(flag: &str, path: &Path) -> Result<Self, String> {
        let file = path.display().to_string();
        let failed = |why: &dyn std::fmt::Display| format!("{flag} {file}: {why}");
        let input = File::open(path).map_err(|error| failed(&error))?;
        let report: Report = serde_json::from_reader(BufReader::new(input))
            .map_err(|error| failed(&format!("no report of `ratchet audit -o json`: {error}")))?;
        if report.version != VERSION {
            return Err(failed(&format!(
                "its version is {:?}, not {VERSION:?}: write a new one with `ratchet audit -o json`",
                report.version
            )));
        }
        let about = |row: Row| {
            let Row { fingerprint, object, field, rule, message } = row;
            (fingerprint, format!("{rule} {} {field}: {message}", object.title()))
        };
        Ok(Self { about: report.findings.into_iter().map(about).collect(), file })
    }

    /// Whether the earlier audit has a finding.
    pub(crate) fn holds(&self, fingerprint: &str) -> bool {
        self.about.contains_key(fingerprint)
    }
}

/// What changed since an earlier audit.
#[derive(Debug)]
pub(crate) struct Changes {
    pub(crate) file: String,
    /// Findings of the earlier audit that have not been seen yet.
    gone: HashMap<String, String>,
    seen: HashMap<String, ()>,
    pub(crate) new: Vec<String>,
    pub(crate) unchanged: u64,
}

impl Changes {
    pub(crate) fn since(known: Known) -> Self {
        let Known { file, about } = known;
        Self { file, gone: about, seen: HashMap::new(), new: Vec::new(), unchanged: 0 }
    }

    pub(crate) fn compare(&mut self, finding: &Finding) {
        let fingerprint = &finding.fingerprint;
        if let Some((key, _)) = self.gone.remove_entry(fingerprint) {
            self.unchanged += 1;
            self.seen.insert(key, ());
        } else if self.seen.contains_key(fingerprint) {
            self.unchanged += 1;
        } else {
            self.new.push(fingerprint.clone());
        }
    }

    /// The findings that are gone, sorted.
    pub(crate) fn gone(&self) -> Vec<(&str, &str)> {
        let mut gone: Vec<(&str, &str)> =
            self.gone.iter().map(|(key, about)| (key.as_str(), about.as_str())).collect();
        gone.sort_unstable_by(|a, b| a.1.cmp(b.1));
        gone
    }
}
