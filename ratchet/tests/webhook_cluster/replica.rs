//! A replica of `ratchet webhook`, and calls of it.

use crate::client::{Answer, Client};
use crate::world::World;
use ratchet_http::certificates::{Authority, usual_names};
use serde_json::{Value, json};
use std::io::{BufRead, BufReader};
use std::net::SocketAddr;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use tempfile::TempDir;

/// A running replica; killed when dropped.
pub(crate) struct Replica {
    child: Child,
    pub(crate) address: SocketAddr,
    log: tempfile::NamedTempFile,
}

impl Replica {
    /// Starts a replica with these arguments, and waits for its address.
    pub(crate) fn start(arguments: &[String]) -> Self {
        let log = tempfile::NamedTempFile::new().unwrap();
        let mut child = Command::new(env!("CARGO_BIN_EXE_ratchet"))
            .args(["webhook", "--bind-address=127.0.0.1", "--secure-port=0", "-v=2"])
            .arg("--logging-format=json")
            .args(arguments)
            .env_remove("KUBERNETES_SERVICE_HOST")
            .stdout(Stdio::piped())
            .stderr(log.reopen().unwrap())
            .spawn()
            .unwrap();
        let mut line = String::new();
        BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
        let address = line.trim().strip_prefix("ratchet webhook listens at https://");
        let text = || std::fs::read_to_string(log.path()).unwrap();
        let address = address.unwrap_or_else(|| panic!("{line:?} {}", text())).parse().unwrap();
        Self { child, address, log }
    }

    /// The log so far.
    pub(crate) fn log(&self) -> String {
        std::fs::read_to_string(self.log.path()).unwrap()
    }

    pub(crate) fn signal(&self, name: &str) {
        let id = self.child.id().to_string();
        assert!(Command::new("kill").args(["-s", name, &id]).status().unwrap().success());
    }

    /// Waits for the end.
    pub(crate) fn wait(&mut self) -> Option<i32> {
        self.child.wait().unwrap().code()
    }
}

impl Drop for Replica {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// The first lines of a configuration file.
const HEAD: &str = "apiVersion: ratchet/v1alpha1\nkind: WebhookConfiguration\n";

/// A replica with a certificate from files, and what is needed to call it.
pub(crate) struct Called {
    pub(crate) replica: Replica,
    authority: String,
    runtime: tokio::runtime::Runtime,
    dir: TempDir,
}

impl Called {
    /// Starts a replica with this configuration file and more arguments; `world` is its cluster.
    pub(crate) fn start(world: Option<&World>, configuration: &str, more: &[&str]) -> Self {
        let dir = tempfile::tempdir().unwrap();
        let authority = Authority::load_or_create(dir.path()).unwrap();
        let pair = authority.serving(&usual_names()).unwrap();
        let file = dir.path().join("webhook.yaml");
        std::fs::write(&file, format!("{HEAD}{configuration}")).unwrap();
        let flag = |name: &str, path: &Path| format!("--{name}={}", path.display());
        let mut arguments = vec![
            flag("tls-cert-file", &pair.certificate),
            flag("tls-private-key-file", &pair.key),
            flag("config", &file),
        ];
        arguments.extend(world.map(|world| flag("kubeconfig", &world.kubeconfig())));
        arguments.extend(more.iter().map(|text| (*text).to_owned()));
        let authority = authority.pem().to_owned();
        let mut runtime = tokio::runtime::Builder::new_multi_thread();
        let runtime = runtime.worker_threads(1).enable_all().build().unwrap();
        Self { replica: Replica::start(&arguments), authority, runtime, dir }
    }

    /// Writes another configuration file, and has it read.
    pub(crate) fn configure(&self, configuration: &str) {
        let file = self.dir.path().join("webhook.yaml");
        std::fs::write(file, format!("{HEAD}{configuration}")).unwrap();
        self.replica.signal("HUP");
    }

