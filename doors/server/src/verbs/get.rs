//! GET of one object, from the watch cache.

use crate::app::resource_request::{HandlerResult, Reply, ResourceRequest};
use crate::status::StatusError;
use crate::verbs::list::parse_version;

/// Returns the object, as fresh as `resourceVersion` demands.
pub(crate) async fn get(request: &ResourceRequest<'_>) -> HandlerResult {
    match request.params.text("resourceVersion") {
        "" => Ok(Reply::item(request.resource.serve_one(request.current().await?).await?)),
        "0" => cached(request).await,
        version => {
            // For GET the reference reports an invalid version as an unclassified 500.
            let revision = parse_version(version).map_err(|error| {
                let message = error.message.replacen("invalid resource version: ", "", 1);
                StatusError::unclassified(message)
            })?;
            request.line().wait_for(revision).await?;
            cached(request).await
        }
    }
}

async fn cached(request: &ResourceRequest<'_>) -> HandlerResult {
    let key = request.resource.cache_key(&request.path.namespace, &request.path.name);
    let item = request.resource.cache.find(&key)?;
    let missing = || StatusError::not_found(request.resource.about(&request.path.name));
    Ok(Reply::item(request.resource.serve_one(item.ok_or_else(missing)?).await?))
}
