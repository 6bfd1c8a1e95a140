//! Controller settings from flags, with kube-controller-manager's error messages.

use super::args::{ControllerArgs, LeaderElect};
use super::values::GoDuration;
use ratchet_allocation::{MaskSizes, NodeRanges};
use ratchet_controllers::{Election, Selection, Settings};

/// The settings that flags determine; a running server adds the rest.
pub(crate) fn resolve(args: &ControllerArgs, services: &[String]) -> Result<Settings, String> {
    let chosen: Vec<_> = args.controllers.iter().filter(|text| !text.is_empty()).collect();
    let chosen: Vec<_> = chosen.into_iter().map(String::as_str).collect();
    Ok(Settings {
        selection: Selection::parse(&chosen.join(","))?,
        node_ranges: node_ranges(args, services)?,
        election: election(args, false)?,
        ..Settings::default()
    })
}

/// Node ranges are allocated if `--cluster-cidr` is given, unless `--allocate-node-cidrs` says otherwise.
fn node_ranges(args: &ControllerArgs, services: &[String]) -> Result<Option<NodeRanges>, String> {
    let cluster = args.cluster_cidr.as_deref().unwrap_or_default();
    if !args.allocate_node_cidrs.unwrap_or(!cluster.is_empty()) {
        return Ok(None);
    }
    let sizes = MaskSizes {
        any: size("node-cidr-mask-size", args.node_cidr_mask_size)?,
        v4: size("node-cidr-mask-size-ipv4", args.node_cidr_mask_size_ipv4)?,
        v6: size("node-cidr-mask-size-ipv6", args.node_cidr_mask_size_ipv6)?,
    };
    NodeRanges::new(cluster, sizes, services).map(Some)
}

/// A mask size; zero means unset.
fn size(flag: &str, number: i64) -> Result<Option<u8>, String> {
    let size =
        u8::try_from(number).map_err(|_| format!("--{flag} {number} is no prefix length"))?;
    Ok((size > 0).then_some(size))
}

/// Leader election settings; `auto` means none unless servers share the store.
pub(crate) fn election(args: &ControllerArgs, is_shared: bool) -> Result<Option<Election>, String> {
    match args.leader_elect {
        LeaderElect::False => return Ok(None),
        LeaderElect::Auto if !is_shared => return Ok(None),
        LeaderElect::Auto | LeaderElect::True => {}
    }
    let length = |span: GoDuration| {
        if span.is_negative() { std::time::Duration::ZERO } else { span.length() }
    };
    let election = Election {
        namespace: args.leader_elect_resource_namespace.clone(),
        name: args.leader_elect_resource_name.clone(),
        identity: identity(),
        lease: length(args.leader_elect_lease_duration),
        renew: length(args.leader_elect_renew_deadline),
        retry: length(args.leader_elect_retry_period),
    };
    match election.refusal() {
        Some(why) => Err(why.to_owned()),
        None => Ok(Some(election)),
    }
}

/// The leader election identity: the host name and a random suffix.
fn identity() -> String {
    let host = std::fs::read_to_string("/proc/sys/kernel/hostname").unwrap_or_default();
    let mut random = [0_u8; 16];
    // Without random bytes the process id still tells processes apart.
    let filled = aws_lc_rs::rand::fill(&mut random).is_ok();
    let random: String = match filled {
        true => random.iter().map(|byte| format!("{byte:02x}")).collect(),
        false => std::process::id().to_string(),
    };
    format!("{}_{random}", host.trim())
}

#[cfg(test)]
mod tests {
    use super::super::args::ServeArgs;
    use super::*;
    use clap::Parser;
    use ratchet_controllers::CONTROLLERS;

    #[derive(Parser)]
    struct Cli {
        #[command(flatten)]
        args: ServeArgs,
    }

    fn resolved(flags: &[&str]) -> Result<Settings, String> {
        let cli = Cli::try_parse_from([&["serve"], flags].concat()).unwrap();
        resolve(&cli.args.controllers, &["10.0.0.0/24".to_owned()])
    }

    #[test]
    fn servers_that_share_a_store_elect_one() {
        let elects = |flags: &[&str], is_shared| {
            let cli = Cli::try_parse_from([&["serve"], flags].concat()).unwrap();
            election(&cli.args.controllers, is_shared).unwrap().is_some()
        };
        assert!(elects(&[], true) && !elects(&[], false));
        assert!(elects(&["--leader-elect"], false));
        assert!(!elects(&["--leader-elect=false"], true));
    }

    #[test]
    fn controllers_are_a_list_that_may_be_spread_over_flags() {
        let names = |flags: &[&str]| {
            let selection = resolved(flags).unwrap().selection;
            let chosen = CONTROLLERS.iter().filter(|row| row.is_enabled(&selection));
            chosen.map(|row| row.name).collect::<Vec<_>>()
        };
        let all = names(&[]);
        assert_eq!(all, names(&["--controllers=*"]));
        assert!(all.len() >= 10);
        assert_eq!(names(&["--controllers="]), [""; 0]);
        let two = ["namespace-controller", "serviceaccount-controller"];
        assert_eq!(names(&["--controllers=namespace,serviceaccount"]), two);
        assert_eq!(names(&["--controllers=namespace", "--controllers", "serviceaccount"]), two);
        assert_eq!(names(&["--controllers=*", "--controllers=-namespace"]).len(), all.len() - 1);
        let unknown = resolved(&["--controllers=*,-foo"]).err();
        assert_eq!(unknown.as_deref(), Some("\"foo\" is not in the list of known controllers"));
    }

    #[test]
    fn a_network_for_pods_is_used_unless_flags_say_otherwise() {
        let gives = |flags: &[&str]| resolved(flags).map(|settings| settings.node_ranges.is_some());
        assert_eq!(gives(&[]), Ok(false));
        assert_eq!(gives(&["--cluster-cidr=10.244.0.0/16"]), Ok(true));
        assert_eq!(
            gives(&["--cluster-cidr=10.244.0.0/16", "--allocate-node-cidrs=false"]),
            Ok(false)
        );
        assert_eq!(gives(&["--cluster-cidr=10.244.0.0/16", "--allocate-node-cidrs"]), Ok(true));
        let lacking = "invalid CIDR[0]: <nil> (invalid CIDR address: )";
        assert_eq!(gives(&["--allocate-node-cidrs"]), Err(lacking.to_owned()));
        assert_eq!(gives(&["--cluster-cidr=x", "--allocate-node-cidrs=false"]), Ok(false));
        assert!(gives(&["--cluster-cidr=10.0.0.0/8", "--node-cidr-mask-size=-1"]).is_err());
    }

    #[test]
    fn a_lease_is_held_only_if_flags_ask_for_it() {
        assert_eq!(resolved(&[]).unwrap().election, None);
        assert_eq!(resolved(&["--leader-elect=false"]).unwrap().election, None);
        let election = resolved(&["--leader-elect"]).unwrap().election.unwrap();
        assert_eq!((election.lease.as_secs(), election.renew.as_secs()), (15, 10));
        assert_eq!((&*election.namespace, &*election.name), ("kube-system", "ratchet-controllers"));
        let short = ["--leader-elect", "--leader-elect-lease-duration=5s"];
        let why = "leaseDuration must be greater than renewDeadline";
        assert_eq!(resolved(&short).err().as_deref(), Some(why));
    }
}
