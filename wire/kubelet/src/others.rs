//! Connections to what is no kubelet (pods, services, other ports of nodes), where nothing is verified and nothing is shown.

use std::fmt;
use std::sync::Arc;

use bytes::Bytes;
use http::{Request, Response};
use http_body::Body;
use http_body_util::BodyExt;
use rustls::ClientConfig;

use crate::generation::{Offer, config};
use crate::line::{BoxError, Target};
use crate::pool::{Dialled, Pool};
use crate::settings::authority;
use crate::verifier::Anyone;
use crate::{Connection, KubeletError, OpenError, PooledBody, Proxies, Timing, proxy, tls};

/// How to speak with it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Scheme {
    /// In the clear.
    Http,
    /// In TLS, with whoever answers.
    Https,
}

impl Scheme {
    /// The port that is meant where none is named.
    pub fn default_port(self) -> u16 {
        match self {
            Self::Http => 80,
            Self::Https => 443,
        }
    }
}

/// All connections to what is no kubelet. They share nothing with those to kubelets, least of all our certificate. A
/// clone is the same.
#[derive(Clone)]
pub struct Others(Arc<Inner>);

struct Inner {
    dialler: Arc<Dialler>,
    pool: Arc<Pool<(Scheme, String, u16)>>,
}

struct Dialler {
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
    /// Connections that wait no longer than this.
    pub fn open(timing: Timing, proxies: Proxies) -> Result<Self, OpenError> {
        let provider = Arc::new(rustls::crypto::aws_lc_rs::default_provider());
        let made = |offer| config(&provider, Arc::new(Anyone::new(&provider)), None, offer);
        let (any, upgradeable) = (made(Offer::Any)?, made(Offer::Upgradeable)?);
        let pool = Pool::new(timing.clone());
        let dialler = Arc::new(Dialler { timing, proxies, any, upgradeable });
        Ok(Self(Arc::new(Inner { dialler, pool })))
    }

    /// Sends a request, whose URI is a path with its query, and gives the answer as soon as its head is there.
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
            let (dialler, host) = (Arc::clone(&self.0.dialler), host.to_owned());
            async move {
                let connection = dialler.dial(scheme, &host, port, Offer::Any).await?;
                Ok(Dialled { connection, generation: 1 })
            }
        };
        self.0.pool.send(&(scheme, host.to_owned(), port), &target, dial, request).await
    }

    /// A new connection for one who upgrades it.
    pub async fn dial(
        &self,
        scheme: Scheme,
        host: &str,
        port: u16,
    ) -> Result<Connection, KubeletError> {
        self.0.dialler.dial(scheme, host, port, Offer::Upgradeable).await
    }
}

impl Dialler {
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
