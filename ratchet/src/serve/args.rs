//! The flags of `ratchet serve`: kube-apiserver's names and formats, grouped as its help groups them.

use super::accepted::AcceptedArgs;
use super::values::{self, GoDuration, Ports};
use crate::args::BehaviorArg;
use clap::{Args, ValueEnum};
use std::net::IpAddr;
use std::path::PathBuf;

/// Serve a Kubernetes API.
///
/// Without flags: HTTPS on 127.0.0.1:6443, everything kept below one directory, and a kubeconfig for its first user
/// written there. Exit status: 0 stopped in order; 1 could not start (one line on standard error says why).
#[derive(Args, Debug)]
#[command(args_override_self = true)]
pub(crate) struct ServeArgs {
    #[command(flatten)]
    pub(crate) storage: StorageArgs,
    #[command(flatten)]
    pub(crate) serving: ServingArgs,
    #[command(flatten)]
    pub(crate) clients: ClientArgs,
    #[command(flatten)]
    pub(crate) rules: RuleArgs,
    #[command(flatten)]
    pub(crate) services: ServiceArgs,
    #[command(flatten)]
    pub(crate) controllers: ControllerArgs,
    #[command(flatten)]
    pub(crate) kubelets: KubeletArgs,
    #[command(flatten)]
    pub(crate) audit: AuditArgs,
    #[command(flatten)]
    pub(crate) logs: LogArgs,
    #[command(flatten)]
    pub(crate) accepted: AcceptedArgs,
}

/// Where what is stored is kept.
#[derive(Args, Debug)]
#[command(next_help_heading = "Storage")]
pub(crate) struct StorageArgs {
    /// Where everything is kept: store, certificates, kubeconfig [default: $XDG_STATE_HOME/ratchet, else ~/.local/state/ratchet, else ./ratchet-data].
    #[arg(long, value_name = "DIR")]
    pub(crate) data_dir: Option<PathBuf>,

    /// How often old revisions are forgotten; 0 never.
    #[arg(long, value_name = "DURATION", default_value = "5m0s", value_parser = values::duration, allow_hyphen_values = true)]
    pub(crate) etcd_compaction_interval: GoDuration,

    /// How long Events are kept.
    #[arg(long, value_name = "DURATION", default_value = "1h0m0s", value_parser = values::duration, allow_hyphen_values = true)]
    pub(crate) event_ttl: GoDuration,
}

/// Where and how the server listens.
#[derive(Args, Debug)]
#[command(next_help_heading = "Serving")]
pub(crate) struct ServingArgs {
    /// The address to listen on; 0.0.0.0 or :: for all.
    #[arg(long, value_name = "IP", default_value = "127.0.0.1", value_parser = values::address)]
    pub(crate) bind_address: IpAddr,

    /// The port of HTTPS; it cannot be turned off.
    #[arg(long, value_name = "PORT", default_value = "6443", value_parser = values::integer, allow_hyphen_values = true)]
    pub(crate) secure_port: i64,

    /// The address under which others reach the server [default: the bind address, or that of the machine].
    #[arg(long, value_name = "IP", value_parser = values::address)]
    pub(crate) advertise_address: Option<IpAddr>,

    /// Where certificates and keys are made and kept [default: pki in the data directory].
    #[arg(long, value_name = "DIR")]
    pub(crate) cert_dir: Option<PathBuf>,

    /// The certificate to show, with its chain; made if absent.
    #[arg(long, value_name = "FILE")]
    pub(crate) tls_cert_file: Option<PathBuf>,

    /// The key of --tls-cert-file.
    #[arg(long, value_name = "FILE")]
    pub(crate) tls_private_key_file: Option<PathBuf>,

    /// How long a request may take, and how long requests under way may take when the server stops.
    #[arg(long, value_name = "DURATION", default_value = "1m0s", value_parser = values::duration, allow_hyphen_values = true)]
    pub(crate) request_timeout: GoDuration,

