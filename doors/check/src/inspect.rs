//! One document becomes judged objects: decoded, paired with what is stored, and put to the engine.

use crate::against::Stored;
use crate::documents::{DocumentRef, Unfit};
use crate::finding::{Finding, Judged, Outcome, Severity};
use crate::findings::{Contested, Findings, Page};
use crate::lists::objects_in;
use crate::namespaces::NamespaceIndex;
use crate::policies::{self, Around, PolicySet};
use crate::suppress::Exceptions;
use crate::{Config, FieldValidation, helm};
use ratchet_engine::rules::decoding;
use ratchet_engine::{
    Change, EXISTING_PODS_BUDGET, Existing, Facts, Namespace, Status, judge, needs,
};
use ratchet_object::{
    Limits, Object, Repeated, Scope, Span, Value, ViolationKind, decode, misfits, schema,
};
use std::sync::{Arc, Mutex};

/// What every document is judged by.
pub(crate) struct Inspector<'c> {
    pub(crate) config: &'c Config,
    pub(crate) lent: &'c NamespaceIndex,
    pub(crate) stored: Option<&'c Stored>,
    /// The policies that decide beside the engine.
    pub(crate) book: Option<&'c PolicySet>,
    /// Held while a large document is judged: one at a time, so that memory stays bounded.
    pub(crate) large: Mutex<()>,
}

/// From this size on a document is judged alone.
const LARGE: usize = 256 << 10;

