//! The flags of etcd as the configuration of a store.

use super::args::StorageArgs;
use ratchet_etcd::EtcdConfig;

/// The configuration, if the flags name etcd; an error if they do not fit together.
pub(crate) fn resolve(args: &StorageArgs) -> Result<Option<EtcdConfig>, String> {
    if args.etcd_servers.is_empty() {
        return Ok(None);
    }
    let client_files = match (args.etcd_certfile.clone(), args.etcd_keyfile.clone()) {
        (Some(certificate), Some(key)) => Some((certificate, key)),
        (None, None) => None,
        (Some(_), None) => return Err("--etcd-certfile needs --etcd-keyfile".to_owned()),
        (None, Some(_)) => return Err("--etcd-keyfile needs --etcd-certfile".to_owned()),
    };
    if args.etcd_prefix.trim_matches('/').is_empty() {
        return Err("--etcd-prefix must name a part of etcd, such as /registry".to_owned());
    }
    Ok(Some(EtcdConfig {
        ca_file: args.etcd_cafile.clone(),
        client_files,
        prefix: args.etcd_prefix.clone(),
        ..EtcdConfig::new(args.etcd_servers.iter().map(|url| url.trim()))
    }))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::args::{Args, Command};
    use clap::Parser;

    fn resolved(flags: &[&str]) -> Result<Option<EtcdConfig>, String> {
        let args = Args::try_parse_from(["ratchet", "serve"].iter().chain(flags)).unwrap();
        let Command::Serve(args) = args.command else { panic!("serve") };
        resolve(&args.storage)
    }

    #[test]
    fn flags_of_etcd_fit_together() {
        assert_eq!(resolved(&[]), Ok(None));
        let config = resolved(&[
            "--etcd-servers=https://a:2379, https://b:2379",
            "--etcd-cafile=ca.crt",
            "--etcd-certfile=c.crt",
            "--etcd-keyfile=c.key",
            "--etcd-prefix=/one",
        ]);
        let config = config.unwrap().unwrap();
        assert_eq!(config.endpoints, ["https://a:2379", "https://b:2379"]);
        assert_eq!(config.client_files, Some(("c.crt".into(), "c.key".into())));
        assert_eq!((config.root.as_str(), config.prefix.as_str()), ("/registry", "/one"));
        let servers = "--etcd-servers=http://a:2379";
        assert!(resolved(&[servers, "--etcd-certfile=c"]).is_err());
        assert!(resolved(&[servers, "--etcd-keyfile=c"]).is_err());
        assert!(resolved(&[servers, "--etcd-prefix=/"]).is_err());
    }
}