    /// The least number of seconds before a watch that names no time is ended.
    #[arg(long, value_name = "SECONDS", default_value = "1800", value_parser = values::integer, allow_hyphen_values = true)]
    pub(crate) min_request_timeout: i64,

    /// How long to go on serving, while /readyz fails, after the word to stop.
    #[arg(long, value_name = "DURATION", default_value = "0s", value_parser = values::duration, allow_hyphen_values = true)]
    pub(crate) shutdown_delay_duration: GoDuration,

    /// How many reads may run at once; 0 for no limit.
    #[arg(long, value_name = "N", default_value = "400", value_parser = values::integer, allow_hyphen_values = true)]
    pub(crate) max_requests_inflight: i64,

    /// How many writes may run at once; 0 for no limit.
    #[arg(long, value_name = "N", default_value = "200", value_parser = values::integer, allow_hyphen_values = true)]
    pub(crate) max_mutating_requests_inflight: i64,

    /// How many watches, logs, commands, ports and proxies there may be at once; 0 for no limit.
    #[arg(long, value_name = "N", default_value = "10000", value_parser = values::integer, allow_hyphen_values = true)]
    pub(crate) max_long_running_requests: i64,

    /// How many of them one user may have; 0 for no limit.
    #[arg(long, value_name = "N", default_value = "2500", value_parser = values::integer, allow_hyphen_values = true)]
    pub(crate) max_long_running_requests_per_user: i64,

    /// How long an answer may wait for a client that does not read; 0 for ever.
    #[arg(long, value_name = "DURATION", default_value = "2m0s", value_parser = values::duration, allow_hyphen_values = true)]
    pub(crate) write_timeout: GoDuration,
}

/// Who asks, and what they may do.
#[derive(Args, Debug)]
#[command(next_help_heading = "Clients")]
pub(crate) struct ClientArgs {
    /// Authorities of clients' certificates, believed beside the server's own.
    #[arg(long, value_name = "FILE")]
    pub(crate) client_ca_file: Option<PathBuf>,

    /// Fixed tokens: lines of token,user,uid,"group1,group2".
    #[arg(long, value_name = "FILE")]
    pub(crate) token_auth_file: Option<PathBuf>,

    /// Whether those who do not say who they are may ask, as system:anonymous.
    #[arg(long, value_name = "BOOL", default_value = "true", num_args = 0..=1, require_equals = true, default_missing_value = "true", value_parser = values::boolean, action = clap::ArgAction::Set)]
    pub(crate) anonymous_auth: bool,

    /// Whether machines may join with the bootstrap tokens in kube-system.
    #[arg(long, value_name = "BOOL", default_value = "false", num_args = 0..=1, require_equals = true, default_missing_value = "true", value_parser = values::boolean, action = clap::ArgAction::Set)]
    pub(crate) enable_bootstrap_token_auth: bool,

    /// Who issues tokens of service accounts; may be repeated, the first is written into new ones.
    #[arg(
        long,
        value_name = "ISSUER",
        default_value = "https://kubernetes.default.svc.cluster.local"
    )]
    pub(crate) service_account_issuer: Vec<String>,

    /// The key that signs tokens [default: sa.key beside the certificates, made if absent].
    #[arg(long, value_name = "FILE")]
    pub(crate) service_account_signing_key_file: Option<PathBuf>,

    /// Keys that prove tokens, beside the one that signs them; may be repeated.
    #[arg(long, value_name = "FILE")]
    pub(crate) service_account_key_file: Vec<PathBuf>,

    /// For whom tokens are when nobody is named [default: the issuers].
    #[arg(long, value_name = "NAMES", value_delimiter = ',')]
    pub(crate) api_audiences: Vec<String>,

    /// How it is decided who may do what, in this order: AlwaysAllow, AlwaysDeny, Node, RBAC.
    #[arg(long, value_name = "MODES", value_delimiter = ',', default_value = "Node,RBAC")]
    pub(crate) authorization_mode: Vec<String>,

    /// Authorities of the proxies that say in headers who asks.
    #[arg(long, value_name = "FILE")]
    pub(crate) requestheader_client_ca_file: Option<PathBuf>,

    /// The common names of such proxies [default: every name].
    #[arg(long, value_name = "NAMES", value_delimiter = ',')]
    pub(crate) requestheader_allowed_names: Vec<String>,

    /// The headers with the user's name.
    #[arg(long, value_name = "NAMES", value_delimiter = ',', default_value = "x-remote-user")]
    pub(crate) requestheader_username_headers: Vec<String>,

    /// The headers with the user's uid.
    #[arg(long, value_name = "NAMES", value_delimiter = ',')]
    pub(crate) requestheader_uid_headers: Vec<String>,

    /// The headers with the user's groups.
    #[arg(long, value_name = "NAMES", value_delimiter = ',', default_value = "x-remote-group")]
    pub(crate) requestheader_group_headers: Vec<String>,

    /// What the names of headers with extras begin with.
    #[arg(long, value_name = "PREFIXES", value_delimiter = ',', default_value = "x-remote-extra-")]
    pub(crate) requestheader_extra_headers_prefix: Vec<String>,
}

