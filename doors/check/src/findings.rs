//! Collection of the findings about one document, with their positions and notes.

use crate::finding::{
    CheckedObject, Finding, ObjectName, Outcome, PolicyDecision, Severity, SourceLocation,
};
use ratchet_engine::rules::decoding;
use ratchet_engine::{
    ApiConfig, Behavior, Change, Choice, DIFFERENCES, Difference, Facts, Label, Release, Rule,
    Verdict, judge,
};
use ratchet_formats::fingerprint;
use ratchet_manifests::DocumentRef;
use ratchet_object::{At, LineColumn, LineIndex, Object, Span};
use std::cell::OnceCell;
use std::collections::BTreeSet;
use std::sync::Arc;

/// Positions up to this offset are looked up without an index.
const NEAR_START: u32 = 1024;

/// A document and its position in a file.
pub(crate) struct SourceDocument<'s> {
    file: &'s Arc<str>,
    document: &'s DocumentRef<'s>,
    text: &'s str,
    /// Built on the first lookup of a position.
    lines: OnceCell<LineIndex<'s>>,
}

/// Probe host fields that the current behavior reports and `Behavior::Proposal` does not.
pub(crate) struct Contested {
    fields: Vec<String>,
}

impl Contested {
    pub(crate) fn of(
        verdict: &Verdict,
        change: &Change<'_>,
        facts: &Facts<'_>,
        policy: &ApiConfig,
    ) -> Self {
        let fields = probe_host_fields(verdict);
        if fields.is_empty() || policy.behavior == Behavior::Proposal {
            return Self { fields: Vec::new() };
        }
        let other = ApiConfig { behavior: Behavior::Proposal, ..policy.clone() };
        let proposal_hosts = probe_host_fields(&judge(change, facts, &other));
        Self {
            fields: fields.into_iter().filter(|field| !proposal_hosts.contains(field)).collect(),
        }
    }
}

const PROBE_HOSTS: &str = "RTC-PSA-001";

fn probe_host_fields(verdict: &Verdict) -> Vec<String> {
    let labels = verdict.denial.iter().flat_map(|denial| &denial.labels);
    let labels = labels.chain(verdict.warnings.iter().flat_map(|warning| &warning.labels));
    labels.filter(|label| label.rule.id == PROBE_HOSTS).map(|label| label.field.clone()).collect()
}

/// The findings about one object while they are collected.
pub(crate) struct Findings<'p, 's> {
    source: &'p SourceDocument<'s>,
    /// The object without its findings.
    checked: CheckedObject,
    findings: Vec<Finding>,
    /// Number of findings beyond `MOST_FINDINGS`.
    omitted: usize,
}

/// The limit of findings per object: more help nobody and would fill memory.
const MOST_FINDINGS: usize = 100;

impl<'p, 's> Findings<'p, 's> {
    pub(crate) fn new(source: &'p SourceDocument<'s>, object: &Object<'_>) -> Self {
        let checked = source.checked_object(object, Outcome::Admitted);
        Self { source, checked, findings: Vec::new(), omitted: 0 }
    }

    pub(crate) fn add_verdict(
        &mut self,
        verdict: &Verdict,
        contested: &Contested,
        policy: &ApiConfig,
    ) {
        let release = policy.release;
        self.omitted += verdict.unlisted;
        // The API server reports some errors twice; one is enough for a reader.
        let mut seen = BTreeSet::new();
        for error in &verdict.errors {
            if self.is_full() {
                self.omitted += 1;
                continue;
            }
            let message = format!("{}: {}", error.field, error.message());
            if !seen.insert(message.clone()) {
                continue;
            }
            let mut finding =
                self.finding(Severity::Error, error.rule, &message, &error.field, error.span);
            finding.fix.clone_from(&error.fix);
            finding.hint.clone_from(&error.hint);
            if let Some(note) = error.difference.and_then(|row| note(row, release)) {
                finding.notes.extend([note, switch(policy.behavior)]);
            }
            self.findings.push(finding);
        }
        if let Some(denial) = &verdict.denial {
            let first = denial.labels.first();
            let (field, span) =
                first.map_or(("", Span::default()), |label| (label.field.as_str(), label.span));
            let mut finding = self.finding(Severity::Error, denial.rule, &denial.text, field, span);
            if self.labels(&mut finding, &denial.labels, contested, release) {
                finding.notes.push(switch(policy.behavior));
            }
            self.findings.push(finding);
        }
        for warning in &verdict.warnings {
            if self.is_full() {
                self.omitted += 1;
                continue;
            }
            let first = warning.labels.first();
            let (field, span) = first
                .map_or((warning.field.as_str(), warning.span), |label| (&label.field, label.span));
            let mut finding =
                self.finding(Severity::Warning, warning.rule, &warning.text, field, span);
            finding.fix.clone_from(&warning.fix);
            finding.notes.extend(warning.difference.and_then(|row| note(row, release)));
            self.labels(&mut finding, &warning.labels, contested, release);
            self.findings.push(finding);
        }
    }

