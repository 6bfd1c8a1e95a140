//! `Server`: the listener of the webhook, with its certificate, its configuration file and its end.

use crate::metrics::Metrics;
use crate::reload::{ConfigurationError, CurrentReviewer};
use crate::service::WebhookService;
use ratchet_engine::ApiConfig;
use ratchet_http::{Drain, ListenLimits, Listener, Service, TlsError, TlsReload};
use ratchet_object::ClusterReader;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

/// The interval at which the configuration file is looked at.
const RELOAD_INTERVAL: Duration = Duration::from_secs(10);

/// What a server is started with.
#[derive(Clone, Debug)]
pub struct ServerConfig {
    /// The address to listen at; with port 0 the system chooses one.
    pub address: SocketAddr,
    /// The certificate, in PEM.
    pub tls_cert_file: PathBuf,
    /// The private key of the certificate, in PEM.
    pub tls_private_key_file: PathBuf,
    /// The configuration file; without one every rule is enforced.
    pub file: Option<PathBuf>,
    /// The rules in force.
    pub api_config: ApiConfig,
}

/// Why a server did not start.
#[derive(Debug, thiserror::Error)]
pub enum StartError {
    /// The configuration file cannot be used.
    #[error(transparent)]
    Configuration(#[from] ConfigurationError),
    /// The certificate or its key cannot be used.
    #[error(transparent)]
    Tls(#[from] TlsError),
    /// The address cannot be listened at.
    #[error("cannot listen at {address}: {error}")]
    Listen {
        /// The address.
        address: SocketAddr,
        /// Why not.
        error: std::io::Error,
    },
}

/// A server that is bound and does not serve yet.
pub struct Server {
    listener: Listener,
    tls: Arc<TlsReload>,
    reviewer: Arc<CurrentReviewer>,
    service: Arc<WebhookService>,
    drain: Drain,
}

impl Server {
    /// Reads the files and binds the address. What verdicts need to know of the cluster comes from `cluster`.
    pub async fn bind(
        config: ServerConfig,
        cluster: Arc<dyn ClusterReader + Send + Sync>,
    ) -> Result<Self, StartError> {
        let ServerConfig { address, tls_cert_file, tls_private_key_file, file, api_config } =
            config;
        let metrics = Arc::new(Metrics::new());
        let reviewer = Arc::new(CurrentReviewer::load(api_config, file, Arc::clone(&metrics))?);
        let tls = TlsReload::from_files(tls_cert_file, tls_private_key_file)?;
        let listener = Listener::bind(address).await;
        let listener = listener.map_err(|error| StartError::Listen { address, error })?;
        let drain = Drain::new();
        let service = WebhookService::new(Arc::clone(&reviewer), cluster, metrics, &drain);
        Ok(Self { listener, tls, reviewer, service: Arc::new(service), drain })
    }

    /// The bound address.
    pub fn address(&self) -> SocketAddr {
        self.listener.address()
    }

    /// The signal that ends the server: no new connections, calls under way are answered.
    pub fn drain(&self) -> Drain {
        self.drain.clone()
    }

    /// Reads the files again when it is called, as on SIGHUP.
    pub fn reload_handle(&self) -> ReloadHandle {
        ReloadHandle { tls: Arc::clone(&self.tls), reviewer: Arc::clone(&self.reviewer) }
    }

    /// Serves until it is drained.
    pub async fn serve(self, limits: ListenLimits) {
        let handle = self.reload_handle();
        let service: Arc<dyn Service> = self.service;
        tokio::select! {
            () = handle.follow() => {}
            () = self.listener.serve(self.tls, service, self.drain, limits) => {}
        }
    }
}

/// Reads the certificate and the configuration again.
#[derive(Clone)]
pub struct ReloadHandle {
    tls: Arc<TlsReload>,
    reviewer: Arc<CurrentReviewer>,
}

impl ReloadHandle {
    /// Reads the files now; what is wrong with them is logged, and the old ones stay in force.
    pub fn now(&self) {
        self.tls.reload_now();
        self.reviewer.reload();
    }

    /// Looks at the configuration file from time to time, for ever. The listener does so with the certificate.
    async fn follow(self) {
        loop {
            tokio::time::sleep(RELOAD_INTERVAL).await;
            let reviewer = Arc::clone(&self.reviewer);
            // A slow disk must not block the requests of this thread.
            if tokio::task::spawn_blocking(move || reviewer.reload()).await.is_err() {
                tracing::error!("looking at the configuration file failed");
            }
        }
    }
}
