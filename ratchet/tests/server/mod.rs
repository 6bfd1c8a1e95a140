//! The real binary as a server on its own port, and a client that sends requests over TLS.
#![allow(clippy::unwrap_used, reason = "a helper of a test may fail like a test")]

use base64::Engine as _;
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer, ServerName};
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::time::Duration;

const BINARY: &str = env!("CARGO_BIN_EXE_ratchet");

/// A currently free port.
pub(crate) fn free_port() -> u16 {
    TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port()
}

/// The error line with which `ratchet serve` refuses to start.
pub(crate) fn refused(arguments: &[&str]) -> String {
    refused_by(Command::new(BINARY), arguments)
}

/// The same without a data directory, for a user whose home is `home`.
#[allow(dead_code, reason = "not every test has an etcd")]
pub(crate) fn refused_at_home(home: &Path, arguments: &[&str]) -> String {
    let mut command = Command::new(BINARY);
    command.env("XDG_STATE_HOME", home);
    refused_by(command, arguments)
}

fn refused_by(mut command: Command, arguments: &[&str]) -> String {
    let output = command.arg("serve").args(arguments).output().unwrap();
    let text = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(1), "{arguments:?}: {text}");
    assert!(output.stdout.is_empty(), "{arguments:?}");
    assert_eq!(text.lines().count(), 1, "{arguments:?}: {text}");
    text.trim_end().to_owned()
}

/// The first certificate of a file.
pub(crate) fn certificate(path: &Path) -> Vec<u8> {
    CertificateDer::from_pem_file(path).unwrap().to_vec()
}

/// A ready server; killed when dropped.
pub(crate) struct Server {
    child: Child,
    dir: PathBuf,
    pub(crate) port: u16,
    pub(crate) lines: Vec<String>,
}

impl Server {
    /// Starts a server and waits until it prints its URL.
    pub(crate) fn start(dir: &Path, arguments: &[&str]) -> Self {
        Self::start_on(free_port(), dir, arguments)
    }

    /// Starts a server on a given port.
    pub(crate) fn start_on(port: u16, dir: &Path, arguments: &[&str]) -> Self {
        Self::start_by(Command::new(BINARY), port, dir, arguments)
    }

    /// Starts a server with a file size limit in kilobytes, which `unlimit` lifts.
    pub(crate) fn start_limited(kilobytes: u32, dir: &Path) -> Self {
        let mut command = Command::new("bash");
        let limit = format!("ulimit -S -f {kilobytes}; exec \"$@\"");
        command.args(["-c", &limit, "limited", BINARY]);
        Self::start_by(command, free_port(), dir, &[])
    }

    /// Lifts the file size limit.
    pub(crate) fn unlimit(&self) {
        let id = self.child.id().to_string();
        let done = Command::new("prlimit").args(["--pid", &id, "--fsize=unlimited"]).status();
        assert!(done.unwrap().success());
    }

    /// Starts a server without a data directory; its files are in the usual place of a user whose home is `home`.
    #[allow(dead_code, reason = "not every test has an etcd")]
    pub(crate) fn start_at_home(home: &Path, arguments: &[&str]) -> Self {
        let mut command = Command::new(BINARY);
        let port = free_port();
        command.env("XDG_STATE_HOME", home).args(["serve", "--secure-port", &port.to_string()]);
        Self::run(command, port, &home.join("ratchet"), arguments)
    }

    fn start_by(mut command: Command, port: u16, dir: &Path, arguments: &[&str]) -> Self {
        command.args(["serve", "--secure-port", &port.to_string(), "--data-dir"]).arg(dir);
        Self::run(command, port, dir, arguments)
    }

    fn run(mut command: Command, port: u16, dir: &Path, arguments: &[&str]) -> Self {
        let mut child =
            command.args(arguments).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        let out = BufReader::new(child.stdout.take().unwrap());
        let lines: Vec<String> = out.lines().take(3).map(Result::unwrap).collect();
        if lines.len() < 3 {
            let mut text = String::new();
            child.stderr.take().unwrap().read_to_string(&mut text).unwrap();
            panic!("the server did not start: {text}");
        }
        Self { child, dir: dir.to_owned(), port, lines }
    }

