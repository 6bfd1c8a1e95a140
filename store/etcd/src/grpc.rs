//! gRPC over one HTTP/2 connection: a call with one answer, and a call with a stream of answers.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use bytes::{Buf, BufMut, Bytes, BytesMut};
use h2::client::SendRequest;
use h2::{Ping, PingPong, RecvStream, SendStream};
use http::{HeaderMap, HeaderValue, Method, Request, header};
use rustls::ClientConfig;
use rustls::pki_types::ServerName;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::TcpStream;
use tokio::task::AbortHandle;
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
/// The calls at once before a member has told how many it takes; more might be refused.
const FIRST_STREAMS: usize = 100;

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

    /// gRPC's code for what is more than there is room for.
    const RESOURCE_EXHAUSTED: u32 = 8;

    /// Whether the request is larger than etcd takes, or the message larger than it reads.
    pub(crate) fn is_too_large(&self) -> bool {
        let Self::Status { code, message } = self else { return false };
        message.ends_with("request is too large")
            || (*code == Self::RESOURCE_EXHAUSTED && message.contains("larger than max"))
    }

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

/// A message as it is sent: behind its length.
fn framed(message: Message) -> Bytes {
    let message = message.into_bytes();
    let mut framed = BytesMut::with_capacity(PREFIX + message.len());
    framed.put_u8(0);
    framed.put_u32(u32::try_from(message.len()).unwrap_or(u32::MAX));
    framed.put_slice(&message);
    framed.freeze()
}

/// The calls that a connection has not answered yet; pings that belong to none would offend etcd.
#[derive(Clone, Debug, Default)]
struct OpenCalls(Arc<AtomicUsize>);

impl OpenCalls {
    fn are_any(&self) -> bool {
        self.0.load(Ordering::Relaxed) > 0
    }

    fn open(&self) -> OpenCall {
        self.0.fetch_add(1, Ordering::Relaxed);
        OpenCall(self.clone())
    }
}

/// Counts as a call until it is dropped.
struct OpenCall(OpenCalls);

impl Drop for OpenCall {
    fn drop(&mut self) {
        self.0.0.fetch_sub(1, Ordering::Relaxed);
    }
}

/// Whether more messages of the caller may follow the first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Sends {
    One,
    Stream,
}

