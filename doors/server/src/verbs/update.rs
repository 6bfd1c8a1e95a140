//! PUT and PATCH of an object, or of its status.

use crate::app::resource_request::{HandlerResult, Reply, ResourceRequest};
use crate::request::body::ExpectedKind;
use crate::status::StatusError;
use crate::verbs::update_body::UpdateBody;
use crate::verbs::write;
use ratchet_access::Attributes;
use ratchet_engine::Part;
use ratchet_object::Node;
use ratchet_pipeline::Defaulted;

/// The number of attempts while the object is created or deleted concurrently.
const TRIES: usize = 4;

/// Replaces or patches an object; for some kinds a PUT creates a missing object, an apply for all.
pub(crate) async fn update(request: &ResourceRequest<'_>, part: Part, verb: &str) -> HandlerResult {
    let body = UpdateBody::decode(request, verb, ExpectedKind::of(request.resource))?;
    let may_create =
        part == Part::Main && body.can_create(request.resource.strategy().allows_create_on_update);
    // Compared as a whole: other missing objects, such as the role of a binding, are 404 as well.
    let missing = StatusError::not_found(request.resource.about(&request.path.name));
    for _ in 0..TRIES {
        let edit = |old: &Node<'static>| body.apply_to(request, old);
        let changed = write::change(request, part, body.dry_run, body.tracking(), edit).await;
        match changed {
            Err(error) if may_create && error == missing => {}
            changed => return changed.map(Reply::item),
        }
        match create(request, &body).await {
            // Created by another request meanwhile.
            Err(error) if error.reason == "AlreadyExists" => {}
            result => return result,
        }
    }
    Err(StatusError::modified(request.resource.about(&request.path.name)))
}

/// Creates the object of a PUT or an apply, if the user may also create.
async fn create(request: &ResourceRequest<'_>, body: &UpdateBody<'_>) -> HandlerResult {
    let object = body.create(request)?;
    let target = crate::access::authorize::target(request.path, "");
    request.app.authorizer.check(&Attributes { user: request.user, verb: "create", target })?;
    let object = Defaulted::new(request.resource.object_type().as_ref(), object);
    Ok(Reply::created(write::create(request, object, body.dry_run, body.tracking()).await?))
}
