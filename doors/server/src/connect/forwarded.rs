//! Headers of forwarded requests: credentials and hop-by-hop headers are removed, `X-Forwarded-For` is added.

use crate::app::App;
use http::header::{
    AUTHORIZATION, CONNECTION, HOST, PROXY_AUTHENTICATE, PROXY_AUTHORIZATION, TE, TRAILER,
    TRANSFER_ENCODING, UPGRADE,
};
use http::request::Parts;
use http::{HeaderMap, HeaderName, HeaderValue};
use ratchet_identity::strip_impersonation;
use std::net::IpAddr;

const FORWARDED_FOR: HeaderName = HeaderName::from_static("x-forwarded-for");

/// Request-header authentication headers, which a backend must not accept from a client.
const REMOTE_HEADERS: [&str; 3] = ["x-remote-user", "x-remote-uid", "x-remote-group"];
const REMOTE_EXTRA_PREFIX: &str = "x-remote-extra-";

/// CORS headers, which a backend must not set for this server.
pub(crate) const CORS_HEADERS: [&str; 4] = [
    "access-control-allow-credentials",
    "access-control-allow-headers",
    "access-control-allow-methods",
    "access-control-allow-origin",
];

/// Hop-by-hop headers.
const HOP_BY_HOP: [HeaderName; 9] = [
    CONNECTION,
    HeaderName::from_static("keep-alive"),
    HeaderName::from_static("proxy-connection"),
    PROXY_AUTHENTICATE,
    PROXY_AUTHORIZATION,
    TE,
    TRAILER,
    TRANSFER_ENCODING,
    UPGRADE,
];

/// The client's headers without credentials, with `X-Forwarded-For` and `Host`.
pub(crate) fn headers(app: &App, parts: &Parts, address: IpAddr) -> HeaderMap {
    let mut headers = parts.headers.clone();
    app.identity.strip(&mut headers);
    // Whatever its scheme: credentials are for this server, even those that it did not use.
    headers.remove(AUTHORIZATION);
    headers.remove(PROXY_AUTHORIZATION);
    strip_impersonation(&mut headers);
    let extra_headers =
        headers.keys().filter(|name| name.as_str().starts_with(REMOTE_EXTRA_PREFIX));
    let extra_names: Vec<HeaderName> = extra_headers.cloned().collect();
    for name in REMOTE_HEADERS.iter().copied().chain(extra_names.iter().map(HeaderName::as_str)) {
        headers.remove(name);
    }
    let before: Vec<&str> =
        headers.get_all(FORWARDED_FOR).iter().filter_map(|value| value.to_str().ok()).collect();
    let all = before.into_iter().map(str::to_owned).chain([address.to_string()]);
    let all = all.collect::<Vec<_>>().join(", ");
    if let Ok(value) = HeaderValue::from_str(&all) {
        headers.insert(FORWARDED_FOR, value);
    }
    // In HTTP/2 the host is in the URI.
    if !headers.contains_key(HOST)
        && let Some(host) = parts.uri.authority()
        && let Ok(value) = HeaderValue::from_str(host.as_str())
    {
        headers.insert(HOST, value);
    }
    headers
}

/// Removes hop-by-hop headers, including those that `Connection` names.
pub(crate) fn remove_hop_by_hop(headers: &mut HeaderMap) {
    let named: Vec<HeaderName> = headers
        .get_all(CONNECTION)
        .iter()
        .filter_map(|value| value.to_str().ok())
        .flat_map(|value| value.split(','))
        .filter_map(|name| name.trim().parse().ok())
        .collect();
    for name in named.iter().chain(&HOP_BY_HOP) {
        headers.remove(name);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_speaks_of_one_connection_stays_here() {
        let mut headers = HeaderMap::new();
        for (name, value) in [
            ("connection", "close, X-Private"),
            ("x-private", "1"),
            ("te", "trailers"),
            ("accept", "*/*"),
            ("proxy-authorization", "Basic x"),
        ] {
            headers.append(name, HeaderValue::from_static(value));
        }
        remove_hop_by_hop(&mut headers);
        assert_eq!(headers.keys().map(HeaderName::as_str).collect::<Vec<_>>(), ["accept"]);
    }
}
