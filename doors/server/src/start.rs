//! A server starts: the store is read, what is missing is made, then the door opens.

use crate::app::App;
use crate::authorize::Authorizer;
use crate::cache::Cache;
use crate::cluster_view::ClusterView;
use crate::config::{Config, Credentials};
use crate::metrics::Metrics;
use crate::served::{Registry, storage_names};
use crate::server::Server;
use crate::{admission, bootstrap};
use ratchet_http::health::{Checks, Endpoint};
use ratchet_http::{Drain, ListenLimits, Listener, TlsReload};
use ratchet_identity::{
    Authenticators, Authorities, PublicKey, ServiceAccounts, SigningKey, TokenFile,
};
use ratchet_store::{Revision, Store, StoreError};
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::Duration;

/// Why a server does not start, or stops by itself.
#[derive(Debug, thiserror::Error)]
pub enum StartError {
    /// The store cannot be read.
    #[error("cannot read the store: {0}")]
    Store(#[from] StoreError),
    /// The address is taken or not there.
    #[error("failed to create listener: failed to listen on {address}: {why}")]
    Listen {
        /// The address.
        address: String,
        /// What the system says.
        why: std::io::Error,
    },
    /// A file cannot be used.
    #[error("{0}")]
    File(String),
    /// What must be there could not be made.
    #[error("cannot prepare the store: {0}")]
    Bootstrap(String),
}

/// A server that is ready, and has not yet begun to answer.
pub struct Ready {
    /// The parts, for those who ask from within.
    pub app: Arc<App>,
    listener: Listener,
    tls: Arc<TlsReload>,
    limits: ListenLimits,
    compaction: Duration,
}

/// Puts a server together; when this returns, the port is bound and everything is in memory.
pub async fn start(config: Config, store: Arc<dyn Store>) -> Result<Ready, StartError> {
    let listener = Listener::bind(config.bind)
        .await
        .map_err(|why| StartError::Listen { address: config.bind.to_string(), why })?;
    let limits = ListenLimits { drain_limit: config.drain_limit, ..ListenLimits::default() };
    let tls = TlsReload::from_pairs(config.credentials.serving.clone(), Vec::new())
        .map_err(|error| StartError::File(error.to_string()))?;
    let cache = Cache::fill(store, storage_names()).await?;
    let accounts = Arc::new(accounts(&config.credentials)?);
    let identity = Authenticators::new(identity(&config, &cache, accounts.clone())?);
    let drain = Drain::new();
    let lost = Arc::new(AtomicBool::new(false));
    let port = listener.address().port();
    let host = config.advertise.unwrap_or(listener.address().ip());
    let app = Arc::new(App {
        registry: Registry::new(&cache, config.policy.emulated),
        authorizer: Authorizer::new(config.modes, &cache),
        plugins: admission::Plugins::new(config.plugins),
        metrics: Metrics::new(&config.policy),
        health: checks(&drain, &lost),
        policy: config.policy,
        identity,
        accounts,
        ranges: config.ranges,
        audit: config.audit,
        drain,
        address: std::net::SocketAddr::new(host, port).to_string(),
        openapi_hashes: OnceLock::new(),
        cache,
    });
    let follower = app.clone();
    tokio::spawn(async move {
        if let Err(error) = follower.cache.follow().await {
            tracing::error!(%error, "the store can no longer be followed; reads would be stale");
        }
        lost.store(true, Ordering::Relaxed);
    });
    app.count_objects();
    bootstrap::run(&app).await.map_err(|refusal| StartError::Bootstrap(refusal.message))?;
    Ok(Ready { app, listener, tls, limits, compaction: config.compaction })
}

impl Ready {
    /// Where the server listens.
    pub fn address(&self) -> std::net::SocketAddr {
        self.listener.address()
    }

    /// Reads the serving certificate again, if its files have changed.
    pub fn tls(&self) -> Arc<TlsReload> {
        self.tls.clone()
    }

