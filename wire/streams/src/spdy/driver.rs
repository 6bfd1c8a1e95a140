//! Driver task of one connection: it alone reads and writes it.

use crate::spdy::frame::{Frame, FrameDecoder};
use crate::spdy::outgoing::MAX_DATA;
use crate::spdy::state::{Delivery, Phase, Remote, Shared, State};
use crate::spdy::{Limits, SpdyError};
use bytes::{Buf, Bytes, BytesMut};
use std::collections::VecDeque;
use std::future::{Future, poll_fn};
use std::io::IoSlice;
use std::pin::{Pin, pin};
use std::sync::Arc;
use std::task::{Context, Poll, ready};
use std::time::Duration;
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};
use tokio::time::timeout;

/// The timeout for writing the last frames.
const WRITE_TIMEOUT: Duration = Duration::from_secs(10);
/// How long the driver waits for the peer to close after the last frame. Closing a socket with
/// unread input makes the peer lose what it has not read yet.
const LINGER: Duration = Duration::from_secs(1);
/// The size of a read: little at first, for most connections are quiet.
const FIRST_READ: usize = 8 << 10;
const LARGEST_READ: usize = 2 * MAX_DATA;
/// The maximum number of slices in a vectored write.
const MAX_SLICES: usize = 32;
/// The number of rounds before other tasks get their turn.
const MAX_ROUNDS: usize = 32;

pub(crate) struct Driver<IO> {
    io: IO,
    shared: Arc<Shared>,
    decoder: FrameDecoder,
    input: BytesMut,
    read_size: usize,
    /// Data whose stream is full.
    blocked: Option<(u32, Bytes, bool)>,
    /// The bytes being written.
    output: VecDeque<Bytes>,
    unflushed: bool,
}