/// What is judged, and how.
#[derive(Args, Debug)]
#[command(next_help_heading = "Rules")]
pub(crate) struct RuleArgs {
    /// Emulate an older release: [kube=]VERSION, from 1.33 to 1.36.
    #[arg(long, value_name = "VERSION")]
    pub(crate) emulated_version: Option<String>,

    /// Feature gates: [kube:]Name=true|false, separated by commas.
    #[arg(long, value_name = "GATES")]
    pub(crate) feature_gates: Vec<String>,

    /// Admission plugins to turn on beside the defaults.
    #[arg(long, value_name = "NAMES", value_delimiter = ',')]
    pub(crate) enable_admission_plugins: Vec<String>,

    /// Admission plugins to turn off.
    #[arg(long, value_name = "NAMES", value_delimiter = ',')]
    pub(crate) disable_admission_plugins: Vec<String>,

    /// An AdmissionConfiguration file.
    #[arg(long, value_name = "FILE")]
    pub(crate) admission_control_config_file: Option<PathBuf>,

    /// Who decides where a proposal and released Kubernetes differ: serve enforces the proposals, so `proposal` is its
    /// default, while `ratchet check` predicts a released cluster unless it is told --for ratchet.
    #[arg(long, value_enum, default_value = "proposal")]
    pub(crate) behavior: BehaviorArg,

    /// Whether containers may be privileged.
    #[arg(long, value_name = "BOOL", default_value = "true", num_args = 0..=1, require_equals = true, default_missing_value = "true", value_parser = values::boolean, action = clap::ArgAction::Set)]
    pub(crate) allow_privileged: bool,

    /// Which APIs are on: group/version[/resource]=true|false, api/all, api/ga, api/beta, api/alpha.
    #[arg(long, value_name = "APIS")]
    pub(crate) runtime_config: Vec<String>,
}

/// What Services are given.
#[derive(Args, Debug)]
#[command(next_help_heading = "Services")]
pub(crate) struct ServiceArgs {
    /// The addresses of Services: a network, or one of each family, separated by a comma.
    #[arg(long, value_name = "CIDRS", default_value = "10.0.0.0/24")]
    pub(crate) service_cluster_ip_range: String,

    /// The node ports of Services.
    #[arg(long, value_name = "FIRST-LAST", default_value = "30000-32767", value_parser = values::ports)]
    pub(crate) service_node_port_range: Ports,

    /// Who keeps the endpoints of the kubernetes Service; the server is alone, so all but none do the same.
    #[arg(long, value_name = "TYPE", value_enum, default_value = "lease")]
    pub(crate) endpoint_reconciler_type: Reconciler,
}

/// Which controllers run beside the server, and what they are told.
#[derive(Args, Debug)]
#[command(next_help_heading = "Controllers")]
pub(crate) struct ControllerArgs {
    /// Controllers to run: * for all that are on by default, name, -name; nothing for none; may be repeated.
    #[arg(long, value_name = "NAMES", default_value = "*", allow_hyphen_values = true)]
    pub(crate) controllers: Vec<String>,

