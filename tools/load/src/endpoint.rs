//! A server's address, and connections to it with a client's credentials.

use crate::credentials::Credentials;
use crate::errors::RequestFailure;
use anyhow::{Context, Result, bail};
use bytes::Bytes;
use http_body_util::Full;
use hyper::Uri;
use hyper::client::conn::http1::{SendRequest, handshake};
use hyper_util::rt::TokioIo;
use rustls::pki_types::ServerName;
use std::net::IpAddr;
use std::sync::Arc;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::TcpStream;
use tokio_rustls::TlsConnector;

/// One HTTP/1.1 connection.
pub(crate) type Sender = SendRequest<Full<Bytes>>;

/// A server and how it is reached.
pub struct Endpoint {
    host: String,
    port: u16,
    /// What stands before the API's own paths.
    prefix: String,
    tls: Option<(TlsConnector, ServerName<'static>)>,
    token: Option<String>,
    url: String,
}

impl Endpoint {
    /// Parses a server's URL.
    pub(crate) fn new(url: &str, credentials: &Credentials) -> Result<Self> {
        let uri: Uri = url.parse().with_context(|| format!("{url:?} is no URL"))?;
        let host = uri.host().with_context(|| format!("{url:?} has no host"))?;
        let host = host.trim_start_matches('[').trim_end_matches(']').to_owned();
        let (is_tls, port) = match uri.scheme_str() {
            Some("https") => (true, 443),
            Some("http") => (false, 80),
            _ => bail!("{url:?} begins neither with https:// nor with http://"),
        };
        let tls = if is_tls {
            let name = ServerName::try_from(host.clone())
                .with_context(|| format!("{host:?} is no name of a server"))?;
            Some((TlsConnector::from(Arc::new(credentials.tls()?)), name))
        } else {
            None
        };
        Ok(Self {
            port: uri.port_u16().unwrap_or(port),
            prefix: uri.path().trim_end_matches('/').to_owned(),
            token: credentials.token.clone(),
            url: url.to_owned(),
            host,
            tls,
        })
    }

    /// The URL as it was given.
    pub fn url(&self) -> &str {
        &self.url
    }

    pub(crate) fn port(&self) -> u16 {
        self.port
    }

    pub(crate) fn host(&self) -> &str {
        &self.host
    }

    pub(crate) fn token(&self) -> Option<&str> {
        self.token.as_deref()
    }

    /// The path of a request for a path of the API.
    pub(crate) fn path(&self, path: &str) -> String {
        format!("{}{path}", self.prefix)
    }

    /// The server's first address.
    pub(crate) async fn address(&self) -> Option<IpAddr> {
        let mut found = tokio::net::lookup_host((self.host.as_str(), self.port)).await.ok()?;
        found.next().map(|address| address.ip())
    }

    /// A new connection.
    pub(crate) async fn connect(&self) -> Result<Sender, RequestFailure> {
        let failed = |error: std::io::Error| RequestFailure::Connect(error.to_string());
        let tcp = TcpStream::connect((self.host.as_str(), self.port)).await.map_err(failed)?;
        tcp.set_nodelay(true).map_err(failed)?;
        match &self.tls {
            Some((tls, name)) => open(tls.connect(name.clone(), tcp).await.map_err(failed)?).await,
            None => open(tcp).await,
        }
    }
}

async fn open<S>(stream: S) -> Result<Sender, RequestFailure>
where
    S: AsyncRead + AsyncWrite + Send + Unpin + 'static,
{
    let opened = handshake(TokioIo::new(stream)).await;
    let (sender, connection) =
        opened.map_err(|error| RequestFailure::Connect(error.to_string()))?;
    tokio::spawn(connection);
    Ok(sender)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn endpoint(url: &str) -> Result<Endpoint> {
        Endpoint::new(url, &Credentials { is_insecure: true, ..Credentials::default() })
    }

    #[test]
    fn a_url_has_host_port_and_perhaps_a_path() {
        for (url, host, port, path) in [
            ("https://127.0.0.1:6443", "127.0.0.1", 6443, "/api"),
            ("https://example.com/", "example.com", 443, "/api"),
            ("http://localhost:8001", "localhost", 8001, "/api"),
            ("https://[::1]:6443", "::1", 6443, "/api"),
            ("https://example.com/k8s/clusters/a", "example.com", 443, "/k8s/clusters/a/api"),
        ] {
            let endpoint = endpoint(url).unwrap();
            assert_eq!((endpoint.host(), endpoint.port()), (host, port), "{url}");
            assert_eq!(endpoint.path("/api"), path, "{url}");
        }
    }

    #[test]
    fn what_is_no_server_is_refused() {
        for (url, why) in [
            ("", "\"\" is no URL"),
            ("/only/a/path", "\"/only/a/path\" has no host"),
            (
                "ftp://example.com",
                "\"ftp://example.com\" begins neither with https:// nor with http://",
            ),
            (
                "example.com:6443",
                "\"example.com:6443\" begins neither with https:// nor with http://",
            ),
        ] {
            assert_eq!(endpoint(url).err().unwrap().to_string(), why);
        }
    }
}
