//! `apply`: a verdict under the modes of its rules becomes the response.

use crate::excerpt::excerpt;
use crate::mode::Mode;
use crate::response::{AdmissionResponse, Finding, FindingVerdict};
use ratchet_engine::{Denial, Rule, Warning};
use ratchet_pipeline::Judged;
use std::collections::BTreeMap;

/// The most messages of one rule that an annotation of the audit event has.
const MOST_ANNOTATED: usize = 10;
/// The longest of them: each has the value that was sent.
const MAX_ANNOTATED: usize = 1024;

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
        let mode = mode_of(warning.rule);
        outcome.annotate(warning, mode);
    }
    let status = judged.status();
    let verdict = judged.verdict();
    let mut findings = outcome.findings;
    let refused = verdict.errors.iter().map(|error| {
        let message = format!("{}: {}", error.field, error.message());
        finding(error.rule, Mode::Enforce, FindingVerdict::Denied, error.field.clone(), message)
    });
    let denied = verdict.denial.iter().map(|denial| {
        let (verdict, field) = (FindingVerdict::Denied, String::new());
        finding(denial.rule, Mode::Enforce, verdict, field, denial.text.clone())
    });
    findings.extend(refused.chain(denied));
    findings.extend(verdict.warnings.iter().map(|warning| {
        let (rule, verdict) = (warning.rule, FindingVerdict::Warned);
        finding(rule, mode_of(rule), verdict, warning.field.clone(), warning.text.clone())
    }));
    let mut response = AdmissionResponse::of(uid, verdict, status, &outcome.warnings);
    response.audit_annotations.extend(outcome.annotations.into_iter().map(annotation));
    response.findings = findings;
    response
}

fn finding(
    rule: &'static Rule,
    mode: Mode,
    verdict: FindingVerdict,
    field: String,
    message: String,
) -> Finding {
    Finding { rule, mode, verdict, field, message }
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
        let verdict = match mode {
            Mode::Enforce | Mode::Warn => {
                self.warnings.push(format!("would violate {}: {message}", rule.id));
                FindingVerdict::Warned
            }
            Mode::Audit => {
                self.annotations.entry(rule.id).or_default().push(message.to_owned());
                FindingVerdict::Audited
            }
            Mode::Off => return,
        };
        self.findings.push(finding(rule, mode, verdict, field, message.to_owned()));
    }

    /// The same for a warning of the engine.
    fn annotate(&mut self, warning: Warning, mode: Mode) {
        if mode == Mode::Audit {
            let Warning { rule, field, text, .. } = warning;
            self.annotations.entry(rule.id).or_default().push(text.clone());
            self.findings.push(finding(rule, mode, FindingVerdict::Audited, field, text));
        }
    }
}

fn annotation((id, messages): (&'static str, Vec<String>)) -> (String, String) {
    let more = messages.len().saturating_sub(MOST_ANNOTATED);
    let first = messages.iter().take(MOST_ANNOTATED);
    let first: Vec<_> = first.map(|message| excerpt(message, MAX_ANNOTATED)).collect();
    let mut text = first.join("; ");
    if more > 0 {
        text.push_str(&format!("; and {more} more"));
    }
    (id.to_owned(), text)
}
