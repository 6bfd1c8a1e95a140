//! Kept by hand: flags of kube-apiserver that are accepted without effect, so that its command lines work, or refused.

use super::values;
use clap::parser::ValueSource;
use clap::{Arg, ArgAction, ArgMatches, Args, Command, Error, FromArgMatches};

/// The type of a flag's value.
#[derive(Clone, Copy)]
enum Kind {
    Bool,
    Duration,
    Integer,
    Text,
}

/// The accepted flags on the command line, in the table's order.
#[derive(Debug, Default)]
pub(crate) struct AcceptedArgs {
    pub(crate) without_effect: Vec<&'static str>,
    /// The error for the first flag that is refused, because ignoring it would be unsafe.
    pub(crate) refused: Option<String>,
}

impl AcceptedArgs {
    fn from_matches(matches: &ArgMatches) -> Self {
        let is_given = |name: &str| {
            matches.try_contains_id(name).is_ok_and(|is_there| is_there)
                && matches.value_source(name) == Some(ValueSource::CommandLine)
        };
        let names = ACCEPTED.iter().map(|(name, _)| *name);
        let refused = REFUSED.iter().find(|(name, _)| is_given(name));
        Self {
            without_effect: names.filter(|name| is_given(name)).collect(),
            refused: refused
                .map(|(name, why)| format!("--{name} is not built into this server: {why}")),
        }
    }
}

impl FromArgMatches for AcceptedArgs {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, Error> {
        Ok(Self::from_matches(matches))
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), Error> {
        *self = Self::from_matches(matches);
        Ok(())
    }
}

impl Args for AcceptedArgs {
    fn augment_args(command: Command) -> Command {
        let refused = REFUSED.iter().map(|(name, _)| (*name, Kind::Text));
        ACCEPTED.iter().copied().chain(refused).fold(command, |command, (name, kind)| {
            // A flag that has an effect is already defined.
            let is_defined = command.get_arguments().any(|arg| arg.get_long() == Some(name));
            if is_defined { command } else { command.arg(flag(name, kind)) }
        })
    }

    fn augment_args_for_update(command: Command) -> Command {
        Self::augment_args(command)
    }
}

fn flag(name: &'static str, kind: Kind) -> Arg {
    let arg = Arg::new(name).long(name).hide(true).action(ArgAction::Append);
    match kind {
        Kind::Bool => arg
            .num_args(0..=1)
            .require_equals(true)
            .default_missing_value("true")
            .value_parser(values::boolean),
        Kind::Duration => arg.allow_hyphen_values(true).value_parser(values::duration),
        Kind::Integer => arg.allow_hyphen_values(true).value_parser(values::integer),
        Kind::Text => arg.allow_hyphen_values(true),
    }
}

/// Flags that would be unsafe to ignore, and why.
const REFUSED: &[(&str, &str)] = &[
    ("audit-webhook-config-file", "what it is to be told would be lost"),
    ("authentication-config", "it may name who must not come in"),
    ("authorization-config", "it may name who decides first"),
    ("encryption-provider-config", "secrets would be stored as they are"),
    ("etcd-servers-overrides", "objects would be in another etcd than was said"),
];

