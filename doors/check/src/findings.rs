//! What is said about one document, as it is being said: findings with their places and notes.

use crate::documents::DocumentRef;
use crate::finding::{Finding, Judged, ObjectName, Outcome, Passage, Ruling, Severity};
use ratchet_engine::rules::decoding;
use ratchet_engine::{
    Behavior, Change, Choice, DIFFERENCES, Difference, Facts, Label, Policy, Release, Rule,
    Verdict, judge,
};
use ratchet_object::{At, LineIndex, Object, Place, Span};
use std::cell::OnceCell;
use std::collections::BTreeSet;
use std::sync::Arc;

/// A document and where it stands.
pub(crate) struct Page<'s> {
    file: &'s Arc<str>,
    sheet: &'s DocumentRef<'s>,
    text: &'s str,
    /// Made when the first place is asked for.
    lines: OnceCell<LineIndex<'s>>,
}

/// What the other behaviour would not have said.
pub(crate) struct Contested {
    hosts: Vec<String>,
}

impl Contested {
    pub(crate) fn of(
        verdict: &Verdict,
        change: &Change<'_>,
        facts: &Facts<'_>,
        policy: &Policy,
    ) -> Self {
        let hosts = host_fields(verdict);
        if hosts.is_empty() || policy.behavior == Behavior::Proposal {
            return Self { hosts: Vec::new() };
        }
        let other = Policy { behavior: Behavior::Proposal, ..policy.clone() };
        let kept = host_fields(&judge(change, facts, &other));
        Self { hosts: hosts.into_iter().filter(|field| !kept.contains(field)).collect() }
    }
}

const PROBE_HOSTS: &str = "RTC-PSA-001";

fn host_fields(verdict: &Verdict) -> Vec<String> {
    let labels = verdict.denial.iter().flat_map(|denial| &denial.labels);
    let labels = labels.chain(verdict.warnings.iter().flat_map(|warning| &warning.labels));
    labels.filter(|label| label.rule.id == PROBE_HOSTS).map(|label| label.field.clone()).collect()
}

/// What is said about one object, as it is being said.
pub(crate) struct Findings<'p, 's> {
    page: &'p Page<'s>,
    name: ObjectName,
    findings: Vec<Finding>,
    /// How many findings were left out, for there are too many.
    unsaid: usize,
    pub(crate) refusal: Option<String>,
}

/// More findings than this about one object help nobody, and would fill memory.
const MOST_FINDINGS: usize = 100;

impl<'p, 's> Findings<'p, 's> {
    pub(crate) fn new(page: &'p Page<'s>, object: &Object<'_>) -> Self {
        let name = page.judged(object, Outcome::Admitted).object;
        Self { page, name, findings: Vec::new(), unsaid: 0, refusal: None }
    }

