//! An API server with its kubeconfig, and helpers for its objects.

use crate::server::Server;
use serde_json::{Value, json};
use std::path::PathBuf;
use std::time::{Duration, Instant};
use tempfile::TempDir;

/// How long anything may take on a slow machine.
const LIMIT: Duration = Duration::from_secs(120);

/// A server of the real binary, in a folder of its own.
pub(crate) struct World {
    pub(crate) server: Server,
    pub(crate) dir: TempDir,
}

impl World {
    pub(crate) fn start() -> Self {
        Self::start_with(&[])
    }

    /// Starts a server with more flags.
    pub(crate) fn start_with(flags: &[&str]) -> Self {
        let dir = tempfile::tempdir().unwrap();
        let server = Server::start(dir.path(), &[&["--bind-address=127.0.0.1"], flags].concat());
        Self { server, dir }
    }

    pub(crate) fn kubeconfig(&self) -> PathBuf {
        self.dir.path().join("kubeconfig")
    }

    /// Creates an object, which must succeed.
    pub(crate) fn create(&self, path: &str, object: &Value) {
        let (code, text) = self.server.request("POST", path, &object.to_string());
        assert_eq!(code, 201, "{path}: {text}");
    }

    /// Creates a namespace with these labels.
    pub(crate) fn namespace(&self, name: &str, labels: &Value) {
        self.create("/api/v1/namespaces", &json!({"metadata": {"name": name, "labels": labels}}));
    }

    /// Changes an object by a merge patch.
    pub(crate) fn patch(&self, path: &str, patch: &Value) {
        let header = "Content-Type: application/merge-patch+json\r\n";
        let (code, text) =
            self.server.request_with_headers(header, "PATCH", path, &patch.to_string());
        assert_eq!(code, 200, "{path}: {text}");
    }

    /// Sends a request as another user, who may do everything; returns the code and the object.
    pub(crate) fn request_as(
        &self,
        user: &str,
        method: &str,
        path: &str,
        body: &Value,
    ) -> (u16, Value) {
        let media_type = if method == "PATCH" { "merge-patch+json" } else { "json" };
        let headers = format!(
            "Impersonate-User: {user}\r\nImpersonate-Group: system:masters\r\nContent-Type: application/{media_type}\r\n"
        );
        let (code, text) =
            self.server.request_with_headers(&headers, method, path, &body.to_string());
        (code, serde_json::from_str(&text).unwrap_or_else(|_| panic!("{path}: {code} {text}")))
    }

    /// An object; `Null` if there is none.
    pub(crate) fn get(&self, path: &str) -> Value {
        match self.server.get(path) {
            (404, _) => Value::Null,
            (200, text) => serde_json::from_str(&text).unwrap(),
            (code, text) => panic!("{path}: {code} {text}"),
        }
    }
}

/// Asks again and again until there is an answer.
pub(crate) fn until<T>(what: &str, mut ask: impl FnMut() -> Option<T>) -> T {
    let start = Instant::now();
    loop {
        if let Some(found) = ask() {
            return found;
        }
        assert!(start.elapsed() < LIMIT, "never: {what}");
        std::thread::sleep(Duration::from_millis(100));
    }
}
