//! Client for kubelets: connects by node name, and only if the certificate belongs to that node.

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use bytes::Bytes;
use http::uri::Scheme;
use http::{Request, Response};
use http_body::Body;
use http_body_util::BodyExt;
use tokio::net::TcpStream;
use tokio_rustls::client::TlsStream;

use crate::generation::{Generations, Offer};
use crate::http_connection::{BoxError, Target};
use crate::notices::Notices;
use crate::pool::{DialedConnection, Pool};
use crate::{
    Connection, Endpoint, KubeletError, NameCheck, NodeName, OpenError, PooledBody, Settings,
    Trust, Verification, proxy, tls,
};

/// Called once for every new connection whose chain and host were valid: whether it has its node's
/// name.
pub type Witness = Box<dyn Fn(bool) + Send + Sync>;

/// A client for all kubelets. Clones share the connection pool.
#[derive(Clone)]
pub struct KubeletClient(Arc<Inner>);

struct Inner {
    dialer: Arc<Dialer>,
    /// Keyed by everything that a connection is verified for: never by its address alone, which two
    /// nodes may share.
    pool: Arc<Pool<(Endpoint, Verification)>>,
}

/// Dials kubelets, for pooled connections and for others.
struct Dialer {
    settings: Settings,
    generations: Generations,
    notices: Notices,
    witness: Witness,
    opened: AtomicU64,
    failed: AtomicU64,
}

/// The number of connection attempts so far.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ConnectionCounts {
    /// Successful attempts.
    pub opened: u64,
    /// Failed attempts: no response, or a certificate that was not accepted.
    pub failed: u64,
}

impl fmt::Debug for KubeletClient {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Kubelets")
            .field("settings", &self.0.dialer.settings)
            .finish_non_exhaustive()
    }
}

impl KubeletClient {
    /// Opens a client with the files in `settings`.
    pub fn open(settings: Settings, witness: Witness) -> Result<Self, OpenError> {
        let generations = Generations::open(&settings)?;
        let notices = Notices::new(settings.timing.notice);
        let pool = Pool::new(settings.timing.clone());
        let (opened, failed) = (AtomicU64::new(0), AtomicU64::new(0));
        let dialer = Dialer { settings, generations, notices, witness, opened, failed };
        let dialer = Arc::new(dialer);
        Ok(Self(Arc::new(Inner { dialer, pool })))
    }

    /// Sends a request, whose URI is a path with its query, and returns the response as soon as its
    /// head arrives.
    pub async fn send<B>(
        &self,
        to: &Endpoint,
        verification: Verification,
        request: Request<B>,
    ) -> Result<Response<PooledBody>, KubeletError>
    where
        B: Body<Data = Bytes> + Send + 'static,
        B::Error: Into<BoxError>,
    {
        let target = Target::new(Scheme::HTTPS, &to.authority())?;
        let request = request.map(|body| body.map_err(Into::into).boxed_unsync());
        let dial = || {
            let (dialer, to) = (Arc::clone(&self.0.dialer), to.clone());
            async move { dialer.dial(&to, verification, Offer::Any).await }
        };
        self.0.pool.send(&(to.clone(), verification), &target, dial, request).await
    }

    /// A new connection to be upgraded: HTTP/1.1, verified like every other.
    pub async fn dial(&self, to: &Endpoint) -> Result<Connection, KubeletError> {
        let dialed = self.0.dialer.dial(to, Verification::Full, Offer::Upgradeable).await?;
        Ok(dialed.connection)
    }

    /// The number of connection attempts so far, whatever their verification.
    pub fn connections(&self) -> ConnectionCounts {
        let Dialer { opened, failed, .. } = &*self.0.dialer;
        ConnectionCounts {
            opened: opened.load(Ordering::Relaxed),
            failed: failed.load(Ordering::Relaxed),
        }
    }

    /// Reloads the files now; broken files are logged and change nothing.
    pub fn reload_now(&self) {
        match self.0.dialer.generations.reload(&self.0.dialer.settings) {
            Ok(Some(generation)) => {
                self.0.pool.retire(generation);
                tracing::info!("the certificates for kubelets were replaced");
            }
            Ok(None) => {}
            Err(error) => {
                tracing::warn!(%error, "the new certificates for kubelets are not usable, the old ones stay");
            }
        }
    }

    /// Reloads the files periodically, for ever; secret mounts swap links, which polling sees and
    /// inotify does not.
    pub async fn watch(self, every: Duration) {
        loop {
            tokio::time::sleep(every).await;
            let this = self.clone();
            // A slow disk must not block the requests of this thread.
            if tokio::task::spawn_blocking(move || this.reload_now()).await.is_err() {
                tracing::error!("looking at the certificates for kubelets failed");
            }
        }
    }
}

impl Dialer {
    /// Opens a connection, and counts it.
    async fn dial(
        &self,
        to: &Endpoint,
        verification: Verification,
        offer: Offer,
    ) -> Result<DialedConnection, KubeletError> {
        let dialed = self.open(to, verification, offer).await;
        let counter = if dialed.is_ok() { &self.opened } else { &self.failed };
        counter.fetch_add(1, Ordering::Relaxed);
        dialed
    }

    async fn open(
        &self,
        to: &Endpoint,
        verification: Verification,
        offer: Offer,
    ) -> Result<DialedConnection, KubeletError> {
        let Settings { timing, proxies, trust, .. } = &self.settings;
        let generation = self.generations.current();
        let name = if verification == Verification::Full && *trust != Trust::Anyone {
            tls::server_name(&to.host).ok_or_else(|| no_name(&to.host))?
        } else {
            tls::server_name_or_none(&to.host)
        };
        let tcp = proxy::tcp(proxies, &to.host, to.port, timing).await?;
        let config = generation.config(verification, offer);
        let stream = tls::handshake(tcp, config, name, timing.handshake).await?;
        if verification == Verification::Full {
            self.check_name(&to.node, &stream)?;
        }
        Ok(DialedConnection { connection: Connection::tls(stream), generation: generation.number })
    }

    /// Whether the certificate is the node's. Checked on the established connection, after chain
    /// and host were verified, so that no path through a handshake can bypass it.
    fn check_name(
        &self,
        node: &NodeName,
        stream: &TlsStream<TcpStream>,
    ) -> Result<(), KubeletError> {
        let mode = match self.settings.trust {
            Trust::Anyone => return Ok(()),
            Trust::Authority { names, .. } => names,
        };
        if mode == NameCheck::Off {
            return Ok(());
        }
        let chain = stream.get_ref().1.peer_certificates().unwrap_or_default();
        let leaf = chain.first().map(AsRef::as_ref).unwrap_or_default();
        let verdict = node.is_borne_by(leaf);
        (self.witness)(verdict.is_ok());
        match verdict {
            Ok(()) => Ok(()),
            Err(fault) => {
                self.notices.report(node, &fault, mode);
                if mode == NameCheck::Enforce { Err(fault.into()) } else { Ok(()) }
            }
        }
    }
}

/// The error for a host that no certificate can name.
fn no_name(host: &str) -> KubeletError {
    let host = host.escape_default();
    let why = format!("x509: certificate is not valid for any names, but wanted to match {host}");
    KubeletError::Certificate(why)
}