    fn is_full(&self) -> bool {
        self.findings.len() >= MOST_FINDINGS
    }

    /// Adds the labels to a finding; returns whether `Behavior::Proposal` would not have reported one of them.
    fn labels(
        &mut self,
        finding: &mut Finding,
        labels: &[Label],
        contested: &Contested,
        release: Release,
    ) -> bool {
        if let Some(first) = labels.first() {
            finding.label.clone_from(&first.label);
        }
        for label in labels.iter().skip(1) {
            let line = self.position(label.span.start).line;
            let text = format!("line {line}: {}: {} ({})", label.field, label.label, label.rule.id);
            finding.notes.push(text);
        }
        let is_contested = labels.iter().any(|label| contested.fields.contains(&label.field));
        if is_contested {
            let row = DIFFERENCES.iter().find(|row| row.id == "loopback-probe-hosts");
            finding.notes.extend(row.and_then(|row| note(row, release)));
        }
        is_contested
    }

    /// Adds a finding about a field.
    pub(crate) fn add(
        &mut self,
        severity: Severity,
        rule: &'static Rule,
        message: &str,
        field: &str,
        span: Span,
    ) {
        if self.is_full() {
            self.omitted += 1;
        } else {
            let finding = self.finding(severity, rule, message, field, span);
            self.findings.push(finding);
        }
    }

    /// Adds a hint to the finding that was added last.
    pub(crate) fn hint_last(&mut self, hint: Option<String>) {
        if let Some(last) = self.findings.last_mut() {
            last.hint = hint;
        }
    }

    /// Adds a policy's decision about the object.
    pub(crate) fn add_policy_decision(
        &mut self,
        severity: Severity,
        rule: &'static Rule,
        message: &str,
        span: Span,
        decision: PolicyDecision,
    ) {
        if self.is_full() {
            self.omitted += 1;
            return;
        }
        let policy = Some(Box::new(decision));
        let finding = self.finding(severity, rule, message, "", span);
        self.findings.push(Finding { policy, ..finding });
    }

    fn finding(
        &mut self,
        severity: Severity,
        rule: &'static Rule,
        message: &str,
        field: &str,
        span: Span,
    ) -> Finding {
        let excerpt = Excerpt::of(self.source.text, span);
        let (start, end) = (self.position(span.start), self.position(excerpt.end));
        let name = &self.checked.object;
        let identity =
            [rule.id, self.source.file, &name.kind, &name.namespace, &name.name, field, message];
        Finding {
            rule,
            severity,
            message: message.to_owned(),
            field: field.to_owned(),
            start,
            end,
            source: excerpt.line,
            marked: excerpt.marked,
            label: rule.title.to_owned(),
            fix: None,
            hint: None,
            notes: Vec::new(),
            fingerprint: fingerprint(&identity),
            policy: None,
        }
    }

    /// The object with its findings; the last one notes how many were omitted.
    pub(crate) fn into_checked(mut self) -> CheckedObject {
        if self.omitted > 0
            && let Some(last) = self.findings.last_mut()
        {
            last.notes.push(format!("{} more findings in this object are not shown", self.omitted));
        }
        CheckedObject { findings: self.findings, ..self.checked }
    }

    fn position(&self, offset: u32) -> LineColumn {
        self.source.position(offset)
    }
}

/// A note that names the `--behavior` that a refusal depends on.
fn switch(behavior: Behavior) -> String {
    let other = match behavior {
        Behavior::Proposal => Behavior::Released,
        Behavior::Released => Behavior::Proposal,
    };
    format!("refused under --behavior {behavior}; --behavior {other} does not refuse it for this")
}

