//! etcd for tests: clusters of real members that can be killed, paused and started again.
//!
//! ```
//! // The programs that `cargo xtask etcd` brings are named in a variable, one after the other.
//! for program in etcd_peer::programs() {
//!     let cluster = etcd_peer::Cluster::start(&program, 1, &[]);
//!     assert_eq!(cluster.urls().len(), 1);
//! }
//! ```
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::indexing_slicing,
    reason = "a peer of a test may fail like a test"
)]

mod certificates;

pub use certificates::write_certificates;

use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use tempfile::TempDir;

/// The variable with the programs, separated by colons.
pub const VARIABLE: &str = "RATCHET_ETCD";

/// The variable with further programs beside those that are brought, such as a newer release.
pub const MORE: &str = "RATCHET_ETCD_MORE";

/// The time for a member to start.
const START: Duration = Duration::from_secs(60);

/// The programs that the variables name, each once.
pub fn programs() -> Vec<PathBuf> {
    let mut programs: Vec<PathBuf> = Vec::new();
    for variable in [VARIABLE, MORE] {
        let named = std::env::var_os(variable).unwrap_or_default();
        for path in std::env::split_paths(&named) {
            if !path.as_os_str().is_empty() && !programs.contains(&path) {
                programs.push(path);
            }
        }
    }
    programs
}

/// The programs, of which there must be one.
pub fn required_programs() -> Vec<PathBuf> {
    let found = programs();
    assert!(!found.is_empty(), "{VARIABLE} names no etcd: `cargo xtask etcd` prints its value");
    found
}

/// A cluster in a temporary directory; it ends with the value.
pub struct Cluster {
    members: Vec<Member>,
    _dir: TempDir,
}

impl Cluster {
    /// Starts members and waits until all are healthy. `flags` are those of every member beside the usual ones.
    pub fn start(program: &Path, size: usize, flags: &[&str]) -> Self {
        Self::spawn(program, size, "http", flags, Member::wait_healthy)
    }

    /// Starts members that serve clients with TLS; their health is not asked for.
    pub fn start_tls(program: &Path, size: usize, flags: &[&str]) -> Self {
        Self::spawn(program, size, "https", flags, Member::wait_listening)
    }

    fn spawn(
        program: &Path,
        size: usize,
        scheme: &str,
        flags: &[&str],
        wait: impl Fn(&mut Member),
    ) -> Self {
        let dir = tempfile::tempdir().unwrap();
        let ports = free_ports(size * 2);
        let (clients, peers) = ports.split_at(size);
        let survives_power_cuts = survives_power_cuts(program);
        let peer_url = |port: &u16| format!("http://127.0.0.1:{port}");
        let named: Vec<String> =
            peers.iter().enumerate().map(|(n, port)| format!("m{n}={}", peer_url(port))).collect();
        let member = |index: usize| {
            let url = format!("{scheme}://127.0.0.1:{}", clients[index]);
            let peer = peer_url(&peers[index]);
            let mut args = vec![
                format!("--name=m{index}"),
                format!("--data-dir={}", dir.path().join(format!("m{index}")).display()),
                format!("--listen-client-urls={url}"),
                format!("--advertise-client-urls={url}"),
                format!("--listen-peer-urls={peer}"),
                format!("--initial-advertise-peer-urls={peer}"),
                format!("--initial-cluster={}", named.join(",")),
                "--initial-cluster-state=new".to_owned(),
                "--log-level=error".to_owned(),
                "--logger=zap".to_owned(),
            ];
            args.extend(flags.iter().map(|flag| (*flag).to_owned()));
            let child = run(program, &args);
            let (program, port) = (program.to_owned(), clients[index]);
            Member { program, args, url, port, child, survives_power_cuts }
        };
        let mut members: Vec<Member> = (0..size).map(member).collect();
        members.iter_mut().for_each(wait);
        Self { members, _dir: dir }
    }

    /// The URLs for clients.
    pub fn urls(&self) -> Vec<String> {
        self.members.iter().map(|member| member.url.clone()).collect()
    }

    /// A member by its index.
    pub fn member(&mut self, index: usize) -> &mut Member {
        &mut self.members[index]
    }

    /// The index of the leader; none while there is none.
    pub fn leader(&self) -> Option<usize> {
        let leads = |index: &usize| self.metric(*index, "etcd_server_is_leader") == Some(1.0);
        (0..self.members.len()).find(leads)
    }

    /// The answer of a member's JSON gateway to a POST; none if there is none in time.
    pub fn post(&self, index: usize, path: &str, body: &str) -> Option<String> {
        exchange(self.members[index].port, "POST", path, body)
    }

