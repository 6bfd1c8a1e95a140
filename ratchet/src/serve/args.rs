//! The flags of `ratchet serve`: kube-apiserver's names and formats, grouped as its help groups them.

use super::accepted::AcceptedArgs;
use super::tls::{self, MinVersion, NamedPair};
use super::values::{self, GoDuration, Ports};
use super::version::{self, VersionFlag};
use crate::behavior_arg::BehaviorArg;
use crate::gate_args::GateArgs;
use clap::{Args, ValueEnum};
use std::net::IpAddr;
use std::path::PathBuf;

/// Run a Kubernetes API server.
///
/// Without flags, it serves HTTPS on 127.0.0.1:6443, stores everything in one directory and writes a kubeconfig for an
/// administrator there. Flags have the names and formats of kube-apiserver. Its other flags are accepted and have no
/// effect, except for a few that would be unsafe to ignore. Durations are written as 90s, 1m30s or 1h.
///
/// Exit status: 0 stopped by SIGTERM or SIGINT; 1 could not start (one line on standard error says why), or stopped at
/// once by a second signal.
#[derive(Args, Debug)]
#[command(args_override_self = true, after_help = EXAMPLES)]
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
    pub(crate) aggregation: AggregationArgs,
    #[command(flatten)]
    pub(crate) audit: AuditArgs,
    #[command(flatten)]
    pub(crate) logs: LogArgs,
    #[command(flatten)]
    pub(crate) accepted: AcceptedArgs,

    /// Print the version and exit; raw prints all that is known of it. A version such as v1.36.4-custom is reported by
    /// the server instead of its own.
    #[arg(long, value_name = "VERSION", num_args = 0..=1, require_equals = true, default_value = "false", default_missing_value = "true", value_parser = version::parse, hide_default_value = true)]
    pub(crate) version: VersionFlag,
}

const EXAMPLES: &str = "Examples:
  # Serve on 127.0.0.1:6443, with the data in ~/.local/state/ratchet
  ratchet serve

  # Serve on all addresses, with the data in another directory
  ratchet serve --bind-address=0.0.0.0 --data-dir=/var/lib/ratchet

  # Keep everything in memory, for a test
  ratchet serve --data-dir=:memory: --secure-port=16443

  # Emulate an older release
  ratchet serve --emulated-version=1.33

  # Turn a feature gate off
  ratchet serve --feature-gates=StrictIPCIDRValidation=false

  # Enable an admission plugin that is off by default
  ratchet serve --enable-admission-plugins=DenyServiceExternalIPs";

/// Flags of the store.
#[derive(Args, Debug)]
#[command(next_help_heading = "Storage")]
pub(crate) struct StorageArgs {
    /// Directory of the store, the certificates and the kubeconfig, or :memory: to keep nothing [default:
    /// $XDG_STATE_HOME/ratchet, else ~/.local/state/ratchet, else ./ratchet-data].
    #[arg(long, value_name = "DIR")]
    pub(crate) data_dir: Option<PathBuf>,

    /// URLs of the members of etcd (scheme://ip:port), comma-separated: all objects are kept there, and several servers
    /// on one etcd are one API. Excludes --data-dir. With the stand-in that `ratchet envtest` links, objects are kept in
    /// its data directory.
    #[arg(long, value_name = "URLS", value_delimiter = ',')]
    pub(crate) etcd_servers: Vec<String>,

    /// Other etcds for some resources, comma-separated: group/resource#servers, where servers are URLs, separated by
    /// semicolons, and the group of the core API is empty. For example,
    /// /events#http://etcd4:2379;http://etcd5:2379,coordination.k8s.io/leases#http://etcd6:2379. They have the flags of TLS
    /// and the prefix in common with --etcd-servers. Custom resources stay there.
    #[arg(long, value_name = "OVERRIDES", value_delimiter = ',')]
    pub(crate) etcd_servers_overrides: Vec<String>,

    /// File of the certificate authorities that the members of etcd are verified by [default: those of the system].
    #[arg(long, value_name = "FILE")]
    pub(crate) etcd_cafile: Option<PathBuf>,

    /// File of the client certificate for etcd.
    #[arg(long, value_name = "FILE")]
    pub(crate) etcd_certfile: Option<PathBuf>,

    /// File of the key of the client certificate for etcd.
    #[arg(long, value_name = "FILE")]
    pub(crate) etcd_keyfile: Option<PathBuf>,

    /// Prefix of all keys in etcd.
    #[arg(long, value_name = "PREFIX", default_value = "/registry")]
    pub(crate) etcd_prefix: String,

