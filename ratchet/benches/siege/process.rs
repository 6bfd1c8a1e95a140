//! The server process, with an optional file size limit, its log and its memory.

use crate::hostile::Client;
use std::net::{SocketAddr, TcpListener};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

/// The condition of the server's disk.
#[derive(Clone, Copy)]
pub(crate) enum Disk {
    Sound,
    /// No file can grow beyond this many blocks of 512 bytes; writes then fail, because the signal is ignored.
    Full(u64),
    /// Many flushes fail: strace injects the errors and leaves the server as the child process.
    FailsToFlush,
}

/// One flush in 23 fails, after those of the start: the store recovers by itself.
const FAULT: &str = "inject=fdatasync:error=EIO:when=60+23";

impl Disk {
    /// The shell script that starts the server.
    fn script(self) -> String {
        match self {
            Self::Sound => "exec \"$@\"".to_owned(),
            Self::Full(blocks) => format!("trap '' XFSZ; ulimit -f {blocks}; exec \"$@\""),
            Self::FailsToFlush => {
                let quietly = "exec strace -D -f -q --seccomp-bpf -o /dev/null";
                format!("{quietly} -e trace=fdatasync -e {FAULT} \"$@\"")
            }
        }
    }
}

/// A server whose data directory is a folder.
pub(crate) struct Process {
    child: Child,
    folder: PathBuf,
    flags: Vec<String>,
    pub(crate) address: SocketAddr,
}

impl Process {
    /// Starts the server and waits until it is ready.
    pub(crate) fn start(folder: &Path, flags: &[&str], disk: Disk) -> Self {
        let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
        let mut log = std::fs::OpenOptions::new();
        let log = log.create(true).append(true).open(folder.join("log")).unwrap();
        let child = Command::new("sh")
            .args(["-c", &disk.script(), "sh", env!("CARGO_BIN_EXE_ratchet"), "serve"])
            .arg("--data-dir")
            .arg(folder.join("data"))
            .args(["--secure-port", &port.to_string()])
            .args(["--service-cluster-ip-range", "10.0.0.0/16"])
            .args(flags)
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(log)
            .spawn()
            .unwrap();
        let address = SocketAddr::from(([127, 0, 0, 1], port));
        let flags = flags.iter().map(|flag| (*flag).to_owned()).collect();
        let process = Self { child, folder: folder.to_owned(), flags, address };
        let begun = Instant::now();
        while begun.elapsed() < Duration::from_secs(60) {
            if let Ok(mut client) = process.try_client()
                && client.get("/readyz").code == 200
            {
                return process;
            }
            std::thread::sleep(Duration::from_millis(20));
        }
        panic!("the server is not ready: {}", process.log());
    }

    fn try_client(&self) -> std::io::Result<Client> {
        Client::connect(self.address, Some(&self.kubeconfig()?), &[b"http/1.1"])
    }

    /// The kubeconfig of the administrator.
    pub(crate) fn kubeconfig(&self) -> std::io::Result<String> {
        std::fs::read_to_string(self.folder.join("data/kubeconfig"))
    }

    /// A connection of the administrator.
    pub(crate) fn client(&self) -> Client {
        self.try_client().expect("a connection")
    }

    /// Kills the server and starts it again on its data, with a sound disk.
    pub(crate) fn kill_and_restart(mut self) -> Self {
        let _ = self.child.kill();
        let _ = self.child.wait();
        let flags: Vec<&str> = self.flags.iter().map(String::as_str).collect();
        Self::start(&self.folder, &flags, Disk::Sound)
    }

    /// The exit status, if it has ended.
    pub(crate) fn ended(&mut self) -> Option<ExitStatus> {
        self.child.try_wait().unwrap()
    }

    /// The log.
    pub(crate) fn log(&self) -> String {
        std::fs::read_to_string(self.folder.join("log")).unwrap_or_default()
    }

    fn memory_field(&self, field: &str) -> u64 {
        let status = std::fs::read_to_string(format!("/proc/{}/status", self.child.id()));
        let status = status.unwrap_or_default();
        let line = status.lines().find_map(|line| line.strip_prefix(field)).unwrap_or_default();
        let kib: u64 =
            line.split_whitespace().next().and_then(|text| text.parse().ok()).unwrap_or(0);
        kib * 1024 / 1_000_000
    }

    /// Resident memory in megabytes.
    pub(crate) fn memory(&self) -> u64 {
        self.memory_field("VmRSS:")
    }

    /// Peak memory in megabytes.
    pub(crate) fn peak(&self) -> u64 {
        self.memory_field("VmHWM:")
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
