//! Reading of request bodies with a size limit and a timeout.

use std::time::Duration;

use bytes::{Bytes, BytesMut};
use http_body::Body;
use http_body_util::BodyExt;

/// Why a body could not be read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum ReadError {
    /// It exceeds the limit.
    #[error("the body is too large")]
    TooLarge,
    /// It did not arrive in time.
    #[error("the body came too slowly")]
    TooSlow,
    /// The client disconnected.
    #[error("the body broke off")]
    Broken,
}

/// How much of a refused body is read and discarded, and for how long: a client that still writes
/// when its connection is closed never sees the reason.
const DISCARD_LIMIT: usize = 32 << 20;
const DISCARD_TIMEOUT: Duration = Duration::from_secs(2);

/// Reads a complete body of at most `limit` bytes within `timeout`.
///
/// A longer body is never buffered, even if its length is declared.
pub async fn read_body<B>(mut body: B, limit: usize, timeout: Duration) -> Result<Bytes, ReadError>
where
    B: Body<Data = Bytes> + Unpin,
{
    let result = async {
        match body.size_hint().lower() > limit as u64 {
            true => Err(ReadError::TooLarge),
            false => read_all(&mut body, limit).await,
        }
    };
    let result = tokio::time::timeout(timeout, result).await.unwrap_or(Err(ReadError::TooSlow));
    if result == Err(ReadError::TooLarge) {
        // Whether it ends, breaks off or takes too long: the result is the same.
        let _ = tokio::time::timeout(DISCARD_TIMEOUT, discard(&mut body)).await;
    }
    result
}

async fn discard<B>(body: &mut B)
where
    B: Body<Data = Bytes> + Unpin,
{
    let mut swallowed = 0;
    while let Ok(Some(piece)) = next(body).await {
        swallowed += piece.len();
        if swallowed > DISCARD_LIMIT {
            return;
        }
    }
}

async fn read_all<B>(body: &mut B, limit: usize) -> Result<Bytes, ReadError>
where
    B: Body<Data = Bytes> + Unpin,
{
    // Nearly every body is one frame, which is passed on without a copy.
    let Some(first) = next(body).await? else { return Ok(Bytes::new()) };
    if first.len() > limit {
        return Err(ReadError::TooLarge);
    }
    let mut buffer: Option<BytesMut> = None;
    while let Some(piece) = next(body).await? {
        let buffer = buffer.get_or_insert_with(|| BytesMut::from(first.as_ref()));
        if piece.len() > limit.saturating_sub(buffer.len()) {
            return Err(ReadError::TooLarge);
        }
        buffer.extend_from_slice(&piece);
    }
    Ok(buffer.map_or(first, BytesMut::freeze))
}

/// The next frame with data; trailers are skipped.
async fn next<B>(body: &mut B) -> Result<Option<Bytes>, ReadError>
where
    B: Body<Data = Bytes> + Unpin,
{
    while let Some(frame) = body.frame().await {
        let Ok(frame) = frame else { return Err(ReadError::Broken) };
        if let Ok(data) = frame.into_data()
            && !data.is_empty()
        {
            return Ok(Some(data));
        }
    }
    Ok(None)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::body::{channel, chunks, empty, full};

    const SECOND: Duration = Duration::from_secs(1);

    #[tokio::test]
    async fn bodies_up_to_the_limit_are_read() {
        assert_eq!(read_body(empty(), 0, SECOND).await.unwrap(), "");
        assert_eq!(read_body(full("abc"), 3, SECOND).await.unwrap(), "abc");
        let pieces = chunks(vec!["ab".into(), "c".into()]);
        assert_eq!(read_body(pieces, 3, SECOND).await.unwrap(), "abc");
    }

    #[tokio::test]
    async fn longer_bodies_are_refused_said_or_unsaid() {
        assert_eq!(read_body(full("abcd"), 3, SECOND).await, Err(ReadError::TooLarge));
        for pieces in [vec!["abcd"], vec!["ab", "cd"]] {
            let (sender, body) = channel(8);
            for piece in pieces {
                sender.send(piece).await.unwrap();
            }
            drop(sender);
            assert_eq!(read_body(body, 3, SECOND).await, Err(ReadError::TooLarge));
        }
    }

    #[tokio::test(start_paused = true)]
    async fn what_is_refused_is_swallowed_but_not_for_ever() {
        let (sender, body) = channel(1);
        let writing = tokio::spawn(async move {
            let mut sent = 0;
            while sender.send(vec![b' '; 1 << 20]).await.is_ok() {
                sent += 1;
            }
            sent
        });
        assert_eq!(read_body(body, 3, SECOND).await, Err(ReadError::TooLarge));
        let sent = writing.await.unwrap();
        assert!((32..40).contains(&sent), "{sent} MiB were taken in");

        let (sender, body) = channel(8);
        sender.send("more than three").await.unwrap();
        assert_eq!(read_body(body, 3, SECOND).await, Err(ReadError::TooLarge));
        assert!(sender.is_closed());
    }

    #[tokio::test(start_paused = true)]
    async fn slow_and_broken_bodies_are_told_apart() {
        let (sender, body) = channel(1);
        sender.send("a").await.unwrap();
        assert_eq!(read_body(body, 3, SECOND).await, Err(ReadError::TooSlow));

        let (sender, body) = channel(1);
        sender.fail("cut").await;
        assert_eq!(read_body(body, 3, SECOND).await, Err(ReadError::Broken));
    }
}
