//! PUT and PATCH of an object, or of its status.

use crate::body::Wanted;
use crate::resource_request::{Answered, Reply, ResourceRequest};
use crate::status::StatusError;
use crate::verbs::sent::Sent;
use crate::write;
use ratchet_access::Attempt;
use ratchet_engine::Part;
use ratchet_object::{Node, defaults};

/// How often an object that comes and goes is looked at again.
const LOOKS: usize = 4;

/// Replaces or changes an object; a PUT makes some kinds where there is none.
pub(crate) async fn update(request: &ResourceRequest<'_>, part: Part, verb: &str) -> Answered {
    let sent = Sent::read(request, verb, Wanted::of(request.resource))?;
    let whole = sent.whole().filter(|_| part == Part::Main && request.resource.strategy.put_creates);
    // Other things that are missing, such as a role that a binding names, are refused with the same code.
    let missing = StatusError::not_found(request.resource.about(&request.path.name));
    for _ in 0..LOOKS {
        let edit = |old: &Node<'static>| sent.over(request, old);
        let changed = write::change(request, part, sent.dry_run, edit).await;
        let node = match (changed, whole) {
            (Err(refusal), Some(node)) if refusal == missing => node,
            (changed, _) => return changed.map(Reply::item),
        };
        match make(request, node, sent.dry_run).await {
            // Somebody else has just made it.
            Err(refusal) if refusal.reason == "AlreadyExists" => {}
            made => return made,
        }
    }
    Err(StatusError::modified(request.resource.about(&request.path.name)))
}

/// Makes the object of a PUT; who may replace objects may not yet make them.
async fn make(request: &ResourceRequest<'_>, node: &Node<'static>, dry_run: bool) -> Answered {
    let target = crate::authorize::target(request.path, "");
    request.app.authorizer.check(&Attempt { user: request.user, verb: "create", target })?;
    let mut node = node.clone();
    node.below("metadata").remove("resourceVersion");
    write::Preconditions::of(&node).check(request, &Node::empty_map())?;
    let row = request.resource.row;
    defaults::apply(row.group, row.version, row.kind, &mut node);
    Ok(Reply::created(write::create(request, node, dry_run).await?))
}
