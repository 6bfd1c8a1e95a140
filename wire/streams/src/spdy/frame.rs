//! Parser of received frames, independent of how the bytes arrive.

use crate::spdy::inflate::Inflater;
use crate::spdy::{Headers, Limits, Reset};
use bytes::{Buf, Bytes, BytesMut};

/// The protocol version in control frames.
pub(crate) const VERSION: u16 = 3;
/// The sender sends nothing more on the stream.
pub(crate) const FIN: u8 = 1;
/// The receiver may send nothing on the stream.
const UNIDIRECTIONAL: u8 = 2;
/// The length of a frame header.
pub(crate) const HEAD: usize = 8;
/// The largest stream id (31 bits).
pub(crate) const LAST_ID: u32 = 0x7fff_ffff;

/// The types of control frames.
pub(crate) mod kind {
    pub(crate) const SYN_STREAM: u16 = 1;
    pub(crate) const SYN_REPLY: u16 = 2;
    pub(crate) const RST_STREAM: u16 = 3;
    pub(crate) const PING: u16 = 6;
    pub(crate) const GOAWAY: u16 = 7;
    pub(crate) const HEADERS: u16 = 8;
}

/// One frame, or a part of an incomplete data frame.
#[derive(Clone, Debug, Eq, PartialEq)]
pub enum Frame {
    /// Opens a stream.
    SynStream {
        /// The id of the stream.
        id: u32,
        /// The headers; `None` if the block is invalid.
        headers: Option<Headers>,
        /// Whether the opener sends nothing on it.
        fin: bool,
        /// Whether only the opener sends on it.
        unidirectional: bool,
    },
    /// Accepts a stream.
    SynReply {
        /// The id of the stream.
        id: u32,
        /// The headers; `None` if the block is invalid.
        headers: Option<Headers>,
        /// Whether the sender sends nothing on it.
        fin: bool,
    },
    /// Resets a stream.
    Reset {
        /// The id of the stream.
        id: u32,
        /// The reason.
        status: Reset,
    },
    /// A ping, or the reply to one.
    Ping(u32),
    /// Announces that no more streams are accepted.
    GoAway,
    /// More headers of a stream. They are not used, but may carry the FIN flag.
    Headers {
        /// The id of the stream.
        id: u32,
        /// Whether the sender sends nothing more.
        fin: bool,
    },
    /// Data of a stream.
    Data {
        /// The id of the stream.
        id: u32,
        /// The bytes received so far.
        bytes: Bytes,
        /// Whether nothing follows on this stream.
        fin: bool,
    },
}

