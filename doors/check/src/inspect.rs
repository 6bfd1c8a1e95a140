//! One document becomes judged objects: decoded, paired with what is stored, and put to the engine.

use crate::against::Stored;
use crate::documents::{Sheet, Unfit};
use crate::finding::{Finding, Judged, ObjectName, Outcome, Severity};
use crate::lent::Lent;
use crate::suppress::{ANNOTATION, Exceptions};
use crate::{Config, FieldValidation, helm};
use ratchet_engine::rules::decoding;
use ratchet_engine::{
    Behavior, Change, Choice, DIFFERENCES, Difference, EXISTING_PODS_BUDGET, Existing, Facts,
    Namespace, Policy, Release, Rule, Spot, Status, Verdict, judge, needs,
};
use ratchet_object::{
    Limits, LineIndex, Node, Object, Oddity, Place, Repeated, Scope, Span, Value, decode, misfits,
    schema,
};
use std::sync::Arc;

/// What every document is judged by.
pub(crate) struct Inspector<'c> {
    pub(crate) config: &'c Config,
    pub(crate) lent: &'c Lent,
    pub(crate) stored: Option<&'c Stored>,
}

/// A document and where it stands.
struct Page<'s> {
    file: &'s Arc<str>,
    sheet: &'s Sheet<'s>,
    text: &'s str,
}

