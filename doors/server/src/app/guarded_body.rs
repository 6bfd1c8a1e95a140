//! Response bodies that act when they are dropped: release a guard, or record their size.

use bytes::Bytes;
use http_body::{Frame, SizeHint};
use ratchet_http::metrics::Histogram;
use ratchet_http::{Body, BodyError};
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

/// Wraps a body so that `guard` is dropped with it.
pub(crate) fn with_guard<G: Send + Unpin + 'static>(body: Body, guard: G) -> Body {
    Body::new(GuardedBody { body, _guard: guard })
}

struct GuardedBody<G> {
    body: Body,
    _guard: G,
}

impl<G: Unpin> http_body::Body for GuardedBody<G> {
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

/// Wraps a body whose length is recorded in `sizes` when it is dropped.
pub(crate) fn with_size_metric(body: Body, sizes: Arc<Histogram>) -> Body {
    Body::new(MeasuredBody { body, bytes: 0, sizes })
}

struct MeasuredBody {
    body: Body,
    bytes: usize,
    sizes: Arc<Histogram>,
}

impl http_body::Body for MeasuredBody {
    type Data = Bytes;
    type Error = BodyError;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, BodyError>>> {
        let polled = Pin::new(&mut self.body).poll_frame(context);
        if let Poll::Ready(Some(Ok(frame))) = &polled {
            self.bytes += frame.data_ref().map_or(0, Bytes::len);
        }
        polled
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}

impl Drop for MeasuredBody {
    fn drop(&mut self) {
        #[allow(clippy::cast_precision_loss, reason = "sizes are far below 2^52")]
        self.sizes.observe(self.bytes as f64);
    }
}
