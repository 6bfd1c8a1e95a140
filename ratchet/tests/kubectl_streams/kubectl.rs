//! kubectl as a process: with input, with captured output, or in the background.

use std::ffi::OsString;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

/// The timeout of every operation.
pub(crate) const PATIENCE: Duration = Duration::from_secs(60);

/// The protocols between kubectl and a kubelet.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Way {
    /// WebSockets to the server, SPDY behind it.
    WebSocket,
    /// SPDY all the way.
    Spdy,
    /// WebSockets all the way, to a kubelet that declares support.
    Through,
}

pub(crate) const WAYS: [Way; 3] = [Way::WebSocket, Way::Spdy, Way::Through];

impl Way {
    /// The node whose kubelet uses this protocol.
    pub(crate) fn node(self) -> &'static str {
        match self {
            Self::WebSocket => "alpha",
            Self::Spdy => "beta",
            Self::Through => "gamma",
        }
    }

    fn environment(self) -> [(&'static str, &'static str); 2] {
        let value = if self == Self::Spdy { "false" } else { "true" };
        [("KUBECTL_REMOTE_COMMAND_WEBSOCKETS", value), ("KUBECTL_PORT_FORWARD_WEBSOCKETS", value)]
    }
}

/// The result of a command.
#[derive(Debug)]
pub(crate) struct CommandOutput {
    pub(crate) code: i32,
    pub(crate) stdout: Vec<u8>,
    pub(crate) stderr: String,
}

impl CommandOutput {
    /// Standard output as text.
    pub(crate) fn text(&self) -> String {
        String::from_utf8_lossy(&self.stdout).into_owned()
    }
}

/// A kubeconfig and a folder to work in.
#[derive(Clone)]
pub(crate) struct Kubectl {
    pub(crate) folder: PathBuf,
    pub(crate) kubeconfig: PathBuf,
    way: Way,
}

impl Kubectl {
    pub(crate) fn new(kubeconfig: &Path, folder: &Path) -> Self {
        let (kubeconfig, folder) = (kubeconfig.to_owned(), folder.to_owned());
        Self { kubeconfig, folder, way: Way::WebSocket }
    }

    /// The same, speaking another protocol.
    pub(crate) fn over(&self, way: Way) -> Self {
        Self { way, ..self.clone() }
    }

    /// Runs a command.
    pub(crate) fn run(&self, line: &str) -> CommandOutput {
        self.feed(line, b"")
    }

    /// Runs a command with this input.
    pub(crate) fn feed(&self, line: &str, input: &[u8]) -> CommandOutput {
        let mut command = self.command(line);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().unwrap_or_else(|why| missing(&why));
        let mut stdin = child.stdin.take().unwrap();
        std::thread::scope(|scope| {
            scope.spawn(move || stdin.write_all(input)); // a command need not read all
            let output = child.wait_with_output().unwrap();
            let stderr = String::from_utf8_lossy(&output.stderr).into_owned();
            CommandOutput {
                code: output.status.code().unwrap_or(-1),
                stdout: output.stdout,
                stderr,
            }
        })
    }

    /// Runs a command that must succeed; returns its output.
    pub(crate) fn ok(&self, line: &str) -> String {
        let output = self.run(line);
        assert_eq!(output.code, 0, "$ kubectl {line}\n{}{}", output.text(), output.stderr);
        output.text()
    }

    /// Runs a command that must fail with this error.
    pub(crate) fn refused(&self, line: &str, wanted: &str) {
        let output = self.run(line);
        let as_wanted = output.code != 0 && output.stderr.contains(wanted);
        assert!(as_wanted, "$ kubectl {line}\nbut wanted {wanted}\n{output:?}");
    }

    /// Starts a command in the background.
    pub(crate) fn start(&self, line: &str) -> Running {
        static NEXT: AtomicUsize = AtomicUsize::new(0);
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let output = self.folder.join(format!("running-{number}"));
        let file = std::fs::File::create(&output).unwrap();
        let mut command = self.command(line);
        command.stdin(Stdio::null()).stdout(file.try_clone().unwrap()).stderr(file);
        let child = command.spawn().unwrap_or_else(|why| missing(&why));
        Running { child, line: line.to_owned(), output }
    }

    fn command(&self, line: &str) -> Command {
        let mut command = Command::new(program());
        command.args(arguments(line)).current_dir(&self.folder).envs(self.environment());
        command
    }

    /// The environment of each command.
    pub(crate) fn environment(&self) -> Vec<(&'static str, OsString)> {
        let places = [
            ("KUBECONFIG", self.kubeconfig.clone()),
            // A private cache directory, without discovery of other servers.
            ("HOME", self.folder.clone()),
            ("KUBECACHEDIR", self.folder.join("cache")),
        ];
        let places = places.into_iter().map(|(name, path)| (name, path.into_os_string()));
        places.chain(self.way.environment().map(|(name, value)| (name, value.into()))).collect()
    }
}

/// The path of kubectl.
pub(crate) fn program() -> OsString {
    std::env::var_os("RATCHET_KUBECTL").unwrap_or_else(|| "kubectl".into())
}

/// The arguments of a command line; what follows ` :: ` is one argument.
pub(crate) fn arguments(line: &str) -> Vec<&str> {
    let (line, last) = match line.split_once(" :: ") {
        Some((line, last)) => (line, Some(last)),
        None => (line, None),
    };
    line.split_whitespace().chain(last).collect()
}

/// A command that still runs; killed when dropped.
pub(crate) struct Running {
    child: Child,
    line: String,
    output: PathBuf,
}

impl Running {
    /// The output so far.
    pub(crate) fn text(&self) -> String {
        std::fs::read_to_string(&self.output).unwrap()
    }

    /// Waits until its output contains a text.
    pub(crate) fn says(&self, wanted: &str) {
        self.until(|text| text.contains(wanted).then_some(()));
    }

    /// Waits until `find` succeeds on its output.
    pub(crate) fn until<T>(&self, find: impl Fn(&str) -> Option<T>) -> T {
        let since = Instant::now();
        loop {
            let text = self.text();
            if let Some(found) = find(&text) {
                return found;
            }
            assert!(since.elapsed() < PATIENCE, "$ kubectl {}\n{text}", self.line);
            std::thread::sleep(Duration::from_millis(20));
        }
    }

    /// Waits until it ends; returns its exit status and output.
    pub(crate) fn ends(mut self) -> (i32, String) {
        let since = Instant::now();
        loop {
            if let Some(status) = self.child.try_wait().unwrap() {
                return (status.code().unwrap_or(-1), self.text());
            }
            assert!(since.elapsed() < PATIENCE, "$ kubectl {} does not end", self.line);
            std::thread::sleep(Duration::from_millis(20));
        }
    }

    pub(crate) fn is_running(&mut self) -> bool {
        self.child.try_wait().unwrap().is_none()
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn missing(why: &std::io::Error) -> ! {
    panic!(
        "these tests drive the real kubectl, and it cannot be run: {why}\n\
         `cargo xtask ci` brings its own, and `cargo xtask kubectl` prints where; or put any kubectl\n\
         from 1.32 on into PATH, or name it in RATCHET_KUBECTL."
    )
}
