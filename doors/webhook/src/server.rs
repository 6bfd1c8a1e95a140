//! `Server`: the listener of the webhook, with its certificate, its configuration file, its cluster and its end.

use crate::certificates::{CertificateManager, SelfSignedConfig};
use crate::cluster::{ClusterHandle, ClusterSource, LiveCluster};
use crate::metrics::{Metrics, seconds};
use crate::notices::{NoticeConfig, NoticeWriters, Notices};
use crate::otlp::{Exporter, Tracer, TracingConfig};
use crate::reload::{ConfigurationError, CurrentReviewer};
use crate::service::WebhookService;
use ratchet_engine::ApiConfig;
use ratchet_http::{Drain, KeyFiles, ListenLimits, Listener, Service, TlsError, TlsReload};
use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

/// The interval at which the configuration file is looked at.
const RELOAD_INTERVAL: Duration = Duration::from_secs(10);
/// How long the server waits at its end for the last spans and the Lease.
const FAREWELL: Duration = Duration::from_secs(2);

/// What a server is started with.
#[derive(Clone, Debug)]
pub struct ServerConfig {
    /// The address to listen at; with port 0 the system chooses one.
    pub address: SocketAddr,
    /// The certificate to serve with.
    pub certificates: CertificateSource,
    /// The configuration file; without one every rule is enforced.
    pub file: Option<PathBuf>,
    /// The rules in force.
    pub api_config: ApiConfig,
    /// What is written about findings; nothing without a live cluster.
    pub notices: NoticeConfig,
    /// Where traces go, if anywhere.
    pub tracing: Option<TracingConfig>,
    /// How long the server answers, while it is no longer ready, before it stops.
    pub shutdown_delay: Duration,
}

/// Where the certificate comes from.
#[derive(Clone, Debug)]
pub enum CertificateSource {
    /// Files, which are read again when they change.
    Files(KeyFiles),
    /// An authority of the webhook's own.
    SelfSigned(SelfSignedConfig),
}

impl ServerConfig {
    /// A server with a certificate from files that writes nothing anywhere.
    pub fn new(address: SocketAddr, files: KeyFiles, api_config: ApiConfig) -> Self {
        Self {
            address,
            certificates: CertificateSource::Files(files),
            file: None,
            api_config,
            notices: NoticeConfig::default(),
            tracing: None,
            shutdown_delay: Duration::ZERO,
        }
    }
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
    /// Something needs a cluster, and there is none.
    #[error(
        "{0} needs a cluster: name a kubeconfig with --kubeconfig, or run in a pod with a service account"
    )]
    NoCluster(&'static str),
    /// Traces cannot be sent to the endpoint.
    #[error("{0}")]
    Tracing(String),
}

/// A server that is bound and does not serve yet.
pub struct Server {
    listener: Listener,
    tls: Arc<TlsReload>,
    reviewer: Arc<CurrentReviewer>,
    service: Arc<WebhookService>,
    metrics: Arc<Metrics>,
    live: Option<Arc<LiveCluster>>,
    manager: Option<CertificateManager>,
    writers: Option<NoticeWriters>,
    exporter: Option<Exporter>,
    stop: Drain,
    shutdown_delay: Duration,
}

impl Server {
    /// Reads the files and binds the address. What verdicts need to know of the cluster comes from `cluster`.
    pub async fn bind(
        config: ServerConfig,
        cluster: impl Into<ClusterSource>,
    ) -> Result<Self, StartError> {
        let ServerConfig { address, certificates, file, api_config, notices, tracing, .. } = config;
        let metrics = Arc::new(Metrics::new());
        let reviewer = Arc::new(CurrentReviewer::load(api_config, file, Arc::clone(&metrics))?);
        let (view, live) = view_of(cluster.into(), &metrics);
        let (tls, manager) = match certificates {
            CertificateSource::Files(KeyFiles { certificate, key }) => {
                (TlsReload::from_files(certificate, key)?, None)
            }
            CertificateSource::SelfSigned(config) => {
                let live = live.as_ref().ok_or(StartError::NoCluster("--self-signed"))?;
                let cluster = live.cluster.clone();
                let (manager, tls) =
                    CertificateManager::new(config, cluster, Arc::clone(&metrics))?;
                (tls, Some(manager))
            }
        };
        let listener = Listener::bind(address).await;
        let listener = listener.map_err(|error| StartError::Listen { address, error })?;
        let stop = Drain::new();
        let state = manager.as_ref().map(CertificateManager::state);
        let mut service =
            WebhookService::new(Arc::clone(&reviewer), view, Arc::clone(&metrics), state, &stop);
        let writers = match (&live, notices) {
            (_, NoticeConfig { events: false, reports: false }) => None,
            (None, _) => return Err(StartError::NoCluster("--events or --reports")),
            (Some(live), config) => {
                let (notices, writers) = Notices::new(config, &live.cluster, &metrics);
                service.notices = Some(notices);
                Some(writers)
            }
        };
        let exporter = match &tracing {
            None => None,
            Some(config) => {
                let (tracer, exporter) =
                    Tracer::new(config, &metrics).map_err(StartError::Tracing)?;
                service.tracer = Some(tracer);
                Some(exporter)
            }
        };
        Ok(Self {
            listener,
            tls,
            reviewer,
            service: Arc::new(service),
            metrics,
            live,
            manager,
            writers,
            exporter,
            stop,
            shutdown_delay: config.shutdown_delay,
        })
    }

