//! gRPC over one HTTP/2 connection: a call with one answer, and a call with a stream of answers.

use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use bytes::{Buf, BufMut, Bytes, BytesMut};
use http::{HeaderMap, Request, header};
use http_body::{Body, Frame};
use http_body_util::BodyExt;
use hyper::body::Incoming;
use hyper::client::conn::http2::{self, SendRequest};
use hyper_util::rt::{TokioExecutor, TokioIo, TokioTimer};
use rustls::ClientConfig;
use rustls::pki_types::ServerName;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::TcpStream;
use tokio_rustls::TlsConnector;

use crate::endpoint::Endpoint;
use crate::protobuf::Message;

/// The bytes before a message: whether it is compressed, and its length.
const PREFIX: usize = 5;
/// The longest message that is read.
const MAX_MESSAGE: usize = 1 << 30;
/// The interval of pings while something is awaited; etcd closes connections with less than five seconds between them.
const PING: Duration = Duration::from_secs(6);
/// A member that does not answer a ping in this time is not there.
const PING_ANSWER: Duration = Duration::from_secs(4);
/// The time to connect.
const DIAL: Duration = Duration::from_secs(2);
const STREAM_WINDOW: u32 = 8 << 20;
const CONNECTION_WINDOW: u32 = 16 << 20;

/// Why a call failed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum RpcError {
    /// The call was not sent.
    #[error("{0}")]
    NotSent(String),
    /// The call was sent, and its answer did not come.
    #[error("{0}")]
    Lost(String),
    /// etcd answered with an error.
    #[error("{message}")]
    Status {
        /// gRPC's code.
        code: u32,
        /// etcd's words.
        message: String,
    },
}

impl RpcError {
    /// gRPC's code for a service that cannot answer at the moment.
    const UNAVAILABLE: u32 = 14;

    /// Whether another member may answer.
    pub(crate) fn is_unavailable(&self) -> bool {
        match self {
            Self::NotSent(_) | Self::Lost(_) => true,
            // A member without a leader says so with various codes, and in words that begin alike.
            Self::Status { code, message } => {
                *code == Self::UNAVAILABLE || message.starts_with("etcdserver: request timed out")
            }
        }
    }
}

/// The body of a call: one message; a stream stays open after it.
pub(crate) struct CallBody {
    message: Option<Bytes>,
    stays_open: bool,
}

impl CallBody {
    fn new(message: Message, stays_open: bool) -> Self {
        let message = message.into_bytes();
        let mut framed = BytesMut::with_capacity(PREFIX + message.len());
        framed.put_u8(0);
        framed.put_u32(u32::try_from(message.len()).unwrap_or(u32::MAX));
        framed.put_slice(&message);
        Self { message: Some(framed.freeze()), stays_open }
    }
}

impl Body for CallBody {
    type Data = Bytes;
    type Error = std::convert::Infallible;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        _: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Self::Error>>> {
        match self.message.take() {
            Some(message) => Poll::Ready(Some(Ok(Frame::data(message)))),
            // Nobody wakes it: the stream ends when its answer is dropped.
            None if self.stays_open => Poll::Pending,
            None => Poll::Ready(None),
        }
    }

    fn is_end_stream(&self) -> bool {
        self.message.is_none() && !self.stays_open
    }
}

/// A connection to a member.
#[derive(Clone)]
pub(crate) struct Connection {
    sender: SendRequest<CallBody>,
    endpoint: Arc<Endpoint>,
}

impl Connection {
    /// Connects to a member.
    pub(crate) async fn open(
        endpoint: &Endpoint,
        tls: Option<&Arc<ClientConfig>>,
    ) -> Result<Self, RpcError> {
        let place = endpoint.authority();
        let failed = |why: &dyn std::fmt::Display| RpcError::NotSent(format!("{place}: {why}"));
        match tokio::time::timeout(DIAL, Self::dial(endpoint, tls)).await {
            Ok(Ok(connection)) => Ok(connection),
            Ok(Err(why)) => Err(failed(&why)),
            Err(_) => Err(failed(&"no answer in time")),
        }
    }

    async fn dial(endpoint: &Endpoint, tls: Option<&Arc<ClientConfig>>) -> std::io::Result<Self> {
        let stream = TcpStream::connect((endpoint.host.as_str(), endpoint.port)).await?;
        stream.set_nodelay(true)?;
        let sender = match tls.filter(|_| endpoint.tls) {
            Some(tls) => {
                let name = ServerName::try_from(endpoint.host.clone())
                    .map_err(|why| std::io::Error::other(why.to_string()))?;
                let stream = TlsConnector::from(Arc::clone(tls)).connect(name, stream).await?;
                handshake(stream).await
            }
            None => handshake(stream).await,
        };
        let sender = sender.map_err(std::io::Error::other)?;
        Ok(Self { sender, endpoint: Arc::new(endpoint.clone()) })
    }

    pub(crate) fn is_closed(&self) -> bool {
        self.sender.is_closed()
    }