    /// Whether nodes get networks for their pods from --cluster-cidr [default: if --cluster-cidr is given].
    #[arg(long, value_name = "BOOL", num_args = 0..=1, require_equals = true, default_missing_value = "true", value_parser = values::boolean, action = clap::ArgAction::Set)]
    pub(crate) allocate_node_cidrs: Option<bool>,

    /// The addresses of pods: a network, or one of each family, separated by a comma.
    #[arg(long, value_name = "CIDRS")]
    pub(crate) cluster_cidr: Option<String>,

    /// The prefix length of a node's network, where the cluster has one family; 0 for 24 and, in IPv6, 64.
    #[arg(long, value_name = "LENGTH", default_value = "0", value_parser = values::integer, allow_hyphen_values = true)]
    pub(crate) node_cidr_mask_size: i64,

    /// The prefix length of a node's IPv4 network; 0 for 24.
    #[arg(long, value_name = "LENGTH", default_value = "0", value_parser = values::integer, allow_hyphen_values = true)]
    pub(crate) node_cidr_mask_size_ipv4: i64,

    /// The prefix length of a node's IPv6 network; 0 for 64.
    #[arg(long, value_name = "LENGTH", default_value = "0", value_parser = values::integer, allow_hyphen_values = true)]
    pub(crate) node_cidr_mask_size_ipv6: i64,

    /// The authority that signs approved requests for certificates [default: the server's own].
    #[arg(long, value_name = "FILE")]
    pub(crate) cluster_signing_cert_file: Option<PathBuf>,

    /// The key of --cluster-signing-cert-file.
    #[arg(long, value_name = "FILE")]
    pub(crate) cluster_signing_key_file: Option<PathBuf>,

    /// How long the certificates live that it signs; requests may ask for less.
    #[arg(long, value_name = "DURATION", default_value = "8760h0m0s", value_parser = values::duration, allow_hyphen_values = true)]
    pub(crate) cluster_signing_duration: GoDuration,

    /// Whether controllers run only while this server holds a Lease; auto: where several servers share a store, which this build has not.
    #[arg(
        long,
        value_name = "BOOL",
        value_enum,
        default_value = "auto",
        num_args = 0..=1,
        require_equals = true,
        default_missing_value = "true"
    )]
    pub(crate) leader_elect: LeaderElect,

    /// How long after its holder's last sign of life the Lease may be taken.
    #[arg(long, value_name = "DURATION", default_value = "15s", value_parser = values::duration, allow_hyphen_values = true)]
    pub(crate) leader_elect_lease_duration: GoDuration,

    /// How long the holder tries to renew the Lease before the controllers stop.
    #[arg(long, value_name = "DURATION", default_value = "10s", value_parser = values::duration, allow_hyphen_values = true)]
    pub(crate) leader_elect_renew_deadline: GoDuration,

    /// How long to wait between attempts.
    #[arg(long, value_name = "DURATION", default_value = "2s", value_parser = values::duration, allow_hyphen_values = true)]
    pub(crate) leader_elect_retry_period: GoDuration,

    /// The name of the Lease; not that of kube-controller-manager, which may run as well.
    #[arg(long, value_name = "NAME", default_value = "ratchet-controllers")]
    pub(crate) leader_elect_resource_name: String,

    /// The namespace of the Lease.
    #[arg(long, value_name = "NAME", default_value = "kube-system")]
    pub(crate) leader_elect_resource_namespace: String,
}

/// How kubelets are reached, and who they must be.
#[derive(Args, Debug)]
#[command(next_help_heading = "Kubelets")]
pub(crate) struct KubeletArgs {
    /// The authorities of kubelets' certificates; without it any certificate is believed.
    #[arg(long, value_name = "FILE")]
    pub(crate) kubelet_certificate_authority: Option<PathBuf>,