    /// Whether the server was started under the name kube-apiserver, as tests do.
    #[arg(skip)]
    pub(crate) is_test_server: bool,

    /// Interval between compactions, which remove old revisions from the store. 0 turns compaction off.
    #[arg(long, value_name = "DURATION", default_value = "5m0s", value_parser = values::duration, allow_hyphen_values = true)]
    pub(crate) etcd_compaction_interval: GoDuration,

    /// Time to keep Events.
    #[arg(long, value_name = "DURATION", default_value = "1h0m0s", value_parser = values::duration, allow_hyphen_values = true)]
    pub(crate) event_ttl: GoDuration,
}

/// Flags of the listener.
#[derive(Args, Debug)]
#[command(next_help_heading = "Serving")]
pub(crate) struct ServingArgs {
    /// IP address to listen on. 0.0.0.0 or :: means all addresses.
    #[arg(long, value_name = "IP", default_value = "127.0.0.1", value_parser = values::address)]
    pub(crate) bind_address: IpAddr,

    /// Port to serve HTTPS on. 0 is not allowed.
    #[arg(long, value_name = "PORT", default_value = "6443", value_parser = values::integer, allow_hyphen_values = true)]
    pub(crate) secure_port: i64,

    /// IP address at which clients reach the server [default: --bind-address, or an address of the machine if that
    /// means all addresses].
    #[arg(long, value_name = "IP", value_parser = values::address)]
    pub(crate) advertise_address: Option<IpAddr>,

    /// Directory of generated certificates and keys [default: pki in the data directory].
    #[arg(long, value_name = "DIR")]
    pub(crate) cert_dir: Option<PathBuf>,

    /// File with the serving certificate and its chain, in PEM. Without it, the server generates one.
    #[arg(long, value_name = "FILE")]
    pub(crate) tls_cert_file: Option<PathBuf>,

    /// File with the private key of --tls-cert-file, in PEM.
    #[arg(long, value_name = "FILE")]
    pub(crate) tls_private_key_file: Option<PathBuf>,

    /// Files with a further certificate and its key, and the server names for which it is used: cert,key[:names]
    /// [default: the names in the certificate]. May be repeated.
    #[arg(long, value_name = "FILES", value_parser = tls::named_pair)]
    pub(crate) tls_sni_cert_key: Vec<NamedPair>,

    /// Minimum version of TLS: VersionTLS10, VersionTLS11, VersionTLS12 or VersionTLS13. Versions before 1.2 are never
    /// offered.
    #[arg(long, value_name = "VERSION", default_value = "VersionTLS12", value_parser = tls::version)]
    pub(crate) tls_min_version: MinVersion,

    /// Cipher suites of TLS 1.2 to offer, by their IANA names, comma-separated [default: all that are safe]. Those that
    /// are not safe are never offered.
    #[arg(long, value_name = "NAMES", value_delimiter = ',', value_parser = tls::cipher_suite)]
    pub(crate) tls_cipher_suites: Vec<String>,

    /// Do not offer HTTP/2.
    #[arg(long, value_name = "BOOL", default_value = "false", num_args = 0..=1, require_equals = true, default_missing_value = "true", value_parser = values::boolean, action = clap::ArgAction::Set)]
    pub(crate) disable_http2_serving: bool,

    /// Time limit of a request. Requests in flight have as long to finish when the server stops.
    #[arg(long, value_name = "DURATION", default_value = "1m0s", value_parser = values::duration, allow_hyphen_values = true)]
    pub(crate) request_timeout: GoDuration,

    /// Minimum number of seconds before the server ends a watch that sets no timeout.
    #[arg(long, value_name = "SECONDS", default_value = "1800", value_parser = values::integer, allow_hyphen_values = true)]
    pub(crate) min_request_timeout: i64,

    /// Time to continue serving, with /readyz failing, after a signal to stop.
    #[arg(long, value_name = "DURATION", default_value = "0s", value_parser = values::duration, allow_hyphen_values = true)]
    pub(crate) shutdown_delay_duration: GoDuration,

    /// Maximum number of non-mutating requests in flight. 0 means no limit, if --enable-priority-and-fairness is off.
    #[arg(long, value_name = "N", default_value = "400", value_parser = values::integer, allow_hyphen_values = true)]
    pub(crate) max_requests_inflight: i64,

