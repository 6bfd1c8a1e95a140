//! Kept by hand: flags of kube-apiserver 1.36 that are accepted without effect or refused, each with the reason.
//!
//! Its command lines work with them. All other flags have their effect and are in `args.rs`.

use super::values;
use clap::builder::PossibleValuesParser;
use clap::parser::ValueSource;
use clap::{Arg, ArgAction, ArgMatches, Args, Command, Error, FromArgMatches};

/// The type of a flag's value.
#[derive(Clone, Copy)]
enum Kind {
    Bool,
    Duration,
    Integer,
    Text,
    /// One of these.
    OneOf(&'static [&'static str]),
}

/// The accepted flags on the command line, in the table's order.
#[derive(Debug, Default)]
pub(crate) struct AcceptedArgs {
    /// Those without effect, and why that does no harm.
    pub(crate) without_effect: Vec<(&'static str, &'static str)>,
    /// The error for the first flag that is refused, because ignoring it would be unsafe.
    pub(crate) refused: Option<String>,
}

impl AcceptedArgs {
    fn from_matches(matches: &ArgMatches) -> Self {
        let is_given = |name: &str| {
            matches.try_contains_id(name).is_ok_and(|is_there| is_there)
                && matches.value_source(name) == Some(ValueSource::CommandLine)
        };
        let accepted = ACCEPTED.iter().map(|(name, _, why)| (*name, *why));
        let refused = REFUSED.iter().find(|(name, _)| is_given(name));
        Self {
            without_effect: accepted.filter(|(name, _)| is_given(name)).collect(),
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
        let accepted = ACCEPTED.iter().map(|(name, kind, _)| (*name, *kind));
        accepted.chain(refused).fold(command, |command, (name, kind)| {
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
        Kind::OneOf(values) => arg.value_parser(PossibleValuesParser::new(values)),
    }
}

/// Flags that would be unsafe or misleading to ignore, and why; sorted by name.
const REFUSED: &[(&str, &str)] = &[
    ("audit-webhook-config-file", "what it is to be told would be lost"),
    ("authentication-config", "it may name who must not come in"),
    ("authentication-token-webhook-config-file", "nobody whom the webhook knows could come in"),
    ("authorization-config", "it may name who decides first"),
    (
        "authorization-policy-file",
        "the mode ABAC is not built, so that its policies would not decide",
    ),
    (
        "authorization-webhook-config-file",
        "the mode Webhook is not built, so that the webhook would not decide",
    ),
    ("egress-selector-config-file", "connections would not take the way that it prescribes"),
    ("encryption-provider-config", "secrets would be stored as they are"),
    ("oidc-issuer-url", "nobody whom the issuer knows could come in"),
    (
        "service-account-signing-endpoint",
        "tokens would be signed by another key than the one it holds",
    ),
];

/// Flags without effect, and why that does no harm; sorted by name.
#[rustfmt::skip] // one row a line
const ACCEPTED: &[(&str, Kind, &str)] = &[
    ("allow-metric-labels", Kind::Text, "all metrics are shown, with all their labels"),
    ("allow-metric-labels-manifest", Kind::Text, "all metrics are shown, with all their labels"),
    ("apiserver-count", Kind::Integer, "the endpoints of the kubernetes Service are kept by leases, or by this server alone"),
    ("audit-log-batch-buffer-size", Kind::Integer, "events are written whole, one after the other"),
    ("audit-log-batch-max-size", Kind::Integer, "events are written whole, one after the other"),
    ("audit-log-batch-max-wait", Kind::Duration, "events are written whole, one after the other"),
    ("audit-log-batch-throttle-burst", Kind::Integer, "events are written whole, one after the other"),
    ("audit-log-batch-throttle-enable", Kind::Bool, "events are written whole, one after the other"),
    ("audit-log-batch-throttle-qps", Kind::Text, "events are written whole, one after the other"),
    ("audit-log-compress", Kind::Bool, "rotated files are not packed"),
    ("audit-log-format", Kind::Text, "events are written as JSON lines of audit.k8s.io/v1"),
    ("audit-log-mode", Kind::Text, "events are written whole, one after the other"),
    ("audit-log-truncate-enabled", Kind::Bool, "events are written whole, one after the other"),
    ("audit-log-truncate-max-batch-size", Kind::Integer, "events are written whole, one after the other"),
    ("audit-log-truncate-max-event-size", Kind::Integer, "events are written whole, one after the other"),
    ("audit-log-version", Kind::Text, "events are written as JSON lines of audit.k8s.io/v1"),
    ("audit-webhook-batch-buffer-size", Kind::Integer, "there is no audit webhook: its configuration file is refused"),
    ("audit-webhook-batch-initial-backoff", Kind::Duration, "there is no audit webhook: its configuration file is refused"),
    ("audit-webhook-batch-max-size", Kind::Integer, "there is no audit webhook: its configuration file is refused"),
    ("audit-webhook-batch-max-wait", Kind::Duration, "there is no audit webhook: its configuration file is refused"),
    ("audit-webhook-batch-throttle-burst", Kind::Integer, "there is no audit webhook: its configuration file is refused"),
    ("audit-webhook-batch-throttle-enable", Kind::Bool, "there is no audit webhook: its configuration file is refused"),
    ("audit-webhook-batch-throttle-qps", Kind::Text, "there is no audit webhook: its configuration file is refused"),
    ("audit-webhook-initial-backoff", Kind::Duration, "there is no audit webhook: its configuration file is refused"),
    ("audit-webhook-mode", Kind::Text, "there is no audit webhook: its configuration file is refused"),
    ("audit-webhook-truncate-enabled", Kind::Bool, "there is no audit webhook: its configuration file is refused"),
    ("audit-webhook-truncate-max-batch-size", Kind::Integer, "there is no audit webhook: its configuration file is refused"),
    ("audit-webhook-truncate-max-event-size", Kind::Integer, "there is no audit webhook: its configuration file is refused"),
    ("audit-webhook-version", Kind::Text, "there is no audit webhook: its configuration file is refused"),
    ("authentication-token-webhook-cache-ttl", Kind::Duration, "there is no such webhook: its configuration file is refused"),
    ("authentication-token-webhook-version", Kind::Text, "there is no such webhook: its configuration file is refused"),
    ("authorization-webhook-cache-authorized-ttl", Kind::Duration, "there is no such webhook: its configuration file is refused"),
    ("authorization-webhook-cache-unauthorized-ttl", Kind::Duration, "there is no such webhook: its configuration file is refused"),
    ("authorization-webhook-version", Kind::Text, "there is no such webhook: its configuration file is refused"),
    ("contention-profiling", Kind::Bool, "there is no profiler"),
    ("coordinated-leadership-lease-duration", Kind::Duration, "leases of components are not coordinated by the server"),
    ("coordinated-leadership-renew-deadline", Kind::Duration, "leases of components are not coordinated by the server"),
    ("coordinated-leadership-retry-period", Kind::Duration, "leases of components are not coordinated by the server"),
    ("cors-allowed-origins", Kind::Text, "pages of other origins are not let in"),
    ("debug-socket-path", Kind::Text, "there is no profiler"),
    ("default-watch-cache-size", Kind::Integer, "every resource is cached as a whole"),
    ("delete-collection-workers", Kind::Integer, "collections are deleted one object after the other"),
    ("disabled-metrics", Kind::Text, "all metrics are shown, with all their labels"),
    ("emulation-forward-compatible", Kind::Bool, "the emulated release decides alone"),
    ("enable-garbage-collector", Kind::Bool, "the garbage collector is a controller: --controllers turns it off"),
    ("enable-logs-handler", Kind::Bool, "no log files are served"),
    ("encryption-provider-config-automatic-reload", Kind::Bool, "there is no encryption: its configuration file is refused"),
    ("etcd-count-metric-poll-period", Kind::Duration, "sizes are measured when metrics are asked for"),
    ("etcd-db-metric-poll-interval", Kind::Duration, "sizes are measured when metrics are asked for"),
    ("etcd-healthcheck-timeout", Kind::Duration, "the store says at once whether it can be written"),
    ("etcd-readycheck-timeout", Kind::Duration, "the store says at once whether it can be written"),
    ("external-hostname", Kind::Text, "addresses in documents are those of --advertise-address"),
    ("goaway-chance", Kind::Text, "connections are not moved to other servers"),
    ("http2-max-streams-per-connection", Kind::Integer, "the limit of streams is that of the HTTP library"),
    ("kubelet-read-only-port", Kind::Text, "kubelets are never asked at the read-only port"),
    ("kubernetes-service-node-port", Kind::Integer, "the kubernetes Service has no node port"),
    ("lease-reuse-duration-seconds", Kind::Integer, "events expire by their age, without leases of etcd"),
    ("livez-grace-period", Kind::Duration, "nothing is served before the start is done"),
    ("log-flush-frequency", Kind::Duration, "the log is written at once, as one stream, at one level"),
    ("log-json-info-buffer-size", Kind::Text, "the log is written at once, as one stream, at one level"),
    ("log-json-split-stream", Kind::Bool, "the log is written at once, as one stream, at one level"),
    ("log-text-info-buffer-size", Kind::Text, "the log is written at once, as one stream, at one level"),
    ("log-text-split-stream", Kind::Bool, "the log is written at once, as one stream, at one level"),
    ("min-compatibility-version", Kind::Text, "the emulated release decides alone"),
    ("oidc-ca-file", Kind::Text, "there is no OpenID Connect: --oidc-issuer-url is refused"),
    ("oidc-client-id", Kind::Text, "there is no OpenID Connect: --oidc-issuer-url is refused"),
    ("oidc-groups-claim", Kind::Text, "there is no OpenID Connect: --oidc-issuer-url is refused"),
    ("oidc-groups-prefix", Kind::Text, "there is no OpenID Connect: --oidc-issuer-url is refused"),
    ("oidc-required-claim", Kind::Text, "there is no OpenID Connect: --oidc-issuer-url is refused"),
    ("oidc-signing-algs", Kind::Text, "there is no OpenID Connect: --oidc-issuer-url is refused"),
    ("oidc-username-claim", Kind::Text, "there is no OpenID Connect: --oidc-issuer-url is refused"),
    ("oidc-username-prefix", Kind::Text, "there is no OpenID Connect: --oidc-issuer-url is refused"),
    ("peer-advertise-ip", Kind::Text, "requests are not passed on to other servers"),
    ("peer-advertise-port", Kind::Text, "requests are not passed on to other servers"),
    ("peer-ca-file", Kind::Text, "requests are not passed on to other servers"),
    ("permit-address-sharing", Kind::Bool, "the port belongs to this server alone"),
    ("permit-port-sharing", Kind::Bool, "the port belongs to this server alone"),
    ("profiling", Kind::Bool, "there is no profiler"),
    ("runtime-config-emulation-forward-compatible", Kind::Bool, "the emulated release decides alone"),
    ("service-account-jwks-uri", Kind::Text, "the keys are served by this server"),
    ("service-account-lookup", Kind::Bool, "accounts, pods and secrets of tokens are always looked up"),
    ("show-hidden-metrics-for-version", Kind::Text, "all metrics are shown, with all their labels"),
    ("shutdown-send-retry-after", Kind::Bool, "requests and watches end as --shutdown-delay-duration and --request-timeout say"),
    ("shutdown-watch-termination-grace-period", Kind::Duration, "requests and watches end as --shutdown-delay-duration and --request-timeout say"),
    ("storage-backend", Kind::OneOf(&["etcd3"]), "etcd is reached as etcd3, and the store of this server has no other form"),
    ("storage-initialization-timeout", Kind::Duration, "the start waits for the store as long as it takes"),
    ("storage-media-type", Kind::OneOf(MEDIA_TYPES), "objects are stored as JSON"),
    ("strict-transport-security-directives", Kind::Text, "clients of an API do not follow the header"),
    ("tls-curve-preferences", Kind::Text, "the key exchanges are those of the TLS library"),
    ("tracing-config-file", Kind::Text, "no traces are sent"),
    ("vmodule", Kind::Text, "the log is written at once, as one stream, at one level"),
    ("watch-cache", Kind::Bool, "every resource is cached as a whole"),
    ("watch-cache-sizes", Kind::Text, "every resource is cached as a whole"),
];

/// The media types in which kube-apiserver can store objects.
const MEDIA_TYPES: &[&str] =
    &["application/json", "application/yaml", "application/vnd.kubernetes.protobuf"];

#[cfg(test)]
mod tests {
    use super::*;
    use crate::args;
    use clap::{CommandFactory, Parser};

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
        assert!(REFUSED.is_sorted_by(|a, b| a.0 < b.0));
        for (name, kind, why) in ACCEPTED {
            let value = match kind {
                Kind::Bool => "false",
                Kind::Duration => "1m",
                Kind::Integer => "-1",
                Kind::Text => "a=b,c",
                Kind::OneOf(values) => values[0],
            };
            let given = given(&[&format!("--{name}={value}"), &format!("--{name}={value}")]);
            assert_eq!((given.without_effect, given.refused), (vec![(*name, *why)], None));
        }
        assert_eq!(given(&["--profiling"]).without_effect[0].0, "profiling");
        assert!(given(&[]).without_effect.is_empty());
    }

    #[test]
    fn values_that_the_release_does_not_have_are_refused() {
        for argument in ["--storage-backend=etcd2", "--storage-media-type=text/plain"] {
            assert!(args::Args::try_parse_from(["ratchet", "serve", argument]).is_err());
        }
    }

    #[test]
    fn what_would_be_less_safe_is_refused() {
        for (name, _) in REFUSED {
            let refused = given(&[&format!("--{name}=file")]).refused.unwrap();
            assert!(refused.starts_with(&format!("--{name} is not built into this server: ")));
        }
    }

    /// The flags of kube-apiserver 1.36, one a line.
    const RELEASED: &str = include_str!("flags_1_36.txt");

    #[test]
    fn every_flag_of_the_release_is_known() {
        let released: Vec<&str> = RELEASED.lines().collect();
        assert!(released.is_sorted_by(|a, b| a < b) && released.len() == 175);
        let mut command = args::Args::command();
        command.build();
        let serve = command.find_subcommand("serve").unwrap();
        let known: Vec<&str> = serve.get_arguments().filter_map(Arg::get_long).collect();
        for name in &released {
            assert!(known.contains(name), "--{name} is unknown");
        }
        let rows = ACCEPTED.iter().map(|row| row.0).chain(REFUSED.iter().map(|row| row.0));
        for name in rows {
            assert!(released.contains(&name), "no release has --{name}");
        }
    }

    #[test]
    fn a_flag_with_an_effect_has_no_row() {
        let own = super::super::args::ServingArgs::augment_args(Command::new("serve"));
        let own = super::super::args::ClientArgs::augment_args(own);
        let own = super::super::args::RuleArgs::augment_args(own);
        let is_own = |name: &str| own.get_arguments().any(|arg| arg.get_long() == Some(name));
        assert!(is_own("tls-min-version") && !is_own("profiling"));
        assert!(ACCEPTED.iter().all(|row| !is_own(row.0)));
        assert!(REFUSED.iter().all(|row| !is_own(row.0)));
    }
}
