//! What a client offers and a kubelet is offered: who speaks WebSocket, who SPDY, and which dialect.

use aws_lc_rs::digest::{SHA1_FOR_LEGACY_USE_ONLY, digest};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use http::header::{
    CONNECTION, HeaderMap, HeaderName, HeaderValue, SEC_WEBSOCKET_ACCEPT, SEC_WEBSOCKET_KEY,
    SEC_WEBSOCKET_PROTOCOL, SEC_WEBSOCKET_VERSION, UPGRADE,
};
use http::{Method, StatusCode};
use ratchet_object::{Limits, decode_json};

/// The dialects of SPDY that an end knows, the best first; or the one that was chosen.
pub(crate) const STREAM_PROTOCOL: HeaderName = HeaderName::from_static("x-stream-protocol-version");

const SPDY: &str = "SPDY/3.1";
/// Before the name of a dialect of SPDY that travels in WebSocket messages.
const TUNNEL_PREFIX: &str = "SPDY/3.1+";
const TUNNEL_SUFFIX: &str = ".k8s.io";
/// What is put behind a client's key before it is hashed.
const ACCEPT_SUFFIX: &str = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11";
/// The only version of WebSocket there is.
const VERSION: &str = "13";

/// How a request that wants an upgrade gets to its kubelet.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum Way {
    /// As it is, byte for byte.
    PassThrough,
    /// The channels of a WebSocket as the streams of SPDY.
    Translate,
    /// The messages of a WebSocket as the bytes of SPDY.
    Tunnel,
}

/// A dialect of remote commands over SPDY.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum Protocol {
    V1,
    V2,
    V3,
    V4,
    V5,
}

/// The dialects by their names, the best first.
const PROTOCOLS: [(&str, Protocol); 5] = [
    ("v5.channel.k8s.io", Protocol::V5),
    ("v4.channel.k8s.io", Protocol::V4),
    ("v3.channel.k8s.io", Protocol::V3),
    ("v2.channel.k8s.io", Protocol::V2),
    ("channel.k8s.io", Protocol::V1),
];

const CHANNELS: &str = "v5.channel.k8s.io";

impl Protocol {
    /// What a kubelet chose. One that says nothing speaks the oldest; `None` is a dialect that was not offered.
    pub(crate) fn chosen(answer: &HeaderMap) -> Option<Self> {
        match first(answer, &STREAM_PROTOCOL) {
            "" => Some(Self::V1),
            name => PROTOCOLS.iter().find(|row| row.0 == name).map(|row| row.1),
        }
    }

    /// Whether it has words for success, too, so that silence means that nobody told.
    pub(crate) fn tells_success(self) -> bool {
        matches!(self, Self::V4 | Self::V5)
    }

    /// Whether it has a stream for the size of a terminal.
    pub(crate) fn resizes(self) -> bool {
        !matches!(self, Self::V1 | Self::V2)
    }
}

/// Why a handshake failed, as the libraries of the reference say it: a plain answer, no `Status`.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) struct Refused {
    pub(crate) code: StatusCode,
    pub(crate) text: &'static str,
    /// The answer names the version of WebSocket that is known here.
    pub(crate) names_version: bool,
}

const fn refused(code: StatusCode, text: &'static str) -> Refused {
    Refused { code, text, names_version: false }
}

/// No dialect of SPDY to tunnel.
pub(crate) const NOTHING_TO_TUNNEL: Refused =
    refused(StatusCode::BAD_REQUEST, "unable to upgrade: no tunneling spdy protocols provided\n");
/// A kubelet that says 101 and not to what.
pub(crate) const NOT_UPGRADED: Refused = refused(
    StatusCode::INTERNAL_SERVER_ERROR,
    "unable to upgrade: missing upgrade headers in response\n",
);

/// The first value of a header, as Go reads one that has several.
fn first<'h>(headers: &'h HeaderMap, name: &HeaderName) -> &'h str {
    headers.get(name).and_then(|value| value.to_str().ok()).unwrap_or_default().trim()
}

fn holds(text: &str, word: &str) -> bool {
    text.to_ascii_lowercase().contains(&word.to_ascii_lowercase())
}

/// Whether a request wants another protocol.
pub(crate) fn is_upgrade(headers: &HeaderMap) -> bool {
    let values = headers.get_all(CONNECTION).iter();
    values.filter_map(|value| value.to_str().ok()).any(|value| holds(value, "upgrade"))
}

/// Whether an answer says that SPDY follows.
pub(crate) fn is_spdy(code: StatusCode, headers: &HeaderMap) -> bool {
    code == StatusCode::SWITCHING_PROTOCOLS
        && holds(first(headers, &CONNECTION), "upgrade")
        && holds(first(headers, &UPGRADE), SPDY)
}

/// The subprotocols of WebSocket that a client offers.
pub(crate) fn offered(headers: &HeaderMap) -> impl Iterator<Item = &str> {
    first(headers, &SEC_WEBSOCKET_PROTOCOL)
        .split(',')
        .map(str::trim)
        .filter(|name| !name.is_empty())
}

/// The dialects of SPDY that a client would tunnel.
pub(crate) fn tunnelled(headers: &HeaderMap) -> impl Iterator<Item = &str> {
    let names = offered(headers).filter(|name| name.ends_with(TUNNEL_SUFFIX));
    names.filter_map(|name| name.strip_prefix(TUNNEL_PREFIX))
}

