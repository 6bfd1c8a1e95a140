//! Response constructors: plain text, JSON and streamed bodies.

use std::io;
use std::pin::Pin;
use std::task::{Context, Poll};

use bytes::Bytes;
use http::header::{CONTENT_TYPE, HeaderName, HeaderValue};
use http::{Response, StatusCode};
use http_body::{Frame, SizeHint};
use serde_json::Value;
use tokio::sync::mpsc;

/// Number of chunks buffered for a slow reader before the writer waits.
const WAITING: usize = 4;
/// Chunk size of a flood.
const WAVE: usize = 256 * 1024;

/// A canned answer that a test sets in place of the kubelet's own.
#[derive(Clone, Debug)]
pub struct Answer {
    /// The HTTP status code.
    pub status: u16,
    /// Headers, such as `location`.
    pub headers: Vec<(String, String)>,
    /// The body, sent as it is.
    pub body: String,
}

/// The body of a response.
pub(crate) enum Body {
    /// A complete body.
    Whole(Option<Bytes>),
    /// A streamed body, fed through a channel.
    Flow(mpsc::Receiver<Bytes>),
    /// One chunk repeated, never copied.
    Flood { wave: Bytes, left: u64 },
}

impl Body {
    pub(crate) fn flow() -> (mpsc::Sender<Bytes>, Self) {
        let (sender, receiver) = mpsc::channel(WAITING);
        (sender, Self::Flow(receiver))
    }

    pub(crate) fn flood(total: u64) -> Self {
        let line = b"0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ.\n";
        Self::Flood { wave: Bytes::from(line.repeat(WAVE / line.len())), left: total }
    }
}

impl http_body::Body for Body {
    type Data = Bytes;
    type Error = io::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, io::Error>>> {
        let next = match &mut *self {
            Self::Whole(bytes) => bytes.take(),
            Self::Flow(receiver) => match receiver.poll_recv(context) {
                Poll::Ready(next) => next,
                Poll::Pending => return Poll::Pending,
            },
            Self::Flood { left: 0, .. } => None,
            Self::Flood { wave, left } => {
                let length = wave.len().min(usize::try_from(*left).unwrap_or(usize::MAX));
                *left -= length as u64;
                Some(wave.slice(..length))
            }
        };
        Poll::Ready(next.map(|bytes| Ok(Frame::data(bytes))))
    }

    fn is_end_stream(&self) -> bool {
        matches!(self, Self::Whole(None) | Self::Flood { left: 0, .. })
    }

    fn size_hint(&self) -> SizeHint {
        match self {
            Self::Whole(bytes) => SizeHint::with_exact(bytes.as_ref().map_or(0, Bytes::len) as u64),
            // kubelets send logs in chunks, whatever their length
            Self::Flow(_) | Self::Flood { .. } => SizeHint::default(),
        }
    }
}

/// A response without a body.
pub(crate) fn empty(status: StatusCode) -> Response<Body> {
    let mut response = Response::new(Body::Whole(None));
    *response.status_mut() = status;
    response
}

/// A plain text response.
pub(crate) fn text(status: StatusCode, text: impl Into<String>) -> Response<Body> {
    with_type(status, "text/plain; charset=utf-8", text.into())
}

/// A JSON response.
pub(crate) fn json(value: &Value) -> Response<Body> {
    with_type(StatusCode::OK, "application/json", value.to_string())
}

/// A plain text response with a streamed body.
pub(crate) fn stream(body: Body) -> Response<Body> {
    let mut response = Response::new(body);
    let kind = HeaderValue::from_static("text/plain; charset=utf-8");
    response.headers_mut().insert(CONTENT_TYPE, kind);
    response
}

/// The canned answer of a test.
pub(crate) fn canned(answer: &Answer) -> Response<Body> {
    let status = StatusCode::from_u16(answer.status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
    let mut response = text(status, answer.body.as_str());
    for (name, value) in &answer.headers {
        if let (Ok(name), Ok(value)) = (name.parse::<HeaderName>(), value.parse()) {
            response.headers_mut().insert(name, value);
        }
    }
    response
}

fn with_type(status: StatusCode, kind: &'static str, text: String) -> Response<Body> {
    let mut response = empty(status);
    *response.body_mut() = Body::Whole(Some(Bytes::from(text)));
    response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static(kind));
    response
}
