//! A connection as bytes: plain or in TLS.

use std::io::{self, IoSlice};
use std::pin::Pin;
use std::task::{Context, Poll};

use tokio::io::{AsyncRead, AsyncWrite, BufReader, ReadBuf};
use tokio::net::TcpStream;
use tokio_rustls::client::TlsStream;

/// TLS that takes what has arrived in few calls of the system: by itself it asks for one record after the other.
pub(crate) type Tls = TlsStream<BufReader<TcpStream>>;

/// A connection of its own, for who wants to upgrade it. Shutting it down says that no more is written and leaves the
/// other direction open.
#[derive(Debug)]
pub struct Connection(Stream);

#[derive(Debug)]
enum Stream {
    Plain(TcpStream),
    Tls(Box<Tls>),
}

impl Connection {
    pub(crate) fn plain(tcp: TcpStream) -> Self {
        Self(Stream::Plain(tcp))
    }

    pub(crate) fn tls(tls: Tls) -> Self {
        Self(Stream::Tls(Box::new(tls)))
    }

    /// Whether HTTP/2 was agreed on.
    pub(crate) fn speaks_http2(&self) -> bool {
        match &self.0 {
            Stream::Plain(_) => false,
            Stream::Tls(tls) => tls.get_ref().1.alpn_protocol() == Some(b"h2"),
        }
    }
}

/// Does the same with whichever stream it is.
macro_rules! either {
    ($this:ident, $stream:ident => $do:expr) => {
        match &mut $this.get_mut().0 {
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
        either!(self, stream => stream.poll_read(cx, buffer))
    }
}

impl AsyncWrite for Connection {
    fn poll_write(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        either!(self, stream => stream.poll_write(cx, bytes))
    }

    fn poll_write_vectored(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        pieces: &[IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        either!(self, stream => stream.poll_write_vectored(cx, pieces))
    }

    fn is_write_vectored(&self) -> bool {
        match &self.0 {
            Stream::Plain(tcp) => tcp.is_write_vectored(),
            Stream::Tls(tls) => tls.is_write_vectored(),
        }
    }

    fn poll_flush(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        either!(self, stream => stream.poll_flush(cx))
    }

    fn poll_shutdown(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        either!(self, stream => stream.poll_shutdown(cx))
    }
}
