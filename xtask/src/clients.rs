//! Tests of third-party client libraries against the server that was just built.

use crate::ci::{Tally, guarded, run_counted};
use crate::metadata::cargo;
use anyhow::{Context, Result, bail};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::{Mutex, PoisonError};

const PYTHON: &str = "tools/clients-py";

/// Runs the client programs; returns whether all of their tests passed.
pub(crate) fn run(tally: &mut Tally) -> Result<bool> {
    let rust = rust(tally)?;
    let python = python(tally)?;
    Ok(rust && python)
}

/// Builds `ratchet` as the tests do; returns the program's path.
pub(crate) fn build_ratchet() -> Result<PathBuf> {
    // Not `build`, and not the package alone: the features of dependencies would differ from those of the tests, and
    // half of the tree would be built a second time.
    let build = ["test", "--workspace", "--test", "cli", "--no-run", "--locked"];
    if !cargo().args(build).status().context("cannot run cargo")?.success() {
        bail!("ratchet cannot be built");
    }
    Ok(target()?.join("debug").join("ratchet"))
}

/// Cargo's target directory: this program is in its `debug`.
pub(crate) fn target() -> Result<PathBuf> {
    let own = std::env::current_exe().context("cannot find this program")?;
    let target = own.parent().and_then(Path::parent);
    Ok(target.context("this program stands outside of cargo's folder")?.to_owned())
}

/// Runs the programs on kube-rs, which the tests of the workspace contain too.
fn rust(tally: &mut Tally) -> Result<bool> {
    let tests = ["test", "--workspace", "--locked", "--no-fail-fast"];
    let ours = ["--test", "kube", "--test", "kube_controllers"];
    println!("cargo {} {}", tests.join(" "), ours.join(" "));
    run_counted(guarded()?.args(tests).args(ours).env("RATCHET_BIN", build_ratchet()?), tally)
}

/// Runs the programs on the Python client.
pub(crate) fn python(tally: &mut Tally) -> Result<bool> {
    let server = build_ratchet()?;
    let folder = target()?.join("clients-py");
    let python = prepare_environment(&folder)?;
    let program = format!("{PYTHON}/run.py");
    println!("python {program}");
    let own = std::env::current_exe().context("cannot find this program")?;
    let mut command = Command::new(own);
    run_counted(command.arg("guard").arg(python).arg(program).env("RATCHET_BIN", server), tally)
}

/// Held while an environment is created: two lanes of CI need the same one.
static CREATING: Mutex<()> = Mutex::new(());

/// Creates a virtual environment, unless it exists; returns its python.
pub(crate) fn create_environment(folder: &Path) -> Result<PathBuf> {
    let _creating = CREATING.lock().unwrap_or_else(PoisonError::into_inner);
    let python = folder.join("bin").join("python");
    // It comes last: without it a run was broken off.
    if !folder.join("bin").join("pip").exists() {
        succeeds(Command::new("python3").args(["-m", "venv", "--clear"]).arg(folder))?;
    }
    Ok(python)
}

/// Creates a virtual environment with the requirements, unless it exists; returns its python.
fn prepare_environment(folder: &Path) -> Result<PathBuf> {
    let required = format!("{PYTHON}/requirements.txt");
    let wanted = std::fs::read(&required).with_context(|| format!("cannot read {required}"))?;
    let installed = folder.join("installed.txt");
    if std::fs::read(&installed).is_ok_and(|found| found == wanted) {
        return Ok(folder.join("bin").join("python"));
    }
    // Changed requirements get a new environment.
    if folder.exists() {
        std::fs::remove_dir_all(folder).context("cannot remove the old environment")?;
    }
    let python = create_environment(folder)?;
    let install = ["-m", "pip", "install", "--quiet", "--disable-pip-version-check", "-r"];
    succeeds(Command::new(&python).args(install).arg(&required))?;
    std::fs::write(&installed, wanted).context("cannot note what was installed")?;
    Ok(python)
}

pub(crate) fn succeeds(command: &mut Command) -> Result<()> {
    let status = command.status().with_context(|| format!("cannot run {command:?}"))?;
    if !status.success() {
        bail!("{command:?} failed");
    }
    Ok(())
}
