//! controller-runtime's own tests, and programs of ours on its envtest, where Go and the sources are supplied.
//!
//! `RATCHET_CONTROLLER_RUNTIME` names a checkout of controller-runtime whose modules are downloaded or vendored, and `go`
//! is in the path (or `RATCHET_GO` names it):
//! `RATCHET_CONTROLLER_RUNTIME=~/controller-runtime cargo test -p ratchet --test envtest -- --ignored go`.

use crate::control_plane::assets;
use serde_json::json;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Our programs, which are compiled as a package of controller-runtime and so need no module of their own.
const PROGRAMS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../tools/clients-go");

/// The packages of controller-runtime whose tests start a control plane.
const SUITES: &[&str] = &[
    "./pkg/builder",
    "./pkg/cache/...",
    "./pkg/client",
    "./pkg/cluster",
    "./pkg/controller/...",
    "./pkg/handler",
    "./pkg/internal/controller",
    "./pkg/internal/recorder",
    "./pkg/internal/testing/controlplane",
    "./pkg/manager/...",
    "./pkg/metrics/...",
    "./pkg/reconcile",
    "./pkg/source",
    "./pkg/webhook/...",
];

fn sources() -> PathBuf {
    let folder = std::env::var_os("RATCHET_CONTROLLER_RUNTIME");
    let folder = folder.expect("RATCHET_CONTROLLER_RUNTIME names no checkout of controller-runtime");
    Path::new(&folder).canonicalize().expect("RATCHET_CONTROLLER_RUNTIME names no folder")
}

/// Runs `go test` in the checkout with our binaries.
fn go_test(arguments: &[&str]) {
    let assets = assets();
    let go = std::env::var_os("RATCHET_GO").unwrap_or_else(|| "go".into());
    let output = Command::new(go)
        .current_dir(sources())
        .args(["test", "-count=1"])
        .args(arguments)
        .env("KUBEBUILDER_ASSETS", assets.path())
        .output()
        .expect("go does not start");
    let text = [output.stdout, output.stderr].concat();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&text));
}

#[test]
#[ignore = "needs RATCHET_CONTROLLER_RUNTIME"]
fn go_envtest_of_controller_runtime_passes() {
    go_test(&["./pkg/envtest/..."]);
}

#[test]
#[ignore = "needs RATCHET_CONTROLLER_RUNTIME"]
fn go_suites_of_controller_runtime_pass() {
    go_test(SUITES);
}

/// With informers, leader elections, reconcilers, applies, webhooks and conversions.
#[test]
#[ignore = "needs RATCHET_CONTROLLER_RUNTIME"]
fn go_programs_of_ours_pass() {
    let place = sources().join("pkg/ratchet");
    let programs = Path::new(PROGRAMS).canonicalize().unwrap();
    let files = programs.read_dir().unwrap().map(|entry| entry.unwrap().file_name());
    let replaced: serde_json::Map<String, serde_json::Value> = files
        .filter_map(|name| name.into_string().ok())
        .filter(|name| name.ends_with(".go"))
        .map(|name| (place.join(&name).display().to_string(), json!(programs.join(&name))))
        .collect();
    assert!(!replaced.is_empty());
    let overlay = tempfile::NamedTempFile::with_suffix(".json").unwrap();
    std::fs::write(overlay.path(), json!({"Replace": replaced}).to_string()).unwrap();
    let flag = format!("-overlay={}", overlay.path().display());
    go_test(&[&flag, "-v", "./pkg/ratchet"]);
}
