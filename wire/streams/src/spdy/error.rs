//! Errors of sessions and streams.

use std::io;

/// The status of a reset stream, as the protocol defines it.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct Reset(pub u32);

impl Reset {
    /// The peer violated the protocol.
    pub const PROTOCOL_ERROR: Self = Self(1);
    /// The stream was not accepted.
    pub const REFUSED: Self = Self(3);
    /// The stream is not needed any more.
    pub const CANCEL: Self = Self(5);
}

/// Why a session or a stream cannot continue.
#[derive(Clone, Debug, Eq, PartialEq, thiserror::Error)]
pub enum SpdyError {
    /// The session has ended, or its peer accepts no more streams.
    #[error("the SPDY session is closed")]
    Closed,
    /// The connection failed.
    #[error("the connection of the SPDY session broke: {0}")]
    Broken(String),
    /// The headers of a stream are too large for any peer.
    #[error("the headers of the SPDY stream are too large")]
    HeadersTooLarge,
    /// The peer violated the protocol.
    #[error("the peer of the SPDY session broke the protocol: {0}")]
    Protocol(&'static str),
    /// The peer reset the stream.
    #[error("the SPDY stream was reset (status {})", .0.0)]
    Reset(Reset),
    /// There are too many streams, or no stream id is left.
    #[error("the SPDY session has no room for another stream")]
    TooManyStreams,
}

impl From<SpdyError> for io::Error {
    fn from(error: SpdyError) -> Self {
        let kind = match error {
            SpdyError::Closed | SpdyError::Broken(_) => io::ErrorKind::BrokenPipe,
            SpdyError::Reset(_) => io::ErrorKind::ConnectionReset,
            SpdyError::Protocol(_) => io::ErrorKind::InvalidData,
            SpdyError::HeadersTooLarge | SpdyError::TooManyStreams => io::ErrorKind::Other,
        };
        Self::new(kind, error)
    }
}
