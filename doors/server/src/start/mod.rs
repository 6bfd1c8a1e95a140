//! Start: a `Config` and a store enter; a server leaves that is bound, loaded and bootstrapped, and serves until drained.

pub(crate) mod bootstrap;
pub(crate) mod config;
mod flow_control;
mod identity;
mod kubernetes_service;

use self::config::{BackendConfig, Config};
use self::identity::{accounts, authorities, identity, request_header_proxy};
use crate::access::authorize::{Authorizer, Mode};
use crate::access::node_relations::NodeRelations;
use crate::aggregate;
use crate::app::App;
use crate::app::aggregator::{Aggregator, AggregatorConfig};
use crate::app::audit::Auditing;
use crate::app::backends::Backends;
use crate::app::compute::Compute;
use crate::app::definitions::{Definitions, follow};
use crate::app::documents::Documents;
use crate::app::enabled_plugins::EnabledPlugins;
use crate::app::flow_control::FlowController;
use crate::app::metrics::{Metrics, name_witness};
use crate::app::pace::Pace;
use crate::app::policy_set::PolicySet;
use crate::app::quota_locks::QuotaLocks;
use crate::app::service_resolver::ServiceLocator;
use crate::app::token_usage::TokenRecorder;
use crate::app::webhook_set::WebhookSet;
use crate::handler::loopback::{LoopbackClient, LoopbackLabeler, LoopbackWebhook};
use crate::handler::server::Server;
use crate::registry::Registry;
use crate::registry::custom::ConversionClient;
use crate::request::long_running::LongRunning;
use crate::storage::cache::{Cache, Index};
use crate::storage::health::{self, HealthFlags};
use crate::storage::held_revisions::HeldRevisions;
use ratchet_http::health::LogProbe;
use ratchet_http::{Drain, ListenLimits, Listener, TlsError, TlsReload};
use ratchet_identity::{Authenticators, Authorities, Reloading};
use ratchet_kubelet::{Extensions, KubeletClient, Others, Settings, Timing, WebhookClient};
use ratchet_store::{Line, Revision, Split, Store, StoreError};
use ratchet_webhook::AdmissionType;
use std::collections::HashMap;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, Weak};
use std::time::Duration;

/// Why a server does not start.
#[derive(Debug, thiserror::Error)]
pub enum StartError {
    /// The store cannot be read.
    #[error("cannot read the store: {0}")]
    Store(#[from] StoreError),
    /// The store is half a copy.
    #[error(
        "the store is the target of a copy that was not finished: run `ratchet store copy` again until it is"
    )]
    UnfinishedCopy,
    /// The address cannot be bound.
    #[error(
        "failed to create listener: failed to listen on {address}: listen tcp {address}: bind: {}",
        go_io_error(why)
    )]
    Listen {
        /// `host:port` as configured.
        address: String,
        /// The error of the system.
        why: std::io::Error,
    },
    /// A file cannot be read or parsed.
    #[error("{0}")]
    File(String),
    /// The bootstrap objects could not be created.
    #[error("cannot prepare the store: {0}")]
    Bootstrap(String),
}

/// A server that is bound and loaded, but does not serve yet.
pub struct BoundServer {
    /// The server state, for loopback clients.
    pub app: Arc<App>,
    listener: Listener,
    reloads: ReloadHandle,
    stop: ShutdownHandle,
    limits: ListenLimits,
    compaction: Duration,
    log_probe: LogProbe,
}

/// The files that can be reloaded while the server runs.
#[derive(Clone)]
pub struct ReloadHandle {
    tls: Arc<TlsReload>,
    authorities: Vec<Arc<Reloading<Authorities>>>,
    kubelets: KubeletClient,
    extensions: Extensions,
}

impl ReloadHandle {
    /// Reloads all files; an invalid file is logged and changes nothing.
    pub fn now(&self) {
        self.tls.reload_now();
        self.kubelets.reload_now();
        self.extensions.reload_now();
        let mut has_changed = false;
        for authorities in &self.authorities {
            match authorities.poll() {
                Ok(true) => {
                    has_changed = true;
                    tracing::info!("the authorities of clients have changed");
                }
                Ok(false) => {}
                Err(error) => {
                    tracing::warn!(%error, "the authorities of clients stay as they were");
                }
            }
        }
        if has_changed && let Err(error) = self.name_authorities() {
            tracing::warn!(%error, "handshakes name the authorities of clients as before");
        }
    }