/// Sorted by name.
#[rustfmt::skip]
const ACCEPTED: &[(&str, Kind)] = &[
    ("allow-metric-labels", Kind::Text),
    ("allow-metric-labels-manifest", Kind::Text),
    ("apiserver-count", Kind::Integer),
    ("audit-log-batch-buffer-size", Kind::Integer),
    ("audit-log-batch-max-size", Kind::Integer),
    ("audit-log-batch-max-wait", Kind::Duration),
    ("audit-log-batch-throttle-burst", Kind::Integer),
    ("audit-log-batch-throttle-enable", Kind::Bool),
    ("audit-log-batch-throttle-qps", Kind::Text),
    ("audit-log-compress", Kind::Bool),
    ("audit-log-format", Kind::Text),
    ("audit-log-mode", Kind::Text),
    ("audit-log-truncate-enabled", Kind::Bool),
    ("audit-log-truncate-max-batch-size", Kind::Integer),
    ("audit-log-truncate-max-event-size", Kind::Integer),
    ("audit-log-version", Kind::Text),
    ("audit-webhook-batch-buffer-size", Kind::Integer),
    ("audit-webhook-batch-initial-backoff", Kind::Duration),
    ("audit-webhook-batch-max-size", Kind::Integer),
    ("audit-webhook-batch-max-wait", Kind::Duration),
    ("audit-webhook-batch-throttle-burst", Kind::Integer),
    ("audit-webhook-batch-throttle-enable", Kind::Bool),
    ("audit-webhook-batch-throttle-qps", Kind::Text),
    ("audit-webhook-initial-backoff", Kind::Duration),
    ("audit-webhook-mode", Kind::Text),
    ("audit-webhook-truncate-enabled", Kind::Bool),
    ("audit-webhook-truncate-max-batch-size", Kind::Integer),
    ("audit-webhook-truncate-max-event-size", Kind::Integer),
    ("audit-webhook-version", Kind::Text),
    ("authentication-token-webhook-cache-ttl", Kind::Duration),
    ("authentication-token-webhook-config-file", Kind::Text),
    ("authentication-token-webhook-version", Kind::Text),
    ("authorization-policy-file", Kind::Text),
    ("authorization-webhook-cache-authorized-ttl", Kind::Duration),
    ("authorization-webhook-cache-unauthorized-ttl", Kind::Duration),
    ("authorization-webhook-config-file", Kind::Text),
    ("authorization-webhook-version", Kind::Text),
    ("contention-profiling", Kind::Bool),
    ("coordinated-leadership-lease-duration", Kind::Duration),
    ("coordinated-leadership-renew-deadline", Kind::Duration),
    ("coordinated-leadership-retry-period", Kind::Duration),
    ("cors-allowed-origins", Kind::Text),
    ("debug-socket-path", Kind::Text),
    ("default-watch-cache-size", Kind::Integer),
    ("delete-collection-workers", Kind::Integer),
    ("disable-http2-serving", Kind::Bool),
    ("disabled-metrics", Kind::Text),
    ("egress-selector-config-file", Kind::Text),
    ("emulation-forward-compatible", Kind::Bool),
    ("enable-garbage-collector", Kind::Bool),
    ("enable-logs-handler", Kind::Bool),
    ("enable-priority-and-fairness", Kind::Bool),
    ("encryption-provider-config-automatic-reload", Kind::Bool),
    ("etcd-count-metric-poll-period", Kind::Duration),
    ("etcd-db-metric-poll-interval", Kind::Duration),
    ("etcd-healthcheck-timeout", Kind::Duration),
    ("etcd-readycheck-timeout", Kind::Duration),
    ("external-hostname", Kind::Text),
    ("goaway-chance", Kind::Text),
    ("http2-max-streams-per-connection", Kind::Integer),
    ("kubelet-read-only-port", Kind::Text),
    ("kubernetes-service-node-port", Kind::Integer),
    ("lease-reuse-duration-seconds", Kind::Integer),
    ("livez-grace-period", Kind::Duration),
    ("log-flush-frequency", Kind::Duration),
    ("log-json-info-buffer-size", Kind::Text),
    ("log-json-split-stream", Kind::Bool),
    ("log-text-info-buffer-size", Kind::Text),
    ("log-text-split-stream", Kind::Bool),
    ("min-compatibility-version", Kind::Text),
    ("oidc-ca-file", Kind::Text),
    ("oidc-client-id", Kind::Text),
    ("oidc-groups-claim", Kind::Text),
    ("oidc-groups-prefix", Kind::Text),
    ("oidc-issuer-url", Kind::Text),
    ("oidc-required-claim", Kind::Text),
    ("oidc-signing-algs", Kind::Text),
    ("oidc-username-claim", Kind::Text),
    ("oidc-username-prefix", Kind::Text),
    ("peer-advertise-ip", Kind::Text),
    ("peer-advertise-port", Kind::Text),
    ("peer-ca-file", Kind::Text),
    ("permit-address-sharing", Kind::Bool),
    ("permit-port-sharing", Kind::Bool),
    ("profiling", Kind::Bool),
    ("runtime-config-emulation-forward-compatible", Kind::Bool),
    ("service-account-extend-token-expiration", Kind::Bool),
    ("service-account-jwks-uri", Kind::Text),
    ("service-account-lookup", Kind::Bool),
    ("service-account-max-token-expiration", Kind::Duration),
    ("service-account-signing-endpoint", Kind::Text),
    ("show-hidden-metrics-for-version", Kind::Text),
    ("shutdown-send-retry-after", Kind::Bool),
    ("shutdown-watch-termination-grace-period", Kind::Duration),
    ("storage-backend", Kind::Text),
    ("storage-initialization-timeout", Kind::Duration),
    ("storage-media-type", Kind::Text),
    ("strict-transport-security-directives", Kind::Text),
    ("tls-cipher-suites", Kind::Text),
    ("tls-curve-preferences", Kind::Text),
    ("tls-min-version", Kind::Text),
    ("tls-sni-cert-key", Kind::Text),
    ("tracing-config-file", Kind::Text),
    ("vmodule", Kind::Text),
    ("watch-cache", Kind::Bool),
    ("watch-cache-sizes", Kind::Text),
];

#[cfg(test)]
mod tests {
    use super::*;
    use crate::args;
    use clap::Parser;

    fn given(arguments: &[&str]) -> AcceptedArgs {
        let all = ["ratchet", "serve"].iter().chain(arguments);
        match args::Args::try_parse_from(all).unwrap().command {
            args::Command::Serve(args) => args.accepted,
            _ => panic!("serve"),
        }
    }

    #[test]
    fn rows_are_sorted_and_accepted() {
        assert!(ACCEPTED.is_sorted_by(|a, b| a.0 < b.0));
        for (name, kind) in ACCEPTED {
            let value = match kind {
                Kind::Bool => "false",
                Kind::Duration => "1m",
                Kind::Integer => "-1",
                Kind::Text => "a=b,c",
            };
            let given = given(&[&format!("--{name}={value}"), &format!("--{name}={value}")]);
            assert_eq!((given.without_effect, given.refused), (vec![*name], None));
        }
        assert_eq!(given(&["--profiling"]).without_effect, ["profiling"]);
        assert_eq!(given(&[]).without_effect, Vec::<&str>::new());
    }

    #[test]
    fn what_would_be_less_safe_is_refused() {
        for (name, _) in REFUSED {
            let refused = given(&[&format!("--{name}=file")]).refused.unwrap();
            assert!(refused.starts_with(&format!("--{name} is not built into this server: ")));
        }
    }
}
