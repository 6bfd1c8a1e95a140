//! Session handle that opens streams, and the acceptor of streams that the peer opens.

use crate::spdy::driver::Driver;
use crate::spdy::state::{Handle, Phase, Shared};
use crate::spdy::{Headers, Limits, Reset, SpdyError, Stream};
use std::future::{Future, poll_fn};
use std::task::{Context, Poll};
use tokio::io::{AsyncRead, AsyncWrite};

/// A handle to a session. Clones refer to the same session.
#[derive(Clone, Debug)]
pub struct Session {
    handle: Handle,
}

impl Session {
    /// The end that requested the upgrade. It must be called within a tokio runtime.
    pub fn client<IO>(io: IO) -> (Self, Accept)
    where
        IO: AsyncRead + AsyncWrite + Send + Unpin + 'static,
    {
        Self::begin(io, false, Limits::DEFAULT)
    }

    /// The end that granted the upgrade. It must be called within a tokio runtime.
    pub fn server<IO>(io: IO) -> (Self, Accept)
    where
        IO: AsyncRead + AsyncWrite + Send + Unpin + 'static,
    {
        Self::begin(io, true, Limits::DEFAULT)
    }

    /// Either end, with custom limits.
    pub fn begin<IO>(io: IO, server: bool, limits: Limits) -> (Self, Accept)
    where
        IO: AsyncRead + AsyncWrite + Send + Unpin + 'static,
    {
        let shared = Shared::new(server, limits);
        let handle = Handle::new(&shared);
        let accept = Accept { handle: handle.clone() };
        Driver::spawn(io, shared, &limits);
        (Self { handle }, accept)
    }

    /// Opens a stream and waits until the peer accepts it. With `fin` this end sends nothing on it.
    ///
    /// # Errors
    ///
    /// If the peer refuses it, or the session has ended or is full.
    pub async fn open(&self, headers: &[(&str, &str)], fin: bool) -> Result<Stream, SpdyError> {
        let limit = self.handle.act(|state| state.limits.header_block);
        let block = Headers::write(headers, limit)?;
        let id = self.handle.act(|state| state.open(&block, fin))?;
        // From here on dropping the stream resets it.
        let mut stream = Stream::new(id, self.handle.clone(), Headers::default());
        stream.accepted().await?;
        Ok(stream)
    }

    /// Sends a ping, so that intermediaries do not consider the connection idle.
    pub fn ping(&self) {
        self.handle.act(super::state::State::ping);
    }

    /// Resets all streams, sends `GOAWAY`, and waits until that is written or the timeout expires.
    pub async fn close(&self) {
        self.handle.shut_down();
        self.closed().await;
    }

    /// Waits until the session has ended, for whatever reason.
    pub fn closed(&self) -> impl Future<Output = ()> + Send + use<> {
        let mut phase = self.handle.phase.subscribe();
        async move {
            let _ = phase.wait_for(|phase| *phase == Phase::Closed).await;
        }
    }

    /// Why the session has ended, if it has.
    pub fn error(&self) -> Option<SpdyError> {
        self.handle.act(|state| state.over.clone())
    }
}

/// Accepts the streams that the peer opens. Without it they are refused.
#[derive(Debug)]
pub struct Accept {
    handle: Handle,
}

impl Accept {
    /// The next stream that the peer opens, or `None` when there will be no more.
    pub async fn next(&mut self) -> Option<Incoming> {
        poll_fn(|cx| self.poll_next(cx)).await
    }

    fn poll_next(&mut self, cx: &mut Context<'_>) -> Poll<Option<Incoming>> {
        let knock = self.handle.act(|state| match state.pending.pop_front() {
            Some(knock) => Poll::Ready(Some(knock)),
            None if state.over.is_some() || state.is_shutting_down() => Poll::Ready(None),
            None => {
                state.listener = Some(cx.waker().clone());
                Poll::Pending
            }
        });
        knock.map(|knock| {
            let (id, headers) = knock?;
            Some(Incoming { stream: Stream::new(id, self.handle.clone(), headers) })
        })
    }
}

impl Drop for Accept {
    fn drop(&mut self) {
        self.handle.act(|state| {
            state.accepting = false;
            while let Some((id, _)) = state.pending.pop_front() {
                state.remove_stream(id, Reset::REFUSED);
            }
        });
    }
}

/// A stream that the peer wants to open. Dropping it without a reply resets it.
#[derive(Debug)]
pub struct Incoming {
    stream: Stream,
}

impl Incoming {
    /// The headers of the peer's request.
    pub fn headers(&self) -> &Headers {
        self.stream.headers()
    }

    /// Accepts the stream.
    ///
    /// # Errors
    ///
    /// If the headers are too large. Then the stream is reset.
    pub fn reply(self, headers: &[(&str, &str)]) -> Result<Stream, SpdyError> {
        self.stream.reply(headers)?;
        Ok(self.stream)
    }

    /// Refuses the stream.
    pub fn refuse(self) {
        self.stream.reset_with(Reset::REFUSED);
    }
}
