//! Connect: an authorized request for log, exec, attach, portforward or proxy enters; a connection to a kubelet, pod,
//! Service or node leaves.

mod connection;
mod container;
mod decoder;
mod escape;
pub(crate) mod forwarded;
mod location;
mod log;
mod log_options;
mod node;
mod page;
mod proxy;
mod pump;
mod rewrite;
pub(crate) mod streaming;
mod streams;
mod throttle;
pub(crate) mod upgrade;

pub(crate) use connection::{Client, Connect};
pub(crate) use pump::copy;
pub(crate) use streaming::is_upgrade;
pub(crate) use upgrade::UpgradeResponse;

use crate::status::StatusError;
use http::Response;
use ratchet_http::Body;

/// Handles a connect request.
pub(crate) async fn answer(
    connect: &Connect<'_>,
    client: Client,
) -> Result<Response<Body>, StatusError> {
    let Some(subresource) = connect.resource.row().subresource(&connect.path.subresource) else {
        return Err(StatusError::no_resource());
    };
    if !connect.request.params.text("dryRun").is_empty() && subresource.name != "log" {
        return Err(StatusError::bad_request("dryRun is not supported"));
    }
    connect.app.cache.fresh().await?;
    match subresource.name {
        "log" => log::answer(connect).await,
        "proxy" => proxy::answer(connect, client).await,
        name => streams::answer(connect, name, client).await,
    }
}
