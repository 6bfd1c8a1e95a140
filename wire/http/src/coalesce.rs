//! Coalescing of HTTP/2 frames into full TLS records and few system calls.
//!
//! The `h2` crate writes and flushes one frame after the other, and TLS by itself sends every write
//! at once. Here a gate below TLS holds records back until they are a bulk, or until a flush finds
//! no more data than the last one did: then `h2` has nothing more to send. In case it does not
//! flush again, its task is woken for it. Above TLS the end of a frame waits for the beginning of
//! the next, for a frame of the usual size is a few bytes longer than a record.

use std::io::{self, IoSlice};
use std::pin::Pin;
use std::task::{Context, Poll, ready};
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio_rustls::server::TlsStream;

/// The maximum plaintext of a record.
const RECORD: usize = 16 * 1024;
/// The amount that is sent without a flush: one 64 KiB frame of a kubelet becomes four frames of
/// the usual size for a client, and their heads must fit as well, or they would be sent alone.
const MAX_BUFFERED: usize = 72 * 1024;
/// Less than this is no bulk, and a flush sends it at once.
const BULK: usize = 8 * 1024;
/// The buffer capacity of a quiet connection.
const IDLE_CAPACITY: usize = 1024;
/// The number of slices in a vectored write; a frame has two.
const MAX_SLICES: usize = 8;

/// The buffer limit of TLS: more than the gate's, or both would wait for each other.
const TLS_BUFFER: usize = 2 * MAX_BUFFERED;

/// The layer below TLS, which is open until frames are coalesced above.
#[derive(Debug)]
pub(crate) struct Gate<IO> {
    io: IO,
    is_closed: bool,
    /// The size of the last rejected write; TLS keeps the data.
    waiting: usize,
}

impl<IO> Gate<IO> {
    pub(crate) fn open(io: IO) -> Self {
        Self { io, is_closed: false, waiting: 0 }
    }
}

/// Lets an HTTP/1.1 chunk be sent with its end: by default TLS buffers 64 KiB, which is the length
/// of log chunks.
pub(crate) fn set_chunk_buffer<IO>(tls: &mut TlsStream<Gate<IO>>) {
    tls.get_mut().1.set_buffer_limit(Some(MAX_BUFFERED));
}

impl<IO: AsyncRead + Unpin> AsyncRead for Gate<IO> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        Pin::new(&mut self.io).poll_read(context, buffer)
    }
}

impl<IO: AsyncWrite + Unpin> AsyncWrite for Gate<IO> {
    fn poll_write(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        self.poll_write_vectored(context, &[IoSlice::new(bytes)])
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        pieces: &[IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        self.waiting = length(pieces);
        if self.is_closed && self.waiting < MAX_BUFFERED {
            // No waker is needed: whoever closed the gate opens it.
            return Poll::Pending;
        }
        let count = ready!(Pin::new(&mut self.io).poll_write_vectored(context, pieces))?;
        self.waiting -= count;
        Poll::Ready(Ok(count))
    }

    fn is_write_vectored(&self) -> bool {
        true
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.io).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.io).poll_shutdown(context)
    }
}

/// A connection whose frames are coalesced.
#[derive(Debug)]
pub(crate) struct CoalescingStream<IO> {
    tls: TlsStream<Gate<IO>>,
    /// The beginning of the next record.
    partial: Vec<u8>,
    /// The amount of data at the last deferred flush.
    deferred: usize,
}

impl<IO: AsyncRead + AsyncWrite + Unpin> CoalescingStream<IO> {
    pub(crate) fn new(mut tls: TlsStream<Gate<IO>>) -> Self {
        let (gate, session) = tls.get_mut();
        gate.is_closed = true;
        session.set_buffer_limit(Some(TLS_BUFFER));
        Self { tls, partial: Vec::new(), deferred: 0 }
    }

    fn gate(&mut self) -> &mut Gate<IO> {
        self.tls.get_mut().0
    }

    /// Whether more data is expected soon: a bulk has grown since the last flush.
    fn expects_more(&mut self) -> bool {
        let waiting = self.gate().waiting + self.partial.len();
        let before = std::mem::replace(&mut self.deferred, waiting);
        self.gate().is_closed && (BULK..MAX_BUFFERED).contains(&waiting) && waiting > before
    }

    /// Opens the gate, and writes the partial record.
    fn poll_open(&mut self, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        self.gate().is_closed = false;
        while !self.partial.is_empty() {
            let count = ready!(Pin::new(&mut self.tls).poll_write(context, &self.partial))?;
            self.partial.drain(..count);
        }
        Poll::Ready(Ok(()))
    }
}

impl<IO: AsyncRead + AsyncWrite + Unpin> AsyncRead for CoalescingStream<IO> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let read = ready!(Pin::new(&mut self.tls).poll_read(context, buffer));
        if read.is_err() {
            // The alert of TLS would stay behind the gate; the connection is over.
            self.gate().is_closed = false;
            let _ = Pin::new(&mut self.tls).poll_shutdown(context);
        }
        Poll::Ready(read)
    }
}

impl<IO: AsyncRead + AsyncWrite + Unpin> AsyncWrite for CoalescingStream<IO> {
    fn poll_write(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        self.poll_write_vectored(context, &[IoSlice::new(bytes)])
    }

    fn poll_write_vectored(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
        pieces: &[IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let this = self.get_mut();
        let pieces = pieces.get(..MAX_SLICES).unwrap_or(pieces);
        let length = length(pieces);
        while this.partial.len() + length >= RECORD {
            let partial = this.partial.len();
            let records = whole_records(&this.partial, pieces);
            let written = ready!(Pin::new(&mut this.tls).poll_write_vectored(context, &records))?;
            if written == 0 {
                return Poll::Ready(Err(io::ErrorKind::WriteZero.into()));
            }
            this.partial.drain(..written.min(partial));
            if written > partial {
                return Poll::Ready(Ok(written - partial));
            }
        }
        for piece in pieces {
            this.partial.extend_from_slice(piece);
        }
        Poll::Ready(Ok(length))
    }

    fn is_write_vectored(&self) -> bool {
        true
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        if self.expects_more() {
            context.waker().wake_by_ref();
            return Poll::Ready(Ok(()));
        }
        ready!(self.poll_open(context))?;
        ready!(Pin::new(&mut self.tls).poll_flush(context))?;
        self.gate().is_closed = true;
        self.deferred = 0;
        self.partial.shrink_to(IDLE_CAPACITY);
        Poll::Ready(Ok(()))
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        ready!(self.poll_open(context))?;
        Pin::new(&mut self.tls).poll_shutdown(context)
    }
}

fn length(pieces: &[IoSlice<'_>]) -> usize {
    pieces.iter().map(|piece| piece.len()).sum()
}

/// The partial record and the new data, as far as they fill records.
fn whole_records<'a>(
    partial: &'a [u8],
    pieces: &'a [IoSlice<'_>],
) -> [IoSlice<'a>; MAX_SLICES + 1] {
    let mut remaining = (partial.len() + length(pieces)) / RECORD * RECORD;
    let mut records = [IoSlice::new(&[]); MAX_SLICES + 1];
    let slices = std::iter::once(partial).chain(pieces.iter().map(|piece| &**piece));
    for (record, bytes) in records.iter_mut().zip(slices) {
        let fits = bytes.get(..remaining).unwrap_or(bytes);
        *record = IoSlice::new(fits);
        remaining -= fits.len();
    }
    records
}

#[cfg(test)]
mod tests;
