//! A session: the handle that opens streams, and the one that hears of those that the peer opens.

use crate::driver::Driver;
use crate::state::{Handle, Phase, Shared};
use crate::{Headers, Limits, Reset, SpdyError, Stream};
use std::future::{Future, poll_fn};
use std::task::{Context, Poll};
use tokio::io::{AsyncRead, AsyncWrite};

/// A handle to a session. Clones are handles to the same.
#[derive(Clone, Debug)]
pub struct Session {
    handle: Handle,
}

impl Session {
    /// The end that asked for the upgrade. It must be called where a tokio runtime runs.
    pub fn client<IO>(io: IO) -> (Self, Accept)
    where
        IO: AsyncRead + AsyncWrite + Send + Unpin + 'static,
    {
        Self::begin(io, false, Limits::DEFAULT)
    }

    /// The end that granted the upgrade. It must be called where a tokio runtime runs.
    pub fn server<IO>(io: IO) -> (Self, Accept)
    where
        IO: AsyncRead + AsyncWrite + Send + Unpin + 'static,
    {
        Self::begin(io, true, Limits::DEFAULT)
    }

    /// Either end, with other limits.
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

    /// Opens a stream and waits until the peer accepts it. With `fin` this end will send nothing on it.
    ///
    /// # Errors
    ///
    /// If the peer refuses it, or the session is over or full.
    pub async fn open(&self, headers: &[(&str, &str)], fin: bool) -> Result<Stream, SpdyError> {
        let limit = self.handle.act(|state| state.limits.header_block);
        let block = Headers::write(headers, limit)?;
        let id = self.handle.act(|state| state.open(&block, fin))?;
        // From here on it is reset if nobody waits for it any more.
        let mut stream = Stream::new(id, self.handle.clone(), Headers::default());
        stream.accepted().await?;
        Ok(stream)
    }

    /// Asks the peer to answer, so that whatever lies between does not think the connection idle.
    pub fn ping(&self) {
        self.handle.act(super::state::State::ping);
    }

    /// Resets all streams, says `GOAWAY`, and waits until that is written or the peer takes too long.
    pub async fn close(&self) {
        self.handle.leave();
        self.closed().await;
    }

    /// Waits until the session is over, for whatever reason.
    pub fn closed(&self) -> impl Future<Output = ()> + Send + use<> {
        let mut phase = self.handle.phase.subscribe();
        async move {
            let _ = phase.wait_for(|phase| *phase == Phase::Closed).await;
        }
    }

    /// Why the session is over, if it is.
    pub fn error(&self) -> Option<SpdyError> {
        self.handle.act(|state| state.over.clone())
    }
}

/// Hears of the streams that the peer opens. Without it they are refused.
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
        let knock = self.handle.act(|state| match state.knocking.pop_front() {
            Some(knock) => Poll::Ready(Some(knock)),
            None if state.over.is_some() || state.is_leaving() => Poll::Ready(None),
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
            while let Some((id, _)) = state.knocking.pop_front() {
                state.forget(id, Reset::REFUSED);
            }
        });
    }
}

/// A stream that the peer wants. One that is dropped unanswered is reset.
#[derive(Debug)]
pub struct Incoming {
    stream: Stream,
}

impl Incoming {
    /// What the peer wants it for.
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

    /// Tells the peer that it cannot have it.
    pub fn refuse(self) {
        self.stream.reset_with(Reset::REFUSED);
    }
}
