//! What is measured, on what machine, when and of which commit.

use anyhow::{Context, Result};
use std::path::Path;
use std::process::Command;

/// The words for the file of figures.
pub(super) fn about(binary: &Path, etcd: Option<&str>) -> Result<String> {
    let version =
        Command::new(binary).arg("--version").output().context("cannot ask its version")?;
    let version = String::from_utf8_lossy(&version.stdout).trim().to_owned();
    let cores = std::thread::available_parallelism()?;
    let size = std::fs::metadata(binary)?.len() as f64 / 1e6;
    let store = etcd.map_or("embedded store", |_| "etcd");
    let cpus = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let cpu = cpu_model(&cpus).map_or_else(String::new, |model| format!(" of {model}"));
    let mut about = format!("{version}, {size:.0} MB, {store}, pods, {cores} cores{cpu}");
    let commit = output("git", &["rev-parse", "--short", "HEAD"]);
    let day = output("date", &["-u", "+%F"]);
    for more in [commit.map(|commit| format!("commit {commit}")), day].into_iter().flatten() {
        about.push_str(", ");
        about.push_str(&more);
    }
    Ok(about)
}

/// The name of the first CPU, which not every architecture tells.
fn cpu_model(cpus: &str) -> Option<&str> {
    let line = cpus.lines().find(|line| line.starts_with("model name"))?;
    let (_, model) = line.split_once(':')?;
    Some(model.trim()).filter(|model| !model.is_empty())
}

/// What a program prints, if it is there and succeeds.
fn output(program: &str, args: &[&str]) -> Option<String> {
    let output = Command::new(program).args(args).output().ok()?;
    let text = String::from_utf8(output.stdout).ok()?.trim().to_owned();
    (output.status.success() && !text.is_empty()).then_some(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_machine_the_commit_and_the_day_are_told_where_they_are_known() {
        let cpus = "processor\t: 0\nmodel name\t: A Chip @ 2 GHz\nprocessor\t: 1\n";
        assert_eq!(cpu_model(cpus), Some("A Chip @ 2 GHz"));
        assert_eq!(cpu_model("processor\t: 0\n"), None);
        assert_eq!(output("echo", &["a"]).as_deref(), Some("a"));
        assert_eq!(output("false", &[]), None);
        assert_eq!(output("no-such-program", &[]), None);
    }
}
