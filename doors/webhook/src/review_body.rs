//! `BodyRoom`: the memory that the bodies of large reviews share, so that nobody can fill all of it by sending many.

use crate::request::MAX_REVIEW_BYTES;
use bytes::Bytes;
use hyper::body::Body;
use ratchet_http::{ReadError, read_body};
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// Reviews up to this size are judged on the thread that read them: it takes less time than another thread to wake up.
/// They need no room either: a connection has its own limit of calls.
pub(crate) const SMALL: usize = 64 << 10;
/// The bytes of all larger bodies that are read or judged at once: three of the largest.
const ROOM: usize = 3 * MAX_REVIEW_BYTES;
/// The unit in which room is given.
const UNIT: u64 = 1 << 10;

/// The room of one server.
pub(crate) struct BodyRoom(Arc<Semaphore>);

/// The body of a review, with the room that it takes up until its last copy is dropped.
#[derive(Clone)]
pub(crate) struct ReviewBody {
    bytes: Bytes,
    _room: Room,
}

/// Room for one body; a small one needs none.
#[derive(Clone)]
pub(crate) struct Room {
    _held: Option<Arc<OwnedSemaphorePermit>>,
}

impl ReviewBody {
    pub(crate) fn bytes(&self) -> &[u8] {
        &self.bytes
    }
}

impl BodyRoom {
    pub(crate) fn new() -> Self {
        Self(Arc::new(Semaphore::new(ROOM / UNIT as usize)))
    }

    /// Room for a body, as soon as there is some.
    pub(crate) async fn reserve<B>(&self, body: &B) -> Room
    where
        B: Body<Data = Bytes>,
    {
        // An API server says how long a body is; one that says nothing may be of any length.
        let length = body.size_hint().upper().unwrap_or(MAX_REVIEW_BYTES as u64);
        // What is above the limit is not kept.
        let is_kept = length > SMALL as u64 && length <= MAX_REVIEW_BYTES as u64;
        let units = u32::try_from(length.div_ceil(UNIT)).unwrap_or(u32::MAX);
        let held = match is_kept {
            true => Arc::clone(&self.0).acquire_many_owned(units).await.ok().map(Arc::new),
            false => None,
        };
        Room { _held: held }
    }
}

impl Room {
    /// Reads the body that it was reserved for.
    pub(crate) async fn read<B>(self, body: B, timeout: Duration) -> Result<ReviewBody, ReadError>
    where
        B: Body<Data = Bytes> + Unpin,
    {
        let bytes = read_body(body, MAX_REVIEW_BYTES, timeout).await?;
        Ok(ReviewBody { bytes, _room: self })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ratchet_http::{Body, channel, full};

    const SECONDS: Duration = Duration::from_secs(60);
    const ALL: usize = ROOM / UNIT as usize;

    async fn read(room: &BodyRoom, body: Body) -> Result<ReviewBody, ReadError> {
        room.reserve(&body).await.read(body, SECONDS).await
    }

    #[tokio::test]
    async fn large_bodies_wait_for_room_and_small_ones_do_not() {
        let room = BodyRoom::new();
        let large = || full(vec![b' '; MAX_REVIEW_BYTES]);
        let mut held = Vec::new();
        for _ in 0..3 {
            held.push(read(&room, large()).await.unwrap());
        }
        assert_eq!(room.0.available_permits(), 0);
        let mut waiting = Box::pin(read(&room, large()));
        let polled = std::future::poll_fn(|context| {
            std::task::Poll::Ready(waiting.as_mut().poll(context).is_pending())
        });
        assert!(polled.await, "there is no room for a fourth one");
        assert_eq!(read(&room, full("{}")).await.unwrap().bytes(), b"{}");
        drop(held.pop());
        assert_eq!(waiting.await.unwrap().bytes().len(), MAX_REVIEW_BYTES);
        drop(held);
        assert_eq!(room.0.available_permits(), ALL);
    }

    #[tokio::test]
    async fn a_body_of_unknown_length_has_the_room_of_the_largest() {
        let room = BodyRoom::new();
        let (sender, body) = channel(1);
        sender.send("{}").await.unwrap();
        drop(sender);
        let body = read(&room, body).await.unwrap();
        assert_eq!(room.0.available_permits(), ALL / 3 * 2);
        assert_eq!(body.bytes(), b"{}");
        let refused = read(&room, full(vec![b' '; MAX_REVIEW_BYTES + 1])).await;
        assert_eq!(refused.err(), Some(ReadError::TooLarge), "which needs no room");
    }
}
