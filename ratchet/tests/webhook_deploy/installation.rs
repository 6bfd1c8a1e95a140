//! `Installation`: a cluster of `ratchet serve` on which the manifests were applied, and the webhook's credentials there.

use crate::console::{CommandOutput, Console};
use crate::replica::Replica;
use crate::serving::Serving;
use serde_json::{Value, json};
use std::time::{Duration, Instant};

/// How long anything may take on a busy machine.
pub(crate) const PATIENCE: Duration = Duration::from_secs(120);

/// A cluster whose own validation is lenient, as that of most clusters.
pub(crate) struct Installation {
    _serving: Serving,
    pub(crate) console: Console,
}

impl Installation {
    /// Starts a cluster in which the namespace `shop` has a Service with an address that nobody may write any more.
    pub(crate) fn start() -> Self {
        let flags = ["--feature-gates=StrictIPCIDRValidation=false"];
        let (serving, console) = Serving::start_with(&flags);
        let own = Self { _serving: serving, console };
        own.console.ok("create namespace shop");
        assert_eq!(own.apply(&service("stored", "192.0.2.010", "a")).code, 0);
        own
    }

    /// `kubectl apply` of an object.
    pub(crate) fn apply(&self, object: &Value) -> CommandOutput {
        let name = object["metadata"]["name"].as_str().unwrap();
        let file = self.console.file(&format!("{name}.json"), &object.to_string());
        self.console.run(&format!("apply -f {}", file.display()))
    }

    /// Reads an object as JSON.
    pub(crate) fn get(&self, what: &str) -> Value {
        let output = self.console.run(&format!("get {what} -o json"));
        assert_eq!(output.code, 0, "get {what}: {}", output.text);
        serde_json::from_str(&output.stdout).unwrap()
    }

    /// What a pod finds: the configuration file of the ConfigMap, and the credentials of its service account.
    pub(crate) fn mount(&self) {
        let map = self.get("configmap ratchet-webhook -n ratchet-system");
        self.console.file("webhook.yaml", map["data"]["webhook.yaml"].as_str().unwrap());
        let token = self.console.ok("create token ratchet-webhook -n ratchet-system");
        let view = self.console.ok("config view --raw -o json");
        let mut view: Value = serde_json::from_str(&view).unwrap();
        view["users"][0]["user"] = json!({"token": token.trim()});
        self.console.file("webhook.kubeconfig", &view.to_string());
    }

    /// Starts a replica with these flags beside those of the Deployment; the Service leads to it.
    pub(crate) fn add_replica(&self, number: usize, flags: &[&str]) -> Replica {
        let deployment = self.get("deployment ratchet-webhook -n ratchet-system");
        let container = &deployment["spec"]["template"]["spec"]["containers"][0];
        let replica = Replica::start(container, self.console.folder(), number, flags);
        replica.wait_until_ready();
        assert_eq!(self.apply(&replica.endpoint_slice()).code, 0);
        replica
    }

    /// Takes a replica out of the Service, as a controller does when its pod is not ready.
    pub(crate) fn remove_from_service(&self, slice: &str) {
        self.console.ok(&format!("delete endpointslice {slice} -n ratchet-system"));
    }

    /// The authorities that the webhook configuration has, once there are any.
    pub(crate) fn ca_bundle(&self) -> String {
        let path = "-o jsonpath='{.webhooks[*].clientConfig.caBundle}'";
        let text =
            self.console.ok(&format!("get validatingwebhookconfiguration ratchet-webhook {path}"));
        let mut all: Vec<&str> = text.split_whitespace().collect();
        all.dedup();
        assert!(all.len() <= 1, "webhooks have different authorities");
        all.first().copied().unwrap_or_default().to_owned()
    }

    /// Tries to create a bad Service until the webhook refuses it: its authority is published soon after its start.
    pub(crate) fn wait_until_enforced(&self) -> CommandOutput {
        until("the webhook refuses", || {
            let output = self.apply(&service("probe", "192.0.2.011", "a"));
            if output.code == 0 {
                self.console.ok("delete service probe -n shop");
            }
            (output.code != 0).then_some(output)
        })
    }

    /// What the replicas wrote to their logs, for messages of failed tests.
    pub(crate) fn logs(&self) -> String {
        let names = (0..4).map(|number| format!("replica-{number}.log"));
        let logs =
            names.filter_map(|name| std::fs::read_to_string(self.console.folder().join(name)).ok());
        logs.collect::<Vec<_>>().join("\n---\n")
    }
}

/// A Service in `shop` with this external IP and a label that can be changed.
pub(crate) fn service(name: &str, address: &str, label: &str) -> Value {
    json!({"apiVersion": "v1", "kind": "Service",
        "metadata": {"name": name, "namespace": "shop", "labels": {"version": label}},
        "spec": {"ports": [{"port": 80}], "externalIPs": [address]}})
}

/// Repeats something until it has a result.
pub(crate) fn until<T>(what: &str, mut attempt: impl FnMut() -> Option<T>) -> T {
    let since = Instant::now();
    loop {
        if let Some(done) = attempt() {
            return done;
        }
        assert!(since.elapsed() < PATIENCE, "not within {PATIENCE:?}: {what}");
        std::thread::sleep(Duration::from_millis(100));
    }
}
