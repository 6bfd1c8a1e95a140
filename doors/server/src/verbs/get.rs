//! GET of one object: its bytes as they are stored.

use crate::resource_request::{Answered, Reply, ResourceRequest};
use crate::status::StatusError;
use crate::verbs::list::read_version;

/// Answers with the object.
pub(crate) async fn get(request: &ResourceRequest<'_>) -> Answered {
    match request.params.text("resourceVersion") {
        "" => Ok(Reply::item(request.current().await?)),
        "0" => cached(request),
        version => {
            // Of one object the reference answers a bad version as its own failure.
            let revision = read_version(version).map_err(|refusal| {
                let message = refusal.message.replacen("invalid resource version: ", "", 1);
                StatusError::unclassified(message)
            })?;
            request.app.cache.wait_for(revision).await?;
            cached(request)
        }
    }
}

fn cached(request: &ResourceRequest<'_>) -> Answered {
    let key = request.resource.shelf_key(&request.path.namespace, &request.path.name);
    let item = request.resource.shelf.find(&key)?;
    let missing = || StatusError::not_found(request.resource.about(&request.path.name));
    Ok(Reply::item(item.ok_or_else(missing)?))
}
