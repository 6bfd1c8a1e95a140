//! The fixture of the measurement: a server that enforces names, a kubelet with floods, and a plain proxy.

use super::dial::{Peer, config};
use super::plain;
use super::process::Process;
use base64::Engine;
use http_body_util::BodyExt;
use hyper::Method;
use kubelet_peer::authority::Authority;
use kubelet_peer::{Container, Identity, Kubelet, Log, Options};
use rustls::pki_types::CertificateDer;
use rustls::pki_types::pem::PemObject;
use std::net::TcpListener;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};
use tempfile::TempDir;
use tokio::runtime::Handle;

/// A log size that no measurement exhausts.
const ENDLESS: u64 = 1 << 50;

/// All processes of the measurement, with connections to them.
pub(crate) struct Fixture {
    pub(crate) server: Process,
    pub(crate) proxy: Process,
    /// The server, as its administrator reaches it.
    pub(crate) api: Peer,
    /// The kubelet, reached directly.
    pub(crate) kubelet: Peer,
    /// The plain proxy.
    pub(crate) plain: Peer,
    /// A log that is written while it is followed.
    pub(crate) quiet: Log,
    _kubelet: Kubelet,
    _folder: TempDir,
}

impl Fixture {
    /// Starts everything; the kubelet and the floods run in the runtime of `sources`.
    pub(crate) async fn prepare(sources: &Handle) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let authority = Authority::new("kubelets");
        let identity = authority.kubelet("node");
        let kubelet = Kubelet::start(Options::new(identity.clone()));
        let kubelet = sources.spawn(kubelet).await.unwrap().unwrap();
        let quiet = Log::new();
        for (name, log) in [("flood", Log::flood(ENDLESS)), ("quiet", quiet.clone())] {
            kubelet.add_container("default", "pod", name, Container::saying(log)).unwrap();
        }
        let flood = sources.spawn(plain::flood()).await.unwrap();
        kubelet.forward_port("default", "pod", 80, flood);
        let known = config(&[authority.ca_der()], None);
        let server = serve(folder.path(), &authority);
        let backend = sources.spawn(plain::flood_over_tls(identity.clone())).await.unwrap();
        let (proxy, address) = plain::start(folder.path(), &authority, &identity, backend).await;
        let fixture = Self {
            api: administrator(folder.path(), server.1).await,
            server: server.0,
            proxy,
            kubelet: Peer { address: kubelet.address(), tls: known.clone() },
            plain: Peer { address, tls: known },
            quiet,
            _kubelet: kubelet,
            _folder: folder,
        };
        fixture.create(fixture.kubelet.address.port()).await;
        fixture
    }

    /// Creates the node and the pod.
    async fn create(&self, port: u16) {
        let node = format!(
            r#"{{"apiVersion":"v1","kind":"Node","metadata":{{"name":"node"}},"status":{{"addresses":[{{"type":"InternalIP","address":"127.0.0.1"}}],"daemonEndpoints":{{"kubeletEndpoint":{{"Port":{port}}}}}}}}}"#
        );
        let pod = r#"{"apiVersion":"v1","kind":"Pod","metadata":{"name":"pod"},"spec":{"nodeName":"node","containers":[{"name":"flood","image":"x"},{"name":"quiet","image":"x"}]}}"#;
        let objects = [("/api/v1/nodes", node.as_str()), ("/api/v1/namespaces/default/pods", pod)];
        for (path, object) in objects {
            let headers = [("Content-Type", "application/json")];
            let answer = self.api.request(Method::POST, path, &headers, object.to_owned()).await;
            let code = answer.status().as_u16();
            let text = answer.into_body().collect().await.unwrap().to_bytes();
            assert_eq!(code, 201, "{}", String::from_utf8_lossy(&text));
        }
    }
}

fn serve(folder: &Path, authority: &Authority) -> (Process, u16) {
    let file = folder.join("kubelets.crt");
    std::fs::write(&file, authority.ca_pem()).unwrap();
    let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let child = Command::new(env!("CARGO_BIN_EXE_ratchet"))
        .args(["serve", "--secure-port", &port.to_string(), "--data-dir"])
        .arg(folder.join("data"))
        .args(["--disable-admission-plugins", "ServiceAccount"])
        .args(["--feature-gates", "KubeletCertCNValidation=true"])
        .arg("--enable-kubelet-cert-cn-validation")
        .arg("--kubelet-certificate-authority")
        .arg(file)
        .stdout(Stdio::null())
        .spawn()
        .unwrap();
    (Process(child), port)
}

/// Waits until the server is ready, and reads its kubeconfig.
async fn administrator(folder: &Path, port: u16) -> Peer {
    let begun = Instant::now();
    let address = ([127, 0, 0, 1], port).into();
    while begun.elapsed() < Duration::from_secs(60) {
        tokio::time::sleep(Duration::from_millis(50)).await;
        let Ok(text) = std::fs::read_to_string(folder.join("data/kubeconfig")) else { continue };
        if tokio::net::TcpStream::connect(address).await.is_err() {
            continue;
        }
        let peer = Peer { address, tls: credentials(&text) };
        if peer.request(Method::GET, "/readyz", &[], "").await.status().is_success() {
            return peer;
        }
    }
    panic!("the server is not ready");
}

fn credentials(kubeconfig: &str) -> rustls::ClientConfig {
    let pem = |name: &str| {
        let line = kubeconfig.lines().find_map(|line| line.trim().strip_prefix(name));
        let text = line.and_then(|line| line.strip_prefix(':')).expect(name).trim();
        base64::prelude::BASE64_STANDARD.decode(text.trim_matches('"')).expect(name)
    };
    let authorities: Vec<_> = CertificateDer::pem_slice_iter(&pem("certificate-authority-data"))
        .collect::<Result<_, _>>()
        .unwrap();
    let identity =
        Identity::from_pem(&pem("client-certificate-data"), &pem("client-key-data")).unwrap();
    config(&authorities, Some(&identity))
}
