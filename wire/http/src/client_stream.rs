//! The socket of a client: counted against the connection limit, and closed when the client stops
//! reading.

use std::io::{self, IoSlice};
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::sync::OwnedSemaphorePermit;
use tokio::time::{Instant, Sleep, sleep_until};

/// A socket with a write timeout. It is below TLS and HTTP, so that upgraded connections have it as
/// well.
#[derive(Debug)]
pub(crate) struct ClientStream<IO> {
    io: IO,
    /// How long bytes may wait for the client to read; zero disables the timeout.
    write_timeout: Duration,
    /// Since when the socket accepts no more bytes.
    blocked_since: Option<Instant>,
    timer: Option<Pin<Box<Sleep>>>,
    _permit: Option<OwnedSemaphorePermit>,
}

impl<IO> ClientStream<IO> {
    pub(crate) fn new(io: IO, write_timeout: Duration, permit: OwnedSemaphorePermit) -> Self {
        let (blocked_since, timer) = (None, None);
        Self { io, write_timeout, blocked_since, timer, _permit: Some(permit) }
    }

    /// Passes on the result of a write; a blocked one fails after the timeout.
    fn check_progress(
        &mut self,
        context: &mut Context<'_>,
        polled: Poll<io::Result<usize>>,
    ) -> Poll<io::Result<usize>> {
        if polled.is_ready() {
            // The timer is not reset: a busy socket would set it again and again.
            self.blocked_since = None;
            return polled;
        }
        if self.write_timeout.is_zero() {
            return Poll::Pending;
        }
        let since = *self.blocked_since.get_or_insert_with(Instant::now);
        let ends = since + self.write_timeout;
        let timer = self.timer.get_or_insert_with(|| Box::pin(sleep_until(ends)));
        while timer.as_mut().poll(context).is_ready() {
            if ends <= Instant::now() {
                let why = "the client did not read in time";
                return Poll::Ready(Err(io::Error::new(io::ErrorKind::TimedOut, why)));
            }
            timer.as_mut().reset(ends);
        }
        Poll::Pending
    }
}

impl<IO: AsyncRead + Unpin> AsyncRead for ClientStream<IO> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        Pin::new(&mut self.io).poll_read(context, buffer)
    }
}

impl<IO: AsyncWrite + Unpin> AsyncWrite for ClientStream<IO> {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        let polled = Pin::new(&mut self.io).poll_write(context, bytes);
        self.check_progress(context, polled)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        pieces: &[IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let polled = Pin::new(&mut self.io).poll_write_vectored(context, pieces);
        self.check_progress(context, polled)
    }

    fn is_write_vectored(&self) -> bool {
        self.io.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.io).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.io).poll_shutdown(context)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Arc;
    use tokio::io::{AsyncReadExt, AsyncWriteExt, duplex};
    use tokio::sync::Semaphore;

    const LIMIT: Duration = Duration::from_secs(10);

    async fn stream<IO>(io: IO, room: &Arc<Semaphore>) -> ClientStream<IO> {
        ClientStream::new(io, LIMIT, room.clone().acquire_owned().await.unwrap())
    }

    #[tokio::test(start_paused = true)]
    async fn a_client_that_does_not_read_is_left() {
        let room = Arc::new(Semaphore::new(1));
        let (near, far) = duplex(64);
        let mut near = stream(near, &room).await;
        assert_eq!(room.available_permits(), 0);
        let began = Instant::now();
        let error = near.write_all(&[0; 65]).await.unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::TimedOut);
        assert_eq!(began.elapsed(), LIMIT);
        drop(near);
        assert_eq!(room.available_permits(), 1);
        drop(far);
    }

    #[tokio::test(start_paused = true)]
    async fn a_client_that_reads_slowly_is_not() {
        let room = Arc::new(Semaphore::new(1));
        let (near, mut far) = duplex(64);
        let mut near = stream(near, &room).await;
        let reading = tokio::spawn(async move {
            let mut got = [0; 16];
            for _ in 0..8 {
                tokio::time::sleep(LIMIT * 9 / 10).await;
                far.read_exact(&mut got).await.unwrap();
            }
            far
        });
        near.write_all(&[0; 128]).await.unwrap();
        drop(reading.await.unwrap());
    }

    #[tokio::test(start_paused = true)]
    async fn silence_with_nothing_to_send_lasts() {
        let room = Arc::new(Semaphore::new(1));
        let (near, mut far) = duplex(64);
        let mut near = stream(near, &room).await;
        near.write_all(&[1; 64]).await.unwrap();
        tokio::time::sleep(LIMIT * 9).await;
        let mut got = [0; 64];
        far.read_exact(&mut got).await.unwrap();
        near.write_all(&[2; 64]).await.unwrap();
    }
}
