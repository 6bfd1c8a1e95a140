//! SPDY/3.1 as kubectl and kubelets speak it: many streams over one connection that was upgraded from HTTP/1.1.
//!
//! It is written by hand because no crate has it: SPDY gave way to HTTP/2 ten years ago, and Kubernetes kept it for
//! exec, attach and port-forward. What the peers do decides what stands here, and the peers are all one library, Go's
//! `moby/spdystream`:
//!
//! * Windows are neither announced nor kept, so none are here: a stream that nobody reads is held back by not reading
//!   the connection any more. What waits in a stream, and in all streams together, is bounded ([`Limits`]).
//! * Data before a `SYN_REPLY` would be thrown away, so [`Session::open`] waits for the reply.
//! * A peer that is done resets its streams and says `GOAWAY`, often without a `FIN`.
//! * Headers are inflated with the dictionary of SPDY/3 but written as stored blocks: a compressor costs 300 KiB a
//!   session to save forty bytes a stream.
//!
//! A task drives each connection; [`Session`], [`Accept`] and [`Stream`] are handles to it. When the last of them is
//! gone, so is the connection.

mod dictionary;
mod driver;
mod error;
pub mod frame;
mod headers;
mod inflate;
mod inward;
mod outward;
mod session;
mod state;
mod stream;
mod write;

pub use error::{Reset, SpdyError};
pub use headers::Headers;
pub use session::{Accept, Incoming, Session};
pub use stream::Stream;

/// What a peer may make this end keep in memory.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// Bytes of a control frame, as it came.
    pub control_frame: usize,
    /// Bytes of a header block after inflation.
    pub header_block: usize,
    /// Streams that live at once; a peer's next one is refused.
    pub streams: usize,
    /// Bytes that wait in one stream for its reader.
    pub stream_buffer: usize,
    /// Bytes that wait in all streams of a session.
    pub session_buffer: usize,
    /// Bytes that wait to be written to the connection.
    pub outgoing: usize,
}

impl Limits {
    /// What a session gets that asks for nothing else.
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
