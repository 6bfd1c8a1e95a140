//! A server with policies enabled, and helpers for the tests.

use crate::client::{Answer, Client};
use crate::server::Server;
use serde_json::{Value, json};
use std::sync::LazyLock;

pub(crate) const POLICIES: &str =
    "/apis/admissionregistration.k8s.io/v1/validatingadmissionpolicies";
pub(crate) const BINDINGS: &str =
    "/apis/admissionregistration.k8s.io/v1/validatingadmissionpolicybindings";

static SERVER: LazyLock<Server> = LazyLock::new(|| Server::start_with(turn_on));

/// Enables the admission plugin.
pub(crate) fn turn_on(config: &mut ratchet_server::Config) {
    config.plugins.push("ValidatingAdmissionPolicy");
}

/// A namespace, and policies that match only it.
pub(crate) struct Stage {
    pub(crate) client: Client,
    pub(crate) namespace: String,
    pub(crate) maps: String,
}

impl Stage {
    /// A stage on the shared server.
    pub(crate) async fn new() -> Self {
        Self::on(&SERVER).await
    }

    /// A stage on its own server.
    pub(crate) async fn on(server: &Server) -> Self {
        let client = server.admin().await;
        let (namespace, maps) = client.namespace().await;
        Self { client, namespace, maps }
    }

    /// A rule about one resource of this stage.
    pub(crate) fn rule(group: &str, resource: &str, operations: &[&str]) -> Value {
        json!({"apiGroups": [group], "apiVersions": ["v1"], "resources": [resource],
            "operations": operations})
    }

    /// The policy `name` of this stage: it matches writes of config maps in its namespace, unless `spec` says
    /// otherwise.
    pub(crate) fn policy(&self, name: &str, spec: Value) -> Value {
        let mut whole = json!({"matchConstraints": {
            "resourceRules": [Self::rule("", "configmaps", &["CREATE", "UPDATE"])],
            "namespaceSelector": {"matchLabels": {"kubernetes.io/metadata.name": self.namespace}}}});
        let fields = whole.as_object_mut().unwrap();
        fields.extend(spec.as_object().unwrap().clone());
        json!({"metadata": {"name": self.named(name)}, "spec": whole})
    }

    pub(crate) fn named(&self, name: &str) -> String {
        format!("{name}-{}", self.namespace)
    }

    /// Creates a policy and binds it.
    pub(crate) async fn bind(&self, name: &str, policy: Value, binding: Value) {
        let made = self.client.post(POLICIES, self.policy(name, policy)).await;
        assert_eq!(made.code, 201, "{}", made.text());
        self.bind_more(name, name, binding).await;
    }

    /// Binds a policy once more.
    pub(crate) async fn bind_more(&self, binding_name: &str, policy: &str, binding: Value) {
        let mut spec = json!({"policyName": self.named(policy), "validationActions": ["Deny"]});
        spec.as_object_mut().unwrap().extend(binding.as_object().unwrap().clone());
        let whole = json!({"metadata": {"name": self.named(binding_name)}, "spec": spec});
        let made = self.client.post(BINDINGS, whole).await;
        assert_eq!(made.code, 201, "{}", made.text());
    }

    /// Creates a config map.
    pub(crate) async fn make(&self, name: &str, data: Value) -> Answer {
        self.client.post(&self.maps, json!({"metadata": {"name": name}, "data": data})).await
    }

    /// The message of a denial by the policy and binding `name`.
    pub(crate) fn refusal(&self, object: &str, name: &str, reason: &str) -> String {
        let name = self.named(name);
        format!(
            "{object} is forbidden: ValidatingAdmissionPolicy '{name}' with binding '{name}' denied request: {reason}"
        )
    }
}
