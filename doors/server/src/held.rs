//! A body that holds something until it has been read, or its reader has gone.

use bytes::Bytes;
use http_body::{Frame, SizeHint};
use ratchet_http::{Body, BodyError};
use std::pin::Pin;
use std::task::{Context, Poll};

/// The same body, which drops `guard` when it is dropped itself.
pub(crate) fn held<G: Send + Unpin + 'static>(body: Body, guard: G) -> Body {
    Body::new(Held { body, _guard: guard })
}

struct Held<G> {
    body: Body,
    _guard: G,
}

impl<G: Unpin> http_body::Body for Held<G> {
    type Data = Bytes;
    type Error = BodyError;

    fn poll_frame(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, BodyError>>> {
        Pin::new(&mut self.get_mut().body).poll_frame(context)
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}
