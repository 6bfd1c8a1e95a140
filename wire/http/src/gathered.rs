//! Frames of HTTP/2 leave together: in whole records, and in few calls of the system.
//!
//! The `h2` crate writes and flushes one frame after the other, and TLS by itself lets every write go at once. Here a gate
//! below TLS holds records back until they are a bulk, or until a flush finds no more than the last one did: that is when
//! `h2` has nothing more to say. Should it not flush again, its task is woken for it. Above TLS the end of a frame waits
//! for the beginning of the next, for a frame of the usual size is a few bytes longer than a record.

use std::io::{self, IoSlice};
use std::pin::Pin;
use std::task::{Context, Poll, ready};
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio_rustls::server::TlsStream;

/// What one record holds.
const RECORD: usize = 16 * 1024;
/// How much is gathered before it leaves unasked: what a kubelet sends as one frame of 64 KiB are four of the usual size
/// for a client, and the heads of those must fit as well, or they would leave alone.
const MOST: usize = 72 * 1024;
/// Less than this is no bulk, and a flush lets it go at once.
const BULK: usize = 8 * 1024;
/// How much room a quiet connection keeps.
const KEPT: usize = 1024;
/// How many pieces are written at once; a frame has two.
const PIECES: usize = 8;

/// How much TLS may hold for a client: more than the gate does, or both would wait for each other.
const HELD: usize = 2 * MOST;

/// What stands below TLS, and lets everything through until frames are gathered above.
#[derive(Debug)]
pub(crate) struct Gate<IO> {
    io: IO,
    is_shut: bool,
    /// How much was turned away last; TLS keeps it.
    waiting: usize,
}

impl<IO> Gate<IO> {
    pub(crate) fn open(io: IO) -> Self {
        Self { io, is_shut: false, waiting: 0 }
    }
}

/// Lets a chunk of HTTP/1.1 leave with its end: by itself TLS takes 64 KiB at once, which is how long chunks of logs are.
pub(crate) fn take_whole_chunks<IO>(tls: &mut TlsStream<Gate<IO>>) {
    tls.get_mut().1.set_buffer_limit(Some(MOST));
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
        if self.is_shut && self.waiting < MOST {
            // Nobody is woken: whoever shut the gate opens it.
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

/// A connection whose frames leave together.
#[derive(Debug)]
pub(crate) struct Gathered<IO> {
    tls: TlsStream<Gate<IO>>,
    /// The beginning of the next record.
    begun: Vec<u8>,
    /// How much waited at the flush that was put off.
    put_off: usize,
}

impl<IO: AsyncRead + AsyncWrite + Unpin> Gathered<IO> {
    pub(crate) fn new(mut tls: TlsStream<Gate<IO>>) -> Self {
        let (gate, session) = tls.get_mut();
        gate.is_shut = true;
        session.set_buffer_limit(Some(HELD));
        Self { tls, begun: Vec::new(), put_off: 0 }
    }

    fn gate(&mut self) -> &mut Gate<IO> {
        self.tls.get_mut().0
    }

    /// Whether more will come soon: a bulk has grown since it was last asked to leave.
    fn grows(&mut self) -> bool {
        let waiting = self.gate().waiting + self.begun.len();
        let before = std::mem::replace(&mut self.put_off, waiting);
        self.gate().is_shut && (BULK..MOST).contains(&waiting) && waiting > before
    }

    /// Opens the gate, and lets go of the record that was begun.
    fn poll_open(&mut self, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        self.gate().is_shut = false;
        while !self.begun.is_empty() {
            let count = ready!(Pin::new(&mut self.tls).poll_write(context, &self.begun))?;
            self.begun.drain(..count);
        }
        Poll::Ready(Ok(()))
    }
}

impl<IO: AsyncRead + AsyncWrite + Unpin> AsyncRead for Gathered<IO> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let read = ready!(Pin::new(&mut self.tls).poll_read(context, buffer));
        if read.is_err() {
            // What TLS has to say about it would stay behind the gate; the connection is over.
            self.gate().is_shut = false;
            let _ = Pin::new(&mut self.tls).poll_shutdown(context);
        }
        Poll::Ready(read)
    }
}

impl<IO: AsyncRead + AsyncWrite + Unpin> AsyncWrite for Gathered<IO> {
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
        let pieces = pieces.get(..PIECES).unwrap_or(pieces);
        let length = length(pieces);
        while this.begun.len() + length >= RECORD {
            let begun = this.begun.len();
            let records = whole_records(&this.begun, pieces);
            let written = ready!(Pin::new(&mut this.tls).poll_write_vectored(context, &records))?;
            if written == 0 {
                return Poll::Ready(Err(io::ErrorKind::WriteZero.into()));
            }
            this.begun.drain(..written.min(begun));
            if written > begun {
                return Poll::Ready(Ok(written - begun));
            }
        }
        for piece in pieces {
            this.begun.extend_from_slice(piece);
        }
        Poll::Ready(Ok(length))
    }

    fn is_write_vectored(&self) -> bool {
        true
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        if self.grows() {
            context.waker().wake_by_ref();
            return Poll::Ready(Ok(()));
        }
        ready!(self.poll_open(context))?;
        ready!(Pin::new(&mut self.tls).poll_flush(context))?;
        self.gate().is_shut = true;
        self.put_off = 0;
        self.begun.shrink_to(KEPT);
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

/// What was begun and what comes, as far as it fills records.
fn whole_records<'a>(begun: &'a [u8], pieces: &'a [IoSlice<'_>]) -> [IoSlice<'a>; PIECES + 1] {
    let mut room = (begun.len() + length(pieces)) / RECORD * RECORD;
    let mut records = [IoSlice::new(&[]); PIECES + 1];
    let all = std::iter::once(begun).chain(pieces.iter().map(|piece| &**piece));
    for (record, bytes) in records.iter_mut().zip(all) {
        let fits = bytes.get(..room).unwrap_or(bytes);
        *record = IoSlice::new(fits);
        room -= fits.len();
    }
    records
}

#[cfg(test)]
mod tests;
