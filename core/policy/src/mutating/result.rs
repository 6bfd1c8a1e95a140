//! The result of mutating policies: the object, what denies the request, and samples for the metrics.

use crate::Observation;
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use ratchet_net::Quoted;
use ratchet_object::Node;

/// The result of applying all mutating policies to an object.
#[derive(Clone, Debug, PartialEq)]
pub struct MutationResult {
    /// The object, with the mutations applied.
    pub object: Node<'static>,
    /// Whether any mutation was applied; otherwise the object is the one that was given.
    pub is_patched: bool,
    /// Why the request is refused; the object does not matter then.
    pub failure: Option<MutationFailure>,
    /// Samples for the metrics.
    pub observations: Vec<Observation>,
}

/// Why mutating policies refuse a request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum MutationFailure {
    /// 403 with the message and the reason of the first error, and the messages of all as causes; `details` name the
    /// object as for any other forbidden request.
    Denied(Vec<PolicyError>),
    /// 500 InternalError: `Internal error occurred: ` and this text, whatever the failure policy is.
    Internal(String),
    /// 404: this namespace does not exist.
    MissingNamespace(String),
}

/// A policy that could not be applied.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PolicyError {
    /// The name of the policy.
    pub policy: String,
    /// The name of the binding; none where the policy itself could not be applied.
    pub binding: Option<String>,
    /// The error.
    pub words: String,
    /// The reason of the Status: `Invalid` for a mutation, `Forbidden` for a configuration that cannot be applied.
    pub reason: &'static str,
}

impl PolicyError {
    /// The message of the Status, and of its cause.
    pub fn message(&self) -> String {
        let Self { policy, binding, words, .. } = self;
        match binding {
            Some(binding) => {
                format!("policy '{policy}' with binding '{binding}' denied request: {words}")
            }
            None => format!("policy {} denied request: {words}", Quoted(policy)),
        }
    }
}
