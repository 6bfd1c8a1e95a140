//! `Front`: a plain HTTP server before a cluster that passes requests on, and fails as it is told.

use super::Cluster;
use std::io::{BufRead, BufReader, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;
use std::time::Instant;

/// What happens to a request that is not passed on.
pub(crate) enum Fault {
    /// It is answered with a status, more headers and a body.
    Answer(u16, &'static str, String),
    /// The connection is closed without an answer.
    Close,
}

impl Fault {
    /// A Status as API servers send it.
    pub(crate) fn status(code: u16, headers: &'static str, message: &str) -> Option<Self> {
        let body = serde_json::json!({"kind": "Status", "apiVersion": "v1", "metadata": {}, "status": "Failure", "message": message, "code": code});
        Some(Self::Answer(code, headers, body.to_string()))
    }
}

/// The path of a request, and when it came.
pub(crate) type Received = (Instant, String);

/// A front that runs until it is dropped.
pub(crate) struct Front {
    address: SocketAddr,
    received: Arc<Mutex<Vec<Received>>>,
    is_over: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

impl Front {
    /// Starts a front; `fault` says by the path what goes wrong.
    pub(crate) fn start(
        cluster: &Arc<Cluster>,
        mut fault: impl FnMut(&str) -> Option<Fault> + Send + 'static,
    ) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        let received: Arc<Mutex<Vec<Received>>> = Arc::default();
        let is_over = Arc::new(AtomicBool::new(false));
        let (log, over, cluster) =
            (Arc::clone(&received), Arc::clone(&is_over), Arc::clone(cluster));
        let thread = std::thread::spawn(move || {
            for stream in listener.incoming() {
                if over.load(Ordering::SeqCst) {
                    return;
                }
                let mut stream = stream.unwrap();
                let Some(path) = path(&stream) else { continue };
                log.lock().unwrap().push((Instant::now(), path.clone()));
                let (code, headers, body) = match fault(&path) {
                    Some(Fault::Close) => continue,
                    Some(Fault::Answer(code, headers, body)) => (code, headers, body),
                    None => {
                        let (code, body) = cluster.server.get(&path);
                        (code, "", body)
                    }
                };
                // A client that was killed does not read.
                let _ = write!(
                    stream,
                    "HTTP/1.1 {code} X\r\nContent-Type: application/json\r\nContent-Length: {}\r\nConnection: close\r\n{headers}\r\n{body}",
                    body.len()
                );
            }
        });
        Self { address, received, is_over, thread: Some(thread) }
    }

    /// A kubeconfig that leads to it.
    pub(crate) fn kubeconfig(&self, cluster: &Cluster) -> PathBuf {
        let text = format!(
            "apiVersion: v1\nkind: Config\ncurrent-context: a\nclusters:\n- {{name: a, cluster: {{server: 'http://{}'}}}}\ncontexts:\n- {{name: a, context: {{cluster: a, user: a}}}}\nusers:\n- {{name: a, user: {{}}}}\n",
            self.address
        );
        let name = format!("front-{}", self.address.port());
        cluster.folder.write(&name, text);
        cluster.folder.path(&name)
    }

    /// The requests so far.
    pub(crate) fn received(&self) -> Vec<Received> {
        self.received.lock().unwrap().clone()
    }
}

impl Drop for Front {
    fn drop(&mut self) {
        self.is_over.store(true, Ordering::SeqCst);
        let _ = TcpStream::connect(self.address);
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

/// The path of a request; `None` if the client went away.
fn path(stream: &TcpStream) -> Option<String> {
    let mut reader = BufReader::new(stream);
    let mut first = String::new();
    reader.read_line(&mut first).ok()?;
    let mut line = String::new();
    while reader.read_line(&mut line).ok()? > 2 {
        line.clear();
    }
    Some(first.split(' ').nth(1)?.to_owned())
}