impl Inspector<'_> {
    /// Judges every object of a document.
    pub(crate) fn inspect(
        &self,
        file: &Arc<str>,
        sheet: &DocumentRef<'_>,
        judged: &mut Vec<Judged>,
    ) {
        let text = match sheet.text {
            Ok(text) => text,
            Err(unfit) => {
                let page = Page::new(file, sheet, "");
                let why = match unfit {
                    Unfit::TooLarge => {
                        "the document is larger than 3 MiB, which is all that the API takes"
                    }
                    Unfit::NotUtf8 => "the document is not UTF-8",
                };
                return judged.push(page.unreadable(why.into(), Span::default()));
            }
        };
        let page = Page::new(file, sheet, text);
        // A lock that a panic left behind guards nothing but memory.
        let _alone = (text.len() > LARGE)
            .then(|| self.large.lock().unwrap_or_else(std::sync::PoisonError::into_inner));
        const TEMPLATE: &str =
            "a Helm template that is not rendered: run `helm template` and check its output";
        let decoded = match decode(text, Limits::DEFAULT) {
            Ok(decoded) => decoded,
            Err(_) if helm::is_unrendered(text) => return judged.push(page.skipped(TEMPLATE)),
            Err(error) => {
                let span = Span { start: error.offset, end: error.offset };
                return judged.push(page.unreadable(error.message, span));
            }
        };
        let repeated = &decoded.repeated;
        for node in objects_in(sheet, decoded.documents) {
            let object = Object::new(node);
            if helm::is_template(&object) {
                judged.push(page.skipped(TEMPLATE));
                continue;
            }
            let span = object.node().span;
            let is_here =
                |row: &&Repeated| span.start <= row.span.start && row.span.end <= span.end;
            let repeated: Vec<&Repeated> = repeated.iter().filter(is_here).collect();
            judged.push(self.object(&page, object, &repeated));
        }
    }

    fn object<'t>(&'t self, page: &Page<'_>, object: Object<'t>, repeated: &[&Repeated]) -> Judged {
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
                page.unreadable(format!("Object '{missing}' is missing"), first_key(&object))
            } else {
                page.skipped("not a Kubernetes object: it has neither apiVersion nor kind")
            };
        }
        let mut said = Findings::new(page, &object);
        let undecodable = self.check_fields(&object, repeated, &mut said);
        let mut message = said.refusal.take();
        let mut judged = page.judged(&object, Outcome::Admitted);
        let is_namespaced = object.kind().is_none_or(|kind| kind.scope == Scope::Namespaced);
        let object =
            if is_namespaced { object.in_namespace(&self.config.namespace) } else { object };
        if !undecodable {
            let old = self.stored.and_then(|stored| stored.find(&object, &self.config.namespace));
            let engine = self.judge(&object, old.as_ref(), &mut said);
            let policies = self.ask_policies(&object, old, &mut said);
            message = message.or(engine).or(policies);
        }
        self.settle(&object, message, said, &mut judged);
        judged
    }

    /// Fields that the kind does not have, values of the wrong type; says whether the API could
    /// not even decode the object.
    fn check_fields(
        &self,
        object: &Object<'_>,
        repeated: &[&Repeated],
        said: &mut Findings<'_, '_>,
    ) -> bool {
        let (kind, api_version) = (object.kind_name(), object.api_version());
        let (group, version) = api_version.rsplit_once('/').unwrap_or(("", api_version));
        // Custom resources live in groups with a dot in their names; the rest is built in.
        let is_built_in =
            !group.contains('.') || schema::KINDS.iter().any(|row| row.group == group);
        if (is_built_in || group.contains('/')) && schema::kind(group, version, kind).is_none() {
            let told = format!("no matches for kind \"{kind}\" in version \"{api_version}\"");
            let span = object.node().get("kind").map_or(first_key(object), |node| node.span);
            said.say(Severity::Error, &decoding::UNKNOWN_KIND, &told, "kind", span);
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
                ViolationKind::WrongType(why) => {
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
                ViolationKind::Unknown => {
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
        said: &mut Findings<'_, '_>,
    ) -> Option<String> {
        let change = match old {
            Some(old) => Change::update(old, object)?,
            None => Change::create(object)?,
        };
        let policy = &self.config.policy;
        let needs = needs(&change, policy);
        let namespace = object.namespace();
        let pods = match (needs.existing_pods && old.is_some(), self.stored) {
            (true, Some(stored)) => stored.pods(object.name()),
            _ => Vec::new(),
        };
        let lent = self.lent.labels(namespace).filter(|_| needs.namespace);
        let stored = match (lent, self.stored) {
            (None, Some(stored)) if needs.namespace => stored.namespace_labels(namespace),
            _ => None,
        };
        let facts = Facts {
            namespace: if needs.namespace {
                Namespace::Labels(lent.or(stored.as_ref()))
            } else {
                Namespace::Unasked
            },
            requester: self.config.requester.as_ref().map(|user| user.name.as_str()),
            existing_pods: Existing::Pods {
                pods: pods.iter().collect(),
                budget: EXISTING_PODS_BUDGET,
            },
        };
        let mut verdict = judge(&change, &facts, policy);
        policies::validate(object, old, policy, &mut verdict);
        let contested = Contested::of(&verdict, &change, &facts, policy);
        said.verdict(&verdict, &contested, policy);
        Status::of(&verdict, &change).map(|status| status.message)
    }

    /// Puts the object before the policies, if there are any; gives the message of a refusal.
    fn ask_policies(
        &self,
        object: &Object<'_>,
        old: Option<Object<'_>>,
        said: &mut Findings<'_, '_>,
    ) -> Option<String> {
        let book = self.book?;
        let around = Around { book, lent: self.lent, stored: self.stored };
        let is_namespaced = object.kind().is_none_or(|kind| kind.scope == Scope::Namespaced);
        let old = old.map(|old| match is_namespaced {
            true => Object::new(old.in_namespace(object.namespace()).into_node().into_owned()),
            false => old,
        });
        book.ask(object, old.as_ref(), (&around, self.config), said)
    }

    /// What becomes of the object once its own exceptions have been heard.
    fn settle(
        &self,
        object: &Object<'_>,
        message: Option<String>,
        said: Findings<'_, '_>,
        judged: &mut Judged,
    ) {
        let exceptions = Exceptions::of(object);
        let mut findings = said.into_findings();
        let before = findings.len();
        findings.retain(|finding| !exceptions.cover(finding.rule));
        judged.suppressed = before - findings.len();
        if let Some(finding) = findings.first_mut() {
            finding.notes.extend(exceptions.complaints());
        }
        judged.outcome = outcome(&findings, message);
        judged.findings = findings;
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

/// Where an object begins: its first name, for what concerns it as a whole.
pub(crate) fn first_key(object: &Object<'_>) -> Span {
    object.node().entries().first().map_or(object.node().span, |entry| entry.key_span)
}
