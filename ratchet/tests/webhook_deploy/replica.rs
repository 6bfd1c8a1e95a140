//! `Replica`: `ratchet webhook` as a pod of the Deployment would run it.

use crate::installation::until;
use crate::own_address::own_address;
use serde_json::{Value, json};
use std::cell::Cell;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

/// A running process; killed when dropped.
pub(crate) struct Replica {
    child: Child,
    pub(crate) port: u16,
    /// The name of the EndpointSlice that leads to it.
    pub(crate) slice: String,
    log: PathBuf,
    /// How many changes of its file are in force.
    reloads: Cell<usize>,
}

/// What the log says once a replica can be called.
const READY: [&str; 2] = ["namespaces are watched", "serving certificate replaced"];

/// What the log says of a new configuration file.
const REPLACED: &str = "configuration replaced";

impl Replica {
    /// Starts the command with the arguments of the container, its files and credentials in `folder`; flags follow.
    pub(crate) fn start(container: &Value, folder: &Path, number: usize, flags: &[&str]) -> Self {
        let arguments = container["args"].as_array().unwrap();
        let arguments = arguments.iter().map(|own| match own.as_str().unwrap() {
            // What a pod has of its own: an address, and files where volumes are mounted.
            "--secure-port=8443" => "--secure-port=0".to_owned(),
            "--config=/etc/ratchet/webhook.yaml" => {
                format!("--config={}", folder.join("webhook.yaml").display())
            }
            // Nobody must wait for processes that are stopped on purpose.
            "--shutdown-delay-duration=5s" => "--shutdown-delay-duration=0s".to_owned(),
            own => own.to_owned(),
        });
        let log = folder.join(format!("replica-{number}.log"));
        let file = std::fs::File::create(&log).unwrap();
        let mut child = Command::new(env!("CARGO_BIN_EXE_ratchet"))
            .args(arguments)
            .arg("--namespace=ratchet-system")
            .arg(format!("--kubeconfig={}", folder.join("webhook.kubeconfig").display()))
            .args(flags)
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(file)
            .spawn()
            .unwrap();
        let mut line = String::new();
        BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
        let port = line.trim().rsplit_once(':').and_then(|(_, port)| port.parse().ok());
        let port = port.unwrap_or_else(|| {
            let text = std::fs::read_to_string(&log).unwrap();
            panic!("the webhook did not start: {line:?} {text}")
        });
        Self { child, port, slice: format!("ratchet-webhook-{number}"), log, reloads: Cell::new(0) }
    }

    /// Waits for what its readiness waits for, as a kubelet does before a Service leads to a pod.
    pub(crate) fn wait_until_ready(&self) {
        until("it has a certificate and knows the namespaces", || {
            let log = self.log();
            READY.iter().all(|line| log.contains(line)).then_some(())
        });
    }

    /// Reads its files again after a change, as it does by itself from time to time, and waits until they are in force.
    pub(crate) fn reload(&self) {
        // Not what the log says now: it may have seen the change before it is told.
        self.reloads.update(|count| count + 1);
        let done = Command::new("kill").args(["-HUP", &self.child.id().to_string()]).status();
        assert!(done.unwrap().success());
        until("the new file is in force", || {
            (self.log().matches(REPLACED).count() >= self.reloads.get()).then_some(())
        });
    }

    fn log(&self) -> String {
        std::fs::read_to_string(&self.log).unwrap()
    }

    /// Kills it without a farewell.
    pub(crate) fn kill(mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }

    /// The EndpointSlice that a controller would write for its pod.
    pub(crate) fn endpoint_slice(&self) -> Value {
        json!({
            "apiVersion": "discovery.k8s.io/v1", "kind": "EndpointSlice", "addressType": "IPv4",
            "metadata": {"name": self.slice, "namespace": "ratchet-system",
                "labels": {"kubernetes.io/service-name": "ratchet-webhook"}},
            "endpoints": [{"addresses": [own_address().to_string()], "conditions": {"ready": true}}],
            "ports": [{"name": "https", "port": self.port, "protocol": "TCP"}],
        })
    }
}

impl Drop for Replica {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
