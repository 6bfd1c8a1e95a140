//! Redirects of webhooks, followed as Go's http.Client follows them.

use http::header::LOCATION;
use http::{Method, Response, Uri};
use ratchet_webhook::{ClientConfig, Endpoint};

/// One request of a call: where it goes, and how.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Hop {
    pub(super) method: Method,
    /// `host:port` of the URL; the port may be missing.
    pub(super) authority: String,
    /// Path and query.
    pub(super) path: String,
}

impl Hop {
    /// The first request, to the webhook itself.
    pub(super) fn first(config: &ClientConfig, timeout_seconds: u32) -> Self {
        let (authority, path) = (config.authority(), config.path_and_query(timeout_seconds));
        Self { method: Method::POST, authority, path }
    }

    /// The URL, as errors show it.
    pub(super) fn url(&self) -> String {
        format!("https://{}{}", self.authority, self.path)
    }

    /// The host, without brackets, and the port.
    pub(super) fn host_and_port(&self) -> (&str, u16) {
        let (host, port) = match self.authority.rsplit_once(':') {
            Some((host, port)) if !port.contains(']') => (host, port.parse().unwrap_or(443)),
            _ => (self.authority.as_str(), 443),
        };
        (host.trim_start_matches('[').trim_end_matches(']'), port)
    }

    /// The name that the certificate must be for: wherever a service redirects to, that of the service.
    pub(super) fn server_name(&self, config: &ClientConfig) -> String {
        match config.endpoint() {
            Endpoint::Service { .. } => config.server_name(),
            Endpoint::Url { .. } | Endpoint::Unusable(_) => self.host_and_port().0.to_owned(),
        }
    }

    /// The request that a response asks for instead, none if it is no redirect.
    pub(super) fn next<B>(&self, response: &Response<B>) -> Result<Option<Self>, String> {
        let method = match response.status().as_u16() {
            301..=303 => Method::GET,
            307 | 308 => self.method.clone(),
            _ => return Ok(None),
        };
        let Some(location) = response.headers().get(LOCATION) else { return Ok(None) };
        let location = location.to_str().unwrap_or_default();
        let parsed: Result<Uri, _> = location.parse();
        let uri = parsed
            .map_err(|error| format!("failed to parse Location header {location:?}: {error}"))?;
        let path = uri.path_and_query().map_or("/", |path| path.as_str());
        match (uri.scheme_str(), uri.authority()) {
            (Some("https"), Some(authority)) => {
                Ok(Some(Self { method, authority: authority.to_string(), path: path.to_owned() }))
            }
            (Some(scheme), _) => Err(format!("unsupported protocol scheme {scheme:?}")),
            (None, _) => {
                Ok(Some(Self { method, authority: self.authority.clone(), path: path.to_owned() }))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn next(status: u16, location: &str) -> Result<Option<String>, String> {
        let hop = Hop { method: Method::POST, authority: "a:1".to_owned(), path: "/x".to_owned() };
        let response = Response::builder().status(status).header(LOCATION, location).body(());
        let next = hop.next(&response.unwrap())?;
        Ok(next.map(|next| format!("{} {}", next.method, next.url())))
    }

    #[test]
    fn redirects_are_followed_as_by_go() {
        let to = |text: &str| Ok(Some(text.to_owned()));
        assert_eq!(next(302, "https://b/y?z"), to("GET https://b/y?z"));
        assert_eq!(next(303, "/y"), to("GET https://a:1/y"));
        assert_eq!(next(307, "https://b:2/"), to("POST https://b:2/"));
        assert_eq!(next(200, "/y"), Ok(None));
        assert_eq!(next(302, "http://b/"), Err("unsupported protocol scheme \"http\"".to_owned()));
    }

    #[test]
    fn hosts_have_no_brackets_and_ports_a_default() {
        for (authority, host, port) in
            [("a:1", "a", 1), ("a", "a", 443), ("[::1]:8443", "::1", 8443), ("[::1]", "::1", 443)]
        {
            let hop =
                Hop { method: Method::GET, authority: authority.to_owned(), path: String::new() };
            assert_eq!(hop.host_and_port(), (host, port));
        }
    }
}
