//! `apply`: a verdict under the modes of its rules becomes the response.

use crate::mode::Mode;
use crate::response::{AdmissionResponse, Finding};
use ratchet_engine::{Denial, Rule};
use ratchet_pipeline::Judged;
use std::collections::BTreeMap;

/// The most messages of one rule that an annotation of the audit event has.
const MOST_ANNOTATED: usize = 10;

/// The response to a request by what was judged. Field errors of rules that are not enforced stand aside already.
pub(crate) fn apply(
    uid: String,
    judged: &mut Judged<'_>,
    mode_of: &dyn Fn(&'static Rule) -> Mode,
) -> AdmissionResponse {
    let mut outcome = Outcome::default();
    let verdict = judged.verdict_mut();
    let denial_mode = verdict.denial.as_ref().map(|denial| strictest(denial, mode_of));
    let unenforced = std::mem::take(&mut verdict.unenforced);
    if let Some(mode) = denial_mode.filter(|mode| *mode != Mode::Enforce)
        && let Some(denial) = verdict.denial.take()
    {
        let field = denial.labels.first().map(|label| label.field.clone());
        outcome.add(denial.rule, mode, field.unwrap_or_default(), &denial.text);
    }
    for error in &unenforced {
        let message = format!("{}: {}", error.field, error.message());
        outcome.add(error.rule, mode_of(error.rule), error.field.clone(), &message);
    }
    let milder = verdict.warnings.extract_if(.., |warning| mode_of(warning.rule) > Mode::Warn);
    for warning in milder.collect::<Vec<_>>() {
        outcome.annotate(warning.rule, mode_of(warning.rule), warning.text);
    }
    let status = judged.status();
    let verdict = judged.verdict();
    let mut findings = outcome.findings;
    let refused = verdict.errors.iter().map(|error| (error.rule, error.field.clone()));
    let denied = verdict.denial.iter().map(|denial| (denial.rule, String::new()));
    findings.extend(refused.chain(denied).map(|(rule, field)| Finding {
        rule,
        mode: Mode::Enforce,
        field,
    }));
    let warned = verdict.warnings.iter();
    findings.extend(warned.map(|warning| Finding {
        rule: warning.rule,
        mode: Mode::Warn,
        field: warning.field.clone(),
    }));
    let mut response = AdmissionResponse::of(uid, verdict, status, &outcome.warnings);
    response.audit_annotations.extend(outcome.annotations.into_iter().map(annotation));
    response.findings = findings;
    response
}

/// The strictest mode of the rules that a denial names.
fn strictest(denial: &Denial, mode_of: &dyn Fn(&'static Rule) -> Mode) -> Mode {
    let labelled = denial.labels.iter().map(|label| mode_of(label.rule)).min();
    labelled.unwrap_or_else(|| mode_of(denial.rule))
}

/// What is said instead of a refusal.
#[derive(Default)]
struct Outcome {
    warnings: Vec<String>,
    annotations: BTreeMap<&'static str, Vec<String>>,
    findings: Vec<Finding>,
}

impl Outcome {
    fn add(&mut self, rule: &'static Rule, mode: Mode, field: String, message: &str) {
        match mode {
            Mode::Enforce | Mode::Warn => {
                self.warnings.push(format!("would violate {}: {message}", rule.id));
            }
            Mode::Audit => {
                self.annotations.entry(rule.id).or_default().push(message.to_owned());
            }
            Mode::Off => return,
        }
        self.findings.push(Finding { rule, mode, field });
    }

    /// The same for a warning of the engine.
    fn annotate(&mut self, rule: &'static Rule, mode: Mode, text: String) {
        if mode == Mode::Audit {
            self.annotations.entry(rule.id).or_default().push(text);
            self.findings.push(Finding { rule, mode, field: String::new() });
        }
    }
}

fn annotation((id, messages): (&'static str, Vec<String>)) -> (String, String) {
    let more = messages.len().saturating_sub(MOST_ANNOTATED);
    let mut text = messages.into_iter().take(MOST_ANNOTATED).collect::<Vec<_>>().join("; ");
    if more > 0 {
        text.push_str(&format!("; and {more} more"));
    }
    (id.to_owned(), text)
}
