//! Client for servers that are verified by given roots under a given name, such as webhooks: no client certificate.

use std::fmt;
use std::sync::Arc;

use bytes::Bytes;
use http::{Request, Response};
use http_body::Body;
use http_body_util::BodyExt;

use crate::http_connection::{BoxError, Target};
use crate::pool::{DialedConnection, Pool};
use crate::roots::TrustedRoots;
use crate::{Connection, KubeletError, PooledBody, Proxies, Timing, dial, proxy, tls};

/// A server, as its URL and its certificate name it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct VerifiedPeer<'a> {
    /// `host:port` of the URL.
    pub authority: &'a str,
    /// The name that the certificate must be for: a DNS name or an address.
    pub server_name: &'a str,
    /// Whether HTTP/2 is not even offered.
    pub only_http1: bool,
}

/// Where the connection to a server goes; asked for when one is opened.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Destination {
    /// An address or a DNS name, without brackets.
    pub host: String,
    /// The port.
    pub port: u16,
    /// Whether the proxies of the environment are used.
    pub uses_proxies: bool,
}

/// A client for servers that are verified. It shares nothing with the client for kubelets. Clones share connections.
#[derive(Clone)]
pub struct VerifiedClient(Arc<Inner>);

struct Inner {
    timing: Timing,
    proxies: Proxies,
    pool: Arc<Pool<Key>>,
}

/// What a connection was verified for.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Key {
    roots: u64,
    authority: String,
    server_name: String,
    only_http1: bool,
}

impl fmt::Debug for VerifiedClient {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("VerifiedClient").finish_non_exhaustive()
    }
}

impl VerifiedClient {
    /// A client with these timeouts and proxies.
    pub fn new(timing: Timing, proxies: Proxies) -> Self {
        let pool = Pool::new(timing.clone());
        Self(Arc::new(Inner { timing, proxies, pool }))
    }

    /// Sends a request, whose URI is a path with its query, and returns the response as soon as its head arrives.
    /// `locate` says where the server is, or why nobody knows, whenever a connection is opened.
    pub async fn send<B>(
        &self,
        roots: &TrustedRoots,
        peer: VerifiedPeer<'_>,
        locate: impl Fn() -> Result<Destination, String>,
        request: Request<B>,
    ) -> Result<Response<PooledBody>, KubeletError>
    where
        B: Body<Data = Bytes> + Send + 'static,
        B::Error: Into<BoxError>,
    {
        let target = Target::new(http::uri::Scheme::HTTPS, peer.authority)?;
        let request = request.map(|body| body.map_err(Into::into).boxed_unsync());
        let key = Key {
            roots: roots.number(),
            authority: peer.authority.to_owned(),
            server_name: peer.server_name.to_owned(),
            only_http1: peer.only_http1,
        };
        let dial = || {
            let (inner, roots, key) = (Arc::clone(&self.0), roots.clone(), key.clone());
            let destination = locate();
            async move {
                let destination = destination.map_err(KubeletError::Exchange)?;
                let connection = inner.dial(&roots, &key, &destination).await?;
                Ok(DialedConnection { connection, generation: 1 })
            }
        };
        self.0.pool.send(&key, &target, dial, request).await
    }
}

impl Inner {
    async fn dial(
        &self,
        roots: &TrustedRoots,
        key: &Key,
        destination: &Destination,
    ) -> Result<Connection, KubeletError> {
        let Destination { host, port, uses_proxies } = destination;
        let no_name = || {
            KubeletError::Certificate(format!(
                "x509: certificate is not valid for any names, but wanted to match {}",
                key.server_name
            ))
        };
        let name = tls::server_name(&key.server_name).ok_or_else(no_name)?;
        let tcp = match uses_proxies {
            true => proxy::tcp(&self.proxies, host, *port, &self.timing).await?,
            false => dial::tcp(host, *port, &self.timing).await?,
        };
        let config = roots.config(key.only_http1);
        let stream = tls::handshake(tcp, config, name, self.timing.handshake).await?;
        Ok(Connection::tls(stream))
    }
}
