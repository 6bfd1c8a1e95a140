//! The fixture of the tests: a server, its kubelets, and the nodes and pods that lead to them.

use crate::client::Client;
use crate::notices;
pub(crate) use crate::own_address::own_address;
use crate::server::{ADMIN, ALICE, Server};
use kubelet_peer::authority::{Authority, Leaf, San};
use kubelet_peer::{Container, Identity, Kubelet, Log, Options};
use ratchet_server::{Config, NameCheck, Trust};
use serde_json::{Value, json};
use std::net::SocketAddr;
use std::path::Path;

/// The namespace of all pods.
pub(crate) const NAMESPACE: &str = "work";

/// The server's verification of kubelets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Mode {
    /// None: it has no authority.
    Anyone,
    /// The chain must lead to the authority.
    Off,
    /// The same, and name mismatches are counted.
    Observe,
    /// The same, and names must match.
    Enforce,
}

/// A server with its clients and the authority of its kubelets.
pub(crate) struct World {
    pub(crate) server: Server,
    /// The authority of kubelet certificates.
    pub(crate) authority: Authority,
    pub(crate) admin: Client,
}

/// The leaf with all addresses of this machine as subject alternative names.
pub(crate) fn here(leaf: Leaf) -> Leaf {
    let own = San::Ip(own_address());
    let sans: Vec<San> = leaf.sans.iter().cloned().chain([own]).collect();
    leaf.at(sans)
}

impl World {
    pub(crate) async fn new(mode: Mode) -> Self {
        Self::with(mode, |_, _| {}).await
    }

    /// A world with a changed server configuration.
    pub(crate) async fn with(
        mode: Mode,
        change: impl FnOnce(&Path, &mut Config) + Send + 'static,
    ) -> Self {
        notices::begin();
        let authority = Authority::new("kubelets");
        let pem = authority.ca_pem();
        let server = Server::start(move |folder, config| {
            let file = folder.join("kubelets.crt");
            std::fs::write(&file, pem).unwrap();
            let names = match mode {
                Mode::Anyone => None,
                Mode::Off => Some(NameCheck::Off),
                Mode::Observe => Some(NameCheck::Observe),
                Mode::Enforce => Some(NameCheck::Enforce),
            };
            if let Some(names) = names {
                config.backends.trust = Trust::Authority { file, names };
            }
            change(folder, config);
        });
        let admin = Client::new(&server, Some(ADMIN));
        let world = Self { server, authority, admin };
        let namespace = json!({"metadata": {"name": NAMESPACE}});
        world.make("/api/v1/namespaces", namespace).await;
        world
    }

    /// A client without any rights.
    pub(crate) fn alice(&self) -> Client {
        Client::new(&self.server, Some(ALICE))
    }

    pub(crate) async fn make(&self, path: &str, object: Value) {
        let made = self.admin.post(path, object).await;
        assert_eq!(made.code, 201, "{path}: {}", made.text());
    }

    /// The correct certificate of a node's kubelet.
    pub(crate) fn right(&self, node: &str) -> Identity {
        self.authority.issue(&here(Leaf::kubelet(node)))
    }

    /// A kubelet on this machine's own address with the certificate of a node.
    pub(crate) async fn kubelet(&self, node: &str) -> Kubelet {
        kubelet(self.right(node), |_| {}).await
    }

    /// Creates a node with this kubelet address.
    pub(crate) async fn node(&self, name: &str, kubelet: SocketAddr) {
        self.node_that(name, kubelet, &[]).await;
    }

    /// Creates a node that declares features.
    pub(crate) async fn node_that(&self, name: &str, kubelet: SocketAddr, features: &[&str]) {
        let node = json!({
            "metadata": {"name": name},
            "status": {
                "addresses": [{"type": "InternalIP", "address": kubelet.ip().to_string()}],
                "daemonEndpoints": {"kubeletEndpoint": {"Port": kubelet.port()}},
                "declaredFeatures": features,
            },
        });
        self.make("/api/v1/nodes", node).await;
    }

    /// A pod with one container, `main`, on a node.
    pub(crate) async fn pod(&self, name: &str, node: &str) {
        self.pod_of(name, node, &["main"]).await;
    }

    /// Creates a pod with these containers; unscheduled without a node.
    pub(crate) async fn pod_of(&self, name: &str, node: &str, containers: &[&str]) {
        let container = |name: &&str| json!({"name": name, "image": "image"});
        let containers: Vec<Value> = containers.iter().map(container).collect();
        let mut spec = json!({"containers": containers});
        if !node.is_empty() {
            spec["nodeName"] = node.into();
        }
        let pod = json!({"metadata": {"name": name}, "spec": spec});
        self.make(&format!("/api/v1/namespaces/{NAMESPACE}/pods"), pod).await;
    }

    /// A kubelet, its node and a pod `pod` on it with the log `hello`.
    pub(crate) async fn usual(&self, node: &str) -> Kubelet {
        let kubelet = self.kubelet(node).await;
        self.node(node, kubelet.address()).await;
        self.pod("pod", node).await;
        kubelet.add_container(NAMESPACE, "pod", "main", saying("hello\n")).unwrap();
        kubelet
    }

    /// The value of a metric with these labels, if there is one.
    pub(crate) async fn metric(&self, line: &str) -> Option<u64> {
        let metrics = self.admin.get("/metrics").await.text();
        let mut values = metrics.lines().filter_map(|found| found.strip_prefix(line));
        values.next().map(|value| value.trim().parse().unwrap())
    }

    /// Number of matching and mismatching names; `None` where they are not checked.
    pub(crate) async fn names(&self) -> Option<(u64, u64)> {
        let name = "kube_apiserver_validation_kubelet_cert_cn_total";
        let success = self.metric(&format!("{name}{{result=\"success\"}}")).await;
        let failure = self.metric(&format!("{name}{{result=\"failure\"}}")).await;
        assert_eq!(success.is_some(), failure.is_some());
        success.zip(failure)
    }
}

/// A kubelet on this machine's own address.
pub(crate) async fn kubelet(identity: Identity, change: impl FnOnce(&mut Options)) -> Kubelet {
    let mut options = Options::new(identity);
    options.address = (own_address(), 0).into();
    change(&mut options);
    Kubelet::start(options).await.unwrap()
}

/// An ended container with this log.
pub(crate) fn saying(text: &str) -> Container {
    let log = Log::from(text);
    log.end();
    Container::saying(log)
}

/// A path of a pod: `log`, `exec?…` and so on.
pub(crate) fn of_pod(pod: &str, rest: &str) -> String {
    format!("/api/v1/namespaces/{NAMESPACE}/pods/{pod}/{rest}")
}

/// The query of a command.
pub(crate) fn command(arguments: &[&str]) -> String {
    let arguments = arguments.iter().map(|argument| {
        let encoded = argument.bytes().map(|byte| format!("%{byte:02X}")).collect::<String>();
        format!("command={encoded}&")
    });
    arguments.collect()
}
