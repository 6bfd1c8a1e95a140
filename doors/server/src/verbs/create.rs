//! POST to a collection: creates an object.

use crate::app::resource_request::{HandlerResult, Reply, ResourceRequest};
use crate::request::options::{OptionsKind, WriteOptions};
use crate::status::StatusError;
use crate::verbs::managed_fields::Tracking;
use crate::verbs::write;
use ratchet_pipeline::Defaulted;

/// Creates an object.
pub(crate) async fn create(request: &ResourceRequest<'_>) -> HandlerResult {
    let options = WriteOptions::from_params(request.params, OptionsKind::Create)?;
    let row = request.resource.row();
    if row.namespaced && request.path.namespace.is_empty() {
        return Err(StatusError::method_not_allowed());
    }
    let object = request.object(options.fields)?;
    let object = Defaulted::new(request.resource.object_type().as_ref(), object);
    Ok(Reply::created(write::create(request, object, options.dry_run, Tracking::Update).await?))
}
