//! The built binary, serving on a free port out of a temporary folder until the test ends.

use super::wire::{Answer, Client};
use std::net::{SocketAddr, TcpListener};
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};
use tempfile::TempDir;

/// A server for one test.
pub(crate) struct Server {
    child: Child,
    folder: TempDir,
    pub(crate) address: SocketAddr,
}

impl Server {
    /// Starts a server and waits until it is ready.
    pub(crate) fn start() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
        let log = std::fs::File::create(folder.path().join("log")).unwrap();
        let child = Command::new(env!("CARGO_BIN_EXE_ratchet"))
            .arg("serve")
            .arg("--data-dir")
            .arg(folder.path().join("data"))
            .args(["--secure-port", &port.to_string()])
            .args(["--service-cluster-ip-range", "10.0.0.0/16"])
            .stdin(Stdio::null())
            .stdout(log.try_clone().unwrap())
            .stderr(log)
            .spawn()
            .unwrap();
        let address = SocketAddr::from(([127, 0, 0, 1], port));
        let server = Self { child, folder, address };
        server.wait_until_ready();
        server
    }

    fn wait_until_ready(&self) {
        let begun = Instant::now();
        while begun.elapsed() < Duration::from_secs(30) {
            if self.kubeconfig().exists()
                && let Ok(mut client) = self.try_client()
                && client.get("/readyz").code == 200
            {
                return;
            }
            std::thread::sleep(Duration::from_millis(20));
        }
        panic!("the server is not ready: {}", self.log());
    }

    fn kubeconfig(&self) -> PathBuf {
        self.folder.path().join("data/kubeconfig")
    }

    fn try_client(&self) -> std::io::Result<Client> {
        let kubeconfig = std::fs::read_to_string(self.kubeconfig())?;
        Client::connect(self.address, Some(&kubeconfig), &[b"http/1.1"])
    }

    /// A connection of the administrator.
    pub(crate) fn client(&self) -> Client {
        self.try_client().expect("a connection")
    }

    /// An anonymous connection.
    pub(crate) fn stranger(&self) -> Client {
        Client::connect(self.address, None, &[b"http/1.1"]).expect("a connection")
    }

    /// A connection of the administrator that speaks HTTP/2.
    pub(crate) fn client2(&self) -> Client {
        let kubeconfig = std::fs::read_to_string(self.kubeconfig()).unwrap();
        Client::connect(self.address, Some(&kubeconfig), &[b"h2"]).expect("a connection")
    }

    /// The permissions of a file of the server.
    pub(crate) fn mode(&self, file: &str) -> u32 {
        use std::os::unix::fs::PermissionsExt;
        let path = self.folder.path().join("data").join(file);
        std::fs::metadata(path).unwrap().permissions().mode() & 0o777
    }

    /// The server's output.
    pub(crate) fn log(&self) -> String {
        std::fs::read_to_string(self.folder.path().join("log")).unwrap_or_default()
    }

    /// The server's memory in KiB.
    pub(crate) fn memory(&self) -> u64 {
        self.status("VmRSS:")
    }

    /// The server's memory in KiB as soon as it is below a bound, or after ten seconds: the allocator gives back what a
    /// large answer needed while later requests are served.
    pub(crate) fn settled_memory(&self, bound: u64) -> u64 {
        let mut client = self.client();
        let begun = Instant::now();
        while self.memory() >= bound && begun.elapsed() < Duration::from_secs(10) {
            client.get("/readyz");
            std::thread::sleep(Duration::from_millis(50));
        }
        self.memory()
    }

    /// The number of the server's threads.
    pub(crate) fn threads(&self) -> u64 {
        self.status("Threads:")
    }

    fn status(&self, name: &str) -> u64 {
        let status = std::fs::read_to_string(format!("/proc/{}/status", self.child.id())).unwrap();
        let line = status.lines().find_map(|line| line.strip_prefix(name)).unwrap();
        line.split_whitespace().next().unwrap().parse().unwrap()
    }

    /// Asserts that the server runs, has not panicked, and serves ordinary requests.
    pub(crate) fn is_well(&mut self) {
        assert!(self.child.try_wait().unwrap().is_none(), "the server ended: {}", self.log());
        let log = self.log();
        assert!(!log.contains("panic") && !log.contains("overflow"), "the server says: {log}");
        let mut client = self.client();
        let path = "/api/v1/namespaces/default/configmaps";
        client.delete(&format!("{path}/well"));
        let made = client.post(path, r#"{"metadata":{"name":"well"},"data":{"a":"b"}}"#);
        assert_eq!(made.code, 201, "{}", made.text());
        let patched = client.send(
            "PATCH",
            &format!("{path}/well"),
            &[("Content-Type", "application/merge-patch+json")],
            br#"{"data":{"c":"d"}}"#,
        );
        assert_eq!(patched.code, 200, "{}", patched.text());
        let read = client.get(&format!("{path}/well"));
        assert!(read.text().contains(r#""c":"d""#), "{}", read.text());
        assert_eq!(client.get("/api/v1/pods?limit=500").code, 200);
        assert_eq!(client.delete(&format!("{path}/well")).code, 200);
        assert_eq!(client.get("/readyz").code, 200);
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Asserts that an answer is acceptable for a hostile request.
pub(crate) fn is_calm(what: &str, answer: &Answer) {
    if let Some(complaint) = complaint(answer) {
        panic!("{what}: {complaint}");
    }
}

/// The problem with an answer: any code besides success and client errors.
pub(crate) fn complaint(answer: &Answer) -> Option<String> {
    // What the reference answers with 500, 503 and 504 too, for clients compare these texts.
    const ALLOWED: [(u16, &str); 11] = [
        (500, "resourceVersion should not be set on objects to be created"),
        (500, "resourceVersion: Invalid value"),
        (504, "Too large resource version"),
        // Strategic merge patches that do not fit the object.
        (500, "unable to find api field in struct"),
        (500, "does not contain declared merge key"),
        (500, "list element types are not identical"),
        (500, "unknown patch type"),
        (500, "cannot tell the items of a list apart"),
        // Proxies to what is not there.
        (503, "no endpoints available for service"),
        (503, "error trying to reach service"),
        (500, "no preferred addresses found"),
    ];
    let known = |(code, text): &(u16, &str)| *code == answer.code && answer.text().contains(text);
    // 301: an OpenAPI document that was asked for by an old hash.
    let calm = (200..=301).contains(&answer.code) || (400..500).contains(&answer.code);
    let summary = || format!("{} {}", answer.code, short(&answer.text()));
    (!calm && !ALLOWED.iter().any(known)).then(summary)
}

/// The beginning of a text.
pub(crate) fn short(text: &str) -> String {
    text.chars().take(600).collect()
}