    /// Answers requests until the server is drained.
    pub async fn serve(self) {
        let compactor = tokio::spawn(compact(self.app.clone(), self.compaction));
        let drain = self.app.drain.clone();
        self.listener.serve(self.tls, Arc::new(Server(self.app)), drain, self.limits).await;
        compactor.abort();
    }
}

fn checks(drain: &Drain, lost: &Arc<AtomicBool>) -> Checks {
    let (drain, lost, lost_too) = (drain.clone(), lost.clone(), lost.clone());
    let follows = move |lost: &AtomicBool| match lost.load(Ordering::Relaxed) {
        false => Ok(()),
        true => Err("the store is no longer followed".to_owned()),
    };
    Checks::new()
        .with("log", &Endpoint::ALL, || Ok(()))
        .with("etcd", &Endpoint::ALL, move || follows(&lost))
        .with("etcd-readiness", &[Endpoint::Readyz], move || follows(&lost_too))
        .with("informer-sync", &[Endpoint::Readyz], || Ok(()))
        .with("poststarthook/rbac/bootstrap-roles", &Endpoint::ALL, || Ok(()))
        .with("shutdown", &[Endpoint::Readyz], move || match drain.is_draining() {
            false => Ok(()),
            true => Err("process is shutting down".to_owned()),
        })
}

/// Forgets what happened more than two rounds ago, so that clients that page or resume have time.
async fn compact(app: Arc<App>, every: Duration) {
    if every.is_zero() {
        return;
    }
    let mut before = Revision(0);
    loop {
        tokio::time::sleep(every).await;
        if before.0 > 0
            && let Err(error) = app.cache.store().compact(before).await
        {
            tracing::warn!(%error, "old revisions could not be forgotten");
        }
        before = Revision(app.cache.reached());
    }
}

fn read(path: &Path) -> Result<Vec<u8>, StartError> {
    std::fs::read(path).map_err(|why| StartError::File(format!("open {}: {why}", path.display())))
}

fn accounts(files: &Credentials) -> Result<ServiceAccounts, StartError> {
    let unusable = |path: &Path, why: &dyn std::fmt::Display| {
        StartError::File(format!("failed to parse service-account key {}: {why}", path.display()))
    };
    let signing_key = SigningKey::from_pem(&read(&files.signing_key)?)
        .map_err(|why| unusable(&files.signing_key, &why))?;
    let mut keys = vec![signing_key.public().clone()];
    for path in &files.verification_keys {
        keys.extend(PublicKey::all_from_pem(&read(path)?).map_err(|why| unusable(path, &why))?);
    }
    let issuer = files.issuers.first().cloned().unwrap_or_default();
    let mut accounts = ServiceAccounts::new(&issuer, Some(signing_key), keys);
    accounts.issuers.clone_from(&files.issuers);
    if !files.audiences.is_empty() {
        accounts.audiences.clone_from(&files.audiences);
    }
    accounts.extend = true;
    Ok(accounts)
}

fn identity(
    config: &Config,
    cache: &Cache,
    accounts: Arc<ServiceAccounts>,
) -> Result<ratchet_identity::Config, StartError> {
    let files = &config.credentials;
    let clients = match &files.client_ca {
        Some(path) => {
            let open = Authorities::open(path);
            let open = open
                .map_err(|why| StartError::File(format!("unable to load client CA file: {why}")))?;
            Some(Arc::new(open))
        }
        None => None,
    };
    let tokens = match &files.token_file {
        Some(path) => {
            let text = String::from_utf8_lossy(&read(path)?).into_owned();
            let parsed = TokenFile::parse(&text);
            Some(parsed.map_err(|why| StartError::File(format!("{}: {why}", path.display())))?)
        }
        None => None,
    };
    Ok(ratchet_identity::Config {
        clients,
        proxy: None,
        tokens,
        accounts: Some(accounts),
        bootstrap_tokens: files.bootstrap_tokens,
        anonymous: files.anonymous,
        cluster: Arc::new(ClusterView::new(cache)),
    })
}
