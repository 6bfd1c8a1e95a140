//! `Source` and `Caller`: where a request comes from, a client or this process.

use bytes::Bytes;
use hyper::body::Incoming;
use hyper::upgrade::OnUpgrade;
use ratchet_access::User;

/// The origin of a request body.
pub(crate) enum Source {
    /// From a client, whose connection may be upgraded to another protocol.
    Network(Incoming, Option<OnUpgrade>),
    /// From a loopback client in this process.
    Memory(Bytes),
}

/// The sender of a request.
pub(crate) enum Caller {
    /// A client that must be authenticated.
    Unauthenticated,
    /// A component of this process, with the user that it acts as.
    Internal(User),
}
