//! Tests of the command `ratchet envtest`.

use std::path::Path;
use std::process::{Command, Output};

fn envtest(arguments: &[&str], path: Option<&Path>) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_ratchet"));
    if let Some(path) = path {
        command.env("PATH", path);
    }
    command.arg("envtest").args(arguments).output().unwrap()
}

fn text(bytes: &[u8]) -> &str {
    std::str::from_utf8(bytes).unwrap()
}

#[test]
fn a_folder_is_made_and_made_again() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path().canonicalize().unwrap();
    let tools = root.join("tools");
    std::fs::create_dir(&tools).unwrap();
    std::os::unix::fs::symlink("/bin/true", tools.join("kubectl")).unwrap();
    let assets = root.join("a b/envtest");
    for _ in 0..2 {
        let output = envtest(&[assets.to_str().unwrap()], Some(&tools));
        assert_eq!((output.status.code(), text(&output.stderr)), (Some(0), ""));
        let wanted = format!("export KUBEBUILDER_ASSETS='{}'\n", assets.display());
        assert_eq!(text(&output.stdout), wanted);
        let mut names: Vec<_> = std::fs::read_dir(&assets)
            .unwrap()
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .collect();
        names.sort();
        assert_eq!(names, ["etcd", "kube-apiserver", "kubectl"]);
        assert_eq!(std::fs::read_link(assets.join("kubectl")).unwrap(), tools.join("kubectl"));
    }
    let output = envtest(&["-p", "path", assets.to_str().unwrap()], Some(&tools));
    assert_eq!(text(&output.stdout), format!("{}\n", assets.display()));
}

#[test]
fn without_kubectl_the_folder_is_of_use_all_the_same() {
    let folder = tempfile::tempdir().unwrap();
    let assets = folder.path().join("assets");
    let output = envtest(&[assets.to_str().unwrap()], Some(&folder.path().join("none")));
    assert_eq!(output.status.code(), Some(0));
    assert!(text(&output.stderr).starts_with("note: kubectl is not in your PATH"));
    assert!(assets.join("etcd").exists() && !assets.join("kubectl").exists());
}

#[test]
fn files_of_others_are_left_alone() {
    let folder = tempfile::tempdir().unwrap();
    let etcd = folder.path().join("etcd");
    std::fs::write(&etcd, "the real one").unwrap();
    let output = envtest(&[folder.path().to_str().unwrap()], None);
    assert_eq!(output.status.code(), Some(2));
    let errors = text(&output.stderr);
    assert!(errors.contains("etcd is no link: remove it, or choose another directory"), "{errors}");
    assert_eq!(std::fs::read_to_string(&etcd).unwrap(), "the real one");
    let output = envtest(&[etcd.join("below").to_str().unwrap()], None);
    assert_eq!(output.status.code(), Some(2));
    assert!(text(&output.stderr).contains("cannot make the directory"));
    assert_eq!(envtest(&[], None).status.code(), Some(2));
}
