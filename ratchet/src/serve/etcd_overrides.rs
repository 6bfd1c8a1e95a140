//! `--etcd-servers-overrides`: other etcds for some resources, with kube-apiserver's format and errors.

use super::args::StorageArgs;
use ratchet_etcd::EtcdConfig;
use std::collections::BTreeSet;

/// An etcd that has the objects of some resources.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Override {
    /// The prefixes of their keys.
    pub(crate) prefixes: Vec<String>,
    pub(crate) config: EtcdConfig,
}

/// The error of kube-apiserver.
const INVALID: &str = "--etcd-servers-overrides invalid, must be of format: group/resource#servers, where servers are URLs, semicolon separated";

/// The group, the resource and the servers of an override; none if it is malformed.
fn parse(text: &str) -> Option<(&str, &str, Vec<&str>)> {
    let (resource, servers) = text.split_once('#').filter(|(_, servers)| !servers.contains('#'))?;
    let (group, resource) =
        resource.split_once('/').filter(|(_, resource)| !resource.contains('/'))?;
    Some((group, resource, servers.split(';').collect()))
}

/// The errors of malformed overrides, one for each.
pub(crate) fn refusals(args: &StorageArgs) -> Vec<String> {
    let overrides = args.etcd_servers_overrides.iter();
    overrides.filter(|text| parse(text).is_none()).map(|_| INVALID.to_owned()).collect()
}

/// The etcds beside the main one. Overrides of the same servers are one, what names the servers of the main one needs no
/// other, and the last one of a resource counts; a whole group (`apps/*`) yields to its resources.
pub(crate) fn resolve(args: &StorageArgs, main: &EtcdConfig) -> Vec<Override> {
    let mut overrides: Vec<Override> = Vec::new();
    let parsed = || args.etcd_servers_overrides.iter().filter_map(|text| parse(text));
    let (groups, single): (Vec<_>, Vec<_>) =
        parsed().partition(|(_, resource, _)| *resource == "*");
    for (group, resource, servers) in groups.into_iter().chain(single) {
        let prefixes = ratchet_server::key_prefixes(group, resource);
        if prefixes.is_empty() {
            tracing::warn!(
                "--etcd-servers-overrides: {group}/{resource} has no effect: no resource that is built in is stored \
                 under this name"
            );
            continue;
        }
        for other in &mut overrides {
            other.prefixes.retain(|prefix| !prefixes.contains(prefix));
        }
        let endpoints: Vec<String> = servers.into_iter().map(|url| url.trim().to_owned()).collect();
        let config = EtcdConfig { endpoints, ..main.clone() };
        if members(&config) == members(main) {
            continue;
        }
        match overrides.iter_mut().find(|other| members(&other.config) == members(&config)) {
            Some(other) => other.prefixes.extend(prefixes),
            None => overrides.push(Override { prefixes, config }),
        }
    }
    overrides.retain(|each| !each.prefixes.is_empty());
    overrides
}

/// The members of an etcd in no order.
fn members(config: &EtcdConfig) -> BTreeSet<&str> {
    config.endpoints.iter().map(|url| url.trim_end_matches('/')).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::args::{Args, Command};
    use clap::Parser;

    fn storage(overrides: &str) -> StorageArgs {
        let flag = format!("--etcd-servers-overrides={overrides}");
        let args = ["ratchet", "serve", "--etcd-servers=http://m:2379", &flag];
        let Command::Serve(args) = Args::try_parse_from(args).unwrap().command else {
            panic!("serve")
        };
        args.storage
    }

    fn resolved(overrides: &str) -> Vec<(Vec<String>, Vec<String>)> {
        let args = storage(overrides);
        let main = EtcdConfig::new(["http://m:2379"]);
        let found = resolve(&args, &main).into_iter();
        found.map(|each| (each.config.endpoints, each.prefixes)).collect()
    }

    fn texts(texts: &[&str]) -> Vec<String> {
        texts.iter().map(|text| (*text).to_owned()).collect()
    }

    #[test]
    fn malformed_overrides_are_refused_in_the_words_of_the_reference() {
        for text in ["/events", "/events#a#b", "events#http://a", "a/b/c#http://a", "#"] {
            assert_eq!(refusals(&storage(text)), [INVALID], "{text}");
        }
        let two = "/events/http://127.0.0.1:4002,x,/pods#http://a:1";
        assert_eq!(refusals(&storage(two)), [INVALID; 2]);
        assert!(refusals(&storage("/events#http://a:1;http://b:1")).is_empty());
    }

    #[test]
    fn resources_of_the_same_servers_share_a_store() {
        let text = "/events#http://a:1;http://b:1,coordination.k8s.io/leases#http://b:1;http://a:1/,\
                    /pods#http://c:1,/nodes#http://m:2379,example.com/widgets#http://d:1";
        let expected = [
            (
                texts(&["http://a:1", "http://b:1"]),
                texts(&["/registry/events/", "/registry/leases.coordination.k8s.io/"]),
            ),
            (texts(&["http://c:1"]), texts(&["/registry/pods/"])),
        ];
        assert_eq!(resolved(text), expected);
    }

    #[test]
    fn a_resource_counts_more_than_its_group_and_the_last_most() {
        let found = resolved(
            "coordination.k8s.io/leases#http://b:1,coordination.k8s.io/*#http://a:1,/events#http://a:1,/events#http://b:1",
        );
        let has = |url: &str, prefix: &str| {
            found.iter().any(|(urls, prefixes)| {
                urls.contains(&url.to_owned()) && prefixes.contains(&prefix.to_owned())
            })
        };
        assert!(has("http://b:1", "/registry/leases.coordination.k8s.io/"));
        assert!(!has("http://a:1", "/registry/leases.coordination.k8s.io/"));
        assert!(has("http://b:1", "/registry/events/") && !has("http://a:1", "/registry/events/"));
    }
}
