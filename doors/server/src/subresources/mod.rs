//! The parts of objects that have URLs of their own.

mod approval;
mod binding;
mod ephemeral;
mod eviction;
mod finalize;
mod scale;
mod token;

pub(crate) use binding::bind_any;

use crate::call::{Answered, Call};
use crate::refusal::Refusal;
use crate::verbs::{get, patch, update};
use ratchet_engine::Part;

/// Answers a request for a part of an object.
pub(crate) async fn answer(call: &Call<'_>, verb: &str) -> Answered {
    let Some(below) = call.served.row.subresource(&call.place.subresource) else {
        return Err(Refusal::no_resource());
    };
    if !below.allows(verb) {
        return Err(Refusal::method_not_allowed());
    }
    match (below.name, verb) {
        ("status", "get") | ("resize" | "ephemeralcontainers" | "approval", "get") => {
            get::get(call).await
        }
        ("status", "update") => update::update(call, Part::STATUS).await,
        ("status", "patch") => patch::patch(call, Part::STATUS).await,
        ("scale", _) => scale::answer(call, verb).await,
        ("binding", "create") => binding::bind(call).await,
        ("eviction", "create") => eviction::evict(call).await,
        ("ephemeralcontainers" | "resize", "update") => ephemeral::update(call, below.name).await,
        ("ephemeralcontainers" | "resize", "patch") => ephemeral::patch(call, below.name).await,
        ("finalize", "update") => finalize::finalize(call).await,
        ("approval", "update") => approval::update(call).await,
        ("approval", "patch") => approval::patch(call).await,
        ("token", "create") => token::create(call).await,
        ("log" | "exec" | "attach" | "portforward" | "proxy", _) => {
            Err(Refusal::unavailable(format!(
                "{} needs a connection to the kubelet, which this server does not have yet",
                below.name
            )))
        }
        _ => Err(Refusal::method_not_allowed()),
    }
}
