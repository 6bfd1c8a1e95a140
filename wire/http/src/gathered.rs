//! Frames of HTTP/2 are gathered above TLS, so that a bulk of them leaves in few records and few calls of the system.
//!
//! The `h2` crate flushes after every frame of data. A flush that finds more than the last one did is therefore put off
//! to the next, which `h2` asks for as soon as it has nothing more to say; should it not, its task is woken for it.

use std::io::{self, IoSlice};
use std::pin::Pin;
use std::task::{Context, Poll, ready};
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};

/// How much is gathered before it leaves unasked: what a kubelet sends as one frame of 64 KiB are four of the usual size
/// for a client, and the heads of those must fit as well, or they would leave alone.
const MOST: usize = 72 * 1024;
/// Less than this is no bulk, and a flush lets it go at once.
const BULK: usize = 8 * 1024;
/// How much room a quiet connection keeps.
const KEPT: usize = 1024;

/// A connection whose frames leave together.
#[derive(Debug)]
pub(crate) struct Gathered<IO> {
    io: IO,
    waiting: Vec<u8>,
    sent: usize,
    /// How much waited at the flush that was put off.
    put_off: usize,
}

impl<IO> Gathered<IO> {
    pub(crate) fn new(io: IO) -> Self {
        Self { io, waiting: Vec::new(), sent: 0, put_off: 0 }
    }
}

impl<IO: AsyncWrite + Unpin> Gathered<IO> {
    /// Lets go of all that waits.
    fn poll_drain(&mut self, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        while let Some(rest @ [_, ..]) = self.waiting.get(self.sent..) {
            match ready!(Pin::new(&mut self.io).poll_write(context, rest))? {
                0 => return Poll::Ready(Err(io::ErrorKind::WriteZero.into())),
                count => self.sent += count,
            }
        }
        (self.sent, self.put_off) = (0, 0);
        self.waiting.clear();
        Poll::Ready(Ok(()))
    }

    /// Whether more will come soon: a bulk has grown since it was last asked to leave.
    fn grows(&self) -> bool {
        let bulk = self.waiting.len();
        self.sent == 0 && (BULK..MOST).contains(&bulk) && bulk > self.put_off
    }
}

impl<IO: AsyncRead + Unpin> AsyncRead for Gathered<IO> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        Pin::new(&mut self.io).poll_read(context, buffer)
    }
}

impl<IO: AsyncWrite + Unpin> AsyncWrite for Gathered<IO> {
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
        if self.sent > 0 || self.waiting.len() >= MOST {
            ready!(self.poll_drain(context))?;
        }
        let mut room = MOST - self.waiting.len();
        let before = self.waiting.len();
        for piece in pieces {
            let whole: &[u8] = piece;
            let fits = whole.get(..room).unwrap_or(whole);
            self.waiting.extend_from_slice(fits);
            room -= fits.len();
        }
        Poll::Ready(Ok(self.waiting.len() - before))
    }

    fn is_write_vectored(&self) -> bool {
        true
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        if self.grows() {
            self.put_off = self.waiting.len();
            context.waker().wake_by_ref();
            return Poll::Ready(Ok(()));
        }
        ready!(self.poll_drain(context))?;
        ready!(Pin::new(&mut self.io).poll_flush(context))?;
        self.waiting.shrink_to(KEPT);
        Poll::Ready(Ok(()))
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        ready!(self.poll_drain(context))?;
        Pin::new(&mut self.io).poll_shutdown(context)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::future::poll_fn;
    use std::time::Duration;
    use tokio::io::{AsyncReadExt, AsyncWriteExt, DuplexStream, duplex};

    /// What has arrived by now.
    async fn arrived(far: &mut DuplexStream) -> usize {
        let mut buffer = vec![0; 1 << 20];
        let read = tokio::time::timeout(Duration::from_millis(20), far.read(&mut buffer)).await;
        read.map_or(0, |count| count.unwrap())
    }

    #[tokio::test]
    async fn little_leaves_with_its_flush() {
        let (near, mut far) = duplex(1 << 20);
        let mut near = Gathered::new(near);
        for _ in 0..10 {
            near.write_all(b"abc").await.unwrap();
        }
        assert_eq!(arrived(&mut far).await, 0);
        near.flush().await.unwrap();
        assert_eq!(arrived(&mut far).await, 30);
    }

    #[tokio::test]
    async fn a_bulk_waits_while_it_grows() {
        let (near, mut far) = duplex(1 << 20);
        let mut near = Gathered::new(near);
        for _ in 0..2 {
            near.write_all(&[7; 16 * 1024]).await.unwrap();
            near.flush().await.unwrap();
            assert_eq!(arrived(&mut far).await, 0);
        }
        near.flush().await.unwrap();
        assert_eq!(arrived(&mut far).await, 32 * 1024);
    }

    #[tokio::test]
    async fn who_put_a_flush_off_is_woken_for_it() {
        let (near, mut far) = duplex(1 << 20);
        let mut near = Gathered::new(near);
        near.write_all(&[7; 16 * 1024]).await.unwrap();
        let mut polls = 0;
        // As a connection is driven: flushed once each time that it is woken, until nothing waits.
        poll_fn(|context| {
            polls += 1;
            let flushed = Pin::new(&mut near).poll_flush(context);
            assert!(flushed.is_ready());
            if near.waiting.is_empty() { Poll::Ready(()) } else { Poll::Pending }
        })
        .await;
        assert_eq!(polls, 2);
        assert_eq!(arrived(&mut far).await, 16 * 1024);
    }

    #[tokio::test]
    async fn everything_arrives_in_order_however_slow_the_other_end_is() {
        let sent: Vec<u8> = (0..500_000_u32).map(|number| number.to_le_bytes()[1]).collect();
        let (near, mut far) = duplex(1000);
        let mut near = Gathered::new(near);
        let whole = sent.clone();
        let writing = tokio::spawn(async move {
            let mut rest = &whole[..];
            let mut size = 1;
            while !rest.is_empty() {
                let (piece, _) = rest.split_at(size.min(rest.len()));
                let (left, right) = piece.split_at(piece.len() / 2);
                let pieces = [IoSlice::new(left), IoSlice::new(right)];
                let count = near.write_vectored(&pieces).await.unwrap();
                assert!(count > 0);
                rest = &rest[count..];
                size = size * 3 % 100_003 + 1;
                if size % 2 == 0 {
                    near.flush().await.unwrap();
                }
                assert!(near.waiting.len() <= MOST);
            }
            near.shutdown().await.unwrap();
        });
        let mut got = Vec::new();
        far.read_to_end(&mut got).await.unwrap();
        writing.await.unwrap();
        assert!(got == sent);
    }

    #[tokio::test]
    async fn a_quiet_connection_keeps_little() {
        let (near, mut far) = duplex(1 << 20);
        let mut near = Gathered::new(near);
        near.write_all(&[7; 50_000]).await.unwrap();
        near.flush().await.unwrap();
        near.flush().await.unwrap();
        assert!(near.waiting.capacity() <= KEPT);
        far.read_exact(&mut [0; 50_000]).await.unwrap();
    }
}
