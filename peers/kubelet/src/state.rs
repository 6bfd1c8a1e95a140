//! The state that all connections share: pods, recorded requests and running tasks.

use std::collections::BTreeMap;
use std::net::{Ipv4Addr, SocketAddr};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use http::{HeaderMap, Version};
use rustls::server::danger::ClientCertVerifier;
use tokio::runtime::Handle;
use tokio::task::JoinSet;

use crate::container::Container;
use crate::respond::Answer;
use crate::running::Running;

/// A request that the kubelet received.
#[derive(Clone, Debug)]
pub struct RecordedRequest {
    /// The HTTP method.
    pub method: String,
    /// The path, as it was sent.
    pub path: String,
    /// The query, as it was sent; empty if there was none.
    pub query: String,
    /// The headers, as they were sent.
    pub headers: HeaderMap,
    /// The version of HTTP.
    pub version: Version,
    /// The number of its connection: 1 for the first successful handshake.
    pub connection: usize,
    /// Whether that connection resumed an earlier TLS session.
    pub resumed: bool,
    /// The SNI name of the handshake.
    pub server_name: Option<String>,
    /// The common name of the client's certificate.
    pub client: Option<String>,
}

/// A container of a pod, with its running process.
#[derive(Clone)]
pub(crate) struct PodContainer {
    pub(crate) container: Container,
    pub(crate) running: Option<Arc<Running>>,
}

pub(crate) type Containers = BTreeMap<String, PodContainer>;

#[derive(Default)]
struct Pod {
    containers: Containers,
    ports: BTreeMap<u16, SocketAddr>,
}

/// The shared state of all connections.
pub(crate) struct State {
    pub(crate) node: String,
    pub(crate) websockets: bool,
    pub(crate) exec_protocols: Vec<String>,
    pub(crate) clients: Option<Arc<dyn ClientCertVerifier>>,
    pub(crate) handle: Handle,
    pods: Mutex<BTreeMap<(String, String), Pod>>,
    requests: Mutex<Vec<RecordedRequest>>,
    answers: Mutex<Vec<(String, Answer)>>,
    connections: AtomicUsize,
    /// Tasks of clients, aborted when connections are closed.
    tasks: Mutex<JoinSet<()>>,
    /// Tasks that live as long as the kubelet: the listener and the containers.
    background: Mutex<JoinSet<()>>,
}

impl State {
    pub(crate) fn new(
        node: String,
        websockets: bool,
        exec_protocols: Vec<String>,
        clients: Option<Arc<dyn ClientCertVerifier>>,
    ) -> Self {
        Self {
            node,
            websockets,
            exec_protocols,
            clients,
            handle: Handle::current(),
            pods: Mutex::default(),
            requests: Mutex::default(),
            answers: Mutex::default(),
            connections: AtomicUsize::new(0),
            tasks: Mutex::default(),
            background: Mutex::default(),
        }
    }

    /// Spawns a task that ends when connections are closed.
    pub(crate) fn spawn(&self, work: impl Future<Output = ()> + Send + 'static) {
        spawn_into(&self.tasks, &self.handle, work);
    }

    /// Spawns a task that runs as long as the kubelet.
    pub(crate) fn spawn_background(&self, work: impl Future<Output = ()> + Send + 'static) {
        spawn_into(&self.background, &self.handle, work);
    }

    /// Ends every connection, and what works for it.
    pub(crate) fn close_connections(&self) {
        lock(&self.tasks).abort_all();
    }

    /// Ends everything.
    pub(crate) fn stop(&self) {
        lock(&self.background).abort_all();
        self.close_connections();
    }

    pub(crate) fn add(&self, [namespace, pod, name]: [&str; 3], container_entry: PodContainer) {
        let mut pods = lock(&self.pods);
        let pod = pods.entry((namespace.into(), pod.into())).or_default();
        pod.containers.insert(name.into(), container_entry);
    }

    pub(crate) fn remove(&self, namespace: &str, pod: &str) {
        lock(&self.pods).remove(&(namespace.into(), pod.into()));
    }

    pub(crate) fn forward(&self, namespace: &str, pod: &str, port: u16, to: SocketAddr) {
        let mut pods = lock(&self.pods);
        pods.entry((namespace.into(), pod.into())).or_default().ports.insert(port, to);
    }

    /// The containers of a pod.
    pub(crate) fn pod(&self, namespace: &str, pod: &str) -> Option<Containers> {
        let pods = lock(&self.pods);
        pods.get(&(namespace.into(), pod.into())).map(|pod| pod.containers.clone())
    }

    /// All pods: namespace, name, names of containers.
    pub(crate) fn all_pods(&self) -> Vec<(String, String, Vec<String>)> {
        let pods = lock(&self.pods);
        let named = pods.iter().map(|((namespace, pod), found)| {
            (namespace.clone(), pod.clone(), found.containers.keys().cloned().collect())
        });
        named.collect()
    }

    /// The address behind a port of a pod.
    pub(crate) fn port(&self, namespace: &str, pod: &str, port: u16) -> SocketAddr {
        let pods = lock(&self.pods);
        let found = pods.get(&(namespace.into(), pod.into())).and_then(|pod| pod.ports.get(&port));
        found.copied().unwrap_or_else(|| (Ipv4Addr::LOCALHOST, port).into())
    }

    pub(crate) fn record(&self, request: RecordedRequest) {
        lock(&self.requests).push(request);
    }

    pub(crate) fn requests(&self) -> Vec<RecordedRequest> {
        lock(&self.requests).clone()
    }

    pub(crate) fn clear_requests(&self) {
        lock(&self.requests).clear();
    }

    /// Sets or removes the answer to paths with this prefix.
    pub(crate) fn answer(&self, path: String, answer: Option<Answer>) {
        let mut answers = lock(&self.answers);
        answers.retain(|(known, _)| *known != path);
        answers.extend(answer.map(|answer| (path, answer)));
    }

    pub(crate) fn answer_for(&self, path: &str) -> Option<Answer> {
        let answers = lock(&self.answers);
        let found = answers.iter().rev().find(|(begin, _)| path.starts_with(begin.as_str()));
        found.map(|(_, answer)| answer.clone())
    }

    /// Counts a connection and returns its number.
    pub(crate) fn connected(&self) -> usize {
        self.connections.fetch_add(1, Ordering::SeqCst) + 1
    }

    pub(crate) fn connections(&self) -> usize {
        self.connections.load(Ordering::SeqCst)
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

fn spawn_into(
    tasks: &Mutex<JoinSet<()>>,
    handle: &Handle,
    work: impl Future<Output = ()> + Send + 'static,
) {
    let mut tasks = lock(tasks);
    while tasks.try_join_next().is_some() {} // drop finished tasks
    tasks.spawn_on(work, handle);
}
