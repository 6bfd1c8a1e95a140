//! A console that runs kubectl commands and collects their output.

use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// The timeout of background commands.
const PATIENCE: Duration = Duration::from_secs(60);

/// The result of a command.
pub(crate) struct CommandOutput {
    pub(crate) code: i32,
    /// Standard output, then standard error.
    pub(crate) text: String,
    pub(crate) stdout: String,
}

/// A working directory and the kubeconfig of one server.
pub(crate) struct Console {
    pub(crate) kubeconfig: PathBuf,
    folder: PathBuf,
}

/// A running command.
pub(crate) struct Running {
    child: Child,
    line: String,
    output: PathBuf,
}

/// A command and its expected output.
pub(crate) type Line = (&'static str, &'static str);

impl Console {
    pub(crate) fn new(kubeconfig: &Path, folder: &Path) -> Self {
        Self { kubeconfig: kubeconfig.to_owned(), folder: folder.to_owned() }
    }

    /// The working directory of commands, which is also their home.
    pub(crate) fn folder(&self) -> &Path {
        &self.folder
    }

    /// Writes a file for later commands.
    pub(crate) fn file(&self, name: &str, text: &str) -> PathBuf {
        let path = self.folder.join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(&path, text).unwrap();
        path
    }

    /// Runs a command.
    pub(crate) fn run(&self, line: &str) -> CommandOutput {
        self.run_with(line, &[])
    }

    /// Runs a command with environment variables.
    pub(crate) fn run_with(&self, line: &str, env: &[(&str, &str)]) -> CommandOutput {
        let mut command = self.command(line);
        command.envs(env.iter().copied());
        self.finish(command)
    }

    fn finish(&self, mut command: Command) -> CommandOutput {
        let output = self.settled(&mut command).output().unwrap_or_else(|why| missing(&why));
        let stdout = String::from_utf8_lossy(&output.stdout).into_owned();
        let text = format!("{stdout}{}", String::from_utf8_lossy(&output.stderr));
        CommandOutput { code: output.status.code().unwrap_or(-1), text, stdout }
    }

    /// Runs a line of a shell script, with `kubectl` and `ratchet` in its path.
    pub(crate) fn shell(&self, line: &str) -> CommandOutput {
        let tools = self.folder.join("tools");
        if !tools.exists() {
            std::fs::create_dir(&tools).unwrap();
            let ratchet = Path::new(env!("CARGO_BIN_EXE_ratchet"));
            std::os::unix::fs::symlink(ratchet, tools.join("ratchet")).unwrap();
            if let Some(kubectl) = std::env::var_os("RATCHET_KUBECTL") {
                std::os::unix::fs::symlink(kubectl, tools.join("kubectl")).unwrap();
            }
        }
        let mut path = tools.into_os_string();
        path.push(":");
        path.push(std::env::var_os("PATH").unwrap_or_default());
        let mut command = Command::new("sh");
        command.args(["-c", line]).env("PATH", path);
        self.finish(command)
    }

    /// Runs a command that must succeed; returns its output.
    pub(crate) fn ok(&self, line: &str) -> String {
        let output = self.run(line);
        assert_eq!(output.code, 0, "$ kubectl {line}\n{}", output.text);
        output.text
    }

    /// Runs commands that must succeed with this output.
    pub(crate) fn all_ok(&self, lines: &[Line]) {
        for (line, wanted) in lines {
            let text = self.ok(line);
            assert!(text.contains(wanted), "$ kubectl {line}\n{text}\nbut wanted: {wanted}");
        }
    }

    /// Runs commands that must fail with this error.
    pub(crate) fn all_refused(&self, lines: &[Line]) {
        for (line, wanted) in lines {
            let output = self.run(line);
            let as_wanted = output.code != 0 && output.text.contains(wanted);
            assert!(
                as_wanted,
                "$ kubectl {line} [{}]\n{}\nbut wanted: {wanted}",
                output.code, output.text
            );
        }
    }

    /// Starts a command in the background.
    pub(crate) fn start(&self, line: &str) -> Running {
        static NEXT: std::sync::atomic::AtomicUsize = std::sync::atomic::AtomicUsize::new(0);
        let number = NEXT.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
        let output = self.folder.join(format!("running-{number}"));
        let file = std::fs::File::create(&output).unwrap();
        let child = self.command(line).stdout(file.try_clone().unwrap()).stderr(file).spawn();
        let child = child.unwrap_or_else(|why| missing(&why));
        Running { child, line: line.to_owned(), output }
    }

    fn command(&self, line: &str) -> Command {
        let program = std::env::var_os("RATCHET_KUBECTL").unwrap_or_else(|| "kubectl".into());
        let mut command = Command::new(program);
        command.args(arguments(line));
        self.settled(&mut command);
        command
    }

    /// Sets the working directory and the kubeconfig of a command.
    fn settled<'a>(&self, command: &'a mut Command) -> &'a mut Command {
        command
            .current_dir(&self.folder)
            .env("KUBECONFIG", &self.kubeconfig)
            // A private cache directory, without discovery of other servers.
            .env("HOME", &self.folder)
            .env("KUBECACHEDIR", self.folder.join("cache"))
            .stdin(Stdio::null())
    }
}

impl Running {
    /// The output so far.
    pub(crate) fn text(&self) -> String {
        std::fs::read_to_string(&self.output).unwrap()
    }

    /// Waits until its output contains a text.
    pub(crate) fn says(&mut self, wanted: &str) {
        let since = Instant::now();
        while !self.text().contains(wanted) {
            let waited = since.elapsed() > PATIENCE;
            assert!(!waited, "$ kubectl {}\n{}\nbut wanted: {wanted}", self.line, self.text());
            std::thread::sleep(Duration::from_millis(20));
        }
    }

    /// Waits until it ends successfully; returns its output.
    pub(crate) fn ends(mut self) -> String {
        let since = Instant::now();
        loop {
            if let Some(status) = self.child.try_wait().unwrap() {
                assert!(status.success(), "$ kubectl {}\n{}", self.line, self.text());
                return self.text();
            }
            assert!(since.elapsed() < PATIENCE, "$ kubectl {} does not end", self.line);
            std::thread::sleep(Duration::from_millis(20));
        }
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// The arguments of a command line: split at blanks, except in single quotes.
fn arguments(line: &str) -> Vec<String> {
    let mut arguments = vec![];
    let mut argument: Option<String> = None;
    let mut quoted = false;
    for letter in line.chars() {
        match letter {
            '\'' => {
                quoted = !quoted;
                argument.get_or_insert_default();
            }
            ' ' if !quoted => arguments.extend(argument.take()),
            other => argument.get_or_insert_default().push(other),
        }
    }
    assert!(!quoted, "a quote is open: {line}");
    arguments.extend(argument);
    arguments
}

fn missing(why: &std::io::Error) -> ! {
    panic!(
        "these tests drive the real kubectl, and it cannot be run: {why}\n\
         `cargo xtask ci` brings its own, and `cargo xtask kubectl` prints where; or put any kubectl\n\
         from 1.32 on into PATH, or name it in RATCHET_KUBECTL."
    )
}

#[test]
fn words_are_divided_as_a_shell_divides_them() {
    assert_eq!(arguments("get  pods -o 'a b'c ''"), ["get", "pods", "-o", "a bc", ""]);
    assert!(arguments(" ").is_empty());
}