    /// The certificate with which the server shows kubelets who it is [default: made by the server's own authority].
    #[arg(long, value_name = "FILE")]
    pub(crate) kubelet_client_certificate: Option<PathBuf>,

    /// The key of --kubelet-client-certificate.
    #[arg(long, value_name = "FILE")]
    pub(crate) kubelet_client_key: Option<PathBuf>,

    /// Which addresses of a node are tried, the best first.
    #[arg(
        long,
        value_name = "TYPES",
        value_delimiter = ',',
        default_value = "Hostname,InternalDNS,InternalIP,ExternalDNS,ExternalIP"
    )]
    pub(crate) kubelet_preferred_address_types: Vec<String>,

    /// Refuse kubelets whose certificate is not named system:node:<node>; needs the gate KubeletCertCNValidation and --kubelet-certificate-authority.
    #[arg(long, value_name = "BOOL", default_value = "false", num_args = 0..=1, require_equals = true, default_missing_value = "true", value_parser = values::boolean, action = clap::ArgAction::Set)]
    pub(crate) enable_kubelet_cert_cn_validation: bool,

    /// Changes nothing, as in kube-apiserver.
    #[arg(long, value_name = "DURATION", default_value = "5s", value_parser = values::duration, allow_hyphen_values = true)]
    pub(crate) kubelet_timeout: GoDuration,

    /// The port of kubelets whose nodes do not say; deprecated.
    #[arg(long, value_name = "PORT", default_value = "10250", value_parser = clap::value_parser!(u16), hide = true)]
    pub(crate) kubelet_port: u16,

    /// How many bytes a second exec, attach, port-forward and upgraded proxies may carry each way; 0 for no limit.
    #[arg(long, value_name = "BYTES", default_value = "0", value_parser = values::integer, allow_hyphen_values = true)]
    pub(crate) max_connection_bytes_per_sec: i64,
}

/// What is told about requests.
#[derive(Args, Debug)]
#[command(next_help_heading = "Audit")]
pub(crate) struct AuditArgs {
    /// The policy that says what is told.
    #[arg(long, value_name = "FILE")]
    pub(crate) audit_policy_file: Option<PathBuf>,

    /// Where it is told; - for standard output.
    #[arg(long, value_name = "FILE")]
    pub(crate) audit_log_path: Option<PathBuf>,

    /// How many megabytes a file may have before the next is begun; 0 for one that grows.
    #[arg(long, value_name = "MB", default_value = "100", value_parser = values::integer, allow_hyphen_values = true)]
    pub(crate) audit_log_maxsize: i64,

    /// How many old files are kept; 0 for all.
    #[arg(long, value_name = "N", default_value = "100", value_parser = values::integer, allow_hyphen_values = true)]
    pub(crate) audit_log_maxbackup: i64,

    /// How many days old files are kept; 0 for ever.
    #[arg(long, value_name = "DAYS", default_value = "366", value_parser = values::integer, allow_hyphen_values = true)]
    pub(crate) audit_log_maxage: i64,
}

/// What the server says about itself.
#[derive(Args, Debug)]
#[command(next_help_heading = "Logs")]
pub(crate) struct LogArgs {
    /// How much to tell: 0 warnings, 1 to 3 information, 4 and 5 details, more everything.
    #[arg(short = 'v', long = "v", value_name = "LEVEL", default_value = "0", value_parser = values::integer, allow_hyphen_values = true)]
    pub(crate) verbosity: i64,

    /// How log lines are written.
    #[arg(long, value_enum, default_value = "text")]
    pub(crate) logging_format: LogFormat,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum LogFormat {
    /// For people.
    Text,
    /// One JSON object a line.
    Json,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Reconciler {
    /// All servers that are alive.
    Lease,
    /// As many servers as there are said to be.
    MasterCount,
    /// Nobody.
    None,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum LeaderElect {
    /// Where it is needed.
    Auto,
    /// Yes.
    True,
    /// No.
    False,
}

#[cfg(test)]
mod tests;
