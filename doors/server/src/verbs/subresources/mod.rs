//! Subresources, one file per subresource.

mod binding;
mod eviction;
mod scale;
mod token;

pub(crate) use binding::bind_any;

use crate::app::resource_request::{HandlerResult, Reply, ResourceRequest};
use crate::registry::partial;
use crate::request::body::ExpectedKind;
use crate::status::StatusError;
use crate::verbs::managed_fields::{self, Tracking};
use crate::verbs::update_body::UpdateBody;
use crate::verbs::{get, update, write};
use ratchet_engine::Part;
use ratchet_object::Node;

/// Handles a subresource request.
pub(crate) async fn answer(request: &ResourceRequest<'_>, verb: &str) -> HandlerResult {
    let Some(subresource) = request.resource.row().subresource(&request.path.subresource) else {
        return Err(StatusError::no_resource());
    };
    if !subresource.allows(verb) {
        return Err(StatusError::method_not_allowed());
    }
    match (subresource.name, verb) {
        ("status", "get") | ("resize" | "ephemeralcontainers" | "approval", "get") => {
            get::get(request).await
        }
        ("status", _) => update::update(request, Part::STATUS, verb).await,
        ("scale", _) => scale::answer(request, verb).await,
        ("binding", "create") => binding::bind(request).await,
        ("eviction", "create") => eviction::evict(request).await,
        ("ephemeralcontainers", _) => {
            save(request, verb, subresource.name, partial::take_ephemeral_containers).await
        }
        ("resize", _) => save(request, verb, subresource.name, partial::take_resources).await,
        ("finalize", _) => save(request, verb, subresource.name, partial::take_finalizers).await,
        ("approval", _) => update::update(request, Part::Sub(subresource.name), verb).await,
        ("token", "create") => token::create(request).await,
        _ => Err(StatusError::method_not_allowed()),
    }
}

/// Updates a subresource: `take` copies its fields from the sent object to the stored one.
async fn save(
    request: &ResourceRequest<'_>,
    verb: &str,
    part: &'static str,
    take: impl Fn(&mut Node<'static>, &Node<'static>),
) -> HandlerResult {
    let sent = UpdateBody::decode(request, verb, ExpectedKind::of(request.resource))?;
    let edit = |old: &Node<'static>| {
        let (sent_object, conditions) = sent.apply_to(request, old)?;
        let mut new = old.clone();
        take(&mut new, &sent_object);
        if sent.tracking() == Tracking::Done {
            managed_fields::copy(&mut new, &sent_object);
        }
        Ok((new, conditions))
    };
    let tracking = sent.tracking();
    Ok(Reply::item(write::change(request, Part::Sub(part), sent.dry_run, tracking, edit).await?))
}
