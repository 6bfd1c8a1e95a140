//! Frames as a peer sends them: the reader that finds them in bytes, however those arrive.

use crate::inflate::Inflater;
use crate::{Headers, Limits, Reset};
use bytes::{Buf, Bytes, BytesMut};

/// The version that control frames bear.
pub(crate) const VERSION: u16 = 3;
/// This end sends nothing more on the stream.
pub(crate) const FIN: u8 = 1;
/// The other end may send nothing on the stream.
const UNIDIRECTIONAL: u8 = 2;
/// The bytes that every frame begins with.
pub(crate) const HEAD: usize = 8;
/// Stream numbers have 31 bits.
pub(crate) const LAST_ID: u32 = 0x7fff_ffff;

/// What a control frame is, by the numbers of the protocol.
pub(crate) mod kind {
    pub(crate) const SYN_STREAM: u16 = 1;
    pub(crate) const SYN_REPLY: u16 = 2;
    pub(crate) const RST_STREAM: u16 = 3;
    pub(crate) const PING: u16 = 6;
    pub(crate) const GOAWAY: u16 = 7;
    pub(crate) const HEADERS: u16 = 8;
}

/// One frame, or a piece of a data frame that has not come whole yet.
#[derive(Clone, Debug, Eq, PartialEq)]
pub enum Frame {
    /// A stream begins.
    SynStream {
        /// Its number.
        id: u32,
        /// What it is for; `None` if the block cannot be read.
        headers: Option<Headers>,
        /// Its opener sends nothing on it.
        fin: bool,
        /// Only its opener sends on it.
        unidirectional: bool,
    },
    /// A stream is accepted.
    SynReply {
        /// Its number.
        id: u32,
        /// What there is to say about it; `None` if the block cannot be read.
        headers: Option<Headers>,
        /// The other end sends nothing on it.
        fin: bool,
    },
    /// A stream is over.
    Reset {
        /// Its number.
        id: u32,
        /// Why.
        status: Reset,
    },
    /// Are you there? Or: yes.
    Ping(u32),
    /// No more streams.
    GoAway,
    /// More headers on a stream. Nobody sends them to say something, but they may carry the end.
    Headers {
        /// The number of the stream.
        id: u32,
        /// The other end sends nothing more.
        fin: bool,
    },
    /// Bytes on a stream.
    Data {
        /// The number of the stream.
        id: u32,
        /// As many of them as are there.
        bytes: Bytes,
        /// Nothing follows on this stream.
        fin: bool,
    },
}

