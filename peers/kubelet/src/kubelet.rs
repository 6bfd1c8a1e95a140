//! The kubelet that a test holds in its hand.

use std::io;
use std::net::{Ipv4Addr, SocketAddr};
use std::sync::Arc;

use tokio::net::TcpListener;
use tokio::runtime::Runtime;
use tokio_rustls::TlsAcceptor;

use crate::running::Running;
use crate::state::{Placed, State};
use crate::tls::{self, Shop};
use crate::{Answer, Container, Seen, Shown, connection};

/// How a kubelet runs.
#[derive(Clone, Debug)]
pub struct Options {
    /// Where it listens; port 0 takes a free one.
    pub address: SocketAddr,
    /// What it shows first.
    pub certificate: Shown,
    /// Who signs for those who may ask, as PEM; everybody may without it. Others get 401.
    pub client_authority: Option<String>,
    /// Whether it translates WebSockets itself, as kubelets since 1.36 do that declare
    /// `ExtendWebSocketsToKubelet`. The WebSocket protocols of older kubelets are always spoken.
    pub websockets: bool,
    /// Whether it offers HTTP/2.
    pub http2: bool,
    /// Whether TLS sessions can be resumed.
    pub session_tickets: bool,
    /// Whether it speaks TLS 1.3, and not only 1.2.
    pub tls13: bool,
    /// The name of its node, as its own pages tell it.
    pub node: String,
    /// The exec and attach protocols that it speaks over SPDY. Container runtimes do not speak version 5.
    pub exec_protocols: Vec<String>,
}

impl Options {
    /// On a free port of this machine, as kubelets are by default.
    pub fn new(certificate: Shown) -> Self {
        let spoken =
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
            exec_protocols: spoken.map(Into::into).to_vec(),
        }
    }
}

/// A running kubelet; it stops when it is dropped.
pub struct Kubelet {
    state: Arc<State>,
    shop: Arc<Shop>,
    address: SocketAddr,
    runtime: Option<Runtime>,
}

impl Kubelet {
    /// Starts one in the runtime of the caller.
    pub async fn start(options: Options) -> io::Result<Self> {
        let shop = Arc::new(Shop::new(&options.certificate)?);
        let tls = TlsAcceptor::from(tls::config(&options, shop.clone())?);
        let clients = options.client_authority.as_deref().map(tls::clients).transpose()?;
        let listener = TcpListener::bind(options.address).await?;
        let address = listener.local_addr()?;
        let Options { node, websockets, exec_protocols, .. } = options;
        let state = Arc::new(State::new(node, websockets, exec_protocols, clients));
        state.keep(connection::listen(state.clone(), listener, tls));
        Ok(Self { state, shop, address, runtime: None })
    }

    /// Starts one with a runtime of its own, for tests that are not async.
    pub fn start_apart(options: Options) -> io::Result<Self> {
        let runtime = Runtime::new()?;
        let mut kubelet = runtime.block_on(Self::start(options))?;
        kubelet.runtime = Some(runtime);
        Ok(kubelet)
    }

    /// Where it listens.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Shows another certificate in new handshakes.
    pub fn show(&self, shown: &Shown) -> io::Result<()> {
        self.shop.show(shown)
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
            self.state.keep(life);
            Some(running)
        };
        self.state.add([namespace, pod, name], Placed { container, running });
        Ok(())
    }

    /// How many are attached to a container now: attaching has no answer, so a test must look before it writes.
    pub fn attached(&self, namespace: &str, pod: &str, name: &str) -> usize {
        let containers = self.state.pod(namespace, pod).unwrap_or_default();
        let running = containers.get(name).and_then(|placed| placed.running.as_ref());
        running.map_or(0, |running| running.listeners())
    }

    /// Forgets a pod and its containers.
    pub fn remove_pod(&self, namespace: &str, pod: &str) {
        self.state.remove(namespace, pod);
    }

    /// Says where a port of a pod really is; without that it is the same port of this machine.
    pub fn forward_port(&self, namespace: &str, pod: &str, port: u16, to: SocketAddr) {
        self.state.forward(namespace, pod, port, to);
    }

    /// Answers requests whose path begins with `path` like this; `None` takes it back.
    pub fn answer(&self, path: &str, answer: Option<Answer>) {
        self.state.answer(path.into(), answer);
    }

    /// All requests so far.
    pub fn seen(&self) -> Vec<Seen> {
        self.state.seen()
    }

    /// Forgets what was asked so far.
    pub fn forget(&self) {
        self.state.forget();
    }

    /// How many handshakes have succeeded.
    pub fn connections(&self) -> usize {
        self.state.connections()
    }

    /// Closes all connections, and ends what works for them.
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
