//! The command line.

use crate::credentials::{ClientIdentity, Credentials};
use crate::endpoint::Endpoint;
use crate::kubeconfig;
use crate::profile::{PROFILES, Profile};
use crate::resource::Resource;
use anyhow::{Context, Result, bail, ensure};
use clap::{Args, Parser, ValueEnum};
use std::path::{Path, PathBuf};

/// Loads a Kubernetes API server and measures it: rates, latencies, errors, lost and late events, CPU and memory
#[derive(Debug, Parser)]
#[command(name = "api-load", version, after_help = profiles_help())]
pub struct LoadArgs {
    #[command(flatten)]
    pub(crate) targets: TargetArgs,
    /// Profiles to run, separated by commas; all of them by default
    #[arg(long = "profile", value_delimiter = ',', value_name = "NAME")]
    pub(crate) profiles: Vec<String>,
    /// What is written and read: configmaps or pods
    #[arg(long, default_value = "configmaps")]
    pub(crate) resource: String,
    /// Clients at once, each with a connection of its own; the writers of watch-churn too
    #[arg(long, default_value_t = 64, value_parser = clap::value_parser!(u32).range(1..=100_000))]
    pub(crate) clients: u32,
    /// Seconds of each profile, round and server
    #[arg(long, default_value_t = 10.0, value_parser = parse_seconds)]
    pub(crate) seconds: f64,
    /// Rounds of each profile; two servers take turns
    #[arg(long, default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..=1000))]
    pub(crate) rounds: u32,
    /// Objects that get, list, delete and create-list find
    #[arg(long, default_value_t = 1000, value_parser = clap::value_parser!(u32).range(1..=999_999))]
    pub(crate) objects: u32,
    /// Objects on a page of a list
    #[arg(long, default_value_t = 500, value_parser = clap::value_parser!(u32).range(1..=100_000))]
    pub(crate) page: u32,
    /// Watchers of watch-churn
    #[arg(long, default_value_t = 100, value_parser = clap::value_parser!(u32).range(1..=100_000))]
    pub(crate) watchers: u32,
    /// Writes a second of watch-churn
    #[arg(long, default_value_t = 100, value_parser = clap::value_parser!(u32).range(1..=100_000))]
    pub(crate) rate: u32,
    /// An event is late so many milliseconds after its write began
    #[arg(long, default_value_t = 250, value_name = "MILLISECONDS")]
    pub(crate) late: u32,
    /// Leaves the namespaces and objects of the run
    #[arg(long)]
    pub(crate) keep: bool,
    /// Form of the report
    #[arg(short, long, value_enum, default_value_t = OutputFormat::Text)]
    pub(crate) output: OutputFormat,
}

/// The form of the report.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum OutputFormat {
    /// Tables for people.
    Text,
    /// One JSON object.
    Json,
}

/// One server or two, and the credentials for them.
#[derive(Args, Debug, Default)]
pub struct TargetArgs {
    #[command(flatten)]
    pub(crate) server: ServerArgs,
    #[command(flatten)]
    compare: CompareArgs,
}

/// The server and the credentials for it.
#[derive(Args, Debug, Default)]
pub(crate) struct ServerArgs {
    /// URL of the server, as https://127.0.0.1:6443
    #[arg(long, value_name = "URL")]
    pub(crate) server: Option<String>,
    /// Kubeconfig with server and credentials; flags beside it take precedence
    #[arg(long, value_name = "FILE")]
    kubeconfig: Option<PathBuf>,
    /// Context of the kubeconfig; the current one by default
    #[arg(long, value_name = "NAME", requires = "kubeconfig")]
    context: Option<String>,
    /// Client certificate, PEM
    #[arg(long, value_name = "FILE", requires = "client_key")]
    client_certificate: Option<PathBuf>,
    /// Key of the client certificate, PEM
    #[arg(long, value_name = "FILE", requires = "client_certificate")]
    client_key: Option<PathBuf>,
    /// Authorities of the server's certificate, PEM; those of the system by default
    #[arg(long, value_name = "FILE")]
    certificate_authority: Option<PathBuf>,
    /// Accepts every certificate of the server
    #[arg(long)]
    insecure_skip_tls_verify: bool,
    /// Bearer token
    #[arg(long)]
    token: Option<String>,
    /// Port on this machine of a process that stores for the server, such as etcd: its CPU and memory are told too
    #[arg(long, value_name = "PORT")]
    store_port: Vec<u16>,
}

