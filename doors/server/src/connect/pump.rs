//! Bidirectional copy between two connections.

use std::io;
use std::pin::Pin;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::task::{Context, Poll};
use std::time::Duration;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf, copy_bidirectional_with_sizes};

/// The buffer size per direction.
const BUFFER: usize = 64 * 1024;

/// The idle timeout of one direction after the other has ended.
const LINGER: Duration = Duration::from_secs(30);

/// Copies bytes until both directions have ended, one fails, or one has ended and the other is idle. A half-close is
/// forwarded, and the other end may still send.
pub(crate) async fn copy<A, B>(client: A, backend: B)
where
    A: AsyncRead + AsyncWrite + Unpin,
    B: AsyncRead + AsyncWrite + Unpin,
{
    let activity = Activity::default();
    let mut client = Monitored { io: client, activity: &activity };
    let mut backend = Monitored { io: backend, activity: &activity };
    tokio::select! {
        ended = copy_bidirectional_with_sizes(&mut client, &mut backend, BUFFER, BUFFER) => if let Err(error) = ended {
            tracing::debug!(%error, "a carried connection broke");
        },
        () = activity.idle_after_end() => tracing::debug!("a half-closed connection fell silent"),
    }
}

/// The activity of both directions.
#[derive(Default)]
struct Activity {
    moved: AtomicU64,
    ended: AtomicBool,
}

impl Activity {
    /// Returns when one direction has ended and the other was idle for `LINGER`.
    async fn idle_after_end(&self) {
        loop {
            let before = self.moved.load(Ordering::Relaxed);
            tokio::time::sleep(LINGER).await;
            if self.ended.load(Ordering::Relaxed) && self.moved.load(Ordering::Relaxed) == before {
                return;
            }
        }
    }
}

/// A connection whose reads are recorded.
struct Monitored<'s, IO> {
    io: IO,
    activity: &'s Activity,
}

impl<IO: AsyncRead + Unpin> AsyncRead for Monitored<'_, IO> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let before = buffer.filled().len();
        let polled = Pin::new(&mut self.io).poll_read(context, buffer);
        if let Poll::Ready(Ok(())) = polled {
            match buffer.filled().len() - before {
                0 => self.activity.ended.store(true, Ordering::Relaxed),
                more => drop(self.activity.moved.fetch_add(more as u64, Ordering::Relaxed)),
            }
        }
        polled
    }
}

impl<IO: AsyncWrite + Unpin> AsyncWrite for Monitored<'_, IO> {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.io).poll_write(context, bytes)
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
    use tokio::io::{AsyncReadExt, AsyncWriteExt, duplex};

    #[tokio::test]
    async fn one_end_may_close_its_way_and_still_be_answered() {
        let (mut client, near) = duplex(64);
        let (far, mut backend) = duplex(64);
        let copying = tokio::spawn(copy(near, far));
        client.write_all(b"question").await.unwrap();
        client.shutdown().await.unwrap();
        let mut text = String::new();
        backend.read_to_string(&mut text).await.unwrap();
        assert_eq!(text, "question", "the backend sees the end");
        backend.write_all(b"answer").await.unwrap();
        drop(backend);
        let mut text = String::new();
        client.read_to_string(&mut text).await.unwrap();
        assert_eq!(text, "answer");
        copying.await.unwrap();
    }

    #[tokio::test(start_paused = true)]
    async fn a_half_closed_connection_does_not_stay_for_ever() {
        let (mut client, near) = duplex(64);
        let (far, _backend) = duplex(64);
        let copying = tokio::spawn(copy(near, far));
        client.shutdown().await.unwrap();
        tokio::time::timeout(Duration::from_secs(100), copying).await.unwrap().unwrap();
    }

    #[tokio::test(start_paused = true)]
    async fn a_quiet_connection_that_nobody_closed_stays() {
        let (_client, near) = duplex(64);
        let (far, _backend) = duplex(64);
        let copying = copy(near, far);
        assert!(tokio::time::timeout(Duration::from_secs(9999), copying).await.is_err());
    }
}
