//! The parts of objects that have URLs of their own.

mod binding;
mod ephemeral;
mod eviction;
mod finalize;
mod scale;
mod token;

pub(crate) use binding::bind_any;
pub(crate) use scale::scale_from;

use crate::body::Wanted;
use crate::resource_request::{Answered, Reply, ResourceRequest};
use crate::status::StatusError;
use crate::verbs::sent::Sent;
use crate::verbs::{get, update};
use crate::write;
use ratchet_engine::Part;
use ratchet_object::Node;

/// Answers a request for a part of an object.
pub(crate) async fn answer(call: &ResourceRequest<'_>, verb: &str) -> Answered {
    let Some(below) = call.served.row.subresource(&call.place.subresource) else {
        return Err(StatusError::no_resource());
    };
    if !below.allows(verb) {
        return Err(StatusError::method_not_allowed());
    }
    match (below.name, verb) {
        ("status", "get") | ("resize" | "ephemeralcontainers" | "approval", "get") => {
            get::get(call).await
        }
        ("status", _) => update::update(call, Part::STATUS, verb).await,
        ("scale", _) => scale::answer(call, verb).await,
        ("binding", "create") => binding::bind(call).await,
        ("eviction", "create") => eviction::evict(call).await,
        ("ephemeralcontainers", _) => save(call, verb, below.name, ephemeral::take).await,
        ("resize", _) => save(call, verb, below.name, ephemeral::resize).await,
        ("finalize", _) => save(call, verb, below.name, finalize::take).await,
        ("approval", _) => update::update(call, Part::Sub(below.name), verb).await,
        ("token", "create") => token::create(call).await,
        _ => Err(StatusError::method_not_allowed()),
    }
}

/// Writes a part of an object: `take` takes over from what was sent what this part is about.
async fn save(
    call: &ResourceRequest<'_>,
    verb: &str,
    part: &'static str,
    take: impl Fn(&mut Node<'static>, &Node<'static>),
) -> Answered {
    let sent = Sent::read(call, verb, Wanted::of(call.served))?;
    let edit = |old: &Node<'static>| {
        let (asked, conditions) = sent.over(call, old)?;
        let mut new = old.clone();
        take(&mut new, &asked);
        Ok((new, conditions))
    };
    Ok(Reply::item(write::change(call, Part::Sub(part), sent.dry_run, edit).await?))
}
