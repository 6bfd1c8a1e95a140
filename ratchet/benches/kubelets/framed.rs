//! A minimal WebSocket client that costs little CPU time, because the server is what is measured.

use std::io;
use std::pin::Pin;
use std::task::{Context, Poll, ready};
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};

/// The first byte of a client's complete binary message; its mask is zero.
const BINARY: u8 = 0x82;
const CONTROL: u8 = 0x08;
const MASKED: u8 = 0x80;
/// Maximum size of a read.
const PIECE: usize = 64 * 1024;

/// A connection that carries bytes in messages.
pub(crate) struct Framed<IO> {
    io: IO,
    /// The received part of the next frame's header.
    head: Vec<u8>,
    /// Remaining bytes of the frame, and whether it is a control frame.
    left: u64,
    is_control: bool,
    /// The message being sent.
    out: Vec<u8>,
    sent: usize,
}

impl<IO: AsyncRead + AsyncWrite + Unpin> Framed<IO> {
    pub(crate) fn new(io: IO) -> Self {
        Self { io, head: vec![], left: 0, is_control: false, out: vec![], sent: 0 }
    }

    /// Reads a header byte by byte: headers are few and buffered below.
    fn poll_head(&mut self, cx: &mut Context<'_>) -> Poll<io::Result<bool>> {
        loop {
            let length = match self.head.get(1).map(|second| second & 0x7f) {
                Some(126) => 4,
                Some(127) => 10,
                _ => 2,
            };
            if self.head.len() == length {
                break;
            }
            let mut byte = [0];
            let mut buffer = ReadBuf::new(&mut byte);
            ready!(Pin::new(&mut self.io).poll_read(cx, &mut buffer))?;
            let [byte] = buffer.filled() else { return Poll::Ready(Ok(false)) };
            self.head.push(*byte);
        }
        let number = |bytes: &[u8]| bytes.iter().fold(0, |sum, byte| sum << 8 | u64::from(*byte));
        self.left = match self.head.len() {
            2 => u64::from(self.head[1] & 0x7f),
            _ => number(&self.head[2..]),
        };
        self.is_control = self.head[0] & CONTROL != 0;
        self.head.clear();
        Poll::Ready(Ok(true))
    }

    fn poll_send(&mut self, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        while self.sent < self.out.len() {
            let rest = &self.out[self.sent..];
            self.sent += ready!(Pin::new(&mut self.io).poll_write(cx, rest))?;
        }
        self.out.clear();
        self.sent = 0;
        Poll::Ready(Ok(()))
    }
}

impl<IO: AsyncRead + AsyncWrite + Unpin> AsyncRead for Framed<IO> {
    fn poll_read(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let this = self.get_mut();
        loop {
            if this.left == 0 {
                match ready!(this.poll_head(cx))? {
                    true => continue,
                    false => return Poll::Ready(Ok(())),
                }
            }
            let room = buffer.remaining().min(PIECE);
            let most = usize::try_from(this.left).unwrap_or(usize::MAX).min(room);
            let mut part = ReadBuf::new(buffer.initialize_unfilled_to(most));
            ready!(Pin::new(&mut this.io).poll_read(cx, &mut part))?;
            let read = part.filled().len();
            this.left -= read as u64;
            if !this.is_control {
                buffer.advance(read);
                return Poll::Ready(Ok(()));
            }
        }
    }
}

impl<IO: AsyncRead + AsyncWrite + Unpin> AsyncWrite for Framed<IO> {
    fn poll_write(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        let this = self.get_mut();
        ready!(this.poll_send(cx))?;
        let bytes = &bytes[..bytes.len().min(125)];
        this.out.extend([BINARY, MASKED | bytes.len() as u8, 0, 0, 0, 0]);
        this.out.extend(bytes);
        Poll::Ready(Ok(bytes.len()))
    }

    fn poll_flush(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        let this = self.get_mut();
        ready!(this.poll_send(cx))?;
        Pin::new(&mut this.io).poll_flush(cx)
    }

    fn poll_shutdown(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        let this = self.get_mut();
        ready!(this.poll_send(cx))?;
        Pin::new(&mut this.io).poll_shutdown(cx)
    }
}
