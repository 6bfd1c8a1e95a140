//! SPDY/3.1 as kubectl and kubelets use it: many streams over one connection upgraded from
//! HTTP/1.1.
//!
//! Implemented here because no crate has it: SPDY was replaced by HTTP/2 ten years ago, and
//! Kubernetes kept it for exec, attach and port-forward. The implementation follows the peers,
//! which all use one library, Go's `moby/spdystream`:
//!
//! * Windows are neither announced nor kept, so none are here: a stream that nobody reads is held back by not reading
//!   the connection any more. What waits in a stream, and in all streams together, is bounded ([`Limits`]).
//! * Data before a `SYN_REPLY` would be thrown away, so [`Session::open`] waits for the reply.
//! * A peer that is done resets its streams and says `GOAWAY`, often without a `FIN`.
//! * Headers are inflated with the dictionary of SPDY/3 but written as stored blocks: a compressor costs 300 KiB a
//!   session to save forty bytes a stream.
//!
//! A task drives each connection; [`Session`], [`Accept`] and [`Stream`] are handles to it. The
//! connection is closed when the last of them is dropped.
//!
//! ```
//! use ratchet_streams::spdy::Session;
//!
//! # tokio::runtime::Runtime::new().unwrap().block_on(async {
//! let (near, far) = tokio::io::duplex(1 << 16);
//! let (client, _accept) = Session::client(near);
//! let (_server, mut accept) = Session::server(far);
//! let peer = tokio::spawn(async move {
//!     let incoming = accept.next().await.unwrap();
//!     assert_eq!(incoming.headers().get("streamtype"), Some("stdout"));
//!     let mut stream = incoming.reply(&[]).unwrap();
//!     stream.send("hello".into()).await.unwrap();
//!     (stream, accept)
//! });
//! let mut stream = client.open(&[("streamtype", "stdout")], true).await.unwrap();
//! assert_eq!(stream.chunk().await.unwrap().unwrap(), "hello");
//! drop(peer.await.unwrap());
//! # });
//! ```

mod dictionary;
mod driver;
mod error;
pub mod frame;
mod headers;
mod inbox;
mod inflate;
mod outgoing;
mod session;
mod state;
mod stream;
mod write;

pub use error::{Reset, SpdyError};
pub use headers::Headers;
pub use session::{Accept, Incoming, Session};
pub use stream::Stream;

/// Limits on the memory that a peer can use.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// Size of a control frame in bytes, as received.
    pub control_frame: usize,
    /// Size of a header block in bytes after inflation.
    pub header_block: usize,
    /// Number of open streams; further ones of a peer are refused.
    pub streams: usize,
    /// Unread bytes of one stream.
    pub stream_buffer: usize,
    /// Unread bytes of all streams of a session.
    pub session_buffer: usize,
    /// Bytes waiting to be written to the connection.
    pub outgoing: usize,
}

impl Limits {
    /// The default limits.
    pub const DEFAULT: Self = Self {
        control_frame: 64 << 10,
        header_block: 64 << 10,
        streams: 2048,
        stream_buffer: 256 << 10,
        session_buffer: 2 << 20,
        outgoing: 256 << 10,
    };
}

impl Default for Limits {
    fn default() -> Self {
        Self::DEFAULT
    }
}
