//! A server that calls webhooks, and helpers for the tests.

use crate::client::{Answer, Client};
use crate::hook::{Hook, Reply};
use crate::server::Server;
use serde_json::{Value, json};
use std::sync::{Arc, LazyLock};

const GROUP: &str = "/apis/admissionregistration.k8s.io/v1";

static SERVER: LazyLock<Server> = LazyLock::new(|| Server::start_with(turn_on));

/// Enables the admission plugins.
pub(crate) fn turn_on(config: &mut ratchet_server::Config) {
    config.plugins.extend([
        "MutatingAdmissionPolicy",
        "MutatingAdmissionWebhook",
        "ValidatingAdmissionPolicy",
        "ValidatingAdmissionWebhook",
    ]);
}

/// A namespace with webhooks that are called for it alone.
pub(crate) struct Stage {
    pub(crate) client: Client,
    pub(crate) hook: Arc<Hook>,
    pub(crate) namespace: String,
    pub(crate) maps: String,
}

impl Stage {
    pub(crate) async fn new() -> Self {
        Self::on(&SERVER).await
    }

    /// A stage on a server of its own.
    pub(crate) async fn on(server: &Server) -> Self {
        let client = server.admin().await;
        let (namespace, maps) = client.namespace().await;
        Self { client, hook: Hook::shared(), namespace, maps }
    }

    /// The path of a webhook of this stage.
    pub(crate) fn path(&self, name: &str) -> String {
        format!("/{}/{name}", self.namespace)
    }

    /// A webhook that is called for all writes of config maps in this namespace, unless `fields` say otherwise.
    pub(crate) fn webhook(&self, name: &str, fields: Value) -> Value {
        let url = format!("https://127.0.0.1:{}{}", self.hook.port, self.path(name));
        let mut whole = json!({
            "name": format!("{name}.example.com"),
            "admissionReviewVersions": ["v1"],
            "sideEffects": "None",
            "clientConfig": {"url": url, "caBundle": self.hook.bundle},
            "rules": [{"apiGroups": [""], "apiVersions": ["v1"], "resources": ["configmaps"],
                "operations": ["*"]}],
            "namespaceSelector": {"matchLabels": {"kubernetes.io/metadata.name": self.namespace}},
        });
        whole.as_object_mut().unwrap().extend(fields.as_object().unwrap().clone());
        whole
    }

    /// Creates a configuration of these webhooks.
    pub(crate) async fn configure(&self, kind: &str, webhooks: Vec<Value>) -> String {
        let plural = format!("{kind}webhookconfigurations");
        let name = format!("{kind}-{}", self.namespace);
        let body = json!({"metadata": {"name": name}, "webhooks": webhooks});
        let made = self.client.post(&format!("{GROUP}/{plural}"), body).await;
        assert_eq!(made.code, 201, "{}", made.text());
        format!("{GROUP}/{plural}/{name}")
    }

    /// A validating webhook with this script.
    pub(crate) async fn validating(
        &self,
        fields: Value,
        script: impl Fn(&Value) -> Reply + Send + Sync + 'static,
    ) -> String {
        self.hook.script(&self.path("v"), script);
        self.configure("validating", vec![self.webhook("v", fields)]).await
    }

    /// A mutating webhook with this script.
    pub(crate) async fn mutating(
        &self,
        fields: Value,
        script: impl Fn(&Value) -> Reply + Send + Sync + 'static,
    ) -> String {
        self.hook.script(&self.path("m"), script);
        self.configure("mutating", vec![self.webhook("m", fields)]).await
    }

    /// Creates an object of the group of policies.
    pub(crate) async fn register(&self, plural: &str, body: Value) {
        let made = self.client.post(&format!("{GROUP}/{plural}"), body).await;
        assert_eq!(made.code, 201, "{}", made.text());
    }

    /// Creates a config map.
    pub(crate) async fn make(&self, name: &str, data: Value) -> Answer {
        self.client.post(&self.maps, json!({"metadata": {"name": name}, "data": data})).await
    }
}
