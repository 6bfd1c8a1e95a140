//! Client for backends that are not kubelets (pods, services, other ports of nodes): no
//! verification, no client certificate.

use std::fmt;
use std::sync::Arc;

use bytes::Bytes;
use http::{Request, Response};
use http_body::Body;
use http_body_util::BodyExt;
use ratchet_tls::AcceptAnyServer;
use rustls::ClientConfig;

use crate::generation::{Offer, config};
use crate::http_connection::{BoxError, Target};
use crate::pool::{DialedConnection, Pool};
use crate::settings::authority;
use crate::{Connection, KubeletError, OpenError, PooledBody, Proxies, Timing, proxy, tls};

/// The protocol of a backend.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Scheme {
    /// Plain HTTP.
    Http,
    /// HTTPS with any certificate.
    Https,
}

impl Scheme {
    /// The default port of the scheme.
    pub fn default_port(self) -> u16 {
        match self {
            Self::Http => 80,
            Self::Https => 443,
        }
    }
}

/// A client for backends that are not kubelets. It shares nothing with the client for kubelets,
/// least of all our certificate. Clones share the connection pool.
#[derive(Clone)]
pub struct Others(Arc<Inner>);

struct Inner {
    dialer: Arc<Dialer>,
    pool: Arc<Pool<(Scheme, String, u16)>>,
}

struct Dialer {
    timing: Timing,
    proxies: Proxies,
    any: Arc<ClientConfig>,
    upgradeable: Arc<ClientConfig>,
}

impl fmt::Debug for Others {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Others").finish_non_exhaustive()
    }
}

impl Others {
    /// Opens a client with these timeouts and proxies.
    pub fn open(timing: Timing, proxies: Proxies) -> Result<Self, OpenError> {
        let provider = Arc::new(rustls::crypto::aws_lc_rs::default_provider());
        let build =
            |offer| config(&provider, Arc::new(AcceptAnyServer::new(&provider)), None, offer);
        let (any, upgradeable) = (build(Offer::Any)?, build(Offer::Upgradeable)?);
        let pool = Pool::new(timing.clone());
        let dialer = Arc::new(Dialer { timing, proxies, any, upgradeable });
        Ok(Self(Arc::new(Inner { dialer, pool })))
    }

    /// Sends a request, whose URI is a path with its query, and returns the response as soon as its
    /// head arrives.
    pub async fn send<B>(
        &self,
        scheme: Scheme,
        host: &str,
        port: u16,
        request: Request<B>,
    ) -> Result<Response<PooledBody>, KubeletError>
    where
        B: Body<Data = Bytes> + Send + 'static,
        B::Error: Into<BoxError>,
    {
        let name = match scheme {
            Scheme::Http => http::uri::Scheme::HTTP,
            Scheme::Https => http::uri::Scheme::HTTPS,
        };
        let target = Target::new(name, &authority(host, port))?;
        let request = request.map(|body| body.map_err(Into::into).boxed_unsync());
        let dial = || {
            let (dialer, host) = (Arc::clone(&self.0.dialer), host.to_owned());
            async move {
                let connection = dialer.dial(scheme, &host, port, Offer::Any).await?;
                Ok(DialedConnection { connection, generation: 1 })
            }
        };
        self.0.pool.send(&(scheme, host.to_owned(), port), &target, dial, request).await
    }

    /// A new connection to be upgraded.
    pub async fn dial(
        &self,
        scheme: Scheme,
        host: &str,
        port: u16,
    ) -> Result<Connection, KubeletError> {
        self.0.dialer.dial(scheme, host, port, Offer::Upgradeable).await
    }
}

impl Dialer {
    async fn dial(
        &self,
        scheme: Scheme,
        host: &str,
        port: u16,
        offer: Offer,
    ) -> Result<Connection, KubeletError> {
        if scheme == Scheme::Http {
            return crate::dial::tcp(host, port, &self.timing).await.map(Connection::plain);
        }
        let tcp = proxy::tcp(&self.proxies, host, port, &self.timing).await?;
        let config = if offer == Offer::Any { &self.any } else { &self.upgradeable };
        let name = tls::server_name_or_none(host);
        let stream = tls::handshake(tcp, Arc::clone(config), name, self.timing.handshake).await?;
        Ok(Connection::tls(stream))
    }
}
