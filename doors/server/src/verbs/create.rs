//! POST to a collection.

use crate::call::{Answered, Call, Reply};
use crate::options::{OptionsKind, WriteOptions};
use crate::refusal::Refusal;
use crate::write;
use ratchet_object::defaults;

/// Makes an object.
pub(crate) async fn create(call: &Call<'_>) -> Answered {
    let options = WriteOptions::read(call.params, OptionsKind::Create)?;
    let row = call.served.row;
    if row.namespaced && call.place.namespace.is_empty() {
        return Err(Refusal::method_not_allowed());
    }
    let mut node = call.object(options.fields)?;
    defaults::apply(row.group, row.version, row.kind, &mut node);
    Ok(Reply::created(write::create(call, node, options.dry_run).await?))
}
