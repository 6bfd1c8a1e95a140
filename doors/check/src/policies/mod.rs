//! ValidatingAdmissionPolicies from files, asked about every object that is checked.

mod around;
mod ask;
mod binding;
mod read;
mod ready;
mod rule;
mod valid;

pub(crate) use around::Around;
pub use ask::{administrator, plural_of};
pub use ready::as_stored;
use rule::POLICY;
pub use rule::RULES;
pub(crate) use valid::validate;

use crate::finding::Passage;
use around::Custom;
use ratchet_object::Node;
use ratchet_policy::Policies;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Mutex, PoisonError};

/// The policies of the files, compiled, and what the files say of the cluster around them.
#[derive(Debug, Default)]
pub(crate) struct PolicySet {
    policies: Policies,
    /// Where the validations of each policy stand.
    labels: BTreeMap<String, Vec<Passage>>,
    parameters: Vec<Node<'static>>,
    namespaces: BTreeMap<String, Node<'static>>,
    customs: Vec<Custom>,
    /// What a person should know of how the policies are applied.
    pub(crate) notes: Vec<String>,
    /// The namespaces that were asked for and are in no file.
    unknown: Mutex<BTreeSet<String>>,
}

/// So many namespaces are named that nothing is known of; the rest is counted.
const MOST_NAMED: usize = 5;
/// So many are remembered: memory must not grow with the input.
const MOST_REMEMBERED: usize = 1000;

impl PolicySet {
    /// Remembers a namespace of which nothing but its name is known.
    fn remember_unknown(&self, name: &str) {
        let mut unknown = self.unknown.lock().unwrap_or_else(PoisonError::into_inner);
        if unknown.len() < MOST_REMEMBERED && !unknown.contains(name) {
            unknown.insert(name.to_owned());
        }
    }

    /// What to say once about the namespaces that are in no file.
    pub(crate) fn told_of_namespaces(&self) -> Option<String> {
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
