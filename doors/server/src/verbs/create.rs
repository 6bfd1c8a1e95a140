//! POST to a collection.

use crate::resource_request::{Answered, Reply, ResourceRequest};
use crate::options::{OptionsKind, WriteOptions};
use crate::status::StatusError;
use crate::write;
use ratchet_object::defaults;

/// Makes an object.
pub(crate) async fn create(call: &ResourceRequest<'_>) -> Answered {
    let options = WriteOptions::read(call.params, OptionsKind::Create)?;
    let row = call.served.row;
    if row.namespaced && call.place.namespace.is_empty() {
        return Err(StatusError::method_not_allowed());
    }
    let mut node = call.object(options.fields)?;
    defaults::apply(row.group, row.version, row.kind, &mut node);
    Ok(Reply::created(write::create(call, node, options.dry_run).await?))
}
