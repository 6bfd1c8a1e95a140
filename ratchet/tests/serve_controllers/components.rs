//! The released components beside a server, each with its own identity; killed when dropped.
//!
//! `RATCHET_KUBE_COMPONENTS` names a folder with kube-controller-manager, kube-scheduler and kubemark.

use crate::cluster::Cluster;
use crate::server::free_port;
use serde_json::json;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

/// The tokens of the components that have no kubeconfig of the server's own: token, user, uid, groups.
pub(crate) const TOKENS: &str = "\
scheduler-token,system:kube-scheduler,scheduler,\n\
hollow-1-token,system:node:hollow-1,hollow-1,system:nodes\n\
hollow-2-token,system:node:hollow-2,hollow-2,system:nodes\n";

/// A running component.
pub(crate) struct Component(Child);

impl Drop for Component {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

impl Component {
    /// Starts a program in a folder of its own, where it may leave files.
    fn start(program: &str, folder: &Path, arguments: &[String]) -> Self {
        let programs = std::env::var_os("RATCHET_KUBE_COMPONENTS")
            .expect("RATCHET_KUBE_COMPONENTS names no folder with the released components");
        std::fs::create_dir_all(folder).unwrap();
        let child = Command::new(PathBuf::from(programs).join(program))
            .args(arguments)
            .current_dir(folder)
            .env("TMPDIR", folder)
            .stdout(Stdio::null())
            .stderr(std::fs::File::create(folder.join("log")).unwrap())
            .spawn()
            .unwrap_or_else(|error| panic!("{program} does not start: {error}"));
        Self(child)
    }

    /// The controller manager, started as docs/reference/serve.md describes.
    pub(crate) fn manager(cluster: &Cluster) -> Self {
        let data = cluster.folder.path().join("data");
        let flag = |name: &str, file: &str| format!("--{name}={}", data.join(file).display());
        let arguments = [
            flag("kubeconfig", "kubeconfig"),
            flag("root-ca-file", "pki/ca.crt"),
            flag("service-account-private-key-file", "pki/sa.key"),
            flag("cluster-signing-cert-file", "pki/ca.crt"),
            flag("cluster-signing-key-file", "pki/ca.key"),
            "--controllers=*".to_owned(),
            "--use-service-account-credentials".to_owned(),
            "--leader-elect=false".to_owned(),
            "--secure-port=0".to_owned(),
        ];
        Self::start("kube-controller-manager", &cluster.folder.path().join("manager"), &arguments)
    }

    pub(crate) fn scheduler(cluster: &Cluster) -> Self {
        let folder = cluster.folder.path().join("scheduler");
        let kubeconfig = kubeconfig(cluster, &folder, "scheduler-token");
        let arguments =
            [kubeconfig, "--leader-elect=false".to_owned(), "--secure-port=0".to_owned()];
        Self::start("kube-scheduler", &folder, &arguments)
    }

    /// A kubelet that says of every pod that it runs, and runs none.
    pub(crate) fn hollow_kubelet(cluster: &Cluster, name: &str) -> Self {
        let folder = cluster.folder.path().join(name);
        let labels = format!("kubernetes.io/hostname={name},kubernetes.io/os=linux");
        let arguments = [
            kubeconfig(cluster, &folder, &format!("{name}-token")),
            "--morph=kubelet".to_owned(),
            format!("--name={name}"),
            format!("--node-labels={labels}"),
            format!("--kubelet-port={}", free_port()),
            "--kubelet-read-only-port=0".to_owned(),
            "--use-host-image-service=false".to_owned(),
            format!("--cert-dir={}", folder.display()),
        ];
        Self::start("kubemark", &folder, &arguments)
    }
}

/// Writes a kubeconfig with a token; returns the flag that names it.
fn kubeconfig(cluster: &Cluster, folder: &Path, token: &str) -> String {
    let authority = cluster.folder.path().join("data/pki/ca.crt");
    let server = format!("https://127.0.0.1:{}", cluster.server.port);
    let config = json!({
        "apiVersion": "v1",
        "kind": "Config",
        "clusters": [{"name": "own", "cluster": {"server": server, "certificate-authority": authority}}],
        "users": [{"name": "own", "user": {"token": token}}],
        "contexts": [{"name": "own", "context": {"cluster": "own", "user": "own"}}],
        "current-context": "own",
    });
    std::fs::create_dir_all(folder).unwrap();
    let path = folder.join("kubeconfig");
    std::fs::write(&path, config.to_string()).unwrap();
    format!("--kubeconfig={}", path.display())
}
