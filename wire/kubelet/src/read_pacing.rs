//! Pacing of reads, so that received data is consumed while it is still in the CPU caches.
//!
//! One task reads a connection, another consumes the data. The first would read on for as long as
//! the kubelet's window allows: by then the second finds nothing in the caches, and the kubelet
//! waits for it to open the window again.

use std::io;
use std::task::{Context, Poll};

use tokio::io::ReadBuf;

/// How much is read without a pause: two frames of a log.
const BURST: usize = 128 * 1024;

/// The number of bytes read since the last pause.
#[derive(Debug, Default)]
pub(crate) struct ReadPacing(usize);

impl ReadPacing {
    /// Reads, or yields to other tasks first.
    pub(crate) fn poll_read(
        &mut self,
        cx: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
        read: impl FnOnce(&mut Context<'_>, &mut ReadBuf<'_>) -> Poll<io::Result<()>>,
    ) -> Poll<io::Result<()>> {
        if self.0 >= BURST {
            self.0 = 0;
            cx.waker().wake_by_ref();
            return Poll::Pending;
        }
        let before = buffer.filled().len();
        let done = read(cx, buffer);
        self.0 = match done {
            Poll::Ready(_) => self.0 + buffer.filled().len() - before,
            Poll::Pending => 0,
        };
        done
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::future::poll_fn;
    use std::pin::Pin;
    use tokio::io::{AsyncRead, AsyncWriteExt, DuplexStream, duplex};

    /// Reads until the next pause, and returns the number of bytes.
    async fn read_burst(io: &mut DuplexStream, pacing: &mut ReadPacing) -> usize {
        let mut count = 0;
        poll_fn(|cx| {
            loop {
                let mut bytes = [0; 10_000];
                let mut buffer = ReadBuf::new(&mut bytes);
                let read = |cx: &mut Context<'_>, buffer: &mut ReadBuf<'_>| {
                    Pin::new(&mut *io).poll_read(cx, buffer)
                };
                match pacing.poll_read(cx, &mut buffer, read) {
                    Poll::Ready(read) => read.unwrap(),
                    Poll::Pending => return Poll::Ready(()),
                }
                count += buffer.filled().len();
            }
        })
        .await;
        count
    }

    #[tokio::test]
    async fn a_flood_is_read_in_breaths() {
        let (mut near, mut far) = duplex(1 << 20);
        far.write_all(&[7; 300_000]).await.unwrap();
        let mut pacing = ReadPacing::default();
        let burst = 10_000 * BURST.div_ceil(10_000);
        assert_eq!(read_burst(&mut near, &mut pacing).await, burst);
        assert_eq!(read_burst(&mut near, &mut pacing).await, burst);
        assert_eq!(read_burst(&mut near, &mut pacing).await, 300_000 - 2 * burst);
    }

    #[tokio::test]
    async fn who_waits_for_more_need_not_pause() {
        let (mut near, mut far) = duplex(1 << 20);
        let mut pacing = ReadPacing::default();
        for _ in 0..10 {
            far.write_all(&[7; 100_000]).await.unwrap();
            assert_eq!(read_burst(&mut near, &mut pacing).await, 100_000);
        }
    }

    #[tokio::test]
    async fn who_pauses_is_woken() {
        let (mut near, _far) = duplex(1);
        let mut pacing = ReadPacing(BURST);
        let mut polls = 0;
        poll_fn(|cx| {
            polls += 1;
            let mut bytes = [0; 1];
            let mut buffer = ReadBuf::new(&mut bytes);
            let read = |cx: &mut Context<'_>, buffer: &mut ReadBuf<'_>| {
                Pin::new(&mut near).poll_read(cx, buffer)
            };
            assert!(pacing.poll_read(cx, &mut buffer, read).is_pending());
            if polls == 2 { Poll::Ready(()) } else { Poll::Pending }
        })
        .await;
        assert_eq!(pacing.0, 0);
    }
}
