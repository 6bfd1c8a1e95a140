//! Response body that keeps its stream slot on the connection until it is read.

use std::pin::Pin;
use std::task::{Context, Poll, ready};

use bytes::Bytes;
use http_body::{Body, Frame, SizeHint};
use hyper::body::Incoming;

use crate::KubeletError;
use crate::http_connection::Lease;

/// The body of a kubelet's response, streamed: a slow reader slows the kubelet down.
#[derive(Debug)]
pub struct PooledBody {
    inner: Incoming,
    lease: Option<Lease>,
}

impl PooledBody {
    pub(crate) fn new(inner: Incoming, lease: Option<Lease>) -> Self {
        Self { inner, lease }
    }
}

impl Body for PooledBody {
    type Data = Bytes;
    type Error = KubeletError;

    fn poll_frame(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, KubeletError>>> {
        let this = self.get_mut();
        let frame = ready!(Pin::new(&mut this.inner).poll_frame(cx));
        if !matches!(frame, Some(Ok(_))) {
            this.lease = None;
        }
        Poll::Ready(frame.map(|frame| frame.map_err(|error| KubeletError::body(&error))))
    }

    fn is_end_stream(&self) -> bool {
        self.inner.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.inner.size_hint()
    }
}