impl Inspector<'_> {
    /// Judges every object of a document.
    pub(crate) fn inspect(&self, file: &Arc<str>, sheet: &Sheet<'_>, judged: &mut Vec<Judged>) {
        let text = match sheet.text {
            Ok(text) => text,
            Err(unfit) => {
                let page = Page { file, sheet, text: "" };
                let why = match unfit {
                    Unfit::TooLarge => {
                        "the document is larger than 4 MiB; the API takes at most 3 MiB"
                    }
                    Unfit::NotUtf8 => "the document is not UTF-8",
                };
                return judged.push(page.unreadable(why.into(), Span::default()));
            }
        };
        let page = Page { file, sheet, text };
        if helm::is_template(text) {
            return judged.push(page.skipped(
                "a Helm template that is not rendered: run `helm template` and check its output",
            ));
        }
        let decoded = match decode(text, Limits::DEFAULT) {
            Ok(decoded) => decoded,
            Err(error) => {
                let span = Span { start: error.offset, end: error.offset };
                return judged.push(page.unreadable(error.message, span));
            }
        };
        let repeated = decoded.repeated;
        for node in decoded.documents.into_iter().flat_map(objects_of) {
            let here = |row: &&Repeated| {
                node.span.start <= row.span.start && row.span.end <= node.span.end
            };
            let repeated: Vec<&Repeated> = repeated.iter().filter(here).collect();
            judged.push(self.object(&page, &Object::new(node), &repeated));
        }
    }

    fn object(&self, page: &Page<'_>, object: &Object<'_>, repeated: &[&Repeated]) -> Judged {
        let span = object.node().span;
        if !matches!(object.node().value, Value::Map(_)) {
            return page.unreadable("a manifest must be an object".into(), span);
        }
        if object.kind_name().is_empty() || object.api_version().is_empty() {
            let looks_like_one = ["kind", "apiVersion", "metadata"]
                .iter()
                .any(|name| object.node().get(name).is_some());
            return if looks_like_one {
                let missing = if object.kind_name().is_empty() { "Kind" } else { "apiVersion" };
                page.unreadable(format!("Object '{missing}' is missing"), first_key(object))
            } else {
                page.skipped("not a Kubernetes object: it has neither apiVersion nor kind")
            };
        }
        let mut said = Said::new(page, object);
        let undecodable = self.check_fields(object, repeated, &mut said);
        let old = self.stored.and_then(|stored| stored.find(object, &self.config.namespace));
        let mut message = said.refusal.take();
        if !undecodable {
            message = message.or(self.judge(object, old.as_ref(), &mut said));
        }
        self.settle(object, message, said)
    }

    /// Fields that the kind does not have, values of the wrong type; says whether the API could
    /// not even decode the object.
    fn check_fields(
        &self,
        object: &Object<'_>,
        repeated: &[&Repeated],
        said: &mut Said<'_>,
    ) -> bool {
        let (kind, api_version) = (object.kind_name(), object.api_version());
        let (group, version) = api_version.rsplit_once('/').unwrap_or(("", api_version));
        let group_is_known = schema::KINDS.iter().any(|row| row.group == group);
        if group_is_known && schema::kind(group, version, kind).is_none() {
            let told = format!("no matches for kind \"{kind}\" in version \"{api_version}\"");
            said.say(Severity::Error, &decoding::UNKNOWN_KIND, &told, "kind", first_key(object));
            said.refusal = Some(told);
            return true;
        }
        let severity = match self.config.field_validation {
            FieldValidation::Strict => Some(Severity::Error),
            FieldValidation::Warn => Some(Severity::Warning),
            FieldValidation::Ignore => None,
        };
        let mut wrong = Vec::new();
        let mut odd = Vec::new();
        for misfit in misfits(object) {
            match misfit.oddity {
                Oddity::WrongType(why) => {
                    let told = format!(
                        "{kind} in version \"{version}\" cannot be handled as a {kind}: {why}"
                    );
                    said.say(
                        Severity::Error,
                        &decoding::WRONG_TYPE,
                        &told,
                        &misfit.path,
                        misfit.span,
                    );
                    wrong.push(told);
                }
                Oddity::Unknown => {
                    odd.push((&decoding::UNKNOWN_FIELD, "unknown", misfit.path, misfit.span));
                }
            }
        }
        odd.extend(
            repeated
                .iter()
                .map(|row| (&decoding::REPEATED_FIELD, "duplicate", row.path.clone(), row.span)),
        );
        let mut texts = Vec::new();
        for (rule, word, path, span) in odd {
            if let Some(severity) = severity {
                let told = format!("{word} field \"{path}\"");
                said.say(severity, rule, &told, &path, span);
                texts.push(told);
            }
        }
        if let Some(first) = wrong.into_iter().next() {
            said.refusal = Some(first);
            return true;
        }
        if severity == Some(Severity::Error) && !texts.is_empty() {
            said.refusal = Some(format!(
                "{kind} in version \"{version}\" cannot be handled as a {kind}: strict decoding error: {}",
                texts.join(", ")
            ));
        }
        false
    }

    /// Puts the object to the engine; gives the message of a refusal.
    fn judge<'a>(
        &self,
        object: &'a Object<'a>,
        old: Option<&'a Object<'a>>,
        said: &mut Said<'_>,
    ) -> Option<String> {
        let change = match old {
            Some(old) => Change::update(old, object)?,
            None => Change::create(object)?,
        };
        let policy = &self.config.policy;
        let needs = needs(&change, policy);
        let namespace = self.namespace_of(object);
        let pods = match (needs.existing_pods && old.is_some(), self.stored) {
            (true, Some(stored)) => stored.pods(object.name()),
            _ => Vec::new(),
        };
        let facts = Facts {
            namespace: if needs.namespace {
                Namespace::Labels(self.lent.labels(namespace))
            } else {
                Namespace::Unasked
            },
            requester: None,
            existing_pods: Existing::Pods {
                pods: pods.iter().collect(),
                budget: EXISTING_PODS_BUDGET,
            },
        };
        let verdict = judge(&change, &facts, policy);
        let contested = Contested::of(&verdict, &change, &facts, policy);
        said.verdict(&verdict, &contested, policy.release);
        Status::of(&verdict, &change).map(|status| status.message)
    }

    fn namespace_of<'a>(&'a self, object: &'a Object<'_>) -> &'a str {
        match object.namespace() {
            "" => &self.config.namespace,
            namespace => namespace,
        }
    }

    /// What becomes of the object once its own exceptions have been heard.
    fn settle(&self, object: &Object<'_>, message: Option<String>, said: Said<'_>) -> Judged {
        let exceptions = Exceptions::of(object);
        let Said { page, mut findings, .. } = said;
        let before = findings.len();
        findings.retain(|finding| !exceptions.cover(finding.rule.id));
        let suppressed = before - findings.len();
        for entry in &exceptions.unreasoned {
            if let Some(finding) = findings.first_mut() {
                let note = format!(
                    "the annotation {ANNOTATION} names {entry:?} without a reason, so it excepts nothing: write \"RULE: reason\""
                );
                finding.notes.push(note);
            }
        }
        let namespaced = object.kind().is_none_or(|kind| kind.scope == Scope::Namespaced);
        let mut judged = page.judged(object, Outcome::Admitted);
        if !namespaced {
            judged.object.namespace.clear();
        }
        judged.outcome = outcome(&findings, message);
        judged.findings = findings;
        judged.suppressed = suppressed;
        judged
    }
}

