//! One `ratchet serve` process: started on a folder, paused, killed and started again, with limits of the system.

use super::wire::{self, Client};
use std::io;
use std::net::{SocketAddr, TcpListener};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// The time that a start may take: tests share their machine.
const START: Duration = Duration::from_secs(120);

/// A server whose data directory is a folder; on etcd, it has its certificates and its kubeconfig there.
pub(crate) struct Process {
    child: Child,
    folder: PathBuf,
    flags: Vec<String>,
    /// A shell command before the start, such as `ulimit`; one that ends in `exec … "$@"` runs the server itself.
    limits: String,
    pub(crate) address: SocketAddr,
}

impl Process {
    /// Starts the server and waits until it is ready.
    pub(crate) fn start(folder: &Path, limits: &str, flags: &[&str]) -> Self {
        let flags = flags.iter().map(|flag| (*flag).to_owned()).collect();
        let (address, child) = spawn(folder, limits, &flags);
        let limits = limits.to_owned();
        let mut process = Self { child, folder: folder.to_owned(), flags, limits, address };
        process.wait_until_ready();
        process
    }

    /// Starts it again on its data, at another port; it may not be ready yet.
    pub(crate) fn spawn_again(&mut self) {
        (self.address, self.child) = spawn(&self.folder, &self.limits, &self.flags);
    }

    /// Waits until it is ready.
    pub(crate) fn wait_until_ready(&mut self) {
        let begun = Instant::now();
        while begun.elapsed() < START {
            let ended = self.child.try_wait().unwrap();
            assert!(ended.is_none(), "the server ended with {ended:?}: {}", self.log());
            if self.is_ready() {
                return;
            }
            std::thread::sleep(Duration::from_millis(20));
        }
        panic!("the server is not ready: {}", self.log());
    }

    fn is_ready(&self) -> bool {
        let request = wire::request("GET", "/readyz", &[], b"");
        let answer = self.connect().and_then(|mut client| client.try_raw(&request, false));
        answer.is_ok_and(|answer| answer.code == 200)
    }

    /// A connection of the administrator.
    pub(crate) fn connect(&self) -> io::Result<Client> {
        Client::connect(self.address, Some(&self.kubeconfig()?), &[b"http/1.1"])
    }

    /// The administrator's kubeconfig.
    pub(crate) fn kubeconfig(&self) -> io::Result<String> {
        // Beside the store, or where the state of users is.
        let folder = if self.folder.join("data").exists() { "data" } else { "ratchet" };
        std::fs::read_to_string(self.folder.join(folder).join("kubeconfig"))
    }

    /// Kills it with SIGKILL; once this returns, it does nothing more.
    pub(crate) fn kill(&mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }

    /// Kills it and starts it again on its data, without limits.
    pub(crate) fn kill_and_restart(&mut self) {
        self.kill();
        self.limits.clear();
        self.spawn_again();
        self.wait_until_ready();
    }

    /// Asks it to end, and waits until it has.
    pub(crate) fn terminate(&mut self) {
        self.signal("TERM");
        let status = self.child.wait().unwrap();
        assert!(status.success(), "{status}: {}", self.log());
    }

    /// Sends a signal by its name.
    pub(crate) fn signal(&self, name: &str) {
        let pid = self.child.id().to_string();
        let sent = Command::new("kill").args([&format!("-{name}"), &pid]).status();
        assert!(sent.unwrap().success());
    }

    /// The log.
    pub(crate) fn log(&self) -> String {
        std::fs::read_to_string(self.folder.join("log")).unwrap_or_default()
    }

    /// Resident memory in megabytes.
    pub(crate) fn memory(&self) -> u64 {
        self.memory_field("VmRSS:")
    }

    /// Peak memory in megabytes.
    pub(crate) fn peak(&self) -> u64 {
        self.memory_field("VmHWM:")
    }

    fn memory_field(&self, field: &str) -> u64 {
        let status = std::fs::read_to_string(format!("/proc/{}/status", self.child.id()));
        let status = status.unwrap();
        // A process that has ended and is not waited for has no memory.
        let Some(line) = status.lines().find_map(|line| line.strip_prefix(field)) else { return 0 };
        let kib: u64 = line.split_whitespace().next().unwrap().parse().unwrap();
        kib * 1024 / 1_000_000
    }

    /// What is wrong with it: it has ended, or its log tells of a panic.
    pub(crate) fn fault(&mut self) -> Option<String> {
        let log = self.log();
        if let Some(status) = self.child.try_wait().unwrap() {
            return Some(format!("the server ended with {status}: {log}"));
        }
        let bad = ["panick", "overflow", "abort", "memory allocation"];
        let line = log.lines().find(|line| bad.iter().any(|word| line.contains(word)))?;
        Some(format!("the log says: {line}"))
    }

    /// Asserts that it runs and that its log tells of no panic.
    pub(crate) fn is_well(&mut self) {
        assert_eq!(self.fault(), None);
    }
}

fn spawn(folder: &Path, limits: &str, flags: &Vec<String>) -> (SocketAddr, Child) {
    let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let mut log = std::fs::OpenOptions::new();
    let log = log.create(true).append(true).open(folder.join("log")).unwrap();
    let child = Command::new("sh")
        .args(["-c", &format!("{limits}\nexec \"$@\""), "sh"])
        .args([env!("CARGO_BIN_EXE_ratchet"), "serve"])
        .args(data_dir(folder, flags))
        .env("XDG_STATE_HOME", folder)
        .args(["--secure-port", &port.to_string()])
        .args(["--service-cluster-ip-range", "10.0.0.0/16"])
        .args(flags)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(log)
        .spawn()
        .unwrap();
    (SocketAddr::from(([127, 0, 0, 1], port)), child)
}

/// The flag of the data directory, which a server on etcd does not have.
fn data_dir(folder: &Path, flags: &[String]) -> Option<String> {
    let is_on_etcd = flags.iter().any(|flag| flag.starts_with("--etcd-servers="));
    (!is_on_etcd).then(|| format!("--data-dir={}", folder.join("data").display()))
}

impl Drop for Process {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
