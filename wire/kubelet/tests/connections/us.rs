//! A test client with its own files and a count of name checks.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use bytes::Bytes;
use http::{Request, Response};
use http_body_util::{BodyExt, Empty};
use ratchet_kubelet::{
    Endpoint, KubeletClient, KubeletError, NameCheck, PooledBody, Settings, Trust, Verification,
};
use tempfile::TempDir;

use super::authority::Authority;

/// A client for kubelets, and its witnessed name checks.
pub(crate) struct Us {
    pub(crate) kubelets: KubeletClient,
    pub(crate) folder: TempDir,
    successes: Arc<AtomicUsize>,
    failures: Arc<AtomicUsize>,
}

impl std::ops::Deref for Us {
    type Target = KubeletClient;

    fn deref(&self) -> &KubeletClient {
        &self.kubelets
    }
}

impl Us {
    pub(crate) fn new(authority: &Authority, names: NameCheck) -> Self {
        Self::with(&authority.pem(), names, Settings::default())
    }

    pub(crate) fn enforcing(authority: &Authority) -> Self {
        Self::new(authority, NameCheck::Enforce)
    }

    /// With these settings, except for the authorities.
    pub(crate) fn with(authorities: &str, names: NameCheck, mut settings: Settings) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("ca.crt");
        std::fs::write(&file, authorities).unwrap();
        settings.trust = Trust::Authority { file, names };
        Self::open(settings, folder)
    }

    pub(crate) fn open(settings: Settings, folder: TempDir) -> Self {
        let (successes, failures) = (Arc::new(AtomicUsize::new(0)), Arc::new(AtomicUsize::new(0)));
        let counts = (Arc::clone(&successes), Arc::clone(&failures));
        let witness = move |good| {
            let counter = if good { &counts.0 } else { &counts.1 };
            counter.fetch_add(1, Ordering::SeqCst);
        };
        let kubelets = KubeletClient::open(settings, Box::new(witness)).unwrap();
        Self { kubelets, folder, successes, failures }
    }

    pub(crate) fn file(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// Witnessed successes and failures.
    pub(crate) fn witnessed(&self) -> (usize, usize) {
        (self.successes.load(Ordering::SeqCst), self.failures.load(Ordering::SeqCst))
    }

    pub(crate) async fn begin(
        &self,
        to: &Endpoint,
        path: &str,
    ) -> Result<Response<PooledBody>, KubeletError> {
        self.send(to, Verification::Full, request(path)).await
    }

    /// One whole exchange: the number of its connection.
    pub(crate) async fn get(&self, to: &Endpoint) -> Result<usize, KubeletError> {
        whole(self.begin(to, "/path").await?).await
    }

    pub(crate) async fn get_insecurely(&self, to: &Endpoint) -> Result<usize, KubeletError> {
        whole(self.send(to, Verification::Skipped, request("/path")).await?).await
    }

    /// The error on each of the paths to a kubelet.
    pub(crate) async fn refused(&self, to: &Endpoint) -> String {
        let pooled = self.get(to).await.unwrap_err();
        let dialled = self.dial(to).await.unwrap_err();
        assert_eq!(timeless(&pooled), timeless(&dialled));
        timeless(&pooled)
    }
}

/// The text of an error, in which the current time is `NOW`.
fn timeless(error: &KubeletError) -> String {
    let message = error.to_string();
    let Some((before, now)) = message.split_once("current time ") else { return message };
    let (now, behind) = now.split_once('Z').unwrap();
    assert!(now.len() == "2026-01-02T03:04:05".len() && now.starts_with("20"), "{message}");
    format!("{before}current time NOW{behind}")
}

pub(crate) fn request(path: &str) -> Request<Empty<Bytes>> {
    Request::get(path).body(Empty::new()).unwrap()
}

/// Reads a response to its end.
pub(crate) async fn whole(response: Response<PooledBody>) -> Result<usize, KubeletError> {
    let number = response.headers()["connection-number"].to_str().unwrap().parse().unwrap();
    response.into_body().collect().await?;
    // An HTTP/1.1 connection returns to the pool a moment after its response was read.
    tokio::time::sleep(std::time::Duration::from_millis(10)).await;
    Ok(number)
}
