//! Tests of `ratchet audit`: predictions against a real server, dumps, missing rights, interruptions and reports.
#![allow(clippy::unwrap_used, reason = "a test may fail")]
#![allow(clippy::indexing_slicing, reason = "a test may fail")]

mod access;
mod changes;
mod credentials;
mod dumps;
mod exits;
mod formats;
mod front;
mod hostile;
mod legacy;
mod load;
mod many;
mod predictions;
mod repair;
mod reports;
#[cfg(unix)]
mod terminal;
mod troubles;

#[path = "../harness/mod.rs"]
mod harness;
#[path = "../server/mod.rs"]
#[allow(dead_code, reason = "only a part of it is needed here")]
mod server;

use harness::{Folder, Output, run_in};
use serde_json::Value;
use server::Server;
use std::path::Path;

/// Flags of a server that takes what old servers took.
const OLD: &[&str] = &[
    "--feature-gates=StrictIPCIDRValidation=false",
    "--behavior=released",
    "--controllers=",
    "--disable-admission-plugins=ServiceAccount",
];

/// The findings of a report, in an order that does not depend on that of lists.
fn sorted_findings(report: &Value) -> Vec<String> {
    let findings = report["findings"].as_array().unwrap();
    let mut all: Vec<String> = findings.iter().map(ToString::to_string).collect();
    all.sort_unstable();
    all
}

/// A server with a folder for files of tests.
struct Cluster {
    folder: Folder,
    server: Server,
}

impl Cluster {
    fn start(arguments: &[&str]) -> Self {
        let folder = Folder::with(&[]);
        let server = Server::start(&folder.path("data"), arguments);
        Self { folder, server }
    }

    /// Ends the server and starts it with other flags on the same store.
    fn restart(self, arguments: &[&str]) -> Self {
        let Self { folder, mut server } = self;
        server.signal("TERM");
        server.wait();
        drop(server);
        let server = Server::start(&folder.path("data"), arguments);
        Self { folder, server }
    }

    /// Runs `ratchet audit` on the server.
    fn audit(&self, arguments: &[&str]) -> Output {
        self.audit_through(&self.folder.path("data/kubeconfig"), arguments)
    }

    /// Runs `ratchet audit` with a kubeconfig.
    fn audit_through(&self, kubeconfig: &Path, arguments: &[&str]) -> Output {
        let kubeconfig = kubeconfig.to_str().unwrap();
        let all = [&["audit", "--kubeconfig", kubeconfig, "--qps", "0"], arguments].concat();
        run_in(&self.folder.path(""), &all, b"", &[])
    }

    /// Creates an object and returns it.
    fn create(&self, path: &str, object: &Value) -> Value {
        let (code, body) = self.server.request("POST", path, &object.to_string());
        assert_eq!(code, 201, "{path} {object}: {body}");
        serde_json::from_str(&body).unwrap()
    }
}
