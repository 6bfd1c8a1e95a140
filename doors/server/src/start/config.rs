//! `Config`: the configuration of a server.

use crate::access::authorize::Mode;
use crate::app::audit::Audit;
use crate::app::service_resolver::ServiceRouting;
use crate::request::limits::RequestLimits;
use ratchet_allocation::Ranges;
use ratchet_engine::ApiConfig;
use ratchet_kubelet::{Proxies, Trust, WebhookUsers};
use std::net::SocketAddr;
use std::path::PathBuf;
use std::time::Duration;

/// The configuration that flags produce.
pub struct Config {
    /// The listening address.
    pub bind: SocketAddr,
    /// The advertised address; the bind address if none is given.
    pub advertise: Option<std::net::IpAddr>,
    /// Release, behavior and feature gates of the engine.
    pub api_config: ApiConfig,
    /// `--version=vX.Y.Z…`: the version that `/version` reports instead of this program's own.
    pub reported_version: Option<String>,
    /// The enabled admission plugins.
    pub plugins: Vec<&'static str>,
    /// The authorization modes, in order.
    pub modes: Vec<Mode>,
    /// The ranges of cluster IPs and node ports.
    pub ranges: Ranges,
    /// Serving certificate and authentication.
    pub credentials: Credentials,
    /// The time that inflight requests get at shutdown.
    pub drain_limit: Duration,
    /// `--shutdown-delay-duration`: the time between failing readiness and draining.
    pub stop_delay: Duration,
    /// The compaction interval.
    pub compaction: Duration,
    /// Inflight limits and timeouts.
    pub limits: RequestLimits,
    /// `--event-ttl`.
    pub event_life: Duration,
    /// `--runtime-config`: `group/version[/resource]`, `api/all`, `api/ga`, `api/beta`, `api/alpha`.
    pub runtime: Vec<(String, bool)>,
    /// Whether the server reconciles the endpoints of the `kubernetes` Service.
    pub own_endpoints: bool,
    /// The audit log.
    pub audit: Option<Audit>,
    /// Connections to kubelets and other backends.
    pub backends: BackendConfig,
    /// Connections to extension API servers.
    pub aggregation: AggregationConfig,
}

/// Connections to extension API servers.
#[derive(Clone, Debug)]
pub struct AggregationConfig {
    /// `--proxy-client-cert-file` and `--proxy-client-key-file`: the proof that request headers state an identity.
    pub client: Option<ratchet_kubelet::ClientKeyFiles>,
    /// `--enable-aggregator-routing`: which address of a Service is dialed, also for webhooks.
    pub routing: ServiceRouting,
    /// `--aggregator-reject-forwarding-redirect`.
    pub rejects_redirects: bool,
}

impl Default for AggregationConfig {
    fn default() -> Self {
        Self { client: None, routing: ServiceRouting::default(), rejects_redirects: true }
    }
}

/// Connections to kubelets and other backends.
#[derive(Clone, Debug)]
pub struct BackendConfig {
    /// How kubelets' certificates are verified.
    pub trust: Trust,
    /// The client certificate for kubelets.
    pub client: Option<ratchet_kubelet::ClientKeyFiles>,
    /// `--kubelet-preferred-address-types`.
    pub address_types: Vec<String>,
    /// The kubelet port of nodes that report none.
    pub default_port: u16,
    /// The bandwidth limit of an upgraded connection in each direction; zero means none.
    pub bytes_per_second: u64,
    /// HTTP proxies to backends.
    pub proxies: Proxies,
    /// Who the server is to admission webhooks.
    pub webhook_users: WebhookUserConfig,
}

/// Who the server is to admission webhooks: `kubeConfigFile` of the configurations of both plugins.
#[derive(Clone, Debug, Default)]
pub struct WebhookUserConfig {
    /// To mutating ones.
    pub mutating: WebhookUsers,
    /// To validating ones.
    pub validating: WebhookUsers,
}

impl Default for BackendConfig {
    /// The defaults of kube-apiserver: kubelets' certificates are not verified.
    fn default() -> Self {
        let types = ["Hostname", "InternalDNS", "InternalIP", "ExternalDNS", "ExternalIP"];
        Self {
            trust: Trust::Anyone,
            client: None,
            address_types: types.map(str::to_owned).into(),
            default_port: 10250,
            bytes_per_second: 0,
            proxies: Proxies::default(),
            webhook_users: WebhookUserConfig::default(),
        }
    }
}

/// The serving certificate, and the files and settings of authentication.
pub struct Credentials {
    /// The serving certificate and its key.
    pub serving: ratchet_http::KeyFiles,
    /// `--tls-sni-cert-key`: further pairs for server names, or for those in the certificate if none are given.
    pub named_serving: Vec<(ratchet_http::KeyFiles, Vec<String>)>,
    /// `--tls-min-version`, `--tls-cipher-suites`, `--disable-http2-serving`.
    pub tls_limits: ratchet_http::TlsLimits,
    /// `--client-ca-file`.
    pub client_ca: Option<PathBuf>,
    /// The request-header authenticator.
    pub proxy: Option<ProxyFiles>,
    /// `--token-auth-file`.
    pub token_file: Option<PathBuf>,
    /// `--anonymous-auth`.
    pub anonymous: bool,
    /// `--enable-bootstrap-token-auth`.
    pub bootstrap_tokens: bool,
    /// The accepted issuers of service account tokens; new tokens get the first.
    pub issuers: Vec<String>,
    /// The default audiences of service account tokens; the issuers if empty.
    pub audiences: Vec<String>,
    /// The private key that signs service account tokens.
    pub signing_key: PathBuf,
    /// Further public keys that verify service account tokens.
    pub verification_keys: Vec<PathBuf>,
    /// `--service-account-max-token-expiration` in seconds; no limit if there is none.
    pub longest_token: Option<i64>,
    /// `--service-account-extend-token-expiration`.
    pub extends_tokens: bool,
}

/// The configuration of the request-header authenticator.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProxyFiles {
    /// The CAs of the proxies' client certificates.
    pub authorities: PathBuf,
    /// The allowed common names of proxies; empty means all.
    pub allowed_names: Vec<String>,
    /// The headers with the user name.
    pub user_headers: Vec<String>,
    /// The headers with the uid.
    pub uid_headers: Vec<String>,
    /// The headers with groups.
    pub group_headers: Vec<String>,
    /// The prefixes of headers with extra values.
    pub extra_prefixes: Vec<String>,
}
