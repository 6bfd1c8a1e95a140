//! A `ratchet serve` that is measured: started in a folder of its own, loaded by `tools/load`, stopped when it goes.

use crate::load;
use anyhow::{Context, Result, bail, ensure};
use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// The longest wait until a server is ready; one that is observed instruction by instruction takes its time.
const PATIENCE: Duration = Duration::from_secs(180);

/// A running server.
pub(crate) struct ServerProcess {
    process: Child,
    folder: PathBuf,
    kubeconfig: PathBuf,
    tool: Option<PathBuf>,
}

impl Drop for ServerProcess {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
        let _ = std::fs::remove_dir_all(&self.folder);
    }
}

impl ServerProcess {
    /// Starts `serve` with flags and waits until it answers. The launcher is `ratchet` itself, or a program that runs it;
    /// `tool` is a load tool that is built already.
    pub(crate) fn start(
        mut launcher: Command,
        flags: &[String],
        tool: Option<&Path>,
    ) -> Result<Self> {
        let port = TcpListener::bind("127.0.0.1:0")?.local_addr()?.port();
        let folder = std::env::temp_dir().join(format!("ratchet-measured-{port}"));
        launcher.args(["serve", "--bind-address=127.0.0.1"]);
        launcher.arg(format!("--secure-port={port}")).args(flags);
        let kubeconfig = match flags.iter().any(|flag| flag.starts_with("--etcd-servers")) {
            false => {
                launcher.arg("--data-dir").arg(&folder);
                folder.join("kubeconfig")
            }
            // On etcd there is no data directory; each server has keys of its own.
            true => {
                launcher.env("XDG_STATE_HOME", &folder);
                launcher.arg(format!("--etcd-prefix=/ratchet-measured-{port}"));
                folder.join("ratchet/kubeconfig")
            }
        };
        let process = launcher.stdout(Stdio::null()).stderr(Stdio::null()).spawn();
        let process = process.with_context(|| format!("cannot start {launcher:?}"))?;
        let tool = tool.map(Path::to_owned);
        let mut server = Self { process, folder, kubeconfig, tool };
        let begun = Instant::now();
        while begun.elapsed() < PATIENCE {
            let one = ["--profile=get", "--objects=1", "--seconds=0.1", "--clients=1"];
            if server.kubeconfig.exists() && server.load(&one).is_ok() {
                return Ok(server);
            }
            ensure!(server.process.try_wait()?.is_none(), "the server ended");
            std::thread::sleep(Duration::from_millis(200));
        }
        bail!("the server did not become ready")
    }

    /// The process.
    pub(crate) fn pid(&self) -> u32 {
        self.process.id()
    }

    /// Runs the load tool, on pods unless the arguments name another resource; returns its JSON report. Every error and
    /// lost event fails it.
    pub(crate) fn load(&self, args: &[&str]) -> Result<Vec<u8>> {
        let mut command = match &self.tool {
            Some(tool) => Command::new(tool),
            None => load::command(),
        };
        command.arg("--kubeconfig").arg(&self.kubeconfig);
        command.arg("--output=json").args(default_resource(args)).args(args);
        let output = command.output().context("cannot run the load tool")?;
        let errors = String::from_utf8_lossy(&output.stderr);
        let last = errors.lines().last().unwrap_or_default();
        ensure!(output.status.success(), "the load tool ended with {}: {last}", output.status);
        Ok(output.stdout)
    }

    /// Asks the server to stop, and waits until it has.
    pub(crate) fn stop(&mut self) -> Result<()> {
        let pid = self.pid().to_string();
        Command::new("kill").args(["-TERM", &pid]).status().context("cannot run kill")?;
        self.process.wait().context("the server cannot be waited for")?;
        Ok(())
    }
}

/// The flag that is missing in arguments of the load tool, which takes it once.
fn default_resource(args: &[&str]) -> Option<&'static str> {
    let is_named = args.iter().any(|arg| arg.starts_with("--resource"));
    (!is_named).then_some("--resource=pods")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pods_are_loaded_unless_something_else_is_named() {
        assert_eq!(default_resource(&["--profile=get"]), Some("--resource=pods"));
        assert_eq!(default_resource(&["--resource=configmaps"]), None);
    }

    #[test]
    fn a_program_that_ends_is_no_server() {
        let error = ServerProcess::start(Command::new("false"), &[], None).err().unwrap();
        assert_eq!(error.to_string(), "the server ended");
    }
}
