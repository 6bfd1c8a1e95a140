//! Bandwidth limit of a connection, per direction.

use std::io;
use std::pin::Pin;
use std::task::{Context, Poll, ready};
use std::time::Duration;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::time::{Instant, Sleep, sleep_until};

/// The number of bursts per second: small bursts make low limits smooth.
const BURSTS_PER_SECOND: u64 = 10;

/// A connection with a bandwidth limit; zero means none.
pub(super) struct Throttled<IO> {
    io: IO,
    inward: Direction,
    outward: Direction,
}

impl<IO> Throttled<IO> {
    pub(super) fn new(io: IO, bytes_per_second: u64) -> Self {
        let direction = || Direction { bytes_per_second, delay: None };
        Self { io, inward: direction(), outward: direction() }
    }
}

/// One direction: after each transfer it waits until the limit allows the next.
struct Direction {
    bytes_per_second: u64,
    delay: Option<Pin<Box<Sleep>>>,
}

impl Direction {
    /// The number of bytes that may pass now.
    fn poll_room(&mut self, context: &mut Context<'_>) -> Poll<usize> {
        if self.bytes_per_second == 0 {
            return Poll::Ready(usize::MAX);
        }
        if let Some(delay) = &mut self.delay {
            ready!(delay.as_mut().poll(context));
            self.delay = None;
        }
        let room = (self.bytes_per_second / BURSTS_PER_SECOND).max(1);
        Poll::Ready(usize::try_from(room).unwrap_or(usize::MAX))
    }

    fn passed(&mut self, count: usize) {
        if self.bytes_per_second > 0 && count > 0 {
            let nanoseconds = (count as u64).saturating_mul(1_000_000_000) / self.bytes_per_second;
            let until = Instant::now() + Duration::from_nanos(nanoseconds);
            self.delay = Some(Box::pin(sleep_until(until)));
        }
    }
}

impl<IO: AsyncRead + Unpin> AsyncRead for Throttled<IO> {
    fn poll_read(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let this = self.get_mut();
        let room = ready!(this.inward.poll_room(context));
        if room >= buffer.remaining() {
            let before = buffer.filled().len();
            ready!(Pin::new(&mut this.io).poll_read(context, buffer))?;
            this.inward.passed(buffer.filled().len() - before);
            return Poll::Ready(Ok(()));
        }
        let mut part = buffer.take(room);
        ready!(Pin::new(&mut this.io).poll_read(context, &mut part))?;
        let count = part.filled().len();
        let bytes = part.filled().to_vec();
        buffer.put_slice(&bytes);
        this.inward.passed(count);
        Poll::Ready(Ok(()))
    }
}

impl<IO: AsyncWrite + Unpin> AsyncWrite for Throttled<IO> {
    fn poll_write(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        let this = self.get_mut();
        let room = ready!(this.outward.poll_room(context));
        let bytes = bytes.get(..room).unwrap_or(bytes);
        let count = ready!(Pin::new(&mut this.io).poll_write(context, bytes))?;
        this.outward.passed(count);
        Poll::Ready(Ok(count))
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

    async fn both_ways(bytes_per_second: u64) -> Duration {
        let (near, mut far) = duplex(1 << 20);
        let mut near = Throttled::new(near, bytes_per_second);
        let began = Instant::now();
        let sent: Vec<u8> = (0..5000_u32).map(|number| number.to_le_bytes()[0]).collect();
        let mut got = vec![0; 5000];
        near.write_all(&sent).await.unwrap();
        far.read_exact(&mut got).await.unwrap();
        assert_eq!(got, sent);
        far.write_all(&sent).await.unwrap();
        got.fill(0);
        near.read_exact(&mut got).await.unwrap();
        assert_eq!(got, sent);
        began.elapsed()
    }

    #[tokio::test(start_paused = true)]
    async fn a_limit_holds_each_way_and_changes_no_byte() {
        let took = both_ways(1000).await;
        assert!((8.0..12.0).contains(&took.as_secs_f64()), "{took:?}");
        assert_eq!(both_ways(0).await, Duration::ZERO);
    }
}
