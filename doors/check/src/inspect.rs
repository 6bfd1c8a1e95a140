//! The check of one document: decodes its objects, pairs each with the stored one, and validates it.

use crate::against::StoredObjects;
use crate::documents::{DocumentError, DocumentRef};
use crate::file_facts::FileFacts;
use crate::finding::{CheckedObject, Finding, Outcome, Severity};
use crate::findings::{Contested, Findings, SourceDocument};
use crate::lists::objects_in;
use crate::namespaces::NamespaceIndex;
use crate::policies::{FileCluster, Mutated, PolicySet};
use crate::suppress::Exceptions;
use crate::{Config, FieldValidation, helm};
use ratchet_engine::rules::decoding;
use ratchet_engine::{Change, Status};
use ratchet_object::{Limits, Object, Repeated, Scope, Span, Value, decode, schema};
use ratchet_pipeline::{
    FieldViolation, check_fields, gather, locate_defaulted, validate, with_defaults,
};
use std::sync::{Arc, Mutex};

/// The context in which every document is checked.
pub(crate) struct Inspector<'c> {
    pub(crate) config: &'c Config,
    pub(crate) namespaces: &'c NamespaceIndex,
    pub(crate) stored: Option<&'c StoredObjects>,
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
                let why = match error {
                    DocumentError::TooLarge => {
                        "the document is larger than 3 MiB, which is all that the API takes"
                    }
                    DocumentError::NotUtf8 => "the document is not UTF-8",
                };
                return checked.push(source.unreadable(why.into(), Span::default()));
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
        let repeated = &decoded.repeated;
        for node in objects_in(document, decoded.documents) {
            let object = Object::new(node);
            if helm::is_template(&object) {
                checked.push(source.skipped(TEMPLATE));
                continue;
            }
            let span = object.node().span;
            let is_here =
                |row: &&Repeated| span.start <= row.span.start && row.span.end <= span.end;
            let repeated: Vec<&Repeated> = repeated.iter().filter(is_here).collect();
            checked.push(self.object(&source, object, &repeated));
        }
    }

    fn object<'t>(
        &'t self,
        source: &SourceDocument<'_>,
        object: Object<'t>,
        repeated: &[&Repeated],
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
        let undecodable = self.check_fields(&object, repeated, &mut findings);
        let mut message = findings.refusal.take();
        let mut checked = source.checked_object(&object, Outcome::Admitted);
        let is_namespaced = object.kind().is_none_or(|kind| kind.scope == Scope::Namespaced);
        let object =
            if is_namespaced { object.in_namespace(&self.config.namespace) } else { object };
        let object = if undecodable { object } else { with_defaults(object) };
        if !undecodable {
            let old = self.stored.and_then(|stored| stored.find(&object, &self.config.namespace));
            let old = old.map(with_defaults);
            match self.mutate(&object, old.as_ref(), &mut findings) {
                Mutated::Refused(refused) => message = message.or(Some(refused)),
                Mutated::Unchanged => {
                    message = message.or(self.judge(&object, old, &mut findings));
                }
                Mutated::Changed(node) => {
                    let object = with_defaults(Object::new(node));
                    message = message.or(self.judge(&object, old, &mut findings));
                }
            }
        }
        self.finish(&object, message, findings, &mut checked);
        checked
    }

    /// Adds findings about unknown fields and values of the wrong type; returns whether the API server could not decode
    /// the object.
    fn check_fields(
        &self,
        object: &Object<'_>,
        repeated: &[&Repeated],
        findings: &mut Findings<'_, '_>,
    ) -> bool {
        let (kind, api_version) = (object.kind_name(), object.api_version());
        let (group, version) = api_version.rsplit_once('/').unwrap_or(("", api_version));
        // Groups of custom resources have a dot in their names; others are built in.
        let is_built_in =
            !group.contains('.') || schema::KINDS.iter().any(|row| row.group == group);
        if (is_built_in || group.contains('/')) && schema::kind(group, version, kind).is_none() {
            let message = format!("no matches for kind \"{kind}\" in version \"{api_version}\"");
            let span = object.node().get("kind").map_or(first_key(object), |node| node.span);
            findings.add(Severity::Error, &decoding::UNKNOWN_KIND, &message, "kind", span);
            findings.refusal = Some(message);
            return true;
        }
        let report = check_fields(object, repeated.iter().copied());
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
            findings.refusal = Some(cannot_be_handled(&first.message));
            return true;
        }
        let strict = report.strict_error(self.config.field_validation);
        findings.refusal = strict.map(|error| cannot_be_handled(&error));
        false
    }

    /// Validates the object; returns the message of a refusal.
    fn validate<'a>(
        &self,
        object: &'a Object<'a>,
        old: Option<&'a Object<'a>>,
        findings: &mut Findings<'_, '_>,
    ) -> Option<String> {
        let change = match old {
            Some(old) => Change::update(old, object)?,
            None => Change::create(object)?,
        };
        let config = &self.config.api_config;
        let cluster = FileFacts {
            namespaces: self.namespaces,
            stored: self.stored,
            is_update: old.is_some(),
        };
        let requester = self.config.requester.as_ref().map(|user| user.name.as_str());
        let facts = gather(&change, config, &cluster, requester);
        let facts = facts.as_facts();
        let mut verdict = validate(&change, &facts, config);
        locate_defaulted(&mut verdict, object);
        let contested = Contested::of(&verdict, &change, &facts, config);
        findings.add_verdict(&verdict, &contested, config);
        Status::of(&verdict, &change).map(|status| status.message)
    }

    /// Validates the object and evaluates the policies; returns the message of the first refusal.
    fn judge(
        &self,
        object: &Object<'_>,
        old: Option<Object<'_>>,
        findings: &mut Findings<'_, '_>,
    ) -> Option<String> {
        let engine = self.validate(object, old.as_ref(), findings);
        let policies = self.evaluate_policies(object, old, findings);
        engine.or(policies)
    }

    /// What the mutating policies make of the object, if there are any.
    fn mutate(
        &self,
        object: &Object<'_>,
        old: Option<&Object<'_>>,
        findings: &mut Findings<'_, '_>,
    ) -> Mutated {
        let Some(policy_set) = self.policy_set else { return Mutated::Unchanged };
        let cluster = FileCluster { policy_set, namespaces: self.namespaces, stored: self.stored };
        policy_set.mutate(object, old, (&cluster, self.config), findings)
    }

    /// Evaluates the policies, if there are any; returns the message of a refusal.
    fn evaluate_policies(
        &self,
        object: &Object<'_>,
        old: Option<Object<'_>>,
        findings: &mut Findings<'_, '_>,
    ) -> Option<String> {
        let policy_set = self.policy_set?;
        let cluster = FileCluster { policy_set, namespaces: self.namespaces, stored: self.stored };
        let is_namespaced = object.kind().is_none_or(|kind| kind.scope == Scope::Namespaced);
        let old = old.map(|old| match is_namespaced {
            true => Object::new(old.in_namespace(object.namespace()).into_node().into_owned()),
            false => old,
        });
        policy_set.evaluate(object, old.as_ref(), (&cluster, self.config), findings)
    }

    /// Sets findings and outcome of the object, without the findings that its annotations suppress.
    fn finish(
        &self,
        object: &Object<'_>,
        message: Option<String>,
        findings: Findings<'_, '_>,
        checked: &mut CheckedObject,
    ) {
        let exceptions = Exceptions::of(object);
        let mut findings = findings.into_findings();
        let before = findings.len();
        findings.retain(|finding| !exceptions.cover(finding.rule));
        checked.suppressed = before - findings.len();
        if let Some(finding) = findings.first_mut() {
            finding.notes.extend(exceptions.complaints());
        }
        checked.outcome = outcome(&findings, message);
        checked.findings = findings;
    }
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
