//! One stream of a session, read and written like a connection of its own.

use crate::spdy::state::{Handle, Remote, State};
use crate::spdy::{Headers, Reset, SpdyError};
use bytes::{Buf, Bytes};
use std::future::poll_fn;
use std::io;
use std::pin::Pin;
use std::task::{Context, Poll, ready};
use tokio::io::{AsyncBufRead, AsyncRead, AsyncWrite, ReadBuf};

/// An accepted stream. Dropping it before both ends have finished resets it; shutting it down ends
/// this side, and the peer can continue.
///
/// A stream that the peer reset reads to its end and then returns
/// [`io::ErrorKind::ConnectionReset`].
#[derive(Debug)]
pub struct Stream {
    id: u32,
    headers: Headers,
    handle: Handle,
    /// Bytes taken from the session and not read yet.
    current: Bytes,
}

impl Stream {
    pub(crate) fn new(id: u32, handle: Handle, headers: Headers) -> Self {
        Self { id, headers, handle, current: Bytes::new() }
    }

    /// The id in the session: odd if the client opened it.
    pub fn id(&self) -> u32 {
        self.id
    }

    /// The headers with which the peer opened or accepted the stream.
    pub fn headers(&self) -> &Headers {
        &self.headers
    }

    /// The next bytes as received, without copying; `None` at the end.
    ///
    /// # Errors
    ///
    /// If the peer reset the stream or the session failed.
    pub async fn chunk(&mut self) -> io::Result<Option<Bytes>> {
        poll_fn(|cx| self.poll_chunk(cx)).await
    }

    /// [`Stream::chunk`] as a poll function.
    ///
    /// # Errors
    ///
    /// As [`Stream::chunk`].
    pub fn poll_chunk(&mut self, cx: &mut Context<'_>) -> Poll<io::Result<Option<Bytes>>> {
        if !self.current.is_empty() {
            return Poll::Ready(Ok(Some(std::mem::take(&mut self.current))));
        }
        self.handle.act(|state| {
            if let Some(piece) = state.take_received(self.id) {
                return Poll::Ready(Ok(Some(piece)));
            }
            let over = state.over.clone();
            let Some(slot) = state.streams.get_mut(&self.id) else { return Poll::Ready(Ok(None)) };
            match (slot.remote, over) {
                (Remote::Fin, _) => Poll::Ready(Ok(None)),
                (Remote::Reset(status), _) => Poll::Ready(Err(SpdyError::Reset(status).into())),
                (Remote::Open, Some(why)) => Poll::Ready(Err(why.into())),
                (Remote::Open, None) => {
                    slot.reader = Some(cx.waker().clone());
                    Poll::Pending
                }
            }
        })
    }

    /// Sends bytes without copying, and waits until there is room for them.
    ///
    /// # Errors
    ///
    /// If this end may send nothing more.
    pub async fn send(&mut self, mut bytes: Bytes) -> io::Result<()> {
        while !bytes.is_empty() {
            poll_fn(|cx| self.with_room(cx, |state, id| state.out.data_shared(id, &mut bytes)))
                .await?;
        }
        Ok(())
    }

    /// Ends it in both directions.
    pub fn reset(self) {
        self.reset_with(Reset::CANCEL);
    }

    pub(crate) fn reset_with(&self, status: Reset) {
        self.handle.act(|state| state.remove_stream(self.id, status));
    }

    /// Waits for the reply of the peer.
    pub(crate) async fn accepted(&mut self) -> Result<(), SpdyError> {
        poll_fn(|cx| self.poll_accepted(cx)).await
    }

    fn poll_accepted(&mut self, cx: &mut Context<'_>) -> Poll<Result<(), SpdyError>> {
        let (id, headers) = (self.id, &mut self.headers);
        self.handle.act(|state| {
            let over = state.over.clone();
            let Some(slot) = state.streams.get_mut(&id) else {
                return Poll::Ready(Err(SpdyError::Closed));
            };
            match (slot.remote, over) {
                _ if slot.replied => {
                    *headers = std::mem::take(&mut slot.reply);
                    Poll::Ready(Ok(()))
                }
                (Remote::Reset(status), _) => Poll::Ready(Err(SpdyError::Reset(status))),
                (_, Some(why)) => Poll::Ready(Err(why)),
                (_, None) => {
                    slot.reader = Some(cx.waker().clone());
                    Poll::Pending
                }
            }
        })
    }

    /// Accepts the stream.
    pub(crate) fn reply(&self, headers: &[(&str, &str)]) -> Result<(), SpdyError> {
        self.handle.act(|state| {
            let block = Headers::write(headers, state.limits.header_block)?;
            if let Some(slot) = state.streams.get_mut(&self.id) {
                slot.replied = true;
                state.out.syn_reply(self.id, &block);
                state.request_wakeup();
            }
            Ok(())
        })
    }

    /// Queues something as soon as there is room.
    fn with_room<T>(
        &self,
        cx: &mut Context<'_>,
        put: impl FnOnce(&mut State, u32) -> T,
    ) -> Poll<io::Result<T>> {
        self.handle.act(|state| {
            if let Some(why) = &state.over {
                return Poll::Ready(Err(why.clone().into()));
            }
            match state.streams.get(&self.id) {
                Some(slot) if slot.sending => {}
                Some(slot) => return Poll::Ready(Err(ended(slot.remote))),
                None => return Poll::Ready(Err(SpdyError::Closed.into())),
            }
            if !state.out.has_room() {
                state.wait_for_room(self.id, cx);
                return Poll::Pending;
            }
            state.request_wakeup();
            Poll::Ready(Ok(put(state, self.id)))
        })
    }
}

fn ended(remote: Remote) -> io::Error {
    match remote {
        Remote::Reset(status) => SpdyError::Reset(status).into(),
        Remote::Open | Remote::Fin => io::ErrorKind::BrokenPipe.into(),
    }
}

impl Drop for Stream {
    fn drop(&mut self) {
        self.reset_with(Reset::CANCEL);
    }
}

impl AsyncBufRead for Stream {
    fn poll_fill_buf(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<&[u8]>> {
        let this = self.get_mut();
        if this.current.is_empty() {
            this.current = ready!(this.poll_chunk(cx))?.unwrap_or_default();
        }
        Poll::Ready(Ok(&this.current))
    }

    fn consume(mut self: Pin<&mut Self>, amount: usize) {
        self.current.advance(amount);
    }
}

impl AsyncRead for Stream {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buf: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let bytes = ready!(self.as_mut().poll_fill_buf(cx))?;
        let (taken, _) = bytes.split_at(bytes.len().min(buf.remaining()));
        buf.put_slice(taken);
        let amount = taken.len();
        self.consume(amount);
        Poll::Ready(Ok(()))
    }
}

impl AsyncWrite for Stream {
    fn poll_write(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buf: &[u8],
    ) -> Poll<io::Result<usize>> {
        if buf.is_empty() {
            return Poll::Ready(Ok(0));
        }
        self.with_room(cx, |state, id| state.out.data(id, buf))
    }

    /// Written data is sent as soon as the connection accepts it; there is nothing to flush.
    fn poll_flush(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<io::Result<()>> {
        Poll::Ready(Ok(()))
    }

    fn poll_shutdown(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<io::Result<()>> {
        self.handle.act(|state| {
            if let Some(slot) = state.streams.get_mut(&self.id).filter(|slot| slot.sending) {
                slot.sending = false;
                state.out.fin(self.id);
                state.request_wakeup();
            }
        });
        Poll::Ready(Ok(()))
    }
}