    /// Whether two handles are of one connection.
    pub(crate) fn is_same(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.endpoint, &other.endpoint)
    }

    fn lost(&self, why: &dyn std::fmt::Display) -> RpcError {
        RpcError::Lost(format!("{}: {why}", self.endpoint.authority()))
    }

    /// A call with one answer.
    pub(crate) async fn unary(
        &self,
        method: &str,
        message: Message,
        timeout: Duration,
    ) -> Result<Bytes, RpcError> {
        let call = async {
            let mut answers = self.stream_of(method, CallBody::new(message, false)).await?;
            let answer = answers.next().await?;
            let Some(answer) = answer else { return Err(self.lost(&"an empty answer")) };
            // The status comes behind the answer.
            answers.next().await?;
            Ok(answer)
        };
        match tokio::time::timeout(timeout, call).await {
            Ok(result) => result,
            Err(_) => Err(self.lost(&"no answer in time")),
        }
    }

    /// A call with a stream of answers, of which the member must have a leader.
    pub(crate) async fn stream(&self, method: &str, message: Message) -> Result<Answers, RpcError> {
        self.stream_of(method, CallBody::new(message, true)).await
    }

    async fn stream_of(&self, method: &str, body: CallBody) -> Result<Answers, RpcError> {
        let not_sent = |why: &dyn std::fmt::Display| {
            RpcError::NotSent(format!("{}: {why}", self.endpoint.authority()))
        };
        let mut request = Request::post(self.endpoint.url(method))
            .header(header::CONTENT_TYPE, "application/grpc")
            .header(header::TE, "trailers");
        if body.stays_open {
            request = request.header("hasleader", "true");
        }
        let request = request.body(body).map_err(|why| not_sent(&why))?;
        let mut sender = self.sender.clone();
        sender.ready().await.map_err(|why| not_sent(&why))?;
        let response = sender.send_request(request).await.map_err(|why| self.lost(&why))?;
        if response.status() != http::StatusCode::OK {
            return Err(self.lost(&format!("status {}", response.status())));
        }
        check_status(response.headers())?;
        let place = self.endpoint.authority();
        Ok(Answers { body: response.into_body(), buffer: BytesMut::new(), place })
    }
}

/// Begins HTTP/2; the connection runs until its senders and streams are gone.
async fn handshake(
    stream: impl AsyncRead + AsyncWrite + Unpin + Send + 'static,
) -> Result<SendRequest<CallBody>, hyper::Error> {
    let (sender, connection) = http2::Builder::new(TokioExecutor::new())
        .timer(TokioTimer::new())
        .initial_stream_window_size(STREAM_WINDOW)
        .initial_connection_window_size(CONNECTION_WINDOW)
        .keep_alive_interval(PING)
        .keep_alive_timeout(PING_ANSWER)
        .handshake(TokioIo::new(stream))
        .await?;
    tokio::spawn(connection);
    Ok(sender)
}

/// The answers of a call.
pub(crate) struct Answers {
    body: Incoming,
    buffer: BytesMut,
    place: String,
}

impl Answers {
    /// The next message; none at the end of the stream. Cancelling the wait loses nothing.
    pub(crate) async fn next(&mut self) -> Result<Option<Bytes>, RpcError> {
        loop {
            if let Some(message) = self.buffered()? {
                return Ok(Some(message));
            }
            match self.body.frame().await {
                None => return Ok(None),
                Some(Err(why)) => return Err(RpcError::Lost(format!("{}: {why}", self.place))),
                Some(Ok(frame)) => match frame.into_data() {
                    Ok(data) => self.buffer.extend_from_slice(&data),
                    Err(frame) => {
                        if let Some(trailers) = frame.trailers_ref() {
                            check_status(trailers)?;
                        }
                    }
                },
            }
        }
    }

    /// A message that has come whole.
    fn buffered(&mut self) -> Result<Option<Bytes>, RpcError> {
        let mut head = &self.buffer[..];
        if head.len() < PREFIX {
            return Ok(None);
        }
        let (compressed, length) = (head.get_u8(), head.get_u32() as usize);
        if compressed != 0 || length > MAX_MESSAGE {
            return Err(RpcError::Lost(format!("{}: a message that is not etcd's", self.place)));
        }
        if head.len() < length {
            self.buffer.reserve(length - head.len());
            return Ok(None);
        }
        self.buffer.advance(PREFIX);
        Ok(Some(self.buffer.split_to(length).freeze()))
    }
}

/// The status in the headers or trailers; none means that it comes later.
fn check_status(headers: &HeaderMap) -> Result<(), RpcError> {
    let text = |name| headers.get(name).and_then(|value| value.to_str().ok());
    match text("grpc-status").map(|code| code.parse().unwrap_or(2)) {
        None | Some(0) => Ok(()),
        Some(code) => {
            let message = percent_decoded(text("grpc-message").unwrap_or_default());
            Err(RpcError::Status { code, message })
        }
    }
}

/// Text with `%20` as gRPC writes what is not plain ASCII.
fn percent_decoded(text: &str) -> String {
    let mut decoded = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let [first, others @ ..] = rest {
        rest = others;
        let byte = match (first, others) {
            (b'%', [high, low, after @ ..]) => {
                let digit = |byte: &u8| char::from(*byte).to_digit(16);
                match digit(high).zip(digit(low)) {
                    Some((high, low)) => {
                        rest = after;
                        (high << 4 | low) as u8
                    }
                    None => *first,
                }
            }
            _ => *first,
        };
        decoded.push(byte);
    }
    String::from_utf8_lossy(&decoded).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_of_a_status_are_decoded() {
        for (text, decoded) in [("a b", "a b"), ("%c3%A9%", "é%"), ("100%zz", "100%zz"), ("", "")]
        {
            assert_eq!(percent_decoded(text), decoded);
        }
        let mut headers = HeaderMap::new();
        assert_eq!(check_status(&headers), Ok(()));
        headers.insert("grpc-status", "14".parse().unwrap());
        assert!(check_status(&headers).unwrap_err().is_unavailable());
        headers.insert("grpc-status", "11".parse().unwrap());
        assert!(!check_status(&headers).unwrap_err().is_unavailable());
        headers.insert("grpc-status", "0".parse().unwrap());
        assert_eq!(check_status(&headers), Ok(()));
    }
}
