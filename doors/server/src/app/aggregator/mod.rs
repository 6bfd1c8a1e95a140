//! `Aggregator`: what is known of extension API servers, and the client that reaches them.

pub(crate) mod api_service;
pub(crate) mod documents;
mod metrics;

use self::api_service::{ApiService, ApiServices};
use self::documents::RemoteDocuments;
use self::metrics::Unavailable;
use crate::app::documents::HashedDocument;
use crate::app::service_resolver::{Location, ServiceLocator};
use crate::storage::cache::Cache;
use ratchet_http::metrics::{Registry, Writer};
use ratchet_kubelet::{ExtensionServer, Extensions};
use std::collections::{HashMap, HashSet};
use std::sync::atomic::AtomicU64;
use std::sync::{Arc, Mutex, PoisonError};
use tokio::sync::watch;

/// The state that requests for aggregated APIs share.
pub(crate) struct Aggregator {
    pub(crate) services: ApiServices,
    pub(crate) resolver: Arc<ServiceLocator>,
    pub(crate) client: Extensions,
    pub(crate) remote_documents: RemoteDocuments,
    pub(crate) merged: MergedDocuments,
    pub(crate) registration: Registration,
    pub(crate) unavailable: Unavailable,
    pub(crate) suspects: Suspects,
    /// `--aggregator-reject-forwarding-redirect`.
    pub(crate) rejects_redirects: bool,
}

/// What is configured about extension API servers.
pub(crate) struct AggregatorConfig {
    pub(crate) resolver: Arc<ServiceLocator>,
    pub(crate) rejects_redirects: bool,
}

impl Aggregator {
    pub(crate) fn new(
        cache: &Cache,
        client: Extensions,
        config: AggregatorConfig,
        registry: &Registry,
    ) -> Self {
        Self {
            services: ApiServices::new(cache),
            resolver: config.resolver,
            client,
            remote_documents: RemoteDocuments::default(),
            merged: MergedDocuments::default(),
            registration: Registration::default(),
            unavailable: Unavailable::new(registry),
            suspects: Suspects::default(),
            rejects_redirects: config.rejects_redirects,
        }
    }

    /// Writes which APIServices are unavailable.
    pub(crate) fn write_metrics(&self, writer: &mut Writer) {
        Unavailable::write(&self.services.now(), writer);
    }

    /// The OpenAPI v3 document of a path `apis/group/version` whose extension server has only v2.
    pub(crate) fn converted_openapi(&self, path: &str) -> Option<Arc<HashedDocument>> {
        let (group, version) = path.strip_prefix("apis/")?.split_once('/')?;
        let set = self.services.now();
        let service = set.remote_version(group, version)?;
        self.remote_documents.get(&service.name)?.converted.clone()
    }

    /// The extension server of an APIService as of now.
    pub(crate) fn server(&self, service: &ApiService) -> Result<ExtensionServer, String> {
        let Some(remote) = &service.remote else { return Err("it is local".to_owned()) };
        let trust = remote.trust.clone()?;
        let Location { url: (host, port), endpoint } = self.resolver.locate(&remote.service)?;
        let name = format!("{}.{}.svc", remote.service.name, remote.service.namespace);
        Ok(ExtensionServer { host, port, endpoint, name, trust })
    }
}

/// The APIServices whose extension server did not answer a request: a reason to look before it is time.
#[derive(Default)]
pub(crate) struct Suspects {
    names: Mutex<HashSet<String>>,
    added: watch::Sender<()>,
}

impl Suspects {
    /// Adds an APIService.
    pub(crate) fn add(&self, name: &str) {
        self.names.lock().unwrap_or_else(PoisonError::into_inner).insert(name.to_owned());
        self.added.send_replace(());
    }

    /// Whether an APIService is suspected, which it is not any more.
    pub(crate) fn take(&self, name: &str) -> bool {
        self.names.lock().unwrap_or_else(PoisonError::into_inner).remove(name)
    }

    /// Wakes when one is added.
    pub(crate) fn changes(&self) -> watch::Receiver<()> {
        self.added.subscribe()
    }
}

/// Whether the APIServices of what this server serves itself are written.
#[derive(Default)]
pub(crate) struct Registration {
    /// One more than the generation of the registry that they are written for; zero at the start.
    pub(crate) settled: AtomicU64,
    pub(crate) writing: tokio::sync::Mutex<()>,
    /// The revisions at which APIServices were found to be as they should.
    pub(crate) checked: Mutex<HashMap<Arc<str>, u64>>,
}

/// Documents of this server together with those of extension servers, as they were last asked for.
#[derive(Default)]
pub(crate) struct MergedDocuments(Mutex<HashMap<&'static str, (String, Arc<HashedDocument>)>>);

impl MergedDocuments {
    /// The document of this name, if it was made from the same.
    pub(crate) fn get(&self, name: &str, source: &str) -> Option<Arc<HashedDocument>> {
        let all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        all.get(name).filter(|(own, _)| own == source).map(|(_, document)| document.clone())
    }

    /// Keeps a document.
    pub(crate) fn put(&self, name: &'static str, source: String, document: &Arc<HashedDocument>) {
        let mut all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        all.insert(name, (source, document.clone()));
    }
}
