//! WebSockets with channels or a tunnel.

use std::collections::BTreeMap;

use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use bytes::{Buf, Bytes};
use futures_util::stream::{SplitSink, SplitStream};
use futures_util::{SinkExt, StreamExt};
use http::header::{
    CONNECTION, SEC_WEBSOCKET_ACCEPT, SEC_WEBSOCKET_KEY, SEC_WEBSOCKET_PROTOCOL,
    SEC_WEBSOCKET_VERSION, UPGRADE,
};
use http::{HeaderValue, Request, Response, StatusCode};
use hyper::body::Incoming;
use hyper::upgrade::{OnUpgrade, Upgraded};
use hyper_util::rt::TokioIo;
use tokio::io::{AsyncWriteExt, DuplexStream};
use tokio::sync::{mpsc, oneshot};
use tokio_tungstenite::WebSocketStream;
use tokio_tungstenite::tungstenite::Message;
use tokio_tungstenite::tungstenite::handshake::derive_accept_key;
use tokio_tungstenite::tungstenite::protocol::Role;
use tokio_tungstenite::tungstenite::protocol::frame::CloseFrame;
use tokio_tungstenite::tungstenite::protocol::frame::coding::CloseCode;

use crate::respond::{self, Body};
use crate::state::State;
use crate::streams::{Inlet, Outlet, piece};

/// Number of buffered messages before the sender waits.
const WAITING: usize = 4;
/// Buffer size of a tunnel.
const TUNNEL: usize = 64 * 1024;

pub(crate) type Socket = WebSocketStream<TokioIo<Upgraded>>;

/// Whether a request asks for a WebSocket.
pub(crate) fn is_upgrade(request: &Request<Incoming>) -> bool {
    let upgrade = request.headers().get(UPGRADE).and_then(|value| value.to_str().ok());
    upgrade.is_some_and(|name| name.eq_ignore_ascii_case("websocket"))
}

/// The protocols that a client offers, in its order.
pub(crate) fn offered(request: &Request<Incoming>) -> Vec<String> {
    let values = request.headers().get_all(SEC_WEBSOCKET_PROTOCOL).iter();
    let names = values.filter_map(|value| value.to_str().ok()).flat_map(|value| value.split(','));
    names.map(|name| name.trim().to_string()).filter(|name| !name.is_empty()).collect()
}

/// The first row whose protocol a client offers; the one without a name if it offers none.
pub(crate) fn select_protocol<'a, T>(
    offered: &[String],
    rows: &'a [(&'static str, T)],
) -> Option<&'a (&'static str, T)> {
    let row = |name: &str| rows.iter().find(|(known, _)| *known == name);
    if offered.is_empty() { row("") } else { offered.iter().find_map(|name| row(name)) }
}

/// A kubelet's response to a client that offers no supported protocol.
pub(crate) fn no_common_protocol() -> Response<Body> {
    let mut response = respond::empty(StatusCode::FORBIDDEN);
    response.headers_mut().insert(CONNECTION, HeaderValue::from_static("close"));
    response
}

/// Accepts a WebSocket: the response and the upgraded connection.
pub(crate) fn accept(
    request: &mut Request<Incoming>,
    protocol: &str,
) -> Result<(Response<Body>, OnUpgrade), Box<Response<Body>>> {
    let headers = request.headers();
    let version = headers.get(SEC_WEBSOCKET_VERSION).map(HeaderValue::as_bytes);
    let Some((key, b"13")) = headers.get(SEC_WEBSOCKET_KEY).zip(version) else {
        return Err(respond::empty(StatusCode::BAD_REQUEST).into());
    };
    let accepted = derive_accept_key(key.as_bytes());
    let mut response = respond::empty(StatusCode::SWITCHING_PROTOCOLS);
    let headers = response.headers_mut();
    headers.insert(UPGRADE, HeaderValue::from_static("websocket"));
    headers.insert(CONNECTION, HeaderValue::from_static("Upgrade"));
    for (name, value) in [(SEC_WEBSOCKET_ACCEPT, &*accepted), (SEC_WEBSOCKET_PROTOCOL, protocol)] {
        if let (false, Ok(value)) = (value.is_empty(), HeaderValue::from_str(value)) {
            headers.insert(name, value);
        }
    }
    Ok((response, hyper::upgrade::on(request)))
}

/// The socket, once the client has received the response.
pub(crate) async fn socket(upgrade: OnUpgrade) -> Option<Socket> {
    let upgraded = TokioIo::new(upgrade.await.ok()?);
    Some(WebSocketStream::from_raw_socket(upgraded, Role::Server, None).await)
}

/// The encoding of channels.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Codec {
    /// As text, in base64.
    pub(crate) base64: bool,
    /// Whether a client can end a channel.
    pub(crate) half_close: bool,
}

/// A socket divided into channels.
pub(crate) struct Channels {
    inlets: BTreeMap<u8, Inlet>,
    sender: mpsc::Sender<Message>,
    codec: Codec,
    written: oneshot::Receiver<()>,
    disconnected: oneshot::Receiver<()>,
}