/// How a request for a subresource of a pod gets to a kubelet; `None` if it wants no upgrade.
pub(crate) fn way(
    subresource: &str,
    headers: &HeaderMap,
    node_speaks_websocket: bool,
) -> Option<Way> {
    if !is_upgrade(headers) {
        return None;
    }
    let websocket = first(headers, &UPGRADE).eq_ignore_ascii_case("websocket");
    if !websocket || node_speaks_websocket {
        return Some(Way::PassThrough);
    }
    let ways = match subresource {
        "exec" | "attach" if offered(headers).any(|name| name == CHANNELS) => Way::Translate,
        "portforward" if tunnelled(headers).next().is_some() => Way::Tunnel,
        _ => Way::PassThrough,
    };
    Some(ways)
}

/// The headers of the answer 101 to a client whose channels are translated.
pub(crate) fn handshake(method: &Method, headers: &HeaderMap) -> Result<HeaderMap, Refused> {
    if method != Method::GET {
        return Err(refused(StatusCode::METHOD_NOT_ALLOWED, "bad method"));
    }
    if !first(headers, &UPGRADE).eq_ignore_ascii_case("websocket") || !is_upgrade(headers) {
        return Err(refused(StatusCode::BAD_REQUEST, "not websocket protocol"));
    }
    let key = first(headers, &SEC_WEBSOCKET_KEY);
    if key.is_empty() {
        return Err(refused(StatusCode::BAD_REQUEST, "mismatch challenge/response"));
    }
    if first(headers, &SEC_WEBSOCKET_VERSION) != VERSION {
        let why = refused(StatusCode::BAD_REQUEST, "missing or bad WebSocket Version");
        return Err(Refused { names_version: true, ..why });
    }
    if !offered(headers).any(|name| name == CHANNELS) {
        return Err(refused(StatusCode::FORBIDDEN, ""));
    }
    Ok(answer(key, Some(CHANNELS.to_owned())))
}

/// The headers of the answer 101 to a client whose messages are tunnelled, after its kubelet answered so too.
pub(crate) fn tunnel_handshake(
    method: &Method,
    headers: &HeaderMap,
    kubelet: &HeaderMap,
) -> Result<HeaderMap, Refused> {
    let refused = |code, text| Err(Refused { code, text, names_version: true });
    if method != Method::GET {
        return refused(StatusCode::METHOD_NOT_ALLOWED, "Method Not Allowed\n");
    }
    let key = first(headers, &SEC_WEBSOCKET_KEY);
    let whole = STANDARD.decode(key).is_ok_and(|key| key.len() == 16);
    if first(headers, &SEC_WEBSOCKET_VERSION) != VERSION || !whole {
        return refused(StatusCode::BAD_REQUEST, "Bad Request\n");
    }
    let chosen = first(kubelet, &STREAM_PROTOCOL);
    let chosen = offered(headers).find(|name| name.strip_prefix(TUNNEL_PREFIX) == Some(chosen));
    Ok(answer(key, chosen.map(str::to_owned)))
}

fn answer(key: &str, protocol: Option<String>) -> HeaderMap {
    let mut headers = HeaderMap::new();
    headers.insert(UPGRADE, HeaderValue::from_static("websocket"));
    headers.insert(CONNECTION, HeaderValue::from_static("Upgrade"));
    let protocol = protocol.map(|name| (SEC_WEBSOCKET_PROTOCOL, name));
    let accept = Some((SEC_WEBSOCKET_ACCEPT, accept(key)));
    for (name, value) in [accept, protocol].into_iter().flatten() {
        // Both are made of what was a header before.
        if let Ok(value) = HeaderValue::try_from(value) {
            headers.insert(name, value);
        }
    }
    headers
}

/// The proof that this end knows what it is asked.
fn accept(key: &str) -> String {
    let text = format!("{key}{ACCEPT_SUFFIX}");
    STANDARD.encode(digest(&SHA1_FOR_LEGACY_USE_ONLY, text.as_bytes()))
}

/// The headers with which a kubelet is asked for the streams of a command.
pub(crate) fn to_kubelet() -> HeaderMap {
    let mut headers = spdy_upgrade();
    for (name, _) in PROTOCOLS {
        headers.append(STREAM_PROTOCOL, HeaderValue::from_static(name));
    }
    headers
}

/// The headers with which a kubelet is asked for what a client wants to tunnel: the client's own, but for its WebSocket.
pub(crate) fn tunnel_to_kubelet(client: &HeaderMap) -> Result<HeaderMap, Refused> {
    let mut headers = spdy_upgrade();
    let dialects = tunnelled(client).filter_map(|name| HeaderValue::from_str(name).ok());
    for dialect in dialects {
        headers.append(STREAM_PROTOCOL, dialect);
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

/// What to say about a kubelet that did not upgrade, from the body of its answer.
pub(crate) fn refused_upgrade(body: &[u8]) -> String {
    let text = String::from_utf8_lossy(body);
    let decoded = decode_json(&text, Limits::DEFAULT).map(|decoded| decoded.documents);
    let documents = decoded.unwrap_or_default();
    let said = |name| documents.first().map_or("", |status| status.text_at(&[name])).trim();
    let words = [said("message"), said("error"), text.trim(), "empty server response"];
    let why = words.into_iter().find(|words| !words.is_empty()).unwrap_or_default();
    format!("unable to upgrade connection: {why}")
}
