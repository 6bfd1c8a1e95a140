//! A shell that runs the commands of a session and records what they print.

use super::{Step, normal};
use anyhow::{Context, Result, ensure};
use std::io::{BufRead, BufReader};
use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

/// The port that is shown in place of the one that was free.
const PORT: &str = "6443";

/// Number of lines in which the server says that it is ready.
const BANNER: usize = 3;

/// A home of its own with the programs in PATH, and the server that runs in it.
pub(super) struct Recorder {
    home: PathBuf,
    path: std::ffi::OsString,
    /// Lines that every command is run after.
    prologue: String,
    server: Option<Child>,
    port: String,
    recorded: String,
}

impl Recorder {
    /// A recorder in a new folder, where `ratchet` and `kubectl` are the given programs.
    pub(super) fn new(ratchet: &Path, kubectl: &Path) -> Result<Self> {
        let home = std::env::temp_dir().join(format!("ratchet-session-{}", std::process::id()));
        let bin = home.join("bin");
        std::fs::create_dir_all(&bin).with_context(|| format!("cannot make {}", bin.display()))?;
        // The server prints paths without links.
        let home = home.canonicalize().context("the home cannot be found")?;
        std::os::unix::fs::symlink(ratchet, bin.join("ratchet")).context("cannot make a link")?;
        if kubectl.is_absolute() {
            std::os::unix::fs::symlink(kubectl, bin.join("kubectl"))
                .context("cannot make a link")?;
        }
        let others = std::env::var_os("PATH").unwrap_or_default();
        let path = std::env::join_paths([bin].into_iter().chain(std::env::split_paths(&others)))?;
        let (prologue, recorded) = (String::new(), String::new());
        Ok(Self { home, path, prologue, server: None, port: String::new(), recorded })
    }

    /// Runs the steps; returns what a terminal would show, with ANSI colours.
    pub(super) fn record(mut self, steps: &[Step]) -> Result<String> {
        for step in steps {
            match step {
                Step::Run { line, unseen } => {
                    let printed = self.run(&format!("{line} {unseen}"))?;
                    self.show(line, &printed);
                }
                Step::Set(line) => {
                    self.prologue += &format!("{line}\n");
                    self.show(line, "");
                }
                Step::Serve(line) => {
                    let printed = self.serve()?;
                    self.show(line, &printed);
                }
            }
        }
        Ok(std::mem::take(&mut self.recorded))
    }

    /// Adds a prompt, the line in bold, and what was printed.
    fn show(&mut self, line: &str, printed: &str) {
        if !self.recorded.is_empty() {
            self.recorded.push('\n');
        }
        let printed = printed.replace(&*self.home.to_string_lossy(), "~");
        let printed = normal::days(&normal::ages(&printed));
        let printed = match self.port.is_empty() {
            true => printed,
            false => printed.replace(&format!(":{}", self.port), &format!(":{PORT}")),
        };
        self.recorded += &format!("\u{1b}[32m$\u{1b}[0m \u{1b}[1m{line}\u{1b}[0m\n{printed}");
    }

    /// Runs a line of shell script; returns what it prints. It may fail: refusals are what is shown.
    fn run(&self, line: &str) -> Result<String> {
        let script = format!("exec 2>&1\n{}{line}", self.prologue);
        let output = self.command("sh").args(["-c", &script]).output().context("cannot run sh")?;
        let text = String::from_utf8(output.stdout).context("a command prints no UTF-8")?;
        let code = output.status.code();
        // 126 and 127 are the shell's own: the program was not run.
        ensure!(code.is_some_and(|code| code < 126), "{line} was not run: {}", text.trim_end());
        ensure!(!text.is_empty(), "{line} prints nothing");
        Ok(text)
    }

    /// Starts the server on a free port; returns what it prints when it is ready.
    fn serve(&mut self) -> Result<String> {
        let free = TcpListener::bind("127.0.0.1:0").context("no port is free")?;
        self.port = free.local_addr()?.port().to_string();
        drop(free);
        let mut command = self.command(self.home.join("bin/ratchet"));
        command.args(["serve", "--bind-address=127.0.0.1", "--secure-port", &self.port]);
        let mut server = command.stdout(Stdio::piped()).spawn().context("cannot run ratchet")?;
        let output = server.stdout.take().context("the server has no output")?;
        self.server = Some(server);
        let mut banner = String::new();
        let mut output = BufReader::new(output);
        for _ in 0..BANNER {
            let length = output.read_line(&mut banner).context("cannot read from the server")?;
            ensure!(length > 0, "the server ended early; it says above why");
        }
        Ok(banner)
    }

    /// A program in the session's environment.
    fn command(&self, program: impl AsRef<std::ffi::OsStr>) -> Command {
        let mut command = Command::new(program);
        command.env("PATH", &self.path).env("HOME", &self.home).env("LC_ALL", "C");
        command.env_remove("KUBECONFIG").env_remove("XDG_STATE_HOME").env_remove("NO_COLOR");
        command
    }
}

impl Drop for Recorder {
    fn drop(&mut self) {
        if let Some(server) = &mut self.server {
            let _ = server.kill();
            let _ = server.wait();
        }
        let _ = std::fs::remove_dir_all(&self.home);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// One test, for recorders of one process share a folder.
    #[test]
    fn commands_are_shown_with_what_they_print() {
        let echo = Path::new("/bin/echo");
        let recorder = || Recorder::new(echo, Path::new("kubectl")).unwrap();
        let steps = [
            Step::Set("export WHERE=~/x"),
            Step::Run { line: "ratchet $WHERE", unseen: "'(12 days)'" },
            Step::Run { line: "echo why >&2; false", unseen: "" },
        ];
        let recorded = recorder().record(&steps).unwrap();
        let plain = super::super::screen::plain(&super::super::screen::lines(&recorded));
        let wanted = "$ export WHERE=~/x\n\n$ ratchet $WHERE\n~/x (… days)\n\n\
                      $ echo why >&2; false\nwhy\n";
        assert_eq!(plain, wanted);

        let absent = [Step::Run { line: "no-such-program", unseen: "" }];
        assert!(recorder().record(&absent).is_err());
        let silent = [Step::Run { line: "true", unseen: "" }];
        assert!(recorder().record(&silent).unwrap_err().to_string().contains("prints nothing"));
        let ends = [Step::Serve("ratchet serve &")];
        assert!(recorder().record(&ends).unwrap_err().to_string().contains("ended early"));
    }
}
