//! Negotiation of WebSocket and SPDY subprotocols with client and kubelet.

use aws_lc_rs::digest::{SHA1_FOR_LEGACY_USE_ONLY, digest};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use http::header::{
    CONNECTION, HeaderMap, HeaderName, HeaderValue, SEC_WEBSOCKET_ACCEPT, SEC_WEBSOCKET_KEY,
    SEC_WEBSOCKET_PROTOCOL, SEC_WEBSOCKET_VERSION, UPGRADE,
};
use http::{Method, StatusCode};
use ratchet_object::{Limits, decode_json};

/// The header with the supported SPDY subprotocols, best first, or the chosen one.
pub(crate) const STREAM_PROTOCOL: HeaderName = HeaderName::from_static("x-stream-protocol-version");

const SPDY: &str = "SPDY/3.1";
/// The prefix of a subprotocol that is SPDY tunneled in WebSocket messages.
const TUNNEL_PREFIX: &str = "SPDY/3.1+";
const TUNNEL_SUFFIX: &str = ".k8s.io";
/// The GUID that RFC 6455 appends to the client's key.
const ACCEPT_SUFFIX: &str = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11";
/// The WebSocket version.
const VERSION: &str = "13";

/// How an upgrade request is forwarded to its kubelet.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum StreamRoute {
    /// Unchanged, byte for byte.
    PassThrough,
    /// WebSocket channels translated to SPDY streams.
    Translate,
    /// SPDY bytes tunneled in WebSocket messages.
    Tunnel,
}

/// A remote-command subprotocol over SPDY.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum Protocol {
    V1,
    V2,
    V3,
    V4,
    V5,
}

/// The subprotocols by name, best first.
const PROTOCOLS: [(&str, Protocol); 5] = [
    ("v5.channel.k8s.io", Protocol::V5),
    ("v4.channel.k8s.io", Protocol::V4),
    ("v3.channel.k8s.io", Protocol::V3),
    ("v2.channel.k8s.io", Protocol::V2),
    ("channel.k8s.io", Protocol::V1),
];

const CHANNELS: &str = "v5.channel.k8s.io";

impl Protocol {
    /// The kubelet's choice. Without a header it is the oldest; `None` is a subprotocol that was not offered.
    pub(crate) fn chosen(response_headers: &HeaderMap) -> Option<Self> {
        match first(response_headers, &STREAM_PROTOCOL) {
            "" => Some(Self::V1),
            name => PROTOCOLS.iter().find(|row| row.0 == name).map(|row| row.1),
        }
    }

    /// Whether success is reported explicitly, so that an empty error stream is a failure.
    pub(crate) fn reports_success(self) -> bool {
        matches!(self, Self::V4 | Self::V5)
    }

    /// Whether it has a resize stream.
    pub(crate) fn resizes(self) -> bool {
        !matches!(self, Self::V1 | Self::V2)
    }
}

/// A failed handshake, with the plain-text response of the reference's libraries.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) struct HandshakeError {
    pub(crate) code: StatusCode,
    pub(crate) text: &'static str,
    /// Whether the response has a `Sec-WebSocket-Version` header.
    pub(crate) names_version: bool,
}

const fn handshake_error(code: StatusCode, text: &'static str) -> HandshakeError {
    HandshakeError { code, text, names_version: false }
}

/// The client offers no SPDY subprotocol to tunnel.
pub(crate) const NOTHING_TO_TUNNEL: HandshakeError = handshake_error(
    StatusCode::BAD_REQUEST,
    "unable to upgrade: no tunneling spdy protocols provided\n",
);
/// The kubelet's 101 response lacks the upgrade headers.
pub(crate) const NOT_UPGRADED: HandshakeError = handshake_error(
    StatusCode::INTERNAL_SERVER_ERROR,
    "unable to upgrade: missing upgrade headers in response\n",
);

