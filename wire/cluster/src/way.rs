//! The way to a cluster: which kubeconfig, which part of it, and as whom.

use crate::ClusterError;
use crate::error::chain;
use kube_client::Config;
use kube_client::config::{KubeConfigOptions, Kubeconfig};
use std::fmt::Display;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// What kubectl's flags of the same names say; nothing set means what kubectl does without flags.
#[derive(Clone, Debug, Default)]
pub struct Way {
    /// `--kubeconfig`: this file, and neither `KUBECONFIG` nor `~/.kube/config`.
    pub kubeconfig: Option<PathBuf>,
    /// `--context`: this context, and not the current one.
    pub context: Option<String>,
    /// `--cluster`: this cluster, and not the context's.
    pub cluster: Option<String>,
    /// `--user`: this user, and not the context's.
    pub user: Option<String>,
    /// `--as`: ask as somebody else.
    pub impersonate: Option<String>,
    /// `--as-group`: and as a member of these groups.
    pub impersonate_groups: Vec<String>,
    /// `--request-timeout`: how long one request may take; none means forever.
    pub request_timeout: Option<Duration>,
}

impl Way {
    /// What the kubeconfig says about it; in a pod without one, what the pod's service account says.
    pub(crate) async fn config(&self) -> Result<Config, ClusterError> {
        let mut config = match self.read()? {
            Some((kubeconfig, place)) => self.chosen(kubeconfig, &place).await?,
            None => Config::incluster().map_err(|_| nowhere())?,
        };
        if let Some(user) = &self.impersonate {
            config.auth_info.impersonate = Some(user.clone());
        }
        if !self.impersonate_groups.is_empty() {
            config.auth_info.impersonate_groups = Some(self.impersonate_groups.clone());
        }
        // Answers such as 503 are what some callers want to read.
        config.default_retry = false;
        Ok(config)
    }

    /// The kubeconfig and where it was found; none if there is none and nobody named one.
    fn read(&self) -> Result<Option<(Kubeconfig, String)>, ClusterError> {
        if let Some(path) = &self.kubeconfig {
            let place = path.display().to_string();
            return Ok(Some((read_file(path)?, place)));
        }
        let unusable = |error| wrong(format!("KUBECONFIG: {}", chain(&error)));
        if let Some(kubeconfig) = Kubeconfig::from_env().map_err(unusable)? {
            return Ok(Some((kubeconfig, "KUBECONFIG".to_owned())));
        }
        let Some(path) = std::env::home_dir().map(|home| home.join(".kube").join("config")) else {
            return Ok(None);
        };
        if !path.exists() {
            return Ok(None);
        }
        Ok(Some((read_file(&path)?, path.display().to_string())))
    }

    async fn chosen(&self, kubeconfig: Kubeconfig, place: &str) -> Result<Config, ClusterError> {
        self.check(&kubeconfig, place)?;
        let options = KubeConfigOptions {
            context: self.context.clone(),
            cluster: self.cluster.clone(),
            user: self.user.clone(),
        };
        let config = Config::from_custom_kubeconfig(kubeconfig, &options).await;
        config.map_err(|error| wrong(format!("{place}: {}", chain(&error))))
    }

    /// Names that are not there are told with those that are.
    fn check(&self, kubeconfig: &Kubeconfig, place: &str) -> Result<(), ClusterError> {
        let contexts: Vec<&str> = kubeconfig.contexts.iter().map(|one| one.name.as_str()).collect();
        let clusters: Vec<&str> = kubeconfig.clusters.iter().map(|one| one.name.as_str()).collect();
        let users: Vec<&str> = kubeconfig.auth_infos.iter().map(|one| one.name.as_str()).collect();
        let current = kubeconfig.current_context.as_ref().filter(|name| !name.is_empty());
        let Some(context) = self.context.as_ref().or(current) else {
            let which = list("contexts", &contexts);
            return Err(wrong(format!(
                "{place} has no current context: name one with --context; {which}"
            )));
        };
        let wanted = [
            ("context", Some(context), &contexts),
            ("cluster", self.cluster.as_ref(), &clusters),
            ("user", self.user.as_ref(), &users),
        ];
        for (what, name, known) in wanted {
            if let Some(name) = name
                && !known.contains(&name.as_str())
            {
                let which = list(&format!("{what}s"), known);
                return Err(wrong(format!("{place} has no {what} {name:?}; {which}")));
            }
        }
        Ok(())
    }
}

fn list(what: &str, names: &[&str]) -> String {
    if names.is_empty() {
        format!("it has no {what}")
    } else {
        format!("its {what} are {}", names.join(", "))
    }
}

fn read_file(path: &Path) -> Result<Kubeconfig, ClusterError> {
    // Read here first: the file's own error says more than that of its reader.
    std::fs::File::open(path).map_err(|error| {
        wrong(format!(
            "cannot read the kubeconfig {}: {error}; name another with --kubeconfig",
            path.display()
        ))
    })?;
    Kubeconfig::read_from(path)
        .map_err(|error| wrong(format!("{} is no kubeconfig: {}", path.display(), chain(&error))))
}

fn nowhere() -> ClusterError {
    wrong(
        "there is no kubeconfig, neither in KUBECONFIG nor as ~/.kube/config: name one with --kubeconfig",
    )
}

fn wrong(why: impl Display) -> ClusterError {
    ClusterError::Kubeconfig(why.to_string())
}

#[cfg(test)]
mod tests;
