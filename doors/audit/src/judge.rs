//! The judgement of one stored object: as a create, as an update of itself, and as the updates that usually come next.

use crate::finding::{Finding, ObjectId, State};
use crate::namespace_labels::NamespaceLabels;
use crate::owner::{LAST_APPLIED, Link};
use crate::page::{OwnedFinding, Page};
use crate::value_path::{ValuePath, at_pointer, steps_of};
use crate::{Operation, Target, addresses, kinds, managed_fields, pod_levels, policies};
use ratchet_engine::{Part, Rule, Verdict};
use ratchet_object::{Kind, Limits, Node, Span, decode_json};
use ratchet_pipeline::{BuiltInType, Defaulted, ObjectType, Paired};
use std::cmp::Reverse;
use std::collections::HashMap;

/// What objects are judged by.
pub(crate) struct Judge<'c> {
    pub(crate) targets: &'c [Target],
    pub(crate) namespaces: &'c NamespaceLabels,
}

/// The limit of findings per object and target, the worst first: more help nobody and would fill memory.
const MOST_FINDINGS: usize = 100;

/// A warning about the version in which an object is written says nothing about what is stored.
const DEPRECATED_API: &str = "RTC-API-005";

/// Fields of the metadata that a server sets on every new object.
const SYSTEM_FIELDS: [&str; 7] = [
    "creationTimestamp",
    "deletionGracePeriodSeconds",
    "deletionTimestamp",
    "generation",
    "managedFields",
    "resourceVersion",
    "uid",
];

/// The label of the update that adds one.
const LABEL: &str = "audit.ratchet.dev/label";

/// The label by which a namespace enforces a Pod Security level.
const ENFORCE: &str = "pod-security.kubernetes.io/enforce";

/// A message about a field, before it is one with those of other operations.
struct Message<'v> {
    rule: &'static Rule,
    field: &'v str,
    span: Span,
    text: String,
    fix: Option<&'v str>,
    hint: Option<&'v str>,
    is_refusal: bool,
}

impl Judge<'_> {
    /// Judges an object and adds what is found to a page. Objects of kinds that are not audited are passed over.
    pub(crate) fn object(&self, node: &Node<'_>, page: &mut Page) {
        let (api_version, kind) = (node.text_at(&["apiVersion"]), node.text_at(&["kind"]));
        if kinds::is_policy(api_version, kind) {
            return page.inventory.policies.extend(policies::policy(node));
        }
        let Some(object_type) = BuiltInType::find(api_version, kind) else { return };
        let Some(row) = object_type.kind().filter(kinds::is_judged) else { return };
        let metadata = node.metadata();
        let id = ObjectId {
            api_version: api_version.to_owned(),
            kind: kind.to_owned(),
            namespace: metadata.namespace().to_owned(),
            name: metadata.name().to_owned(),
            resource: row.plural.to_owned(),
            uid: metadata.uid().to_owned(),
            resource_version: metadata.resource_version().to_owned(),
        };
        let link = Link::of(node, &id);
        let mut findings = Vec::new();
        let changes = changes(&object_type, &row, node);
        for target in self.targets {
            let (worst, omitted) = self.under(target, node, &id, &changes);
            findings.extend(worst);
            page.inventory.omitted_findings += omitted;
        }
        let target = self.targets.first();
        if let Some(target) = target {
            let mut ambiguous = addresses::ambiguous(node, &id, target);
            let omitted = ambiguous.len().saturating_sub(MOST_FINDINGS);
            page.inventory.omitted_findings += omitted as u64;
            ambiguous.truncate(MOST_FINDINGS);
            findings.extend(ambiguous);
            pod_levels::add(node, &row, &id, &target.api_config, page);
        }
        addresses::claims(node, &id, &link, page);
        pod_levels::search_names(node, &row, &id, &link, page);
        page.objects += 1;
        if let ("Namespace", Some(level)) = (kind, metadata.label(ENFORCE)) {
            page.inventory.enforced.insert(id.name.clone(), level.to_owned());
        }
        let owned = |finding: Finding| OwnedFinding {
            finding: self.with_managers(node, finding),
            owner: link.owner.clone(),
            parent: link.parent.clone(),
        };
        page.findings.extend(findings.into_iter().map(owned));
        if Link::is_controller(&id) {
            page.links.push(link);
        }
    }

    /// The findings of all changes under one target, each once with its worst state, and how many are not listed.
    fn under(
        &self,
        target: &Target,
        node: &Node<'_>,
        id: &ObjectId,
        changes: &[(Operation, Paired<'_, '_>)],
    ) -> (Vec<Finding>, u64) {
        let judged: Vec<_> = changes
            .iter()
            .map(|(operation, paired)| {
                (*operation, paired.judge(&target.api_config, self.namespaces, None))
            })
            .collect();
        let verdicts = judged.iter().map(|(operation, judged)| (*operation, judged.verdict()));
        let (places, omitted) = worst_places(verdicts.clone());
        let mut findings: Vec<Option<Finding>> = places.iter().map(|_| None).collect();
        for (operation, verdict) in verdicts {
            for message in messages(verdict) {
                let number = places.get(&(message.rule.id, message.field));
                let Some(slot) = number.and_then(|number| findings.get_mut(*number)) else {
                    continue;
                };
                let new = || new_finding(target, node, id, &message);
                merge(slot.get_or_insert_with(new), operation, &message);
            }
        }
        (findings.into_iter().flatten().map(Finding::identified).collect(), omitted)
    }

    /// Adds who wrote the value, and whether kubectl will write it again.
    fn with_managers(&self, node: &Node<'_>, mut finding: Finding) -> Finding {
        let steps = steps_of(node, finding.pointer.as_deref().unwrap_or_default());
        finding.managers = managed_fields::owners_of(node, &steps);
        let applied = node.metadata().annotation(LAST_APPLIED);
        let value = finding.value.as_deref().zip(finding.pointer.as_deref());
        finding.last_applied = applied.zip(value).is_some_and(|(text, (value, pointer))| {
            let decoded = decode_json(text, Limits::DEFAULT).ok();
            let object = decoded.and_then(|decoded| decoded.documents.into_iter().next());
            let same =
                |object: &Node<'_>| at_pointer(object, pointer).and_then(Node::text) == Some(value);
            object.as_ref().is_some_and(same)
        });
        finding
    }
}

