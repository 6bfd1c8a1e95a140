//! PUT and PATCH of an object, or of its status.

use crate::app::resource_request::{HandlerResult, Reply, ResourceRequest};
use crate::request::body::ExpectedKind;
use crate::status::StatusError;
use crate::verbs::update_body::UpdateBody;
use crate::verbs::write;
use ratchet_access::Attributes;
use ratchet_engine::Part;
use ratchet_object::Node;

/// The number of attempts while the object is created or deleted concurrently.
const TRIES: usize = 4;

/// Replaces or patches an object; for some kinds a PUT creates a missing object.
pub(crate) async fn update(request: &ResourceRequest<'_>, part: Part, verb: &str) -> HandlerResult {
    let body = UpdateBody::decode(request, verb, ExpectedKind::of(request.resource))?;
    let whole = body
        .whole()
        .filter(|_| part == Part::Main && request.resource.strategy().allows_create_on_update);
    // Compared as a whole: other missing objects, such as the role of a binding, are 404 as well.
    let missing = StatusError::not_found(request.resource.about(&request.path.name));
    for _ in 0..TRIES {
        let edit = |old: &Node<'static>| body.apply_to(request, old);
        let changed = write::change(request, part, body.dry_run, edit).await;
        let node = match (changed, whole) {
            (Err(error), Some(node)) if error == missing => node,
            (changed, _) => return changed.map(Reply::item),
        };
        match create(request, node, body.dry_run).await {
            // Created by another request meanwhile.
            Err(error) if error.reason == "AlreadyExists" => {}
            result => return result,
        }
    }
    Err(StatusError::modified(request.resource.about(&request.path.name)))
}

/// Creates the object of a PUT, if the user may also create.
async fn create(
    request: &ResourceRequest<'_>,
    node: &Node<'static>,
    dry_run: bool,
) -> HandlerResult {
    let target = crate::access::authorize::target(request.path, "");
    request.app.authorizer.check(&Attributes { user: request.user, verb: "create", target })?;
    let mut node = node.clone();
    node.map_mut("metadata").remove("resourceVersion");
    write::Preconditions::of(&node).check(request, &Node::empty_map())?;
    request.resource.apply_defaults(&mut node);
    Ok(Reply::created(write::create(request, node, dry_run).await?))
}
