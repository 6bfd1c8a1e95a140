//! Flags of the stand-in for etcd: three are honoured, all others are accepted and have no effect.

use std::ffi::OsString;
use std::path::PathBuf;

/// What `--version` prints.
pub(crate) const VERSION: &str = concat!("etcd stand-in of ratchet ", env!("CARGO_PKG_VERSION"));

/// What `--help` prints; envtest looks here for `--unsafe-no-fsync`.
pub(crate) const HELP: &str = "\
Stand-in for etcd in tests with envtest: answers /health, and lends its data directory to a kube-apiserver of ratchet.

Usage: etcd [flags]

Flags:
  --listen-client-urls 'http://localhost:2379'
        URLs to listen on, separated by commas. Only http is supported.
  --data-dir 'default.etcd'
        Directory in which kube-apiserver stores everything.
  --unsafe-no-fsync 'false'
        Do not wait until data is on the disk. Tests are faster with it.

All other flags of etcd are accepted and have no effect.
";

const DEFAULT_LISTEN: &str = "http://localhost:2379";
const DEFAULT_DATA_DIR: &str = "default.etcd";

/// What a command line asks for.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Command {
    /// Print the help.
    Help,
    /// Print the version.
    Version,
    /// Listen.
    Run(Flags),
}

/// The flags that have an effect.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Flags {
    /// `host:port` of every client URL.
    pub(crate) listen: Vec<String>,
    pub(crate) data_dir: PathBuf,
    /// Whether commits must be on the disk before they count.
    pub(crate) flush: bool,
}

/// Parses a command line as Go's flag package does: one or two dashes, the value after `=` or in the next argument.
pub(crate) fn parse(arguments: impl Iterator<Item = OsString>) -> Result<Command, String> {
    let mut urls = DEFAULT_LISTEN.to_owned();
    let mut data_dir = PathBuf::from(DEFAULT_DATA_DIR);
    let mut flush = true;
    let mut arguments = arguments.peekable();
    while let Some(argument) = arguments.next() {
        let text = argument.to_string_lossy();
        let Some(flag) = text.strip_prefix("--").or_else(|| text.strip_prefix('-')) else {
            return Err(format!("{text:?} is not a valid flag"));
        };
        let (name, given) = match flag.split_once('=') {
            Some((name, value)) => (name, Some(value.to_owned())),
            None => (flag, None),
        };
        // A value of its own; that of a boolean flag is always joined to it.
        let mut value = || match &given {
            Some(value) => Ok(value.clone()),
            None => {
                let next = arguments.next_if(|next| !next.to_string_lossy().starts_with('-'));
                next.map(|next| next.to_string_lossy().into_owned())
                    .ok_or_else(|| format!("flag needs an argument: --{name}"))
            }
        };
        match name {
            "h" | "help" => return Ok(Command::Help),
            "version" => return Ok(Command::Version),
            "listen-client-urls" => urls = value()?,
            "data-dir" => data_dir = value()?.into(),
            "unsafe-no-fsync" => flush = given.as_deref() == Some("false"),
            _ => drop(value()),
        }
    }
    let listen = urls.split(',').map(address).collect::<Result<_, _>>()?;
    Ok(Command::Run(Flags { listen, data_dir, flush }))
}

/// `host:port` of a URL.
fn address(url: &str) -> Result<String, String> {
    let Some(address) = url.trim().strip_prefix("http://") else {
        return Err(format!(
            "cannot listen on {url:?}: this stand-in for etcd supports http://HOST:PORT only"
        ));
    };
    let address = address.trim_end_matches('/');
    match address.rsplit_once(':').map(|(_, port)| port.parse::<u16>()) {
        Some(Ok(_)) => Ok(address.to_owned()),
        _ => Err(format!("cannot listen on {url:?}: it has no port")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(arguments: &[&str]) -> Result<Command, String> {
        parse(arguments.iter().map(OsString::from))
    }

    fn flags(listen: &[&str], data_dir: &str, flush: bool) -> Result<Command, String> {
        let listen = listen.iter().map(|address| (*address).to_owned()).collect();
        Ok(Command::Run(Flags { listen, data_dir: data_dir.into(), flush }))
    }

    #[test]
    fn flags_are_read_as_go_reads_them() {
        assert_eq!(parsed(&[]), flags(&["localhost:2379"], "default.etcd", true));
        let envtest = [
            "--advertise-client-urls=http://127.0.0.1:1",
            "--data-dir=/tmp/x",
            "--listen-client-urls=http://127.0.0.1:1",
            "--listen-peer-urls=http://127.0.0.1:2",
            "--unsafe-no-fsync=true",
        ];
        assert_eq!(parsed(&envtest), flags(&["127.0.0.1:1"], "/tmp/x", false));
        let apart =
            ["-data-dir", "d", "--name", "n", "--unsafe-no-fsync", "--quota-backend-bytes", "5"];
        assert_eq!(parsed(&apart), flags(&["localhost:2379"], "d", false));
        let two = ["--listen-client-urls", "http://127.0.0.1:1,http://[::1]:2/", "--pre-vote"];
        assert_eq!(parsed(&two), flags(&["127.0.0.1:1", "[::1]:2"], "default.etcd", true));
        assert_eq!(
            parsed(&["--unsafe-no-fsync=false"]),
            flags(&["localhost:2379"], "default.etcd", true)
        );
        assert_eq!(parsed(&["--data-dir=d", "--help"]), Ok(Command::Help));
        assert_eq!(parsed(&["--version"]), Ok(Command::Version));
    }

    #[test]
    fn what_cannot_be_done_is_said() {
        for (arguments, expected) in [
            (&["--data-dir"][..], "flag needs an argument: --data-dir"),
            (&["member"], "\"member\" is not a valid flag"),
            (
                &["--listen-client-urls=https://127.0.0.1:1"],
                "cannot listen on \"https://127.0.0.1:1\": this stand-in for etcd supports http://HOST:PORT only",
            ),
            (
                &["--listen-client-urls=http://127.0.0.1"],
                "cannot listen on \"http://127.0.0.1\": it has no port",
            ),
        ] {
            assert_eq!(parsed(arguments), Err(expected.to_owned()));
        }
    }

    #[test]
    fn envtest_finds_its_flag_in_the_help() {
        // The pattern of envtest: ^\s*--unsafe-no-fsync\b
        assert!(HELP.lines().any(|line| line.trim_start().starts_with("--unsafe-no-fsync ")));
    }
}