/// What the findings that are left make of the object.
pub(crate) fn outcome(findings: &[Finding], message: Option<String>) -> Outcome {
    match findings.iter().map(|finding| finding.severity).max() {
        Some(Severity::Error) => Outcome::Refused { message: message.unwrap_or_default() },
        Some(Severity::Warning) => Outcome::Warned,
        Some(Severity::Note) | None => Outcome::Admitted,
    }
}

/// The objects of a document: itself, or the items of a list.
pub(crate) fn objects_of(node: Node<'_>) -> Vec<Node<'_>> {
    let kind = node.get("kind").and_then(Node::text).unwrap_or_default();
    let stem = match kind.strip_suffix("List") {
        Some(stem)
            if node.get("items").is_some_and(|items| matches!(items.value, Value::List(_))) =>
        {
            stem.to_owned()
        }
        _ => return vec![node],
    };
    let api_version = node.get("apiVersion").and_then(Node::text).unwrap_or_default().to_owned();
    let Value::Map(entries) = node.value else { return Vec::new() };
    let items =
        entries.into_iter().find(|entry| entry.key == "items").map(|entry| entry.node.value);
    let Some(Value::List(items)) = items else { return Vec::new() };
    items.into_iter().flat_map(|item| objects_of(typed(item, &stem, &api_version))).collect()
}

/// Items of a `PodList` need not say that they are Pods.
fn typed<'t>(mut item: Node<'t>, kind: &str, api_version: &str) -> Node<'t> {
    let is_bare = item.get("kind").is_none() && !kind.is_empty();
    if let (true, Value::Map(entries)) = (is_bare, &mut item.value) {
        for (key, text) in [("kind", kind), ("apiVersion", api_version)] {
            let span = Span { start: item.span.start, end: item.span.start };
            let node = Node { value: Value::Text(text.to_owned().into()), span };
            entries.push(ratchet_object::Entry { key: key.into(), key_span: span, node });
        }
    }
    item
}

/// Where an object begins: its first name, for what concerns it as a whole.
fn first_key(object: &Object<'_>) -> Span {
    object.node().entries().first().map_or(object.node().span, |entry| entry.key_span)
}

/// What the other behaviour would not have said.
struct Contested {
    hosts: Vec<String>,
}

impl Contested {
    fn of(verdict: &Verdict, change: &Change<'_>, facts: &Facts<'_>, policy: &Policy) -> Self {
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
    let spots = verdict.denial.iter().flat_map(|denial| &denial.spots);
    let spots = spots.chain(verdict.warnings.iter().flat_map(|warning| &warning.spots));
    spots.filter(|spot| spot.rule.id == PROBE_HOSTS).map(|spot| spot.field.clone()).collect()
}

/// What is said about one object, as it is being said.
struct Said<'p> {
    page: &'p Page<'p>,
    lines: Option<LineIndex<'p>>,
    name: ObjectName,
    findings: Vec<Finding>,
    refusal: Option<String>,
}

impl<'p> Said<'p> {
    fn new(page: &'p Page<'p>, object: &Object<'_>) -> Self {
        let name = page.judged(object, Outcome::Admitted).object;
        Self { page, lines: None, name, findings: Vec::new(), refusal: None }
    }

    fn verdict(&mut self, verdict: &Verdict, contested: &Contested, release: Release) {
        for problem in &verdict.problems {
            let told = format!("{}: {}", problem.field, problem.message());
            // The API repeats itself in places; a person need not read it twice.
            if self.findings.iter().any(|finding| finding.message == told) {
                continue;
            }
            let finding =
                self.say(Severity::Error, problem.rule, &told, &problem.field, problem.span);
            finding.fix.clone_from(&problem.fix);
            if let Some(hint) = &problem.hint {
                finding.label.clone_from(hint);
            }
            finding.notes.extend(problem.difference.and_then(|row| note(row, release)));
        }
        if let Some(denial) = &verdict.denial {
            let span = denial.spots.first().map_or(Span::default(), |spot| spot.span);
            let field = denial.spots.first().map_or("", |spot| spot.field.as_str()).to_owned();
            self.say(Severity::Error, denial.rule, &denial.text, &field, span);
            self.spots(&denial.spots, contested, release);
        }
        for warning in &verdict.warnings {
            let field = warning.spots.first().map_or("", |spot| spot.field.as_str()).to_owned();
            let span = warning.spots.first().map_or(warning.span, |spot| spot.span);
            let finding = self.say(Severity::Warning, warning.rule, &warning.text, &field, span);
            finding.fix.clone_from(&warning.fix);
            finding.notes.extend(warning.difference.and_then(|row| note(row, release)));
            self.spots(&warning.spots, contested, release);
        }
    }

