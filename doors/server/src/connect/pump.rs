//! Bytes from one connection to the other, both ways, until there are no more.

use std::io;
use std::pin::Pin;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::task::{Context, Poll};
use std::time::Duration;
use tokio::io::{
    AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt, ReadBuf, copy_bidirectional_with_sizes,
    split,
};

/// How much is under way each way.
const BUFFER: usize = 64 * 1024;

/// How long one way may be silent after the other has ended.
const LINGER: Duration = Duration::from_secs(30);

/// Carries bytes until both ways have ended, one has broken, or one has ended and the other fell silent. When one end
/// closes its way, the other end is told so and may still answer.
pub(super) async fn carry<A, B>(client: A, backend: B, bytes_per_second: u64)
where
    A: AsyncRead + AsyncWrite + Unpin,
    B: AsyncRead + AsyncWrite + Unpin,
{
    let seen = Seen::default();
    let mut client = Watched { io: client, seen: &seen };
    let mut backend = Watched { io: backend, seen: &seen };
    let both = async {
        match bytes_per_second {
            0 => copy_bidirectional_with_sizes(&mut client, &mut backend, BUFFER, BUFFER)
                .await
                .map(|_| ()),
            limit => trickle_both(&mut client, &mut backend, limit).await,
        }
    };
    tokio::select! {
        ended = both => if let Err(error) = ended {
            tracing::debug!(%error, "a carried connection broke");
        },
        () = seen.silence() => tracing::debug!("a half-closed connection fell silent"),
    }
}

async fn trickle_both<A, B>(
    client: &mut A,
    backend: &mut B,
    bytes_per_second: u64,
) -> io::Result<()>
where
    A: AsyncRead + AsyncWrite + Unpin,
    B: AsyncRead + AsyncWrite + Unpin,
{
    let (from_client, to_client) = split(client);
    let (from_backend, to_backend) = split(backend);
    tokio::try_join!(
        trickle(from_client, to_backend, bytes_per_second),
        trickle(from_backend, to_client, bytes_per_second),
    )?;
    Ok(())
}

/// Copies no more than so many bytes a second.
async fn trickle(
    mut from: impl AsyncRead + Unpin,
    mut to: impl AsyncWrite + Unpin,
    bytes_per_second: u64,
) -> io::Result<()> {
    let mut buffer = vec![0; BUFFER.min(usize::try_from(bytes_per_second).unwrap_or(BUFFER))];
    loop {
        let count = from.read(&mut buffer).await?;
        if count == 0 {
            return to.shutdown().await;
        }
        to.write_all(buffer.get(..count).unwrap_or_default()).await?;
        to.flush().await?;
        let nanoseconds = (count as u64).saturating_mul(1_000_000_000) / bytes_per_second;
        tokio::time::sleep(Duration::from_nanos(nanoseconds)).await;
    }
}

/// Whether bytes move, and whether one way has ended.
#[derive(Default)]
struct Seen {
    moved: AtomicU64,
    ended: AtomicBool,
}

impl Seen {
    /// Returns when one way has ended and the other has been silent for long.
    async fn silence(&self) {
        loop {
            let before = self.moved.load(Ordering::Relaxed);
            tokio::time::sleep(LINGER).await;
            if self.ended.load(Ordering::Relaxed) && self.moved.load(Ordering::Relaxed) == before {
                return;
            }
        }
    }
}

/// A connection whose reads are noticed.
struct Watched<'s, IO> {
    io: IO,
    seen: &'s Seen,
}

impl<IO: AsyncRead + Unpin> AsyncRead for Watched<'_, IO> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let before = buffer.filled().len();
        let polled = Pin::new(&mut self.io).poll_read(context, buffer);
        if let Poll::Ready(Ok(())) = polled {
            match buffer.filled().len() - before {
                0 => self.seen.ended.store(true, Ordering::Relaxed),
                more => drop(self.seen.moved.fetch_add(more as u64, Ordering::Relaxed)),
            }
        }
        polled
    }
}

impl<IO: AsyncWrite + Unpin> AsyncWrite for Watched<'_, IO> {
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
    use tokio::io::duplex;

    #[tokio::test]
    async fn one_end_may_close_its_way_and_still_be_answered() {
        for limit in [0, 1 << 30] {
            let (mut client, near) = duplex(64);
            let (far, mut backend) = duplex(64);
            let carried = tokio::spawn(carry(near, far, limit));
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
            carried.await.unwrap();
        }
    }

    #[tokio::test(start_paused = true)]
    async fn a_half_closed_connection_does_not_stay_for_ever() {
        let (mut client, near) = duplex(64);
        let (far, _backend) = duplex(64);
        let carried = tokio::spawn(carry(near, far, 0));
        client.shutdown().await.unwrap();
        tokio::time::timeout(Duration::from_secs(100), carried).await.unwrap().unwrap();
    }

    #[tokio::test(start_paused = true)]
    async fn a_quiet_connection_that_nobody_closed_stays() {
        let (_client, near) = duplex(64);
        let (far, _backend) = duplex(64);
        let carried = carry(near, far, 0);
        assert!(tokio::time::timeout(Duration::from_secs(9999), carried).await.is_err());
    }

    #[tokio::test(start_paused = true)]
    async fn a_limit_slows_down() {
        let (mut client, near) = duplex(1 << 20);
        let (far, mut backend) = duplex(1 << 20);
        let carried = tokio::spawn(carry(near, far, 1000));
        let began = tokio::time::Instant::now();
        client.write_all(&[7; 5000]).await.unwrap();
        let mut all = vec![0; 5000];
        backend.read_exact(&mut all).await.unwrap();
        assert!(began.elapsed() >= Duration::from_secs(4), "{:?}", began.elapsed());
        drop((client, backend));
        carried.await.unwrap();
    }
}
