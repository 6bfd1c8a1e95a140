//! A connection as bytes: plain or in TLS.

use std::io::{self, IoSlice};
use std::pin::Pin;
use std::task::{Context, Poll};

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::TcpStream;
use tokio_rustls::client::TlsStream;

use crate::pace::Pace;

/// A connection of its own, for who wants to upgrade it. Shutting it down says that no more is written and leaves the
/// other direction open.
#[derive(Debug)]
pub struct Connection {
    stream: Stream,
    pace: Pace,
}

#[derive(Debug)]
enum Stream {
    Plain(TcpStream),
    Tls(Box<TlsStream<TcpStream>>),
}

impl Connection {
    pub(crate) fn plain(tcp: TcpStream) -> Self {
        Self { stream: Stream::Plain(tcp), pace: Pace::default() }
    }

    pub(crate) fn tls(tls: TlsStream<TcpStream>) -> Self {
        Self { stream: Stream::Tls(Box::new(tls)), pace: Pace::default() }
    }

    /// Whether HTTP/2 was agreed on.
    pub(crate) fn speaks_http2(&self) -> bool {
        match &self.stream {
            Stream::Plain(_) => false,
            Stream::Tls(tls) => tls.get_ref().1.alpn_protocol() == Some(b"h2"),
        }
    }
}

/// Does the same with whichever stream it is.
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
        let Self { stream, pace } = self.get_mut();
        pace.poll_read(
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
