//! Arguments of `ratchet webhook`.

use crate::behavior_arg::BehaviorArg;
use crate::serve::args::LogArgs;
use crate::serve::values::{self, GoDuration};
use clap::{Args as ClapArgs, Subcommand, ValueEnum};
use std::net::IpAddr;
use std::path::PathBuf;

/// Serve the rules as an admission webhook, for clusters whose API server stays as it is.
///
/// AdmissionReviews are answered at /validate, with the verdict that `ratchet serve` and `ratchet check` give, and with
/// the ratchet: what is stored may stay. Health is at /livez and /readyz, metrics are at /metrics. Certificate and
/// configuration are read again when their files change, and on SIGHUP; a file that is not usable is logged, and the old
/// one stays in force.
///
/// Exit status: 0 stopped by SIGTERM or SIGINT; 2 error (bad usage, unusable files, an address that is taken).
#[derive(ClapArgs, Debug)]
#[command(
    after_help = EXAMPLES,
    args_conflicts_with_subcommands = true,
    subcommand_negates_reqs = true
)]
pub(crate) struct WebhookArgs {
    #[command(subcommand)]
    pub(crate) command: Option<WebhookCommand>,

    /// Address to listen at.
    #[arg(long, default_value = "0.0.0.0", value_name = "ADDRESS")]
    pub(crate) bind_address: IpAddr,

    /// Port to listen at. 0 lets the system choose one.
    #[arg(long, default_value = "8443", value_name = "PORT")]
    pub(crate) secure_port: u16,

    /// File with the certificate chain to serve with, in PEM.
    #[arg(long, value_name = "FILE", required_unless_present = "self_signed")]
    pub(crate) tls_cert_file: Option<PathBuf>,

    /// File with the private key of the certificate, in PEM.
    #[arg(long, value_name = "FILE", required_unless_present = "self_signed")]
    pub(crate) tls_private_key_file: Option<PathBuf>,

    /// Kubeconfig of the cluster, for labels of namespaces [default: the service account of the pod; outside of a
    /// cluster, namespaces count as unlabelled].
    #[arg(long, value_name = "FILE")]
    pub(crate) kubeconfig: Option<PathBuf>,

    #[command(flatten)]
    pub(crate) self_signed: SelfSignedArgs,

    #[command(flatten)]
    pub(crate) observing: ObservingArgs,

    /// Time to continue serving, with /readyz failing, after a signal to stop. At most 30s.
    #[arg(long, value_name = "DURATION", default_value = "0s", value_parser = values::duration, allow_hyphen_values = true)]
    pub(crate) shutdown_delay_duration: GoDuration,

    /// File with a WebhookConfiguration: modes, exemptions, external IPs. Without it, every rule is enforced.
    #[arg(long, value_name = "FILE")]
    pub(crate) config: Option<PathBuf>,

    /// Kubernetes release whose rules and messages are used, from 1.31 to 1.37.
    #[arg(long, default_value = "1.36", value_name = "VERSION")]
    pub(crate) target_version: String,

    /// Behavior where an enhancement proposal (KEP) and released Kubernetes differ.
    #[arg(long, value_enum, default_value = "proposal")]
    pub(crate) behavior: BehaviorArg,

    /// Feature gates to set: [kube:]Name=true|false, separated by commas. May be repeated.
    #[arg(long, value_name = "GATES")]
    pub(crate) feature_gates: Vec<String>,

    /// Pod Security level of namespaces without labels. Example: baseline:v1.34.
    #[arg(long, value_name = "LEVEL[:VERSION]")]
    pub(crate) pod_security: Option<String>,

    /// File with an AdmissionConfiguration or a PodSecurityConfiguration, as kube-apiserver reads it.
    #[arg(long, value_name = "FILE", conflicts_with = "pod_security")]
    pub(crate) admission_control_config_file: Option<PathBuf>,

    #[command(flatten)]
    pub(crate) logs: LogArgs,
}

/// Certificates of the webhook's own making.
#[derive(ClapArgs, Debug)]
pub(crate) struct SelfSignedArgs {
    /// Make and rotate the certificate with an authority of its own, which is published in the webhook configurations.
    #[arg(long, conflicts_with_all = ["tls_cert_file", "tls_private_key_file"])]
    pub(crate) self_signed: bool,

    /// Namespace of the Service, the Secret and the Lease [default: that of the pod, or ratchet-system].
    #[arg(long, value_name = "NAME")]
    pub(crate) namespace: Option<String>,

    /// Service that the own certificate is for.
    #[arg(long, value_name = "NAME", default_value = "ratchet-webhook")]
    pub(crate) service_name: String,

    /// Secret in which replicas share the own authority and certificate.
    #[arg(long, value_name = "NAME", default_value = "ratchet-webhook-certs")]
    pub(crate) cert_secret_name: String,