/// A connection to a member.
#[derive(Clone)]
pub(crate) struct Connection {
    sender: SendRequest<Bytes>,
    endpoint: Arc<Endpoint>,
    task: AbortHandle,
    calls: OpenCalls,
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
        let calls = OpenCalls::default();
        let (sender, task) = match tls.filter(|_| endpoint.tls) {
            Some(tls) => {
                let name = ServerName::try_from(endpoint.host.clone())
                    .map_err(|why| std::io::Error::other(why.to_string()))?;
                let stream = TlsConnector::from(Arc::clone(tls)).connect(name, stream).await?;
                handshake(stream, &calls).await
            }
            None => handshake(stream, &calls).await,
        }
        .map_err(std::io::Error::other)?;
        Ok(Self { sender, endpoint: Arc::new(endpoint.clone()), task, calls })
    }

    pub(crate) fn is_closed(&self) -> bool {
        self.task.is_finished()
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
        method: &'static str,
        message: Message,
        timeout: Duration,
    ) -> Result<Bytes, RpcError> {
        let call = async {
            let mut answers = self.stream_of(method, message, Sends::One).await?;
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
    pub(crate) async fn stream(
        &self,
        method: &'static str,
        message: Message,
    ) -> Result<Answers, RpcError> {
        self.stream_of(method, message, Sends::Stream).await
    }

    async fn stream_of(
        &self,
        method: &'static str,
        message: Message,
        sends: Sends,
    ) -> Result<Answers, RpcError> {
        let not_sent = |why: &dyn std::fmt::Display| {
            RpcError::NotSent(format!("{}: {why}", self.endpoint.authority()))
        };
        let mut request = Request::new(());
        *request.method_mut() = Method::POST;
        *request.uri_mut() = self.endpoint.url(method).map_err(|why| not_sent(&why))?;
        let headers = request.headers_mut();
        headers.insert(header::CONTENT_TYPE, HeaderValue::from_static("application/grpc"));
        headers.insert(header::TE, HeaderValue::from_static("trailers"));
        if sends == Sends::Stream {
            headers.insert("hasleader", HeaderValue::from_static("true"));
        }
        let call = self.calls.open();
        let sender = self.sender.clone().ready().await;
        let mut sender = sender.map_err(|why| not_sent(&why))?;
        let (response, mut stream) =
            sender.send_request(request, false).map_err(|why| not_sent(&why))?;
        let sent = stream.send_data(framed(message), sends == Sends::One);
        sent.map_err(|why| self.lost(&why))?;
        let response = response.await.map_err(|why| self.lost(&why))?;
        if response.status() != http::StatusCode::OK {
            return Err(self.lost(&format!("status {}", response.status())));
        }
        check_status(response.headers())?;
        Ok(Answers {
            body: response.into_body(),
            buffer: BytesMut::new(),
            endpoint: Arc::clone(&self.endpoint),
            _stream: stream,
            _call: call,
        })
    }
}

/// Begins HTTP/2; the connection runs until its senders and streams are gone. A client of HTTP on top of it would hand
/// every call from task to task.
async fn handshake(
    stream: impl AsyncRead + AsyncWrite + Unpin + Send + 'static,
    calls: &OpenCalls,
) -> Result<(SendRequest<Bytes>, AbortHandle), h2::Error> {
    let (sender, mut connection) = h2::client::Builder::new()
        .initial_window_size(STREAM_WINDOW)
        .initial_connection_window_size(CONNECTION_WINDOW)
        .initial_max_send_streams(FIRST_STREAMS)
        .enable_push(false)
        .handshake(stream)
        .await?;
    let pings = connection.ping_pong();
    let calls = calls.clone();
    let task = tokio::spawn(async move {
        tokio::select! {
            biased;
            ended = connection => {
                if let Err(error) = ended {
                    tracing::debug!(%error, "a connection to etcd broke");
                }
            }
            // The calls fail with the connection.
            () = unanswered(pings, &calls) => tracing::debug!("a member of etcd does not answer pings"),
        }
    });
    Ok((sender, task.abort_handle()))
}

/// Completes when a ping is not answered; sends them only while a call is open.
async fn unanswered(pings: Option<PingPong>, calls: &OpenCalls) {
    let Some(mut pings) = pings else { return std::future::pending().await };
    loop {
        tokio::time::sleep(PING).await;
        if calls.are_any() {
            let pong = tokio::time::timeout(PING_ANSWER, pings.ping(Ping::opaque())).await;
            if !matches!(pong, Ok(Ok(_))) {
                return;
            }
        }
    }
}

/// The answers of a call.
pub(crate) struct Answers {
    body: RecvStream,
    buffer: BytesMut,
    endpoint: Arc<Endpoint>,
    /// The direction of the caller, which stays open as long as the answers are read.
    _stream: SendStream<Bytes>,
    _call: OpenCall,
}

impl Answers {
    /// The next message; none at the end of the stream. Cancelling the wait loses nothing.
    pub(crate) async fn next(&mut self) -> Result<Option<Bytes>, RpcError> {
        loop {
            if let Some(message) = self.buffered()? {
                return Ok(Some(message));
            }
            match self.body.data().await.transpose().map_err(|why| self.lost(&why))? {
                Some(data) => {
                    let released = self.body.flow_control().release_capacity(data.len());
                    released.map_err(|why| self.lost(&why))?;
                    self.buffer.extend_from_slice(&data);
                }
                None => {
                    let trailers = self.body.trailers().await.map_err(|why| self.lost(&why))?;
                    return trailers
                        .map_or(Ok(None), |trailers| check_status(&trailers).map(|()| None));
                }
            }
        }
    }

    fn lost(&self, why: &dyn std::fmt::Display) -> RpcError {
        RpcError::Lost(format!("{}: {why}", self.endpoint.authority()))
    }

    /// A message that has come whole.
    fn buffered(&mut self) -> Result<Option<Bytes>, RpcError> {
        let mut head = &self.buffer[..];
        if head.len() < PREFIX {
            return Ok(None);
        }
        let (compressed, length) = (head.get_u8(), head.get_u32() as usize);
        if compressed != 0 || length > MAX_MESSAGE {
            return Err(self.lost(&"a message that is not etcd's"));
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
