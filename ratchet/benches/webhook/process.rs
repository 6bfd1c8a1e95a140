//! `WebhookProcess`: `ratchet webhook` with a certificate and a configuration of its own.

use ratchet_http::certificates::{Authority, usual_names};
use std::io::{BufRead, BufReader};
use std::net::SocketAddr;
use std::process::{Child, Command, Stdio};
use tempfile::TempDir;

/// Everything that the proposals are about is enforced, external IPs are allowed by a list, and Pod Security has a level.
const CONFIGURATION: &str = "\
apiVersion: ratchet/v1alpha1
kind: WebhookConfiguration
mode: enforce
rules: {RTC-API: off}
exemptions: {namespaces: [kube-system, ratchet-system]}
externalIPs:
  allow:
  - {cidrs: [203.0.113.0/24, '2001:db8::/32'], namespaces: [shop]}
";

/// The running command.
pub(crate) struct WebhookProcess {
    child: Child,
    address: SocketAddr,
    authority: Authority,
    _folder: TempDir,
}

impl WebhookProcess {
    /// Starts the command without a cluster and waits until it listens.
    pub(crate) fn start() -> Self {
        Self::start_with(&[])
    }

    /// The same with more flags.
    pub(crate) fn start_with(flags: &[String]) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let authority = Authority::ephemeral(folder.path()).unwrap();
        let pair = authority.serving(&usual_names()).unwrap();
        let file = folder.path().join("webhook.yaml");
        std::fs::write(&file, CONFIGURATION).unwrap();
        let mut child = Command::new(env!("CARGO_BIN_EXE_ratchet"))
            .args(["webhook", "--bind-address=127.0.0.1", "--secure-port=0"])
            .args(["--pod-security=baseline"])
            .arg("--tls-cert-file")
            .arg(&pair.certificate)
            .arg("--tls-private-key-file")
            .arg(&pair.key)
            .arg("--config")
            .arg(&file)
            .args(flags)
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let mut line = String::new();
        BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
        let address = line.trim().rsplit_once("https://").map(|(_, address)| address.parse());
        let address = address.expect("the webhook prints its address").unwrap();
        Self { child, address, authority, _folder: folder }
    }

    pub(crate) fn address(&self) -> SocketAddr {
        self.address
    }

    /// The authority of its certificate, in PEM.
    pub(crate) fn authority(&self) -> &str {
        self.authority.pem()
    }

    pub(crate) fn pid(&self) -> u32 {
        self.child.id()
    }
}

impl Drop for WebhookProcess {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
