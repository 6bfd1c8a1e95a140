//! The check of one document: decodes its objects, pairs each with the stored one, and validates it.

use crate::against::StoredObjects;
use crate::definitions::Definitions;
use crate::file_facts::FileFacts;
use crate::finding::{CheckedObject, Finding, Outcome, Severity};
use crate::findings::{Contested, Findings, SourceDocument};
use crate::namespaces::NamespaceIndex;
use crate::policies::{Attempt, FileCluster, Mutated, PolicySet};
use crate::suppress::Exceptions;
use crate::types::{NoSuchKind, TypeOf};
use crate::{Config, FieldValidation, helm};
use ratchet_engine::field_validation::deprecation_warning;
use ratchet_engine::rules::decoding;
use ratchet_manifests::{DocumentRef, objects_in};
use ratchet_object::{Limits, Node, Object, Repeated, Span, Value, decode};
use ratchet_pipeline::{Decoded, Defaulted, FieldViolation, Paired};
use std::sync::{Arc, Mutex};

/// The context in which every document is checked.
pub(crate) struct Inspector<'c> {
    pub(crate) config: &'c Config,
    pub(crate) namespaces: &'c NamespaceIndex,
    pub(crate) stored: Option<&'c StoredObjects>,
    /// The definitions of custom kinds.
    pub(crate) definitions: &'c Definitions<'c>,
    /// Admission policies that are evaluated besides the engine.
    pub(crate) policy_set: Option<&'c PolicySet>,
    /// Locked while a large document is checked: one at a time, so that memory stays bounded.
    pub(crate) large: Mutex<()>,
}

/// Documents above this size are checked one at a time.
const LARGE: usize = 256 << 10;

