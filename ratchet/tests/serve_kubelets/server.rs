//! A server in this process, with any trust in kubelets.

use ratchet_embedded::{Embedded, Options};
use ratchet_engine::{ApiConfig, Behavior, Release};
use ratchet_http::certificates::{self, Authority};
use ratchet_identity::SigningKey;
use ratchet_server::{Config, Credentials, Mode, Ranges, ReloadHandle, RequestLimits};
use std::net::SocketAddr;
use std::path::Path;
use std::sync::{Arc, mpsc};
use std::time::Duration;
use tempfile::TempDir;

/// Token of the administrator.
pub(crate) const ADMIN: &str = "admin-token";
/// Token of a user whose rights the test sets.
pub(crate) const ALICE: &str = "alice-token";

const TOKENS: &str = "admin-token,root,1,\"system:masters\"\nalice-token,alice,2\n";
const PLUGINS: &[&str] = &["NamespaceLifecycle", "Priority", "DefaultTolerationSeconds"];

/// A server that runs until the process ends.
pub(crate) struct Server {
    pub(crate) address: SocketAddr,
    pub(crate) authority: String,
    pub(crate) reloads: ReloadHandle,
    pub(crate) folder: Arc<TempDir>,
}

impl Server {
    /// Starts a server on a runtime that outlives the test's; `change` gets its folder and default configuration.
    pub(crate) fn start(change: impl FnOnce(&Path, &mut Config) + Send + 'static) -> Self {
        let (sender, receiver) = mpsc::channel();
        std::thread::spawn(move || {
            let runtime = tokio::runtime::Builder::new_multi_thread()
                .worker_threads(2)
                .enable_all()
                .build()
                .unwrap();
            runtime.block_on(async {
                let (server, ready) = Self::prepare(change).await;
                sender.send(server).unwrap();
                ready.serve().await;
            });
        });
        receiver.recv().unwrap()
    }

    async fn prepare(
        change: impl FnOnce(&Path, &mut Config),
    ) -> (Self, ratchet_server::BoundServer) {
        let folder = tempfile::tempdir().unwrap();
        let authority = Authority::load_or_create(folder.path().join("pki")).unwrap();
        let mut config = config(folder.path(), &authority);
        change(folder.path(), &mut config);
        let store = Embedded::open(&folder.path().join("store"), Options::default()).unwrap();
        let ready = ratchet_server::start(config, Arc::new(store)).await.unwrap();
        let server = Self {
            address: ready.address(),
            authority: authority.pem().to_owned(),
            reloads: ready.reloads(),
            folder: Arc::new(folder),
        };
        (server, ready)
    }
}

fn config(folder: &Path, authority: &Authority) -> Config {
    let signing_key = folder.join("pki/sa.key");
    std::fs::write(&signing_key, SigningKey::generate().unwrap().1).unwrap();
    let token_file = folder.join("tokens.csv");
    std::fs::write(&token_file, TOKENS).unwrap();
    Config {
        bind: SocketAddr::from(([127, 0, 0, 1], 0)),
        advertise: None,
        api_config: ApiConfig::of(Release::REFERENCE, Behavior::Released),
        plugins: PLUGINS.to_vec(),
        modes: vec![Mode::Node, Mode::Rbac],
        ranges: Ranges::new("10.0.0.0/24", None, (30000, 30099)).unwrap(),
        credentials: Credentials {
            serving: authority.serving(&certificates::usual_names()).unwrap(),
            client_ca: Some(authority.path()),
            proxy: None,
            token_file: Some(token_file),
            anonymous: true,
            bootstrap_tokens: false,
            issuers: vec!["https://kubernetes.default.svc.cluster.local".into()],
            audiences: Vec::new(),
            signing_key,
            verification_keys: Vec::new(),
            longest_token: None,
            extends_tokens: true,
            named_serving: Vec::new(),
            tls_limits: ratchet_http::TlsLimits::default(),
        },
        drain_limit: Duration::from_secs(1),
        stop_delay: Duration::ZERO,
        limits: RequestLimits {
            timeout: Duration::from_secs(60),
            watch: Duration::from_secs(1800),
            is_fair: true,
            reads: 400,
            writes: 200,
            long_running: 0,
            long_running_of_user: 0,
            write: Duration::from_secs(120),
        },
        event_life: Duration::from_secs(3600),
        runtime: Vec::new(),
        own_endpoints: false,
        reported_version: None,
        backends: ratchet_server::BackendConfig::default(),
        aggregation: ratchet_server::AggregationConfig::default(),
        audit: None,
        compaction: Duration::ZERO,
    }
}
