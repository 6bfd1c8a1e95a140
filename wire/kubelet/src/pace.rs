//! A pause in reading, so that what has come is taken while it is still warm.
//!
//! One task reads a connection, another takes what was read. The first would read on for as long as the kubelet's window
//! allows: by then the second finds nothing in the caches, and the kubelet waits for it to open the window again.

use std::io;
use std::task::{Context, Poll};

use tokio::io::ReadBuf;

/// How much is read without a pause: two frames of a log.
const BREATH: usize = 128 * 1024;

/// How much was read since the last pause.
#[derive(Debug, Default)]
pub(crate) struct Pace(usize);

impl Pace {
    /// Reads, or lets others run first.
    pub(crate) fn poll_read(
        &mut self,
        cx: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
        read: impl FnOnce(&mut Context<'_>, &mut ReadBuf<'_>) -> Poll<io::Result<()>>,
    ) -> Poll<io::Result<()>> {
        if self.0 >= BREATH {
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

    /// Reads without a pause, and says how much.
    async fn one_breath(io: &mut DuplexStream, pace: &mut Pace) -> usize {
        let mut count = 0;
        poll_fn(|cx| {
            loop {
                let mut bytes = [0; 10_000];
                let mut buffer = ReadBuf::new(&mut bytes);
                let read = |cx: &mut Context<'_>, buffer: &mut ReadBuf<'_>| {
                    Pin::new(&mut *io).poll_read(cx, buffer)
                };
                match pace.poll_read(cx, &mut buffer, read) {
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
        let mut pace = Pace::default();
        let breath = 10_000 * BREATH.div_ceil(10_000);
        assert_eq!(one_breath(&mut near, &mut pace).await, breath);
        assert_eq!(one_breath(&mut near, &mut pace).await, breath);
        assert_eq!(one_breath(&mut near, &mut pace).await, 300_000 - 2 * breath);
    }

    #[tokio::test]
    async fn who_waits_for_more_need_not_pause() {
        let (mut near, mut far) = duplex(1 << 20);
        let mut pace = Pace::default();
        for _ in 0..10 {
            far.write_all(&[7; 100_000]).await.unwrap();
            assert_eq!(one_breath(&mut near, &mut pace).await, 100_000);
        }
    }

    #[tokio::test]
    async fn who_pauses_is_woken() {
        let (mut near, _far) = duplex(1);
        let mut pace = Pace(BREATH);
        let mut polls = 0;
        poll_fn(|cx| {
            polls += 1;
            let mut bytes = [0; 1];
            let mut buffer = ReadBuf::new(&mut bytes);
            let read = |cx: &mut Context<'_>, buffer: &mut ReadBuf<'_>| {
                Pin::new(&mut near).poll_read(cx, buffer)
            };
            assert!(pace.poll_read(cx, &mut buffer, read).is_pending());
            if polls == 2 { Poll::Ready(()) } else { Poll::Pending }
        })
        .await;
        assert_eq!(pace.0, 0);
    }
}