    pub(crate) fn verdict(&mut self, verdict: &Verdict, contested: &Contested, policy: &Policy) {
        let release = policy.release;
        self.unsaid += verdict.unlisted;
        // The API repeats itself in places; a person need not read it twice.
        let mut heard = BTreeSet::new();
        for problem in &verdict.problems {
            if self.is_full() {
                self.unsaid += 1;
                continue;
            }
            let told = format!("{}: {}", problem.field, problem.message());
            if !heard.insert(told.clone()) {
                continue;
            }
            let mut finding =
                self.finding(Severity::Error, problem.rule, &told, &problem.field, problem.span);
            finding.fix.clone_from(&problem.fix);
            finding.hint.clone_from(&problem.hint);
            if let Some(note) = problem.difference.and_then(|row| note(row, release)) {
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
                self.unsaid += 1;
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

    /// The further places of a finding; says whether the other behaviour would not have named one of them.
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
            let line = self.place(label.span.start).line;
            let text = format!("line {line}: {}: {} ({})", label.field, label.label, label.rule.id);
            finding.notes.push(text);
        }
        let is_contested = labels.iter().any(|label| contested.hosts.contains(&label.field));
        if is_contested {
            let row = DIFFERENCES.iter().find(|row| row.id == "loopback-probe-hosts");
            finding.notes.extend(row.and_then(|row| note(row, release)));
        }
        is_contested
    }

    /// Says something about a place.
    pub(crate) fn say(
        &mut self,
        severity: Severity,
        rule: &'static Rule,
        message: &str,
        field: &str,
        span: Span,
    ) {
        if self.is_full() {
            self.unsaid += 1;
        } else {
            let finding = self.finding(severity, rule, message, field, span);
            self.findings.push(finding);
        }
    }

    /// Says what a policy has decided about the object.
    pub(crate) fn rule(
        &mut self,
        severity: Severity,
        rule: &'static Rule,
        message: &str,
        span: Span,
        ruling: Ruling,
    ) {
        if self.is_full() {
            self.unsaid += 1;
            return;
        }
        let policy = Some(Box::new(ruling));
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
        let excerpt = Excerpt::of(self.page.text, span);
        let (start, end) = (self.place(span.start), self.place(excerpt.end));
        let name = &self.name;
        let identity =
            [rule.id, self.page.file, &name.kind, &name.namespace, &name.name, field, message];
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

    /// What was found, and that there is more, if there is.
    pub(crate) fn into_findings(mut self) -> Vec<Finding> {
        if self.unsaid > 0
            && let Some(last) = self.findings.last_mut()
        {
            last.notes.push(format!("{} more findings in this object are not shown", self.unsaid));
        }
        self.findings
    }

    fn place(&self, offset: u32) -> Place {
        self.page.place(offset)
    }
}

/// Names the switch that a refusal depends on.
fn switch(behavior: Behavior) -> String {
    let other = match behavior {
        Behavior::Proposal => Behavior::Released,
        Behavior::Released => Behavior::Proposal,
    };
    format!("refused under --behavior {behavior}; --behavior {other} does not refuse it for this")
}

/// What a person is told where the release and the proposal part ways.
fn note(row: &Difference, release: Release) -> Option<String> {
    match row.choice {
        Choice::Switched { note } => {
            // A release before the rule is in force does not do it yet.
            let release = release.max(Release::REFERENCE);
            Some(note.replace("released Kubernetes", &format!("released {release}")))
        }
        Choice::AsReleased(_) | Choice::WordsOnly => None,
    }
}

/// The part of a line that is worth showing.
struct Excerpt {
    line: String,
    marked: core::ops::Range<usize>,
    /// Where the marked part ends in the whole text.
    end: u32,
}

impl Excerpt {
    /// How much of a long line is shown on either side of the mark.
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
        let shown = line.get(first..last).unwrap_or_default();
        let marked = from - first..to.min(last) - first;
        let end = Span::new(begin + to, begin + to).start;
        Self { line: shown.to_owned(), marked, end }
    }
}

/// A short name for a finding that survives edits elsewhere in the file (FNV-1a, 64 bits).
fn fingerprint(parts: &[&str]) -> String {
    let bytes = parts.iter().flat_map(|part| part.bytes().chain([0]));
    let hash = bytes.fold(0xcbf2_9ce4_8422_2325u64, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3)
    });
    format!("{hash:016x}")
}

impl<'s> Page<'s> {
    pub(crate) fn new(file: &'s Arc<str>, sheet: &'s DocumentRef<'s>, text: &'s str) -> Self {
        Self { file, sheet, text, lines: OnceCell::new() }
    }

    /// The place of a value of the document, with its line.
    pub(crate) fn passage(&self, at: &At<'_>) -> Passage {
        let (file, field) = (Arc::clone(self.file), at.path().to_string());
        let Excerpt { line, marked, .. } = Excerpt::of(self.text, at.span());
        Passage { file, field, start: self.place(at.span().start), source: line, marked }
    }

    /// The place of a byte of the document in its file.
    pub(crate) fn place(&self, offset: u32) -> Place {
        let local = self.lines.get_or_init(|| LineIndex::new(self.text)).place(offset);
        let column = if local.line == 1 { local.column + self.sheet.column } else { local.column };
        Place { line: local.line + self.sheet.line, column }
    }

    pub(crate) fn judged(&self, object: &Object<'_>, outcome: Outcome) -> Judged {
        let name = ObjectName {
            api_version: object.api_version().to_owned(),
            kind: object.kind_name().to_owned(),
            namespace: object.namespace().to_owned(),
            name: object.name().to_owned(),
        };
        let line = self.place(object.node().span.start).line;
        Judged {
            file: Arc::clone(self.file),
            line,
            object: name,
            outcome,
            findings: Vec::new(),
            suppressed: 0,
        }
    }

    fn bare(&self, outcome: Outcome) -> Judged {
        let object = ObjectName::default();
        let (file, line) = (Arc::clone(self.file), self.sheet.line + 1);
        Judged { file, line, object, outcome, findings: Vec::new(), suppressed: 0 }
    }

    pub(crate) fn skipped(&self, why: &str) -> Judged {
        self.bare(Outcome::Skipped { why: why.to_owned() })
    }

    pub(crate) fn unreadable(&self, message: String, span: Span) -> Judged {
        let name = ObjectName::default();
        let mut said =
            Findings { page: self, name, findings: Vec::new(), unsaid: 0, refusal: None };
        said.say(Severity::Error, &decoding::UNREADABLE, &message, "", span);
        Judged { findings: said.into_findings(), ..self.bare(Outcome::Unreadable) }
    }
}
