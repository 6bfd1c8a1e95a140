//! `Requests`: how the controllers of APIServices write.

use bytes::Bytes;
use std::pin::Pin;

/// Requests of this server to itself, through the whole handler chain.
pub(crate) trait Requests: Send + Sync {
    /// Sends a JSON body; returns status code and body.
    fn send(
        &self,
        method: &'static str,
        path: String,
        body: Bytes,
    ) -> Pin<Box<dyn Future<Output = (u16, Bytes)> + Send + '_>>;
}