    /// Maximum number of mutating requests in flight. 0 means no limit, if --enable-priority-and-fairness is off.
    #[arg(long, value_name = "N", default_value = "200", value_parser = values::integer, allow_hyphen_values = true)]
    pub(crate) max_mutating_requests_inflight: i64,

    /// Divide the sum of both limits by FlowSchemas and PriorityLevelConfigurations, and queue requests fairly.
    #[arg(long, value_name = "BOOL", default_value = "true", num_args = 0..=1, require_equals = true, default_missing_value = "true", value_parser = values::boolean, action = clap::ArgAction::Set)]
    pub(crate) enable_priority_and_fairness: bool,

    /// Maximum number of long-running requests: watch, log, exec, attach, port-forward and proxy. 0 means no limit.
    #[arg(long, value_name = "N", default_value = "10000", value_parser = values::integer, allow_hyphen_values = true)]
    pub(crate) max_long_running_requests: i64,

    /// Maximum number of long-running requests of one user. 0 means no limit.
    #[arg(long, value_name = "N", default_value = "2500", value_parser = values::integer, allow_hyphen_values = true)]
    pub(crate) max_long_running_requests_per_user: i64,

    /// Time after which a connection is closed if its client does not read the response. 0 means no limit.
    #[arg(long, value_name = "DURATION", default_value = "2m0s", value_parser = values::duration, allow_hyphen_values = true)]
    pub(crate) write_timeout: GoDuration,
}

/// Flags of authentication and authorization.
#[derive(Args, Debug)]
#[command(next_help_heading = "Authentication and authorization")]
pub(crate) struct ClientArgs {
    /// File with certificate authorities of client certificates, in PEM. The server's own authority is always trusted.
    #[arg(long, value_name = "FILE")]
    pub(crate) client_ca_file: Option<PathBuf>,

    /// CSV file with static tokens. Each line is token,user,uid,"group1,group2".
    #[arg(long, value_name = "FILE")]
    pub(crate) token_auth_file: Option<PathBuf>,

    /// Accept requests without credentials, as the user system:anonymous.
    #[arg(long, value_name = "BOOL", default_value = "true", num_args = 0..=1, require_equals = true, default_missing_value = "true", value_parser = values::boolean, action = clap::ArgAction::Set)]
    pub(crate) anonymous_auth: bool,

    /// Accept bootstrap tokens: Secrets of type bootstrap.kubernetes.io/token in kube-system.
    #[arg(long, value_name = "BOOL", default_value = "false", num_args = 0..=1, require_equals = true, default_missing_value = "true", value_parser = values::boolean, action = clap::ArgAction::Set)]
    pub(crate) enable_bootstrap_token_auth: bool,

    /// Issuer of service account tokens. May be repeated: new tokens have the first one, all are accepted.
    #[arg(
        long,
        value_name = "ISSUER",
        default_value = "https://kubernetes.default.svc.cluster.local"
    )]
    pub(crate) service_account_issuer: Vec<String>,

    /// File with the private key that signs service account tokens [default: sa.key in the certificate directory,
    /// generated if absent].
    #[arg(long, value_name = "FILE")]
    pub(crate) service_account_signing_key_file: Option<PathBuf>,

    /// File with keys that verify service account tokens, in addition to the signing key. May be repeated.
    #[arg(long, value_name = "FILE")]
    pub(crate) service_account_key_file: Vec<PathBuf>,

    /// Maximum lifetime of service account tokens: a request for a longer one gets this. 0 means no limit.
    #[arg(long, value_name = "DURATION", default_value = "0s", value_parser = values::duration, allow_hyphen_values = true)]
    pub(crate) service_account_max_token_expiration: GoDuration,

    /// Let the tokens that kubelets request for pods live for a year, and warn of their use after the time that was
    /// asked for.
    #[arg(long, value_name = "BOOL", default_value = "true", num_args = 0..=1, require_equals = true, default_missing_value = "true", value_parser = values::boolean, action = clap::ArgAction::Set)]
    pub(crate) service_account_extend_token_expiration: bool,

    /// Audiences of this API: those of service account tokens that are requested without an audience [default: the
    /// issuers].
    #[arg(long, value_name = "NAMES", value_delimiter = ',')]
    pub(crate) api_audiences: Vec<String>,

    /// Authorization modes, in the order in which they are asked: AlwaysAllow, AlwaysDeny, Node, RBAC.
    #[arg(long, value_name = "MODES", value_delimiter = ',', default_value = "Node,RBAC")]
    pub(crate) authorization_mode: Vec<String>,

    /// File with certificate authorities of authenticating proxies, in PEM. Such proxies name the user in request
    /// headers.
    #[arg(long, value_name = "FILE")]
    pub(crate) requestheader_client_ca_file: Option<PathBuf>,

    /// Common names of the client certificates of authenticating proxies [default: any].
    #[arg(long, value_name = "NAMES", value_delimiter = ',')]
    pub(crate) requestheader_allowed_names: Vec<String>,

    /// Request headers with the user name.
    #[arg(long, value_name = "NAMES", value_delimiter = ',', default_value = "x-remote-user")]
    pub(crate) requestheader_username_headers: Vec<String>,

    /// Request headers with the user UID.
    #[arg(long, value_name = "NAMES", value_delimiter = ',')]
    pub(crate) requestheader_uid_headers: Vec<String>,

    /// Request headers with the groups of the user.
    #[arg(long, value_name = "NAMES", value_delimiter = ',', default_value = "x-remote-group")]
    pub(crate) requestheader_group_headers: Vec<String>,

    /// Prefixes of request headers with extra attributes of the user.
    #[arg(long, value_name = "PREFIXES", value_delimiter = ',', default_value = "x-remote-extra-")]
    pub(crate) requestheader_extra_headers_prefix: Vec<String>,
}

