//! `Endpoint`: one side of a copy, a data directory or an etcd.

use super::location::DataDir;
use clap::Args as ClapArgs;
use ratchet_etcd::{EtcdConfig, EtcdStore};
use ratchet_store::Store;
use std::error::Error;
use std::path::PathBuf;

/// Flags of etcd, as those of ratchet serve.
#[derive(ClapArgs, Debug)]
pub(super) struct EtcdArgs {
    /// Prefix of all keys in etcd.
    #[arg(long, value_name = "PREFIX", default_value = "/registry")]
    etcd_prefix: String,

    /// File with the certificate authorities of etcd.
    #[arg(long, value_name = "FILE")]
    etcd_cafile: Option<PathBuf>,

    /// File with the client certificate for etcd.
    #[arg(long, value_name = "FILE", requires = "etcd_keyfile")]
    etcd_certfile: Option<PathBuf>,

    /// File with the key of the client certificate for etcd.
    #[arg(long, value_name = "FILE", requires = "etcd_certfile")]
    etcd_keyfile: Option<PathBuf>,
}

/// One side of a copy.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Endpoint {
    DataDir(PathBuf),
    /// URLs of members.
    Etcd(Vec<String>),
}

impl Endpoint {
    /// Parses a path, `http://HOST:PORT,…`, `https://…`, or `etcd://HOST:PORT,…`, which is the first.
    pub(super) fn parse(text: &str) -> Result<Self, String> {
        let is_url = ["http://", "https://", "etcd://"].iter().any(|start| text.starts_with(start));
        if !is_url {
            return match text {
                "" => Err("the path is empty".to_owned()),
                path => Ok(Self::DataDir(path.into())),
            };
        }
        let scheme = text.split_once("://").map_or("", |(scheme, _)| scheme);
        let scheme = if scheme == "etcd" { "http" } else { scheme };
        let url = |member: &str| match member.split_once("://") {
            Some(("etcd", address)) => format!("http://{address}"),
            Some(_) => member.to_owned(),
            None => format!("{scheme}://{member}"),
        };
        Ok(Self::Etcd(text.split(',').map(url).collect()))
    }

    /// Opens the store, which must be there.
    pub(super) async fn open(&self, args: &EtcdArgs) -> Result<Box<dyn Store>, Box<dyn Error>> {
        Ok(match self {
            Self::DataDir(path) => Box::new(DataDir::new(path).open()?),
            Self::Etcd(members) => connect(members, args).await?,
        })
    }

    /// Opens the store, an empty one if there is none.
    pub(super) async fn open_or_create(
        &self,
        args: &EtcdArgs,
    ) -> Result<Box<dyn Store>, Box<dyn Error>> {
        Ok(match self {
            Self::DataDir(path) => Box::new(DataDir::new(path).open_or_create()?),
            Self::Etcd(members) => connect(members, args).await?,
        })
    }
}

async fn connect(members: &[String], args: &EtcdArgs) -> Result<Box<dyn Store>, Box<dyn Error>> {
    let config = EtcdConfig {
        ca_file: args.etcd_cafile.clone(),
        client_files: args.etcd_certfile.clone().zip(args.etcd_keyfile.clone()),
        prefix: args.etcd_prefix.clone(),
        ..EtcdConfig::new(members.iter().cloned())
    };
    Ok(Box::new(EtcdStore::connect(config).await?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn directories_and_urls_are_told_apart() {
        let etcd =
            |urls: &[&str]| Ok(Endpoint::Etcd(urls.iter().map(|url| (*url).to_owned()).collect()));
        assert_eq!(Endpoint::parse("/var/lib"), Ok(Endpoint::DataDir("/var/lib".into())));
        assert_eq!(Endpoint::parse("data"), Ok(Endpoint::DataDir("data".into())));
        Endpoint::parse("").unwrap_err();
        assert_eq!(Endpoint::parse("etcd://a:1"), etcd(&["http://a:1"]));
        assert_eq!(Endpoint::parse("etcd://a:1,b:2"), etcd(&["http://a:1", "http://b:2"]));
        assert_eq!(Endpoint::parse("https://a:1,b:2"), etcd(&["https://a:1", "https://b:2"]));
        let two = "https://a:1,https://b:2";
        assert_eq!(Endpoint::parse(two), etcd(&["https://a:1", "https://b:2"]));
    }
}
