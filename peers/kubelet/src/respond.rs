//! Answers: words, JSON, and bodies that flow.

use std::io;
use std::pin::Pin;
use std::task::{Context, Poll};

use bytes::Bytes;
use http::header::{CONTENT_TYPE, HeaderName, HeaderValue};
use http::{Response, StatusCode};
use http_body::{Frame, SizeHint};
use serde_json::Value;
use tokio::sync::mpsc;

/// How many chunks wait for a slow reader before the writer waits too.
const WAITING: usize = 4;
/// How much of a flood is handed over at once.
const WAVE: usize = 256 * 1024;

/// An answer that a test wants instead of what the kubelet would say.
#[derive(Clone, Debug)]
pub struct Answer {
    /// The status.
    pub status: u16,
    /// Headers, such as `location`.
    pub headers: Vec<(String, String)>,
    /// The body.
    pub body: String,
}

/// The body of a response.
pub(crate) enum Body {
    /// Known before it is sent.
    Whole(Option<Bytes>),
    /// Comes piece by piece from elsewhere.
    Flow(mpsc::Receiver<Bytes>),
    /// The same piece again and again, never copied.
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

/// A response that consists of its head.
pub(crate) fn empty(status: StatusCode) -> Response<Body> {
    let mut response = Response::new(Body::Whole(None));
    *response.status_mut() = status;
    response
}

/// Words.
pub(crate) fn text(status: StatusCode, words: impl Into<String>) -> Response<Body> {
    with_type(status, "text/plain; charset=utf-8", words.into())
}

/// JSON.
pub(crate) fn json(value: &Value) -> Response<Body> {
    with_type(StatusCode::OK, "application/json", value.to_string())
}

/// A body that flows.
pub(crate) fn streamed(body: Body) -> Response<Body> {
    let mut response = Response::new(body);
    let kind = HeaderValue::from_static("text/plain; charset=utf-8");
    response.headers_mut().insert(CONTENT_TYPE, kind);
    response
}

/// What a test wants to be said.
pub(crate) fn wanted(answer: &Answer) -> Response<Body> {
    let status = StatusCode::from_u16(answer.status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
    let mut response = text(status, answer.body.as_str());
    for (name, value) in &answer.headers {
        if let (Ok(name), Ok(value)) = (name.parse::<HeaderName>(), value.parse()) {
            response.headers_mut().insert(name, value);
        }
    }
    response
}

fn with_type(status: StatusCode, kind: &'static str, words: String) -> Response<Body> {
    let mut response = empty(status);
    *response.body_mut() = Body::Whole(Some(Bytes::from(words)));
    response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static(kind));
    response
}
