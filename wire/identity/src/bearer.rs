//! Bearer tokens of a request, in its `Authorization` header or in a WebSocket subprotocol.

use crate::headers::{all, first};
use base64::Engine;
use base64::prelude::BASE64_URL_SAFE_NO_PAD;
use http::HeaderMap;
use http::header::{AUTHORIZATION, CONNECTION, SEC_WEBSOCKET_PROTOCOL, UPGRADE};

/// The prefix of the subprotocol with the token.
const PROTOCOL: &str = "base64url.bearer.authorization.k8s.io.";

/// The token of the `Authorization` header, if there is one.
pub(crate) fn from_authorization(headers: &HeaderMap) -> Option<String> {
    let value = String::from_utf8_lossy(headers.get(AUTHORIZATION)?.as_bytes());
    let mut parts = value.trim().splitn(3, ' ');
    let scheme = parts.next()?;
    let token = parts.next()?;
    (scheme.eq_ignore_ascii_case("bearer") && !token.is_empty()).then(|| token.into())
}

/// The token among the subprotocols of a WebSocket, if there is one.
pub(crate) fn from_websocket(headers: &HeaderMap) -> Result<Option<String>, String> {
    if !is_websocket(headers) {
        return Ok(None);
    }
    let (mut token, mut others) = (None, 0);
    for protocol in protocols(headers) {
        let Some(encoded) = protocol.strip_prefix(PROTOCOL) else {
            others += 1;
            continue;
        };
        if token.is_some() {
            return Err("multiple base64.bearer.authorization tokens specified".into());
        }
        let bytes = BASE64_URL_SAFE_NO_PAD.decode(encoded);
        let bytes = bytes.map_err(|_| "invalid base64.bearer.authorization token encoding")?;
        let text = String::from_utf8(bytes);
        token = Some(text.map_err(|_| "invalid base64.bearer.authorization token")?);
    }
    // One subprotocol must remain that can be negotiated.
    match token.filter(|token| !token.is_empty()) {
        Some(_) if others == 0 => Err("missing additional subprotocol".into()),
        token => Ok(token),
    }
}

/// Removes the tokens from the headers, so that no backend can use them.
pub(crate) fn strip(headers: &mut HeaderMap) {
    if from_authorization(headers).is_some() {
        headers.remove(AUTHORIZATION);
    }
    let named = protocols(headers);
    if named.iter().any(|protocol| protocol.starts_with(PROTOCOL)) {
        let remaining = named.into_iter().filter(|protocol| !protocol.starts_with(PROTOCOL));
        let remaining = remaining.collect::<Vec<_>>().join(",");
        headers.remove(SEC_WEBSOCKET_PROTOCOL);
        if let Ok(value) = remaining.parse() {
            headers.insert(SEC_WEBSOCKET_PROTOCOL, value);
        }
    }
}

fn protocols(headers: &HeaderMap) -> Vec<String> {
    let values = all(headers, SEC_WEBSOCKET_PROTOCOL.as_str());
    let named = values.iter().flat_map(|value| value.split(','));
    named.map(|protocol| protocol.trim().to_owned()).collect()
}

fn is_websocket(headers: &HeaderMap) -> bool {
    let upgrade = first(headers, UPGRADE.as_str()).eq_ignore_ascii_case("websocket");
    let connection = first(headers, CONNECTION.as_str()).to_ascii_lowercase();
    upgrade && connection.split(',').any(|token| token.trim() == "upgrade")
}

#[cfg(test)]
mod tests {
    use super::*;
    use http::HeaderValue;

    fn authorization(value: &'static str) -> Option<String> {
        let mut headers = HeaderMap::new();
        headers.insert(AUTHORIZATION, HeaderValue::from_static(value));
        from_authorization(&headers)
    }

    #[test]
    fn tokens_stand_behind_the_word_bearer() {
        assert_eq!(authorization("Bearer abc").as_deref(), Some("abc"));
        assert_eq!(authorization(" bearer abc def").as_deref(), Some("abc"));
        assert_eq!(authorization("Bearer"), None);
        assert_eq!(authorization("Bearer  abc"), None);
        assert_eq!(authorization("Basic abc"), None);
        assert_eq!(from_authorization(&HeaderMap::new()), None);
    }

    fn socket(protocols: &[&'static str]) -> HeaderMap {
        let mut headers = HeaderMap::new();
        headers.insert(UPGRADE, HeaderValue::from_static("websocket"));
        headers.insert(CONNECTION, HeaderValue::from_static("keep-alive, Upgrade"));
        for protocol in protocols {
            headers.append(SEC_WEBSOCKET_PROTOCOL, HeaderValue::from_static(protocol));
        }
        headers
    }

    #[test]
    fn websockets_name_the_token_among_protocols() {
        let token = "base64url.bearer.authorization.k8s.io.YWJj";
        let mut headers = socket(&["v4.channel.k8s.io", token]);
        assert_eq!(from_websocket(&headers), Ok(Some("abc".into())));
        strip(&mut headers);
        assert_eq!(protocols(&headers), ["v4.channel.k8s.io"]);
        assert_eq!(from_websocket(&socket(&["v4.channel.k8s.io"])), Ok(None));
        headers.remove(UPGRADE);
        assert_eq!(from_websocket(&headers), Ok(None));
        for (protocols, error) in [
            (&[token][..], "missing additional subprotocol"),
            (&[token, token, "x"], "multiple base64.bearer.authorization tokens specified"),
            (
                &["x", "base64url.bearer.authorization.k8s.io.YWJj="],
                "invalid base64.bearer.authorization token encoding",
            ),
            (
                &["x", "base64url.bearer.authorization.k8s.io._w"],
                "invalid base64.bearer.authorization token",
            ),
        ] {
            assert_eq!(from_websocket(&socket(protocols)), Err(error.into()));
        }
    }

    #[test]
    fn tokens_are_taken_out_and_other_schemes_stay() {
        let mut headers = HeaderMap::new();
        headers.insert(AUTHORIZATION, HeaderValue::from_static("Bearer a"));
        strip(&mut headers);
        assert!(headers.is_empty());
        headers.insert(AUTHORIZATION, HeaderValue::from_static("Basic a"));
        strip(&mut headers);
        assert!(!headers.is_empty());
    }
}
