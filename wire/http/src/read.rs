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

/// How much of a body that is refused is taken in and dropped, and for how long: a client that still writes when its
/// connection is closed never sees why.
const SWALLOWED: usize = 32 << 20;
const SWALLOWED_WITHIN: Duration = Duration::from_secs(2);

/// Reads a whole body of at most `limit` bytes within `timeout`.
///
/// What is longer is never held, even where the body says so at once.
pub async fn read_body<B>(mut body: B, limit: usize, timeout: Duration) -> Result<Bytes, ReadError>
where
    B: Body<Data = Bytes> + Unpin,
{
    let read = async {
        match body.size_hint().lower() > limit as u64 {
            true => Err(ReadError::TooLarge),
            false => read_all(&mut body, limit).await,
        }
    };
    let read = tokio::time::timeout(timeout, read).await.unwrap_or(Err(ReadError::TooSlow));
    if read == Err(ReadError::TooLarge) {
        // Whether it ends, breaks off or takes too long: the answer is the same.
        let _ = tokio::time::timeout(SWALLOWED_WITHIN, swallow(&mut body)).await;
    }
    read
}

async fn swallow<B>(body: &mut B)
where
    B: Body<Data = Bytes> + Unpin,
{
    let mut swallowed = 0;
    while let Ok(Some(piece)) = next(body).await {
        swallowed += piece.len();
        if swallowed > SWALLOWED {
            return;
        }
    }
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
