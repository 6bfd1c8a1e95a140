//! Admission policies from files: mutating ones are applied to every checked object, validating ones are evaluated.

mod binding;
mod cluster;
mod evaluate;
mod kinds;
mod load;
mod mutate;
mod rule;
mod stored_form;
mod write_request;

pub(crate) use cluster::FileCluster;
pub(crate) use evaluate::Attempt;
pub use kinds::plural_of;
pub(crate) use mutate::Mutated;
pub use mutate::merge_built_in;
use rule::POLICY;
pub use rule::RULES;
pub use stored_form::as_stored;
pub use write_request::administrator;

use crate::definitions::CustomKind;
use crate::finding::SourceLocation;
use ratchet_object::Node;
use ratchet_policy::{MutatingPolicies, Policies};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Mutex, PoisonError};

/// Compiled policies, and the cluster state that their files define: parameters, namespaces and custom kinds.
#[derive(Debug, Default)]
pub(crate) struct PolicySet {
    policies: Policies,
    mutating: MutatingPolicies,
    /// Locations of the validation expressions, by policy name.
    expressions: BTreeMap<String, Vec<SourceLocation>>,
    parameters: Vec<Node<'static>>,
    namespaces: BTreeMap<String, Node<'static>>,
    custom_kinds: Vec<CustomKind>,
    /// Notes about how the policies are applied.
    pub(crate) notes: Vec<String>,
    /// Namespaces that policies looked up and no file defines.
    unknown: Mutex<BTreeSet<String>>,
}

/// The number of unknown namespaces that the note names; the rest is counted.
const MOST_NAMED: usize = 5;
/// The number of unknown namespaces that are recorded: memory must not grow with the input.
const MOST_REMEMBERED: usize = 1000;

impl PolicySet {
    /// Records a namespace that no file defines.
    fn remember_unknown(&self, name: &str) {
        let mut unknown = self.unknown.lock().unwrap_or_else(PoisonError::into_inner);
        if unknown.len() < MOST_REMEMBERED && !unknown.contains(name) {
            unknown.insert(name.to_owned());
        }
    }

    /// A note about namespaces that no file defines.
    pub(crate) fn unknown_namespaces_note(&self) -> Option<String> {
        let unknown = self.unknown.lock().unwrap_or_else(PoisonError::into_inner);
        let named: Vec<&str> = unknown.iter().take(MOST_NAMED).map(String::as_str).collect();
        let more = match unknown.len().saturating_sub(MOST_NAMED) {
            0 => String::new(),
            more => format!(" and {more} more"),
        };
        (!named.is_empty()).then(|| {
            format!(
                "policies look at namespaces, and these are in no file: {}{more}; they have only their names and the label kubernetes.io/metadata.name",
                named.join(", ")
            )
        })
    }
}
