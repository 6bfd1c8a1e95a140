//! Tests of the negotiation of subprotocols.

use super::super::negotiate::*;
use http::{HeaderMap, HeaderName, HeaderValue, Method, StatusCode};

fn headers(rows: &[(&str, &str)]) -> HeaderMap {
    let rows = rows.iter().map(|(name, value)| {
        let name = HeaderName::try_from(*name).unwrap();
        (name, HeaderValue::from_str(value).unwrap())
    });
    let mut headers = HeaderMap::new();
    rows.for_each(|(name, value)| {
        headers.append(name, value);
    });
    headers
}

fn websocket(protocols: &str) -> HeaderMap {
    headers(&[
        ("Connection", "Upgrade"),
        ("Upgrade", "WebSocket"),
        ("Sec-WebSocket-Key", "dGhlIHNhbXBsZSBub25jZQ=="),
        ("Sec-WebSocket-Version", "13"),
        ("Sec-WebSocket-Protocol", protocols),
    ])
}

#[test]
fn each_request_has_its_way() {
    let spdy = headers(&[("Connection", "keep-alive, UPGRADE"), ("Upgrade", "SPDY/3.1")]);
    let plain = headers(&[("Connection", "keep-alive")]);
    let v5 = websocket("v4.channel.k8s.io, v5.channel.k8s.io");
    let v4 = websocket("v4.channel.k8s.io");
    let tunnel = websocket("SPDY/3.1+portforward.k8s.io");
    let other = websocket("SPDY/3.1+portforward.example.org");
    for (subresource, headers, route) in [
        ("exec", &v5, Some(StreamRoute::Translate)),
        ("attach", &v5, Some(StreamRoute::Translate)),
        ("portforward", &v5, Some(StreamRoute::PassThrough)),
        ("exec", &v4, Some(StreamRoute::PassThrough)),
        ("exec", &tunnel, Some(StreamRoute::PassThrough)),
        ("portforward", &tunnel, Some(StreamRoute::Tunnel)),
        ("portforward", &other, Some(StreamRoute::PassThrough)),
        ("exec", &spdy, Some(StreamRoute::PassThrough)),
        ("portforward", &spdy, Some(StreamRoute::PassThrough)),
        ("exec", &plain, None),
    ] {
        assert_eq!(stream_route(subresource, headers, false), route, "{subresource} {headers:?}");
        let by_itself = route.map(|_| StreamRoute::PassThrough);
        assert_eq!(
            stream_route(subresource, headers, true),
            by_itself,
            "the node speaks WebSocket"
        );
    }
}

#[test]
fn a_handshake_is_answered_with_its_proof() {
    let headers = websocket("v4.channel.k8s.io,v5.channel.k8s.io");
    let answer = handshake(&Method::GET, &headers).unwrap();
    let expected = [
        ("upgrade", "websocket"),
        ("connection", "Upgrade"),
        // The example of the standard.
        ("sec-websocket-accept", "s3pPLMBiTxaQ9kYGzzhZRbK+xOo="),
        ("sec-websocket-protocol", "v5.channel.k8s.io"),
    ];
    assert_eq!(answer.len(), expected.len());
    for (name, value) in expected {
        assert_eq!(answer.get(name).unwrap(), value);
    }
}

#[test]
fn a_handshake_that_is_none_is_refused_as_the_reference_does() {
    let good = websocket("v5.channel.k8s.io");
    let without = |name: &str| {
        let mut headers = good.clone();
        headers.remove(name);
        headers
    };
    let error = |headers: &HeaderMap| {
        let why = handshake(&Method::GET, headers).unwrap_err();
        (why.code.as_u16(), why.text, why.names_version)
    };
    assert_eq!(error(&without("upgrade")), (400, "not websocket protocol", false));
    assert_eq!(error(&without("connection")), (400, "not websocket protocol", false));
    assert_eq!(error(&without("sec-websocket-key")), (400, "mismatch challenge/response", false));
    let version = (400, "missing or bad WebSocket Version", true);
    assert_eq!(error(&without("sec-websocket-version")), version);
    assert_eq!(error(&websocket("v4.channel.k8s.io")), (403, "", false));
    let posted = handshake(&Method::POST, &good).unwrap_err();
    assert_eq!((posted.code.as_u16(), posted.text), (405, "bad method"));
}