    /// A metric of a member.
    pub fn metric(&self, index: usize, name: &str) -> Option<f64> {
        let metrics = http_get(self.members[index].port, "/metrics")?;
        let value = |line: &str| line.strip_prefix(name)?.strip_prefix(' ')?.parse().ok();
        metrics.lines().find_map(value)
    }
}

/// A member of a cluster.
pub struct Member {
    program: PathBuf,
    args: Vec<String>,
    url: String,
    port: u16,
    child: Child,
    survives_power_cuts: bool,
}

impl Member {
    /// Ends the member as a power cut would, or properly if its release loses the cluster's agreement by one.
    pub fn power_off(&mut self) {
        if self.survives_power_cuts {
            self.kill();
        } else {
            self.signal("-TERM");
            let _ = self.child.wait();
        }
    }

    /// Kills the member.
    pub fn kill(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }

    /// Starts a killed member on its data again.
    pub fn restart(&mut self) {
        self.kill();
        self.child = run(&self.program, &self.args);
        self.wait_listening();
    }

    /// Stops the member without ending it, as a machine that hangs.
    pub fn pause(&self) {
        self.signal("-STOP");
    }

    /// Lets a paused member go on.
    pub fn resume(&self) {
        self.signal("-CONT");
    }

    fn signal(&self, signal: &str) {
        let id = self.child.id().to_string();
        assert!(Command::new("kill").args([signal, &id]).status().unwrap().success());
    }

    fn wait_healthy(&mut self) {
        self.wait_until("healthy", |port| {
            http_get(port, "/health").is_some_and(|answer| answer.contains("\"true\""))
        });
    }

    fn wait_listening(&mut self) {
        self.wait_until("listening", |port| TcpStream::connect(("127.0.0.1", port)).is_ok());
    }

    fn wait_until(&mut self, what: &str, holds: impl Fn(u16) -> bool) {
        let deadline = Instant::now() + START;
        while !holds(self.port) {
            let ended = self.child.try_wait().unwrap();
            assert!(ended.is_none(), "{} ended: {ended:?}", self.program.display());
            assert!(Instant::now() < deadline, "{} is not {what} in time", self.url);
            std::thread::sleep(Duration::from_millis(20));
        }
    }
}

impl Drop for Member {
    fn drop(&mut self) {
        self.kill();
    }
}

/// Releases whose members disagree for ever after one of them was killed while others wrote (etcd-io/etcd#13766).
const LOSE_AGREEMENT: [&str; 3] = ["3.5.0", "3.5.1", "3.5.2"];

fn survives_power_cuts(program: &Path) -> bool {
    let output = Command::new(program).arg("--version").output().unwrap();
    let text = String::from_utf8_lossy(&output.stdout);
    let version = text.lines().find_map(|line| line.strip_prefix("etcd Version: "));
    version.is_none_or(|version| !LOSE_AGREEMENT.contains(&version.trim()))
}

fn run(program: &Path, args: &[String]) -> Child {
    let mut command = Command::new(program);
    // Flags come from the environment too, where a machine has an etcd of its own.
    for (name, _) in
        std::env::vars_os().filter(|(name, _)| name.to_string_lossy().starts_with("ETCD_"))
    {
        command.env_remove(name);
    }
    command.args(args).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    command.spawn().unwrap_or_else(|why| panic!("cannot run {}: {why}", program.display()))
}

/// Ports that nobody listens on; all are taken before any is given back.
fn free_ports(count: usize) -> Vec<u16> {
    let listeners: Vec<TcpListener> =
        (0..count).map(|_| TcpListener::bind("127.0.0.1:0").unwrap()).collect();
    listeners.iter().map(|listener| listener.local_addr().unwrap().port()).collect()
}

/// The answer to a GET; none if there is none in time.
fn http_get(port: u16, path: &str) -> Option<String> {
    exchange(port, "GET", path, "")
}

fn exchange(port: u16, method: &str, path: &str, body: &str) -> Option<String> {
    let address = ([127, 0, 0, 1], port).into();
    let mut stream = TcpStream::connect_timeout(&address, Duration::from_secs(1)).ok()?;
    // What is sent may take a while, such as a defragmentation.
    let patience = if body.is_empty() { 2 } else { 60 };
    stream.set_read_timeout(Some(Duration::from_secs(patience))).ok()?;
    let length = body.len();
    write!(stream, "{method} {path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n").ok()?;
    write!(stream, "Content-Length: {length}\r\n\r\n{body}").ok()?;
    let mut answer = String::new();
    stream.read_to_string(&mut answer).ok()?;
    Some(answer)
}