/// Why bytes are no frames. Nothing after them can be understood.
#[derive(Clone, Copy, Debug, Eq, PartialEq, thiserror::Error)]
#[error("{0}")]
pub struct FrameError(pub(crate) &'static str);

/// Finds frames in the bytes of a connection.
#[derive(Debug)]
pub struct Reader {
    inflater: Inflater,
    limit: usize,
    data: Option<Data>,
    /// Bytes to come of a frame that means nothing here.
    skipping: usize,
}

/// A data frame whose bytes are still to come.
#[derive(Debug)]
struct Data {
    id: u32,
    fin: bool,
    left: usize,
}

/// The first bytes of a frame, taken apart.
struct Head {
    word: u32,
    flags: u8,
    length: usize,
}

impl Head {
    fn read(mut bytes: &[u8]) -> Option<Self> {
        let word = bytes.try_get_u32().ok()?;
        let flags = bytes.try_get_u8().ok()?;
        let length = usize::try_from(bytes.try_get_uint(3).ok()?).ok()?;
        Some(Self { word, flags, length })
    }

    fn fin(&self) -> bool {
        self.flags & FIN != 0
    }
}

impl Reader {
    /// A reader of what comes after the upgrade.
    pub fn new(limits: &Limits) -> Self {
        let inflater = Inflater::new(limits.header_block);
        Self { inflater, limit: limits.control_frame, data: None, skipping: 0 }
    }

    /// Takes the next frame out of `input`; `None` means that more bytes must come first. Bytes of a data frame are
    /// handed on as they come, so that no frame is too large, and without being copied.
    ///
    /// # Errors
    ///
    /// If the bytes are no frame, or one that is larger than the limits. There is no way to go on from there.
    pub fn next(&mut self, input: &mut BytesMut) -> Result<Option<Frame>, FrameError> {
        loop {
            let skipped = self.skipping.min(input.len());
            input.advance(skipped);
            self.skipping -= skipped;
            if let Some(data) = self.data.take() {
                return Ok(self.piece(data, input));
            }
            let Some(head) = Head::read(input) else { return Ok(None) };
            if head.word >> 31 == 0 {
                let id = stream_id(head.word)?;
                self.data = Some(Data { id, fin: head.fin(), left: head.length });
                input.advance(HEAD);
                continue;
            }
            if head.word >> 16 & 0x7fff != u32::from(VERSION) {
                return Err(FrameError("a control frame of another version"));
            }
            let kind = (head.word & 0xffff) as u16;
            let Some(read) = READERS.iter().find(|row| row.0 == kind).map(|row| row.1) else {
                input.advance(HEAD);
                self.skipping = head.length;
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
            return read(self, &head, &payload).map(Some);
        }
    }

    /// What has come of a data frame.
    fn piece(&mut self, mut data: Data, input: &mut BytesMut) -> Option<Frame> {
        if input.is_empty() && data.left > 0 {
            self.data = Some(data);
            return None;
        }
        let bytes = input.split_to(data.left.min(input.len())).freeze();
        data.left -= bytes.len();
        let whole = data.left == 0;
        let frame = Frame::Data { id: data.id, bytes, fin: data.fin && whole };
        if !whole {
            self.data = Some(data);
        }
        Some(frame)
    }

    fn block(&mut self, packed: &[u8]) -> Result<Option<Headers>, FrameError> {
        let block = self.inflater.inflate(packed);
        let block = block.ok_or(FrameError("a header block that cannot be inflated"))?;
        Ok(Headers::read(&block))
    }
}

type Read = fn(&mut Reader, &Head, &[u8]) -> Result<Frame, FrameError>;

/// The control frames that mean something. Settings and windows do not: the peers neither have nor keep any.
const READERS: &[(u16, Read)] = &[
    (kind::SYN_STREAM, syn_stream),
    (kind::SYN_REPLY, syn_reply),
    (kind::RST_STREAM, rst_stream),
    (kind::PING, ping),
    (kind::GOAWAY, go_away),
    (kind::HEADERS, headers),
];

const SHORT: FrameError = FrameError("a control frame that is too short");

fn word(payload: &mut &[u8]) -> Result<u32, FrameError> {
    payload.try_get_u32().map_err(|_| SHORT)
}

fn stream_id(word: u32) -> Result<u32, FrameError> {
    match word & LAST_ID {
        0 => Err(FrameError("a frame of stream 0")),
        id => Ok(id),
    }
}

fn syn_stream(reader: &mut Reader, head: &Head, mut payload: &[u8]) -> Result<Frame, FrameError> {
    let id = stream_id(word(&mut payload)?)?;
    let _associated = word(&mut payload)?;
    let _priority_and_slot = payload.try_get_u16().map_err(|_| SHORT)?;
    let unidirectional = head.flags & UNIDIRECTIONAL != 0;
    Ok(Frame::SynStream { id, headers: reader.block(payload)?, fin: head.fin(), unidirectional })
}

fn syn_reply(reader: &mut Reader, head: &Head, mut payload: &[u8]) -> Result<Frame, FrameError> {
    let id = stream_id(word(&mut payload)?)?;
    Ok(Frame::SynReply { id, headers: reader.block(payload)?, fin: head.fin() })
}

fn rst_stream(_: &mut Reader, _: &Head, mut payload: &[u8]) -> Result<Frame, FrameError> {
    let id = stream_id(word(&mut payload)?)?;
    Ok(Frame::Reset { id, status: Reset(word(&mut payload)?) })
}

fn ping(_: &mut Reader, _: &Head, mut payload: &[u8]) -> Result<Frame, FrameError> {
    Ok(Frame::Ping(word(&mut payload)?))
}

fn go_away(_: &mut Reader, _: &Head, _: &[u8]) -> Result<Frame, FrameError> {
    Ok(Frame::GoAway)
}

fn headers(reader: &mut Reader, head: &Head, mut payload: &[u8]) -> Result<Frame, FrameError> {
    let id = stream_id(word(&mut payload)?)?;
    // Read although nobody looks at them: the next block builds on this one.
    reader.block(payload)?;
    Ok(Frame::Headers { id, fin: head.fin() })
}
