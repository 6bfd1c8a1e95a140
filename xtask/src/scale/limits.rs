//! What one machine, one server and one etcd can bear.

/// A machine for one server: so much of it may be in use, that a burst and the loss of another server still fit.
pub(super) const USABLE: f64 = 0.6;
const CORES: f64 = 16.0;
const MEMORY_MB: f64 = 64_000.0;
/// Ten gigabits a second.
const NETWORK_BYTES: f64 = 1.25e9;
/// Connections that `ratchet serve` accepts: a constant of wire/http/src/listener.rs.
const CONNECTIONS: f64 = 16_384.0;
/// The largest database that etcd's manual suggests.
const STORE_BYTES: f64 = 8.0e9;
/// More servers than these are no way to run one cluster: each holds all objects, and every store sends all changes to each.
pub(super) const MOST_SERVERS: usize = 20;

/// What is limited.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Limit {
    Cpu,
    Memory,
    Network,
    Connections,
    StoreCpu,
    StoreMemory,
    StoreBytes,
}

/// Limits of one server.
pub(super) const SERVER_LIMITS: &[(Limit, f64)] = &[
    (Limit::Cpu, CORES * USABLE),
    (Limit::Memory, MEMORY_MB * USABLE),
    (Limit::Network, NETWORK_BYTES * USABLE),
    (Limit::Connections, CONNECTIONS * USABLE),
];

/// Limits of one store.
pub(super) const STORE_LIMITS: &[(Limit, f64)] = &[
    (Limit::StoreCpu, CORES * USABLE),
    (Limit::StoreMemory, MEMORY_MB * USABLE),
    (Limit::StoreBytes, STORE_BYTES * USABLE),
];

impl Limit {
    /// Whether the server sets the limit itself, for a reason that no machine gives.
    pub(super) fn is_policy(self) -> bool {
        self == Self::Connections
    }

    /// The limit in words, without its unit.
    pub(super) fn name(self) -> &'static str {
        self.as_str().split_once(',').map_or(self.as_str(), |(name, _)| name)
    }

    /// The limit in words.
    pub(super) fn as_str(self) -> &'static str {
        match self {
            Self::Cpu => "CPU of the server, cores",
            Self::Memory => "memory of the server, MB",
            Self::Network => "network of the server, bytes/s",
            Self::Connections => "connections",
            Self::StoreCpu => "CPU of the store, cores",
            Self::StoreMemory => "memory of the store, MB",
            Self::StoreBytes => "bytes in the store",
        }
    }
}
