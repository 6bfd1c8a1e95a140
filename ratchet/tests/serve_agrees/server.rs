//! Servers in this process that share one store, so that one can store what another would refuse.

use crate::client::Client;
use bytes::Bytes;
use ratchet_embedded::{Embedded, Options};
use ratchet_engine::{ApiConfig, Behavior, Plugins, Release};
use ratchet_http::certificates::{self, Authority};
use ratchet_identity::SigningKey;
use ratchet_server::{Config, Credentials, Mode, Ranges, RequestLimits};
use ratchet_store::{Guard, Query, Store, Write};
use serde_json::Value as Json;
use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;
use tempfile::TempDir;

/// The administrator's token.
pub(crate) const TOKEN: &str = "an-administrator";

/// A store with the files of its servers.
pub(crate) struct Ground {
    folder: TempDir,
    store: Arc<dyn Store>,
    authority: Authority,
}

/// A snapshot of the store.
type Snapshot = BTreeMap<Arc<str>, Bytes>;

impl Ground {
    pub(crate) fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let pki = folder.path().join("pki");
        let authority = Authority::load_or_create(&pki).unwrap();
        std::fs::write(pki.join("sa.key"), SigningKey::generate().unwrap().1).unwrap();
        let tokens = format!("{TOKEN},root,1,\"system:masters\"\n");
        std::fs::write(folder.path().join("tokens.csv"), tokens).unwrap();
        let store = Embedded::open(&folder.path().join("store"), Options::default()).unwrap();
        Self { folder, store: Arc::new(store), authority }
    }

    /// A server with this configuration, and a client with all rights.
    pub(crate) async fn open(&self, api_config: ApiConfig) -> Client {
        let ready =
            ratchet_server::start(self.config(api_config), self.store.clone()).await.unwrap();
        let address = ready.address();
        tokio::spawn(ready.serve());
        Client::connect(address, self.authority.pem()).await
    }

    /// A lenient server that stores what stricter rules would refuse: with gates off and without Pod Security.
    pub(crate) async fn open_lenient(&self) -> Client {
        let mut api_config = ApiConfig::of(Release::REFERENCE, Behavior::Released);
        api_config.gates.apply(&["StrictIPCIDRValidation=false"]).unwrap();
        for gate in ratchet_catalog::PRERELEASES.iter().filter_map(|row| row.gate) {
            api_config.gates.apply(&[&format!("{gate}=true")]).unwrap();
        }
        // What a group of pods may have.
        api_config.gates.apply(&["GangScheduling=true,WorkloadAwarePreemption=true,TopologyAwareWorkloadScheduling=true,DRAWorkloadResourceClaims=true"]).unwrap();
        api_config.plugins = Plugins { pod_security: false, ..Plugins::default() };
        self.open(api_config).await
    }

    fn config(&self, api_config: ApiConfig) -> Config {
        let pki = self.folder.path().join("pki");
        let mut plugins = ratchet_server::default_plugins();
        plugins.retain(|name| match *name {
            // No controller creates the service accounts that it needs.
            "ServiceAccount" => false,
            "PodSecurity" => api_config.plugins.pod_security,
            _ => true,
        });
        if api_config.plugins.deny_external_ips {
            plugins.push("DenyServiceExternalIPs");
        }
        Config {
            bind: SocketAddr::from(([127, 0, 0, 1], 0)),
            advertise: None,
            api_config,
            plugins,
            modes: vec![Mode::Node, Mode::Rbac],
            ranges: Ranges::new("10.96.0.0/16", Some("fd00::/112"), (30000, 32767)).unwrap(),
            credentials: Credentials {
                serving: self.authority.serving(&certificates::usual_names()).unwrap(),
                client_ca: None,
                proxy: None,
                token_file: Some(self.folder.path().join("tokens.csv")),
                anonymous: false,
                bootstrap_tokens: false,
                issuers: vec!["https://kubernetes.default.svc.cluster.local".into()],
                audiences: Vec::new(),
                signing_key: pki.join("sa.key"),
                verification_keys: Vec::new(),
                longest_token: None,
                extends_tokens: true,
                named_serving: Vec::new(),
                tls_limits: ratchet_http::TlsLimits::default(),
            },
            drain_limit: Duration::from_secs(1),
            stop_delay: Duration::ZERO,
            compaction: Duration::ZERO,
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
            runtime: ["api/alpha", "api/beta"].map(|name| (name.to_owned(), true)).into(),
            own_endpoints: false,
            reported_version: None,
            backends: ratchet_server::BackendConfig::default(),
            aggregation: ratchet_server::AggregationConfig::default(),
            audit: None,
        }
    }

    /// Writes an object directly into the store.
    pub(crate) async fn keep(&self, key: &str, object: &Json) {
        let write = Write::put(key, Guard::Anything, object.to_string());
        self.store.commit(vec![write]).await.unwrap();
    }

    /// A snapshot of the current contents.
    pub(crate) async fn snapshot(&self) -> Snapshot {
        let page = self.store.list(Query::under("")).await.unwrap();
        page.records.into_iter().map(|record| (record.key, record.value)).collect()
    }

    /// Restores a snapshot.
    pub(crate) async fn restore(&self, before: &Snapshot) {
        let now = self.snapshot().await;
        let gone = now.keys().filter(|key| !before.contains_key(*key));
        let mut writes: Vec<Write> = gone.map(|key| Write::delete(key, Guard::Anything)).collect();
        let changed = before.iter().filter(|(key, value)| now.get(*key) != Some(value));
        writes.extend(changed.map(|(key, value)| Write::put(key, Guard::Anything, value.clone())));
        if !writes.is_empty() {
            self.store.commit(writes).await.unwrap();
        }
    }
}
