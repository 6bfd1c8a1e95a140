//! The Status with which the API answers a policy's denial.

use alloc::format;
use alloc::string::String;
use ratchet_engine::{Status, StatusCause};
use ratchet_net::Quoted;
use ratchet_policy::{Attributes, Denial};

/// The Status of a denial, with the code and reason of the validation that failed.
pub fn denial_status(denial: &Denial, attributes: &Attributes<'_>) -> Status {
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
        causes: alloc::vec![StatusCause { reason: "", message: cause, field: String::new() }],
    }
}
