//! The tests of controller-runtime's envtest, and programs of ours on it, where Go and the sources are supplied.
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

fn sources() -> PathBuf {
    let folder = std::env::var_os("RATCHET_CONTROLLER_RUNTIME");
    let folder =
        folder.expect("RATCHET_CONTROLLER_RUNTIME names no checkout of controller-runtime");
    Path::new(&folder).canonicalize().expect("RATCHET_CONTROLLER_RUNTIME names no folder")
}

/// Runs `go` in the checkout.
fn go(arguments: &[&str], assets: &Path) {
    let go = std::env::var_os("RATCHET_GO").unwrap_or_else(|| "go".into());
    run(Command::new(go).current_dir(sources()).args(arguments), assets);
}

/// Runs a program that finds our binaries where envtest looks for its own.
fn run(command: &mut Command, assets: &Path) {
    let output = command.env("KUBEBUILDER_ASSETS", assets).output().expect("it does not start");
    let text = [output.stdout, output.stderr].concat();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&text));
}

#[test]
#[ignore = "needs RATCHET_CONTROLLER_RUNTIME"]
fn go_envtest_of_controller_runtime_passes() {
    go(&["test", "-count=1", "./pkg/envtest/..."], assets().path());
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
    let folder = tempfile::tempdir().unwrap();
    let (overlay, program) = (folder.path().join("overlay.json"), folder.path().join("programs"));
    std::fs::write(&overlay, json!({"Replace": replaced}).to_string()).unwrap();
    let overlay = format!("-overlay={}", overlay.display());
    let output = format!("-o={}", program.display());
    let assets = assets();
    // Compiled and run apart, and not vetted: the package's folder is in the overlay alone, and Go would run both in it.
    go(&["test", "-c", "-vet=off", &overlay, &output, "./pkg/ratchet"], assets.path());
    run(Command::new(&program).arg("-test.v").current_dir(folder.path()), assets.path());
}
