//! Connections to kubelets: asked for by the name of a node, and given only if the certificate is that node's.

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
use crate::line::{BoxError, Target};
use crate::notices::Notices;
use crate::pool::{Dialled, Pool};
use crate::{
    Connection, Endpoint, KubeletError, NameCheck, NodeName, OpenError, PooledBody, Settings,
    Trust, Verification, proxy, tls,
};

/// Told once for every new connection whose chain and host were good: whether it bears its node's name.
pub type Witness = Box<dyn Fn(bool) + Send + Sync>;

/// All connections to kubelets. A clone is the same.
#[derive(Clone)]
pub struct Kubelets(Arc<Inner>);

struct Inner {
    dialler: Arc<Dialler>,
    /// By everything that a connection is made for: never by its address alone, which two nodes may share.
    pool: Arc<Pool<(Endpoint, Verification)>>,
}

/// The one way to a kubelet, for pooled connections and for others.
struct Dialler {
    settings: Settings,
    generations: Generations,
    notices: Notices,
    witness: Witness,
    opened: AtomicU64,
    failed: AtomicU64,
}

/// How many connections were asked for, pooled ones once.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Connected {
    /// Those that could be used.
    pub opened: u64,
    /// Those that could not: nobody answered, or the certificate was no good.
    pub failed: u64,
}

impl fmt::Debug for Kubelets {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Kubelets")
            .field("settings", &self.0.dialler.settings)
            .finish_non_exhaustive()
    }
}

impl Kubelets {
    /// Reads the files.
    pub fn open(settings: Settings, witness: Witness) -> Result<Self, OpenError> {
        let generations = Generations::open(&settings)?;
        let notices = Notices::new(settings.timing.notice);
        let pool = Pool::new(settings.timing.clone());
        let (opened, failed) = (AtomicU64::new(0), AtomicU64::new(0));
        let dialler = Dialler { settings, generations, notices, witness, opened, failed };
        let dialler = Arc::new(dialler);
        Ok(Self(Arc::new(Inner { dialler, pool })))
    }

    /// Sends a request, whose URI is a path with its query, and gives the answer as soon as its head is there.
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
            let (dialler, to) = (Arc::clone(&self.0.dialler), to.clone());
            async move { dialler.dial(&to, verification, Offer::Any).await }
        };
        self.0.pool.send(&(to.clone(), verification), &target, dial, request).await
    }

    /// A new connection for one who upgrades it: HTTP/1.1, verified as every other.
    pub async fn dial(&self, to: &Endpoint) -> Result<Connection, KubeletError> {
        let dialled = self.0.dialler.dial(to, Verification::Full, Offer::Upgradeable).await?;
        Ok(dialled.connection)
    }

    /// How many connections there were so far, however they are verified.
    pub fn connections(&self) -> Connected {
        let Dialler { opened, failed, .. } = &*self.0.dialler;
        Connected { opened: opened.load(Ordering::Relaxed), failed: failed.load(Ordering::Relaxed) }
    }

    /// Looks at the files now; what is broken is told in the log and changes nothing.
    pub fn reload_now(&self) {
        match self.0.dialler.generations.reload(&self.0.dialler.settings) {
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

    /// Looks at the files again and again, for ever; secret mounts swap links, which polling sees and inotify does not.
    pub async fn watch(self, every: Duration) {
        loop {
            tokio::time::sleep(every).await;
            let this = self.clone();
            // A slow disk must not hold up the requests of this thread.
            if tokio::task::spawn_blocking(move || this.reload_now()).await.is_err() {
                tracing::error!("looking at the certificates for kubelets failed");
            }
        }
    }
}

impl Dialler {
    /// Opens a connection, and counts it.
    async fn dial(
        &self,
        to: &Endpoint,
        verification: Verification,
        offer: Offer,
    ) -> Result<Dialled, KubeletError> {
        let dialled = self.open(to, verification, offer).await;
        let counter = if dialled.is_ok() { &self.opened } else { &self.failed };
        counter.fetch_add(1, Ordering::Relaxed);
        dialled
    }

    async fn open(
        &self,
        to: &Endpoint,
        verification: Verification,
        offer: Offer,
    ) -> Result<Dialled, KubeletError> {
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
        Ok(Dialled { connection: Connection::tls(stream), generation: generation.number })
    }

    /// Whether the certificate is the node's. It is asked of the connection as it stands, after chain and host were
    /// found good, so that no way through a handshake leads past it.
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
                self.notices.tell(node, &fault, mode);
                if mode == NameCheck::Enforce { Err(fault.into()) } else { Ok(()) }
            }
        }
    }
}

/// For a host that no certificate can name.
fn no_name(host: &str) -> KubeletError {
    let host = host.escape_default();
    let why = format!("x509: certificate is not valid for any names, but wanted to match {host}");
    KubeletError::Certificate(why)
}