/// Why bytes are not a valid frame. Nothing after them can be parsed.
#[derive(Clone, Copy, Debug, Eq, PartialEq, thiserror::Error)]
#[error("{0}")]
pub struct FrameError(pub(crate) &'static str);

/// Parses frames from the bytes of a connection.
#[derive(Debug)]
pub struct FrameDecoder {
    inflater: Inflater,
    limit: usize,
    data: Option<Data>,
    /// Remaining bytes of an ignored frame.
    skip_bytes: usize,
}

/// A data frame with bytes still to come.
#[derive(Debug)]
struct Data {
    id: u32,
    fin: bool,
    remaining: usize,
}

/// The parsed header of a frame.
struct Head {
    word: u32,
    flags: u8,
    length: usize,
}

impl Head {
    fn parse(mut bytes: &[u8]) -> Option<Self> {
        let word = bytes.try_get_u32().ok()?;
        let flags = bytes.try_get_u8().ok()?;
        let length = usize::try_from(bytes.try_get_uint(3).ok()?).ok()?;
        Some(Self { word, flags, length })
    }

    fn fin(&self) -> bool {
        self.flags & FIN != 0
    }
}

impl FrameDecoder {
    /// A decoder for the bytes after the upgrade.
    pub fn new(limits: &Limits) -> Self {
        let inflater = Inflater::new(limits.header_block);
        Self { inflater, limit: limits.control_frame, data: None, skip_bytes: 0 }
    }

    /// Takes the next frame out of `input`; `None` means that more bytes are needed. Bytes of a
    /// data frame are passed on as they arrive, so that no frame is too large, and without being
    /// copied.
    ///
    /// # Errors
    ///
    /// If the bytes are not a frame, or one above the limits. The decoder cannot continue after
    /// that.
    pub fn next(&mut self, input: &mut BytesMut) -> Result<Option<Frame>, FrameError> {
        loop {
            let skipped = self.skip_bytes.min(input.len());
            input.advance(skipped);
            self.skip_bytes -= skipped;
            if let Some(data) = self.data.take() {
                return Ok(self.piece(data, input));
            }
            let Some(head) = Head::parse(input) else { return Ok(None) };
            if head.word >> 31 == 0 {
                let id = stream_id(head.word)?;
                self.data = Some(Data { id, fin: head.fin(), remaining: head.length });
                input.advance(HEAD);
                continue;
            }
            if head.word >> 16 & 0x7fff != u32::from(VERSION) {
                return Err(FrameError("a control frame of another version"));
            }
            let kind = (head.word & 0xffff) as u16;
            let Some(parse_payload) = PARSERS.iter().find(|row| row.0 == kind).map(|row| row.1)
            else {
                input.advance(HEAD);
                self.skip_bytes = head.length;
                continue;
            };
            if head.length > self.limit {
                return Err(FrameError("a control frame that is too large"));
            }
            if input.len() < HEAD + head.length {
                return Ok(None);
            }
            input.advance(HEAD);
            let payload = input.split_to(head.length);
            return parse_payload(self, &head, &payload).map(Some);
        }
    }

    /// The received part of a data frame.
    fn piece(&mut self, mut data: Data, input: &mut BytesMut) -> Option<Frame> {
        if input.is_empty() && data.remaining > 0 {
            self.data = Some(data);
            return None;
        }
        let bytes = input.split_to(data.remaining.min(input.len())).freeze();
        data.remaining -= bytes.len();
        let is_complete = data.remaining == 0;
        let frame = Frame::Data { id: data.id, bytes, fin: data.fin && is_complete };
        if !is_complete {
            self.data = Some(data);
        }
        Some(frame)
    }

    fn block(&mut self, packed: &[u8]) -> Result<Option<Headers>, FrameError> {
        let block = self.inflater.inflate(packed);
        let block = block.ok_or(FrameError("a header block that cannot be inflated"))?;
        Ok(Headers::parse(&block))
    }
}

type FrameParser = fn(&mut FrameDecoder, &Head, &[u8]) -> Result<Frame, FrameError>;

/// The supported control frames. Settings and windows are not: the peers do not use them.
const PARSERS: &[(u16, FrameParser)] = &[
    (kind::SYN_STREAM, syn_stream),
    (kind::SYN_REPLY, syn_reply),
    (kind::RST_STREAM, rst_stream),
    (kind::PING, ping),
    (kind::GOAWAY, go_away),
    (kind::HEADERS, headers),
];

const SHORT: FrameError = FrameError("a control frame that is too short");

fn read_u32(payload: &mut &[u8]) -> Result<u32, FrameError> {
    payload.try_get_u32().map_err(|_| SHORT)
}

fn stream_id(word: u32) -> Result<u32, FrameError> {
    match word & LAST_ID {
        0 => Err(FrameError("a frame of stream 0")),
        id => Ok(id),
    }
}

fn syn_stream(
    decoder: &mut FrameDecoder,
    head: &Head,
    mut payload: &[u8],
) -> Result<Frame, FrameError> {
    let id = stream_id(read_u32(&mut payload)?)?;
    let _associated = read_u32(&mut payload)?;
    let _priority_and_slot = payload.try_get_u16().map_err(|_| SHORT)?;
    let unidirectional = head.flags & UNIDIRECTIONAL != 0;
    Ok(Frame::SynStream { id, headers: decoder.block(payload)?, fin: head.fin(), unidirectional })
}

fn syn_reply(
    decoder: &mut FrameDecoder,
    head: &Head,
    mut payload: &[u8],
) -> Result<Frame, FrameError> {
    let id = stream_id(read_u32(&mut payload)?)?;
    Ok(Frame::SynReply { id, headers: decoder.block(payload)?, fin: head.fin() })
}

fn rst_stream(_: &mut FrameDecoder, _: &Head, mut payload: &[u8]) -> Result<Frame, FrameError> {
    let id = stream_id(read_u32(&mut payload)?)?;
    Ok(Frame::Reset { id, status: Reset(read_u32(&mut payload)?) })
}

fn ping(_: &mut FrameDecoder, _: &Head, mut payload: &[u8]) -> Result<Frame, FrameError> {
    Ok(Frame::Ping(read_u32(&mut payload)?))
}

fn go_away(_: &mut FrameDecoder, _: &Head, _: &[u8]) -> Result<Frame, FrameError> {
    Ok(Frame::GoAway)
}

fn headers(
    decoder: &mut FrameDecoder,
    head: &Head,
    mut payload: &[u8],
) -> Result<Frame, FrameError> {
    let id = stream_id(read_u32(&mut payload)?)?;
    // Parsed although unused: the next block builds on the state of this one.
    decoder.block(payload)?;
    Ok(Frame::Headers { id, fin: head.fin() })
}
