//! A server that enforces kubelet names, and three nodes: two ordinary ones and one with WebSocket support.

use super::kubectl::{Kubectl, PATIENCE, Way};
use kubelet_peer::authority::{Authority, Leaf, San};
use kubelet_peer::{Container, Identity, Kubelet, Options};
use std::net::{IpAddr, Ipv4Addr, TcpListener};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};
use tempfile::TempDir;

const NODES: [&str; 3] = ["alpha", "beta", "gamma"];

/// The server, its kubelets, and kubectl.
pub(crate) struct Cluster {
    pub(crate) kubectl: Kubectl,
    pub(crate) authority: Authority,
    kubelets: Vec<Kubelet>,
    address: IpAddr,
    server: Child,
    folder: TempDir,
}

/// A pod's manifest and its containers.
pub(crate) struct Pod<'a> {
    pub(crate) name: &'a str,
    pub(crate) node: &'a str,
    pub(crate) containers: Vec<(&'a str, Container)>,
}

impl<'a> Pod<'a> {
    /// A pod of one container.
    pub(crate) fn of(name: &'a str, node: &'a str, container: Container) -> Self {
        Self { name, node, containers: vec![("main", container)] }
    }

    fn manifest(&self) -> String {
        let containers = self.containers.iter().map(|(name, container)| {
            let Container { tty, stdin_once: stdin, .. } = container;
            format!("{{name: {name}, image: x, tty: {tty}, stdin: {stdin}, stdinOnce: {stdin}}}")
        });
        format!(
            "apiVersion: v1\nkind: Pod\nmetadata: {{name: {}, labels: {{on: {}, all: pods}}}}\n\
             spec: {{nodeName: {}, containers: [{}]}}\n---\n",
            self.name,
            self.node,
            self.node,
            containers.collect::<Vec<_>>().join(", ")
        )
    }
}

impl Cluster {
    /// A cluster on loopback addresses.
    pub(crate) fn start() -> Self {
        Self::at(Ipv4Addr::LOCALHOST.into())
    }

    /// A cluster with kubelets at this address.
    pub(crate) fn at(address: IpAddr) -> Self {
        let folder = TempDir::new().unwrap();
        let authority = Authority::new("kubelets");
        let server = serve(&folder, &authority);
        let kubectl = Kubectl::new(&folder.path().join("data/kubeconfig"), folder.path());
        let mut cluster = Self { kubectl, authority, kubelets: vec![], address, server, folder };
        cluster.wait_until_ready();
        cluster.start_kubelets();
        let nodes = NODES.map(|node| cluster.node_manifest(node, cluster.port(node)));
        cluster.apply("nodes.yaml", &nodes.concat());
        cluster
    }

    fn wait_until_ready(&mut self) {
        let since = Instant::now();
        while !(self.kubectl.kubeconfig.exists() && self.kubectl.run("get --raw /readyz").code == 0)
        {
            let ended = self.server.try_wait().unwrap().is_some();
            assert!(!ended && since.elapsed() < 2 * PATIENCE, "not ready:\n{}", self.log());
            std::thread::sleep(Duration::from_millis(50));
        }
    }

    fn start_kubelets(&mut self) {
        // Kubelets accept only the server as a client.
        let clients = std::fs::read_to_string(self.folder.path().join("data/pki/ca.crt")).unwrap();
        for node in NODES {
            let mut options = Options::new(self.certificate(node));
            options.address = (self.address, 0).into();
            options.client_authority = Some(clients.clone());
            options.node = node.to_owned();
            options.websockets = node == Way::Through.node();
            self.kubelets.push(Kubelet::start_with_runtime(options).unwrap());
        }
    }

    /// A new certificate of a node.
    pub(crate) fn certificate(&self, node: &str) -> Identity {
        self.authority.issue(&Leaf::kubelet(node).at([San::Ip(self.address)]))
    }

    /// The kubelet that was started for a node.
    pub(crate) fn kubelet(&self, node: &str) -> &Kubelet {
        let at = NODES.iter().position(|known| *known == node).unwrap();
        &self.kubelets[at]
    }

    pub(crate) fn port(&self, node: &str) -> u16 {
        self.kubelet(node).address().port()
    }

    fn node_manifest(&self, node: &str, port: u16) -> String {
        let features = match node == Way::Through.node() {
            true => "[ExtendWebSocketsToKubelet]",
            false => "[]",
        };
        format!(
            "apiVersion: v1\nkind: Node\nmetadata: {{name: {node}}}\n\
             status: {{addresses: [{{type: InternalIP, address: '{}'}}], \
             daemonEndpoints: {{kubeletEndpoint: {{Port: {port}}}}}, \
             declaredFeatures: {features}}}\n---\n",
            self.address
        )
    }

    /// Creates running pods, in the API and at their kubelets.
    pub(crate) fn add(&self, pods: Vec<Pod<'_>>) {
        let manifest: String = pods.iter().map(Pod::manifest).collect();
        self.apply("pods.yaml", &manifest);
        let names = pods.iter().map(|pod| pod.name).collect::<Vec<_>>().join(" ");
        let patch = r#"{"status":{"phase":"Running"}}"#;
        self.kubectl
            .ok(&format!("patch pod {names} --subresource=status --type=merge -p :: {patch}"));
        for pod in pods {
            for (name, container) in pod.containers {
                let kubelet = self.kubelet(pod.node);
                kubelet.add_container("default", pod.name, name, container).unwrap();
            }
        }
    }

    fn apply(&self, file: &str, text: &str) {
        std::fs::write(self.folder.path().join(file), text).unwrap();
        self.kubectl.ok(&format!("create -f {file}"));
    }

    /// The server's log.
    pub(crate) fn log(&self) -> String {
        std::fs::read_to_string(self.folder.path().join("log")).unwrap()
    }

    /// A counter of the server.
    pub(crate) fn metric(&self, line: &str) -> u64 {
        let text = self.kubectl.ok("get --raw /metrics");
        let value = text.lines().find_map(|found| found.strip_prefix(line));
        value.unwrap_or_else(|| panic!("no {line}")).trim().parse().unwrap()
    }
}

impl Drop for Cluster {
    fn drop(&mut self) {
        let _ = self.server.kill();
        let _ = self.server.wait();
        if std::thread::panicking() {
            eprintln!("the server said:\n{}", self.log());
        }
    }
}

fn serve(folder: &TempDir, authority: &Authority) -> Child {
    let path = |name: &str| folder.path().join(name);
    std::fs::write(path("kubelets.crt"), authority.ca_pem()).unwrap();
    let log = std::fs::File::create(path("log")).unwrap();
    Command::new(env!("CARGO_BIN_EXE_ratchet"))
        .arg("serve")
        .arg(format!("--data-dir={}", path("data").display()))
        .arg(format!("--secure-port={}", free_port()))
        .arg("--service-cluster-ip-range=10.96.0.0/16")
        .arg("--disable-admission-plugins=ServiceAccount")
        .arg("--feature-gates=KubeletCertCNValidation=true")
        .arg("--enable-kubelet-cert-cn-validation")
        .arg(format!("--kubelet-certificate-authority={}", path("kubelets.crt").display()))
        .stdin(Stdio::null())
        .stdout(log.try_clone().unwrap())
        .stderr(log)
        .spawn()
        .unwrap()
}

fn free_port() -> u16 {
    TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port()
}
