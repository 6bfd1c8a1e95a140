//! A server with its controllers, and helpers for requests to it.

use crate::server::Server;
use serde_json::{Value, json};
use std::time::{Duration, Instant};
use tempfile::TempDir;

/// A timeout that is generous even on a busy machine.
const PATIENCE: Duration = Duration::from_secs(60);

/// A server and its data directory.
pub(crate) struct Cluster {
    pub(crate) server: Server,
    pub(crate) folder: TempDir,
}

impl Cluster {
    pub(crate) fn start(flags: &[&str]) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let server = Server::start(&folder.path().join("data"), flags);
        Self { server, folder }
    }

    /// Stops the server gracefully and starts it again on its data.
    pub(crate) fn restart(&mut self, flags: &[&str]) {
        self.server.signal("TERM");
        assert_eq!(self.server.wait().0, Some(0));
        self.server = Server::start(&self.folder.path().join("data"), flags);
    }

    pub(crate) fn try_request(&self, method: &str, path: &str, body: &Value) -> (u16, Value) {
        let body = if body.is_null() { String::new() } else { body.to_string() };
        let (code, text) = self.server.request(method, path, &body);
        (code, serde_json::from_str(&text).unwrap_or(Value::Null))
    }

    /// Sends a request that must succeed.
    pub(crate) fn request(&self, method: &str, path: &str, body: &Value) -> Value {
        let (code, answer) = self.try_request(method, path, body);
        assert!((200..300).contains(&code), "{method} {path}: {code} {answer}");
        answer
    }

    pub(crate) fn get(&self, path: &str) -> Value {
        self.request("GET", path, &Value::Null)
    }

    pub(crate) fn is_there(&self, path: &str) -> bool {
        self.try_request("GET", path, &Value::Null).0 == 200
    }

    /// Creates an object; returns its uid.
    pub(crate) fn make(&self, collection: &str, object: &Value) -> String {
        text(&self.request("POST", collection, object)["metadata"]["uid"])
    }

    /// Changes an object, and retries on conflicts.
    pub(crate) fn change(&self, path: &str, change: impl Fn(&mut Value)) {
        for _ in 0..10 {
            let mut object = self.get(path);
            change(&mut object);
            match self.try_request("PUT", path, &object) {
                (409, _) => {}
                (code, answer) => {
                    assert_eq!(code, 200, "{path}: {answer}");
                    return;
                }
            }
        }
        panic!("{path} changes all the time");
    }

    /// Creates a namespace, and waits for its default objects.
    pub(crate) fn namespace(&self, name: &str) {
        self.make("/api/v1/namespaces", &json!({"metadata": {"name": name}}));
        let account = format!("/api/v1/namespaces/{name}/serviceaccounts/default");
        self.until("an account", || self.is_there(&account));
    }

    /// Waits until a condition holds.
    pub(crate) fn until(&self, what: &str, is_so: impl Fn() -> bool) {
        let began = Instant::now();
        while !is_so() {
            assert!(began.elapsed() < PATIENCE, "waited in vain for {what}");
            std::thread::sleep(Duration::from_millis(50));
        }
    }
}

pub(crate) fn text(value: &Value) -> String {
    value.as_str().unwrap_or_default().to_owned()
}

/// A reference to an owner.
pub(crate) fn owner(api_version: &str, kind: &str, name: &str, uid: &str, blocks: bool) -> Value {
    json!({
        "apiVersion": api_version, "kind": kind, "name": name, "uid": uid,
        "controller": false, "blockOwnerDeletion": blocks,
    })
}