    /// Sets the client CAs that the TLS handshake announces.
    fn name_authorities(&self) -> Result<(), TlsError> {
        let now: Vec<_> = self.authorities.iter().map(|authorities| authorities.get()).collect();
        self.tls.name_authorities(now.iter().flat_map(|authorities| authorities.subjects()))
    }
}

/// A handle for graceful shutdown.
#[derive(Clone)]
pub struct ShutdownHandle {
    drain: Drain,
    shutting_down: Arc<AtomicBool>,
    delay: Duration,
}

impl ShutdownHandle {
    /// Fails readiness at once, so that load balancers stop sending; drains the server after the delay.
    pub async fn begin(&self) {
        self.shutting_down.store(true, Ordering::Relaxed);
        tokio::time::sleep(self.delay).await;
        self.drain.begin();
    }
}

/// Builds a server; when this returns, the port is bound and the cache is loaded.
pub async fn start(config: Config, store: impl Into<Split>) -> Result<BoundServer, StartError> {
    let split = store.into();
    let listener = Listener::bind(config.bind)
        .await
        .map_err(|why| StartError::Listen { address: config.bind.to_string(), why })?;
    let limits = ListenLimits {
        drain_limit: config.drain_limit,
        write_timeout: config.limits.write,
        ..ListenLimits::default()
    };
    let files = &config.credentials;
    let (named, limits_of_tls) = (files.named_serving.clone(), files.tls_limits.clone());
    let tls = TlsReload::limited(files.serving.clone(), named, limits_of_tls)
        .map_err(|error| StartError::File(error.to_string()))?;
    let nodes = Arc::new(NodeRelations::default());
    // Without the Node mode the graph is not needed.
    let indexes: Vec<Arc<dyn Index>> = match config.modes.contains(&Mode::Node) {
        true => vec![nodes.clone()],
        false => Vec::new(),
    };
    if split.is_unfinished().await? {
        return Err(StartError::UnfinishedCopy);
    }
    let cache = Cache::fill(split, indexes).await?;
    let accounts = Arc::new(accounts(&config.credentials)?);
    let clients =
        config.credentials.client_ca.as_deref().map(|path| authorities(path, "client CA file"));
    let clients = clients.transpose()?;
    let proxy = config
        .credentials
        .proxy
        .as_ref()
        .map(|files| authorities(&files.authorities, "request-header-client-ca-file"));
    let proxy = proxy.transpose()?;
    let metrics = Arc::new(Metrics::new(&config.api_config));
    let aggregation = &config.aggregation;
    let own = (loopback(listener.address().ip()).to_string(), listener.address().port());
    let resolver = Arc::new(ServiceLocator::new(&cache, aggregation.routing, own));
    let backends = backends(&config.backends, &metrics, resolver.clone())?;
    let extensions = Extensions::open(
        Timing::default(),
        config.backends.proxies.clone(),
        aggregation.client.clone(),
    )
    .map_err(|error| StartError::File(error.to_string()))?;
    let reloads = ReloadHandle {
        tls,
        authorities: clients.iter().chain(&proxy).cloned().collect(),
        kubelets: backends.kubelets.clone(),
        extensions: extensions.clone(),
    };
    reloads.name_authorities().map_err(|error| StartError::File(error.to_string()))?;
    let proxy = proxy
        .zip(config.credentials.proxy.as_ref())
        .map(|(authorities, files)| request_header_proxy(authorities, files));
    let identity = identity(&config, &cache, accounts.clone(), clients, proxy)?;
    let published_config = published_config(&config)?;
    let drain = Drain::new();
    let flags = HealthFlags::default();
    let shutting_down = flags.shutting_down.clone();
    let stop = ShutdownHandle { drain: drain.clone(), shutting_down, delay: config.stop_delay };
    let port = listener.address().port();
    let host = config.advertise.unwrap_or(listener.address().ip());
    let audit = config.audit.as_ref().map(Auditing::open).transpose().map_err(StartError::File)?;
    let aggregator = Aggregator::new(
        &cache,
        extensions,
        AggregatorConfig { resolver, rejects_redirects: aggregation.rejects_redirects },
        &metrics.registry,
    );
    let app = Arc::new_cyclic(|app: &Weak<App>| App {
        registry: Registry::new(&cache, &config.api_config, &config.runtime),
        definitions: Definitions::new(
            &cache,
            u32::from(config.api_config.emulated.minor()),
            ConversionClient::new(
                backends.webhooks.clone(),
                Arc::new(LoopbackWebhook(app.clone())),
                &metrics.registry,
            ),
        ),
        created_fields: Mutex::default(),
        authorizer: Authorizer::new(config.modes, &cache, nodes),
        plugins: EnabledPlugins::new(&config.plugins),
        quota_locks: QuotaLocks::default(),
        policies: PolicySet::new(&cache),
        mutating_policies: PolicySet::new(&cache),
        mutating_webhooks: WebhookSet::new(&cache, AdmissionType::Mutating),
        validating_webhooks: WebhookSet::new(&cache, AdmissionType::Validating),
        backends,
        health: health::checks(cache.main_store(), &flags),
        api_config: config.api_config,
        reported_version: config.reported_version,
        identity: Authenticators::new(identity),
        accounts,
        ranges: config.ranges,
        audit,
        tokens: TokenRecorder {
            metrics: metrics.clone(),
            labeler: Box::new(LoopbackLabeler(app.clone())),
        },
        own_webhook: Arc::new(LoopbackWebhook(app.clone())),
        flow_control: config.limits.is_fair.then(|| {
            let total = config.limits.reads + config.limits.writes;
            FlowController::new(&cache, total, &metrics.registry)
        }),
        metrics,
        drain,
        limits: config.limits,
        running: Default::default(),
        long_running: Arc::new(LongRunning::new(
            config.limits.long_running,
            config.limits.long_running_of_user,
        )),
        compute: Arc::new(Compute::default()),
        pace: Pace::default(),
        mutation_pace: Pace::default(),
        condition_pace: Pace::default(),
        rule_pace: Pace::default(),
        aggregator,
        event_life: config.event_life,
        address: std::net::SocketAddr::new(host, port).to_string(),
        documents: Documents::default(),
        held_revisions: HeldRevisions::default(),
        cache,
    });
    for (line, _) in app.cache.lines() {
        let (follower, store_lost) = (app.clone(), flags.store_lost.clone());
        tokio::spawn(async move {
            if let Err(error) = follower.cache.follow(line).await {
                tracing::error!(%error, "the store can no longer be followed; reads would be stale");
            }
            store_lost.store(true, Ordering::Relaxed);
        });
    }
    app.definitions.start(&app.registry, &app.cache);
    tokio::spawn(follow::run(app.clone()));
    app.count_objects();
    bootstrap::run(&app, &published_config)
        .await
        .map_err(|error| StartError::Bootstrap(error.message))?;
    aggregate::register::settle(&app)
        .await
        .map_err(|error| StartError::Bootstrap(error.message))?;
    flags.bootstrapped.store(true, Ordering::Relaxed);
    let (log_probe, compaction) = (flags.log, config.compaction);
    Ok(BoundServer { app, listener, reloads, stop, limits, compaction, log_probe })
}