#[test]
fn a_tunnel_is_named_after_what_the_kubelet_chose() {
    let client = websocket("SPDY/3.1+other.k8s.io, SPDY/3.1+portforward.k8s.io");
    let kubelet = headers(&[("X-Stream-Protocol-Version", "portforward.k8s.io")]);
    let answer = tunnel_handshake(&Method::GET, &client, &kubelet).unwrap();
    assert_eq!(answer.get("sec-websocket-protocol").unwrap(), "SPDY/3.1+portforward.k8s.io");
    let silent = tunnel_handshake(&Method::GET, &client, &HeaderMap::new()).unwrap();
    assert_eq!(silent.get("sec-websocket-protocol"), None);
    let mut short = client.clone();
    short.insert("sec-websocket-key", HeaderValue::from_static("c2hvcnQ="));
    let why = tunnel_handshake(&Method::GET, &short, &kubelet).unwrap_err();
    assert_eq!((why.code.as_u16(), why.text, why.names_version), (400, "Bad Request\n", true));
    let why = tunnel_handshake(&Method::POST, &client, &kubelet).unwrap_err();
    assert_eq!(why.code.as_u16(), 405);
}

#[test]
fn a_kubelet_is_offered_every_dialect() {
    let headers = to_kubelet();
    let offered: Vec<_> = headers.get_all(STREAM_PROTOCOL).iter().collect();
    let protocols = [
        "v5.channel.k8s.io",
        "v4.channel.k8s.io",
        "v3.channel.k8s.io",
        "v2.channel.k8s.io",
        "channel.k8s.io",
    ];
    assert_eq!(offered, protocols);
    assert_eq!(headers.get("upgrade").unwrap(), "SPDY/3.1");
    assert_eq!(headers.get("connection").unwrap(), "Upgrade");
}

#[test]
fn what_is_tunnelled_keeps_the_headers_of_the_client() {
    let mut client = websocket("SPDY/3.1+portforward.k8s.io");
    client.insert("user-agent", HeaderValue::from_static("kubectl"));
    client.insert("sec-websocket-extensions", HeaderValue::from_static("permessage-deflate"));
    let mut names: Vec<_> = Vec::new();
    let headers = tunnel_to_kubelet(&client).unwrap();
    for (name, value) in &headers {
        names.push((name.as_str(), value.to_str().unwrap()));
    }
    names.sort_unstable();
    let expected = [
        ("connection", "Upgrade"),
        ("upgrade", "SPDY/3.1"),
        ("user-agent", "kubectl"),
        ("x-stream-protocol-version", "portforward.k8s.io"),
    ];
    assert_eq!(names, expected);
    let why = tunnel_to_kubelet(&websocket("v5.channel.k8s.io")).unwrap_err();
    let text = "unable to upgrade: no tunneling spdy protocols provided\n";
    assert_eq!((why.code.as_u16(), why.text), (400, text));
}

#[test]
fn what_a_kubelet_answers() {
    let chosen = |name| Protocol::chosen(&headers(&[("X-Stream-Protocol-Version", name)]));
    assert_eq!(chosen("v4.channel.k8s.io"), Some(Protocol::V4));
    assert_eq!(chosen("v9.channel.k8s.io"), None);
    assert_eq!(Protocol::chosen(&HeaderMap::new()), Some(Protocol::V1));
    let spdy = headers(&[("Connection", "upgrade"), ("Upgrade", "spdy/3.1")]);
    assert!(is_spdy(StatusCode::SWITCHING_PROTOCOLS, &spdy));
    assert!(!is_spdy(StatusCode::OK, &spdy));
    assert!(!is_spdy(StatusCode::SWITCHING_PROTOCOLS, &HeaderMap::new()));
    let error = |body: &str| upgrade_error_message(body.as_bytes());
    let about = |why: &str| format!("unable to upgrade connection: {why}");
    assert_eq!(error(r#"{"message":" no such container "}"#), about("no such container"));
    assert_eq!(error(r#"{"error":"no"}"#), about("no"));
    assert_eq!(error("Forbidden\n"), about("Forbidden"));
    assert_eq!(error(" "), about("empty server response"));
}
