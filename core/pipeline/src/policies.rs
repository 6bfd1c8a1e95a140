//! The policy step: `evaluate_policies` on what validation let through, and the Status of what policies refuse.

use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use ratchet_engine::{Status, StatusCause};
use ratchet_net::Quoted;
use ratchet_policy::{
    Attributes, Denial, MutationFailure, Policies, PolicyContext, PolicyError, PolicyResult,
};

/// The result of the validating policies, and the answer of the API if they refuse the attempt.
#[derive(Clone, Debug)]
pub struct PolicyVerdict {
    /// What each policy says.
    pub result: PolicyResult,
    /// The Status of the refusal; `None` if the attempt is admitted.
    pub status: Option<Status>,
}

/// Evaluates the validating policies on an attempt. `attributes` name the objects as they would be stored: a change that
/// was judged, a deletion or a connection.
pub fn evaluate_policies(
    policies: &Policies,
    attributes: &Attributes<'_>,
    context: &dyn PolicyContext,
) -> PolicyVerdict {
    let result = policies.judge(attributes, context);
    let status = match (&result.missing_namespace, result.denials.first()) {
        (Some(name), _) => Some(missing_namespace(name)),
        (None, Some(denial)) => Some(denial_status(denial, attributes)),
        (None, None) => None,
    };
    PolicyVerdict { result, status }
}

/// The Status of a request that mutating policies refuse.
pub fn mutation_status(failure: &MutationFailure, attributes: &Attributes<'_>) -> Status {
    match failure {
        MutationFailure::Denied(denials) => mutation_denied(denials, attributes),
        MutationFailure::Internal(why) => internal_error(why),
        MutationFailure::MissingNamespace(name) => missing_namespace(name),
    }
}

/// The Status of a denial, with the code and reason of the validation that failed.
fn denial_status(denial: &Denial, attributes: &Attributes<'_>) -> Status {
    let (group, plural) = (attributes.resource.group, attributes.resource.resource);
    let name = if attributes.name.is_empty() { "Unknown" } else { attributes.name };
    let resource = match group {
        "" => plural.into(),
        group => format!("{plural}.{group}"),
    };
    let cause = denial.message();
    Status {
        code: denial.reason.code(),
        reason: denial.reason.as_str(),
        message: format!("{resource} {} is forbidden: {cause}", Quoted(name)),
        kind: plural.into(),
        group: group.into(),
        name: name.into(),
        causes: Vec::from([message_only(cause)]),
    }
}

/// The Status of mutating policies that could not be applied: that of the first, with all as causes.
fn mutation_denied(denials: &[PolicyError], attributes: &Attributes<'_>) -> Status {
    let Some(first) = denials.first() else { return internal_error("a denial without a cause") };
    Status {
        code: 403,
        reason: first.reason,
        message: first.message(),
        kind: attributes.resource.resource.into(),
        group: attributes.resource.group.into(),
        name: attributes.name.into(),
        causes: denials.iter().map(|denial| message_only(denial.message())).collect(),
    }
}

fn missing_namespace(name: &str) -> Status {
    Status {
        code: 404,
        reason: "NotFound",
        message: format!("namespaces {} not found", Quoted(name)),
        kind: "namespaces".into(),
        group: String::new(),
        name: name.into(),
        causes: Vec::new(),
    }
}

fn internal_error(why: &str) -> Status {
    Status {
        code: 500,
        reason: "InternalError",
        message: format!("Internal error occurred: {why}"),
        kind: String::new(),
        group: String::new(),
        name: String::new(),
        causes: Vec::from([message_only(why.into())]),
    }
}

fn message_only(message: String) -> StatusCause {
    StatusCause { reason: "", message, field: String::new() }
}