impl BoundServer {
    /// The listening address.
    pub fn address(&self) -> std::net::SocketAddr {
        self.listener.address()
    }

    /// A handle to reload certificates and CAs.
    pub fn reloads(&self) -> ReloadHandle {
        self.reloads.clone()
    }

    /// A handle to stop the server.
    pub fn stop(&self) -> ShutdownHandle {
        self.stop.clone()
    }

    /// Serves requests until the server is drained.
    pub async fn serve(self) {
        let compactor = tokio::spawn(compact(self.app.clone(), self.compaction));
        let requests = Arc::new(LoopbackClient::new(self.app.clone()));
        let aggregation = tokio::spawn(aggregate::run(self.app.clone(), requests));
        let flow_control = tokio::spawn(flow_control::run(self.app.clone()));
        let observer = tokio::spawn(health::log_health(self.app.cache.store().clone()));
        let log_probe = tokio::spawn(self.log_probe.run());
        let drain = self.app.drain.clone();
        let service = Arc::new(Server(self.app.clone()));
        self.listener.serve(self.reloads.tls, service, drain, self.limits).await;
        compactor.abort();
        observer.abort();
        log_probe.abort();
        aggregation.abort();
        flow_control.abort();
        health::log_health_change(&self.app.cache.store().health());
        if let Some(audit) = &self.app.audit {
            audit.flush();
        }
    }
}