/// The note on a difference between the release and the proposal.
fn note(row: &Difference, release: Release) -> Option<String> {
    match row.choice {
        Choice::Switched { note } => {
            // A release older than the reference does not have the rule yet.
            let release = release.max(Release::REFERENCE);
            Some(note.replace("released Kubernetes", &format!("released {release}")))
        }
        Choice::AsReleased(_) | Choice::WordsOnly => None,
    }
}

/// The part of a source line around a span.
struct Excerpt {
    line: String,
    marked: core::ops::Range<usize>,
    /// Offset in the whole text of the end of the marked part.
    end: u32,
}

impl Excerpt {
    /// Number of bytes of a long line on either side of the mark.
    const AROUND: usize = 100;

    fn of(text: &str, span: Span) -> Self {
        let start = (span.start as usize).min(text.len());
        let before = text.get(..start).unwrap_or_default();
        let begin = memchr::memrchr(b'\n', before.as_bytes()).map_or(0, |at| at + 1);
        let rest = text.get(begin..).unwrap_or_default();
        let length = memchr::memchr(b'\n', rest.as_bytes()).unwrap_or(rest.len());
        let line = rest.get(..length).unwrap_or_default().trim_end_matches('\r');
        let from = (start - begin).min(line.len());
        let to = (span.end as usize).saturating_sub(begin).clamp(from, line.len());
        let mut first = from.saturating_sub(Self::AROUND);
        let mut last = (to.min(from + Self::AROUND) + Self::AROUND).min(line.len());
        while !line.is_char_boundary(first) {
            first -= 1;
        }
        while !line.is_char_boundary(last) {
            last += 1;
        }
        let excerpt = line.get(first..last).unwrap_or_default();
        let marked = from - first..to.min(last) - first;
        let end = Span::new(begin + to, begin + to).start;
        Self { line: excerpt.to_owned(), marked, end }
    }
}

impl<'s> SourceDocument<'s> {
    pub(crate) fn new(file: &'s Arc<str>, document: &'s DocumentRef<'s>, text: &'s str) -> Self {
        Self { file, document, text, lines: OnceCell::new() }
    }

    /// The location of a value in the file, with its source line.
    pub(crate) fn source_location(&self, at: &At<'_>) -> SourceLocation {
        let (file, field) = (Arc::clone(self.file), at.path().to_string());
        let Excerpt { line, marked, .. } = Excerpt::of(self.text, at.span());
        SourceLocation { file, field, start: self.position(at.span().start), source: line, marked }
    }

    /// Line and column in the file of a byte of the document.
    pub(crate) fn position(&self, offset: u32) -> LineColumn {
        // Most documents have one object and no finding: an index would cost more than it saves.
        let local = match self.lines.get() {
            None if offset < NEAR_START => LineColumn::of(self.text, offset),
            _ => self.lines.get_or_init(|| LineIndex::new(self.text)).line_column(offset),
        };
        let column =
            if local.line == 1 { local.column + self.document.column } else { local.column };
        LineColumn { line: local.line + self.document.line, column }
    }

    pub(crate) fn checked_object(&self, object: &Object<'_>, outcome: Outcome) -> CheckedObject {
        let name = ObjectName {
            api_version: object.api_version().to_owned(),
            kind: object.kind_name().to_owned(),
            namespace: object.namespace().to_owned(),
            name: object.name().to_owned(),
        };
        let line = self.position(object.node().span.start).line;
        CheckedObject {
            file: Arc::clone(self.file),
            line,
            object: name,
            outcome,
            findings: Vec::new(),
            suppressed: 0,
        }
    }

    fn without_object(&self, outcome: Outcome) -> CheckedObject {
        let object = ObjectName::default();
        let (file, line) = (Arc::clone(self.file), self.document.line + 1);
        CheckedObject { file, line, object, outcome, findings: Vec::new(), suppressed: 0 }
    }

    pub(crate) fn skipped(&self, why: &str) -> CheckedObject {
        self.without_object(Outcome::Skipped { why: why.to_owned() })
    }

    pub(crate) fn unreadable(&self, message: String, span: Span) -> CheckedObject {
        let checked = self.without_object(Outcome::Unreadable);
        let mut findings = Findings { source: self, checked, findings: Vec::new(), omitted: 0 };
        findings.add(Severity::Error, &decoding::UNREADABLE, &message, "", span);
        findings.into_checked()
    }
}
