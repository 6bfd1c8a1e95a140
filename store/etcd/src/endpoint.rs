//! An endpoint: the address of a member of etcd, read from its URL.

use http::Uri;
use http::uri::{PathAndQuery, Scheme};

use crate::config::ConnectError;

/// The port of a URL that names none.
const USUAL_PORT: u16 = 2379;

/// The address of a member.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Endpoint {
    pub(crate) host: String,
    pub(crate) port: u16,
    pub(crate) tls: bool,
}

impl Endpoint {
    pub(crate) fn parse(url: &str) -> Result<Self, ConnectError> {
        let malformed = || ConnectError::Url { url: url.to_owned() };
        let text = url.trim();
        let (tls, rest) = match text.split_once("://") {
            None => (false, text),
            Some(("http", rest)) => (false, rest),
            Some(("https", rest)) => (true, rest),
            Some(_) => return Err(malformed()),
        };
        let uri: Uri = format!("http://{rest}").parse().map_err(|_| malformed())?;
        let authority = uri.authority().filter(|authority| !authority.as_str().contains('@'));
        let authority = authority.ok_or_else(malformed)?;
        let port = match authority.as_str().strip_prefix(authority.host()) {
            Some("") => USUAL_PORT,
            _ => authority.port_u16().ok_or_else(malformed)?,
        };
        let host = authority.host().trim_start_matches('[').trim_end_matches(']').to_owned();
        if host.is_empty() || !matches!(uri.path(), "" | "/") {
            return Err(malformed());
        }
        Ok(Self { host, port, tls })
    }

    /// `host:port`, with brackets around an IPv6 address.
    pub(crate) fn authority(&self) -> String {
        let Self { host, port, .. } = self;
        if host.contains(':') { format!("[{host}]:{port}") } else { format!("{host}:{port}") }
    }

    /// The URL of a method.
    pub(crate) fn url(&self, path: &'static str) -> Result<Uri, http::Error> {
        let scheme = if self.tls { Scheme::HTTPS } else { Scheme::HTTP };
        let path = PathAndQuery::from_static(path);
        Uri::builder().scheme(scheme).authority(self.authority()).path_and_query(path).build()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn urls_are_read() {
        let rows = [
            ("http://127.0.0.1:2379", "http://127.0.0.1:2379/x"),
            ("https://etcd-0.etcd:2379/", "https://etcd-0.etcd:2379/x"),
            ("https://[::1]:1", "https://[::1]:1/x"),
            ("etcd", "http://etcd:2379/x"),
        ];
        for (url, method) in rows {
            assert_eq!(Endpoint::parse(url).unwrap().url("/x").unwrap(), method);
        }
        for url in ["", "unix:///x", "http://", "http://a/b", "http://u@a:1", "http://a:b"] {
            assert!(Endpoint::parse(url).is_err(), "{url}");
        }
    }
}