/// Flags of validation and admission.
#[derive(Args, Debug)]
#[command(next_help_heading = "Validation and admission")]
pub(crate) struct RuleArgs {
    /// Kubernetes release to emulate, from 1.32 to 1.36: [kube=]VERSION [default: 1.36].
    #[arg(long, value_name = "VERSION")]
    pub(crate) emulated_version: Option<String>,

    #[command(flatten)]
    pub(crate) gates: GateArgs,

    /// Admission plugins to run instead of those that are on by default. Deprecated: excludes the two flags above.
    #[arg(long, value_name = "NAMES", value_delimiter = ',')]
    pub(crate) admission_control: Vec<String>,

    /// File with an AdmissionConfiguration. The server reads the configuration of PodSecurity.
    #[arg(long, value_name = "FILE")]
    pub(crate) admission_control_config_file: Option<PathBuf>,

    /// Behavior where an enhancement proposal (KEP) and released Kubernetes differ.
    #[arg(long, value_enum, default_value = "proposal")]
    pub(crate) behavior: BehaviorArg,

    /// Allow privileged containers.
    #[arg(long, value_name = "BOOL", default_value = "true", num_args = 0..=1, require_equals = true, default_missing_value = "true", value_parser = values::boolean, action = clap::ArgAction::Set)]
    pub(crate) allow_privileged: bool,

    /// APIs to turn on or off: group/version[/resource]=true|false, separated by commas. The keys api/all, api/ga,
    /// api/beta and api/alpha stand for several. May be repeated.
    #[arg(long, value_name = "APIS")]
    pub(crate) runtime_config: Vec<String>,
}

/// Flags of extension API servers.
#[derive(Args, Debug)]
#[command(next_help_heading = "Extension API servers")]
pub(crate) struct AggregationArgs {
    /// File with the client certificate for extension API servers, in PEM, which proves to them that request headers
    /// name the user [default: generated, signed by an authority of its own].
    #[arg(long, value_name = "FILE")]
    pub(crate) proxy_client_cert_file: Option<PathBuf>,

    /// File with the private key of --proxy-client-cert-file, in PEM.
    #[arg(long, value_name = "FILE")]
    pub(crate) proxy_client_key_file: Option<PathBuf>,

    /// Dial an endpoint of the Service of a webhook or an extension API server, or else its cluster IP [default: a ready
    /// endpoint if there is one, otherwise the cluster IP].
    #[arg(long, value_name = "BOOL", num_args = 0..=1, require_equals = true, default_missing_value = "true", value_parser = values::boolean, action = clap::ArgAction::Set)]
    pub(crate) enable_aggregator_routing: Option<bool>,

    /// Answer with an error where an extension API server redirects.
    #[arg(long, value_name = "BOOL", default_value = "true", num_args = 0..=1, require_equals = true, default_missing_value = "true", value_parser = values::boolean, action = clap::ArgAction::Set)]
    pub(crate) aggregator_reject_forwarding_redirect: bool,
}

/// Flags of Services.
#[derive(Args, Debug)]
#[command(next_help_heading = "Services")]
pub(crate) struct ServiceArgs {
    /// CIDRs from which cluster IPs are allocated: one, or one of each IP family, separated by a comma.
    #[arg(long, value_name = "CIDRS", default_value = "10.0.0.0/24")]
    pub(crate) service_cluster_ip_range: String,

