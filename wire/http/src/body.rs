//! Response bodies: complete, in chunks of known length, or streamed through a channel.

use std::collections::VecDeque;
use std::convert::Infallible;
use std::pin::Pin;
use std::task::{Context, Poll};

use bytes::{Buf, Bytes};
use futures_util::{Stream, StreamExt};
use http_body::{Frame, SizeHint};
use http_body_util::combinators::UnsyncBoxBody;
use http_body_util::{BodyExt, Empty, Full, StreamBody};
use tokio::sync::mpsc;

/// The body of every response.
pub type Body = UnsyncBoxBody<Bytes, BodyError>;

/// Why a body was aborted; the client sees a broken connection.
#[derive(Debug, thiserror::Error)]
#[error("the answer broke off: {0}")]
pub struct BodyError(pub String);

/// The client has disconnected.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("the client has gone")]
pub struct Gone;

/// A body of these bytes.
pub fn full(bytes: impl Into<Bytes>) -> Body {
    Full::new(bytes.into()).map_err(never).boxed_unsync()
}

/// An empty body.
pub fn empty() -> Body {
    Empty::new().map_err(never).boxed_unsync()
}

/// A body of several chunks with a known total length, so that a list is sent without being copied
/// together.
pub fn chunks(pieces: Vec<Bytes>) -> Body {
    let remaining = pieces.iter().map(|piece| piece.len() as u64).sum();
    let pieces = pieces.into_iter().filter(|piece| !piece.is_empty()).collect();
    Chunks { pieces, remaining, since_yield: 0 }.boxed_unsync()
}

/// A body of the pieces of a stream, each of which is flushed at once; the next is made when the
/// client takes it.
pub fn stream(pieces: impl Stream<Item = Bytes> + Send + 'static) -> Body {
    StreamBody::new(pieces.map(|piece| Ok(Frame::data(piece)))).boxed_unsync()
}

/// A body that is written while it is sent; at most `capacity` chunks wait for a slow client.
pub fn channel(capacity: usize) -> (Sender, Body) {
    let (sender, receiver) = mpsc::channel(capacity.max(1));
    (Sender(sender), Receiver(receiver).boxed_unsync())
}

/// The writing end of a [`channel`]; when the last one is dropped the body ends cleanly.
#[derive(Debug, Clone)]
pub struct Sender(mpsc::Sender<Result<Bytes, BodyError>>);

impl Sender {
    /// Sends one chunk, which is flushed at once; waits while the client is slow.
    pub async fn send(&self, piece: impl Into<Bytes>) -> Result<(), Gone> {
        let piece = piece.into();
        if piece.is_empty() {
            return if self.0.is_closed() { Err(Gone) } else { Ok(()) };
        }
        self.0.send(Ok(piece)).await.map_err(|_| Gone)
    }

    /// Aborts the body, so that the client cannot mistake it for complete.
    pub async fn fail(self, why: impl Into<String>) {
        // A failure here means that the client is gone already.
        let _ = self.0.send(Err(BodyError(why.into()))).await;
    }

    /// Completes when the client has disconnected; a quiet watch waits for it together with its
    /// events.
    pub async fn closed(&self) {
        self.0.closed().await;
    }

    /// Whether the client has disconnected.
    pub fn is_closed(&self) -> bool {
        self.0.is_closed()
    }
}

fn never(impossible: Infallible) -> BodyError {
    match impossible {}
}

struct Chunks {
    pieces: VecDeque<Bytes>,
    remaining: u64,
    /// Bytes returned since the last yield.
    since_yield: usize,
}

/// How much of a buffered body is returned without yielding: the connection takes as much as the
/// socket accepts, and encrypts it on a thread for which other tasks wait.
const YIELD_AFTER: usize = 256 * 1024;

impl http_body::Body for Chunks {
    type Data = Bytes;
    type Error = BodyError;

    fn poll_frame(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, BodyError>>> {
        let this = self.get_mut();
        if this.since_yield >= YIELD_AFTER && !this.pieces.is_empty() {
            this.since_yield = 0;
            context.waker().wake_by_ref();
            return Poll::Pending;
        }
        Poll::Ready(this.pieces.pop_front().map(|piece| {
            this.since_yield += piece.len();
            this.remaining = this.remaining.saturating_sub(piece.remaining() as u64);
            Ok(Frame::data(piece))
        }))
    }

    fn is_end_stream(&self) -> bool {
        self.pieces.is_empty()
    }

    fn size_hint(&self) -> SizeHint {
        SizeHint::with_exact(self.remaining)
    }
}

struct Receiver(mpsc::Receiver<Result<Bytes, BodyError>>);

impl http_body::Body for Receiver {
    type Data = Bytes;
    type Error = BodyError;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, BodyError>>> {
        self.0.poll_recv(context).map(|piece| piece.map(|piece| piece.map(Frame::data)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use http_body::Body as _;

    async fn collect(body: Body) -> Bytes {
        body.collect().await.unwrap().to_bytes()
    }

    #[tokio::test]
    async fn bodies_hold_what_they_were_given() {
        assert_eq!(collect(full("abc")).await, "abc");
        assert_eq!(collect(empty()).await, "");
        let pieces = chunks(vec!["a".into(), Bytes::new(), "bc".into()]);
        assert_eq!(pieces.size_hint().exact(), Some(3));
        assert_eq!(collect(pieces).await, "abc");
        assert!(chunks(vec![]).is_end_stream());
        assert!(chunks(vec![Bytes::new()]).is_end_stream());
    }

    #[tokio::test]
    async fn others_have_their_turn_while_much_is_sent() {
        let piece = Bytes::from(vec![b'x'; YIELD_AFTER / 4]);
        let mut body = chunks(vec![piece; 16]);
        let (mut rests, mut length) = (0, 0);
        loop {
            let polled = std::future::poll_fn(|context| {
                Poll::Ready(Pin::new(&mut body).poll_frame(context))
            });
            match polled.await {
                Poll::Pending => rests += 1,
                Poll::Ready(None) => break,
                Poll::Ready(Some(frame)) => length += frame.unwrap().into_data().unwrap().len(),
            }
        }
        assert_eq!((rests, length), (3, 4 * YIELD_AFTER));
    }

    #[tokio::test]
    async fn a_channel_ends_with_its_sender() {
        let (sender, body) = channel(0);
        let reading = tokio::spawn(collect(body));
        sender.send("one ").await.unwrap();
        sender.send(Bytes::new()).await.unwrap();
        sender.send("two").await.unwrap();
        drop(sender);
        assert_eq!(reading.await.unwrap(), "one two");
    }

    #[tokio::test]
    async fn a_stream_is_read_piece_by_piece() {
        let pieces = futures_util::stream::iter(["one ", "two"]).map(Bytes::from);
        assert_eq!(collect(stream(pieces)).await, "one two");
    }

    #[tokio::test]
    async fn a_sender_learns_that_the_client_has_gone() {
        let (sender, body) = channel(1);
        assert!(!sender.is_closed());
        drop(body);
        sender.closed().await;
        assert_eq!(sender.send("late").await, Err(Gone));
        assert_eq!(sender.send("").await, Err(Gone));
    }

    #[tokio::test]
    async fn a_failed_body_is_an_error_and_not_an_end() {
        let (sender, body) = channel(2);
        sender.send("half").await.unwrap();
        sender.fail("the store went away").await;
        let error = body.collect().await.unwrap_err();
        assert_eq!(error.to_string(), "the answer broke off: the store went away");
    }
}
