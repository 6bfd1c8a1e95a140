//! A WebSocket over a connection: one half listens, the other speaks, and neither forgets anything when interrupted.

use bytes::{Buf, BufMut, Bytes, BytesMut};
use ratchet_websocket::{Piece, Reader};
use std::collections::VecDeque;
use std::future::poll_fn;
use std::io::{self, IoSlice};
use std::pin::Pin;
use std::sync::{Mutex, PoisonError};
use std::task::{Context, Poll, ready};
use std::time::Duration;
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};
use tokio::sync::Notify;
use tokio::time::timeout;

/// How long a client may take to hear the last words.
const LAST_WORDS: Duration = Duration::from_secs(10);
/// How long it may take to hang up then. Who hangs up on bytes that nobody read takes away what the other end has not
/// read either.
const LINGER: Duration = Duration::from_secs(1);
/// How often a client is asked whether it is there, so that whatever lies between does not think it idle.
pub(super) const PING_EVERY: Duration = Duration::from_secs(20);

/// How much is read at once: little at first, for most connections are quiet.
const FIRST_READ: usize = 4 << 10;
const LARGEST_READ: usize = 128 << 10;
/// How many pieces are written at once.
const PIECES: usize = 16;

/// A buffer that grows with what comes.
#[derive(Debug)]
pub(super) struct Input {
    pub(super) bytes: BytesMut,
    size: usize,
}

impl Default for Input {
    fn default() -> Self {
        Self { bytes: BytesMut::new(), size: FIRST_READ }
    }
}

impl Input {
    /// Reads once; zero means the end. Nothing is lost if it is interrupted.
    pub(super) async fn read<R: AsyncRead + Unpin>(&mut self, io: &mut R) -> io::Result<usize> {
        self.bytes.reserve(self.size);
        let read = io.read_buf(&mut self.bytes).await?;
        if read >= self.size {
            self.size = (self.size * 2).min(LARGEST_READ);
        }
        Ok(read)
    }
}

/// Why there is nothing more to hear from a client.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) enum Gone {
    /// It took its leave.
    Closed(Option<u16>),
    /// It said what cannot be understood; the code tells it so.
    Broken(u16),
    /// It is just gone.
    Lost,
}

impl Gone {
    /// What to say to it, if anything.
    pub(super) fn answer(self) -> Option<Option<u16>> {
        match self {
            Self::Closed(code) => Some(code),
            Self::Broken(code) => Some(Some(code)),
            Self::Lost => None,
        }
    }
}

/// The half that hears a client.
#[derive(Debug)]
pub(super) struct Listener<R> {
    io: R,
    reader: Reader,
    input: Input,
}

impl<R: AsyncRead + Unpin> Listener<R> {
    pub(super) fn new(io: R) -> Self {
        Self { io, reader: Reader::default(), input: Input::default() }
    }

    /// What comes next. Nothing is lost if it is interrupted.
    pub(super) async fn next(&mut self) -> Result<Piece, Gone> {
        loop {
            let next = self.reader.next(&mut self.input.bytes);
            let next = next.map_err(|_| Gone::Broken(ratchet_websocket::PROTOCOL_ERROR))?;
            match next {
                Some(Piece::Close(code)) => return Err(Gone::Closed(code)),
                Some(piece) => return Ok(piece),
                None => {}
            }
            if !matches!(self.input.read(&mut self.io).await, Ok(1..)) {
                return Err(Gone::Lost);
            }
        }
    }

    async fn drain(&mut self) {
        loop {
            self.input.bytes.clear();
            if !matches!(self.input.read(&mut self.io).await, Ok(1..)) {
                return;
            }
        }
    }
}

/// The half that speaks to a client. What it was given to say stays with it until it is written.
#[derive(Debug)]
pub(super) struct Speaker<W> {
    io: W,
    out: VecDeque<Bytes>,
    heads: BytesMut,
}

impl<W: AsyncWrite + Unpin> Speaker<W> {
    pub(super) fn new(io: W) -> Self {
        Self { io, out: VecDeque::new(), heads: BytesMut::new() }
    }

