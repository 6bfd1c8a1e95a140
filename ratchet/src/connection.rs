//! Flags of the connection to a cluster, as in kubectl, and times with units.

use clap::Args as ClapArgs;
use ratchet_cluster::ConfigFlags;
use std::path::PathBuf;
use std::time::Duration;

/// Flags of the connection to a cluster, as in kubectl.
#[derive(ClapArgs, Clone, Debug)]
pub(crate) struct ConnectionArgs {
    /// Path of the kubeconfig file [default: $KUBECONFIG, else ~/.kube/config].
    #[arg(long, value_name = "FILE")]
    kubeconfig: Option<PathBuf>,

    /// Context of the kubeconfig to use [default: the current context].
    #[arg(long, value_name = "NAME")]
    context: Option<String>,

    /// Cluster of the kubeconfig to use [default: that of the context].
    #[arg(long, value_name = "NAME")]
    cluster: Option<String>,

    /// User of the kubeconfig to use [default: that of the context].
    #[arg(long, value_name = "NAME")]
    user: Option<String>,

    /// User to impersonate in requests to the API server.
    #[arg(long = "as", value_name = "USER")]
    impersonate: Option<String>,

    /// Group to impersonate. May be repeated.
    #[arg(long = "as-group", value_name = "GROUP", requires = "impersonate")]
    impersonate_groups: Vec<String>,

    /// Time limit of a request to the API server. 0 means no limit.
    #[arg(long, value_name = "TIME", default_value = "30s", value_parser = time)]
    request_timeout: Duration,
}

/// The flags as the client takes them.
pub(crate) fn connection_flags(args: ConnectionArgs) -> ConfigFlags {
    ConfigFlags {
        kubeconfig: args.kubeconfig,
        context: args.context,
        cluster: args.cluster,
        user: args.user,
        impersonate: args.impersonate,
        impersonate_groups: args.impersonate_groups,
        request_timeout: Some(args.request_timeout).filter(|time| !time.is_zero()),
    }
}

/// The units of a time, in seconds.
const UNITS: &[(&str, u64)] = &[("d", 86_400), ("h", 3_600), ("m", 60), ("s", 1)];

/// Parses `30d`, `1h30m`, `5s`; a plain number is seconds, as in kubectl.
pub(crate) fn time(text: &str) -> Result<Duration, String> {
    let invalid =
        || format!("{text:?} is no time: write 30d, 12h, 5m, 10s, or a number of seconds");
    if let Ok(seconds) = text.parse() {
        return Ok(Duration::from_secs(seconds));
    }
    let mut rest = text;
    let mut total: u64 = 0;
    while !rest.is_empty() {
        let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
        let (number, more) = rest.split_at_checked(digits).ok_or_else(invalid)?;
        let known = UNITS.iter().find_map(|(unit, size)| Some((more.strip_prefix(unit)?, *size)));
        let (more, size) = known.ok_or_else(invalid)?;
        let number: u64 = number.parse().map_err(|_| invalid())?;
        total = number
            .checked_mul(size)
            .and_then(|part| total.checked_add(part))
            .ok_or_else(invalid)?;
        rest = more;
    }
    if text.is_empty() { Err(invalid()) } else { Ok(Duration::from_secs(total)) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_have_units() {
        for (text, seconds) in
            [("0", 0), ("90", 90), ("30d", 2_592_000), ("1h30m", 5_400), ("5s", 5)]
        {
            assert_eq!(time(text).unwrap().as_secs(), seconds, "{text}");
        }
        for text in [
            "",
            "d",
            "5x",
            "-5s",
            "5s3",
            "1.5h",
            "99999999999999999999d",
            "9999999999999999999d",
            "5 s",
            "é",
        ] {
            assert!(time(text).is_err(), "{text}");
        }
    }
}
