//! What a server is started with.

use crate::authorize::Mode;
use ratchet_allocation::Ranges;
use ratchet_engine::Policy;
use ratchet_kubelet::{Proxies, Trust};
use std::net::SocketAddr;
use std::path::PathBuf;
use std::time::Duration;

/// Everything that flags decide.
pub struct Config {
    /// Where to listen.
    pub bind: SocketAddr,
    /// Under which address clients reach the server; the bind address if none is given.
    pub advertise: Option<std::net::IpAddr>,
    /// The rules in force.
    pub policy: Policy,
    /// The admission plugins that are on.
    pub plugins: Vec<&'static str>,
    /// How to decide who may.
    pub modes: Vec<Mode>,
    /// What Services are given.
    pub ranges: Ranges,
    /// Who asks, and with which files it is found out.
    pub credentials: Credentials,
    /// How long requests under way may take when the server stops.
    pub drain_limit: Duration,
    /// How long to go on serving, while readiness fails, after the word to stop.
    pub stop_delay: Duration,
    /// How often old revisions are forgotten.
    pub compaction: Duration,
    /// How much may be asked at once, and for how long.
    pub limits: RequestLimits,
    /// How long Events are kept.
    pub event_life: Duration,
    /// APIs that are turned on or off: `group/version[/resource]`, `api/all`, `api/ga`, `api/beta`, `api/alpha`.
    pub runtime: Vec<(String, bool)>,
    /// Whether the server keeps the endpoints of its own Service.
    pub own_endpoints: bool,
    /// What is told about requests.
    pub audit: Option<Audit>,
    /// How kubelets and what else is behind the server are reached.
    pub backends: BackendConfig,
}

/// How kubelets and what else is behind the server are reached.
#[derive(Clone, Debug)]
pub struct BackendConfig {
    /// Whom kubelets must be.
    pub trust: Trust,
    /// How the server shows kubelets who it is.
    pub client: Option<ratchet_kubelet::KeyFiles>,
    /// Which addresses of nodes are tried, the best first.
    pub address_types: Vec<String>,
    /// The port of kubelets whose nodes do not say.
    pub default_port: u16,
    /// How many bytes a second an upgraded connection may carry each way; zero means any number.
    pub bytes_per_second: u64,
    /// Which proxies stand between.
    pub proxies: Proxies,
}

impl Default for BackendConfig {
    /// What kube-apiserver does when it is told nothing: every kubelet is believed.
    fn default() -> Self {
        let types = ["Hostname", "InternalDNS", "InternalIP", "ExternalDNS", "ExternalIP"];
        Self {
            trust: Trust::Anyone,
            client: None,
            address_types: types.map(str::to_owned).into(),
            default_port: 10250,
            bytes_per_second: 0,
            proxies: Proxies::default(),
        }
    }
}

/// How much may be asked at once, and for how long.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RequestLimits {
    /// How long a request that is no watch may take; zero means for ever.
    pub timeout: Duration,
    /// The least time after which a watch that names none is ended.
    pub watch: Duration,
    /// How many reads may run at once; zero means any number.
    pub reads: usize,
    /// How many writes may run at once; zero means any number.
    pub writes: usize,
    /// How many long-running requests there may be in all; zero means any number.
    pub long_running: usize,
    /// How many long-running requests one user may have; zero means any number.
    pub long_running_of_user: usize,
    /// How long an answer may wait for its client to read; zero means for ever.
    pub write: Duration,
}

/// Where the policy of the audit is, and where events go.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Audit {
    /// The policy file.
    pub policy: PathBuf,
    /// The log; `-` is standard output.
    pub log: PathBuf,
    /// How many megabytes a file may have; zero means any number.
    pub max_megabytes: u64,
    /// How many old files are kept; zero means all.
    pub max_files: u64,
    /// How many days old files are kept; zero means for ever.
    pub max_days: u64,
}

/// The files by which the server knows its clients and is known to them.
pub struct Credentials {
    /// The certificate that the server shows, and its key.
    pub serving: ratchet_http::KeyFiles,
    /// The authorities of clients' certificates.
    pub client_ca: Option<PathBuf>,
    /// Proxies that say who asks.
    pub proxy: Option<ProxyFiles>,
    /// Fixed tokens.
    pub token_file: Option<PathBuf>,
    /// Whether those who do not say who they are may ask at all.
    pub anonymous: bool,
    /// Whether machines may join with bootstrap tokens.
    pub bootstrap_tokens: bool,
    /// Who issues the tokens of service accounts; the first is written into new ones.
    pub issuers: Vec<String>,
    /// For whom tokens are if nobody is named; the issuers if empty.
    pub audiences: Vec<String>,
    /// The key that signs tokens.
    pub signing_key: PathBuf,
    /// The keys that prove tokens besides.
    pub verification_keys: Vec<PathBuf>,
}

/// Which proxies are believed when they say who asks, and in which headers they do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProxyFiles {
    /// The authorities of proxies' certificates.
    pub authorities: PathBuf,
    /// The common names of believed proxies; none means all.
    pub allowed_names: Vec<String>,
    /// The headers with the user's name.
    pub user_headers: Vec<String>,
    /// The headers with the uid.
    pub uid_headers: Vec<String>,
    /// The headers with groups.
    pub group_headers: Vec<String>,
    /// Before the names of extras.
    pub extra_prefixes: Vec<String>,
}
