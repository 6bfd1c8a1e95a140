//! SPDY end to end: bytes written by Go's library, both ends against each other, and hostile peers.

#![allow(clippy::indexing_slicing, reason = "a helper of a test may fail like a test")]
#![allow(clippy::unwrap_used, reason = "a helper of a test may fail like a test")]

mod both_ends;
mod bytes_of_go;
mod hostile;
mod pressure;

use ratchet_streams::spdy::{Accept, Session};
use std::time::Duration;

/// A client and a server with `capacity` bytes of connection between them.
fn pair(capacity: usize) -> ((Session, Accept), (Session, Accept)) {
    let (one, other) = tokio::io::duplex(capacity);
    (Session::client(one), Session::server(other))
}

/// Nothing here takes long unless it hangs.
async fn soon<T>(future: impl Future<Output = T>) -> T {
    tokio::time::timeout(Duration::from_secs(20), future).await.unwrap()
}
