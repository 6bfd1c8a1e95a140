//! What all connections share: the pods, what was asked, and what still works for somebody.

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

/// A request that came.
#[derive(Clone, Debug)]
pub struct Seen {
    /// The method.
    pub method: String,
    /// The path, as it was sent.
    pub path: String,
    /// The query, as it was sent; empty if there was none.
    pub query: String,
    /// The headers.
    pub headers: HeaderMap,
    /// The version of HTTP.
    pub version: Version,
    /// On which connection it came: 1 for the first handshake that succeeded.
    pub connection: usize,
    /// Whether that connection went on with an earlier TLS session.
    pub resumed: bool,
    /// The name that the client asked for in its handshake.
    pub server_name: Option<String>,
    /// The common name of the client's certificate.
    pub client: Option<String>,
}

/// A container in its pod.
#[derive(Clone)]
pub(crate) struct Placed {
    pub(crate) container: Container,
    pub(crate) running: Option<Arc<Running>>,
}

pub(crate) type Containers = BTreeMap<String, Placed>;

#[derive(Default)]
struct Pod {
    containers: Containers,
    ports: BTreeMap<u16, SocketAddr>,
}

/// What all connections share.
pub(crate) struct State {
    pub(crate) node: String,
    pub(crate) websockets: bool,
    pub(crate) exec_protocols: Vec<String>,
    pub(crate) clients: Option<Arc<dyn ClientCertVerifier>>,
    pub(crate) handle: Handle,
    pods: Mutex<BTreeMap<(String, String), Pod>>,
    seen: Mutex<Vec<Seen>>,
    answers: Mutex<Vec<(String, Answer)>>,
    connections: AtomicUsize,
    /// What works for clients, and ends with their connections.
    tasks: Mutex<JoinSet<()>>,
    /// What lives as long as the kubelet: its door, and the containers.
    lives: Mutex<JoinSet<()>>,
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
            seen: Mutex::default(),
            answers: Mutex::default(),
            connections: AtomicUsize::new(0),
            tasks: Mutex::default(),
            lives: Mutex::default(),
        }
    }

    /// Works on something as long as connections are kept open.
    pub(crate) fn spawn(&self, work: impl Future<Output = ()> + Send + 'static) {
        spawn_into(&self.tasks, &self.handle, work);
    }

    /// Works on something as long as the kubelet runs.
    pub(crate) fn keep(&self, work: impl Future<Output = ()> + Send + 'static) {
        spawn_into(&self.lives, &self.handle, work);
    }

    /// Ends every connection, and what works for it.
    pub(crate) fn close_connections(&self) {
        locked(&self.tasks).abort_all();
    }

    /// Ends everything.
    pub(crate) fn stop(&self) {
        locked(&self.lives).abort_all();
        self.close_connections();
    }

    pub(crate) fn add(&self, [namespace, pod, name]: [&str; 3], placed: Placed) {
        let mut pods = locked(&self.pods);
        let pod = pods.entry((namespace.into(), pod.into())).or_default();
        pod.containers.insert(name.into(), placed);
    }

    pub(crate) fn remove(&self, namespace: &str, pod: &str) {
        locked(&self.pods).remove(&(namespace.into(), pod.into()));
    }

    pub(crate) fn forward(&self, namespace: &str, pod: &str, port: u16, to: SocketAddr) {
        let mut pods = locked(&self.pods);
        pods.entry((namespace.into(), pod.into())).or_default().ports.insert(port, to);
    }

    /// The containers of a pod.
    pub(crate) fn pod(&self, namespace: &str, pod: &str) -> Option<Containers> {
        let pods = locked(&self.pods);
        pods.get(&(namespace.into(), pod.into())).map(|pod| pod.containers.clone())
    }

    /// All pods: namespace, name, names of containers.
    pub(crate) fn all_pods(&self) -> Vec<(String, String, Vec<String>)> {
        let pods = locked(&self.pods);
        let named = pods.iter().map(|((namespace, pod), found)| {
            (namespace.clone(), pod.clone(), found.containers.keys().cloned().collect())
        });
        named.collect()
    }

    /// Where a port of a pod really is.
    pub(crate) fn port(&self, namespace: &str, pod: &str, port: u16) -> SocketAddr {
        let pods = locked(&self.pods);
        let found = pods.get(&(namespace.into(), pod.into())).and_then(|pod| pod.ports.get(&port));
        found.copied().unwrap_or_else(|| (Ipv4Addr::LOCALHOST, port).into())
    }

    pub(crate) fn note(&self, seen: Seen) {
        locked(&self.seen).push(seen);
    }

    pub(crate) fn seen(&self) -> Vec<Seen> {
        locked(&self.seen).clone()
    }

    pub(crate) fn forget(&self) {
        locked(&self.seen).clear();
    }

    /// Answers paths that begin like this otherwise from now on.
    pub(crate) fn answer(&self, path: String, answer: Option<Answer>) {
        let mut answers = locked(&self.answers);
        answers.retain(|(known, _)| *known != path);
        answers.extend(answer.map(|answer| (path, answer)));
    }

    pub(crate) fn answer_for(&self, path: &str) -> Option<Answer> {
        let answers = locked(&self.answers);
        let found = answers.iter().rev().find(|(begin, _)| path.starts_with(begin.as_str()));
        found.map(|(_, answer)| answer.clone())
    }

    /// Counts a connection, and tells its number.
    pub(crate) fn connected(&self) -> usize {
        self.connections.fetch_add(1, Ordering::SeqCst) + 1
    }

    pub(crate) fn connections(&self) -> usize {
        self.connections.load(Ordering::SeqCst)
    }
}

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

fn spawn_into(
    tasks: &Mutex<JoinSet<()>>,
    handle: &Handle,
    work: impl Future<Output = ()> + Send + 'static,
) {
    let mut tasks = locked(tasks);
    while tasks.try_join_next().is_some() {} // what has ended is forgotten
    tasks.spawn_on(work, handle);
}
