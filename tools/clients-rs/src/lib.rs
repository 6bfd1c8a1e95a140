//! A `ratchet serve` of one's own for the tests: started on a free port in a temporary folder, stopped, started again.

use anyhow::{Context, Result, bail};
use kube::config::{KubeConfigOptions, Kubeconfig};
use kube::{Client, Config};
use std::net::TcpListener;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::time::Duration;
use tempfile::TempDir;

/// One server process and the folder that it keeps its data in.
pub struct Server {
    process: Child,
    folder: TempDir,
    port: u16,
}

impl Server {
    /// Starts the binary that `RATCHET_BIN` names, or the one that was built with these tests.
    pub async fn start() -> Result<Self> {
        let folder = tempfile::tempdir()?;
        let port = TcpListener::bind("127.0.0.1:0")?.local_addr()?.port();
        let process = spawn(&folder, port)?;
        let mut server = Self { process, folder, port };
        server.wait().await?;
        Ok(server)
    }

    /// Asks the server to stop, waits until it has, and starts it again on the same data and port.
    pub async fn restart(&mut self) -> Result<()> {
        self.stop()?;
        self.process = spawn(&self.folder, self.port)?;
        self.wait().await
    }

    /// A client made from the kubeconfig that the server wrote.
    pub async fn client(&self) -> Result<Client> {
        let file = Kubeconfig::read_from(self.folder.path().join("kubeconfig"))?;
        let config = Config::from_custom_kubeconfig(file, &KubeConfigOptions::default()).await?;
        Ok(Client::try_from(config)?)
    }

    async fn wait(&mut self) -> Result<()> {
        for _ in 0..600 {
            if let Some(status) = self.process.try_wait()? {
                bail!("ratchet serve ended: {status}");
            }
            if let Ok(client) = self.client().await
                && client.apiserver_version().await.is_ok()
            {
                return Ok(());
            }
            tokio::time::sleep(Duration::from_millis(100)).await;
        }
        bail!("ratchet serve did not become ready")
    }

    fn stop(&mut self) -> Result<()> {
        let id = self.process.id().to_string();
        Command::new("kill").args(["-TERM", &id]).status()?;
        self.process.wait()?;
        Ok(())
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

/// The `ratchet` of the same build: a test is in `deps`, the program in the folder above.
fn built_beside() -> Result<PathBuf> {
    let own = std::env::current_exe()?;
    let folder = own.ancestors().nth(2).context("the test is not in cargo's folder")?;
    let binary = folder.join("ratchet");
    if !binary.exists() {
        bail!("{} is not built: test the workspace, or set RATCHET_BIN", binary.display());
    }
    Ok(binary)
}

fn spawn(folder: &TempDir, port: u16) -> Result<Child> {
    let binary = match std::env::var_os("RATCHET_BIN") {
        Some(binary) => binary.into(),
        None => built_beside()?,
    };
    let mut command = Command::new(binary);
    command.arg("serve").arg("--data-dir").arg(folder.path());
    command.args(["--bind-address", "127.0.0.1", "--secure-port", &port.to_string()]);
    Ok(command.stdout(Stdio::null()).spawn()?)
}