    /// Port range from which node ports are allocated.
    #[arg(long, value_name = "FIRST-LAST", default_value = "30000-32767", value_parser = values::ports)]
    pub(crate) service_node_port_range: Ports,

    /// How the endpoints of the kubernetes Service are maintained. With one server, lease and master-count do the same.
    #[arg(long, value_name = "TYPE", value_enum, default_value = "lease")]
    pub(crate) endpoint_reconciler_type: Reconciler,
}

/// Flags of the controllers.
#[derive(Args, Debug)]
#[command(next_help_heading = "Controllers")]
pub(crate) struct ControllerArgs {
    /// Controllers to run, separated by commas: * for all that are on by default, NAME to turn one on, -NAME to turn
    /// one off. An empty list runs none. May be repeated.
    #[arg(long, value_name = "NAMES", default_value = "*", allow_hyphen_values = true)]
    pub(crate) controllers: Vec<String>,

    /// Allocate pod CIDRs to nodes from --cluster-cidr [default: true if --cluster-cidr is given].
    #[arg(long, value_name = "BOOL", num_args = 0..=1, require_equals = true, default_missing_value = "true", value_parser = values::boolean, action = clap::ArgAction::Set)]
    pub(crate) allocate_node_cidrs: Option<bool>,

    /// CIDRs from which pod CIDRs are allocated: one, or one of each IP family, separated by a comma.
    #[arg(long, value_name = "CIDRS")]
    pub(crate) cluster_cidr: Option<String>,

    /// Prefix length of a node's pod CIDR in a cluster with one IP family. 0 means 24 for IPv4 and 64 for IPv6.
    #[arg(long, value_name = "LENGTH", default_value = "0", value_parser = values::integer, allow_hyphen_values = true)]
    pub(crate) node_cidr_mask_size: i64,

    /// Prefix length of a node's IPv4 pod CIDR. 0 means 24.
    #[arg(long, value_name = "LENGTH", default_value = "0", value_parser = values::integer, allow_hyphen_values = true)]
    pub(crate) node_cidr_mask_size_ipv4: i64,

    /// Prefix length of a node's IPv6 pod CIDR. 0 means 64.
    #[arg(long, value_name = "LENGTH", default_value = "0", value_parser = values::integer, allow_hyphen_values = true)]
    pub(crate) node_cidr_mask_size_ipv6: i64,

    /// File with the certificate authority that signs approved CertificateSigningRequests, in PEM [default: the
    /// server's own authority].
    #[arg(long, value_name = "FILE")]
    pub(crate) cluster_signing_cert_file: Option<PathBuf>,

    /// File with the private key of --cluster-signing-cert-file, in PEM.
    #[arg(long, value_name = "FILE")]
    pub(crate) cluster_signing_key_file: Option<PathBuf>,

    /// Maximum validity of signed certificates. A request may ask for less.
    #[arg(long, value_name = "DURATION", default_value = "8760h0m0s", value_parser = values::duration, allow_hyphen_values = true)]
    pub(crate) cluster_signing_duration: GoDuration,

    /// Run controllers only while this server holds a Lease.
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

    /// Time after the last renewal at which another server may take the Lease.
    #[arg(long, value_name = "DURATION", default_value = "15s", value_parser = values::duration, allow_hyphen_values = true)]
    pub(crate) leader_elect_lease_duration: GoDuration,

    /// Time for which the holder tries to renew the Lease before it stops its controllers.
    #[arg(long, value_name = "DURATION", default_value = "10s", value_parser = values::duration, allow_hyphen_values = true)]
    pub(crate) leader_elect_renew_deadline: GoDuration,

    /// Time between attempts to acquire or renew the Lease.
    #[arg(long, value_name = "DURATION", default_value = "2s", value_parser = values::duration, allow_hyphen_values = true)]
    pub(crate) leader_elect_retry_period: GoDuration,

    /// Name of the Lease. It is not that of kube-controller-manager, which may run beside this server.
    #[arg(long, value_name = "NAME", default_value = "ratchet-controllers")]
    pub(crate) leader_elect_resource_name: String,

    /// Namespace of the Lease.
    #[arg(long, value_name = "NAME", default_value = "kube-system")]
    pub(crate) leader_elect_resource_namespace: String,
}

/// Flags of connections to kubelets.
#[derive(Args, Debug)]
#[command(next_help_heading = "Kubelets")]
pub(crate) struct KubeletArgs {
    /// File with certificate authorities of kubelet serving certificates, in PEM. Without it, these certificates are
    /// not verified.
    #[arg(long, value_name = "FILE")]
    pub(crate) kubelet_certificate_authority: Option<PathBuf>,

