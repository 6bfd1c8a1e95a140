//! `cargo xtask load --server URL` and `cargo xtask damage`: programs of `tools`, built with optimization.

use anyhow::{Context, Result};
use std::process::Command;

/// Flags that name a server; without one, `load` measures a server of its own.
const SERVER_FLAGS: &[&str] = &["--server", "--kubeconfig"];

/// Whether the arguments name a server that is there.
pub(crate) fn names_server(args: &[&str]) -> bool {
    args.iter().any(|arg| {
        let name = arg.split_once('=').map_or(*arg, |(name, _)| name);
        SERVER_FLAGS.contains(&name)
    })
}

/// Runs the tool; returns whether nothing failed and no event was lost.
pub(crate) fn run(args: &[&str]) -> Result<bool> {
    Ok(command().args(args).status().context("cannot run cargo")?.success())
}

/// Runs the tool that damages objects; returns whether two servers said the same to all of them.
pub(crate) fn damage(args: &[&str]) -> Result<bool> {
    Ok(tool("api-damage").args(args).status().context("cannot run cargo")?.success())
}

/// The command that runs the load tool; arguments follow.
pub(crate) fn command() -> Command {
    tool("api-load")
}

fn tool(package: &str) -> Command {
    let mut cargo = Command::new("cargo");
    cargo.args(["run", "--release", "--locked", "--quiet", "-p", package, "--"]);
    cargo
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_server_is_named_by_its_url_or_its_kubeconfig() {
        for args in
            [vec!["--server", "https://a"], vec!["--server=https://a"], vec!["--kubeconfig", "f"]]
        {
            assert!(names_server(&args), "{args:?}");
        }
        for args in [vec![], vec!["--quick"], vec!["--encodings"]] {
            assert!(!names_server(&args), "{args:?}");
        }
    }
}
