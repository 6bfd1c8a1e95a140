//! A running webhook with its own authority and configuration file.

use crate::client::Client;
use ratchet_engine::{ApiConfig, Behavior, Release};
use ratchet_http::certificates::{Authority, usual_names};
use ratchet_http::{Drain, ListenLimits};
use ratchet_object::{ClusterReader, NoCluster};
use ratchet_webhook_server::{ReloadHandle, Server, ServerConfig};
use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::Arc;
use tempfile::TempDir;
use tokio::task::JoinHandle;

/// The first lines of a configuration file.
pub(crate) const HEAD: &str = "apiVersion: ratchet/v1alpha1\nkind: WebhookConfiguration\n";

pub(crate) struct Running {
    dir: TempDir,
    authority: Authority,
    pub(crate) address: SocketAddr,
    pub(crate) drain: Drain,
    pub(crate) reload: ReloadHandle,
    pub(crate) ended: JoinHandle<()>,
}

impl Running {
    /// Starts a webhook by the proposals, without a cluster.
    pub(crate) async fn start() -> Self {
        let api_config = ApiConfig::of(Release::REFERENCE, Behavior::Proposal);
        Self::start_with(api_config, Arc::new(NoCluster)).await
    }

    pub(crate) async fn start_with(
        api_config: ApiConfig,
        cluster: Arc<dyn ClusterReader + Send + Sync>,
    ) -> Self {
        let dir = tempfile::tempdir().unwrap();
        let authority = Authority::load_or_create(dir.path()).unwrap();
        let files = authority.serving(&usual_names()).unwrap();
        let file = dir.path().join("webhook.yaml");
        std::fs::write(&file, HEAD).unwrap();
        let address = "127.0.0.1:0".parse().unwrap();
        let config =
            ServerConfig { file: Some(file), ..ServerConfig::new(address, files, api_config) };
        let server = Server::bind(config, cluster).await.unwrap();
        let (address, drain, reload) = (server.address(), server.drain(), server.reload_handle());
        let ended = tokio::spawn(server.serve(ListenLimits::default()));
        Self { dir, authority, address, drain, reload, ended }
    }

    pub(crate) async fn connect(&self) -> std::io::Result<Client> {
        Client::connect(self.address, self.authority.pem()).await
    }

    /// The authority of the certificate, in PEM.
    pub(crate) fn authority(&self) -> &str {
        self.authority.pem()
    }

    /// Writes the configuration file and has it read.
    pub(crate) fn configure(&self, rest: &str) {
        std::fs::write(self.file(), format!("{HEAD}{rest}")).unwrap();
        self.reload.now();
    }

    pub(crate) fn file(&self) -> PathBuf {
        self.dir.path().join("webhook.yaml")
    }
}