/// Compacts up to the revision of the previous round, so that clients that page or resume have time.
async fn compact(app: Arc<App>, every: Duration) {
    if every.is_zero() {
        return;
    }
    let mut before: HashMap<Line, Revision> = HashMap::new();
    loop {
        tokio::time::sleep(every).await;
        for (number, line) in app.cache.lines() {
            let previous = before.get(&number).copied().unwrap_or_default();
            let held = app.held_revisions.oldest(number).map_or(previous, Revision);
            if let Err(error) = compact_in_turn(line.store(), previous.min(held)).await {
                tracing::warn!(%error, "old revisions could not be forgotten");
            }
            before.insert(number, Revision(line.reached()));
        }
    }
}

/// Compacts if none of the servers of this store has done so in this round.
async fn compact_in_turn(store: &Arc<dyn Store>, before: Revision) -> Result<(), StoreError> {
    if store.take_turn("compact").await? && before.0 > 0 {
        store.compact(before).await?;
    }
    Ok(())
}

/// The address at which this server reaches itself.
fn loopback(bound: IpAddr) -> IpAddr {
    match bound {
        IpAddr::V4(Ipv4Addr::UNSPECIFIED) => Ipv4Addr::LOCALHOST.into(),
        IpAddr::V6(Ipv6Addr::UNSPECIFIED) => Ipv6Addr::LOCALHOST.into(),
        bound => bound,
    }
}

/// Clients of kubelets and other backends; certificate names are counted only where they are checked.
fn backends(
    config: &BackendConfig,
    metrics: &Metrics,
    services: Arc<ServiceLocator>,
) -> Result<Backends, StartError> {
    let unusable = |why: &dyn std::fmt::Display| {
        StartError::File(format!("problem initializing API group \"\": {why}"))
    };
    let settings = Settings {
        trust: config.trust.clone(),
        client: config.client.clone(),
        proxies: config.proxies.clone(),
        ..Settings::default()
    };
    let witness = name_witness(&metrics.registry, &config.trust);
    let webhooks = WebhookClient::new(Timing::default(), config.proxies.clone(), services);
    Ok(Backends {
        kubelets: KubeletClient::open(settings, witness).map_err(|why| unusable(&why))?,
        others: Others::open(Timing::default(), config.proxies.clone())
            .map_err(|why| unusable(&why))?,
        mutating_webhooks: webhooks.with_users(config.webhook_users.mutating.clone()),
        validating_webhooks: webhooks.with_users(config.webhook_users.validating.clone()),
        webhooks,
        address_types: config.address_types.clone(),
        default_port: config.default_port,
        bytes_per_second: config.bytes_per_second,
    })
}

/// The configuration that is published in bootstrap objects.
fn published_config(config: &Config) -> Result<bootstrap::PublishedConfig, StartError> {
    let text =
        |path: &Path| read_file(path).map(|bytes| String::from_utf8_lossy(&bytes).into_owned());
    let files = &config.credentials;
    let proxy = match &files.proxy {
        Some(proxy) => Some((proxy.clone(), text(&proxy.authorities)?)),
        None => None,
    };
    let client_ca = files.client_ca.as_deref().map(text).transpose()?.unwrap_or_default();
    Ok(bootstrap::PublishedConfig { client_ca, proxy, own_endpoints: config.own_endpoints })
}

fn read_file(path: &Path) -> Result<Vec<u8>, StartError> {
    std::fs::read(path)
        .map_err(|why| StartError::File(format!("open {}: {}", path.display(), go_io_error(&why))))
}

/// The text of a system error as Go prints it: lower case and without the error number.
pub fn go_io_error(error: &std::io::Error) -> String {
    let text = error.to_string();
    let text = text.split(" (os error ").next().unwrap_or_default();
    let mut letters = text.chars();
    let Some(first) = letters.next() else { return String::new() };
    first.to_lowercase().chain(letters).collect()
}
