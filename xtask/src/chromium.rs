//! The browser of the tests: Chromium as it is installed, or as Debian packages it.

use crate::ci::{Tally, run_ignored};
use anyhow::{Context, Result, bail};
use std::path::PathBuf;
use std::process::Command;

/// The variable with the program; the tests read it too.
pub(crate) const VARIABLE: &str = "RATCHET_CHROMIUM";

/// Names under which distributions install it.
const NAMES: &[&str] = &["chromium", "chromium-browser", "google-chrome-stable", "google-chrome"];

/// The test binaries that start a browser.
const TESTS: &[&str] = &["report", "browser"];

/// The program: as the variable names it, as it is installed, or else as apt brings it.
pub(crate) fn find() -> Result<PathBuf> {
    if let Some(named) = std::env::var_os(VARIABLE).filter(|named| !named.is_empty()) {
        return Ok(PathBuf::from(named));
    }
    if let Some(program) = installed() {
        return Ok(program);
    }
    install().with_context(|| format!("no Chromium; install it, or name one in {VARIABLE}"))?;
    installed().context("apt installed chromium, and it is not in PATH")
}

/// The first of its names in PATH.
fn installed() -> Option<PathBuf> {
    let path = std::env::var_os("PATH")?;
    let folders: Vec<PathBuf> = std::env::split_paths(&path).collect();
    NAMES
        .iter()
        .flat_map(|name| folders.iter().map(move |folder| folder.join(name)))
        .find(|program| program.is_file())
}

/// Installs Debian's package; only root can.
fn install() -> Result<()> {
    for arguments in [&["update"][..], &["install", "--yes", "--no-install-recommends", "chromium"]]
    {
        eprintln!("apt-get {}", arguments.join(" "));
        let mut command = Command::new("apt-get");
        // Its output is for people; what this command prints is a path.
        command.args(arguments).env("DEBIAN_FRONTEND", "noninteractive");
        let done = command.stdout(std::io::stderr()).status().context("cannot run apt-get")?;
        if !done.success() {
            bail!("apt-get {} failed: {done}", arguments.join(" "));
        }
    }
    Ok(())
}

/// Prints the value of the variable.
pub(crate) fn print() -> Result<bool> {
    println!("{}", find()?.display());
    Ok(true)
}

/// Runs the tests in a real browser, which is brought where it is absent.
pub(crate) fn run_tests(tally: &mut Tally) -> Result<bool> {
    let program = match find() {
        Ok(program) => program,
        // Without the rights to install one, its tests are listed as not run.
        Err(why) => {
            tally.not_run(format!("the tests in a browser: {why:#}"));
            return Ok(true);
        }
    };
    tally.forget_ignored(&format!("needs {VARIABLE}"));
    run_ignored(TESTS, &[(VARIABLE, program.as_os_str())], tally)
}

/// The variable with the folder for pictures; the test reads it too.
const PICTURES: &str = "RATCHET_PICTURES";

/// Takes the pictures of the documents: a test does, of a real audit in a real browser.
pub(crate) fn screenshots(folder: &str) -> Result<bool> {
    let folder = std::path::absolute(folder).with_context(|| format!("{folder} is no path"))?;
    let test = "pictures::pictures_are_taken_of_a_real_audit";
    let mut command = Command::new("cargo");
    command.args(["test", "--workspace", "--locked", "--test", "browser", "--"]);
    command.args(["--ignored", "--exact", test]).env(VARIABLE, find()?).env(PICTURES, folder);
    Ok(command.status().context("cannot run cargo")?.success())
}
