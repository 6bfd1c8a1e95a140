//! What can go wrong with a session and with one of its streams.

use std::io;

/// Why a stream was reset, in the numbers of the protocol.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct Reset(pub u32);

impl Reset {
    /// The peer broke the protocol.
    pub const PROTOCOL_ERROR: Self = Self(1);
    /// The stream was not accepted.
    pub const REFUSED: Self = Self(3);
    /// Nobody needs the stream any more.
    pub const CANCEL: Self = Self(5);
}

/// Why a session or a stream cannot go on.
#[derive(Clone, Debug, Eq, PartialEq, thiserror::Error)]
pub enum SpdyError {
    /// The session has ended, or its peer wants no more streams.
    #[error("the SPDY session is closed")]
    Closed,
    /// The connection broke.
    #[error("the connection of the SPDY session broke: {0}")]
    Broken(String),
    /// The headers of a stream are more than any peer would take.
    #[error("the headers of the SPDY stream are too large")]
    HeadersTooLarge,
    /// The peer broke the protocol.
    #[error("the peer of the SPDY session broke the protocol: {0}")]
    Protocol(&'static str),
    /// The peer reset the stream.
    #[error("the SPDY stream was reset (status {})", .0.0)]
    Reset(Reset),
    /// There are too many streams, or no number is left for another.
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