/// The first value of a header, like Go's `Header.Get`.
fn first<'h>(headers: &'h HeaderMap, name: &HeaderName) -> &'h str {
    headers.get(name).and_then(|value| value.to_str().ok()).unwrap_or_default().trim()
}

fn contains_ignore_case(text: &str, part: &str) -> bool {
    text.to_ascii_lowercase().contains(&part.to_ascii_lowercase())
}

/// Whether a request asks for an upgrade.
pub(crate) fn is_upgrade(headers: &HeaderMap) -> bool {
    let values = headers.get_all(CONNECTION).iter();
    values
        .filter_map(|value| value.to_str().ok())
        .any(|value| contains_ignore_case(value, "upgrade"))
}

/// Whether a response switches to SPDY.
pub(crate) fn is_spdy(code: StatusCode, headers: &HeaderMap) -> bool {
    code == StatusCode::SWITCHING_PROTOCOLS
        && contains_ignore_case(first(headers, &CONNECTION), "upgrade")
        && contains_ignore_case(first(headers, &UPGRADE), SPDY)
}

/// The WebSocket subprotocols that a client offers.
pub(crate) fn offered(headers: &HeaderMap) -> impl Iterator<Item = &str> {
    first(headers, &SEC_WEBSOCKET_PROTOCOL)
        .split(',')
        .map(str::trim)
        .filter(|name| !name.is_empty())
}

/// The SPDY subprotocols that a client wants to tunnel.
pub(crate) fn tunnelled(headers: &HeaderMap) -> impl Iterator<Item = &str> {
    let names = offered(headers).filter(|name| name.ends_with(TUNNEL_SUFFIX));
    names.filter_map(|name| name.strip_prefix(TUNNEL_PREFIX))
}

/// The route of a streaming request; `None` if it is not an upgrade.
pub(crate) fn stream_route(
    subresource: &str,
    headers: &HeaderMap,
    node_speaks_websocket: bool,
) -> Option<StreamRoute> {
    if !is_upgrade(headers) {
        return None;
    }
    let websocket = first(headers, &UPGRADE).eq_ignore_ascii_case("websocket");
    if !websocket || node_speaks_websocket {
        return Some(StreamRoute::PassThrough);
    }
    let route = match subresource {
        "exec" | "attach" if offered(headers).any(|name| name == CHANNELS) => {
            StreamRoute::Translate
        }
        "portforward" if tunnelled(headers).next().is_some() => StreamRoute::Tunnel,
        _ => StreamRoute::PassThrough,
    };
    Some(route)
}

/// The headers of the 101 response for a translated connection.
pub(crate) fn handshake(method: &Method, headers: &HeaderMap) -> Result<HeaderMap, HandshakeError> {
    if method != Method::GET {
        return Err(handshake_error(StatusCode::METHOD_NOT_ALLOWED, "bad method"));
    }
    if !first(headers, &UPGRADE).eq_ignore_ascii_case("websocket") || !is_upgrade(headers) {
        return Err(handshake_error(StatusCode::BAD_REQUEST, "not websocket protocol"));
    }
    let key = first(headers, &SEC_WEBSOCKET_KEY);
    if key.is_empty() {
        return Err(handshake_error(StatusCode::BAD_REQUEST, "mismatch challenge/response"));
    }
    if first(headers, &SEC_WEBSOCKET_VERSION) != VERSION {
        let why = handshake_error(StatusCode::BAD_REQUEST, "missing or bad WebSocket Version");
        return Err(HandshakeError { names_version: true, ..why });
    }
    if !offered(headers).any(|name| name == CHANNELS) {
        return Err(handshake_error(StatusCode::FORBIDDEN, ""));
    }
    Ok(response_headers(key, Some(CHANNELS.to_owned())))
}