    /// The lines of `/proc/<pid>/status` with this name, in its units: kilobytes, or threads.
    pub(crate) fn status(&self, name: &str) -> u64 {
        let text = std::fs::read_to_string(format!("/proc/{}/status", self.child.id())).unwrap();
        let line = text.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(':'));
        line.unwrap().split_whitespace().next().unwrap().parse().unwrap()
    }

    /// Sends a signal by its name.
    pub(crate) fn signal(&self, name: &str) {
        let id = self.child.id().to_string();
        let done = Command::new("kill").args(["-s", name, &id]).status().unwrap();
        assert!(done.success());
    }

    /// Waits for the end; returns the exit status and standard error.
    pub(crate) fn wait(&mut self) -> (Option<i32>, String) {
        let status = self.child.wait().unwrap();
        let mut text = String::new();
        if let Some(mut errors) = self.child.stderr.take() {
            errors.read_to_string(&mut text).unwrap();
        }
        (status.code(), text)
    }

    /// Sends a request as the user of the kubeconfig.
    pub(crate) fn get(&self, path: &str) -> (u16, String) {
        self.request("GET", path, "")
    }

    /// Sends a request as the user of the kubeconfig.
    pub(crate) fn request(&self, method: &str, path: &str, body: &str) -> (u16, String) {
        self.request_with_headers("", method, path, body)
    }

    /// Sends a request as the user of the kubeconfig, with more headers.
    pub(crate) fn request_with_headers(
        &self,
        headers: &str,
        method: &str,
        path: &str,
        body: &str,
    ) -> (u16, String) {
        let user = (self.known("client-certificate-data"), self.known("client-key-data"));
        self.exchange(Some(user), method, path, headers, body).0
    }

    /// Sends a request without a certificate.
    pub(crate) fn request_anonymously(
        &self,
        method: &str,
        path: &str,
        headers: &str,
    ) -> (u16, String) {
        self.exchange(None, method, path, headers, "").0
    }

    /// Sends a request as the administrator of another authority.
    pub(crate) fn request_with_certificate(&self, pki: &Path, path: &str) -> (u16, String) {
        let read = |name: &str| std::fs::read(pki.join(name)).unwrap();
        self.exchange(Some((read("admin.crt"), read("admin.key"))), "GET", path, "", "").0
    }

    /// The server's certificate.
    pub(crate) fn presented_certificate(&self) -> Vec<u8> {
        self.exchange(None, "GET", "/livez", "", "").1
    }

    /// A field of the kubeconfig, decoded.
    fn known(&self, field: &str) -> Vec<u8> {
        let text = std::fs::read_to_string(self.dir.join("kubeconfig")).unwrap();
        let mut lines = text.lines().filter_map(|line| line.trim().split_once(": "));
        let (_, value) = lines.find(|(name, _)| *name == field).unwrap();
        base64::prelude::BASE64_STANDARD.decode(value).unwrap()
    }

    /// The TLS configuration of a client with this certificate and key.
    fn client_config(&self, user: Option<(Vec<u8>, Vec<u8>)>) -> rustls::ClientConfig {
        let mut roots = rustls::RootCertStore::empty();
        for root in CertificateDer::pem_slice_iter(&self.known("certificate-authority-data")) {
            roots.add(root.unwrap()).unwrap();
        }
        // rustls does not accept a trusted leaf as an authority; its own authority is in the bundle too.
        for beside in [self.dir.join("../other/pki/ca.crt")] {
            if let Ok(root) = CertificateDer::from_pem_file(beside) {
                roots.add(root).unwrap();
            }
        }
        let provider = Arc::new(rustls::crypto::aws_lc_rs::default_provider());
        let client = rustls::ClientConfig::builder_with_provider(provider)
            .with_safe_default_protocol_versions()
            .unwrap()
            .with_root_certificates(roots);
        match user {
            Some((certificate, key)) => {
                let chain =
                    CertificateDer::pem_slice_iter(&certificate).map(Result::unwrap).collect();
                client
                    .with_client_auth_cert(chain, PrivateKeyDer::from_pem_slice(&key).unwrap())
                    .unwrap()
            }
            None => client.with_no_client_auth(),
        }
    }

    /// Sends a request without a body as the user of the kubeconfig, and leaves the connection open.
    pub(crate) fn stream(&self, method: &str, path: &str, headers: &str) -> OpenStream {
        let user = (self.known("client-certificate-data"), self.known("client-key-data"));
        let name = ServerName::try_from("127.0.0.1").unwrap();
        let tls = rustls::ClientConnection::new(Arc::new(self.client_config(Some(user))), name);
        let socket = TcpStream::connect(("127.0.0.1", self.port)).unwrap();
        socket.set_read_timeout(Some(Duration::from_secs(60))).unwrap();
        let mut stream = rustls::StreamOwned::new(tls.unwrap(), socket);
        write!(stream, "{method} {path} HTTP/1.1\r\nHost: x\r\n{headers}\r\n").unwrap();
        OpenStream { stream, read: Vec::new() }
    }

    /// Sends one request on a new connection, which is verified against the kubeconfig's authorities unless only the
    /// server's certificate matters.
    fn exchange(
        &self,
        user: Option<(Vec<u8>, Vec<u8>)>,
        method: &str,
        path: &str,
        headers: &str,
        body: &str,
    ) -> ((u16, String), Vec<u8>) {
        let client = self.client_config(user);
        let name = ServerName::try_from("127.0.0.1").unwrap();
        let mut tls = rustls::ClientConnection::new(Arc::new(client), name).unwrap();
        let mut socket = TcpStream::connect(("127.0.0.1", self.port)).unwrap();
        let mut stream = rustls::Stream::new(&mut tls, &mut socket);
        let length = body.len();
        let types = ["Accept", "Content-Type"].into_iter();
        let types = types.filter(|name| !headers.contains(&format!("{name}: ")));
        let types: String = types.map(|name| format!("{name}: application/json\r\n")).collect();
        write!(
            stream,
            "{method} {path} HTTP/1.1\r\nHost: x\r\n{types}Content-Length: {length}\r\nConnection: close\r\n{headers}\r\n{body}"
        )
        .unwrap();
        let mut answer = Vec::new();
        // The server may close without close_notify.
        let _ = stream.read_to_end(&mut answer);
        let presented = tls.peer_certificates().unwrap()[0].to_vec();
        let answer = String::from_utf8(answer).unwrap();
        let (head, body) = answer.split_once("\r\n\r\n").unwrap();
        let status = head.split(' ').nth(1).unwrap().parse().unwrap();
        ((status, body.to_owned()), presented)
    }
}

/// A response that goes on.
pub(crate) struct OpenStream {
    stream: rustls::StreamOwned<rustls::ClientConnection, TcpStream>,
    read: Vec<u8>,
}

impl OpenStream {
    /// The head of the response.
    pub(crate) fn head(&mut self) -> String {
        self.until("\r\n\r\n")
    }

    /// Reads until this text, and returns everything up to it.
    pub(crate) fn until(&mut self, text: &str) -> String {
        loop {
            let found = self.read.windows(text.len()).position(|part| part == text.as_bytes());
            if let Some(at) = found {
                let rest = self.read.split_off(at + text.len());
                let before = std::mem::replace(&mut self.read, rest);
                return String::from_utf8_lossy(&before).into_owned();
            }
            let mut buffer = [0; 4096];
            let count = self.stream.read(&mut buffer).unwrap();
            assert!(count > 0, "it ended before {text:?}: {}", String::from_utf8_lossy(&self.read));
            self.read.extend_from_slice(&buffer[..count]);
        }
    }

    /// Sends bytes on an upgraded connection.
    pub(crate) fn send(&mut self, bytes: &[u8]) {
        self.stream.write_all(bytes).unwrap();
        self.stream.flush().unwrap();
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
