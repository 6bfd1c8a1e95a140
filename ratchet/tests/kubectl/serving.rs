//! A `ratchet serve` process for each test, on a free port and an empty folder.

use super::console::Console;
use std::net::TcpListener;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};
use tempfile::TempDir;

/// A running server and its folder, both removed on drop.
pub(crate) struct Serving {
    child: Child,
    folder: TempDir,
}

impl Serving {
    /// Starts a server and waits until it is ready.
    pub(crate) fn start() -> (Self, Console) {
        Self::start_with(&[])
    }

    /// Starts a server with more flags.
    pub(crate) fn start_with(flags: &[&str]) -> (Self, Console) {
        let folder = TempDir::new().unwrap();
        let data = folder.path().join("data");
        let log = std::fs::File::create(folder.path().join("log")).unwrap();
        let child = Command::new(env!("CARGO_BIN_EXE_ratchet"))
            .arg("serve")
            .arg(format!("--data-dir={}", data.display()))
            .arg(format!("--secure-port={}", free_port()))
            .arg("--service-cluster-ip-range=10.96.0.0/16")
            .args(flags)
            .stdin(Stdio::null())
            .stdout(log.try_clone().unwrap())
            .stderr(log)
            .spawn()
            .unwrap();
        let console = Console::new(&data.join("kubeconfig"), folder.path());
        let mut serving = Self { child, folder };
        if !serving.is_ready(&console) {
            let log = std::fs::read_to_string(serving.folder.path().join("log"));
            panic!("the server did not become ready; it said:\n{}", log.unwrap_or_default());
        }
        (serving, console)
    }

    fn is_ready(&mut self, console: &Console) -> bool {
        let since = Instant::now();
        while since.elapsed() < Duration::from_secs(120) {
            if self.child.try_wait().unwrap().is_some() {
                return false;
            }
            if console.kubeconfig.exists() && console.run("get --raw /readyz").code == 0 {
                return true;
            }
            std::thread::sleep(Duration::from_millis(50));
        }
        false
    }
}

impl Drop for Serving {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// A port that nobody listens on.
pub(crate) fn free_port() -> u16 {
    TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port()
}
