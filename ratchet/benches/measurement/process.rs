//! The server process: start, restart, startup time and memory.

use super::arguments::Arguments;
use super::client::Target;
use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// A server whose data directory is a folder.
pub(crate) struct ServerProcess {
    child: Child,
    folder: PathBuf,
    ready: Duration,
    cpu_time: Duration,
}

impl ServerProcess {
    /// Starts the server and waits until `/readyz` succeeds.
    pub(crate) fn start(folder: &Path) -> Self {
        Self::start_with(folder, &[])
    }

    /// The same with more flags; a restart does not have them.
    pub(crate) fn start_with(folder: &Path, flags: &[&str]) -> Self {
        let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
        let begun = Instant::now();
        let zero = Duration::ZERO;
        let child = Command::new(Arguments::binary())
            .args(["serve", "--data-dir"])
            .arg(folder)
            .args(["--secure-port", &port.to_string()])
            .args(["--service-cluster-ip-range", "10.0.0.0/16"])
            .args(flags)
            .stdout(Stdio::null())
            .spawn()
            .unwrap();
        let mut server = Self { child, folder: folder.to_owned(), ready: zero, cpu_time: zero };
        // The port is bound before the store is read, so an early connection waits until the server is ready.
        while begun.elapsed() < Duration::from_secs(60) {
            if TcpStream::connect(("127.0.0.1", port)).is_ok() && is_ready(port) {
                server.ready = begun.elapsed();
                server.cpu_time = processor(server.pid());
                return server;
            }
            std::thread::sleep(Duration::from_millis(1));
        }
        panic!("the server is not ready");
    }

    /// Stops the server gracefully and starts it again on its data.
    pub(crate) fn restart(mut self) -> Self {
        let pid = self.child.id().to_string();
        let _ = Command::new("kill").args(["-TERM", &pid]).status();
        let _ = self.child.wait();
        Self::start(&self.folder.clone())
    }

    /// Time until it was ready; on a busy machine its CPU time says more.
    pub(crate) fn startup_summary(&self) -> String {
        let milliseconds = |time: Duration| time.as_secs_f64() * 1000.0;
        let (ready, cpu_time) = (milliseconds(self.ready), milliseconds(self.cpu_time));
        format!("ready in {ready:.0} ms, of which {cpu_time:.0} ms of a processor")
    }

    /// The server's address and credentials.
    pub(crate) fn target(&self) -> Target {
        Target::read(&self.folder.join("kubeconfig").to_string_lossy())
    }

    pub(crate) fn pid(&self) -> u32 {
        self.child.id()
    }

    /// Resident memory in megabytes.
    pub(crate) fn memory(&self) -> f64 {
        memory(self.child.id())
    }
}

impl Drop for ServerProcess {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Resident memory of a process in megabytes.
pub(crate) fn memory(pid: u32) -> f64 {
    let status = std::fs::read_to_string(format!("/proc/{pid}/status")).unwrap();
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).unwrap();
    let kib: f64 = line.split_whitespace().next().unwrap().parse().unwrap();
    kib * 1024.0 / 1_000_000.0
}

/// The most that a process held since [`reset_peak`], in megabytes.
pub(crate) fn peak(pid: u32) -> f64 {
    let status = std::fs::read_to_string(format!("/proc/{pid}/status")).unwrap();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap();
    let kib: f64 = line.split_whitespace().next().unwrap().parse().unwrap();
    kib * 1024.0 / 1_000_000.0
}

/// Resets the peak memory of a process, where the system permits it.
pub(crate) fn reset_peak(pid: u32) {
    let _ = std::fs::write(format!("/proc/{pid}/clear_refs"), "5");
}

/// CPU time of all threads of a process.
pub(crate) fn processor(pid: u32) -> Duration {
    let threads = std::fs::read_dir(format!("/proc/{pid}/task")).unwrap();
    let nanoseconds = threads.filter_map(|thread| {
        let text = std::fs::read_to_string(thread.ok()?.path().join("schedstat")).ok()?;
        text.split_whitespace().next()?.parse::<u64>().ok()
    });
    Duration::from_nanos(nanoseconds.sum())
}

fn is_ready(port: u16) -> bool {
    let Ok(mut stream) = Target::connect_anonymous(port) else { return false };
    let sent = stream.write_all(b"GET /readyz HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n");
    let mut answer = [0; 12];
    sent.and_then(|()| stream.read_exact(&mut answer)).is_ok() && answer == *b"HTTP/1.1 200"
}
