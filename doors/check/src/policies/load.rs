//! Loader of policies, bindings, parameters and namespaces from the files of `--policies`.

use super::kinds::is_of;
use super::stored_form::{as_stored, split};
use super::{PolicySet, binding};
use crate::Config;
use crate::definitions::{CustomKind, Definitions};
use crate::finding::SourceLocation;
use crate::findings::SourceDocument;
use ratchet_manifests::{DocumentError, DocumentRef, Item, objects_in, run};
use ratchet_object::{Limits, NoCluster, Node, Object, Span, decode};
use ratchet_pipeline::{BuiltInType, Decoded};
use ratchet_policy::{Binding, GroupVersionKind, MutatingPolicies, Policies, Reader};
use std::collections::BTreeMap;
use std::sync::Arc;

/// The group of policies and bindings.
const GROUP: &str = "admissionregistration.k8s.io";

/// The kinds of policies and bindings.
const KINDS: [&str; 4] = [
    "MutatingAdmissionPolicy",
    "MutatingAdmissionPolicyBinding",
    "ValidatingAdmissionPolicy",
    "ValidatingAdmissionPolicyBinding",
];

/// An object of a policy file.
enum FileObject {
    Policy(Node<'static>, Vec<SourceLocation>),
    Binding(Node<'static>),
    MutatingPolicy(Node<'static>),
    MutatingBinding(Node<'static>),
    Other(Node<'static>),
    /// An error message with its location.
    Invalid(String),
}

/// All objects by name; of two with the same name the later one counts, as if both were applied in turn.
#[derive(Default)]
struct PolicyFiles {
    policies: BTreeMap<String, (Node<'static>, Vec<SourceLocation>)>,
    bindings: BTreeMap<String, Node<'static>>,
    mutating_policies: BTreeMap<String, Node<'static>>,
    mutating_bindings: BTreeMap<String, Node<'static>>,
    others: Vec<Node<'static>>,
    errors: Vec<String>,
    notes: Vec<String>,
}

impl PolicySet {
    /// Loads the files that `config` names; the error lists all invalid objects at once.
    pub(crate) fn read(config: &Config, definitions: &Definitions<'_>) -> Result<Self, String> {
        let mut files = PolicyFiles::default();
        let work = |item: Item<'_>, found: &mut Vec<FileObject>| match item {
            Item::Document(file, document) => read_document(config, file, &document, found),
            Item::Failed(path, why) => {
                found.push(FileObject::Invalid(format!("{}: {why}", path.display())));
            }
            Item::Done => {}
        };
        run(&config.policies, false, config.workers, work, |object| {
            files.insert(object);
            true
        });
        if !files.errors.is_empty() {
            return Err(format!("--policies:\n{}", files.errors.join("\n")));
        }
        if files.policies.is_empty() && files.mutating_policies.is_empty() {
            let paths: Vec<String> =
                config.policies.iter().map(|path| path.display().to_string()).collect();
            let paths = paths.join(", ");
            return Err(format!(
                "--policies {paths}: no ValidatingAdmissionPolicy and no MutatingAdmissionPolicy is there; a directory is not searched to the bottom, so name each"
            ));
        }
        Ok(files.bind(config, definitions))
    }
}

impl PolicyFiles {
    fn insert(&mut self, object: FileObject) {
        let name = |node: &Node<'_>| node.text_at(&["metadata", "name"]).to_owned();
        let replaced = match object {
            FileObject::Invalid(why) => return self.errors.push(why),
            FileObject::Other(node) => return self.others.push(node),
            FileObject::Policy(node, expressions) => {
                let name = name(&node);
                let before = self.policies.insert(name.clone(), (node, expressions));
                before.map(|_| format!("policy '{name}'"))
            }
            FileObject::Binding(node) => {
                let name = name(&node);
                let before = self.bindings.insert(name.clone(), node);
                before.map(|_| format!("binding '{name}'"))
            }
            FileObject::MutatingPolicy(node) => {
                let name = name(&node);
                let before = self.mutating_policies.insert(name.clone(), node);
                before.map(|_| format!("mutating policy '{name}'"))
            }
            FileObject::MutatingBinding(node) => {
                let name = name(&node);
                let before = self.mutating_bindings.insert(name.clone(), node);
                before.map(|_| format!("mutating binding '{name}'"))
            }
        };
        self.notes
            .extend(replaced.map(|what| format!("{what} is given twice: the later one counts")));
    }

    fn bind(self, config: &Config, definitions: &Definitions<'_>) -> PolicySet {
        let Self { policies, bindings, others, notes, .. } = self;
        let (mutating_policies, mutating_bindings) =
            (self.mutating_policies, self.mutating_bindings);
        let mut policy_set = PolicySet { notes, ..PolicySet::default() };
        policy_set.add_objects(others, definitions, &config.namespace);
        let mut bound: Vec<Arc<Binding>> = Vec::new();
        for (name, node) in &bindings {
            let binding = Binding::from_object(node);
            if !policies.contains_key(binding.policy_name()) {
                let policy = binding.policy_name();
                policy_set.notes.push(format!(
                    "binding '{name}' binds the policy '{policy}', which is in no file"
                ));
            }
            bound.push(Arc::new(binding));
        }
        let mut unbound: Vec<&str> = Vec::new();
        for (name, (node, _)) in &policies {
            policy_set.note_missing_parameters(name, node);
            if mentions(node, "authorizer") {
                policy_set.notes.push(format!(
                    "policy '{name}' asks the authorizer, and there is none here: its expressions fail, and its failurePolicy decides"
                ));
            }
            if !bound.iter().any(|binding| binding.policy_name() == name) {
                unbound.push(name);
                bound.extend(binding::everywhere(node, &policy_set));
            }
        }
        if !unbound.is_empty() {
            let names = unbound.join(", ");
            policy_set.notes.push(format!(
                "no binding is among the files for these policies, so each refuses as if bound everywhere with Deny: {names}"
            ));
        }
        // The emulated release decides which CEL functions exist.
        let version = (1, u32::from(config.api_config.emulated.minor()));
        let reader = Reader::new(version);
        let read = |node: &Node<'_>| Arc::new(reader.policy(node));
        policy_set.policies =
            Policies::new(policies.values().map(|(node, _)| read(node)).collect(), bound);
        policy_set.bind_mutating(&mutating_policies, &mutating_bindings, &reader);
        policy_set.expressions =
            policies.into_iter().map(|(name, (_, expressions))| (name, expressions)).collect();
        policy_set
    }
}

impl PolicySet {
    /// Binds the mutating policies; one without a binding is applied as if bound everywhere.
    fn bind_mutating(
        &mut self,
        policies: &BTreeMap<String, Node<'static>>,
        bindings: &BTreeMap<String, Node<'static>>,
        reader: &Reader,
    ) {
        let mut bound: Vec<Arc<Binding>> =
            bindings.values().map(|node| Arc::new(Binding::from_object(node))).collect();
        let mut unbound: Vec<&str> = Vec::new();
        for (name, node) in policies {
            self.note_missing_parameters(name, node);
            if !bound.iter().any(|binding| binding.policy_name() == name) {
                unbound.push(name);
                bound.extend(binding::everywhere(node, self));
            }
        }
        if !unbound.is_empty() {
            let names = unbound.join(", ");
            self.notes.push(format!(
                "no binding is among the files for these mutating policies, so each is applied as if bound everywhere: {names}"
            ));
        }
        let policies = policies.values().map(|node| Arc::new(reader.mutating_policy(node)));
        self.mutating = MutatingPolicies::new(policies.collect(), bound);
    }

    /// Adds possible parameters and namespaces, in the form in which the API server would store them.
    fn add_objects(
        &mut self,
        others: Vec<Node<'static>>,
        definitions: &Definitions<'_>,
        namespace: &str,
    ) {
        for node in &others {
            if node.text_at(&["kind"]) == "CustomResourceDefinition" {
                self.custom_kinds.push(CustomKind::from_definition(node));
            }
        }
        self.custom_kinds.extend(definitions.kinds().cloned());
        for node in others {
            let name = node.text_at(&["metadata", "name"]).to_owned();
            if (node.text_at(&["apiVersion"]), node.text_at(&["kind"])) == ("v1", "Namespace") {
                self.namespaces.insert(name, node.clone());
            }
            self.parameters.push(node);
        }
        let places: Vec<bool> = self.parameters.iter().map(|node| self.is_placed(node)).collect();
        for (node, is_placed) in self.parameters.iter_mut().zip(places) {
            let object = Object::new(node.clone());
            let object = if is_placed {
                object.in_namespace(namespace).into_node()
            } else {
                object.into_node()
            };
            *node = as_stored(&Object::new(object.into_owned()), None);
        }
        let key = |node: &Node<'_>| {
            let word = |name| node.text_at(&["metadata", name]).to_owned();
            (word("namespace"), word("name"))
        };
        self.parameters.sort_by_key(key);
    }

    fn is_placed(&self, node: &Node<'_>) -> bool {
        let (group, version) = split(node.text_at(&["apiVersion"]));
        let kind = GroupVersionKind { group, version, kind: node.text_at(&["kind"]) };
        self.is_namespaced(&kind) == Some(true)
    }

    /// Adds a note if a policy takes parameters and no file has one.
    fn note_missing_parameters(&mut self, name: &str, policy: &Node<'_>) {
        let Some(kind) = policy.find(&["spec", "paramKind"]).filter(|node| !node.is_null()) else {
            return;
        };
        let (group, version) = split(kind.text_at(&["apiVersion"]));
        let kind = GroupVersionKind { group, version, kind: kind.text_at(&["kind"]) };
        if !self.parameters.iter().any(|node| is_of(node, &kind)) {
            let kind = kind.kind;
            self.notes.push(format!(
                "policy '{name}' takes parameters of the kind {kind}, and none is among the files of --policies"
            ));
        }
    }
}

/// Whether the spec of an object contains a word.
fn mentions(node: &Node<'_>, word: &str) -> bool {
    node.get("spec").is_some_and(|spec| spec.to_json().contains(word))
}

/// Appends the objects of a document to `found`.
fn read_document(
    config: &Config,
    file: &Arc<str>,
    document: &DocumentRef<'_>,
    found: &mut Vec<FileObject>,
) {
    let text = match document.text {
        Ok(text) => text,
        Err(error) => {
            let why = match error {
                DocumentError::TooLarge => "the document is larger than 3 MiB",
                DocumentError::NotUtf8 => "the document is not UTF-8",
            };
            return found.push(FileObject::Invalid(format!("{file}:{}: {why}", document.line + 1)));
        }
    };
    let source = SourceDocument::new(file, document, text);
    let location = |span: Span| {
        let place = source.position(span.start);
        format!("{file}:{}:{}", place.line, place.column)
    };
    let decoded = match decode(text, Limits::DEFAULT) {
        Ok(decoded) => decoded,
        Err(error) => {
            let span = Span { start: error.offset, end: error.offset };
            return found.push(FileObject::Invalid(format!(
                "{}: {}",
                location(span),
                error.message
            )));
        }
    };
    for node in objects_in(document, decoded.documents) {
        let object = Object::new(node);
        let kind = object.kind_name().to_owned();
        let is_ours =
            object.api_version() == format!("{GROUP}/v1") && KINDS.contains(&kind.as_str());
        if !is_ours {
            if split(object.api_version()).0 == GROUP && KINDS.contains(&kind.as_str()) {
                let what = format!("apiVersion must be {GROUP}/v1");
                found
                    .push(FileObject::Invalid(format!("{}: {what}", location(object.node().span))));
            } else if !kind.is_empty() {
                found.push(FileObject::Other(object.into_node().into_owned()));
            }
            continue;
        }
        let errors = validation_errors(config, &object);
        if !errors.is_empty() {
            let kind_and_name = format!("{kind} {:?}", object.name());
            let errors = errors.into_iter().map(|(span, what)| {
                FileObject::Invalid(format!("{}: {kind_and_name}: {what}", location(span)))
            });
            found.extend(errors);
        } else {
            let expressions = expressions(&object, &source);
            let node = object.into_node().into_owned();
            found.push(match kind.as_str() {
                "ValidatingAdmissionPolicy" => FileObject::Policy(node, expressions),
                "ValidatingAdmissionPolicyBinding" => FileObject::Binding(node),
                "MutatingAdmissionPolicy" => FileObject::MutatingPolicy(node),
                _ => FileObject::MutatingBinding(node),
            });
        }
    }
}

/// The errors that the API server would report for a policy or a binding, with their spans.
fn validation_errors(config: &Config, object: &Object<'_>) -> Vec<(Span, String)> {
    let policy_type = BuiltInType::find(object.api_version(), object.kind_name());
    let Some(policy_type) = policy_type else { return Vec::new() };
    let decoded = Decoded::located(&policy_type, object.node().clone(), &[]);
    let fields = decoded.fields();
    let unknown = fields.violations.iter().map(|row| (row.span, row.message.clone()));
    let mistyped = fields.mismatches.iter();
    let mistyped = mistyped.map(|row| (row.span, format!("{}: {}", row.path, row.message)));
    let mut invalid: Vec<(Span, String)> = unknown.chain(mistyped).collect();
    if !invalid.is_empty() {
        invalid.sort_by_key(|(span, _)| span.start);
        return invalid;
    }
    let Ok(object) = decoded.with_defaults() else { return Vec::new() };
    let paired = object.pair(None);
    let mut judged = paired.judge(&config.api_config, &NoCluster, None);
    judged.locate();
    let errors = judged.verdict().errors.iter();
    errors.map(|error| (error.span, format!("{}: {}", error.field, error.message()))).collect()
}

/// Locations of a policy's validation expressions.
fn expressions(policy: &Object<'_>, source: &SourceDocument<'_>) -> Vec<SourceLocation> {
    let validations = policy.root().field("spec").field("validations");
    validations
        .items()
        .map(|validation| source.source_location(&validation.field("expression")))
        .collect()
}
