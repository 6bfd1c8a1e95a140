//! Bodies that do something when they have been read, or their reader has gone: let go of what they hold, tell their size.

use bytes::Bytes;
use http_body::{Frame, SizeHint};
use ratchet_http::metrics::Histogram;
use ratchet_http::{Body, BodyError};
use std::pin::Pin;
use std::sync::Arc;
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

/// The same body, whose length is counted in the end.
pub(crate) fn measured(body: Body, sizes: Arc<Histogram>) -> Body {
    Body::new(Measured { body, bytes: 0, sizes })
}

struct Measured {
    body: Body,
    bytes: usize,
    sizes: Arc<Histogram>,
}

impl http_body::Body for Measured {
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

impl Drop for Measured {
    fn drop(&mut self) {
        #[allow(clippy::cast_precision_loss, reason = "sizes are far below 2^52")]
        self.sizes.observe(self.bytes as f64);
    }
}