/// The second server and the credentials for it.
#[derive(Args, Debug, Default)]
struct CompareArgs {
    /// URL of a second server, which runs in turn with the first; with its credentials unless it has its own
    #[arg(id = "compare_server", long = "compare", value_name = "URL")]
    server: Option<String>,
    /// Kubeconfig of the second server
    #[arg(id = "compare_kubeconfig", long = "compare-kubeconfig", value_name = "FILE")]
    kubeconfig: Option<PathBuf>,
    /// Context of that kubeconfig
    #[arg(id = "compare_context", long = "compare-context", value_name = "NAME")]
    context: Option<String>,
    /// Client certificate for the second server
    #[arg(
        id = "compare_client_certificate",
        long = "compare-client-certificate",
        value_name = "FILE"
    )]
    client_certificate: Option<PathBuf>,
    /// Key of that certificate
    #[arg(id = "compare_client_key", long = "compare-client-key", value_name = "FILE")]
    client_key: Option<PathBuf>,
    /// Authorities of the second server's certificate
    #[arg(
        id = "compare_certificate_authority",
        long = "compare-certificate-authority",
        value_name = "FILE"
    )]
    certificate_authority: Option<PathBuf>,
    /// Accepts every certificate of the second server
    #[arg(id = "compare_insecure_skip_tls_verify", long = "compare-insecure-skip-tls-verify")]
    insecure_skip_tls_verify: bool,
    /// Bearer token for the second server
    #[arg(id = "compare_token", long = "compare-token", value_name = "TOKEN")]
    token: Option<String>,
    /// Port on this machine of a process that stores for the second server
    #[arg(id = "compare_store_port", long = "compare-store-port", value_name = "PORT")]
    store_port: Vec<u16>,
}

/// A server that is loaded, and the ports of the processes behind it.
pub(crate) struct ServerTarget {
    pub(crate) endpoint: Endpoint,
    pub(crate) store_ports: Vec<u16>,
}

impl LoadArgs {
    /// The form of the report.
    pub fn output(&self) -> OutputFormat {
        self.output
    }

    /// The profiles in the order in which they were named.
    pub(crate) fn selected_profiles(&self) -> Result<Vec<&'static Profile>> {
        if self.profiles.is_empty() {
            return Ok(PROFILES.iter().collect());
        }
        self.profiles.iter().map(|name| Profile::named(name)).collect()
    }

    pub(crate) fn selected_resource(&self) -> Result<&'static Resource> {
        Resource::named(&self.resource)
    }

    /// The server, and the second one if there is one.
    pub(crate) fn targets(&self) -> Result<Vec<ServerTarget>> {
        self.targets.resolve()
    }
}

impl TargetArgs {
    /// The addresses of the server and of the second one, if there is one.
    pub fn endpoints(&self) -> Result<Vec<Endpoint>> {
        Ok(self.resolve()?.into_iter().map(|target| target.endpoint).collect())
    }

    /// The server, and the second one if there is one.
    fn resolve(&self) -> Result<Vec<ServerTarget>> {
        let (url, credentials) = self.server.resolve()?;
        let mut targets = vec![ServerTarget {
            endpoint: Endpoint::new(&url, &credentials)?,
            store_ports: self.server.store_port.clone(),
        }];
        let compare = self.compare.as_server();
        if compare.server.is_some() || compare.kubeconfig.is_some() {
            let (url, own) = compare.resolve()?;
            targets.push(ServerTarget {
                endpoint: Endpoint::new(&url, &own.or(credentials))?,
                store_ports: compare.store_port,
            });
        } else if compare.has_credentials() || !compare.store_port.is_empty() {
            bail!("there is no second server: give its URL with --compare");
        }
        Ok(targets)
    }
}

impl CompareArgs {
    fn as_server(&self) -> ServerArgs {
        ServerArgs {
            server: self.server.clone(),
            kubeconfig: self.kubeconfig.clone(),
            context: self.context.clone(),
            client_certificate: self.client_certificate.clone(),
            client_key: self.client_key.clone(),
            certificate_authority: self.certificate_authority.clone(),
            insecure_skip_tls_verify: self.insecure_skip_tls_verify,
            token: self.token.clone(),
            store_port: self.store_port.clone(),
        }
    }
}

impl ServerArgs {
    fn has_credentials(&self) -> bool {
        self.kubeconfig.is_some()
            || self.client_certificate.is_some()
            || self.client_key.is_some()
            || self.certificate_authority.is_some()
            || self.token.is_some()
            || self.insecure_skip_tls_verify
    }

    /// The URL and the credentials, those of the kubeconfig where no flag says otherwise.
    fn resolve(&self) -> Result<(String, Credentials)> {
        let (url, mut credentials) = match &self.kubeconfig {
            Some(file) => {
                let (url, credentials) = kubeconfig::read(file, self.context.as_deref())?;
                (Some(url), credentials)
            }
            None => (None, Credentials::default()),
        };
        let url = self.server.clone().or(url);
        let url = url.context("there is no server: give --server URL or --kubeconfig FILE")?;
        match (&self.client_certificate, &self.client_key) {
            (Some(certificate), Some(key)) => {
                let (certificate, key) = (read(certificate)?, read(key)?);
                credentials.identity = Some(ClientIdentity { certificate, key });
            }
            (None, None) => {}
            _ => bail!("a client certificate and its key belong together"),
        }
        if let Some(authority) = &self.certificate_authority {
            credentials.authority = Some(read(authority)?);
        }
        if let Some(token) = &self.token {
            ensure!(!token.trim().is_empty(), "the token is empty");
            credentials.token = Some(token.trim().to_owned());
        }
        credentials.is_insecure |= self.insecure_skip_tls_verify;
        Ok((url, credentials))
    }
}

