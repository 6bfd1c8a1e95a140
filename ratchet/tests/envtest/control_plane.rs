//! A control plane started as envtest starts it: the files it writes, the flags in its order, its probes and signals.
//!
//! Read from controller-runtime's `pkg/internal/testing/{controlplane,process,certs}`.

use crate::client::Client;
use crate::tiny_ca::{Pair, TinyCa};
use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::sync::atomic::{AtomicU16, Ordering};
use std::time::{Duration, Instant};
use tempfile::TempDir;

/// The time that envtest gives a process to start, and to stop.
const TIMEOUT: Duration = Duration::from_secs(20);
/// The time between two probes of envtest.
const POLL: Duration = Duration::from_millis(100);

/// A folder for `KUBEBUILDER_ASSETS`.
pub(crate) fn assets() -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    let output = Command::new(env!("CARGO_BIN_EXE_ratchet"))
        .arg("envtest")
        .arg(folder.path())
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    folder
}

/// A free port, as envtest suggests one: bound and let go again. It is below those that connections get by themselves:
/// none of theirs takes it before its server does.
pub(crate) fn free_port() -> u16 {
    static NEXT: AtomicU16 = AtomicU16::new(0);
    let first = 10_000 + u16::try_from(std::process::id() % 200).unwrap() * 100;
    let ports = std::iter::repeat_with(|| first + NEXT.fetch_add(1, Ordering::Relaxed) % 100);
    let mut free = ports.filter(|port| TcpListener::bind(("127.0.0.1", *port)).is_ok());
    free.next().unwrap()
}

/// Whether a program's help has a flag, by envtest's pattern `(?m)^\s*--FLAG\b`.
pub(crate) fn has_flag(program: &Path, flag: &str) -> bool {
    let output = Command::new(program).arg("--help").output().unwrap();
    assert!(output.status.success(), "{} --help", program.display());
    let start = format!("--{flag}");
    let text = [output.stdout, output.stderr].concat();
    String::from_utf8(text).unwrap().lines().any(|line| {
        let rest = line.trim_start().strip_prefix(&start);
        rest.is_some_and(|rest| !rest.starts_with(|c: char| c.is_ascii_alphanumeric() || c == '_'))
    })
}

/// A running process of a control plane, the leader of its own process group; killed when dropped.
pub(crate) struct Process {
    child: Child,
    pub(crate) id: u32,
}

impl Process {
    pub(crate) fn start(program: &Path, arguments: &[String]) -> Self {
        let child = Command::new(program)
            .args(arguments)
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .process_group(0)
            .spawn()
            .unwrap();
        let id = child.id();
        Self { child, id }
    }

    /// Probes until it is healthy, as envtest does.
    pub(crate) fn wait_for(&mut self, is_healthy: impl Fn() -> bool) {
        let since = Instant::now();
        while !is_healthy() {
            if let Some(status) = self.child.try_wait().unwrap() {
                panic!("ended before it was healthy: {status}: {}", self.errors());
            }
            assert!(since.elapsed() < TIMEOUT, "timeout waiting for process to start");
            std::thread::sleep(POLL);
        }
    }

    /// Signals the process group; returns how long it took to end.
    pub(crate) fn stop(&mut self) -> Duration {
        let since = Instant::now();
        let group = format!("-{}", self.id);
        assert!(Command::new("kill").args(["-TERM", "--", &group]).status().unwrap().success());
        while self.child.try_wait().unwrap().is_none() {
            assert!(since.elapsed() < TIMEOUT, "timeout waiting for process to stop");
            std::thread::sleep(Duration::from_millis(10));
        }
        since.elapsed()
    }

    /// The exit status, once it has ended.
    pub(crate) fn code(&mut self) -> Option<i32> {
        self.child.wait().unwrap().code()
    }

