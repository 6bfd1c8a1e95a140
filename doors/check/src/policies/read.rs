//! Policies, bindings, parameters and namespaces, read from files before anything is checked.

use super::around::{Custom, is_of};
use super::ready::{as_stored, split};
use super::valid::{GROUP, validate};
use super::{PolicySet, binding};
use crate::Config;
use crate::documents::{DocumentRef, Unfit};
use crate::finding::Passage;
use crate::findings::Page;
use crate::lists::objects_in;
use crate::pipeline::{Item, run};
use ratchet_engine::{Change, Existing, Facts, Namespace, Verdict, judge};
use ratchet_object::{Limits, Node, Object, Span, ViolationKind, decode, misfits};
use ratchet_policy::{Binding, KindName, Policies, Reader};
use std::collections::BTreeMap;
use std::sync::Arc;

/// What a file holds.
enum Piece {
    Policy(Node<'static>, Vec<Passage>),
    Binding(Node<'static>),
    Other(Node<'static>),
    /// What is wrong with it, with its place.
    Faulty(String),
}

/// What was read of everything, by its name; of two of one name the later counts, as if both were applied in turn.
#[derive(Default)]
struct Shelf {
    policies: BTreeMap<String, (Node<'static>, Vec<Passage>)>,
    bindings: BTreeMap<String, Node<'static>>,
    others: Vec<Node<'static>>,
    faults: Vec<String>,
    notes: Vec<String>,
}

impl PolicySet {
    /// Reads what `config` names. What is wrong with any of it is told all at once.
    pub(crate) fn read(config: &Config) -> Result<Self, String> {
        let mut shelf = Shelf::default();
        let work = |item: Item<'_>, found: &mut Vec<Piece>| match item {
            Item::DocumentRef(file, sheet) => pieces(config, file, &sheet, found),
            Item::Failed(path, why) => {
                found.push(Piece::Faulty(format!("{}: {why}", path.display())));
            }
            Item::Done => {}
        };
        run(&config.policies, false, config.workers, work, |piece| {
            shelf.put(piece);
            true
        });
        if !shelf.faults.is_empty() {
            return Err(format!("--policies:\n{}", shelf.faults.join("\n")));
        }
        if shelf.policies.is_empty() {
            let paths: Vec<String> =
                config.policies.iter().map(|path| path.display().to_string()).collect();
            let paths = paths.join(", ");
            return Err(format!(
                "--policies {paths}: no ValidatingAdmissionPolicy is there; a directory is not searched to the bottom, so name each"
            ));
        }
        Ok(shelf.bind(config))
    }
}

impl Shelf {
    fn put(&mut self, piece: Piece) {
        let name = |node: &Node<'_>| node.text_at(&["metadata", "name"]).to_owned();
        let told = match piece {
            Piece::Faulty(why) => return self.faults.push(why),
            Piece::Other(node) => return self.others.push(node),
            Piece::Policy(node, labels) => {
                let name = name(&node);
                let before = self.policies.insert(name.clone(), (node, labels));
                before.map(|_| format!("policy '{name}'"))
            }
            Piece::Binding(node) => {
                let name = name(&node);
                let before = self.bindings.insert(name.clone(), node);
                before.map(|_| format!("binding '{name}'"))
            }
        };
        self.notes.extend(told.map(|what| format!("{what} is given twice: the later one counts")));
    }

    fn bind(self, config: &Config) -> PolicySet {
        let Self { policies, bindings, others, notes, .. } = self;
        let mut book = PolicySet { notes, ..PolicySet::default() };
        book.keep(others, &config.namespace);
        let mut bound: Vec<Arc<Binding>> = Vec::new();
        for (name, node) in &bindings {
            let binding = Binding::read(node);
            if !policies.contains_key(binding.policy_name()) {
                let policy = binding.policy_name();
                book.notes.push(format!(
                    "binding '{name}' binds the policy '{policy}', which is in no file"
                ));
            }
            bound.push(Arc::new(binding));
        }
        let mut unbound: Vec<&str> = Vec::new();
        for (name, (node, _)) in &policies {
            book.miss_parameters(name, node);
            if mentions(node, "authorizer") {
                book.notes.push(format!(
                    "policy '{name}' asks the authorizer, and there is none here: its expressions fail, and its failurePolicy decides"
                ));
            }
            if !bound.iter().any(|binding| binding.policy_name() == name) {
                unbound.push(name);
                bound.extend(binding::everywhere(node, &book));
            }
        }
        if !unbound.is_empty() {
            let names = unbound.join(", ");
            book.notes.push(format!(
                "no binding is among the files for these policies, so each refuses as if bound everywhere with Deny: {names}"
            ));
        }
        // The release that is emulated decides which functions there are.
        let version = (1, u32::from(config.policy.emulated.minor()));
        let reader = Reader::new(version);
        let read = |node: &Node<'_>| Arc::new(reader.policy(node));
        book.policies =
            Policies::new(policies.values().map(|(node, _)| read(node)).collect(), bound);
        book.labels = policies.into_iter().map(|(name, (_, labels))| (name, labels)).collect();
        book
    }
}

impl PolicySet {
    /// Keeps what may be a parameter or a namespace, as the API would store it.
    fn keep(&mut self, others: Vec<Node<'static>>, namespace: &str) {
        for node in &others {
            if node.text_at(&["kind"]) == "CustomResourceDefinition" {
                self.customs.push(Custom::read(node));
            }
        }
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
        let kind = KindName { group, version, kind: node.text_at(&["kind"]) };
        self.is_namespaced(&kind) == Some(true)
    }

    /// Notes that a policy has parameters of which none is given.
    fn miss_parameters(&mut self, name: &str, policy: &Node<'_>) {
        let Some(kind) = policy.find(&["spec", "paramKind"]).filter(|node| !node.is_null()) else {
            return;
        };
        let (group, version) = split(kind.text_at(&["apiVersion"]));
        let kind = KindName { group, version, kind: kind.text_at(&["kind"]) };
        if !self.parameters.iter().any(|node| is_of(node, &kind)) {
            let kind = kind.kind;
            self.notes.push(format!(
                "policy '{name}' takes parameters of the kind {kind}, and none is among the files of --policies"
            ));
        }
    }
}

/// Whether a word stands somewhere in the spec of an object.
fn mentions(node: &Node<'_>, word: &str) -> bool {
    node.get("spec").is_some_and(|spec| spec.to_json().contains(word))
}

/// What a document holds.
fn pieces(config: &Config, file: &Arc<str>, sheet: &DocumentRef<'_>, found: &mut Vec<Piece>) {
    let text = match sheet.text {
        Ok(text) => text,
        Err(unfit) => {
            let why = match unfit {
                Unfit::TooLarge => "the document is larger than 3 MiB",
                Unfit::NotUtf8 => "the document is not UTF-8",
            };
            return found.push(Piece::Faulty(format!("{file}:{}: {why}", sheet.line + 1)));
        }
    };
    let page = Page::new(file, sheet, text);
    let at = |span: Span| {
        let place = page.place(span.start);
        format!("{file}:{}:{}", place.line, place.column)
    };
    let decoded = match decode(text, Limits::DEFAULT) {
        Ok(decoded) => decoded,
        Err(error) => {
            let span = Span { start: error.offset, end: error.offset };
            return found.push(Piece::Faulty(format!("{}: {}", at(span), error.message)));
        }
    };
    for node in objects_in(sheet, decoded.documents) {
        let object = Object::new(node);
        let kind = object.kind_name().to_owned();
        let is_ours = object.api_version() == format!("{GROUP}/v1")
            && ["ValidatingAdmissionPolicy", "ValidatingAdmissionPolicyBinding"]
                .contains(&kind.as_str());
        if !is_ours {
            if split(object.api_version()).0 == GROUP
                && kind.starts_with("ValidatingAdmissionPolicy")
            {
                let what = format!("apiVersion must be {GROUP}/v1");
                found.push(Piece::Faulty(format!("{}: {what}", at(object.node().span))));
            } else if !kind.is_empty() {
                found.push(Piece::Other(object.into_node().into_owned()));
            }
            continue;
        }
        let faults = faults(config, &object);
        if !faults.is_empty() {
            let named = format!("{kind} {:?}", object.name());
            let told = faults
                .into_iter()
                .map(|(span, what)| Piece::Faulty(format!("{}: {named}: {what}", at(span))));
            found.extend(told);
        } else if kind == "ValidatingAdmissionPolicy" {
            let labels = labels(&object, &page);
            found.push(Piece::Policy(object.into_node().into_owned(), labels));
        } else {
            found.push(Piece::Binding(object.into_node().into_owned()));
        }
    }
}

/// What the API would say against a policy or a binding, with the places.
fn faults(config: &Config, object: &Object<'_>) -> Vec<(Span, String)> {
    let odd = misfits(object).into_iter().map(|misfit| match misfit.oddity {
        ViolationKind::Unknown => (misfit.span, format!("unknown field \"{}\"", misfit.path)),
        ViolationKind::WrongType(why) => (misfit.span, format!("{}: {why}", misfit.path)),
    });
    let odd: Vec<(Span, String)> = odd.collect();
    if !odd.is_empty() {
        return odd;
    }
    let Some(change) = Change::create(object) else { return Vec::new() };
    let existing_pods = Existing::Pods { pods: Vec::new(), budget: Default::default() };
    let facts = Facts { namespace: Namespace::Unasked, requester: None, existing_pods };
    let mut verdict: Verdict = judge(&change, &facts, &config.policy);
    validate(object, None, &config.policy, &mut verdict);
    let told = |problem: &ratchet_engine::FieldError| {
        (problem.span, format!("{}: {}", problem.field, problem.message()))
    };
    verdict.problems.iter().map(told).collect()
}

/// Where the validations of a policy stand.
fn labels(policy: &Object<'_>, page: &Page<'_>) -> Vec<Passage> {
    let validations = policy.root().field("spec").field("validations");
    validations.items().map(|validation| page.passage(&validation.field("expression"))).collect()
}
