//! A server in this process: one that all tests share, and more for tests that need their own.

use crate::client::Client;
use ratchet_embedded::{Embedded, FaultInjector, Options};
use ratchet_engine::{ApiConfig, Behavior, Release};
use ratchet_http::certificates::{self, Authority};
use ratchet_identity::SigningKey;
use ratchet_server::{Config, Credentials, Mode, Ranges, ReloadHandle, RequestLimits};
use ratchet_store::{Split, Store};
use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::{Arc, LazyLock, mpsc};
use std::time::Duration;
use tempfile::TempDir;

/// Token of the administrator.
pub(crate) const ADMIN: &str = "admin-token";
/// Token of a user without rights.
pub(crate) const ALICE: &str = "alice-token";
/// Token of another user without rights.
pub(crate) const BOB: &str = "bob-token";

const TOKENS: &str =
    "admin-token,root,1,\"system:masters\"\nalice-token,alice,2\nbob-token,bob,3\n";
const PLUGINS: &[&str] = &["NamespaceLifecycle", "Priority", "DefaultTolerationSeconds"];

/// A server that runs until the process ends.
pub(crate) struct Server {
    pub(crate) address: SocketAddr,
    pub(crate) authority: String,
    pub(crate) store: Arc<dyn Store>,
    /// The injected disk failures.
    pub(crate) disk: FaultInjector,
    /// The file of client authorities.
    pub(crate) client_ca: PathBuf,
    pub(crate) reloads: ReloadHandle,
    _folder: TempDir,
}

static SHARED: LazyLock<Server> = LazyLock::new(Server::start);

impl Server {
    /// The shared server; each test uses its own namespace.
    pub(crate) fn shared() -> &'static Self {
        &SHARED
    }

    /// A separate server, on a runtime that outlives the test's.
    pub(crate) fn start() -> Self {
        Self::start_with(|_| ())
    }

    /// Another server on the same store, like a restart.
    pub(crate) fn start_again(&self) -> Self {
        Self::start_from(Some(self.store.clone().into()), Vec::new(), |_| ())
    }

    /// A separate server on several stores.
    pub(crate) fn start_split(split: Split) -> Self {
        Self::start_from(Some(split), Vec::new(), |_| ())
    }

    /// A separate server with a changed configuration.
    pub(crate) fn start_with(change: impl FnOnce(&mut Config) + Send + 'static) -> Self {
        Self::start_on(Vec::new(), change)
    }

    /// A separate server, whose store already has these values.
    pub(crate) fn start_on(
        found: Vec<(&'static str, String)>,
        change: impl FnOnce(&mut Config) + Send + 'static,
    ) -> Self {
        Self::start_from(None, found, change)
    }

    fn start_from(
        store: Option<Split>,
        found: Vec<(&'static str, String)>,
        change: impl FnOnce(&mut Config) + Send + 'static,
    ) -> Self {
        let (sender, receiver) = mpsc::channel();
        std::thread::spawn(move || {
            let runtime = ratchet_server::runtime().unwrap();
            runtime.block_on(async {
                let (server, ready) = Self::prepare(store, found, change).await;
                sender.send(server).unwrap();
                ready.serve().await;
            });
        });
        receiver.recv().unwrap()
    }

    async fn prepare(
        store: Option<Split>,
        found: Vec<(&'static str, String)>,
        change: impl FnOnce(&mut Config),
    ) -> (Self, ratchet_server::BoundServer) {
        let folder = tempfile::tempdir().unwrap();
        let pki = folder.path().join("pki");
        let authority = Authority::load_or_create(&pki).unwrap();
        let serving = authority.serving(&certificates::usual_names()).unwrap();
        let signing_key = pki.join("sa.key");
        std::fs::write(&signing_key, SigningKey::generate().unwrap().1).unwrap();
        let token_file = folder.path().join("tokens.csv");
        std::fs::write(&token_file, TOKENS).unwrap();
        let (disk, place) = (FaultInjector::default(), folder.path().join("store"));
        let split = store.unwrap_or_else(|| {
            Arc::new(Embedded::open_with(&place, Options::default(), disk.clone()).unwrap()).into()
        });
        let store = split.clone().into_store();
        for (key, value) in found {
            let write = ratchet_store::Write::put(key, ratchet_store::Guard::Absent, value);
            store.commit(vec![write]).await.unwrap();
        }
        let client_ca = folder.path().join("client-ca.crt");
        std::fs::write(&client_ca, authority.pem()).unwrap();
        let mut config = Config {
            bind: SocketAddr::from(([127, 0, 0, 1], 0)),
            advertise: None,
            api_config: ApiConfig::of(Release::REFERENCE, Behavior::Released),
            plugins: PLUGINS.to_vec(),
            modes: vec![Mode::Node, Mode::Rbac],
            ranges: Ranges::new("10.0.0.0/24", None, (30000, 30099)).unwrap(),
            credentials: Credentials {
                serving,
                client_ca: Some(client_ca.clone()),
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
            // Tests trigger compaction themselves.
            compaction: Duration::ZERO,
        };
        change(&mut config);
        let ready = ratchet_server::start(config, split).await.unwrap();
        let address = ready.address();
        let authority = authority.pem().to_owned();
        let reloads = ready.reloads();
        (Self { address, authority, store, disk, client_ca, reloads, _folder: folder }, ready)
    }

    /// A connection of the administrator.
    pub(crate) async fn admin(&self) -> Client {
        Client::connect(self, Some(ADMIN)).await
    }
}