    /// Bytes in a message of their own.
    pub(super) fn say(&mut self, bytes: Bytes) {
        ratchet_websocket::write_head(&mut self.heads, ratchet_websocket::BINARY, bytes.len());
        self.push(bytes);
    }

    /// Bytes on a channel.
    pub(super) fn say_on(&mut self, channel: u8, bytes: Bytes) {
        ratchet_websocket::write_head(&mut self.heads, ratchet_websocket::BINARY, bytes.len() + 1);
        self.heads.put_u8(channel);
        self.push(bytes);
    }

    pub(super) fn ping(&mut self) {
        ratchet_websocket::write_head(&mut self.heads, ratchet_websocket::PING, 0);
        self.push(Bytes::new());
    }

    pub(super) fn pong(&mut self, bytes: Bytes) {
        ratchet_websocket::write_head(&mut self.heads, ratchet_websocket::PONG, bytes.len());
        self.push(bytes);
    }

    fn close(&mut self, code: Option<u16>) {
        let code = code.map(|code| Bytes::copy_from_slice(&code.to_be_bytes()));
        let code = code.unwrap_or_default();
        ratchet_websocket::write_head(&mut self.heads, ratchet_websocket::CLOSE, code.len());
        self.push(code);
    }

    fn push(&mut self, bytes: Bytes) {
        self.out.push_back(self.heads.split().freeze());
        if !bytes.is_empty() {
            self.out.push_back(bytes);
        }
    }

    /// Writes what there is to say. Nothing is lost or said twice if it is interrupted.
    pub(super) async fn flush(&mut self) -> io::Result<()> {
        poll_fn(|cx| self.poll_write(cx)).await?;
        self.io.flush().await
    }

    fn poll_write(&mut self, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        while !self.out.is_empty() {
            let mut slices = [IoSlice::new(&[]); PIECES];
            for (slice, piece) in slices.iter_mut().zip(&self.out) {
                *slice = IoSlice::new(piece);
            }
            let count = self.out.len().min(PIECES);
            let slices = slices.get(..count).unwrap_or_default();
            let written = ready!(Pin::new(&mut self.io).poll_write_vectored(cx, slices))?;
            if written == 0 {
                return Poll::Ready(Err(io::ErrorKind::WriteZero.into()));
            }
            self.advance(written);
        }
        Poll::Ready(Ok(()))
    }

    fn advance(&mut self, mut written: usize) {
        while let Some(first) = self.out.front_mut() {
            if first.len() > written {
                first.advance(written);
                return;
            }
            written -= first.len();
            self.out.pop_front();
        }
    }
}

/// Takes leave of a client: what was said before arrives, and then why it ends.
pub(super) async fn part<R, W>(
    mut listener: Listener<R>,
    mut speaker: Speaker<W>,
    why: Option<Option<u16>>,
) where
    R: AsyncRead + Unpin,
    W: AsyncWrite + Unpin,
{
    if let Some(code) = why {
        speaker.close(code);
        let said = timeout(LAST_WORDS, async {
            speaker.flush().await?;
            speaker.io.shutdown().await
        });
        if let Ok(Ok(())) = said.await {
            let _ = timeout(LINGER, listener.drain()).await;
        }
    }
}

/// Answers that one half owes because of what the other heard. The newest question is the one to answer.
#[derive(Debug, Default)]
pub(super) struct Pongs {
    newest: Mutex<Option<Bytes>>,
    asked: Notify,
}

impl Pongs {
    pub(super) fn owe(&self, question: Bytes) {
        *self.newest.lock().unwrap_or_else(PoisonError::into_inner) = Some(question);
        self.asked.notify_one();
    }

    /// Waits for an answer that is owed.
    pub(super) async fn owed(&self) -> Bytes {
        loop {
            self.asked.notified().await;
            let newest = self.newest.lock().unwrap_or_else(PoisonError::into_inner).take();
            if let Some(question) = newest {
                return question;
            }
        }
    }
}
