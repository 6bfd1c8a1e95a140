//! What a server is started with.

use crate::audit::Audit;
use crate::authorize::Mode;
use ratchet_allocation::Ranges;
use ratchet_engine::Policy;
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
    /// What is told about requests.
    pub audit: Option<Audit>,
    /// How long requests under way may take when the server stops.
    pub drain_limit: Duration,
    /// How often old revisions are forgotten.
    pub compaction: Duration,
}

/// The files by which the server knows its clients and is known to them.
pub struct Credentials {
    /// The certificate that the server shows, and its key.
    pub serving: ratchet_http::KeyFiles,
    /// The authorities of clients' certificates.
    pub client_ca: Option<PathBuf>,
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
