//! GET of one object: its bytes as they are stored.

use crate::resource_request::{Answered, Reply, ResourceRequest};
use crate::status::StatusError;
use crate::verbs::list::read_version;

/// Answers with the object.
pub(crate) async fn get(call: &ResourceRequest<'_>) -> Answered {
    match call.params.text("resourceVersion") {
        "" => Ok(Reply::item(call.current().await?)),
        "0" => cached(call),
        version => {
            // Of one object the reference answers a bad version as its own failure.
            let revision = read_version(version).map_err(|refusal| {
                let message = refusal.message.replacen("invalid resource version: ", "", 1);
                StatusError::unclassified(message)
            })?;
            call.app.cache.wait_for(revision).await?;
            cached(call)
        }
    }
}

fn cached(call: &ResourceRequest<'_>) -> Answered {
    let key = call.served.shelf_key(&call.place.namespace, &call.place.name);
    let item = call.served.shelf.find(&key)?;
    let missing = || StatusError::not_found(call.served.about(&call.place.name));
    Ok(Reply::item(item.ok_or_else(missing)?))
}
