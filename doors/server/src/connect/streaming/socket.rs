//! WebSocket reader and writer over a connection; both are cancel-safe.

use bytes::{Buf, BufMut, Bytes, BytesMut};
use ratchet_streams::websocket::{self, MessageDecoder, Piece};
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

/// The timeout for sending the close message.
const CLOSE_TIMEOUT: Duration = Duration::from_secs(10);
/// The timeout for the client to close. Closing with unread bytes resets the connection, and the client would lose what
/// it has not read yet.
const LINGER: Duration = Duration::from_secs(1);
/// The interval of pings to the client, which keep proxies from closing an idle connection.
pub(super) const PING_EVERY: Duration = Duration::from_secs(20);

/// The initial read size: most connections are idle.
const FIRST_READ: usize = 4 << 10;
const LARGEST_READ: usize = 128 << 10;
/// The maximum number of buffers per vectored write.
const MAX_BUFFERS: usize = 16;

/// A read buffer that grows with the traffic.
#[derive(Debug)]
pub(super) struct ReadBuffer {
    pub(super) bytes: BytesMut,
    size: usize,
}

impl Default for ReadBuffer {
    fn default() -> Self {
        Self { bytes: BytesMut::new(), size: FIRST_READ }
    }
}

impl ReadBuffer {
    /// Reads once; zero means the end. Cancel-safe.
    pub(super) async fn read<R: AsyncRead + Unpin>(&mut self, io: &mut R) -> io::Result<usize> {
        self.bytes.reserve(self.size);
        let read = io.read_buf(&mut self.bytes).await?;
        if read >= self.size {
            self.size = (self.size * 2).min(LARGEST_READ);
        }
        Ok(read)
    }
}

/// Why a client sends no more.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) enum Disconnect {
    /// It sent a close message.
    Closed(Option<u16>),
    /// It violated the protocol; the close code to send.
    Broken(u16),
    /// The connection is lost.
    Lost,
}

impl Disconnect {
    /// The close message to send, if any.
    pub(super) fn answer(self) -> Option<Option<u16>> {
        match self {
            Self::Closed(code) => Some(code),
            Self::Broken(code) => Some(Some(code)),
            Self::Lost => None,
        }
    }
}

/// The reading half.
#[derive(Debug)]
pub(super) struct MessageReader<R> {
    io: R,
    decoder: MessageDecoder,
    input: ReadBuffer,
}

impl<R: AsyncRead + Unpin> MessageReader<R> {
    pub(super) fn new(io: R) -> Self {
        Self { io, decoder: MessageDecoder::default(), input: ReadBuffer::default() }
    }

    /// The next message piece. Cancel-safe.
    pub(super) async fn next(&mut self) -> Result<Piece, Disconnect> {
        loop {
            let next = self.decoder.next(&mut self.input.bytes);
            let next = next.map_err(|_| Disconnect::Broken(websocket::PROTOCOL_ERROR))?;
            match next {
                Some(Piece::Close(code)) => return Err(Disconnect::Closed(code)),
                Some(piece) => return Ok(piece),
                None => {}
            }
            if !matches!(self.input.read(&mut self.io).await, Ok(1..)) {
                return Err(Disconnect::Lost);
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

/// The writing half, which queues messages until they are written.
#[derive(Debug)]
pub(super) struct MessageWriter<W> {
    io: W,
    out: VecDeque<Bytes>,
    heads: BytesMut,
}

impl<W: AsyncWrite + Unpin> MessageWriter<W> {
    pub(super) fn new(io: W) -> Self {
        Self { io, out: VecDeque::new(), heads: BytesMut::new() }
    }

    /// Queues a binary message.
    pub(super) fn send(&mut self, bytes: Bytes) {
        websocket::write_head(&mut self.heads, websocket::BINARY, bytes.len());
        self.push(bytes);
    }

    /// Queues a binary message on a channel.
    pub(super) fn send_on(&mut self, channel: u8, bytes: Bytes) {
        websocket::write_head(&mut self.heads, websocket::BINARY, bytes.len() + 1);
        self.heads.put_u8(channel);
        self.push(bytes);
    }

    pub(super) fn ping(&mut self) {
        websocket::write_head(&mut self.heads, websocket::PING, 0);
        self.push(Bytes::new());
    }

    pub(super) fn pong(&mut self, bytes: Bytes) {
        websocket::write_head(&mut self.heads, websocket::PONG, bytes.len());
        self.push(bytes);
    }

    fn close(&mut self, code: Option<u16>) {
        let code = code.map(|code| Bytes::copy_from_slice(&code.to_be_bytes()));
        let code = code.unwrap_or_default();
        websocket::write_head(&mut self.heads, websocket::CLOSE, code.len());
        self.push(code);
    }

    fn push(&mut self, bytes: Bytes) {
        self.out.push_back(self.heads.split().freeze());
        if !bytes.is_empty() {
            self.out.push_back(bytes);
        }
    }

    /// Writes the queue. Cancel-safe.
    pub(super) async fn flush(&mut self) -> io::Result<()> {
        poll_fn(|cx| self.poll_write(cx)).await?;
        self.io.flush().await
    }

    fn poll_write(&mut self, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        while !self.out.is_empty() {
            let mut slices = [IoSlice::new(&[]); MAX_BUFFERS];
            for (slice, piece) in slices.iter_mut().zip(&self.out) {
                *slice = IoSlice::new(piece);
            }
            let count = self.out.len().min(MAX_BUFFERS);
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

/// Closes the connection: flushes the queue and sends the close message.
pub(super) async fn close<R, W>(
    mut reader: MessageReader<R>,
    mut writer: MessageWriter<W>,
    why: Option<Option<u16>>,
) where
    R: AsyncRead + Unpin,
    W: AsyncWrite + Unpin,
{
    if let Some(code) = why {
        writer.close(code);
        let closed = timeout(CLOSE_TIMEOUT, async {
            writer.flush().await?;
            writer.io.shutdown().await
        });
        if let Ok(Ok(())) = closed.await {
            let _ = timeout(LINGER, reader.drain()).await;
        }
    }
}

/// Pongs that the writing half must send for pings of the reading half; only the newest ping counts.
#[derive(Debug, Default)]
pub(super) struct Pongs {
    newest: Mutex<Option<Bytes>>,
    notify: Notify,
}

impl Pongs {
    pub(super) fn request(&self, question: Bytes) {
        *self.newest.lock().unwrap_or_else(PoisonError::into_inner) = Some(question);
        self.notify.notify_one();
    }

    /// Waits for a ping to answer.
    pub(super) async fn next(&self) -> Bytes {
        loop {
            self.notify.notified().await;
            let newest = self.newest.lock().unwrap_or_else(PoisonError::into_inner).take();
            if let Some(question) = newest {
                return question;
            }
        }
    }
}