    /// The configuration that `ratchet webhook manifests` prints with these flags, to be called at this replica.
    pub(crate) fn manifest(&self, flags: &[&str]) -> Value {
        let mut command = Command::new(env!("CARGO_BIN_EXE_ratchet"));
        let printed = command.args(["webhook", "manifests"]).args(flags).output().unwrap();
        assert!(printed.status.success(), "{printed:?}");
        let text = String::from_utf8(printed.stdout).unwrap();
        let decoded = ratchet_object::decode(&text, ratchet_object::Limits::DEFAULT).unwrap();
        let mut object: Value = serde_json::from_str(&decoded.documents[0].to_json()).unwrap();
        for webhook in object["webhooks"].as_array_mut().unwrap() {
            let path = webhook["clientConfig"]["service"]["path"].as_str().unwrap();
            let url = format!("https://{}{path}", self.replica.address);
            let bundle = ratchet_object::encode_base64(self.authority.as_bytes());
            webhook["clientConfig"] = json!({"url": url, "caBundle": bundle});
            // A test waits rather than to take an unanswered call for an answer.
            webhook["timeoutSeconds"] = json!(30);
            webhook["failurePolicy"] = json!("Fail");
        }
        object
    }

    /// The authority of the certificate, in PEM.
    pub(crate) fn authority(&self) -> &str {
        &self.authority
    }

    pub(crate) fn connect(&self) -> Client {
        self.runtime.block_on(Client::connect(self.replica.address, &self.authority)).unwrap()
    }

    pub(crate) fn get(&self, path: &str) -> Answer {
        let mut client = self.connect();
        self.runtime.block_on(client.get(path))
    }

    pub(crate) fn get_on(&self, client: &mut Client, path: &str) -> Answer {
        self.runtime.block_on(client.get(path))
    }

    /// Sends a review on a new connection.
    pub(crate) fn review(&self, review: &Value) -> Answer {
        self.review_within("10s", review)
    }

    /// The same with another timeout.
    pub(crate) fn review_within(&self, timeout: &str, review: &Value) -> Answer {
        let mut client = self.connect();
        let path = format!("/validate?timeout={timeout}");
        self.runtime.block_on(client.post(&path, review.to_string()))
    }

    /// The response to a review, which must succeed.
    pub(crate) fn response(&self, review: &Value) -> Value {
        let (code, _, text) = self.review(review);
        assert_eq!(code, 200, "{text}");
        serde_json::from_str::<Value>(&text).unwrap()["response"].take()
    }

    /// Sends a request with more headers.
    pub(crate) fn send(&self, review: &Value, header: (&str, &str)) -> Answer {
        let mut client = self.connect();
        let request = hyper::Request::post(crate::client::uri("/validate"))
            .header("content-type", "application/json")
            .header(header.0, header.1)
            .body(http_body_util::Full::new(review.to_string().into()))
            .unwrap();
        self.runtime.block_on(client.send(request)).unwrap()
    }

    /// Whether the metrics have this line.
    pub(crate) fn has_metric(&self, line: &str) -> bool {
        self.get("/metrics").2.lines().any(|own| own.starts_with(line))
    }
}

/// A review of a new Service with this cluster IP.
pub(crate) fn review(namespace: &str, name: &str, cluster_ip: &str) -> Value {
    json!({"apiVersion": "admission.k8s.io/v1", "kind": "AdmissionReview", "request": {
        "uid": format!("uid-{name}"), "operation": "CREATE", "namespace": namespace, "name": name,
        "userInfo": {"username": "ann"},
        "kind": {"group": "", "version": "v1", "kind": "Service"},
        "resource": {"group": "", "version": "v1", "resource": "services"},
        "object": {"metadata": {"name": name},
            "spec": {"ports": [{"port": 80}], "clusterIP": cluster_ip}}}})
}

/// A cluster IP that the rules do not accept.
pub(crate) const BAD: &str = "010.0.0.1";