    /// File with the client certificate for connections to kubelets, in PEM [default: generated, signed by the server's
    /// own authority].
    #[arg(long, value_name = "FILE")]
    pub(crate) kubelet_client_certificate: Option<PathBuf>,

    /// File with the private key of --kubelet-client-certificate, in PEM.
    #[arg(long, value_name = "FILE")]
    pub(crate) kubelet_client_key: Option<PathBuf>,

    /// Types of node addresses to connect to, in order of preference.
    #[arg(
        long,
        value_name = "TYPES",
        value_delimiter = ',',
        default_value = "Hostname,InternalDNS,InternalIP,ExternalDNS,ExternalIP"
    )]
    pub(crate) kubelet_preferred_address_types: Vec<String>,

    /// Refuse kubelets whose serving certificate does not have the common name system:node:<node> (KEP-4872). Requires
    /// --kubelet-certificate-authority and the feature gate KubeletCertCNValidation.
    #[arg(long, value_name = "BOOL", default_value = "false", num_args = 0..=1, require_equals = true, default_missing_value = "true", value_parser = values::boolean, action = clap::ArgAction::Set)]
    pub(crate) enable_kubelet_cert_cn_validation: bool,

    /// Has no effect, as in kube-apiserver.
    #[arg(long, value_name = "DURATION", default_value = "5s", value_parser = values::duration, allow_hyphen_values = true)]
    pub(crate) kubelet_timeout: GoDuration,

    /// Port of kubelets whose nodes report none. Deprecated.
    #[arg(long, value_name = "PORT", default_value = "10250", value_parser = clap::value_parser!(u16), hide = true)]
    pub(crate) kubelet_port: u16,

    /// Maximum bytes per second, in each direction, of an exec, attach, port-forward or upgraded proxy connection. 0
    /// means no limit.
    #[arg(long, value_name = "BYTES", default_value = "0", value_parser = values::integer, allow_hyphen_values = true)]
    pub(crate) max_connection_bytes_per_sec: i64,
}

/// Flags of the audit log.
#[derive(Args, Debug)]
#[command(next_help_heading = "Audit")]
pub(crate) struct AuditArgs {
    /// File with the audit policy. Auditing needs both this flag and --audit-log-path.
    #[arg(long, value_name = "FILE")]
    pub(crate) audit_policy_file: Option<PathBuf>,

    /// File to write audit events to. - means standard output.
    #[arg(long, value_name = "FILE")]
    pub(crate) audit_log_path: Option<PathBuf>,

    /// Maximum size of an audit log file in megabytes, after which it is rotated. 0 means no limit.
    #[arg(long, value_name = "MB", default_value = "100", value_parser = values::integer, allow_hyphen_values = true)]
    pub(crate) audit_log_maxsize: i64,

    /// Maximum number of rotated audit log files to keep. 0 means no limit.
    #[arg(long, value_name = "N", default_value = "100", value_parser = values::integer, allow_hyphen_values = true)]
    pub(crate) audit_log_maxbackup: i64,

    /// Maximum number of days to keep a rotated audit log file. 0 means no limit.
    #[arg(long, value_name = "DAYS", default_value = "366", value_parser = values::integer, allow_hyphen_values = true)]
    pub(crate) audit_log_maxage: i64,
}

/// Flags of the server's own log.
#[derive(Args, Debug)]
#[command(next_help_heading = "Logs")]
pub(crate) struct LogArgs {
    /// Log level: 0 for warnings, 1 to 3 for information, 4 and 5 for details, 6 and more for everything.
    #[arg(short = 'v', long = "v", value_name = "LEVEL", default_value = "0", value_parser = values::integer, allow_hyphen_values = true)]
    pub(crate) verbosity: i64,

    /// Format of log lines.
    #[arg(long, value_enum, default_value = "text")]
    pub(crate) logging_format: LogFormat,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum LogFormat {
    /// Plain text.
    Text,
    /// One JSON object per line.
    Json,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Reconciler {
    /// Endpoints of the servers with a current lease.
    Lease,
    /// Endpoints of a fixed number of servers.
    MasterCount,
    /// No endpoints.
    None,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum LeaderElect {
    /// Only if servers can share the store: with --etcd-servers.
    Auto,
    /// Always.
    True,
    /// Never.
    False,
}

#[cfg(test)]
mod tests;