    /// Lease of the replica that rotates the own certificate.
    #[arg(long, value_name = "NAME", default_value = "ratchet-webhook")]
    pub(crate) lease_name: String,

    /// Validating- and MutatingWebhookConfigurations that get the own authority.
    #[arg(long, value_name = "NAMES", value_delimiter = ',', default_value = "ratchet-webhook")]
    pub(crate) webhook_configuration_name: Vec<String>,

    /// Validity of the own authority.
    #[arg(long, value_name = "DURATION", default_value = "8760h", value_parser = values::duration, allow_hyphen_values = true)]
    pub(crate) ca_validity: GoDuration,

    /// Validity of the own certificate.
    #[arg(long, value_name = "DURATION", default_value = "2160h", value_parser = values::duration, allow_hyphen_values = true)]
    pub(crate) cert_validity: GoDuration,
}

/// Where findings and traces go.
#[derive(ClapArgs, Debug)]
pub(crate) struct ObservingArgs {
    /// Write findings as Events of the objects.
    #[arg(long)]
    pub(crate) events: bool,

    /// Write findings as PolicyReports and OpenReports, as far as the cluster has these kinds.
    #[arg(long)]
    pub(crate) reports: bool,

    /// URL that traces are sent to by OTLP over HTTP, such as http://collector:4318/v1/traces [default:
    /// OTEL_EXPORTER_OTLP_TRACES_ENDPOINT, or /v1/traces below OTEL_EXPORTER_OTLP_ENDPOINT].
    #[arg(long, value_name = "URL")]
    pub(crate) tracing_endpoint: Option<String>,

    /// Traces among a million reviews whose caller does not decide it.
    #[arg(long, value_name = "N", default_value = "1000000", value_parser = clap::value_parser!(u32).range(0..=1_000_000))]
    pub(crate) tracing_sampling_rate_per_million: u32,
}

#[derive(Debug, Subcommand)]
pub(crate) enum WebhookCommand {
    Manifests(ManifestsArgs),
}

/// Print the webhook configuration that sends the webhook what the rules are about, and nothing else.
///
/// Each resource has a match condition, so that the API server itself leaves out objects without the fields, also while
/// the webhook is down.
#[derive(ClapArgs, Debug)]
pub(crate) struct ManifestsArgs {
    /// Namespace of the webhook's Service. Its objects are not sent.
    #[arg(short = 'n', long, default_value = "ratchet-system", value_name = "NAME")]
    pub(crate) namespace: String,

    /// Name of the Service.
    #[arg(long, default_value = "ratchet-webhook", value_name = "NAME")]
    pub(crate) service: String,

    /// Port of the Service.
    #[arg(long, default_value = "443", value_name = "PORT")]
    pub(crate) port: u16,

    /// File with the authority of the certificate, in PEM. Without it, something else must put it in, such as
    /// cert-manager.
    #[arg(long, value_name = "FILE")]
    pub(crate) ca_bundle_file: Option<PathBuf>,

    /// What becomes of requests while the webhook does not answer.
    #[arg(long, value_enum, default_value = "ignore")]
    pub(crate) failure_policy: FailurePolicy,

    /// Seconds that the API server waits for an answer.
    #[arg(long, default_value = "3", value_name = "SECONDS", value_parser = clap::value_parser!(u8).range(1..=30))]
    pub(crate) timeout_seconds: u8,

    /// Send all pods and workloads, for Pod Security.
    #[arg(long)]
    pub(crate) all_pods: bool,

    /// Namespaces whose objects are not sent, besides that of the Service.
    #[arg(
        long,
        value_name = "NAMES",
        value_delimiter = ',',
        default_value = "kube-system,kube-node-lease"
    )]
    pub(crate) exempt_namespaces: Vec<String>,

    /// Print the MutatingWebhookConfiguration instead, which sends what these users write to /mutate; a `*` at the end
    /// stands for any rest. The configuration file must name them too.
    #[arg(long, value_name = "NAMES", value_delimiter = ',', conflicts_with = "all_pods")]
    pub(crate) canonicalize_users: Vec<String>,
}

/// `failurePolicy` of a webhook.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum FailurePolicy {
    /// They pass.
    Ignore,
    /// They are refused.
    Fail,
}

const EXAMPLES: &str = "Examples:
  # Serve with a certificate of cert-manager, and warn instead of refusing where the file says so
  ratchet webhook --tls-cert-file=/tls/tls.crt --tls-private-key-file=/tls/tls.key --config=/etc/ratchet/webhook.yaml

  # In a pod: make and rotate certificates, and write findings as Events and reports
  ratchet webhook --self-signed --events --reports --config=/etc/ratchet/webhook.yaml

  # Tell an API server what to send
  ratchet webhook manifests --ca-bundle-file=ca.crt | kubectl apply -f -

  # Judge as the released API server does
  ratchet webhook --tls-cert-file=tls.crt --tls-private-key-file=tls.key --behavior=released";
