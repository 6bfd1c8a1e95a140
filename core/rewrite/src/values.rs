//! Candidates in what is no object: values of Helm charts, and JSON patches of kustomize.
//!
//! Both use the names of the API's fields, so that the last names of a path say what a value denotes. A text that
//! denotes nothing is passed over there: a chart may mean something else by the name.

use crate::candidate::Candidate;
use crate::decide::ValueClass;
use crate::edits::ObjectRef;
use crate::exceptions::Exceptions;
use alloc::borrow::ToOwned;
use alloc::rc::Rc;
use alloc::string::String;
use alloc::vec::Vec;
use core::fmt::Write as _;
use ratchet_object::{Node, Value};

/// The last names of paths, whose values are addresses wherever they stand.
const TAILS: &[(&[&str], ValueClass)] = &[
    (&["clusterIP"], ValueClass::Address),
    (&["clusterIPs"], ValueClass::Address),
    (&["dnsConfig", "nameservers"], ValueClass::Address),
    (&["dnsConfig", "searches"], ValueClass::SearchName),
    (&["externalIPs"], ValueClass::Address),
    (&["hostAliases", "ip"], ValueClass::Address),
    (&["ipBlock", "cidr"], ValueClass::Network),
    (&["ipBlock", "except"], ValueClass::Network),
    (&["loadBalancerSourceRanges"], ValueClass::Network),
    (&["podCIDR"], ValueClass::Network),
    (&["podCIDRs"], ValueClass::Network),
];

#[derive(Clone, Copy)]
enum Step<'n> {
    Name(&'n str),
    Item(usize),
}

/// Adds the candidates below a node whose path begins with `names`.
pub(crate) fn collect<'n>(
    node: &'n Node<'n>,
    names: &[&'n str],
    object: ObjectRef,
    found: &mut Vec<Candidate<'n>>,
) {
    let steps = names.iter().map(|name| Step::Name(name)).collect();
    let mut walk = ValueWalk {
        steps,
        object: Rc::new(object),
        exceptions: Rc::new(Exceptions::default()),
        found,
    };
    walk.node(node);
}

/// Whether a document is a JSON patch.
pub(crate) fn is_json_patch(node: &Node<'_>) -> bool {
    let is_operation = |item: &Node<'_>| {
        !item.text_at(&["op"]).is_empty() && item.text_at(&["path"]).starts_with('/')
    };
    !node.items().is_empty() && node.items().iter().all(is_operation)
}

/// Adds the candidates of a JSON patch.
pub(crate) fn collect_json_patch<'n>(node: &'n Node<'n>, found: &mut Vec<Candidate<'n>>) {
    for operation in node.items() {
        let names: Vec<&str> = operation.text_at(&["path"]).split('/').skip(1).collect();
        if let Some(value) = operation.get("value") {
            collect(value, &names, ObjectRef::default(), found);
        }
    }
}

struct ValueWalk<'w, 'n> {
    steps: Vec<Step<'n>>,
    object: Rc<ObjectRef>,
    exceptions: Rc<Exceptions>,
    found: &'w mut Vec<Candidate<'n>>,
}

impl<'n> ValueWalk<'_, 'n> {
    fn node(&mut self, node: &'n Node<'n>) {
        match &node.value {
            Value::Map(entries) => {
                for entry in entries {
                    self.steps.push(Step::Name(&entry.key));
                    self.node(&entry.node);
                    self.steps.pop();
                }
            }
            Value::List(items) => {
                for (index, item) in items.iter().enumerate() {
                    self.steps.push(Step::Item(index));
                    self.node(item);
                    self.steps.pop();
                }
            }
            Value::Text(text) => {
                if let Some(class) = self.class().filter(|_| !text.trim().is_empty()) {
                    self.found.push(Candidate {
                        object: Rc::clone(&self.object),
                        field: self.path(),
                        text,
                        span: node.span,
                        class,
                        unique_in: None,
                        is_api_field: false,
                        exceptions: Rc::clone(&self.exceptions),
                    });
                }
            }
            _ => {}
        }
    }

    /// What the last names of the path say; indexes in a pointer are no names.
    fn class(&self) -> Option<ValueClass> {
        let mut names = self.steps.iter().rev().filter_map(|step| match step {
            Step::Name(name) => Some(*name).filter(|name| !is_index(name)),
            Step::Item(_) => None,
        });
        let (last, before) = (names.next()?, names.next());
        let is_it = |tail: &&[&str]| match **tail {
            [only] => only == last,
            [first, second] => before == Some(first) && second == last,
            _ => false,
        };
        TAILS.iter().find(|(tail, _)| is_it(tail)).map(|(_, class)| *class)
    }

    fn path(&self) -> String {
        let mut path = String::new();
        for step in &self.steps {
            let _ = match step {
                Step::Item(index) => write!(path, "[{index}]"),
                Step::Name(name) if path.is_empty() => write!(path, "{name}"),
                Step::Name(name) => write!(path, ".{name}"),
            };
        }
        path.to_owned()
    }
}

fn is_index(name: &str) -> bool {
    name == "-" || (!name.is_empty() && name.bytes().all(|byte| byte.is_ascii_digit()))
}