/// The rules and fields that verdicts name, numbered in their order: of too many only the worst. Also how many are left.
fn worst_places<'v>(
    verdicts: impl Iterator<Item = (Operation, &'v Verdict)>,
) -> (HashMap<(&'static str, &'v str), usize>, u64) {
    let mut places: HashMap<(&str, &str), (State, usize)> = HashMap::new();
    let mut unlisted = 0;
    for (operation, verdict) in verdicts {
        unlisted = unlisted.max(verdict.unlisted);
        for message in messages(verdict) {
            let number = places.len();
            let state = message.state_after(operation);
            let place = places.entry((message.rule.id, message.field)).or_insert((state, number));
            place.0 = place.0.max(state);
        }
    }
    let mut places: Vec<_> = places.into_iter().collect();
    places.sort_unstable_by_key(|(_, (state, number))| (Reverse(*state), *number));
    let omitted = places.len().saturating_sub(MOST_FINDINGS) + unlisted;
    places.truncate(MOST_FINDINGS);
    places.sort_unstable_by_key(|(_, (_, number))| *number);
    let numbered = places.into_iter().enumerate().map(|(number, (place, _))| (place, number));
    (numbered.collect(), omitted as u64)
}

fn new_finding(target: &Target, node: &Node<'_>, id: &ObjectId, message: &Message<'_>) -> Finding {
    let place = ValuePath::find(node, message.span, message.field);
    let readings = place.as_ref().and_then(|place| addresses::readings(place.text.as_deref()?));
    Finding {
        field: message.field.to_owned(),
        pointer: place.as_ref().map(ValuePath::pointer),
        value: place.and_then(|place| place.text),
        readings,
        ..Finding::new(id, message.rule, &target.name)
    }
}

/// Adds an operation's message to the finding about the same field.
fn merge(finding: &mut Finding, operation: Operation, message: &Message<'_>) {
    let list = if message.is_refusal { &mut finding.refuses } else { &mut finding.warns };
    if list.last() != Some(&operation) {
        list.push(operation);
    }
    let state = message.state_after(operation);
    if finding.message.is_empty() || state > finding.state {
        finding.message.clone_from(&message.text);
    }
    finding.state = finding.state.max(state);
    if finding.canonical.is_none() {
        finding.canonical = message.fix.map(str::to_owned);
    }
    if finding.hint.is_none() {
        let ambiguous = finding.readings.as_ref().map(|_| addresses::TWO_HOSTS.fix);
        finding.hint = message.hint.or(ambiguous).map(str::to_owned);
    }
}

