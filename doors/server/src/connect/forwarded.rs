//! What of a request's headers goes on, and what every forwarded request gets.

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

/// Headers with which a front proxy says who asks: nobody behind may take them from a client.
const SAYS_WHO: [&str; 3] = ["x-remote-user", "x-remote-uid", "x-remote-group"];
const SAYS_MORE: &str = "x-remote-extra-";

/// Headers that speak of one connection and not of the request.
const ONE_HOP: [HeaderName; 9] = [
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

/// The client's own headers without its credentials, and with where it comes from.
pub(super) fn headers(app: &App, parts: &Parts, address: IpAddr) -> HeaderMap {
    let mut headers = parts.headers.clone();
    app.identity.strip(&mut headers);
    // Of whatever scheme: a password that we did not look at is still for us and for nobody behind.
    headers.remove(AUTHORIZATION);
    headers.remove(PROXY_AUTHORIZATION);
    strip_impersonation(&mut headers);
    let says_more = headers.keys().filter(|name| name.as_str().starts_with(SAYS_MORE));
    let says_who: Vec<HeaderName> = says_more.cloned().collect();
    for name in SAYS_WHO.iter().copied().chain(says_who.iter().map(HeaderName::as_str)) {
        headers.remove(name);
    }
    let before: Vec<&str> =
        headers.get_all(FORWARDED_FOR).iter().filter_map(|value| value.to_str().ok()).collect();
    let all = before.into_iter().map(str::to_owned).chain([address.to_string()]);
    let all = all.collect::<Vec<_>>().join(", ");
    if let Ok(value) = HeaderValue::from_str(&all) {
        headers.insert(FORWARDED_FOR, value);
    }
    // HTTP/2 has the host in its request line.
    if !headers.contains_key(HOST)
        && let Some(host) = parts.uri.authority()
        && let Ok(value) = HeaderValue::from_str(host.as_str())
    {
        headers.insert(HOST, value);
    }
    headers
}

/// Takes out what speaks of one connection only, also what `Connection` names.
pub(super) fn drop_hop_headers(headers: &mut HeaderMap) {
    let named: Vec<HeaderName> = headers
        .get_all(CONNECTION)
        .iter()
        .filter_map(|value| value.to_str().ok())
        .flat_map(|value| value.split(','))
        .filter_map(|name| name.trim().parse().ok())
        .collect();
    for name in named.iter().chain(&ONE_HOP) {
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
        drop_hop_headers(&mut headers);
        assert_eq!(headers.keys().map(HeaderName::as_str).collect::<Vec<_>>(), ["accept"]);
    }
}
