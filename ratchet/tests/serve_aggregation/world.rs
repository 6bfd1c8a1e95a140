//! A server, the certificates of an extension server, and the objects that lead to it.

use super::extension::Extension;
use super::flunders::GROUP;
use super::server::Server;
use base64::Engine as _;
use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};
use tempfile::TempDir;

/// How long anything may take that the server does by itself.
const PATIENCE: Duration = Duration::from_secs(60);

pub(crate) const NAME: &str = "v1alpha1.wardle.example.com";
pub(crate) const SERVICES: &str = "/apis/apiregistration.k8s.io/v1/apiservices";

/// A server and what an extension server needs.
pub(crate) struct World {
    pub(crate) server: Server,
    pub(crate) folder: TempDir,
    ca_bundle: String,
}

impl World {
    pub(crate) fn new() -> Self {
        Self::with(&[])
    }

    pub(crate) fn with(flags: &[&str]) -> Self {
        let folder = TempDir::new().unwrap();
        let server = Server::start(&folder.path().join("data"), flags);
        let pki = folder.path().join("extension");
        std::fs::create_dir(&pki).unwrap();
        let names = vec!["api.wardle.svc".to_owned()];
        let pair = rcgen::generate_simple_self_signed(names).unwrap();
        std::fs::write(pki.join("tls.crt"), pair.cert.pem()).unwrap();
        std::fs::write(pki.join("tls.key"), pair.signing_key.serialize_pem()).unwrap();
        // What a real extension server reads, it reads from this ConfigMap.
        let map = "/api/v1/namespaces/kube-system/configmaps/extension-apiserver-authentication";
        let map: Value = serde_json::from_str(&server.get(map).1).unwrap();
        let authority = map["data"]["requestheader-client-ca-file"].as_str().unwrap();
        std::fs::write(pki.join("front-proxy-ca.crt"), authority).unwrap();
        let ca_bundle = base64::prelude::BASE64_STANDARD.encode(pair.cert.pem());
        Self { server, folder, ca_bundle }
    }

    pub(crate) fn pki(&self) -> PathBuf {
        self.folder.path().join("extension")
    }

    pub(crate) fn kubeconfig(&self) -> PathBuf {
        self.folder.path().join("data/kubeconfig")
    }

    pub(crate) fn extension(&self, form: &str) -> Extension {
        Extension::start(&self.pki(), 0, form)
    }

    /// Creates an object, or fails the test.
    pub(crate) fn create(&self, path: &str, object: &Value) -> Value {
        let (code, body) = self.server.request("POST", path, &object.to_string());
        assert_eq!(code, 201, "{body}");
        serde_json::from_str(&body).unwrap()
    }

    pub(crate) fn json(&self, path: &str) -> Value {
        let (code, body) = self.server.get(path);
        assert_eq!(code, 200, "{path}: {body}");
        serde_json::from_str(&body).unwrap()
    }

    /// Creates the Service and the APIService of an extension server on this machine.
    pub(crate) fn register(&self, port: u16) {
        self.create_service();
        self.create(SERVICES, &self.api_service(port));
    }

    /// A Service that stands for this machine: nothing else leads to a loopback address.
    pub(crate) fn create_service(&self) {
        self.create("/api/v1/namespaces", &json!({"metadata": {"name": "wardle"}}));
        let spec = json!({"type": "ExternalName", "externalName": "localhost"});
        let service = json!({"metadata": {"name": "api"}, "spec": spec});
        self.create("/api/v1/namespaces/wardle/services", &service);
    }

    pub(crate) fn api_service(&self, port: u16) -> Value {
        json!({"apiVersion": "apiregistration.k8s.io/v1", "kind": "APIService", "metadata": {"name": NAME},
            "spec": {"group": GROUP, "version": "v1alpha1", "groupPriorityMinimum": 2000, "versionPriority": 200,
                "caBundle": self.ca_bundle, "service": {"namespace": "wardle", "name": "api", "port": port}}})
    }

    /// The condition `Available`.
    pub(crate) fn condition(&self) -> Value {
        let service = self.json(&format!("{SERVICES}/{NAME}"));
        service["status"]["conditions"][0].clone()
    }

    /// Waits for a condition with this reason.
    pub(crate) fn wait_for_reason(&self, reason: &str) -> Value {
        wait_for(|| {
            let condition = self.condition();
            (condition["reason"] == reason).then_some(condition)
        })
    }

    /// Registers a running extension server and waits until it is available.
    pub(crate) fn available(form: &str) -> (Self, Extension) {
        let world = Self::new();
        let extension = world.extension(form);
        world.register(extension.port);
        world.wait_for_reason("Passed");
        (world, extension)
    }
}

/// Waits until there is something.
pub(crate) fn wait_for<T>(look: impl Fn() -> Option<T>) -> T {
    let since = Instant::now();
    loop {
        if let Some(found) = look() {
            return found;
        }
        assert!(since.elapsed() < PATIENCE, "it did not happen");
        std::thread::sleep(Duration::from_millis(50));
    }
}

/// The path of flunders in a namespace.
pub(crate) fn flunders(namespace: &str) -> String {
    format!("/apis/{GROUP}/v1alpha1/namespaces/{namespace}/flunders")
}

pub(crate) fn exists(path: &Path) -> bool {
    path.exists()
}