impl Inspector<'_> {
    /// Checks every object of a document.
    pub(crate) fn inspect(
        &self,
        file: &Arc<str>,
        document: &DocumentRef<'_>,
        checked: &mut Vec<CheckedObject>,
    ) {
        let text = match document.text {
            Ok(text) => text,
            Err(error) => {
                let source = SourceDocument::new(file, document, "");
                return checked.push(source.unreadable(error.to_string(), Span::default()));
            }
        };
        let source = SourceDocument::new(file, document, text);
        // A poisoned lock guards no data, only memory use.
        let _alone = (text.len() > LARGE)
            .then(|| self.large.lock().unwrap_or_else(std::sync::PoisonError::into_inner));
        const TEMPLATE: &str =
            "a Helm template that is not rendered: run `helm template` and check its output";
        let decoded = match decode(text, Limits::DEFAULT) {
            Ok(decoded) => decoded,
            Err(_) if helm::is_unrendered(text) => return checked.push(source.skipped(TEMPLATE)),
            Err(error) => {
                let span = Span { start: error.offset, end: error.offset };
                return checked.push(source.unreadable(error.message, span));
            }
        };
        let all_repeated = &decoded.repeated;
        for node in objects_in(document, decoded.documents) {
            let object = Object::new(node);
            if helm::is_template(&object) {
                checked.push(source.skipped(TEMPLATE));
                continue;
            }
            let span = object.node().span;
            let is_here =
                |row: &&Repeated| span.start <= row.span.start && row.span.end <= span.end;
            let repeated: Vec<Repeated> = all_repeated.iter().filter(is_here).cloned().collect();
            checked.push(self.object(&source, object, &repeated));
        }
    }

    fn object<'t>(
        &'t self,
        source: &SourceDocument<'_>,
        object: Object<'t>,
        repeated: &[Repeated],
    ) -> CheckedObject {
        let span = object.node().span;
        if !matches!(object.node().value, Value::Map(_)) {
            return source.unreadable("a manifest must be an object".into(), span);
        }
        if object.kind_name().is_empty() || object.api_version().is_empty() {
            let looks_like_one = ["kind", "apiVersion", "metadata"]
                .iter()
                .any(|name| object.node().get(name).is_some());
            return if looks_like_one {
                let missing = if object.kind_name().is_empty() { "Kind" } else { "apiVersion" };
                source.unreadable(format!("Object '{missing}' is missing"), first_key(&object))
            } else {
                source.skipped("not a Kubernetes object: it has neither apiVersion nor kind")
            };
        }
        let mut findings = Findings::new(source, &object);
        let type_of = match TypeOf::find(&object, self.definitions) {
            Ok(type_of) => type_of,
            Err(no_such_kind) => {
                let message = no_matches(&object, no_such_kind, &mut findings);
                return finish(&object, Some(message), findings);
            }
        };
        let decoded = Decoded::located(type_of.as_type(), object.into_node(), repeated);
        let refusal = self.report_fields(&decoded, &mut findings);
        let decoded = match type_of.is_namespaced() {
            true => decoded.in_namespace(&self.config.namespace),
            false => decoded,
        };
        let object = match decoded.with_defaults() {
            Ok(object) => object,
            Err(undecodable) => return finish(undecodable.object(), refusal, findings),
        };
        let old = self.old_object(&type_of, &object);
        let object = match self.mutate(&type_of, (&object, old.as_deref()), &mut findings) {
            Mutated::Unchanged => object,
            Mutated::Changed(node) => Defaulted::new(type_of.as_type(), node),
            Mutated::Refused(message) => {
                let paired = object.pair(old);
                return finish(paired.new_object(), refusal.or(Some(message)), findings);
            }
        };
        let gates = &self.config.api_config.gates;
        let object = object.prepared(old.as_ref()).without_gated_fields(old.as_ref(), gates);
        let paired = object.pair(old);
        let message = self.judge(&type_of, &paired, &mut findings);
        finish(paired.new_object(), refusal.or(message), findings)
    }

    /// The stored object that an object would replace, in its version.
    fn old_object<'k>(
        &self,
        type_of: &'k TypeOf<'_>,
        new: &Defaulted<'_, '_>,
    ) -> Option<Defaulted<'static, 'k>> {
        let old = self.stored?.find(new, &self.config.namespace)?;
        let (kind, version) = (new.text_at(&["kind"]), old.api_version().to_owned());
        let old = Defaulted::stored(type_of.as_type(), old.into_node());
        if old.is_none() {
            self.definitions.remember_unconverted(kind, &version);
        }
        old
    }

    /// Adds findings about unknown fields and values of the wrong type; returns the message of a refusal.
    fn report_fields(
        &self,
        decoded: &Decoded<'_, '_>,
        findings: &mut Findings<'_, '_>,
    ) -> Option<String> {
        let (kind, api_version) = (decoded.object().kind_name(), decoded.object().api_version());
        let version = api_version.rsplit_once('/').map_or(api_version, |(_, version)| version);
        let report = decoded.fields();
        let cannot_be_handled = |why: &str| {
            format!("{kind} in version \"{version}\" cannot be handled as a {kind}: {why}")
        };
        for mismatch in &report.mismatches {
            let (message, rule) = (cannot_be_handled(&mismatch.message), &decoding::WRONG_TYPE);
            findings.add(Severity::Error, rule, &message, &mismatch.path, mismatch.span);
        }
        let severity = match self.config.field_validation {
            FieldValidation::Strict => Some(Severity::Error),
            FieldValidation::Warn => Some(Severity::Warning),
            FieldValidation::Ignore => None,
        };
        for violation in severity.iter().flat_map(|_| &report.violations) {
            let severity = severity.unwrap_or(Severity::Note);
            let FieldViolation { rule, message, path, span } = violation;
            findings.add(severity, rule, message, path, *span);
        }
        if let Some(first) = report.mismatches.first() {
            return Some(cannot_be_handled(&first.message));
        }
        let strict = report.strict_error(self.config.field_validation);
        strict.map(|error| cannot_be_handled(&error))
    }

    /// Judges a change, then evaluates the policies on it; returns the message of a refusal.
    fn judge(
        &self,
        type_of: &TypeOf<'_>,
        paired: &Paired<'_, '_>,
        findings: &mut Findings<'_, '_>,
    ) -> Option<String> {
        let config = &self.config.api_config;
        let cluster = FileFacts {
            namespaces: self.namespaces,
            stored: self.stored,
            is_update: paired.old_object().is_some(),
        };
        let requester = self.config.requester.as_ref().map(|user| user.name.as_str());
        let mut judged = paired.judge(config, &cluster, requester);
        if let Some(text) = type_of.deprecation() {
            let api_version = paired.new_object().node().get("apiVersion");
            let span = api_version.map(|node| node.span).unwrap_or_default();
            judged.verdict_mut().warnings.insert(0, deprecation_warning(span, text));
        }
        judged.locate();
        if let Some(change) = judged.change() {
            let contested = Contested::of(judged.verdict(), change, &judged.facts(), config);
            findings.add_verdict(judged.verdict(), &contested, config);
        }
        let policies = self.evaluate_policies(type_of, paired, findings);
        judged.status().map(|status| status.message).or(policies)
    }

    /// The policies, if there are any and the admission plugin that evaluates them is on.
    fn policies_of(&self, plugin: &str) -> Option<&PolicySet> {
        let is_off = self.config.disabled_plugins.iter().any(|name| name == plugin);
        self.policy_set.filter(|_| !is_off)
    }

    /// What the mutating policies make of an object with defaults, if there are any.
    fn mutate(
        &self,
        type_of: &TypeOf<'_>,
        (object, old): (&Node<'_>, Option<&Node<'_>>),
        findings: &mut Findings<'_, '_>,
    ) -> Mutated {
        let Some(policy_set) = self.policies_of("MutatingAdmissionPolicy") else {
            return Mutated::Unchanged;
        };
        let cluster = FileCluster { policy_set, namespaces: self.namespaces, stored: self.stored };
        let is_namespaced = type_of.is_namespaced();
        policy_set.mutate((object, old), is_namespaced, (&cluster, self.config), findings)
    }

    /// Evaluates the policies, if there are any; returns the message of a refusal.
    fn evaluate_policies(
        &self,
        type_of: &TypeOf<'_>,
        paired: &Paired<'_, '_>,
        findings: &mut Findings<'_, '_>,
    ) -> Option<String> {
        let policy_set = self.policies_of("ValidatingAdmissionPolicy")?;
        let cluster = FileCluster { policy_set, namespaces: self.namespaces, stored: self.stored };
        let (object, is_namespaced) = (paired.new_object(), type_of.is_namespaced());
        let old = paired.old_object().map(|old| match is_namespaced {
            true => old.clone().in_namespace(object.namespace()),
            false => old.clone(),
        });
        let attempt = Attempt { object, old: old.as_ref(), is_namespaced };
        policy_set.evaluate(&attempt, (&cluster, self.config), findings)
    }
}