fn read(file: &Path) -> Result<Vec<u8>> {
    std::fs::read(file).with_context(|| format!("cannot read {}", file.display()))
}

fn parse_seconds(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(seconds) if (0.1..=86_400.0).contains(&seconds) => Ok(seconds),
        _ => Err("seconds are a number from 0.1 to 86400".to_owned()),
    }
}

fn profiles_help() -> String {
    let width = PROFILES.iter().map(|profile| profile.name.len()).max().unwrap_or_default();
    let rows = PROFILES.iter().map(|row| format!("  {:width$}  {}\n", row.name, row.about));
    format!(
        "Profiles:\n{}\nExit status: 0 without errors and lost events, 1 with them, 2 if it cannot run.",
        rows.collect::<String>()
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(args: &[&str]) -> Result<LoadArgs, String> {
        let args = std::iter::once(&"api-load").chain(args);
        LoadArgs::try_parse_from(args).map_err(|error| error.to_string())
    }

    fn targets(args: &[&str]) -> Result<Vec<String>, String> {
        let targets = parsed(args).unwrap().targets().map_err(|error| format!("{error:#}"))?;
        Ok(targets.iter().map(|target| target.endpoint.url().to_owned()).collect())
    }

    #[test]
    fn two_servers_may_share_credentials() {
        let args = ["--server", "https://a", "--token", "t", "--compare", "https://b"];
        assert_eq!(targets(&args).unwrap(), ["https://a", "https://b"]);
        let both = parsed(&args).unwrap().targets().unwrap();
        let tokens: Vec<_> = both.iter().map(|target| target.endpoint.token()).collect();
        assert_eq!(tokens, [Some("t"), Some("t")]);
        // Whom to believe is another question than who asks.
        let insecure = [&args[..], &["--compare-insecure-skip-tls-verify"]].concat();
        let both = parsed(&insecure).unwrap().targets().unwrap();
        assert_eq!(both[1].endpoint.token(), Some("t"));
        let own = [&args[..], &["--compare-token", "u"]].concat();
        assert_eq!(parsed(&own).unwrap().targets().unwrap()[1].endpoint.token(), Some("u"));
    }

    #[test]
    fn what_is_missing_or_wrong_is_named() {
        for (args, why) in [
            (vec![], "there is no server: give --server URL or --kubeconfig FILE"),
            (vec!["--server", "x"], "\"x\" begins neither with https:// nor with http://"),
            (vec!["--server", "https://a", "--token", " "], "the token is empty"),
            (
                vec!["--server", "https://a", "--compare-token", "t"],
                "there is no second server: give its URL with --compare",
            ),
            (
                vec![
                    "--server",
                    "https://a",
                    "--compare",
                    "https://b",
                    "--compare-client-key",
                    "k",
                ],
                "a client certificate and its key belong together",
            ),
        ] {
            assert_eq!(targets(&args).unwrap_err(), why);
        }
        let error = targets(&["--kubeconfig", "/no/such/file"]).unwrap_err();
        assert!(error.starts_with("cannot read kubeconfig /no/such/file: "), "{error}");
    }

    #[test]
    fn arguments_out_of_range_are_refused() {
        for (args, why) in [
            (vec!["--clients", "0"], "0 is not in 1..=100000"),
            (vec!["--seconds", "0"], "seconds are a number from 0.1 to 86400"),
            (vec!["--seconds", "soon"], "seconds are a number from 0.1 to 86400"),
            (vec!["--rate", "-1"], "unexpected argument '-1'"),
            (vec!["--output", "xml"], "invalid value 'xml'"),
            (vec!["--client-certificate", "a"], "--client-key <FILE>"),
            (vec!["--speed", "9"], "unexpected argument '--speed'"),
        ] {
            let error = parsed(&args).unwrap_err();
            assert!(error.contains(why), "{args:?}: {error}");
        }
    }

    #[test]
    fn profiles_and_resources_are_those_of_the_tables() {
        let args = parsed(&["--profile", "get,watch-churn"]).unwrap();
        let names: Vec<_> = args.selected_profiles().unwrap().iter().map(|p| p.name).collect();
        assert_eq!(names, ["get", "watch-churn"]);
        assert_eq!(parsed(&[]).unwrap().selected_profiles().unwrap().len(), PROFILES.len());
        let unknown = parsed(&["--profile", "get,fly"]).unwrap().selected_profiles();
        let error = unknown.err().unwrap().to_string();
        assert!(error.ends_with("watch-churn, not \"fly\""), "{error}");
        let error = parsed(&["--resource", "x"]).unwrap().selected_resource().err().unwrap();
        assert!(error.to_string().contains("configmaps, pods"), "{error}");
    }
}
