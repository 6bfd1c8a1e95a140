//! A lingering close: after the last response the rest of the request is read and discarded for a while.
//!
//! A socket that is closed while bytes of the client wait in it is reset by the system, and the reset discards the
//! response on the client's side: whoever sends a body that is refused early would see a broken pipe and not the reason.

use std::future::Future;
use std::io::{self, IoSlice};
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::{Context, Poll, ready};
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::time::{Sleep, sleep};

/// How long a client may take to notice that the response is complete, as in Go's server.
const LONGEST: Duration = Duration::from_millis(500);

/// A stream that closes without a reset, unless it was upgraded: then each direction ends by itself.
pub(crate) struct Lingering<S> {
    stream: S,
    is_upgraded: Arc<AtomicBool>,
    /// Set when our side is closed.
    deadline: Option<Pin<Box<Sleep>>>,
}

impl<S> Lingering<S> {
    pub(crate) fn new(stream: S, is_upgraded: Arc<AtomicBool>) -> Self {
        Self { stream, is_upgraded, deadline: None }
    }
}

impl<S: AsyncRead + Unpin> AsyncRead for Lingering<S> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_read(context, buffer)
    }
}

impl<S: AsyncRead + AsyncWrite + Unpin> AsyncWrite for Lingering<S> {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.stream).poll_write(context, bytes)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        pieces: &[IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.stream).poll_write_vectored(context, pieces)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        let this = &mut *self;
        if this.deadline.is_none() {
            ready!(Pin::new(&mut this.stream).poll_shutdown(context))?;
            if this.is_upgraded.load(Ordering::Relaxed) {
                return Poll::Ready(Ok(()));
            }
        }
        let deadline = this.deadline.get_or_insert_with(|| Box::pin(sleep(LONGEST)));
        let mut discarded = [0; 16 * 1024];
        loop {
            // The deadline first: a client that sends without end is left as well.
            if deadline.as_mut().poll(context).is_ready() {
                return Poll::Ready(Ok(()));
            }
            let mut buffer = ReadBuf::new(&mut discarded);
            let read = ready!(Pin::new(&mut this.stream).poll_read(context, &mut buffer));
            if read.is_err() || buffer.filled().is_empty() {
                return Poll::Ready(Ok(()));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tokio::io::{AsyncReadExt, AsyncWriteExt, duplex};
    use tokio::time::Instant;

    fn lingering<S>(stream: S, is_upgraded: bool) -> Lingering<S> {
        Lingering::new(stream, Arc::new(AtomicBool::new(is_upgraded)))
    }

    #[tokio::test(start_paused = true)]
    async fn a_client_that_still_sends_reads_the_response() {
        let (near, mut far) = duplex(64);
        let mut near = lingering(near, false);
        near.write_all(b"refused").await.unwrap();
        let sending = tokio::spawn(async move {
            far.write_all(&[0; 100_000]).await.unwrap();
            let mut response = Vec::new();
            far.read_to_end(&mut response).await.unwrap();
            response
        });
        near.shutdown().await.unwrap();
        drop(near);
        assert_eq!(sending.await.unwrap(), b"refused");
    }

    #[tokio::test(start_paused = true)]
    async fn a_client_that_does_not_end_is_left() {
        let (near, mut far) = duplex(64);
        let sending = tokio::spawn(async move {
            while far.write_all(&[0; 64]).await.is_ok() {
                sleep(Duration::from_millis(1)).await;
            }
        });
        let began = Instant::now();
        let mut near = lingering(near, false);
        near.shutdown().await.unwrap();
        assert_eq!(began.elapsed(), LONGEST);
        drop(near);
        sending.await.unwrap();
    }

    #[tokio::test(start_paused = true)]
    async fn an_upgraded_stream_is_read_after_its_end() {
        let (near, mut far) = duplex(64);
        let mut near = lingering(near, true);
        far.write_all(b"more").await.unwrap();
        near.shutdown().await.unwrap();
        let mut rest = [0; 4];
        near.read_exact(&mut rest).await.unwrap();
        assert_eq!(&rest, b"more");
    }
}
