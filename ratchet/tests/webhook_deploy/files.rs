//! The files below `deploy`, rendered by kubectl and helm and read as JSON.

use ratchet_object::{Limits, decode};
use serde_json::Value;
use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::PathBuf;
use std::process::Command;

/// Objects by kind and name.
pub(crate) type Objects = BTreeMap<String, Value>;

/// A path below the repository.
pub(crate) fn path(name: &str) -> PathBuf {
    PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/..")).join(name)
}

pub(crate) fn read(name: &str) -> String {
    std::fs::read_to_string(path(name)).unwrap_or_else(|why| panic!("{name}: {why}"))
}

/// The documents of a YAML stream, but for empty ones.
pub(crate) fn documents(text: &str) -> Vec<Value> {
    let decoded = decode(text, Limits::DEFAULT).unwrap();
    let json = decoded.documents.iter().map(|node| serde_json::from_str(&node.to_json()).unwrap());
    json.filter(|document: &Value| !document.is_null()).collect()
}

/// The objects of a YAML stream.
pub(crate) fn objects(text: &str) -> Objects {
    let name = |object: &Value| {
        let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
        format!("{}/{}", text(&object["kind"]), text(&object["metadata"]["name"]))
    };
    let mut all = Objects::new();
    for object in documents(text) {
        let known = all.insert(name(&object), object);
        assert_eq!(known, None, "two objects have one name");
    }
    all
}

/// `kubectl kustomize` of a folder below `deploy/webhook`.
pub(crate) fn kustomize(folder: &str) -> Objects {
    kustomize_at(&path("deploy/webhook").join(folder))
}

/// `kubectl kustomize` of an overlay with these components, in a folder of its own beside them.
pub(crate) fn kustomize_with(overlay: &str, components: &[&str]) -> Objects {
    // Kustomize takes relative paths only, and of symbolic links what they point to.
    let folder = tempfile::tempdir().unwrap();
    let copy = folder.path().join("webhook");
    let done = Command::new("cp").arg("-r").arg(path("deploy/webhook")).arg(&copy).status();
    assert!(done.unwrap().success());
    let own = copy.join("own");
    std::fs::create_dir(&own).unwrap();
    let components: Vec<String> =
        components.iter().map(|name| format!("../components/{name}")).collect();
    let text = format!(
        "kind: Kustomization\nresources: [../overlays/{overlay}]\ncomponents: [{}]\n",
        components.join(", ")
    );
    std::fs::write(own.join("kustomization.yaml"), text).unwrap();
    kustomize_at(&own)
}

fn kustomize_at(folder: &std::path::Path) -> Objects {
    let program = std::env::var_os("RATCHET_KUBECTL").unwrap_or_else(|| "kubectl".into());
    let mut command = Command::new(program);
    objects(&output(command.arg("kustomize").arg(folder)))
}

/// The helm to run.
pub(crate) fn helm() -> Command {
    let named = std::env::var_os("RATCHET_HELM");
    let program: OsString = named.unwrap_or_else(|| "helm".into());
    let mut command = Command::new(&program);
    let found = Command::new(&program).arg("version").output();
    assert!(
        found.is_ok(),
        "these tests drive helm, and it cannot be run: {found:?}\n`cargo xtask ci` brings its own, and `cargo xtask \
         helm` prints where; or put any helm from 3.14 on into PATH, or name it in RATCHET_HELM."
    );
    command.current_dir(path("deploy/charts"));
    command
}

/// `helm template` of the chart as the kustomize base names everything, with more flags.
pub(crate) fn chart(flags: &[&str]) -> Objects {
    let mut command = helm();
    command.args(["template", "ratchet-webhook", "ratchet-webhook", "-n", "ratchet-system"]);
    objects(&output(command.args(flags)))
}

/// Runs a command that must succeed; returns its standard output.
pub(crate) fn output(command: &mut Command) -> String {
    let done = command.output().unwrap_or_else(|why| panic!("{command:?}: {why}"));
    let errors = String::from_utf8_lossy(&done.stderr);
    assert!(done.status.success(), "{command:?}\n{errors}");
    String::from_utf8(done.stdout).unwrap()
}

/// The output of `ratchet webhook manifests`.
pub(crate) fn manifests(flags: &[&str]) -> String {
    let mut command = Command::new(env!("CARGO_BIN_EXE_ratchet"));
    output(command.args(["webhook", "manifests"]).args(flags))
}
