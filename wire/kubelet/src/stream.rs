//! Byte streams of connections: plain or TLS.

use std::io::{self, IoSlice};
use std::pin::Pin;
use std::task::{Context, Poll};

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::TcpStream;
use tokio_rustls::client::TlsStream;

use crate::read_pacing::ReadPacing;

/// A connection of its own, to be upgraded. Shutting it down closes the write direction and leaves
/// the read direction open.
#[derive(Debug)]
pub struct Connection {
    stream: Stream,
    pacing: ReadPacing,
}

#[derive(Debug)]
enum Stream {
    Plain(TcpStream),
    Tls(Box<TlsStream<TcpStream>>),
}

impl Connection {
    pub(crate) fn plain(tcp: TcpStream) -> Self {
        Self { stream: Stream::Plain(tcp), pacing: ReadPacing::default() }
    }

    pub(crate) fn tls(tls: TlsStream<TcpStream>) -> Self {
        Self { stream: Stream::Tls(Box::new(tls)), pacing: ReadPacing::default() }
    }

    /// Whether HTTP/2 was negotiated.
    pub(crate) fn is_http2(&self) -> bool {
        match &self.stream {
            Stream::Plain(_) => false,
            Stream::Tls(tls) => tls.get_ref().1.alpn_protocol() == Some(b"h2"),
        }
    }
}

/// Delegates to whichever stream it is.
macro_rules! either {
    ($either:expr, $stream:ident => $do:expr) => {
        match $either {
            Stream::Plain($stream) => {
                let $stream = Pin::new($stream);
                $do
            }
            Stream::Tls($stream) => {
                let $stream = Pin::new($stream);
                $do
            }
        }
    };
}

impl AsyncRead for Connection {
    fn poll_read(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let Self { stream, pacing } = self.get_mut();
        pacing.poll_read(
            cx,
            buffer,
            |cx, buffer| either!(stream, stream => stream.poll_read(cx, buffer)),
        )
    }
}

impl AsyncWrite for Connection {
    fn poll_write(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        either!(&mut self.get_mut().stream, stream => stream.poll_write(cx, bytes))
    }

    fn poll_write_vectored(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        pieces: &[IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        either!(&mut self.get_mut().stream, stream => stream.poll_write_vectored(cx, pieces))
    }

    fn is_write_vectored(&self) -> bool {
        match &self.stream {
            Stream::Plain(tcp) => tcp.is_write_vectored(),
            Stream::Tls(tls) => tls.is_write_vectored(),
        }
    }

    fn poll_flush(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        either!(&mut self.get_mut().stream, stream => stream.poll_flush(cx))
    }

    fn poll_shutdown(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        either!(&mut self.get_mut().stream, stream => stream.poll_shutdown(cx))
    }
}
