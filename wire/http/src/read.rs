//! Reading the body of a request: never more than the limit, never longer than the patience.

use std::time::Duration;

use bytes::{Bytes, BytesMut};
use http_body::Body;
use http_body_util::BodyExt;

/// Why a body could not be read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum ReadError {
    /// It is longer than the limit.
    #[error("the body is too large")]
    TooLarge,
    /// It did not arrive in time.
    #[error("the body came too slowly")]
    TooSlow,
    /// The client broke off.
    #[error("the body broke off")]
    Broken,
}

/// How much of a body that is too long is still taken from its sender, and how long that may take: most clients write
/// everything before they read, and one that is cut off while it writes never sees why.
const SWALLOWED: usize = 16 << 20;
const SWALLOWING: Duration = Duration::from_secs(5);

/// Reads a whole body of at most `limit` bytes within `timeout`.
///
/// A body that is too long is not kept; its sender is heard out, within limits, so that the answer arrives.
pub async fn read_body<B>(mut body: B, limit: usize, timeout: Duration) -> Result<Bytes, ReadError>
where
    B: Body<Data = Bytes> + Unpin,
{
    let read = if body.size_hint().lower() > limit as u64 {
        Err(ReadError::TooLarge)
    } else {
        let all = tokio::time::timeout(timeout, read_all(&mut body, limit));
        all.await.unwrap_or(Err(ReadError::TooSlow))
    };
    if read == Err(ReadError::TooLarge) {
        // Whether the sender comes to an end or not, the answer is the same.
        let _ = tokio::time::timeout(SWALLOWING, swallow(&mut body)).await;
    }
    read
}

/// Takes what is left of a body, and lets it go.
async fn swallow<B>(body: &mut B) -> Result<(), ReadError>
where
    B: Body<Data = Bytes> + Unpin,
{
    let mut taken = 0;
    while taken < SWALLOWED
        && let Some(piece) = next(body).await?
    {
        taken += piece.len();
    }
    Ok(())
}

async fn read_all<B>(body: &mut B, limit: usize) -> Result<Bytes, ReadError>
where
    B: Body<Data = Bytes> + Unpin,
{
    // Nearly every body is one frame, which is then handed on without a copy.
    let Some(first) = next(body).await? else { return Ok(Bytes::new()) };
    if first.len() > limit {
        return Err(ReadError::TooLarge);
    }
    let mut whole: Option<BytesMut> = None;
    while let Some(piece) = next(body).await? {
        let whole = whole.get_or_insert_with(|| BytesMut::from(first.as_ref()));
        if piece.len() > limit.saturating_sub(whole.len()) {
            return Err(ReadError::TooLarge);
        }
        whole.extend_from_slice(&piece);
    }
    Ok(whole.map_or(first, BytesMut::freeze))
}

/// The next piece that holds bytes; trailers are passed over.
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
    async fn slow_and_broken_bodies_are_told_apart() {
        let (sender, body) = channel(1);
        sender.send("a").await.unwrap();
        assert_eq!(read_body(body, 3, SECOND).await, Err(ReadError::TooSlow));

        let (sender, body) = channel(1);
        sender.fail("cut").await;
        assert_eq!(read_body(body, 3, SECOND).await, Err(ReadError::Broken));
    }
}
