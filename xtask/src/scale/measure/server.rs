//! A server that is measured.

use super::load_report::{Figures, LoadReport};
use crate::scale::options::MeasureOptions;
use crate::server_process::ServerProcess;
use anyhow::{Context, Result};
use std::process::Command;

/// Limits that let thousands of watches of one user in; the report says what a cluster needs of them.
const FLAGS: &[&str] =
    &["--max-long-running-requests=20000", "--max-long-running-requests-per-user=20000"];

/// The server with the options that it is measured with.
pub(super) struct MeasuredServer<'o> {
    options: &'o MeasureOptions,
    process: ServerProcess,
}

impl<'o> MeasuredServer<'o> {
    pub(super) fn start(options: &'o MeasureOptions) -> Result<Self> {
        let mut flags: Vec<String> = FLAGS.iter().map(|flag| (*flag).to_owned()).collect();
        flags.extend(options.etcd.as_ref().map(|etcd| format!("--etcd-servers={etcd}")));
        let launcher = Command::new(&options.binary);
        let process = ServerProcess::start(launcher, &flags, options.tool.as_deref())?;
        Ok(Self { options, process })
    }

    /// Runs one profile.
    pub(super) fn profile(&self, name: &str, args: &[&str]) -> Result<Figures> {
        println!("measuring {name} {}", args.join(" "));
        let mut args: Vec<String> = args.iter().map(|arg| (*arg).to_owned()).collect();
        args.push(format!("--profile={name}"));
        let port = self.options.etcd.as_deref().and_then(store_port);
        args.extend(port.map(|port| format!("--store-port={port}")));
        let args: Vec<&str> = args.iter().map(String::as_str).collect();
        let report: LoadReport = serde_json::from_slice(&self.process.load(&args)?)
            .context("the load tool's report cannot be read")?;
        let row = report.profiles.into_iter().next().context("no profile ran")?;
        row.servers.into_iter().next().context("a profile has no figures")
    }
}

/// The port of an etcd's URL.
fn store_port(url: &str) -> Option<&str> {
    let (_, port) = url.trim_end_matches('/').rsplit_once(':')?;
    port.parse::<u16>().is_ok().then_some(port)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_port_of_an_etcd_is_that_of_its_url() {
        assert_eq!(store_port("http://127.0.0.1:2379"), Some("2379"));
        assert_eq!(store_port("http://127.0.0.1:2379/"), Some("2379"));
        assert_eq!(store_port("http://example.com"), None);
    }
}