impl<IO: AsyncRead + AsyncWrite + Send + Unpin + 'static> Driver<IO> {
    pub(crate) fn spawn(io: IO, shared: Arc<Shared>, limits: &Limits) {
        let driver = Self {
            io,
            shared,
            decoder: FrameDecoder::new(limits),
            input: BytesMut::new(),
            read_size: FIRST_READ,
            blocked: None,
            output: VecDeque::new(),
            unflushed: false,
        };
        tokio::spawn(driver.run());
    }

    async fn run(mut self) {
        let shared = Arc::clone(&self.shared);
        let mut phase = shared.phase.subscribe();
        let timed_out = async {
            let _ = phase.wait_for(|phase| *phase == Phase::ShuttingDown).await;
            tokio::time::sleep(WRITE_TIMEOUT).await;
        };
        let result = tokio::select! {
            result = poll_fn(|cx| self.poll_io(cx)) => result,
            () = timed_out => Err(SpdyError::Broken("the peer does not read".to_owned())),
        };
        let is_graceful = result.is_ok();
        shared.act(|state| state.end(result.err().unwrap_or(SpdyError::Closed)));
        let _ = timeout(WRITE_TIMEOUT, self.io.shutdown()).await;
        shared.phase.send_replace(Phase::Closed);
        if is_graceful {
            let _ = timeout(LINGER, self.drain()).await;
        }
    }

    /// Reads and discards until the peer closes.
    async fn drain(&mut self) {
        loop {
            self.input.clear();
            self.input.reserve(FIRST_READ);
            if !matches!(self.io.read_buf(&mut self.input).await, Ok(1..)) {
                return;
            }
        }
    }

    /// Reads and writes for as long as either makes progress; reads first, for input may require a
    /// response.
    fn poll_io(&mut self, cx: &mut Context<'_>) -> Poll<Result<(), SpdyError>> {
        self.shared.act(|state| state.register_driver(cx));
        for _ in 0..MAX_ROUNDS {
            let read = self.read(cx)?;
            let written = self.write(cx)?;
            if self.output.is_empty() && !self.unflushed && self.shared.act(|state| state.is_done())
            {
                return Poll::Ready(Ok(()));
            }
            if written.is_pending() && read.is_pending() {
                return Poll::Pending;
            }
        }
        cx.waker().wake_by_ref();
        Poll::Pending
    }

    /// Writes once; pending if there is nothing to write or the connection blocks.
    fn write(&mut self, cx: &mut Context<'_>) -> Poll<Result<(), SpdyError>> {
        if self.output.is_empty() {
            self.shared.act(|state| state.out.take(&mut self.output));
        }
        if self.output.is_empty() {
            if self.unflushed {
                ready!(Pin::new(&mut self.io).poll_flush(cx)).map_err(broken)?;
                self.unflushed = false;
            }
            return Poll::Pending;
        }
        let written = ready!(write_pieces(&mut self.io, &self.output, cx)).map_err(broken)?;
        if written == 0 {
            return Poll::Ready(Err(SpdyError::Broken("it takes no more bytes".to_owned())));
        }
        self.unflushed = true;
        advance(&mut self.output, written);
        self.shared.act(|state| {
            state.written(written);
            if self.output.is_empty() {
                state.out.take(&mut self.output);
            }
        });
        Poll::Ready(Ok(()))
    }

    /// Handles the input and reads once; pending if a stream is full or there is no input.
    fn read(&mut self, cx: &mut Context<'_>) -> Poll<Result<(), SpdyError>> {
        if !self.handle_input()? {
            return Poll::Pending;
        }
        self.input.reserve(self.read_size);
        let read = pin!(self.io.read_buf(&mut self.input)).poll(cx);
        match ready!(read).map_err(broken)? {
            0 if self.shared.act(|state| state.may_peer_close()) => {
                Poll::Ready(Err(SpdyError::Closed))
            }
            0 => Poll::Ready(Err(SpdyError::Broken("the peer hung up".to_owned()))),
            read => {
                if read >= self.read_size {
                    self.read_size = (self.read_size * 2).min(LARGEST_READ);
                }
                Poll::Ready(Ok(()))
            }
        }
    }

    /// Handles buffered frames, and returns whether all of them could be handled.
    fn handle_input(&mut self) -> Result<bool, SpdyError> {
        let Self { decoder, input, blocked, shared, .. } = self;
        shared.act(|state| {
            if state.is_shutting_down() {
                input.clear();
                *blocked = None;
                return Ok(true);
            }
            loop {
                if let Some((id, bytes, fin)) = blocked.take() {
                    match state.deliver(id, bytes) {
                        Delivery::Full(bytes) => {
                            *blocked = Some((id, bytes, fin));
                            return Ok(false);
                        }
                        Delivery::Done if fin => state.peer_finished(id),
                        Delivery::Done => {}
                    }
                }
                if state.out.is_flooded() {
                    return Ok(false);
                }
                match decoder.next(input).map_err(|why| SpdyError::Protocol(why.0))? {
                    Some(Frame::Data { id, bytes, fin }) => *blocked = Some((id, bytes, fin)),
                    Some(frame) => handle(state, frame),
                    None => return Ok(true),
                }
            }
        })
    }
}

/// Applies a frame without data to the state.
fn handle(state: &mut State, frame: Frame) {
    match frame {
        Frame::SynStream { id, headers, fin, unidirectional } => {
            let remote = if fin { Remote::Fin } else { Remote::Open };
            state.peer_opened(id, headers, remote, !unidirectional);
        }
        Frame::SynReply { id, headers, fin } => state.peer_replied(id, headers, fin),
        Frame::Reset { id, status } => state.peer_reset(id, status),
        Frame::Ping(id) => state.peer_pinged(id),
        Frame::GoAway => state.peer_went_away(),
        Frame::Headers { id, fin: true } => state.peer_finished(id),
        Frame::Headers { .. } | Frame::Data { .. } => {}
    }
}

fn write_pieces<IO: AsyncWrite + Unpin>(
    io: &mut IO,
    pieces: &VecDeque<Bytes>,
    cx: &mut Context<'_>,
) -> Poll<std::io::Result<usize>> {
    let mut slices = [IoSlice::new(&[]); MAX_SLICES];
    let mut count = 0;
    for (slice, piece) in slices.iter_mut().zip(pieces) {
        *slice = IoSlice::new(piece);
        count += 1;
    }
    let slices = slices.get(..count).unwrap_or_default();
    Pin::new(io).poll_write_vectored(cx, slices)
}

fn advance(pieces: &mut VecDeque<Bytes>, mut written: usize) {
    while let Some(first) = pieces.front_mut() {
        if first.len() > written {
            first.advance(written);
            return;
        }
        written -= first.len();
        pieces.pop_front();
    }
}

fn broken(why: std::io::Error) -> SpdyError {
    SpdyError::Broken(why.to_string())
}