    /// The further places of the finding just said.
    fn spots(&mut self, spots: &[Spot], contested: &Contested, release: Release) {
        let places: Vec<(u32, &Spot)> =
            spots.iter().map(|spot| (self.place(spot.span.start).line, spot)).collect();
        let Some(finding) = self.findings.last_mut() else { return };
        if let Some(first) = spots.first() {
            finding.label.clone_from(&first.label);
        }
        for (line, spot) in places.iter().skip(1) {
            finding
                .notes
                .push(format!("line {line}: {}: {} ({})", spot.field, spot.label, spot.rule.id));
        }
        if spots.iter().any(|spot| contested.hosts.contains(&spot.field)) {
            let row = DIFFERENCES.iter().find(|row| row.id == "loopback-probe-hosts");
            finding.notes.extend(row.and_then(|row| note(row, release)));
        }
    }

    fn say(
        &mut self,
        severity: Severity,
        rule: &'static Rule,
        message: &str,
        field: &str,
        span: Span,
    ) -> &mut Finding {
        let (source, marked, first_line) = excerpt(self.page.text, span);
        let (start, end) = (
            self.place(span.start),
            self.place(first_line + u32::try_from(marked.end).unwrap_or(0)),
        );
        let name = &self.name;
        let identity =
            [rule.id, self.page.file, &name.kind, &name.namespace, &name.name, field, message];
        let finding = Finding {
            rule,
            severity,
            message: message.to_owned(),
            field: field.to_owned(),
            start,
            end,
            source,
            marked,
            label: rule.title.to_owned(),
            fix: None,
            notes: Vec::new(),
            fingerprint: fingerprint(&identity),
        };
        self.findings.push(finding);
        let last = self.findings.len() - 1;
        // Just pushed, so it is there.
        #[expect(clippy::indexing_slicing, reason = "the index of what was just pushed")]
        &mut self.findings[last]
    }

    fn place(&mut self, offset: u32) -> Place {
        let lines = self.lines.get_or_insert_with(|| LineIndex::new(self.page.text));
        self.page.place(lines.place(offset))
    }
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

/// The line that a span begins on, what of it to mark, and where that line begins in the text.
fn excerpt(text: &str, span: Span) -> (String, core::ops::Range<usize>, u32) {
    let start = (span.start as usize).min(text.len());
    let begin = text.get(..start).and_then(|before| before.rfind('\n')).map_or(0, |at| at + 1);
    let rest = text.get(begin..).unwrap_or_default();
    let line = rest.split('\n').next().unwrap_or_default().trim_end_matches('\r');
    let from = (start - begin).min(line.len());
    let to = (span.end as usize).saturating_sub(begin).clamp(from, line.len());
    (line.to_owned(), from..to, u32::try_from(begin).unwrap_or(u32::MAX))
}

/// A short name for a finding that survives edits elsewhere in the file (FNV-1a, 64 bits).
fn fingerprint(parts: &[&str]) -> String {
    let bytes = parts.iter().flat_map(|part| part.bytes().chain([0]));
    let hash = bytes.fold(0xcbf2_9ce4_8422_2325u64, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3)
    });
    format!("{hash:016x}")
}

impl Page<'_> {
    fn place(&self, local: Place) -> Place {
        let column = if local.line == 1 { local.column + self.sheet.column } else { local.column };
        Place { line: local.line + self.sheet.line, column }
    }

    fn judged(&self, object: &Object<'_>, outcome: Outcome) -> Judged {
        let offset = object.node().span.start as usize;
        let before = self.text.get(..offset).unwrap_or_default();
        let lines =
            u32::try_from(memchr::memchr_iter(b'\n', before.as_bytes()).count()).unwrap_or(0);
        let name = ObjectName {
            api_version: object.api_version().to_owned(),
            kind: object.kind_name().to_owned(),
            namespace: object.namespace().to_owned(),
            name: object.name().to_owned(),
        };
        let line = self.sheet.line + lines + 1;
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

    fn skipped(&self, why: &str) -> Judged {
        self.bare(Outcome::Skipped { why: why.to_owned() })
    }

    fn unreadable(&self, message: String, span: Span) -> Judged {
        let name = ObjectName::default();
        let mut said = Said { page: self, lines: None, name, findings: Vec::new(), refusal: None };
        said.say(Severity::Error, &decoding::UNREADABLE, &message, "", span);
        Judged { findings: said.findings, ..self.bare(Outcome::Unreadable) }
    }
}
