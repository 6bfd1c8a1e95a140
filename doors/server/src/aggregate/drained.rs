//! A response body that ends when the server is drained, so that a watch of an extension server does not hold it.

use bytes::Bytes;
use http_body::{Frame, SizeHint};
use ratchet_http::{Body, BodyError, Drain};
use std::pin::Pin;
use std::task::{Context, Poll};

/// Wraps a body that may last.
pub(super) fn until_drained(body: Body, drain: Drain) -> Body {
    Body::new(DrainedBody { body, drained: Box::pin(async move { drain.wait().await }) })
}

struct DrainedBody {
    body: Body,
    drained: Pin<Box<dyn Future<Output = ()> + Send>>,
}

impl http_body::Body for DrainedBody {
    type Data = Bytes;
    type Error = BodyError;

    fn poll_frame(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, BodyError>>> {
        let this = self.get_mut();
        match Pin::new(&mut this.body).poll_frame(context) {
            Poll::Pending => this.drained.as_mut().poll(context).map(|()| None),
            ready => ready,
        }
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        // It may end before the length that the extension server stated.
        SizeHint::default()
    }
}
