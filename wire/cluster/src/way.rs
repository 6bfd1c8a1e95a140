//! Selection of the kubeconfig, its context, and the user.

use crate::ClusterError;
use crate::error::chain;
use kube_client::Config;
use kube_client::config::{KubeConfigOptions, Kubeconfig};
use std::fmt::Display;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// kubectl's flags of the same names; unset flags mean kubectl's defaults.
#[derive(Clone, Debug, Default)]
pub struct ConfigFlags {
    /// `--kubeconfig`: this file instead of `KUBECONFIG` or `~/.kube/config`.
    pub kubeconfig: Option<PathBuf>,
    /// `--context`: this context instead of the current one.
    pub context: Option<String>,
    /// `--cluster`: this cluster instead of the context's.
    pub cluster: Option<String>,
    /// `--user`: this user instead of the context's.
    pub user: Option<String>,
    /// `--as`: the user to impersonate.
    pub impersonate: Option<String>,
    /// `--as-group`: the groups to impersonate.
    pub impersonate_groups: Vec<String>,
    /// `--request-timeout`: the timeout of one request; `None` disables it.
    pub request_timeout: Option<Duration>,
}

impl ConfigFlags {
    /// The client configuration from the kubeconfig or, in a pod without one, from its service
    /// account.
    pub(crate) async fn config(&self) -> Result<Config, ClusterError> {
        let mut config = match self.load()? {
            Some((kubeconfig, path_text)) => self.select(kubeconfig, &path_text).await?,
            None => Config::incluster().map_err(|_| no_kubeconfig())?,
        };
        if let Some(user) = &self.impersonate {
            config.auth_info.impersonate = Some(user.clone());
        }
        if !self.impersonate_groups.is_empty() {
            config.auth_info.impersonate_groups = Some(self.impersonate_groups.clone());
        }
        // Some callers want to see responses such as 503.
        config.default_retry = false;
        Ok(config)
    }

    /// The kubeconfig and its path; `None` if there is none and none was requested.
    fn load(&self) -> Result<Option<(Kubeconfig, String)>, ClusterError> {
        if let Some(path) = &self.kubeconfig {
            let path_text = path.display().to_string();
            return Ok(Some((read_file(path)?, path_text)));
        }
        let named = std::env::var_os("KUBECONFIG").unwrap_or_default();
        if let Some(kubeconfig) = merged(std::env::split_paths(&named))? {
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

    async fn select(
        &self,
        kubeconfig: Kubeconfig,
        path_text: &str,
    ) -> Result<Config, ClusterError> {
        self.check(&kubeconfig, path_text)?;
        let options = KubeConfigOptions {
            context: self.context.clone(),
            cluster: self.cluster.clone(),
            user: self.user.clone(),
        };
        let config = Config::from_custom_kubeconfig(kubeconfig, &options).await;
        config.map_err(|error| kubeconfig_error(format!("{path_text}: {}", chain(&error))))
    }

    /// Reports unknown names together with the existing ones.
    fn check(&self, kubeconfig: &Kubeconfig, path_text: &str) -> Result<(), ClusterError> {
        let contexts: Vec<&str> =
            kubeconfig.contexts.iter().map(|entry| entry.name.as_str()).collect();
        let clusters: Vec<&str> =
            kubeconfig.clusters.iter().map(|entry| entry.name.as_str()).collect();
        let users: Vec<&str> =
            kubeconfig.auth_infos.iter().map(|entry| entry.name.as_str()).collect();
        let current = kubeconfig.current_context.as_ref().filter(|name| !name.is_empty());
        let Some(context) = self.context.as_ref().or(current) else {
            let which = list("contexts", &contexts);
            return Err(kubeconfig_error(format!(
                "{path_text} has no current context: name one with --context; {which}"
            )));
        };
        let requested = [
            ("context", Some(context), &contexts),
            ("cluster", self.cluster.as_ref(), &clusters),
            ("user", self.user.as_ref(), &users),
        ];
        for (what, name, known) in requested {
            if let Some(name) = name
                && !known.contains(&name.as_str())
            {
                let which = list(&format!("{what}s"), known);
                return Err(kubeconfig_error(format!(
                    "{path_text} has no {what} {name:?}; {which}"
                )));
            }
        }
        Ok(())
    }
}

/// The files of `KUBECONFIG` as one; `None` if it names none. As in kubectl, a file that does not exist is passed over, unless
/// none of them does.
fn merged(paths: impl Iterator<Item = PathBuf>) -> Result<Option<Kubeconfig>, ClusterError> {
    let paths: Vec<PathBuf> = paths.filter(|path| !path.as_os_str().is_empty()).collect();
    let existing: Vec<&PathBuf> = paths.iter().filter(|path| path.exists()).collect();
    let files = match (existing.is_empty(), paths.first()) {
        (_, None) => return Ok(None),
        // Reading it says what is wrong.
        (true, Some(first)) => vec![first],
        (false, Some(_)) => existing,
    };
    let mut kubeconfig = Kubeconfig::default();
    for path in files {
        let unusable = |error| kubeconfig_error(format!("{}: {}", path.display(), chain(&error)));
        kubeconfig = kubeconfig.merge(read_file(path)?).map_err(unusable)?;
    }
    Ok(Some(kubeconfig))
}

/// The configuration of a process in a pod, by its service account; `None` outside of a cluster.
pub(crate) fn in_cluster() -> Result<Option<Config>, ClusterError> {
    if std::env::var_os("KUBERNETES_SERVICE_HOST").is_none() {
        return Ok(None);
    }
    let unusable = |error| {
        kubeconfig_error(format!(
            "the service account of this pod cannot be used: {}; name a kubeconfig with --kubeconfig, or mount the token",
            chain(&error)
        ))
    };
    let mut config = Config::incluster().map_err(unusable)?;
    config.default_retry = false;
    Ok(Some(config))
}

fn list(what: &str, names: &[&str]) -> String {
    if names.is_empty() {
        format!("it has no {what}")
    } else {
        format!("its {what} are {}", names.join(", "))
    }
}

fn read_file(path: &Path) -> Result<Kubeconfig, ClusterError> {
    // Opened here first: the system's error is more precise than that of the parser.
    std::fs::File::open(path).map_err(|error| {
        kubeconfig_error(format!(
            "cannot read the kubeconfig {}: {error}; name another with --kubeconfig",
            path.display()
        ))
    })?;
    Kubeconfig::read_from(path).map_err(|error| {
        kubeconfig_error(format!("{} is no kubeconfig: {}", path.display(), chain(&error)))
    })
}

fn no_kubeconfig() -> ClusterError {
    kubeconfig_error(
        "there is no kubeconfig, neither in KUBECONFIG nor as ~/.kube/config: name one with --kubeconfig",
    )
}

fn kubeconfig_error(why: impl Display) -> ClusterError {
    ClusterError::Kubeconfig(why.to_string())
}

#[cfg(test)]
mod tests;
