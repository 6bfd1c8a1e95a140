//! controller-runtime's own envtest, and a program of ours on it, where Go and the sources are supplied.
//!
//! `RATCHET_CONTROLLER_RUNTIME` names a checkout of controller-runtime whose modules are downloaded, and `go` is in the
//! path (or `RATCHET_GO` names it):
//! `RATCHET_CONTROLLER_RUNTIME=~/controller-runtime cargo test -p ratchet --test envtest -- --ignored go`.

use crate::control_plane::assets;
use serde_json::json;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Our program, which is compiled as a package of controller-runtime and so needs no modules of its own.
const PROGRAM: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../tools/clients-go/ratchet_test.go");

fn sources() -> PathBuf {
    let folder = std::env::var_os("RATCHET_CONTROLLER_RUNTIME");
    folder.expect("RATCHET_CONTROLLER_RUNTIME names no checkout of controller-runtime").into()
}

/// Runs `go test` in the checkout with our binaries.
fn go_test(sources: &Path, arguments: &[&str]) {
    let assets = assets();
    let go = std::env::var_os("RATCHET_GO").unwrap_or_else(|| "go".into());
    let output = Command::new(go)
        .current_dir(sources)
        .args(["test", "-count=1"])
        .args(arguments)
        .env("KUBEBUILDER_ASSETS", assets.path())
        .env("KUBEBUILDER_ATTACH_CONTROL_PLANE_OUTPUT", "true")
        .output()
        .expect("go does not start");
    let text = [output.stdout, output.stderr].concat();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&text));
}

#[test]
#[ignore = "needs RATCHET_CONTROLLER_RUNTIME, a checkout of controller-runtime, and go"]
fn go_envtest_of_controller_runtime_passes() {
    go_test(&sources(), &["./pkg/envtest/..."]);
}

#[test]
#[ignore = "needs RATCHET_CONTROLLER_RUNTIME, a checkout of controller-runtime, and go"]
fn go_programs_with_informers_and_a_leader_election_run() {
    let sources = sources().canonicalize().unwrap();
    let place = sources.join("pkg/ratchet/ratchet_test.go");
    let program = Path::new(PROGRAM).canonicalize().unwrap();
    let overlay = tempfile::NamedTempFile::with_suffix(".json").unwrap();
    let replaced = json!({"Replace": {place.to_str().unwrap(): program}});
    std::fs::write(overlay.path(), replaced.to_string()).unwrap();
    let flag = format!("-overlay={}", overlay.path().display());
    go_test(&sources, &[&flag, "-v", "./pkg/ratchet"]);
}
