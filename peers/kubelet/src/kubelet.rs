//! The handle of a running test kubelet, and its options.

use std::io;
use std::net::{Ipv4Addr, SocketAddr};
use std::sync::Arc;

use tokio::net::TcpListener;
use tokio::runtime::Runtime;
use tokio_rustls::TlsAcceptor;

use crate::running::Running;
use crate::state::{PodContainer, State};
use crate::tls::{self, CertificateResolver};
use crate::{Answer, Container, Identity, RecordedRequest, connection};

/// Options of a kubelet.
#[derive(Clone, Debug)]
pub struct Options {
    /// The address to listen on; port 0 takes a free one.
    pub address: SocketAddr,
    /// The initial serving certificate.
    pub certificate: Identity,
    /// The authority of client certificates, as PEM; other clients get 401. Without it everybody is allowed.
    pub client_authority: Option<String>,
    /// Whether it translates WebSockets itself, as kubelets since 1.36 do that declare `ExtendWebSocketsToKubelet`. The
    /// WebSocket protocols of older kubelets are always supported.
    pub websockets: bool,
    /// Whether it offers HTTP/2.
    pub http2: bool,
    /// Whether TLS sessions can be resumed.
    pub session_tickets: bool,
    /// Whether it speaks TLS 1.3, and not only 1.2.
    pub tls13: bool,
    /// The node's name in the kubelet's own pages.
    pub node: String,
    /// The supported exec and attach protocols over SPDY. Container runtimes do not support version 5.
    pub exec_protocols: Vec<String>,
}

impl Options {
    /// The defaults of kubelets, on a free port of this machine.
    pub fn new(certificate: Identity) -> Self {
        let protocols =
            ["v4.channel.k8s.io", "v3.channel.k8s.io", "v2.channel.k8s.io", "channel.k8s.io"];
        Self {
            address: (Ipv4Addr::LOCALHOST, 0).into(),
            certificate,
            client_authority: None,
            websockets: false,
            http2: true,
            session_tickets: true,
            tls13: true,
            node: "node".into(),
            exec_protocols: protocols.map(Into::into).to_vec(),
        }
    }
}

/// A running kubelet; it stops when it is dropped.
pub struct Kubelet {
    state: Arc<State>,
    resolver: Arc<CertificateResolver>,
    address: SocketAddr,
    runtime: Option<Runtime>,
}

impl Kubelet {
    /// Starts a kubelet in the caller's runtime.
    pub async fn start(options: Options) -> io::Result<Self> {
        let resolver = Arc::new(CertificateResolver::new(&options.certificate)?);
        let tls = TlsAcceptor::from(tls::config(&options, resolver.clone())?);
        let clients = options.client_authority.as_deref().map(tls::clients).transpose()?;
        let listener = TcpListener::bind(options.address).await?;
        let address = listener.local_addr()?;
        let Options { node, websockets, exec_protocols, .. } = options;
        let state = Arc::new(State::new(node, websockets, exec_protocols, clients));
        state.spawn_background(connection::listen(state.clone(), listener, tls));
        Ok(Self { state, resolver, address, runtime: None })
    }

    /// Starts a kubelet with its own runtime, for tests that are not async.
    pub fn start_with_runtime(options: Options) -> io::Result<Self> {
        let runtime = Runtime::new()?;
        let mut kubelet = runtime.block_on(Self::start(options))?;
        kubelet.runtime = Some(runtime);
        Ok(kubelet)
    }

    /// The address that it listens on.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Replaces the serving certificate for new handshakes.
    pub fn set_certificate(&self, identity: &Identity) -> io::Result<()> {
        self.resolver.set(identity)
    }

    /// Adds a container, and starts its command if it has one.
    pub fn add_container(
        &self,
        namespace: &str,
        pod: &str,
        name: &str,
        container: Container,
    ) -> io::Result<()> {
        let running = if container.command.is_empty() {
            None
        } else {
            let _entered = self.state.handle.enter(); // processes need a runtime
            let (running, life) = Running::start(&container)?;
            self.state.spawn_background(life);
            Some(running)
        };
        self.state.add([namespace, pod, name], PodContainer { container, running });
        Ok(())
    }

    /// Number of clients attached to a container: attach has no response, so a test must check before it writes.
    pub fn attached(&self, namespace: &str, pod: &str, name: &str) -> usize {
        let containers = self.state.pod(namespace, pod).unwrap_or_default();
        let running = containers.get(name).and_then(|pod_container| pod_container.running.as_ref());
        running.map_or(0, |running| running.listeners())
    }

    /// Removes a pod and its containers.
    pub fn remove_pod(&self, namespace: &str, pod: &str) {
        self.state.remove(namespace, pod);
    }

    /// Sets the address behind a port of a pod; the default is the same port of this machine.
    pub fn forward_port(&self, namespace: &str, pod: &str, port: u16, to: SocketAddr) {
        self.state.forward(namespace, pod, port, to);
    }

    /// Sets the answer to requests whose path begins with `path`; `None` removes it.
    pub fn answer(&self, path: &str, answer: Option<Answer>) {
        self.state.answer(path.into(), answer);
    }

    /// All recorded requests.
    pub fn requests(&self) -> Vec<RecordedRequest> {
        self.state.requests()
    }

    /// Clears the recorded requests.
    pub fn clear_requests(&self) {
        self.state.clear_requests();
    }

    /// Number of successful handshakes.
    pub fn connections(&self) -> usize {
        self.state.connections()
    }

    /// Closes all connections and aborts their tasks.
    pub fn close_connections(&self) {
        self.state.close_connections();
    }
}

impl Drop for Kubelet {
    fn drop(&mut self) {
        self.state.stop();
        if let Some(runtime) = self.runtime.take() {
            runtime.shutdown_background();
        }
    }
}