    /// What it has said, once it has ended.
    pub(crate) fn errors(&mut self) -> String {
        let mut text = String::new();
        if let Some(mut errors) = self.child.stderr.take() {
            errors.read_to_string(&mut text).unwrap();
        }
        text
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Kilobytes of memory of a process: `Rss:`, or `Pss:` with its share of what several use.
pub(crate) fn usage(id: u32, field: &str) -> Option<u64> {
    let text = std::fs::read_to_string(format!("/proc/{id}/smaps_rollup")).ok()?;
    let line = text.lines().find(|line| line.starts_with(field))?;
    line.split_whitespace().nth(1)?.parse().ok()
}

/// An etcd of envtest.
pub(crate) struct Etcd {
    pub(crate) process: Process,
    pub(crate) url: String,
    pub(crate) data_dir: TempDir,
}

impl Etcd {
    pub(crate) fn start(assets: &Path) -> Self {
        let data_dir = tempfile::Builder::new().prefix("k8s_test_framework_").tempdir().unwrap();
        let program = assets.join("etcd");
        let (port, peer) = (free_port(), free_port());
        let url = format!("http://127.0.0.1:{port}");
        let mut arguments = vec![
            format!("--advertise-client-urls={url}"),
            format!("--data-dir={}", data_dir.path().display()),
            format!("--listen-client-urls={url}"),
            format!("--listen-peer-urls=http://127.0.0.1:{peer}"),
        ];
        if has_flag(&program, "unsafe-no-fsync") {
            arguments.push("--unsafe-no-fsync=true".to_owned());
        }
        let mut process = Process::start(&program, &arguments);
        process.wait_for(|| {
            plain_get(port, "/health").is_some_and(|text| text.starts_with("HTTP/1.1 200 "))
        });
        Self { process, url, data_dir }
    }
}

/// The response to a request without TLS.
pub(crate) fn plain_get(port: u16, path: &str) -> Option<String> {
    let mut stream = TcpStream::connect(("127.0.0.1", port)).ok()?;
    write!(stream, "GET {path} HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nUser-Agent: Go-http-client/1.1\r\nAccept-Encoding: gzip\r\n\r\n").ok()?;
    let mut text = String::new();
    stream.read_to_string(&mut text).ok()?;
    Some(text)
}

/// The API server of envtest: what stays when its process is started again.
pub(crate) struct ApiServer {
    pub(crate) cert_dir: TempDir,
    pub(crate) port: u16,
    authority: TinyCa,
    clients: TinyCa,
    pub(crate) program: PathBuf,
    etcd: String,
}

impl ApiServer {
    /// Writes the files that envtest writes.
    pub(crate) fn prepare(assets: &Path, etcd: &str) -> Self {
        let cert_dir = tempfile::Builder::new().prefix("k8s_test_framework_").tempdir().unwrap();
        let (authority, clients, signer) = (TinyCa::new(), TinyCa::new(), TinyCa::new());
        let write =
            |name: &str, text: &str| std::fs::write(cert_dir.path().join(name), text).unwrap();
        let serving = authority.serving("127.0.0.1");
        write("apiserver.crt", &serving.certificate);
        write("apiserver.key", &serving.key);
        write("sa-signer.crt", &signer.pair.certificate);
        write("sa-signer.key", &signer.pair.key);
        write("client-cert-auth-ca.crt", &clients.pair.certificate);
        let (program, etcd) = (assets.join("kube-apiserver"), etcd.to_owned());
        Self { cert_dir, port: free_port(), authority, clients, program, etcd }
    }

    /// The flags of envtest, sorted by name as it sorts them.
    pub(crate) fn arguments(&self) -> Vec<String> {
        let (dir, port) = (self.cert_dir.path().display(), self.port);
        vec![
            "--allow-privileged=true".to_owned(),
            "--authorization-mode=RBAC".to_owned(),
            "--bind-address=127.0.0.1".to_owned(),
            format!("--cert-dir={dir}"),
            format!("--client-ca-file={dir}/client-cert-auth-ca.crt"),
            "--disable-admission-plugins=ServiceAccount".to_owned(),
            format!("--etcd-servers={}", self.etcd),
            format!("--secure-port={port}"),
            format!("--service-account-issuer=https://127.0.0.1:{port}/"),
            format!("--service-account-key-file={dir}/sa-signer.crt"),
            format!("--service-account-signing-key-file={dir}/sa-signer.key"),
            "--service-cluster-ip-range=10.0.0.0/24".to_owned(),
        ]
    }

    /// Starts it and waits for `/healthz`, which is asked for without credentials.
    pub(crate) fn start(&self) -> Process {
        self.start_with(&self.arguments())
    }

    pub(crate) fn start_with(&self, arguments: &[String]) -> Process {
        assert!(!has_flag(&self.program, "insecure-port"), "envtest would pass it");
        let mut process = Process::start(&self.program, arguments);
        let nobody = self.nobody();
        process
            .wait_for(|| nobody.request("GET", "/healthz", "").is_ok_and(|(code, _)| code == 200));
        process
    }

    /// Runs it to its end.
    pub(crate) fn output(&self, arguments: &[String]) -> Output {
        Command::new(&self.program).args(arguments).output().unwrap()
    }

    fn client_of(&self, user: Option<&Pair>) -> Client {
        Client::new(self.port, &self.authority.pair.certificate, user)
    }

    /// A client without credentials.
    pub(crate) fn nobody(&self) -> Client {
        self.client_of(None)
    }

    /// `AddUser` of envtest.
    pub(crate) fn user(&self, name: &str, groups: &[&str]) -> Client {
        self.client_of(Some(&self.clients.client(name, groups)))
    }

    /// The user that envtest gives to tests.
    pub(crate) fn admin(&self) -> Client {
        self.user("admin", &["system:masters"])
    }
}