/// The object with its outcome, and without the findings that its annotations suppress.
fn finish(
    object: &Object<'_>,
    message: Option<String>,
    findings: Findings<'_, '_>,
) -> CheckedObject {
    let mut checked = findings.into_checked();
    if checked.findings.is_empty() {
        return checked;
    }
    let exceptions = Exceptions::of(object);
    let before = checked.findings.len();
    checked.findings.retain(|finding| !exceptions.cover(finding.rule));
    checked.suppressed = before - checked.findings.len();
    if let Some(finding) = checked.findings.first_mut() {
        finding.notes.extend(exceptions.complaints());
    }
    checked.outcome = outcome(&checked.findings, message);
    checked
}

/// Adds the finding about a kind that the API does not have; returns the message.
fn no_matches(
    object: &Object<'_>,
    no_such_kind: NoSuchKind,
    findings: &mut Findings<'_, '_>,
) -> String {
    let (kind, api_version) = (object.kind_name(), object.api_version());
    let message = format!("no matches for kind \"{kind}\" in version \"{api_version}\"");
    let span = object.node().get("kind").map_or(first_key(object), |node| node.span);
    findings.add(Severity::Error, &decoding::UNKNOWN_KIND, &message, "kind", span);
    findings.hint_last(no_such_kind.hint);
    message
}

/// The outcome of an object by its worst finding.
pub(crate) fn outcome(findings: &[Finding], message: Option<String>) -> Outcome {
    match findings.iter().map(|finding| finding.severity).max() {
        Some(Severity::Error) => Outcome::Refused { message: message.unwrap_or_default() },
        Some(Severity::Warning) => Outcome::Warned,
        Some(Severity::Note) | None => Outcome::Admitted,
    }
}

/// The span of an object's first key, for findings about the object as a whole.
pub(crate) fn first_key(object: &Object<'_>) -> Span {
    object.node().entries().first().map_or(object.node().span, |entry| entry.key_span)
}
