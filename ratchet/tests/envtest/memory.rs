//! Tests of `ratchet serve --data-dir=:memory:`, as tests in other languages than Go use it.

use crate::control_plane::free_port;
use std::io::{BufRead, BufReader};
use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};

/// A server; killed when dropped.
struct Server(Child);

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// Starts a server in memory, with temporary files below `folder`; returns the path of its kubeconfig.
fn start(folder: &std::path::Path) -> (Server, PathBuf) {
    let mut child = Command::new(env!("CARGO_BIN_EXE_ratchet"))
        .args(["serve", "--data-dir=:memory:", &format!("--secure-port={}", free_port())])
        .env("TMPDIR", folder)
        .env("HOME", folder.join("home"))
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let out = BufReader::new(child.stdout.take().unwrap());
    let server = Server(child);
    let lines: Vec<String> = out.lines().take(3).map(Result::unwrap).collect();
    let path = lines.get(1).and_then(|line| line.strip_prefix("export KUBECONFIG="));
    (server, path.expect("it prints where its kubeconfig is").into())
}

#[test]
fn two_servers_in_memory_share_nothing_and_leave_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let mut servers = [start(folder.path()), start(folder.path())];
    assert_ne!(servers[0].1, servers[1].1);
    for (Server(child), kubeconfig) in &mut servers {
        let dir = kubeconfig.parent().unwrap().to_owned();
        let mode = |path: &PathBuf| std::fs::metadata(path).unwrap().permissions().mode() & 0o777;
        assert_eq!((mode(kubeconfig), mode(&dir)), (0o600, 0o700));
        assert!(!dir.join("store").exists() && !folder.path().join("home").exists());
        let done = Command::new("kill").args(["-TERM", &child.id().to_string()]).status();
        assert!(done.unwrap().success());
        assert_eq!(child.wait().unwrap().code(), Some(0));
        assert!(!dir.exists());
    }
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
}

#[test]
fn what_a_killed_server_leaves_goes_with_the_next_one() {
    let folder = tempfile::tempdir().unwrap();
    let (mut killed, kubeconfig) = start(folder.path());
    let (_running, other) = start(folder.path());
    killed.0.kill().unwrap();
    killed.0.wait().unwrap();
    assert!(kubeconfig.exists(), "nobody could remove it");
    let (_next, _) = start(folder.path());
    let dir = kubeconfig.parent().unwrap();
    let begun = std::time::Instant::now();
    while dir.exists() {
        assert!(begun.elapsed().as_secs() < 30, "it is still there");
        std::thread::sleep(std::time::Duration::from_millis(10));
    }
    assert!(other.exists(), "its server runs");
}