/// What a verdict says, field by field.
fn messages(verdict: &Verdict) -> Vec<Message<'_>> {
    let mut all = Vec::new();
    for error in &verdict.errors {
        all.push(Message {
            rule: error.rule,
            field: &error.field,
            span: error.span,
            text: error.message().to_string(),
            fix: error.fix.as_deref(),
            hint: error.hint.as_deref(),
            is_refusal: true,
        });
    }
    if let Some(denial) = &verdict.denial {
        let text = || denial.text.clone();
        let whole = Message {
            rule: denial.rule,
            field: "",
            span: Span::default(),
            text: text(),
            fix: None,
            hint: None,
            is_refusal: true,
        };
        let labels = denial.labels.iter().map(|label| Message {
            rule: label.rule,
            field: &label.field,
            span: label.span,
            text: text(),
            ..Message { ..whole.copy() }
        });
        let before = all.len();
        all.extend(labels);
        if all.len() == before {
            all.push(whole);
        }
    }
    for warning in verdict.warnings.iter().filter(|warning| warning.rule.id != DEPRECATED_API) {
        let whole = Message {
            rule: warning.rule,
            field: &warning.field,
            span: warning.span,
            text: warning.text.clone(),
            fix: warning.fix.as_deref(),
            hint: None,
            is_refusal: false,
        };
        if warning.labels.is_empty() {
            all.push(whole);
            continue;
        }
        all.extend(warning.labels.iter().map(|label| Message {
            rule: label.rule,
            field: &label.field,
            span: label.span,
            ..whole.copy()
        }));
    }
    all
}

impl<'v> Message<'v> {
    /// What it means for the object if this operation is answered with it.
    fn state_after(&self, operation: Operation) -> State {
        match (self.is_refusal, operation) {
            (false, _) => State::Warns,
            (true, Operation::Create) => State::RefusedOnCreate,
            (true, _) => State::Frozen,
        }
    }

    fn copy(&self) -> Self {
        Self { text: self.text.clone(), ..*self }
    }
}

/// The writes of a stored object, each beside it.
fn changes<'t, 'k>(
    object_type: &'k BuiltInType,
    kind: &Kind<'_>,
    node: &Node<'t>,
) -> Vec<(Operation, Paired<'t, 'k>)> {
    let Some(stored) = Defaulted::stored(object_type, node.clone()) else { return Vec::new() };
    let has_part = |name: &str| kind.subresources.contains(&name);
    let mut all = Vec::new();
    let mut new = node.clone();
    if let Some(metadata) = new.get_mut("metadata") {
        for name in SYSTEM_FIELDS {
            metadata.remove(name);
        }
    }
    // Only a kubelet writes the status of its Node when it creates it.
    if has_part("status") && kind.name != "Node" {
        new.remove("status");
    }
    let new = Defaulted::new(object_type, new).prepared(None);
    all.push((Operation::Create, new.pair(None)));
    let mut update = |operation: Operation, part: Part, edit: &dyn Fn(&mut Node<'t>)| {
        let mut new = stored.clone();
        edit(&mut new);
        let new = match part {
            Part::Main => new.prepared(Some(&stored)),
            Part::Sub(_) => new,
        };
        all.push((operation, new.pair_through(part, Some(stored.clone()))));
    };
    update(Operation::Update, Part::Main, &|_| {});
    update(Operation::Label, Part::Main, &|node| {
        node.map_mut("metadata").map_mut("labels").set(LABEL, Node::string("true"));
    });
    if has_part("scale") {
        update(Operation::Scale, Part::Sub("scale"), &|node| {
            let spec = node.map_mut("spec");
            let replicas = spec.get("replicas").and_then(Node::as_int).unwrap_or(1);
            spec.set("replicas", Node::int(replicas.saturating_add(1)));
        });
    }
    if has_part("status") {
        update(Operation::Status, Part::STATUS, &|_| {});
    }
    if !node.metadata().finalizers().is_empty() {
        update(Operation::Finalizer, Part::Main, &|node| {
            node.map_mut("metadata").remove("finalizers");
        });
    }
    all
}