impl Channels {
    /// Divides a socket; `readable` are the channels that clients may write to.
    pub(crate) fn open(state: &State, socket: Socket, readable: &[u8], codec: Codec) -> Self {
        let (sink, source) = socket.split();
        let (sender, messages) = mpsc::channel(WAITING);
        let (done, written) = oneshot::channel();
        let (left, disconnected) = oneshot::channel();
        let pairs = readable.iter().map(|number| (*number, mpsc::channel(WAITING)));
        let (mut entries, mut inlets) = (BTreeMap::new(), BTreeMap::new());
        for (number, (entry, inlet)) in pairs {
            entries.insert(number, entry);
            inlets.insert(number, Inlet::Channel(inlet));
        }
        state.spawn(write(messages, sink, done));
        state.spawn(read(source, entries, codec, left));
        Self { inlets, sender, codec, written, disconnected }
    }

    pub(crate) fn inlet(&mut self, number: u8) -> Option<Inlet> {
        self.inlets.remove(&number)
    }

    pub(crate) fn outlet(&self, number: u8) -> Outlet {
        let Codec { base64, .. } = self.codec;
        Outlet::Channel { number, base64, sender: self.sender.clone() }
    }

    /// Resolves when the client has disconnected.
    pub(crate) async fn disconnected(&mut self) {
        let _ = (&mut self.disconnected).await; // it is never sent, only dropped
    }

    /// Closes the socket after all pending messages.
    pub(crate) async fn close(self) {
        let leave = CloseFrame { code: CloseCode::Normal, reason: "".into() };
        if self.sender.send(Message::Close(Some(leave))).await.is_ok() {
            let _ = self.written.await; // it is never sent, only dropped
        }
    }
}

/// Sends messages up to a close frame; `done` is dropped with the future.
async fn write(
    mut messages: mpsc::Receiver<Message>,
    mut sink: SplitSink<Socket, Message>,
    done: oneshot::Sender<()>,
) {
    while let Some(message) = messages.recv().await {
        let last = message.is_close();
        if sink.feed(message).await.is_err() {
            break;
        }
        if (messages.is_empty() || last) && sink.flush().await.is_err() {
            break;
        }
        if last {
            break;
        }
    }
    drop(done);
}

/// Dispatches messages to their channels; `left` is dropped with the future.
async fn read(
    mut source: SplitStream<Socket>,
    mut entries: BTreeMap<u8, mpsc::Sender<Bytes>>,
    codec: Codec,
    left: oneshot::Sender<()>,
) {
    const END: u8 = 255;
    while let Some(Ok(message)) = source.next().await {
        let Some((channel, bytes)) = decode_frame(message, codec) else { continue };
        if codec.half_close && channel == END {
            entries.retain(|number, _| Some(number) != bytes.first());
        } else if let Some(entry) = entries.get(&channel)
            && entry.send(bytes).await.is_err()
        {
            entries.remove(&channel); // nobody reads it any more
        }
    }
    drop(left);
}

fn decode_frame(message: Message, codec: Codec) -> Option<(u8, Bytes)> {
    if !(message.is_binary() || message.is_text()) {
        return None;
    }
    let mut bytes = message.into_data();
    if bytes.is_empty() {
        return None;
    }
    let channel = bytes.get_u8();
    if !codec.base64 {
        return Some((channel, bytes));
    }
    let plain = BASE64_STANDARD.decode(&bytes).ok()?;
    Some((channel.wrapping_sub(b'0'), plain.into()))
}

/// A stream of bytes through binary messages.
pub(crate) fn tunnel(state: &State, socket: Socket) -> DuplexStream {
    let (near, far) = tokio::io::duplex(TUNNEL);
    let (mut reader, mut writer) = tokio::io::split(far);
    let (mut sink, mut source) = socket.split();
    state.spawn(async move {
        while let Some(bytes) = piece(&mut reader).await {
            if sink.send(Message::Binary(bytes)).await.is_err() {
                return;
            }
        }
        let leave = CloseFrame { code: CloseCode::Normal, reason: "".into() };
        let _ = sink.send(Message::Close(Some(leave))).await; // the client may have left
    });
    state.spawn(async move {
        while let Some(Ok(message)) = source.next().await {
            if message.is_binary() && writer.write_all(&message.into_data()).await.is_err() {
                return;
            }
        }
        let _ = writer.shutdown().await; // the reader may be gone
    });
    near
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_clients_order_decides() {
        let rows = [("", 0), ("a", 1), ("b", 2)];
        let offer = |names: &[&str]| names.iter().map(ToString::to_string).collect::<Vec<_>>();
        assert_eq!(select_protocol(&offer(&["x", "b", "a"]), &rows), Some(&("b", 2)));
        assert_eq!(select_protocol(&offer(&[]), &rows), Some(&("", 0)));
        assert_eq!(select_protocol(&offer(&["x"]), &rows), None);
    }

    #[test]
    fn channels_are_read_from_both_codecs() {
        let plain = Codec { base64: false, half_close: false };
        let encoded = Codec { base64: true, ..plain };
        let hi = Some((0, Bytes::from_static(b"hi")));
        assert_eq!(decode_frame(Message::binary(&b"\0hi"[..]), plain), hi);
        assert_eq!(decode_frame(Message::text("0aGk="), encoded), hi);
        assert_eq!(decode_frame(Message::text("0*"), encoded), None);
        assert_eq!(decode_frame(Message::Ping(Bytes::new()), plain), None);
        assert_eq!(decode_frame(Message::binary(Bytes::new()), plain), None);
    }
}
