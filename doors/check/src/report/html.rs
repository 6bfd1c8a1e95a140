//! The HTML report: one file for people, which is written when the last object is known.

use super::format::Report;
use super::text::remarks;
use crate::finding::Severity;
use crate::{CheckedObject, Config, Finding, Outcome, Summary};
use ratchet_formats::count;
use ratchet_report::{
    Excerpt, Location, Note, ObjectRef, Owner, OwnerKind, RuleText, State, Subject,
};
use std::io::{self, Write};

/// Documents that could not be read and are named one by one; more of them are only counted.
const NAMED: usize = 20;

pub(crate) struct Html {
    report: ratchet_report::Report,
}

impl Html {
    pub(crate) fn new(config: &Config) -> Self {
        let api = &config.api_config;
        let emulated = if api.emulated == api.release {
            String::new()
        } else {
            format!(", emulating {}", api.emulated)
        };
        let paths: Vec<String> =
            config.inputs.iter().map(|path| path.display().to_string()).collect();
        Self {
            report: ratchet_report::Report {
                subject: Subject::Manifests,
                title: "Check of manifests".to_owned(),
                source: paths.join(", "),
                generator: concat!("ratchet ", env!("CARGO_PKG_VERSION")).to_owned(),
                targets: vec![format!("{}{emulated}", api.release)],
                behavior: api.behavior.to_string(),
                ..ratchet_report::Report::default()
            },
        }
    }

    fn finding(&self, checked: &CheckedObject, finding: &Finding) -> ratchet_report::Finding {
        let object = &checked.object;
        let value = finding.source.get(finding.marked.clone()).filter(|text| !text.is_empty());
        let mut message = finding.message.clone();
        for remark in remarks(finding) {
            message.push_str("; ");
            message.push_str(&remark);
        }
        ratchet_report::Finding {
            object: ObjectRef {
                api_version: object.api_version.clone(),
                kind: object.kind.clone(),
                namespace: object.namespace.clone(),
                name: object.name.clone(),
            },
            owner: Owner { kind: OwnerKind::File, name: checked.file.to_string() },
            field: finding.field.clone(),
            value: value.map(str::to_owned),
            fix: finding.fix.clone(),
            hint: finding.hint.clone(),
            rule: finding.rule.id.to_owned(),
            state: match finding.severity {
                Severity::Error => State::Error,
                Severity::Warning => State::Warning,
                Severity::Note => State::Note,
            },
            message,
            location: Some(Location {
                file: checked.file.to_string(),
                line: finding.start.line,
                column: finding.start.column,
                excerpt: (!finding.source.trim().is_empty()).then(|| Excerpt {
                    text: finding.source.clone(),
                    marked: finding.marked.clone(),
                }),
            }),
            target: self.report.targets.first().cloned().unwrap_or_default(),
        }
    }

    fn note(&mut self, is_gap: bool, text: String, fix: &str) {
        self.report.notes.push(Note { is_gap, text, fix: fix.to_owned() });
    }
}

impl Report for Html {
    fn object(&mut self, checked: &CheckedObject, _: &mut dyn Write) -> io::Result<()> {
        for finding in &checked.findings {
            let rule = finding.rule;
            if self.report.rules.iter().all(|known| known.id != rule.id) {
                self.report.rules.push(RuleText {
                    id: rule.id.to_owned(),
                    title: rule.title.to_owned(),
                    demands: rule.demands.to_owned(),
                    fix: rule.fix.to_owned(),
                });
            }
            let entry = self.finding(checked, finding);
            self.report.findings.push(entry);
        }
        if checked.outcome == Outcome::Unreadable && self.report.notes.len() < NAMED {
            let text = format!("{}:{}: the document could not be read", checked.file, checked.line);
            self.note(true, text, "");
        }
        Ok(())
    }

    fn end(&mut self, summary: &Summary, out: &mut dyn Write) -> io::Result<()> {
        self.report.objects = summary.objects;
        let named = self.report.notes.len() as u64;
        if summary.unreadable > named {
            let more = count(summary.unreadable - named, "more document");
            self.note(true, format!("{more} could not be read"), "");
        }
        let remarks = [
            (summary.skipped, "document", "skipped on purpose"),
            (summary.suppressed, "finding", "suppressed by an annotation or the baseline"),
            (summary.stale, "finding", "in the baseline and no longer found"),
        ];
        for (number, noun, what) in remarks.into_iter().filter(|(number, ..)| *number > 0) {
            self.note(false, format!("{}: {what}", count(number, noun)), "");
        }
        out.write_all(ratchet_report::render(&self.report).as_bytes())
    }
}