/// The headers of the 101 response for a tunneled connection, after the kubelet's 101.
pub(crate) fn tunnel_handshake(
    method: &Method,
    headers: &HeaderMap,
    kubelet: &HeaderMap,
) -> Result<HeaderMap, HandshakeError> {
    let reject = |code, text| Err(HandshakeError { code, text, names_version: true });
    if method != Method::GET {
        return reject(StatusCode::METHOD_NOT_ALLOWED, "Method Not Allowed\n");
    }
    let key = first(headers, &SEC_WEBSOCKET_KEY);
    let whole = STANDARD.decode(key).is_ok_and(|key| key.len() == 16);
    if first(headers, &SEC_WEBSOCKET_VERSION) != VERSION || !whole {
        return reject(StatusCode::BAD_REQUEST, "Bad Request\n");
    }
    let chosen = first(kubelet, &STREAM_PROTOCOL);
    let chosen = offered(headers).find(|name| name.strip_prefix(TUNNEL_PREFIX) == Some(chosen));
    Ok(response_headers(key, chosen.map(str::to_owned)))
}

fn response_headers(key: &str, protocol: Option<String>) -> HeaderMap {
    let mut headers = HeaderMap::new();
    headers.insert(UPGRADE, HeaderValue::from_static("websocket"));
    headers.insert(CONNECTION, HeaderValue::from_static("Upgrade"));
    let protocol = protocol.map(|name| (SEC_WEBSOCKET_PROTOCOL, name));
    let accept = Some((SEC_WEBSOCKET_ACCEPT, accept(key)));
    for (name, value) in [accept, protocol].into_iter().flatten() {
        // Both come from header values, so the conversion succeeds.
        if let Ok(value) = HeaderValue::try_from(value) {
            headers.insert(name, value);
        }
    }
    headers
}

/// `Sec-WebSocket-Accept` for a key.
fn accept(key: &str) -> String {
    let text = format!("{key}{ACCEPT_SUFFIX}");
    STANDARD.encode(digest(&SHA1_FOR_LEGACY_USE_ONLY, text.as_bytes()))
}

/// The headers of the SPDY upgrade request for a translated connection.
pub(crate) fn to_kubelet() -> HeaderMap {
    let mut headers = spdy_upgrade();
    for (name, _) in PROTOCOLS {
        headers.append(STREAM_PROTOCOL, HeaderValue::from_static(name));
    }
    headers
}

/// The headers of the SPDY upgrade request for a tunneled connection: the client's, without those of WebSocket.
pub(crate) fn tunnel_to_kubelet(client: &HeaderMap) -> Result<HeaderMap, HandshakeError> {
    let mut headers = spdy_upgrade();
    let protocols = tunnelled(client).filter_map(|name| HeaderValue::from_str(name).ok());
    for protocol in protocols {
        headers.append(STREAM_PROTOCOL, protocol);
    }
    if !headers.contains_key(&STREAM_PROTOCOL) {
        return Err(NOTHING_TO_TUNNEL);
    }
    for (name, value) in client {
        let own = [CONNECTION, UPGRADE, STREAM_PROTOCOL];
        if !name.as_str().starts_with("sec-websocket-") && !own.contains(name) {
            headers.append(name, value.clone());
        }
    }
    Ok(headers)
}

fn spdy_upgrade() -> HeaderMap {
    let mut headers = HeaderMap::new();
    headers.insert(CONNECTION, HeaderValue::from_static("Upgrade"));
    headers.insert(UPGRADE, HeaderValue::from_static(SPDY));
    headers
}

/// The error message for a kubelet that did not upgrade, from its response body.
pub(crate) fn upgrade_error_message(body: &[u8]) -> String {
    let text = String::from_utf8_lossy(body);
    let decoded = decode_json(&text, Limits::DEFAULT).map(|decoded| decoded.documents);
    let documents = decoded.unwrap_or_default();
    let member = |name| documents.first().map_or("", |status| status.text_at(&[name])).trim();
    let candidates = [member("message"), member("error"), text.trim(), "empty server response"];
    let why = candidates.into_iter().find(|candidates| !candidates.is_empty()).unwrap_or_default();
    format!("unable to upgrade connection: {why}")
}