    /// The bound address.
    pub fn address(&self) -> SocketAddr {
        self.listener.address()
    }

    /// The signal that ends the server: it is no longer ready; after the delay there are no new connections, and calls
    /// under way are answered.
    pub fn drain(&self) -> Drain {
        self.stop.clone()
    }

    /// Reads the files again when it is called, as on SIGHUP.
    pub fn reload_handle(&self) -> ReloadHandle {
        ReloadHandle {
            tls: Arc::clone(&self.tls),
            reviewer: Arc::clone(&self.reviewer),
            metrics: Arc::clone(&self.metrics),
        }
    }

    /// Serves until it is drained.
    pub async fn serve(mut self, limits: ListenLimits) {
        let handle = self.reload_handle();
        handle.show_expiry();
        let service: Arc<dyn Service> = self.service;
        let drain = Drain::new();
        let stopping = stop_after(self.stop, self.shutdown_delay, drain.clone());
        let live = self.live;
        let following = async {
            match live {
                Some(live) => live.namespaces.follow(live.cluster.clone()).await,
                None => std::future::pending().await,
            }
        };
        let certificates = async {
            match &mut self.manager {
                Some(manager) => manager.run().await,
                None => std::future::pending().await,
            }
        };
        let writing = async {
            match self.writers {
                Some(writers) => writers.run().await,
                None => std::future::pending().await,
            }
        };
        let exporting = async {
            if let Some(exporter) = &mut self.exporter {
                exporter.run().await;
            }
            std::future::pending::<()>().await;
        };
        tokio::select! {
            () = handle.follow() => {}
            () = stopping => {}
            () = following => {}
            () = certificates => {}
            () = writing => {}
            () = exporting => {}
            () = self.listener.serve(self.tls, service, drain, limits) => {}
        }
        let farewell = async {
            if let Some(manager) = &mut self.manager {
                manager.release().await;
            }
            if let Some(exporter) = &mut self.exporter {
                exporter.finish().await;
            }
        };
        if tokio::time::timeout(FAREWELL, farewell).await.is_err() {
            tracing::warn!("the last spans or the Lease could not be written");
        }
    }
}

fn view_of(
    source: ClusterSource,
    metrics: &Arc<Metrics>,
) -> (ClusterHandle, Option<Arc<LiveCluster>>) {
    match source {
        ClusterSource::Fixed(reader) => (ClusterHandle::Fixed(reader), None),
        ClusterSource::Live(cluster) => {
            let live = Arc::new(LiveCluster::new(cluster, metrics));
            (ClusterHandle::Live(Arc::clone(&live)), Some(live))
        }
    }
}

/// Begins to drain some time after the signal to stop, so that those who route calls here learn of it before; never
/// completes.
async fn stop_after(stop: Drain, delay: Duration, drain: Drain) {
    stop.wait().await;
    tokio::time::sleep(delay).await;
    drain.begin();
    std::future::pending::<()>().await;
}

/// Reads the certificate and the configuration again.
#[derive(Clone)]
pub struct ReloadHandle {
    tls: Arc<TlsReload>,
    reviewer: Arc<CurrentReviewer>,
    metrics: Arc<Metrics>,
}

impl ReloadHandle {
    /// Reads the files now; what is wrong with them is logged, and the old ones stay in force.
    pub fn now(&self) {
        self.tls.reload_now();
        self.show_expiry();
        self.reviewer.reload();
    }

    fn show_expiry(&self) {
        self.metrics.certificate_expiry.with(&["serving"]).set(seconds(self.tls.expiry()));
    }

    /// Looks at the configuration file from time to time, for ever. The listener does so with the certificate.
    async fn follow(self) {
        loop {
            tokio::time::sleep(RELOAD_INTERVAL).await;
            self.show_expiry();
            let reviewer = Arc::clone(&self.reviewer);
            // A slow disk must not block the requests of this thread.
            if tokio::task::spawn_blocking(move || reviewer.reload()).await.is_err() {
                tracing::error!("looking at the configuration file failed");
            }
        }
    }
}
